package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"merve/internal/dynamo"
)

// Limits bound one run of a worker.
type Limits struct {
	Count   int           // at most this many looked at; 0 is 10,000
	Time    time.Duration // starts nothing new after this long; 0 is 40 s. Nor shortly before its context ends
	Workers int           // so many shards at a time; 0 is all
}

func (m Limits) orDefault() Limits {
	if m.Count == 0 {
		m.Count = 10_000
	}
	if m.Time == 0 {
		m.Time = 40 * time.Second
	}
	if m.Workers == 0 {
		m.Workers = dynamo.DueShards
	}
	return m
}

// Report is what a sweep did.
type Report struct {
	Looked  int
	Expired int
	Raced   int           // ended by somebody else meanwhile, which is as good
	Lag     time.Duration // of the hold that was overdue longest
	Left    bool          // a bound was reached before the end
}

// Sweep expires the holds whose time is over. Any number of sweeps may run at once: each
// hold expires once. A hold that cannot be expired does not keep the others. 16 shards, a
// query and a batch read for each hundred holds, and 1 request for as many as one transaction
// takes (33 of one slot each); or for each of those, when something else has ended one of them.
func (l *Ledger) Sweep(ctx context.Context, limits Limits) (Report, error) {
	limits = limits.orDefault()
	s := &sweep{Ledger: l, budget: newBudget(limits)}
	err := dynamo.EachShard(limits.Workers, func(shard int) error { return s.shard(ctx, shard) })
	s.Report.Left = s.budget.spent
	return s.Report, err
}

type sweep struct {
	*Ledger
	*budget
	Report Report
}

func (s *sweep) shard(ctx context.Context, shard int) error {
	return s.Ledger.due(ctx, dueHold, shard, s.budget, func(items []dynamo.Item) error { return s.page(ctx, items) })
}

// ending is a hold, and what ends it.
type ending struct {
	tx     Transaction
	writes []dynamo.Write
}

// page expires holds, as many in one transaction as it takes.
func (s *sweep) page(ctx context.Context, items []dynamo.Item) error {
	var errs []error
	var some []ending
	size := 0
	for _, it := range items {
		if s.over(ctx) {
			break
		}
		var tx Transaction
		if err := it.Decode(&tx); err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := s.expiring(tx)
		if err != nil {
			errs = append(errs, s.count(tx, err))
			continue
		}
		e := ending{tx, s.writes(c)}
		if size+len(e.writes) > dynamo.MaxWrites {
			errs = append(errs, s.end(ctx, some))
			some, size = nil, 0
		}
		some, size = append(some, e), size+len(e.writes)
	}
	return errors.Join(append(errs, s.end(ctx, some))...)
}

// end ends holds together; each by itself when something else has ended one of them.
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

// count takes down what became of a hold.
func (s *sweep) count(tx Transaction, err error) error {
	var faster *replay
	raced := errors.As(err, &faster) || errors.Is(err, ErrNotHeld) || errors.Is(err, ErrChanged) || errors.Is(err, ErrNotDue) || tx.State != Hold
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Report.Looked++
	switch {
	case raced:
		s.Report.Raced++
	case err != nil:
		return fmt.Errorf("expire %s: %w", tx.ID, err)
	default:
		s.Report.Expired++
		s.Report.Lag = max(s.Report.Lag, s.now().Sub(tx.HoldExpiresAt))
	}
	return nil
}

// budget counts what a run may still do. Safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	left  int
	until time.Time
	spent bool
}

func newBudget(m Limits) *budget {
	return &budget{left: m.Count, until: time.Now().Add(m.Time)} // wall time passes, whatever the ledger's clock says
}

// over reports whether a bound is reached, and else takes one from the count.
func (b *budget) over(ctx context.Context) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 || !time.Now().Before(b.until) || dynamo.Closing(ctx) {
		b.spent = true
		return true
	}
	b.left--
	return false
}

func (b *budget) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// due reads the transactions of a kind that are due, page by page to the shard's end, and
// hands each page to f. An error of f does not end it: what cannot be done today does not
// keep the rest.
func (l *Ledger) due(ctx context.Context, kind string, shard int, b *budget, f func([]dynamo.Item) error) error {
	var errs []error
	for after := ""; ; {
		keys, next, err := l.Table.Due(ctx, kind, shard, l.now(), dynamo.MaxReads, after)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("ledger: due %s: %w", kind, err))...)
		}
		items, err := l.Table.BatchGet(ctx, keys...)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("ledger: due %s: %w", kind, err))...)
		}
		if err := f(items); err != nil {
			errs = append(errs, err)
		}
		if after = next; after == "" || b.ended() {
			return errors.Join(errs...)
		}
	}
}
