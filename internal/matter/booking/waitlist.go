package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Waitlist offers times that have become free to the customers who wait for them, one at a time. A time
// that is offered is held, so that nobody else gets it before the answer. When the offer is declined or
// runs out, the next customer is asked. One who cannot be asked now is passed over and goes on waiting.
type Waitlist struct {
	Ledger  *ledger.Ledger
	Catalog Catalog
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Threads interface {
		Head(ctx context.Context, threadID string) (thread.Head, error)
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
	Payments Payments
}

// answerWithin is how long such an offer is held, unless the time begins before.
const answerWithin = 30 * time.Minute

// Freed offers the time a transaction has freed to the customers who wait for all or part of it, until
// none of it is left. The customer who has waited longest comes first. Callers may call it any number of times
// for an event, and for several events at once.
func (w *Waitlist) Freed(ctx context.Context, e ledger.Event) error {
	if e.Type != ledger.Cancelled && e.Type != ledger.Expired {
		return nil
	}
	waiting, err := Wishes{w.Ledger}.For(ctx, e.Transaction)
	if err != nil {
		return err
	}
	left := e.Transaction.Uses()
	for _, next := range waiting {
		if !next.wants(left) {
			continue
		}
		held, err := w.offer(ctx, next)
		if err != nil {
			return err // stop here: nobody is asked before those who have waited longer
		}
		left = slices.DeleteFunc(slices.Clone(left), func(u schedule.Use) bool { return slices.ContainsFunc(held.Slots, u.Slot.Equal) })
	}
	return nil
}

// offer holds a time for a customer who waits for it, asks them, and returns the held transaction. It returns
// nothing for an offer that was made before: that one may hold another place than the one just freed, which is
// then still there for the next customer.
func (w *Waitlist) offer(ctx context.Context, next Wish) (ledger.Transaction, error) {
	m, err := w.Markets.Get(ctx, next.Terms.Market)
	if err != nil {
		return ledger.Transaction{}, err
	}
	held, made, err := w.hold(ctx, m, next)
	switch {
	case errors.Is(err, ledger.ErrSlotTaken), errors.Is(err, errNotNow):
		return ledger.Transaction{}, nil // they go on waiting
	case errors.Is(err, errNotOffered), errors.Is(err, thread.ErrNoThread):
		return ledger.Transaction{}, Wishes{w.Ledger}.Remove(ctx, next)
	case err != nil:
		return ledger.Transaction{}, fmt.Errorf("waiting list: %w", err)
	case held.State != ledger.Hold: // it was answered, or ran out, meanwhile
		return ledger.Transaction{}, Wishes{w.Ledger}.Remove(ctx, next)
	}
	if err := w.ask(ctx, m, held); err != nil {
		return ledger.Transaction{}, err
	}
	if !made {
		held = ledger.Transaction{}
	}
	return held, Wishes{w.Ledger}.Remove(ctx, next)
}

// errNotNow says that the customer cannot be asked at the moment.
var errNotNow = errors.New("the customer cannot be asked now")

// hold makes the offer for a wish, or finds the one that an earlier try made, or that a concurrent one made for
// another freed place.
func (w *Waitlist) hold(ctx context.Context, m *market.Market, next Wish) (held ledger.Transaction, made bool, err error) {
	held, before, err := Wishes{w.Ledger}.Offered(ctx, next)
	if before || err != nil {
		return held, false, err
	}
	head, err := w.Threads.Head(ctx, next.Terms.Thread)
	if err != nil {
		return ledger.Transaction{}, false, err
	}
	if !mayAsk(m, head, w.Ledger.Now()) {
		return ledger.Transaction{}, false, errNotNow
	}
	return w.offerTo(ctx, m, next, head.Linked...)
}

// errNotOffered means that the time a customer waited for can no longer be booked for them.
var errNotOffered = errors.New("what was waited for is not offered any more")

// offerTo holds a time for the customer who wished for it, on today's terms and no longer than until its start.
// made is true if this call made the offer, false if an earlier one for the same wish did. linked are the
// customer's other keys besides the wish's owner: they may have missed bookings under any of them.
// [ledger.ErrSlotTaken] means that somebody else was faster; [errNotOffered] that the calendar, the limits or
// the market have changed, or that by now only a person may book for this customer.
func (w *Waitlist) offerTo(
	ctx context.Context, m *market.Market, next Wish, linked ...string,
) (held ledger.Transaction, made bool, err error) {
	terms, o, err := w.renewed(ctx, m, next.Terms, linked)
	if err == nil {
		err = terms.Check()
	}
	switch {
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.NotFound), fault.Is(err, fault.Conflict), fault.Is(err, fault.Forbidden):
		return ledger.Transaction{}, false, fmt.Errorf("%w: %w", errNotOffered, err)
	case err != nil:
		return ledger.Transaction{}, false, err
	}
	if left := terms.Start.Sub(now(w.Ledger)); left < minMove {
		return ledger.Transaction{}, false, fmt.Errorf("%w: it begins in %v", errNotOffered, left)
	}
	id := w.Ledger.NewID()
	held, err = w.Ledger.OfferUntil(ctx, ledger.Transaction{ID: id, Terms: terms}, o.Capacity, answerWithin, terms.Start, offerKey(next))
	return held, held.ID == id, err
}

// renewed returns the terms that the same time has for this customer today, and its offering.
func (w *Waitlist) renewed(
	ctx context.Context, m *market.Market, t ledger.Terms, linked []string,
) (ledger.Terms, schedule.Offering, error) {
	tc := tool.Context{
		Actor: actor.OfKey(t.Owner), Market: m, Thread: t.Thread, Channel: channel.Channel(t.Channel), Language: t.Language, Now: now(w.Ledger),
	}
	tc.Actor.Name, tc.Actor.Also, tc.Contact.Phone = t.CustomerName, linked, t.CustomerPhone
	item, err := find(ctx, w.Catalog, tc, bookTool, initiateArgs{ListingID: t.Listing, OfferingID: &t.Offering, PartySize: &t.Party})
	if err != nil {
		return ledger.Terms{}, schedule.Offering{}, err
	}
	o, local := item.Offering, localTimes(t.TimeZone, t.Start, t.End, t.Nights)
	if err := o.CheckParty(t.Party); err != nil {
		return ledger.Terms{}, o, err
	}
	when, err := o.Find(tc.Now, local["date"], local["time"], local["endDate"])
	if err != nil {
		return ledger.Terms{}, o, err
	}
	terms, err := owed(ctx, w.Ledger, termsOf(tc, item, when, t.Party, t.Note), o, tc.Actor.Keys())
	return terms, o, err
}

// mayAsk reports whether an offer sent to a thread now would reach the customer as a question:
// they can be written to, no other question waits for them or is about to, and no person has the thread.
func mayAsk(m *market.Market, h thread.Head, now time.Time) bool {
	waits := func(p *thread.Pending) bool { return p != nil && !gate.Gone(p, now) }
	told := func(m thread.Message) bool { return m.Notice != nil && waits(m.Notice.Offer) }
	return h.Handler != thread.ByPerson && !waits(h.Pending) && !slices.ContainsFunc(h.Inbox, told) &&
		h.Reachable(m, string(wording.WaitlistOffer), false, now)
}

func (w *Waitlist) ask(ctx context.Context, m *market.Market, tx ledger.Transaction) error {
	q := Question(w.Payments, tx.Language, tx)
	return w.Threads.Tell(ctx, tx.Thread, waitedKey(tx), thread.Notice{
		Kind: string(wording.WaitlistOffer), Text: wording.Say(tx.Language, wording.WaitlistOffer, nil),
		Cards: []map[string]any{Card(tx.Language, tx)}, Vars: Vars(tx.Language, tx),
		Offer: &thread.Pending{Kind: q.Kind, Ref: q.Ref, Hash: q.Hash, Summary: q.Summary, Policy: m.Version, ExpiresAt: q.ExpiresAt},
	})
}

// waitedKey is the key of the notice that offers a time to a customer who waited for it.
func waitedKey(tx ledger.Transaction) string { return tx.ID + ".waited" }
