package app

import (
	"merve/internal/account"
	"merve/internal/assistant"
	"merve/internal/booking"
	"merve/internal/desk"
	"merve/internal/ledger"
	"merve/internal/live"
	"merve/internal/marketplace"
	"merve/internal/order"
	"merve/internal/outbox"
	"merve/internal/payment"
	"merve/internal/plan"
	"merve/internal/relay"
	"merve/internal/report"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/turn"
)

// desk has what customers may do with their own data. A turn that runs writes what was said, and what
// its calls did and were, until the former is erased, and begins again without it: the rest goes after.
func (b *Base) desk() *account.Keeper {
	return &account.Keeper{Threads: b.Threads(), Kinds: assistant.Kinds(b.cast()...), Holders: []account.Holder{
		live.Held{Stage: &live.Stage{Table: b.conversations(), Now: b.Now}}, thread.Held{Store: b.Threads(), Photos: b.Photos()}, turn.Held{Audit: b.audit()},
		report.Held{Store: b.Reports(), Photos: b.Photos()}, ledger.HeldBookings{Ledger: b.Ledger()}, booking.HeldWishes{Wishes: booking.Wishes{Ledger: b.Ledger()}},
		payment.Held{Store: b.Payments(), Bookings: b.Ledger()}, order.Held{Store: b.Orders()}, taxi.Held{Store: b.Rides()},
		relay.Held{Post: b.post()}, desk.Held{Desk: b.handovers()}, outbox.Held{Box: b.Outbox()}, plan.Held{Store: b.Plans(), Market: b.Config.DefaultMarket},
		marketplace.Held{Store: b.Requests(), Files: b.files()},
	}}
}
