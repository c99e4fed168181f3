package thread

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/dynamo"
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
// no more than limit threads a shard, however many lively ones stand before them, in 1 request for each
// shard and 2 for each hundred threads, and ends before ctx does. A thread that cannot be queued keeps
// nobody else from it; the first such error is returned in the end.
func (s *Store) Sweep(ctx context.Context, limit int, queue func(ctx context.Context, threadID string) error) (Swept, error) {
	var sum Swept
	var failed error
	for shard := range dynamo.Shards(ctx, s.Now()) {
		after := ""
		for left := limit; left > 0 && !dynamo.Closing(ctx); {
			keys, next, err := s.Table.Due(ctx, dueKind, shard, s.Now(), 100, after)
			if err != nil {
				return sum, fmt.Errorf("sweep threads: %w", err)
			}
			tried, err := s.sweepAll(ctx, keys, left, queue, &sum)
			if err != nil && failed == nil {
				failed = err
			}
			if ctx.Err() != nil {
				return sum, fmt.Errorf("sweep threads: %w", ctx.Err())
			}
			left -= tried
			if after = next; after == "" {
				break
			}
		}
	}
	return sum, failed
}

// sweepAll looks at threads until it has tried to do something about so many, which it counts.
func (s *Store) sweepAll(ctx context.Context, keys []dynamo.Key, most int, queue func(context.Context, string) error, sum *Swept) (tried int, failed error) {
	heads, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return 0, fmt.Errorf("sweep threads: %w", err)
	}
	for _, it := range heads {
		if tried == most {
			break
		}
		var h Head
		does, err := false, it.Decode(&h)
		if err == nil {
			does, err = s.sweepOne(ctx, h, queue, sum)
		}
		if does {
			tried++
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("sweep thread %s: %w", it.Key().PK, err)
		}
	}
	return tried, failed
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
