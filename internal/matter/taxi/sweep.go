package taxi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"merve/internal/cloud/dynamo"
)

// closing is when a ride whose driver says nothing more counts as done.
func (s *Store) closing(r Ride) time.Time {
	from := r.AssignedAt
	if r.When.After(from) {
		from = r.When
	}
	return from.Add(closeAfter)
}

// Swept is what a sweep did.
type Swept struct {
	Looked   int
	Expired  int  // proposals that ran out
	Offered  int  // rides offered, again or for the first time
	Unserved int  // given up
	Closed   int  // counted as done
	Raced    int  // changed by somebody else meanwhile, or not due, which is just as good
	Left     bool // the budget ended before the rides did
}

// Sweep does what is due: it ends proposals that ran out, offers later rides when their time comes, offers rides that nobody
// took to more drivers or gives them up, and closes those whose driver has forgotten them. It also deletes rides that were
// open when their customer had everything deleted, once they are over. Any number of sweeps may run at once. A ride that
// fails does not stop the others. It walks all shards at a time, unless b says how many.
func (s *Store) Sweep(ctx context.Context, b dynamo.Budget) (Swept, error) {
	if b.Workers == 0 {
		b.Workers = dynamo.DueShards
	}
	w := &sweep{Store: s}
	walked, err := s.Table.EachDueItem(ctx, s.dueKind(), s.now(), b, func(it dynamo.Item) (bool, error) { return w.item(ctx, it) })
	if err != nil {
		err = fmt.Errorf("taxi: sweep: %w", err)
	}
	w.report.Left = walked.Left
	return w.report, err
}

type sweep struct {
	*Store

	mu     sync.Mutex
	report Swept
}

func (w *sweep) item(ctx context.Context, it dynamo.Item) (bool, error) {
	if key := it.Key(); strings.HasPrefix(key.SK, forgetPrefix) {
		return true, eraser{w.Store}.eraseMarked(ctx, key)
	}
	var r Ride
	if err := it.Decode(&r); err != nil {
		return false, err
	}
	return w.one(ctx, r)
}

// one does what is due for a ride, and counts it.
func (w *sweep) one(ctx context.Context, r Ride) (did bool, err error) {
	after, did, err := w.Attend(ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.report.Looked++
	switch {
	case err == nil && !did:
		w.report.Raced++
	case err != nil:
		return true, err
	case after.Status == Expired:
		w.report.Expired++
	case after.Status == Requested:
		w.report.Offered++
	case after.Status == Unserved:
		w.report.Unserved++
	default:
		w.report.Closed++
	}
	return did, nil
}

// Attend does what is due for one ride; did is false when nothing was, or somebody else was faster.
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

// next prepares what is due for a ride, if anything.
func (s *Store) next(ctx context.Context, r Ride) (Ride, []dynamo.Write, error) {
	if r.DueAt.IsZero() || r.DueAt.After(s.now()) {
		return r, nil, nil
	}
	switch r.Status {
	case Proposed:
		after, ws := s.end(ctx, r, Expired, ExpiredEvent)
		return after, ws, nil
	case Requested:
		after, ride, rest, err := dispatch{s}.again(ctx, r, fields{})
		// The version must be the same too: a driver who has said NO meanwhile must not be asked again.
		ride = while(ride, r).AtVersion(r.Version)
		return after, append([]dynamo.Write{ride}, rest...), err
	case Assigned, Arrived:
		after, ws := s.end(ctx, r, Done, ClosedEvent)
		return after, ws, nil
	}
	return r, nil, nil
}
