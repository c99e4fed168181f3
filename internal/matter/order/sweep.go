package order

import (
	"context"
	"errors"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// Swept is what a sweep did.
type Swept struct {
	Looked, Expired, Unanswered, Done int
}

// Sweep lets proposals go whose time is over, tells of orders that a business has not answered,
// and takes for done what it has accepted and forgotten; and it deletes what was open when its
// customer had all deleted, once that is over. Any number of sweeps may run at once. 16 requests,
// and 2 for each order; to delete one 4, and 1 for each message that told of it.
func (s *Store) Sweep(ctx context.Context, b dynamo.Budget) (Swept, error) {
	var did Swept
	walked, err := s.Table.EachDue(ctx, dueKind, s.now(), b, func(key dynamo.Key) (bool, error) {
		if strings.HasPrefix(key.SK, forgetPrefix) {
			return true, s.eraseMarked(ctx, key)
		}
		typ, err := s.lapse(ctx, key)
		switch typ {
		case ExpiredEvent:
			did.Expired++
		case UnansweredEvent:
			did.Unanswered++
		case DoneEvent:
			did.Done++
		}
		return typ != "", err
	})
	did.Looked = walked.Looked
	return did, err
}

func (s *Store) lapse(ctx context.Context, key dynamo.Key) (EventType, error) {
	it, err := s.Table.Get(ctx, key)
	if err != nil || it == nil {
		return "", err
	}
	var o Order
	if err := it.Decode(&o); err != nil {
		return "", err
	}
	return s.Lapse(ctx, o)
}

// Lapse ends an order whose time is over, and returns what happened to it; "" when nothing did.
func (s *Store) Lapse(ctx context.Context, o Order) (EventType, error) {
	if due := o.due(); due.IsZero() || s.now().Before(due) {
		return "", nil // the index was behind
	}
	typ := lapses[o.Status]
	_, err := s.Apply(ctx, o, typ, By{Actor: actor.Actor{Kind: actor.System, ID: "sweep"}})
	var refused *Refusal
	if errors.Is(err, ErrChanged) || errors.As(err, &refused) {
		return "", nil // somebody was faster
	}
	if err != nil {
		return "", err
	}
	return typ, nil
}
