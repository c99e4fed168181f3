package order

import (
	"context"
	"errors"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// Swept is the result of a sweep.
type Swept struct {
	Looked, Expired, Unanswered, Done int
}

// Sweep lets expired proposals go, reports orders that a business has not answered,
// and closes as done orders that a business accepted and forgot. It also deletes orders that were open when their
// customer had everything deleted, once those are over. Any number of sweeps may run at once. 16 requests,
// and 2 for each order; to delete one 4, and 1 for each message about it.
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

// Lapse ends an order whose time is over, and returns the event; "" if there was none.
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
