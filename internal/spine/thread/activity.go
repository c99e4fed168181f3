package thread

import (
	"context"
	"fmt"
	"time"

	"merve/internal/cloud/dynamo"
)

// Activity is what a thread's turn is doing, for pages that show it.
type Activity struct {
	State State    `json:"state"`
	Doing []string `json:"doing"` // names of tools that run
}

// doingFor is how long a note of a turn's tools counts. No tool takes longer.
const doingFor = 30 * time.Second

type doing struct {
	Tools []string  `dynamodbav:"tools"`
	Until time.Time `dynamodbav:"until"`
	TTL   int64     `dynamodbav:"ttl"`
}

func doingKey(id string) dynamo.Key { return dynamo.Key{PK: id, SK: "doing"} }

// Doing notes which tools a turn is about to run. 1 request.
func (s *Store) Doing(ctx context.Context, id string, tools []string) error {
	until := s.Now().Add(doingFor)
	if err := s.Table.DB().Commit(ctx, s.Table.Put(doingKey(id), doing{tools, until, until.Unix()})); err != nil {
		return fmt.Errorf("activity of thread %s: %w", id, err)
	}
	return nil
}

// Activity returns what a thread's turn is doing, and whose thread it is. 1 request.
func (s *Store) Activity(ctx context.Context, id string) (a Activity, owner string, err error) {
	items, err := s.Table.BatchGet(ctx, headKey(id), doingKey(id))
	if err != nil {
		return a, "", fmt.Errorf("activity of thread %s: %w", id, err)
	}
	a.State, a.Doing = Idle, []string{}
	var d doing
	for _, it := range items {
		if it.Key().SK != headSK {
			if err := it.Decode(&d); err != nil {
				return a, "", err
			}
			continue
		}
		var h Head
		if err := it.Decode(&h); err != nil {
			return a, "", err
		}
		owner, a.State = h.Owner, h.Standing(s.Now())
	}
	if owner == "" {
		return a, "", ErrNoThread
	}
	if a.State == Executing && s.Now().Before(d.Until) {
		a.Doing = d.Tools
	}
	return a, owner, nil
}

// Standing is the thread's state at a time as clients see it.
func (h Head) Standing(now time.Time) State {
	switch {
	case len(h.Inbox) > 0:
		return Executing
	case h.Waits(now) != nil:
		return AwaitingConfirmation
	}
	return Idle
}

// Waits is what waits for YES or NO at a time, or nil. The head keeps an expired pending action until the next turn drops
// it.
func (h Head) Waits(now time.Time) *Pending {
	if h.Pending == nil || !now.Before(h.Pending.ExpiresAt) {
		return nil
	}
	return h.Pending
}
