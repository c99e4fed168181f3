package thread

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/cloud/dynamo"
)

// dueKind marks threads in the due index. A thread enters it with its first message
// and stays while it is lively, so that a turn in a running conversation writes no
// index; the sweep takes it out when it has been quiet for quietAfter. For as long, since says
// when it entered.
const (
	dueKind    = "thread"
	quietAfter = 10 * time.Minute
)

// Swept is what a sweep found.
type Swept struct {
	Looked int
	Queued int // had unanswered messages and nobody at work
	Quiet  int // left the index
}

// Sweep looks at the threads that are due and queues those on which messages wait with
// nobody at work: what was appended and never queued, or whose turn died. It does something about
// no more than limit threads, however many lively ones stand before them, in 1 request for each
// shard and 2 for each hundred threads, and ends before ctx does. A thread that cannot be queued keeps
// nobody else from it.
func (s *Store) Sweep(ctx context.Context, limit int, queue func(ctx context.Context, threadID string) error) (Swept, error) {
	var sum Swept
	_, err := s.Table.EachDueItem(ctx, dueKind, s.Now(), dynamo.Budget{Count: limit}, func(it dynamo.Item) (bool, error) {
		var h Head
		if err := it.Decode(&h); err != nil {
			return false, err
		}
		return s.sweepOne(ctx, h, queue, &sum)
	})
	if err != nil {
		err = fmt.Errorf("sweep threads: %w", err)
	}
	return sum, err
}

func (s *Store) sweepOne(ctx context.Context, h Head, queue func(context.Context, string) error, sum *Swept) (tried bool, err error) {
	sum.Looked++
	now := s.Now()
	switch {
	case len(h.Inbox) > 0 && !h.LeaseUntil.After(now) && h.Inbox[0].At.Add(sweepWait).Before(now):
		if err := queue(ctx, h.ID); err != nil {
			return true, err
		}
		sum.Queued++
		return true, nil
	case len(h.Inbox) == 0 && h.LastIn.Add(quietAfter).Before(now):
		w := s.Table.Update(headKey(h.ID), "REMOVE dueShard, dueAt, since", nil).
			If("attribute_not_exists(inbox)", nil).Else(ErrNewer)
		switch err := s.Table.DB().Commit(ctx, w); {
		case err == nil:
			sum.Quiet++
		case !errors.Is(err, ErrNewer): // what has come in keeps it lively
			return true, err
		}
		return true, nil
	}
	return false, nil
}
