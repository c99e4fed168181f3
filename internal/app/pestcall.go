package app

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/matter/appointment"
	"merve/internal/people/desk"
	"merve/internal/record/customer"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
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
	a.State = func(ctx context.Context, h thread.Head) (map[string]any, error) {
		tc := tool.Context{Thread: h.ID}
		if h.Session != nil {
			tc.Session.ID = h.Session.ID
		}
		proven, err := callers.State(ctx, tc)
		if err != nil {
			return nil, err
		}
		shown, err := visits.State(ctx, tc)
		if err != nil {
			return nil, err
		}
		return callState(proven, shown, h.Pending), nil
	}
	return a
}

// callState is what clients are told of a call: what its caller has proven, the lists that they pick from, and the
// question of a workflow that waits.
func callState(proven customer.State, shown appointment.State, waits *thread.Pending) map[string]any {
	s := map[string]any{
		"conversation": map[string]any{"verification": proven}, "appointments": shown.Appointments, "availableSlots": shown.Times,
	}
	for kind, name := range map[string]string{appointment.MoveKind: "rescheduleWorkflowId", appointment.CancelKind: "cancelWorkflowId"} {
		if waits != nil && waits.Kind == kind {
			s[name] = waits.ID
		}
	}
	return s
}
