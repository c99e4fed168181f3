package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
)

// Wish is a customer's wish for a time that is taken.
type Wish struct {
	ID    string       `dynamodbav:"id" json:"waitingId"`
	Terms ledger.Terms `dynamodbav:"terms" json:"terms"` // of the booking that is wished for
	Since time.Time    `dynamodbav:"since" json:"since"`
	TTL   int64        `dynamodbav:"ttl" json:"-"`
}

// Wishes is the waiting list, a store of wishes. Each wish is stored under the time it is for, so that one query
// finds all who want that time, and under its owner, which also makes it exist once.
type Wishes struct{ Ledger *ledger.Ledger }

// now is the time as it is stored.
func now(l *ledger.Ledger) time.Time { return l.Now().UTC().Truncate(time.Millisecond) }

func waitPK(t ledger.Terms) string { return "wait#" + t.Business + ":" + t.Offering }

func waitStart(start time.Time) string { return start.UTC().Format("2006-01-02T15:04Z") }

func waitKey(w Wish) dynamo.Key {
	return dynamo.Key{PK: waitPK(w.Terms), SK: waitStart(w.Terms.Start) + "#" + dynamo.Stamp(w.Since) + "#" + w.ID}
}

// ownWaitKey is where a customer's own wish is found.
func ownWaitKey(w Wish) dynamo.Key {
	return dynamo.Key{PK: "waiting#" + w.Terms.Owner, SK: waitStart(w.Terms.Start) + "#" + w.ID}
}

// waitID names a customer's wish for a time. The same wish, made again, has the same id.
func waitID(t ledger.Terms) string {
	return ident.Hash("wait", t.Owner, t.Business, t.Offering, t.Start.UnixMilli(), t.End.UnixMilli())[:20]
}

// offerKey is the idempotency key of the offer that is made for a wish. It has the time of the wish, so that
// a customer who let an offer go and joined again is offered the time again.
func offerKey(w Wish) string { return "wait." + w.ID + "." + fmt.Sprint(w.Since.UnixMilli()) }

// Of lists a customer's wishes in a market under all of their keys, the soonest first for each key.
func (s Wishes) Of(ctx context.Context, market string, owners ...string) ([]Wish, error) {
	all := []Wish{}
	for _, owner := range owners {
		some, err := dynamo.Collect[Wish](ctx, s.Ledger.Table, dynamo.Under("waiting#"+owner, ""))
		if err != nil {
			return nil, fmt.Errorf("booking: wishes of a customer: %w", err)
		}
		for _, w := range some {
			if w.Terms.Market == market && w.Terms.Start.After(now(s.Ledger)) { // a passed ttl counts as deleted
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// Put adds a wish to the list, once for each customer and time. linked are the customer's other keys besides
// the wish's owner, because they may already wait under one of those. A customer who wishes for the same time
// again, perhaps for more people or in another chat, keeps their place. Put refuses a wish that could not be
// booked, as nobody could ever be offered it.
func (s Wishes) Put(ctx context.Context, w Wish, linked ...string) error {
	if err := w.Terms.Check(); err != nil {
		return err
	}
	t := s.Ledger.Table
	ws := []dynamo.Write{t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).IfAbsent().ElseOld(w.waits)}
	for _, owner := range linked {
		other := w
		other.Terms.Owner = owner
		other.ID = waitID(other.Terms)
		ws = append(ws, t.Check(ownWaitKey(other), "attribute_not_exists(pk)", nil).ElseOld(other.waits))
	}
	err := t.DB().Commit(ctx, ws...)
	var before *errWaiting
	if errors.As(err, &before) {
		w.Since = before.Since
		err = t.DB().Commit(ctx, s.instead(w, before.Wish)...)
	}
	if err != nil {
		return fmt.Errorf("booking: put a wish: %w", err)
	}
	return nil
}

// instead replaces a wish, as it was read, by one of the same customer for the same time.
func (s Wishes) instead(w, before Wish) []dynamo.Write {
	t, same := s.Ledger.Table, dynamo.V{":since": before.Since}
	if w.ID == before.ID {
		return []dynamo.Write{t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).If("since = :since", same)}
	}
	return []dynamo.Write{
		t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).IfAbsent(),
		t.Delete(waitKey(before)), t.Delete(ownWaitKey(before)).If("since = :since", same),
	}
}

// errWaiting carries the wish that the customer has on the list already.
type errWaiting struct{ Wish }

func (*errWaiting) Error() string { return "the customer waits for this already" }

// waits makes the error that a wish is on the list already, since when the stored item says.
func (w Wish) waits(old dynamo.Item) error {
	w.Since = old.Time("since")
	return &errWaiting{w}
}

// For lists the wishes that a freed transaction can serve in full or in part, and that begin later than now. The
// one that has waited longest is first.
func (s Wishes) For(ctx context.Context, freed ledger.Transaction) ([]Wish, error) {
	from := freed.Start.Add(-longest(freed.Terms))
	if now := now(s.Ledger); now.After(from) {
		from = now
	}
	if !from.Before(freed.End) {
		return nil, nil // nobody waits for a time that is over
	}
	all, err := dynamo.Collect[Wish](ctx, s.Ledger.Table, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :from AND :to",
		Values: dynamo.V{":pk": waitPK(freed.Terms), ":from": waitStart(from), ":to": waitStart(freed.End)},
	})
	if err != nil {
		return nil, fmt.Errorf("booking: wishes for a time: %w", err)
	}
	all = slices.DeleteFunc(all, func(w Wish) bool { return !w.Terms.Start.After(now(s.Ledger)) || !w.wants(freed.Uses()) })
	slices.SortStableFunc(all, func(a, b Wish) int { return a.Since.Compare(b.Since) })
	return all, nil
}

// longest is how long before a freed time a booking may begin that lasts until then: that of the most nights.
// The slots of an offering all last equally long, so a day is enough for them.
func longest(freed ledger.Terms) time.Duration {
	if freed.Nights > 0 {
		return (schedule.MaxSlots + 1) * 24 * time.Hour
	}
	return max(24*time.Hour, freed.End.Sub(freed.Start))
}

// wants reports whether a wish needs one of the places or a part of its time. It may not need it exactly:
// the place may be of an earlier calendar with other slots.
func (w Wish) wants(places schedule.Taken) bool {
	wanted := ledger.Transaction{Terms: w.Terms}
	return slices.ContainsFunc(wanted.Uses(), func(u schedule.Use) bool { return places.At(u.Slot, u.Ends) > 0 })
}

// Offered returns the offer that was made for a wish, in the state that counts now, if one was made.
func (s Wishes) Offered(ctx context.Context, w Wish) (tx ledger.Transaction, before bool, err error) {
	tx, before, err = s.Ledger.Made(ctx, w.Terms.Business, offerKey(w))
	if before {
		tx.State = tx.Seen(now(s.Ledger))
	}
	return tx, before, err
}

// Remove takes a wish off the list, unless its customer has renewed it since it was read.
func (s Wishes) Remove(ctx context.Context, w Wish) error {
	own := s.Ledger.Table.Delete(ownWaitKey(w)).If("since = :since", dynamo.V{":since": w.Since}).Else(errServed)
	if err := s.Ledger.Table.DB().Commit(ctx, s.Ledger.Table.Delete(waitKey(w)), own); err != nil && !errors.Is(err, errServed) {
		return fmt.Errorf("booking: remove a wish: %w", err)
	}
	return nil
}

// errServed means that a wish is no longer on the list as it was read.
var errServed = errors.New("served before")
