package app

import (
	"merve/internal/appointment"
	"merve/internal/assistant"
	"merve/internal/customer"
	"merve/internal/desk"
)

// Customers returns the store of customers whom calls are about.
func (b *Base) Customers() *customer.Store { return &customer.Store{Table: b.catalog()} }

// Visits returns the store of services and technicians.
func (b *Base) Visits() *appointment.Catalog { return &appointment.Catalog{Table: b.catalog()} }

// callers knows whom a call is with.
func (b *Base) callers() *customer.Verifier {
	return &customer.Verifier{Customers: b.Customers(), Sessions: b.conversations(), Now: b.Now}
}

// verification has the tool by which callers are verified.
func (b *Base) verification() customer.Desk {
	return customer.Desk{Verifier: b.callers(), OfferPerson: desk.Offering}
}

// visits has the tools by which callers arrange visits of technicians.
func (b *Base) visits() *appointment.Desk {
	return &appointment.Desk{
		Ledger: b.Ledger(), Catalog: b.Visits(), Callers: b.callers(), Sessions: b.conversations(), OfferPerson: desk.Offering,
	}
}

// pestcall is the assistant of calls, whose tools are opened by the caller's account.
func (b *Base) pestcall() assistant.Assistant {
	a := assistant.PestCall()
	a.Access = b.callers().Access(a.Tools)
	return a
}
