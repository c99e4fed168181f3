package app

import (
	"context"

	"merve/internal/appointment"
	"merve/internal/assistant"
	"merve/internal/customer"
	"merve/internal/desk"
	"merve/internal/tool"
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
	callers, visits := b.callers(), b.visits()
	a.Access = callers.Access(a.Tools)
	a.State = func(ctx context.Context, tc tool.Context) (any, error) {
		var s callState
		var err error
		if s.Conversation.Verification, err = callers.State(ctx, tc); err != nil {
			return nil, err
		}
		s.State, err = visits.State(ctx, tc)
		return s, err
	}
	return a
}

// callState is what clients are told of a call: what its caller has proven, and the lists that they pick from.
type callState struct {
	Conversation struct {
		Verification customer.State `json:"verification"`
	} `json:"conversation"`
	appointment.State
}
