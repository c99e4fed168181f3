package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/fault"
	"merve/internal/ledger"
	"merve/internal/market"
	"merve/internal/thread"
	"merve/internal/wording"
)

// Waitlist offers times that have become free to those who wait for them, one at a time: what
// is offered is held, so that it is nobody else's until it was answered or has run out, and
// then the next one is asked.
type Waitlist struct {
	Ledger  *ledger.Ledger
	Catalog ledger.Catalog
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Threads interface {
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
	Kind func(tx ledger.Transaction) string // of the pending action that an offer is; nil is [ledger.ConfirmKind]

	// Summary puts an offer into words; nil is this package's.
	Summary func(language string, tx ledger.Transaction) string
}

// answerWithin is how long somebody who has waited has to answer.
const answerWithin = 30 * time.Minute

// Freed offers what a transaction has freed to those who wait for it or for a part of it, who has
// waited longest first, until nothing of it is left. It may be called any number of times for an
// event. 1 request when nobody waits, and 6 for each who is asked, with what the catalog takes.
func (w *Waitlist) Freed(ctx context.Context, e ledger.Event) error {
	if e.Type != ledger.Cancelled && e.Type != ledger.Expired {
		return nil
	}
	waiting, err := w.Ledger.WaitingFor(ctx, e.Transaction)
	if err != nil {
		return err
	}
	left := e.Transaction.Slots
	for _, next := range waiting {
		if !next.Wants(left) {
			continue
		}
		held, err := w.offer(ctx, next)
		if err != nil {
			return err // nobody is asked before those who have waited longer
		}
		left = slices.DeleteFunc(slices.Clone(left), func(s time.Time) bool { return slices.ContainsFunc(held.Slots, s.Equal) })
	}
	return nil
}

// offer holds a time for who has waited for it and asks them, and returns what they hold, if they
// do.
func (w *Waitlist) offer(ctx context.Context, next ledger.Waiting) (ledger.Transaction, error) {
	t := next.Terms
	item, err := w.Catalog.Bookable(ctx, t.Market, t.Listing, t.Offering)
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return ledger.Transaction{}, w.Ledger.Served(ctx, next) // it can be booked no more
	}
	if err != nil {
		return ledger.Transaction{}, err
	}
	held, err := w.Ledger.OfferTo(ctx, next, item.Offering, answerWithin)
	switch {
	case errors.Is(err, ledger.ErrSlotTaken):
		return ledger.Transaction{}, nil // they go on waiting
	case fault.Is(err, fault.Forbidden): // only a person may book for them
		return ledger.Transaction{}, w.Ledger.Served(ctx, next)
	case err != nil:
		return ledger.Transaction{}, fmt.Errorf("waiting list: %w", err)
	case held.State != ledger.Hold:
		return ledger.Transaction{}, w.Ledger.Served(ctx, next)
	}
	if err := w.ask(ctx, held); err != nil {
		return ledger.Transaction{}, err
	}
	return held, w.Ledger.Served(ctx, next)
}

func (w *Waitlist) ask(ctx context.Context, tx ledger.Transaction) error {
	m, err := w.Markets.Get(ctx, tx.Market)
	if err != nil {
		return err
	}
	kind := ledger.ConfirmKind
	if w.Kind != nil {
		kind = w.Kind(tx)
	}
	say := Summary
	if w.Summary != nil {
		say = w.Summary
	}
	summary := say(tx.Language, tx)
	return w.Threads.Tell(ctx, tx.Thread, tx.ID+".waited", thread.Notice{
		Kind: string(wording.WaitlistOffer), Text: wording.Say(tx.Language, wording.WaitlistOffer, nil),
		Cards: []map[string]any{Card(tx.Language, tx)}, Vars: Vars(tx.Language, tx),
		Offer: &thread.Pending{Kind: kind, Ref: tx.ID, Hash: tx.OfferHash, Summary: summary, Policy: m.Version, ExpiresAt: tx.HoldExpiresAt},
	})
}
