package thread

import (
	"context"
	"fmt"
	"time"

	"merve/internal/cloud/dynamo"
)

// Lease is the right to run a thread's turns. By is unique to the lease.
type Lease struct {
	Thread string
	By     string
}

const (
	takeLease = "leaseBy = :by, leaseUntil = :until, epoch = if_not_exists(epoch, :zero) + :one"
	leaseFree = "attribute_not_exists(leaseUntil) OR leaseUntil <= :leaseNow"
)

func leaseValues(now time.Time, by string) dynamo.V {
	return dynamo.V{":by": by, ":until": now.Add(LeaseFor), ":zero": 0, ":one": 1, ":leaseNow": now}
}

// Take takes the lease of a thread that has something to answer. [ErrBusy] when another
// turn runs, [ErrNothing] when nothing waits, [ErrNoThread] when there is no such thread.
func (s *Store) Take(ctx context.Context, id string) (*Lease, Head, error) {
	l := &Lease{Thread: id, By: s.NewID()}
	var taken dynamo.Item
	w := s.Table.Update(headKey(id), "SET "+takeLease, leaseValues(s.Now(), l.By)).
		If(leaseFree, nil).If("size(inbox) > :zero", nil).
		ElseOld(func(old dynamo.Item) error {
			switch {
			case old == nil:
				return ErrNoThread
			case len(old.List("inbox")) == 0:
				return ErrNothing
			case old.String("leaseBy") == l.By: // taken, and the answer was lost
				taken = old
			}
			return ErrBusy
		})
	it, err := s.Table.DB().Apply(ctx, w)
	if taken != nil {
		it, err = taken, nil
	}
	if err != nil {
		return nil, Head{}, fmt.Errorf("take thread %s: %w", id, err)
	}
	var head Head
	return l, head, it.Decode(&head)
}

// Renew extends the lease, for a turn that takes long.
func (s *Store) Renew(ctx context.Context, l *Lease) error {
	return l.change(ctx, s.Table, "SET leaseUntil = :until", dynamo.V{":until": s.Now().Add(LeaseFor)})
}

// Release gives the lease back without a commit. The messages stay unanswered, and the next holder goes on where the
// journal ends.
func (s *Store) Release(ctx context.Context, l *Lease) error {
	return l.change(ctx, s.Table, "REMOVE leaseBy, leaseUntil", nil)
}

// Held is the condition that a lease is still held, for writes that must not come too late.
func (s *Store) Held(l *Lease) dynamo.Write {
	return s.Table.Check(headKey(l.Thread), "leaseBy = :by", dynamo.V{":by": l.By}).Else(ErrLeaseLost)
}

// change updates the head while the lease is held.
func (l *Lease) change(ctx context.Context, t dynamo.Table, update string, vals dynamo.V) error {
	w := t.Update(headKey(l.Thread), update, vals).If("leaseBy = :by", dynamo.V{":by": l.By}).Else(ErrLeaseLost)
	if err := t.DB().Commit(ctx, w); err != nil {
		return fmt.Errorf("thread %s: %w", l.Thread, err)
	}
	return nil
}
