package booking

import (
	"context"
	"errors"
	"fmt"
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

// Freed offers what a transaction has freed to whoever has waited longest for it. It may be
// called any number of times for an event. 1 request when nobody waits, 7 when somebody does.
func (w *Waitlist) Freed(ctx context.Context, e ledger.Event) error {
	if e.Type != ledger.Cancelled && e.Type != ledger.Expired {
		return nil
	}
	for {
		next, ok, err := w.Ledger.Next(ctx, e.Transaction)
		if err != nil || !ok {
			return err
		}
		if err := w.offer(ctx, next); !fault.Is(err, fault.Forbidden) {
			return err
		}
		if err := w.Ledger.Served(ctx, next); err != nil { // only a person may book for them: the next one
			return err
		}
	}
}

// offer holds a time for who has waited for it and asks them.
func (w *Waitlist) offer(ctx context.Context, next ledger.Waiting) error {
	t := next.Terms
	item, err := w.Catalog.Bookable(ctx, t.Market, t.Listing, t.Offering)
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return w.Ledger.Served(ctx, next) // it can be booked no more
	}
	if err != nil {
		return err
	}
	held, err := w.Ledger.OfferTo(ctx, next, item.Offering, answerWithin)
	switch {
	case errors.Is(err, ledger.ErrSlotTaken):
		return nil // somebody was faster: they go on waiting
	case err != nil:
		return fmt.Errorf("waiting list: %w", err)
	}
	if held.State == ledger.Hold {
		if err := w.ask(ctx, held); err != nil {
			return err
		}
	}
	return w.Ledger.Served(ctx, next)
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
