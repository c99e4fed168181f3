package ledger

import (
	"cmp"
	"context"
	"time"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/base/telemetry"
	"merve/internal/tenant/schedule"
)

// Draft stores what a customer wants to book. It holds nothing. 1 request.
func (l *Ledger) Draft(ctx context.Context, t Terms, key string) (Transaction, error) {
	if err := checkKey(key); err != nil {
		return Transaction{}, err
	}
	t = t.stored()
	if err := t.Check(); err != nil {
		return Transaction{}, err
	}
	c := l.drafting(ctx, Transaction{Terms: t})
	c.key, c.payload = draftKey(t.Business, key), t.hash()
	return l.writer().commit(ctx, c)
}

func (l *Ledger) drafting(ctx context.Context, tx Transaction) change {
	now := l.now()
	tx.ID, tx.CreatedAt = cmp.Or(tx.ID, l.NewID()), now
	tx.Code = cmp.Or(tx.Code, codeOf(tx.ID))
	return change{op: opDraft, after: opDraft.next(tx, now), now: now, event: Event{Actor: tx.Owner, Trace: telemetry.TraceID(ctx)}}
}

// Offer drafts and holds at once: it takes one token of every slot for length, but no longer than the terms can be
// booked, or leaves nothing behind. The key is a draft's. 2 requests, and 1 more to take over a hold or to return what
// the key gave before. Different terms, even in the price or the market's version alone, are another payload:
// [ErrKeyReused], and what the key gave before stands until it expires.
func (l *Ledger) Offer(ctx context.Context, t Terms, capacity int, length time.Duration, key string) (Transaction, error) {
	return l.OfferUntil(ctx, Transaction{Terms: t}, capacity, length, time.Time{}, key)
}

// OfferUntil is [Ledger.Offer], but holds no longer than by unless that is zero. From tx it takes the terms, the id and
// code if set, and the mark to forget it. The code is that of the booking that it replaces, so people can go on using it.
func (l *Ledger) OfferUntil(
	ctx context.Context, tx Transaction, capacity int, length time.Duration, by time.Time, key string,
) (Transaction, error) {
	t := tx.Terms.stored()
	if err := cmp.Or(checkKey(key), t.Check(), checkCapacity(capacity)); err != nil {
		return Transaction{}, err
	}
	tx.Terms = t
	draft := l.drafting(ctx, tx)
	if length < time.Second {
		return Transaction{}, fault.Field("length", "want a second or more")
	}
	until := draft.now.Add(length)
	for _, at := range []time.Time{stored(by), t.bookableUntil()} {
		if !at.IsZero() && at.Before(until) {
			until = at
		}
	}
	if until.Before(draft.now.Add(time.Second)) {
		return Transaction{}, errTooSoon
	}
	return taking{l, change{
		op: opHold, key: draftKey(t.Business, key), payload: ident.Hash("offer", t.hash(), length),
		read: draft.after, draft: &draft, event: draft.event,
	}, capacity, until}.take(ctx)
}

var errTooSoon = fault.New(fault.Conflict, "it begins too soon: nobody could answer before")

// bookableUntil is until when a YES still books it: until the start, or for nights until their end, as people arrive
// late for them.
func (t Terms) bookableUntil() time.Time {
	if t.Nights > 0 {
		return t.End
	}
	return t.Start
}

// hash covers every term, including those that JSON leaves out.
func (t Terms) hash() string {
	return ident.Hash(t, t.Owner, t.Merchant)
}

func (t Terms) stored() Terms {
	t.Start, t.End, t.RefundUntil = stored(t.Start), stored(t.End), stored(t.RefundUntil)
	slots := make([]time.Time, len(t.Slots))
	for i, s := range t.Slots {
		slots[i] = stored(s)
	}
	t.Slots = slots
	return t
}

const (
	maxNote = 1000 // characters
	MaxName = 200

	maxPhone = 20
	maxPlace = 300
)

func (t Terms) Check() error {
	for _, f := range []struct{ name, value string }{{"business", t.Business}, {"listing", t.Listing}, {"offering", t.Offering}, {"market", t.Market}} {
		if !ident.Legal.MatchString(f.value) {
			return fault.Field(f.name, ident.WantLegal)
		}
	}
	switch {
	case t.Owner == "":
		return fault.Field("owner", "missing")
	case len(t.Slots) == 0 || len(t.Slots) > schedule.MaxSlots:
		return fault.Field("slots", "want 1 to %d", schedule.MaxSlots)
	case !t.Start.Before(t.End):
		return fault.Field("end", "want a time after the start")
	case t.Party < 1:
		return fault.Field("party", "want at least 1")
	case t.PriceMinor < 0:
		return fault.Field("priceMinor", "want 0 or more")
	case utf8.RuneCountInString(t.Note) > maxNote:
		return fault.Field("note", "want at most %d characters", maxNote)
	case len(t.CustomerPhone) > maxPhone:
		return fault.Field("customerPhone", "want at most %d characters", maxPhone)
	case utf8.RuneCountInString(t.Place) > maxPlace:
		return fault.Field("place", "want at most %d characters", maxPlace)
	case utf8.RuneCountInString(t.CustomerName) > MaxName:
		return fault.Field("customerName", "want at most %d characters", MaxName)
	}
	for i, s := range t.Slots {
		if !s.Equal(s.Truncate(time.Minute)) || i > 0 && !s.After(t.Slots[i-1]) {
			return fault.Field("slots", "want whole minutes in ascending order")
		}
	}
	return nil
}
