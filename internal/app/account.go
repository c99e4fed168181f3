package app

import (
	"context"

	"merve/internal/account"
	"merve/internal/desk"
	"merve/internal/ledger"
	"merve/internal/order"
	"merve/internal/outbox"
	"merve/internal/payment"
	"merve/internal/person"
	"merve/internal/relay"
	"merve/internal/report"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/turn"
)

// desk has what customers may do with their own data. A turn that runs writes what was said, and what
// its calls did and were, until the former is erased, and begins again without it: the rest goes after.
func (b *Base) desk() *account.Desk {
	return &account.Desk{Threads: b.Threads(), Holders: []account.Holder{
		thread.Held{Store: b.Threads(), Photos: b.Photos()}, heldAudit{&turn.Runner{Records: b.records()}},
		report.Held{Store: b.Reports(), Photos: b.Photos()}, ledger.HeldBookings{Ledger: b.Ledger()}, ledger.HeldWaits{Ledger: b.Ledger()},
		payment.Held{Store: b.Payments(), Bookings: b.Ledger()}, order.Held{Store: b.Orders()}, taxi.Held{Store: b.Rides()},
		relay.Held{Post: b.post()}, desk.Held{Desk: b.handovers()}, outbox.Held{Box: b.Outbox()},
	}}
}

// heldAudit says which tools ran with what.
type heldAudit struct{ runner *turn.Runner }

func (heldAudit) Holds() string { return "toolCalls" }

func (h heldAudit) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(person.OfThreads(ctx, s, func(ctx context.Context, id string) ([]turn.Round, error) {
		return person.Pages(func(after string) ([]turn.Round, string, error) { return h.runner.Audit(ctx, id, 100, after) })
	}))
}

func (h heldAudit) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.runner.EraseAudit)
}
