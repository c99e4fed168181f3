package thread

import (
	"context"
	"fmt"
	"time"

	"merve/internal/dynamo"
)

// dueKind marks threads in the due index. A thread enters it with its first message
// and stays while it is lively, so that a turn in a running conversation writes no
// index; the sweep takes it out when it has been quiet for quietAfter.
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
// nobody at work: what was appended and never queued, or whose turn died. It looks at
// no more than limit threads a shard.
func (s *Store) Sweep(ctx context.Context, limit int, queue func(ctx context.Context, threadID string) error) (Swept, error) {
	var sum Swept
	for shard := range dynamo.DueShards {
		after := ""
		for looked := 0; looked < limit; {
			keys, next, err := s.Table.Due(ctx, dueKind, shard, s.Now(), min(limit-looked, 100), after)
			if err != nil {
				return sum, fmt.Errorf("sweep threads: %w", err)
			}
			for _, k := range keys {
				if err := s.sweepOne(ctx, k.PK, queue, &sum); err != nil {
					return sum, err
				}
			}
			looked += len(keys)
			if after = next; after == "" {
				break
			}
		}
	}
	return sum, nil
}

func (s *Store) sweepOne(ctx context.Context, id string, queue func(context.Context, string) error, sum *Swept) error {
	sum.Looked++
	h, err := s.Head(ctx, id)
	if err != nil {
		return err
	}
	now := s.Now()
	switch {
	case len(h.Inbox) > 0 && !h.LeaseUntil.After(now) && h.Inbox[0].At.Add(sweepWait).Before(now):
		sum.Queued++
		return queue(ctx, id)
	case len(h.Inbox) == 0 && h.LastIn.Add(quietAfter).Before(now):
		w := s.Table.Update(headKey(id), "REMOVE dueShard, dueAt", nil).
			If("attribute_not_exists(inbox) AND lastIn = :last", dynamo.V{":last": h.LastIn}).Else(ErrNewer)
		if err := s.Table.DB().Commit(ctx, w); err == nil {
			sum.Quiet++
		}
	}
	return nil
}
