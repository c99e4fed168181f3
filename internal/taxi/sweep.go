package taxi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"merve/internal/dynamo"
)

// closing is when a ride whose driver says nothing more is taken to be done.
func (s *Store) closing(r Ride) time.Time {
	from := r.AssignedAt
	if r.When.After(from) {
		from = r.When
	}
	return from.Add(closeAfter)
}

// Limits bound one run of the sweep.
type Limits struct {
	Count   int           // at most this many rides looked at; 0 is 10,000
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
	Looked   int
	Expired  int  // proposals that ran out
	Offered  int  // rides offered, again or for the first time
	Unserved int  // given up
	Closed   int  // taken to be done
	Raced    int  // changed by somebody else meanwhile, or not due, which is as good
	Left     bool // a bound was reached before the end
}

// Sweep does what time does to rides: proposals run out, later rides are offered when their
// time comes, those that nobody took are offered again, to more, or given up, and those whose
// driver has forgotten them are closed; what was open when its customer had all deleted is deleted
// once it is over. Any number of sweeps may run at once. A ride that
// fails does not keep the others.
func (s *Store) Sweep(ctx context.Context, limits Limits) (Report, error) {
	limits = limits.orDefault()
	w := &sweep{Store: s, left: limits.Count, until: time.Now().Add(limits.Time)} // wall time passes, whatever the store's clock says
	err := dynamo.EachShard(limits.Workers, func(shard int) error { return w.shard(ctx, shard) })
	return w.report, err
}

type sweep struct {
	*Store
	until time.Time

	mu     sync.Mutex
	left   int
	report Report
}

// over reports whether a bound is reached, and else takes one from the count.
func (w *sweep) over(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 || !time.Now().Before(w.until) || dynamo.Closing(ctx) {
		w.report.Left = true
		return true
	}
	w.left--
	return false
}

func (w *sweep) shard(ctx context.Context, shard int) error {
	var errs []error
	for after := ""; ; {
		keys, next, err := w.Table.Due(ctx, w.dueKind(), shard, w.now(), dynamo.MaxReads, after)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("taxi: due: %w", err))...)
		}
		if err := w.all(ctx, keys); err != nil {
			errs = append(errs, err)
		}
		if after = next; after == "" || w.ended() {
			return errors.Join(errs...)
		}
	}
}

func (w *sweep) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.report.Left
}

func (w *sweep) all(ctx context.Context, keys []dynamo.Key) error {
	items, err := w.Table.BatchGet(ctx, keys...)
	if err != nil {
		return fmt.Errorf("taxi: due: %w", err)
	}
	var errs []error
	for _, it := range items {
		if w.over(ctx) {
			break
		}
		if err := w.item(ctx, it); err != nil {
			errs = append(errs, fmt.Errorf("taxi: sweep %s: %w", it.Key().SK, err))
		}
	}
	return errors.Join(errs...)
}

func (w *sweep) item(ctx context.Context, it dynamo.Item) error {
	if key := it.Key(); strings.HasPrefix(key.SK, forgetPrefix) {
		return w.eraseMarked(ctx, key)
	}
	var r Ride
	if err := it.Decode(&r); err != nil {
		return err
	}
	return w.one(ctx, r)
}

// one does what is due of a ride, and counts it.
func (w *sweep) one(ctx context.Context, r Ride) error {
	after, did, err := w.Attend(ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.report.Looked++
	switch {
	case err == nil && !did:
		w.report.Raced++
	case err != nil:
		return err
	case after.Status == Expired:
		w.report.Expired++
	case after.Status == Requested:
		w.report.Offered++
	case after.Status == Unserved:
		w.report.Unserved++
	default:
		w.report.Closed++
	}
	return nil
}

// Attend does what is due of one ride; did is false when nothing was, or somebody was faster.
func (s *Store) Attend(ctx context.Context, r Ride) (after Ride, did bool, err error) {
	after, ws, err := s.next(ctx, r)
	if err != nil || len(ws) == 0 {
		return r, false, err
	}
	err = s.Table.DB().Commit(ctx, ws...)
	if errors.Is(err, ErrChanged) {
		return r, false, nil
	}
	return after, err == nil, err
}

// next prepares what is due of a ride, if anything is.
func (s *Store) next(ctx context.Context, r Ride) (Ride, []dynamo.Write, error) {
	if r.DueAt.IsZero() || r.DueAt.After(s.now()) {
		return r, nil, nil
	}
	switch r.Status {
	case Proposed:
		after, ws := s.end(ctx, r, Expired, ExpiredEvent)
		return after, ws, nil
	case Requested:
		after, ride, rest, err := s.again(ctx, r, fields{})
		// Held to the version, too: who has said NO meanwhile must not be asked again.
		ride = while(ride, r).If("#version = :read", dynamo.V{":read": r.Version})
		return after, append([]dynamo.Write{ride}, rest...), err
	case Assigned, Arrived:
		after, ws := s.end(ctx, r, Done, ClosedEvent)
		return after, ws, nil
	}
	return r, nil, nil
}
