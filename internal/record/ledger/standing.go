package ledger

import (
	"errors"
	"strconv"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/standing"
)

// The kinds of transactions among the standing items of a conversation.
const (
	StandingKind     = "booking"
	AppointmentsKind = "appointment"
)

// Item is a transaction as a standing item of its conversation, with a summary in the customer's language. Ok is false
// for one that no longer matters.
func (tx Transaction) Item(lang, summary string, now time.Time) (i standing.Item, ok bool) {
	i = standing.Item{Kind: tx.standingKind(), Ref: tx.ID, Code: tx.Code, State: string(tx.Seen(now)), Figures: tx.figures(), At: tx.Start}
	switch tx.Seen(now) {
	case Confirmed:
		if now.After(tx.End) {
			return standing.Item{}, false
		}
		i.Word, i.Replaces, i.Bears = standing.Booked, tx.Replaces, []string{"booked"}
		if tx.DueMinor > 0 { // without which it would not be confirmed
			i.Bears = append(i.Bears, "paid")
		}
	case Hold: // the customer has said YES, and has to pay
		i.Word = standing.Unpaid
	case Cancelled:
		i.Word, i.Over, i.Bears = standing.Cancelled, true, []string{"cancelled"}
	case Expired:
		i.Word, i.Over = standing.Expired, true
	default:
		return standing.Item{}, false
	}
	i.Summary = standing.Described(lang, summary, i.Word, tx.Code)
	return i, true
}

// Found is the transaction found at its place ([Ledger.At]), as item makes it a standing item. Ok is false, too, for one
// that a may not see.
func Found(a actor.Actor, it dynamo.Item, item func(Transaction) (standing.Item, bool)) (i standing.Item, ok bool, err error) {
	tx, err := Read(a, it)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return standing.Item{}, false, nil
	case err != nil:
		return standing.Item{}, false, err
	}
	i, ok = item(tx)
	return i, ok, nil
}

// stand is the row of a transaction in its conversation, or nil. A hold that waits for its first YES has none: it is the
// conversation's pending action. One that has to be paid gets its row with that YES ([Ledger.Owed]).
func (tx Transaction) stand() *thread.Stand {
	s := thread.Stand{Thread: tx.Thread, Kind: tx.standingKind(), ID: tx.ID, Start: tx.Start}
	switch {
	case tx.State == Confirmed:
		s.Until = tx.End
	case tx.State == Hold && tx.DueMinor > 0:
		s.Until = tx.HoldExpiresAt
	default:
		return nil
	}
	return &s
}

// Owed writes the row of an offer, as read, that now waits to be paid.
func (l *Ledger) Owed(tx Transaction) []dynamo.Write { return l.Rows.Moved(nil, tx.stand()) }

func (tx Transaction) standingKind() string {
	if tx.Matter == Appointment {
		return AppointmentsKind
	}
	return StandingKind
}

// figures say when a transaction is, in its own time zone, and for how many people if it is a booking.
func (tx Transaction) figures() string {
	loc := schedule.Zone(tx.TimeZone)
	when := tx.Start.In(loc).Format("2006-01-02 15:04")
	if tx.Nights > 0 {
		when = tx.Start.In(loc).Format(time.DateOnly) + "/" + tx.End.In(loc).Format(time.DateOnly)
	}
	if tx.Matter == Appointment {
		return when
	}
	return when + " · " + strconv.Itoa(tx.Party)
}
