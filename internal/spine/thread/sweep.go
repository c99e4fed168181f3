package thread

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/cloud/dynamo"
)

// dueKind marks threads in the due index. A thread enters it with its first message and stays while it is lively, so that
// a turn in a running conversation writes no index. The sweep removes it when it has been quiet for quietAfter. Its
// attribute since says when it entered.
const (
	dueKind    = "thread"
	quietAfter = 10 * time.Minute
)

// Swept is what a sweep found.
type Swept struct {
	Looked int
	Queued int // had unanswered messages and no turn
	Quiet  int // left the index
}

// Sweep looks at the threads that are due, and queues those whose messages wait without a turn, as they were never queued
// or their turn died. It acts on no more than limit threads, however many lively ones come before them, and ends before
// ctx does. A thread that cannot be queued does not stop the others. 1 request for each shard and 2 for each hundred
// threads.
func (s *Store) Sweep(ctx context.Context, limit int, queue func(ctx context.Context, threadID string) error) (Swept, error) {
	sw := sweep{Store: s, queue: queue}
	_, err := s.Table.EachDueItem(ctx, dueKind, s.Now(), dynamo.Budget{Count: limit}, func(it dynamo.Item) (bool, error) {
		var h Head
		if err := it.Decode(&h); err != nil {
			return false, err
		}
		return sw.one(ctx, h)
	})
	if err != nil {
		err = fmt.Errorf("sweep threads: %w", err)
	}
	return sw.did, err
}

// sweep is one run of [Store.Sweep].
type sweep struct {
	*Store
	queue func(ctx context.Context, threadID string) error
	did   Swept
}

func (s *sweep) one(ctx context.Context, h Head) (tried bool, err error) {
	s.did.Looked++
	now := s.Now()
	switch {
	case len(h.Inbox) > 0 && !h.LeaseUntil.After(now) && h.Inbox[0].At.Add(sweepWait).Before(now):
		if err := s.queue(ctx, h.ID); err != nil {
			return true, err
		}
		s.did.Queued++
		return true, nil
	case len(h.Inbox) == 0 && h.LastIn.Add(quietAfter).Before(now):
		w := s.Table.Update(headKey(h.ID), "REMOVE dueShard, dueAt, since", nil).
			If("attribute_not_exists(inbox)", nil).Else(ErrNewer)
		switch err := s.Table.DB().Commit(ctx, w); {
		case err == nil:
			s.did.Quiet++
		case !errors.Is(err, ErrNewer): // a new message keeps it lively
			return true, err
		}
		return true, nil
	}
	return false, nil
}
