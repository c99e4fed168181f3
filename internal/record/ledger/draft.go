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

// Draft writes down what is to be booked. It takes nothing. 1 request.
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
	return l.commit(ctx, c)
}

func (l *Ledger) drafting(ctx context.Context, tx Transaction) change {
	now := l.now()
	tx.ID, tx.CreatedAt = cmp.Or(tx.ID, l.NewID()), now
	tx.Code = cmp.Or(tx.Code, codeOf(tx.ID))
	return change{op: opDraft, after: opDraft.next(tx, now), now: now, event: Event{Actor: tx.Owner, Trace: telemetry.TraceID(ctx)}}
}

// Offer is Draft and Hold in one: it takes one token of every slot, for so long from now but no
// longer than it can be booked, or leaves nothing behind. The key is a draft's. 2 requests, and 1 more to take over or
// to give what the key gave before. Other terms, be it by the price or the market's version, are
// another payload: [ErrKeyReused], and what the key gave before stands until it expires.
func (l *Ledger) Offer(ctx context.Context, t Terms, capacity int, length time.Duration, key string) (Transaction, error) {
	return l.OfferUntil(ctx, Transaction{Terms: t}, capacity, length, time.Time{}, key)
}

// OfferUntil is [Ledger.Offer] that holds no longer than until a time, if that is not zero. Of tx it
// takes the terms, the id and the code if there is one, and whether it is to be forgotten. The code is that of the booking
// that it replaces, by which people go on naming it.
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
	return l.take(ctx, change{
		op: opHold, key: draftKey(t.Business, key), payload: ident.Hash("offer", t.hash(), length),
		read: draft.after, draft: &draft, event: draft.event,
	}, capacity, until)
}

var errTooSoon = fault.New(fault.Conflict, "it begins too soon: nobody could answer before")

// bookableUntil is until when a YES still books it: until it begins; nights, for which people arrive
// late, until they are over.
func (t Terms) bookableUntil() time.Time {
	if t.Nights > 0 {
		return t.End
	}
	return t.Start
}

// hash covers every term, those too that are not shown as JSON.
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
