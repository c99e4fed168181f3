package app

import (
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/people/account"
	"merve/internal/people/desk"
	"merve/internal/people/relay"
	"merve/internal/plan"
	"merve/internal/record/ledger"
	"merve/internal/spine/assistant"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
)

// desk has what customers may do with their own data. A turn that runs writes what was said, and what
// its calls did and were, until the former is erased, and begins again without it: the rest goes after.
func (b *Base) desk() *account.Keeper {
	return &account.Keeper{Threads: b.Threads(), Kinds: assistant.Kinds(b.cast()...), Holders: []account.Holder{
		live.Held{Stage: &live.Stage{Table: b.conversations(), Now: b.Now}}, thread.Held{Store: b.Threads(), Photos: b.Photos()}, turn.Held{Audit: b.audit()},
		report.Held{Store: b.Reports(), Photos: b.Photos()}, ledger.HeldBookings{Ledger: b.Ledger()}, booking.HeldWishes{Wishes: booking.Wishes{Ledger: b.Ledger()}},
		payment.Held{Store: b.Payments(), Bookings: b.Ledger()}, order.Held{Store: b.Orders()}, taxi.Held{Store: b.Rides()},
		relay.Held{Post: b.post()}, desk.Held{Desk: b.handovers()}, outbox.Held{Box: b.Outbox()}, plan.Held{Store: b.Plans(), Market: b.Config.DefaultMarket},
		request.Held{Store: b.Requests(), Files: b.files()},
	}}
}
