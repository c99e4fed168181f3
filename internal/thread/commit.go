package thread

import (
	"context"
	"fmt"
	"strings"

	"merve/internal/dynamo"
)

// Outcome is what a turn ends with.
type Outcome struct {
	Turn     Turn     // Turn.In is what it answered: the first messages of the inbox, all or some
	Pending  *Pending // what waits for YES or NO from now on; nil for nothing
	Language string
	Handler  Handler
	OptedOut bool
	Spend    Spend
}

// Commit ends the turn: its item, the new state, and the lease given back, together
// with the writes that join it, or nothing at all. [ErrNewer] when messages came in
// since the thread was read: the turn looks at them ([Store.Refresh]) and decides again.
func (s *Store) Commit(ctx context.Context, l *Lease, t *Thread, o Outcome, join ...dynamo.Write) error {
	ws := append([]dynamo.Write{
		s.endTurn(l, t, o),
		s.Table.Put(turnKey(t.ID, o.Turn.N), o.Turn).IfAbsent().Else(ErrLeaseLost),
	}, join...)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("commit turn %d of thread %s: %w", o.Turn.N, t.ID, err)
	}
	return nil
}

func (s *Store) endTurn(l *Lease, t *Thread, o Outcome) dynamo.Write {
	set := []string{"turns = :n", "done = :epoch"}
	remove := []string{"leaseBy", "leaseUntil"}
	vals := dynamo.V{":n": o.Turn.N, ":epoch": t.Epoch}
	put := func(attr, name string, value any, keep bool) {
		if !keep {
			remove = append(remove, attr)
			return
		}
		set = append(set, attr+" = "+name)
		vals[name] = value
	}
	put("pending", ":pending", o.Pending, o.Pending != nil)
	put("#state", ":state", AwaitingConfirmation, o.Pending != nil)
	put("#handler", ":handler", o.Handler, o.Handler == ByPerson)
	put("optOut", ":optOut", true, o.OptedOut)
	put("lang", ":lang", o.Language, o.Language != "")
	put("spend", ":spend", o.Spend, o.Spend.Day != "")
	if answered := len(o.Turn.In); answered == len(t.Inbox) {
		remove = append(remove, "inbox")
	} else {
		for i := range answered {
			remove = append(remove, fmt.Sprintf("inbox[%d]", i))
		}
	}
	w := s.Table.Update(headKey(t.ID), "SET "+strings.Join(set, ", ")+" REMOVE "+strings.Join(remove, ", "), vals).
		If("leaseBy = :by AND epoch = :epoch AND size(inbox) = :seen", dynamo.V{":by": l.By, ":seen": len(t.Inbox)})
	return w.ElseOld(func(old dynamo.Item) error {
		if old.String("leaseBy") != l.By {
			return ErrLeaseLost
		}
		return ErrNewer
	})
}
