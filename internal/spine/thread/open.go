package thread

import (
	"context"
	"fmt"

	"merve/internal/cloud/dynamo"
)

// Recent is how many finished turns a new one sees. It bounds what a turn reads, whatever the length of the thread.
const Recent = 12

// Thread is what a turn sees of a thread: its head and its latest turns, oldest first.
type Thread struct {
	Head
	Recent  []Turn
	Journal []Entry // of the unfinished turn that this one takes over
}

// Number is the number of the turn that is running.
func (t *Thread) Number() int { return t.Turns + 1 }

// Open reads the thread under a lease. In a call session it sees only the turns since its beginning.
func (s *Store) Open(ctx context.Context, l *Lease) (*Thread, error) {
	t, err := s.Latest(ctx, l.Thread, Recent)
	if err != nil {
		return nil, err
	}
	if t.LeaseBy != l.By {
		return nil, ErrLeaseLost
	}
	if err := s.history().fill(ctx, t.ID, append(saidIn(t.Recent), t.Inbox)...); err != nil {
		return nil, err
	}
	if t.Epoch != t.Committed+1 {
		t.Journal, err = s.history().journal(ctx, t.ID, t.Number())
	}
	return t, err
}

// Latest reads a thread's head and its latest finished turns, oldest first, and in a call session only those since its
// beginning. 1 request.
func (s *Store) Latest(ctx context.Context, id string, turns int) (*Thread, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:    "pk = :pk AND sk BETWEEN :from AND :to",
		Values:   dynamo.V{":pk": id, ":from": "turn#", ":to": headSK},
		Backward: true,
		Limit:    1 + turns,
	})
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", id, err)
	}
	if len(page.Items) == 0 || page.Items[0].Key().SK != headSK {
		return nil, ErrNoThread
	}
	t := &Thread{}
	if err := page.Items[0].Decode(&t.Head); err != nil {
		return nil, err
	}
	for i := len(page.Items) - 1; i > 0; i-- {
		var turn Turn
		if err := page.Items[i].Decode(&turn); err != nil {
			return nil, err
		}
		if t.Session == nil || turn.N >= t.Session.From {
			t.Recent = append(t.Recent, turn)
		}
	}
	return t, nil
}

// Fill fetches the texts of waiting messages that are too long for the head. 1 request where there are any.
func (s *Store) Fill(ctx context.Context, t *Thread) error {
	return s.history().fill(ctx, t.ID, t.Inbox)
}

// saidIn lists the messages of turns.
func saidIn(turns []Turn) [][]Message {
	var all [][]Message
	for _, t := range turns {
		all = append(all, t.In)
	}
	return all
}

// Head reads a thread's head. One request.
func (s *Store) Head(ctx context.Context, id string) (Head, error) {
	it, err := s.Table.Get(ctx, headKey(id))
	if err != nil {
		return Head{}, fmt.Errorf("head of thread %s: %w", id, err)
	}
	if it == nil {
		return Head{}, ErrNoThread
	}
	var h Head
	return h, it.Decode(&h)
}

// Refresh reads the head again under the lease, with the messages that have come in meanwhile. One request.
func (s *Store) Refresh(ctx context.Context, l *Lease, t *Thread) error {
	h, err := s.Head(ctx, l.Thread)
	if err != nil {
		return err
	}
	if h.LeaseBy != l.By {
		return ErrLeaseLost
	}
	if err := s.history().fill(ctx, h.ID, h.Inbox); err != nil {
		return err
	}
	t.Head = h
	return nil
}
