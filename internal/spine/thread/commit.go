package thread

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Outcome is what a turn ends with.
type Outcome struct {
	Turn      Turn     // Turn.In is what it answered: the first messages of the inbox, all or some
	Pending   *Pending // what waits for YES or NO from now on; nil for nothing
	LetGo     *Pending // what was dropped for a person, while a YES or NO to it still needs an answer; nil for nothing
	Stood     *Stood   // what stands in the conversation from now on, without the rows that join; nil leaves it
	Language  string
	OptedOut  bool
	StoppedAt time.Time
	HandOver  bool // to a person
	Spend     Spend
	Session   *Session // begins with the turn; nil leaves it
}

// Commit ends the turn: it writes the turn's item, the new state and the writes that join, and gives the lease back, or
// does nothing at all. [ErrNewer] means that since the thread was read messages came in, or it changed hands, came into
// doubt or was erased: the turn reads it again ([Store.Refresh]) and decides again, from the beginning if the epoch is
// another.
func (s *Store) Commit(ctx context.Context, l *Lease, t *Thread, o Outcome, join ...dynamo.Write) error {
	turn := o.Turn
	var err error
	if turn.In, err = s.history().fit(ctx, t.ID, turn.In); err != nil {
		return err
	}
	join, rows := ownRows(s.Table, t.ID, join)
	ws := append([]dynamo.Write{
		o.end(s.Table, l, t, rows),
		s.Table.Put(turnKey(t.ID, turn.N), turn).IfAbsent().Else(ErrLeaseLost),
	}, join...)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("commit turn %d of thread %s: %w", o.Turn.N, t.ID, err)
	}
	return nil
}

// maxSaid is how much text of its messages a turn's item holds, in bytes. The item has to stay below 400 KB, however many
// messages the turn answers.
const maxSaid = 64 << 10

// fit leaves the texts of a turn's messages in their seen items, for good, once they are too much for one item.
func (h history) fit(ctx context.Context, id string, in []Message) ([]Message, error) {
	out, said := slices.Clone(in), 0
	for i, m := range out {
		if said += size(m); !m.Long || said <= maxSaid {
			continue
		}
		out[i].Text, out[i].Media = "", nil
		if err := h.table.DB().Commit(ctx, h.table.Update(seenKey(id, m.ID), "REMOVE #ttl", nil)); err != nil {
			return nil, fmt.Errorf("keep message %s of thread %s: %w", m.ID, id, err)
		}
	}
	return out, nil
}

// end gives the head the outcome, and the lease back.
func (o Outcome) end(table dynamo.Table, l *Lease, t *Thread, rows []string) dynamo.Write {
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
	put("letGo", ":letGo", o.LetGo, o.LetGo != nil)
	put("#state", ":state", AwaitingConfirmation, o.Pending != nil)
	switch {
	case o.Stood != nil:
		set = append(set, "standing = :standing", "asked = :asked")
		vals[":standing"], vals[":asked"] = o.Stood.with(rows)
		if t.Forgot() {
			set = append(set, "refs = :forgot") // the list has what it knew, and that it forgot stays known
			vals[":forgot"] = []string{}
		}
	case len(rows) > 0:
		set = append(set, "stands = if_not_exists(stands, :zero) + :rows")
		vals[":zero"], vals[":rows"] = 0, len(rows)
	}
	put("optOut", ":optOut", true, o.OptedOut)
	put("stopAt", ":stopAt", o.StoppedAt, !o.StoppedAt.IsZero())
	if o.HandOver {
		set = append(set, "#handler = :handler")
		vals[":handler"] = ByPerson
	}
	if o.Session != nil {
		set = append(set, "#session = :session")
		vals[":session"] = o.Session
	}
	if o.Turn.Spoken != nil {
		set = append(set, "frames = :frames")
		vals[":frames"] = o.Turn.Spoken.Seq
	}
	put("lang", ":lang", o.Language, o.Language != "")
	put("spend", ":spend", o.Spend, o.Spend.Day != "")
	if answered := len(o.Turn.In); answered == len(t.Inbox) {
		remove = append(remove, "inbox")
	} else {
		for i := range answered {
			remove = append(remove, fmt.Sprintf("inbox[%d]", i))
		}
	}
	w := table.Update(headKey(t.ID), "SET "+strings.Join(set, ", ")+" REMOVE "+strings.Join(remove, ", "), vals).
		If("leaseBy = :by AND epoch = :epoch AND size(inbox) = :seen", dynamo.V{":by": l.By, ":seen": len(t.Inbox)})
	if t.Handler == ByPerson {
		w = w.If("attribute_exists(#handler)", nil)
	} else {
		w = w.If("attribute_not_exists(#handler)", nil)
	}
	if t.Pending == nil || !t.Pending.Doubt {
		w = w.If("attribute_not_exists(pending.doubt)", nil)
	}
	return w.ElseOld(func(old dynamo.Item) error {
		if old.String("leaseBy") != l.By {
			return ErrLeaseLost
		}
		return ErrNewer
	})
}
