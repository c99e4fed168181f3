package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
)

// modelled is what the model believes of a transaction.
type modelled struct {
	tx     Transaction
	state  State
	slots  []int
	until  time.Time
	marked time.Time // when it became a no-show, which it does once
}

// Random operations, repeats and jumps of time, against a model that is a list of
// transactions: every answer is the model's, and after every step the locks are those of
// its live transactions.
func TestOperationsFollowTheModel(t *testing.T) {
	t.Parallel()
	most, met := seedtest.Times(t, 40), faulttest.Tally{} // runs, and what was refused in them
	seedtest.Check(t, func(rt *rapid.T) {
		if most--; most < 0 {
			return
		}
		runModel(rt, newCorner(t), rapid.SampledFrom([]int{1, 3}).Draw(rt, "capacity"), met)
	})
	met.Want(t, "a hold taken over", ErrSlotTaken.Error(), ErrHoldGone.Error(), errNotDraft.Error(), errNotDue.Error())
}

func runModel(t *rapid.T, c *corner, capacity int, met faulttest.Tally) {
	ctx := context.Background()
	var all []*modelled
	holds := 0
	pick := func(t *rapid.T) *modelled {
		if len(all) == 0 {
			t.Skip("nothing yet")
		}
		return rapid.SampledFrom(all).Draw(t, "transaction")
	}
	live := func(slot int) int {
		n := 0
		for _, m := range all {
			for _, s := range m.slots {
				if s == slot && (m.state == Confirmed || m.state == NoShow || m.state == Hold && m.until.After(c.Now())) {
					n++
				}
			}
		}
		return n
	}
	locked := func(slot int) int { // live, or expired and not swept
		n := 0
		for _, m := range all {
			if slices.Contains(m.slots, slot) && (m.state == Confirmed || m.state == NoShow || m.state == Hold) {
				n++
			}
		}
		return n
	}
	most := capacity // that there has been
	key := func(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key") }
	want := func(t *rapid.T, err, want error) {
		if !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
		if want != nil {
			met[want.Error()]++
		}
	}
	draft := func(t *rapid.T) *modelled {
		first, n := rapid.IntRange(0, 2).Draw(t, "first"), rapid.IntRange(1, 2).Draw(t, "slots")
		terms := c.terms(24 + first)
		m := &modelled{state: Draft, slots: []int{first}}
		if n == 2 {
			terms.Slots = append(terms.Slots, terms.Start.Add(time.Hour))
			m.slots = append(m.slots, first+1)
		}
		m.tx = c.draft(terms)
		all = append(all, m)
		return m
	}
	hold := func(t *rapid.T, m *modelled) {
		var refusal error
		for _, s := range m.slots {
			if m.state == Draft && (live(s) >= capacity || locked(s) > capacity) {
				refusal = ErrSlotTaken
			}
		}
		until := c.Now().Add(10 * time.Minute)
		holds++
		tx, err := c.Hold(ctx, m.tx.ID, capacity, until, fmt.Sprint("hold", holds))
		switch {
		case m.state == Confirmed:
			want(t, err, errAlreadyConfirmed)
		case m.state != Draft:
			want(t, err, errNotDraft)
		default:
			want(t, err, refusal)
			if err == nil {
				m.tx, m.state, m.until = tx, Hold, until
				for _, s := range m.slots {
					if live(s) > capacity {
						t.Fatalf("slot %d: %d hold it, capacity %d", s, live(s), capacity)
					}
				}
				for _, o := range all { // those that were taken over
					if o != m && o.state == Hold && !o.until.After(c.Now()) && shares(o, m) {
						o.state = c.stateOf(t, o)
						met["a hold taken over"]++
					}
				}
			}
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"draft": func(t *rapid.T) { draft(t) },
		"hold":  func(t *rapid.T) { hold(t, pick(t)) },
		"ask":   func(t *rapid.T) { hold(t, draft(t)) }, // as a customer does
		"confirm": func(t *rapid.T) {
			m := pick(t)
			gone := !m.until.After(c.Now())
			_, err := c.confirm(m.tx, key(t))
			switch {
			case m.state == Hold && !gone:
				want(t, err, nil)
				m.state = Confirmed
			case m.state == Hold, m.state == Expired:
				want(t, err, ErrHoldGone)
			case (m.state == Confirmed || m.state == NoShow) && err != nil:
				want(t, err, errAlreadyConfirmed)
			case m.state == Draft:
				want(t, err, ErrNotHeld)
			case m.state == Cancelled && err != nil: // no error is the repeat of a confirmation before it
				want(t, err, ErrNotHeld)
			}
		},
		"release": func(t *rapid.T) {
			m := pick(t)
			_, err := c.Release(ctx, c.owner, m.tx.ID, "model", key(t))
			switch {
			case m.state == Expired:
				want(t, err, ErrHoldGone)
			case m.state == Cancelled && err != nil:
				want(t, err, ErrCancelled)
			case m.state == NoShow:
				want(t, err, ErrNoShow)
			case m.state != Cancelled:
				want(t, err, nil)
				m.state = Cancelled
			}
		},
		"expire": func(t *rapid.T) {
			m := pick(t)
			_, err := c.Expire(ctx, m.tx.ID)
			switch {
			case m.state == Hold && m.until.After(c.Now()):
				want(t, err, errNotDue)
			case m.state == Hold, m.state == Expired:
				want(t, err, nil)
				m.state = Expired
			default:
				want(t, err, ErrNotHeld)
			}
		},
		"mark": func(t *rapid.T) {
			m := pick(t)
			_, err := c.Mark(ctx, clerk, m.tx.ID, key(t))
			switch {
			case m.state == NoShow && err != nil:
				want(t, err, ErrNoShow)
			case m.state == Confirmed && !m.marked.IsZero() && err != nil: // no error is the repeat of the first one
				want(t, err, ErrCame)
			case m.state == Confirmed && !m.marked.IsZero():
			case m.state == Confirmed && c.Now().Before(m.tx.Start):
				want(t, err, errNotBegun)
			case m.state == Confirmed && !c.Now().Before(m.tx.End.Add(7*24*time.Hour)):
				want(t, err, errMarkedLate)
			case m.state == Confirmed:
				want(t, err, nil)
				m.state, m.marked = NoShow, c.Now()
			case m.state != Confirmed && m.state != NoShow && (m.marked.IsZero() || err != nil): // or the repeat of one before it was cancelled
				want(t, err, errNotBooked)
			}
		},
		"take back": func(t *rapid.T) {
			m := pick(t)
			_, err := c.TakeBack(ctx, clerk, m.tx.ID, key(t))
			switch {
			case m.state == NoShow && !c.Now().Before(m.marked.Add(24*time.Hour)):
				want(t, err, errStands)
			case m.state == NoShow:
				want(t, err, nil)
				m.state = Confirmed
			case !m.marked.IsZero() && err != nil: // no error is the repeat of the first one
				want(t, err, ErrCame)
			case m.marked.IsZero():
				want(t, err, errNotNoShow)
			}
		},
		"change the capacity": func(t *rapid.T) {
			capacity = rapid.IntRange(1, 3).Draw(t, "capacity")
			most = max(most, capacity)
		},
		"sleep": func(t *rapid.T) {
			c.clock.Add(rapid.SampledFrom([]time.Duration{12, 12, 24, 100}).Draw(t, "hours") * time.Hour)
		},
		"wait": func(*rapid.T) { c.clock.Add(4 * time.Minute) },
		"": func(t *rapid.T) {
			taken, err := c.Taken(ctx, c.business, "table", noon.Add(24*time.Hour), noon.Add(31*time.Hour), c.Now())
			if err != nil {
				t.Fatal(err)
			}
			for slot := range 7 {
				if got := count(taken, noon.Add(time.Duration(24+slot)*time.Hour)); got != live(slot) || got > most {
					t.Fatalf("slot %d: %d taken, the model has %d, capacity at most %d", slot, got, live(slot), most)
				}
			}
		},
	})
	for _, m := range all {
		if got := c.stateOf(t, m); got != m.state {
			t.Fatalf("%s is %s, the model says %s", m.tx.ID, got, m.state)
		}
	}
}

func shares(a, b *modelled) bool {
	for _, s := range a.slots {
		for _, o := range b.slots {
			if s == o {
				return true
			}
		}
	}
	return false
}

// stateOf is the stored state; every state has come with its event.
func (c *corner) stateOf(t *rapid.T, m *modelled) State {
	h, err := c.reader().history(context.Background(), m.tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	if last := h.Events[len(h.Events)-1].Type; last != h.Transaction.State && last != Came || len(h.Events) != h.Transaction.Version {
		t.Fatalf("events and state differ: %+v", h)
	}
	return h.Transaction.State
}
