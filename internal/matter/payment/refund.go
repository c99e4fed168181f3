package payment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
)

const (
	alertAfter = 3  // tries to give money back
	maxTries   = 60 // then people take over, whom the alert has told
	longestOff = 6 * time.Hour
)

// firstTry is how long the sweep leaves a refund alone. It waits when a payment came too late, because
// the code that receives the payment tries at once.
func firstTry(reason string) time.Duration {
	if reason == ReasonHoldGone {
		return time.Minute
	}
	return 0
}

// nextTry is how long to wait for the next try, after a number of tries.
func nextTry(tries int) time.Duration { return min(time.Minute<<min(tries, 10), longestOff) }

// Ended gives back the money paid for a cancelled booking: all of it, or, if its customer cancelled
// late, as much as the booking's terms say. If nobody came and that can no longer be taken back,
// Ended has the payment looked at again for a partial refund. It may be
// called any number of times; [Store.Sweep] makes the refund itself.
func (s *Store) Ended(ctx context.Context, e ledger.Event) error {
	return s.again(ctx, func() error { return s.ended(ctx, e) })
}

func (s *Store) ended(ctx context.Context, e ledger.Event) error {
	tx := e.Transaction
	cancelled := e.Type == ledger.Cancelled && e.From == ledger.Confirmed
	missed := e.Type == ledger.NoShow && tx.LateRefundMinor > 0
	if Due(tx) == 0 || !cancelled && !missed {
		return nil
	}
	p, err := s.Get(ctx, system(), tx.ID)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return nil
	case err != nil:
		return err
	case p.Status != Paid:
		return nil
	}
	var ws []dynamo.Write
	switch back := tx.Back(p.AmountMinor, e.At); {
	case missed:
		ws = s.lookAgain(p, tx.NoShowAt.Add(ledger.TakeBackFor))
	case e.Actor != tx.Owner:
		ws, _ = s.change(ctx, p, Refunding, ReasonCancelled)
	case back == 0:
		return nil
	default:
		ws = s.part(ctx, p, back, ReasonCancelled)
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("payment of %s: %w", tx.ID, err)
	}
	return nil
}

// part returns the writes that mark part of a payment to be given back.
func (s *Store) part(ctx context.Context, p Payment, back int64, reason string) []dynamo.Write {
	if back < p.AmountMinor {
		p.BackMinor = back
	}
	ws, _ := s.change(ctx, p, Refunding, reason)
	return ws
}

// lookAgain schedules the next look at a payment, or none.
func (s *Store) lookAgain(p Payment, at time.Time) []dynamo.Write {
	after := p
	after.Version, after.UpdatedAt = p.Version+1, s.now()
	return []dynamo.Write{s.put(after, at).AtVersion(p.Version).Else(errMoved)}
}

// missed settles the payment of a booking that nobody came to, once that is final.
func (s *Store) missed(ctx context.Context, p Payment) error {
	tx, err := s.Ledger.Get(ctx, system(), p.Transaction)
	if err != nil {
		return err
	}
	ws := s.lookAgain(p, time.Time{}) // they came after all
	if tx.State == ledger.NoShow {
		ws = s.part(ctx, p, tx.Back(p.AmountMinor, tx.NoShowAt), ReasonNoShow)
	}
	ws = append(ws, s.Ledger.Unchanged(tx)) // or it is looked at again
	return faster(s.Table.DB().Commit(ctx, ws...))
}

// refund tries once to give the money back, and reports whether that succeeded. Each try has a key of
// its own: a failure that the provider keeps for a key must not stay the answer forever, and
// money that has been given back cannot be given back again.
func (s *Store) refund(ctx context.Context, p Payment) (done bool, err error) {
	failed := s.Provider.Refund(ctx, Back{
		Intent: p.Intent, AmountMinor: p.BackMinor, Currency: p.Currency, Transaction: p.Transaction, Key: fmt.Sprintf("refund.%s.%d", p.Transaction, p.Tries),
	})
	switch {
	case failed == nil:
		ws, _ := s.change(ctx, p, Refunded, "")
		return true, faster(s.Table.DB().Commit(ctx, ws...))
	case ctx.Err() != nil:
		return false, failed
	}
	s.Log.WarnContext(ctx, "refund failed", "transaction", p.Transaction, "tries", p.Tries+1, "error", failed.Error())
	after := p
	after.Tries, after.Version, after.UpdatedAt = p.Tries+1, p.Version+1, s.now()
	due := s.now().Add(nextTry(after.Tries))
	if after.Tries >= maxTries {
		due = time.Time{}
	}
	err = s.Table.DB().Commit(ctx, s.put(after, due).AtVersion(p.Version).Else(errMoved))
	if err == nil && after.Tries >= alertAfter {
		err = s.alert(ctx, alert.Critical, p.Transaction, "refund", fmt.Sprintf("money could not be given back in %d tries: it has to be done at the provider's own pages", after.Tries))
	}
	return false, faster(err)
}

// faster takes that somebody else was faster for success.
func faster(err error) error {
	if errors.Is(err, errMoved) || errors.Is(err, ledger.ErrChanged) {
		return nil
	}
	return err
}

// Swept is the result of a sweep.
type Swept struct{ Looked, Refunded int }

// Sweep gives back money that is due back, and closes payments that were not made in time. Any number
// of sweeps may run at once. 16 requests, and 2 for each payment; for one that was paid without a report
// to us, those of a webhook and 2 more.
func (s *Store) Sweep(ctx context.Context, b dynamo.Budget) (Swept, error) {
	var did Swept
	walked, err := s.Table.EachDue(ctx, dueKind, s.now(), b, func(k dynamo.Key) (bool, error) {
		done, err := s.Attend(ctx, strings.TrimPrefix(k.PK, pkPrefix))
		if done {
			did.Refunded++
		}
		return true, err // the provider was asked, most likely
	})
	did.Looked = walked.Looked
	return did, err
}

// Attend does what is due for one transaction: it gives money back, or closes an unpaid payment. It
// reports whether the money that was due back has been given back.
func (s *Store) Attend(ctx context.Context, tx string) (done bool, err error) {
	it, err := s.Table.Get(ctx, key(tx))
	if err != nil || it == nil {
		return false, err
	}
	var p stored
	if err := it.Decode(&p); err != nil || p.DueAt.IsZero() || p.DueAt.After(s.now()) {
		return false, err // the index was behind
	}
	switch p.Status {
	case Waiting, Failed:
		return false, s.close(ctx, p.Payment)
	case Refunding:
		return s.refund(ctx, p.Payment)
	case Paid:
		return false, s.missed(ctx, p.Payment)
	}
	return false, nil
}
