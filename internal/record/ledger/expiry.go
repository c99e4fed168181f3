package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"merve/internal/cloud/dynamo"
)

// Swept is what a sweep did.
type Swept struct {
	Looked  int
	Expired int
	Raced   int           // ended by somebody else meanwhile, which is just as good
	Lag     time.Duration // of the hold that was overdue longest
	Left    bool          // the budget ended before the holds did
}

// Sweep expires the holds whose time is over. Any number of sweeps may run at once: each hold expires once. A hold that
// cannot be expired does not stop the others. It costs a query for each of 16 shards, a batch read for each hundred
// holds, and 1 request for as many as fit in one transaction (33 of one slot each, 25 of those to be paid), or 1 for
// each of these when something else has ended one. It walks all shards at a time, unless b says how many.
func (l *Ledger) Sweep(ctx context.Context, b dynamo.Budget) (Swept, error) {
	s := &sweep{Ledger: l}
	walked, err := l.Table.EachDuePage(ctx, dueHold, l.now(), inParallel(b), func(page iter.Seq[dynamo.Item]) error { return s.page(ctx, page) })
	if err != nil {
		err = fmt.Errorf("ledger: expiry: %w", err)
	}
	s.report.Left = walked.Left
	return s.report, err
}

func inParallel(b dynamo.Budget) dynamo.Budget {
	if b.Workers == 0 {
		b.Workers = dynamo.DueShards
	}
	return b
}

type sweep struct {
	*Ledger

	mu     sync.Mutex
	report Swept
}

// ending is a hold and the writes that end it.
type ending struct {
	tx     Transaction
	writes []dynamo.Write
}

// page expires holds, as many in one transaction as fit.
func (s *sweep) page(ctx context.Context, items iter.Seq[dynamo.Item]) error {
	var errs []error
	var some []ending
	size := 0
	for it := range items {
		var tx Transaction
		if err := it.Decode(&tx); err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := s.changes().expiring(tx, s.now())
		if err != nil {
			errs = append(errs, s.count(tx, err))
			continue
		}
		e := ending{tx, s.writer().writes(c)}
		if size+len(e.writes) > dynamo.MaxWrites {
			errs = append(errs, s.end(ctx, some))
			some, size = nil, 0
		}
		some, size = append(some, e), size+len(e.writes)
	}
	return errors.Join(append(errs, s.end(ctx, some))...)
}

// end ends holds together, or each by itself when something else has ended one of them.
func (s *sweep) end(ctx context.Context, some []ending) error {
	var all []dynamo.Write
	for _, e := range some {
		all = append(all, e.writes...)
	}
	err := s.Table.DB().Commit(ctx, all...)
	alone := err != nil && len(some) > 1
	var errs []error
	for _, e := range some {
		if alone {
			err = s.Table.DB().Commit(ctx, e.writes...)
		}
		errs = append(errs, s.count(e.tx, err))
	}
	return errors.Join(errs...)
}

// count counts what became of a hold.
func (s *sweep) count(tx Transaction, err error) error {
	var faster *replay
	raced := errors.As(err, &faster) || errors.Is(err, ErrNotHeld) || errors.Is(err, ErrChanged) || errors.Is(err, errNotDue) || tx.State != Hold
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Looked++
	switch {
	case raced:
		s.report.Raced++
	case err != nil:
		return fmt.Errorf("expire %s: %w", tx.ID, err)
	default:
		s.report.Expired++
		s.report.Lag = max(s.report.Lag, s.now().Sub(tx.HoldExpiresAt))
	}
	return nil
}
