package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
)

// state is what is stored and what was sent, without ids and times.
type state struct {
	Messages []string
	Taken    []string // texts; in order, where there are messages that come after others
	Alerts   []string
}

// state looks at a corner past the calls that may fail.
func (c *corner) state() state {
	c.t.Helper()
	s, said, ordered := state{}, map[string]string{}, false
	for _, m := range c.twilio.Messages() {
		s.Taken = append(s.Taken, m.Body)
		said[m.SID] = m.Body
	}
	for _, m := range c.stored() {
		ordered = ordered || m.After != ""
		due, _, _ := strings.Cut(m.DueShard, "#")
		s.Messages = append(s.Messages, fmt.Sprintf("%s is %s, error %q, said %q, due %q, claimed %v%s",
			m.ID, m.Status, m.Error, said[m.ProviderID], due, !m.ClaimUntil.IsZero(), map[bool]string{true: ", forgotten"}[m.Text == ""]))
	}
	if !ordered {
		slices.Sort(s.Taken)
	}
	s.Alerts = slices.Compact(slices.Sorted(slices.Values(c.told())))
	return s
}

// stored are the corner's messages, oldest first.
func (c *corner) stored() []outbox.Message {
	c.t.Helper()
	ms, err := c.look.List(context.Background(), c.thread, 100)
	if err != nil {
		c.t.Fatal(err)
	}
	slices.Reverse(ms)
	return ms
}

// commits puts messages on the outbox as a turn does: all at once, and again until it is
// known to have happened.
func (c *corner) commits(calls *faulttest.Calls, ms ...outbox.Message) {
	c.t.Helper()
	calls.Deliver(c.t, nil, func() error {
		var ws []dynamo.Write
		for _, m := range ms {
			ws = append(ws, c.Put(m))
		}
		err := c.Table.DB().Commit(context.Background(), ws...)
		if errors.Is(err, outbox.ErrDuplicate) {
			return nil
		}
		return err
	})
}

// streams brings what was put, as the stream does: in order, one again before the next,
// and all of it twice in the end.
func (c *corner) streams(calls *faulttest.Calls) {
	c.t.Helper()
	put := c.stored()
	for _, m := range append(put, put...) {
		calls.Deliver(c.t, func() { c.clock.add(time.Second) }, func() error {
			return c.sender.Deliver(context.Background(), m)
		})
	}
}

// settles sweeps the corner until nothing is due any more.
func (c *corner) settles(calls *faulttest.Calls) {
	c.t.Helper()
	for range 12 {
		c.clock.add(2 * time.Minute)
		due := false
		for _, m := range c.stored() {
			if m.DueShard != dynamo.DueShard("outbox", c.thread) {
				continue
			}
			if due = true; m.DueAt.After(c.clock.now()) {
				continue
			}
			calls.Deliver(c.t, func() { c.clock.add(2 * time.Minute) }, func() error {
				now, err := c.look.Get(context.Background(), m.Thread, m.ID)
				if err != nil {
					return err
				}
				return c.sender.Deliver(context.Background(), now)
			})
		}
		if !due {
			return
		}
	}
	c.t.Errorf("something is due for ever: %v", c.stored())
}

// deliveries are what a message can meet on its way out.
var deliveries = []struct {
	name    string
	arrange func(c *corner) []outbox.Message
}{
	{"a text", func(c *corner) []outbox.Message { return []outbox.Message{c.text("1", "hello")} }},
	{"a text in parts", func(c *corner) []outbox.Message {
		var ms []outbox.Message
		for i, piece := range outbox.Split("one two, three four, five", 10) {
			m := c.text(fmt.Sprint(i), piece)
			if i > 0 {
				m.After = fmt.Sprint(i - 1)
			}
			ms = append(ms, m)
		}
		return ms
	}},
	{"a template that was taken, and nobody could tell", func(c *corner) []outbox.Message {
		c.twilio.FailSends(twiliotest.After())
		return []outbox.Message{c.template("1", "K7")}
	}},
	{"a text that was not taken, and nobody could tell", func(c *corner) []outbox.Message {
		c.twilio.FailSends(twiliotest.Before())
		return []outbox.Message{c.text("1", "hello")}
	}},
	{"the same text twice", func(c *corner) []outbox.Message {
		return []outbox.Message{c.text("1", "ok"), c.text("2", "ok")}
	}},
	{"a template", func(c *corner) []outbox.Message { return []outbox.Message{c.template("1", "K7")} }},
	{"outside the window", func(c *corner) []outbox.Message {
		c.clock.add(25 * time.Hour)
		return []outbox.Message{c.text("1", "hello"), c.template("2", "K7")}
	}},
	{"after STOP", func(c *corner) []outbox.Message {
		c.mark("optOut", true)
		answer := c.text("2", "You will get no more messages.")
		answer.Essential = true
		return []outbox.Message{c.text("1", "hello"), answer, c.template("3", "K7")}
	}},
	{"a thread handed over", func(c *corner) []outbox.Message {
		c.mark("handler", "person")
		person := c.text("2", "Deniz here")
		person.ByPerson = true
		return []outbox.Message{c.text("1", "I can help"), person}
	}},
	{"refused by the provider", func(c *corner) []outbox.Message {
		m := c.template("1", "K7")
		m.Template.ContentSID = "HX000000000000000000000000000000ff"
		next := c.text("2", "hello")
		next.After = "1"
		return []outbox.Message{m, next}
	}},
	{"no provider", func(c *corner) []outbox.Message {
		m := c.text("1", "hello")
		m.Channel = "messenger"
		return []outbox.Message{m}
	}},
}

// delivered runs one of deliveries, and returns the outcome.
func delivered(c *corner, calls *faulttest.Calls, arrange func(c *corner) []outbox.Message) state {
	ms := arrange(c)
	c.over(calls)
	c.commits(calls, ms...)
	c.streams(calls)
	c.settles(calls)
	return c.state()
}

// Every fault at every call of a delivery, to the store and to the provider, comes to
// the same: nothing is lost, nothing is said twice, and parts keep their order.
func TestField09_EveryFaultOfADelivery(t *testing.T) {
	t.Parallel()
	for i, d := range deliveries {
		faults := short(t)
		if i < 4 { // the others make the same calls
			faults = nil
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, faults, func(t *testing.T, calls *faulttest.Calls) state {
				return delivered(newCorner(t), calls, d.arrange)
			})
		})
	}
}

// short are the faults that differ for a sender; the long form tries all there are.
func short(t *testing.T) []faulttest.Fault {
	if seedtest.Times(t, 1) > 1 {
		return nil
	}
	return []faulttest.Fault{faulttest.DiesBefore, faulttest.DiesAfter, faulttest.AnswerLost, faulttest.Throttled}
}

// shorter is short for what reads sixteen shards each time.
func shorter(t *testing.T) []faulttest.Fault {
	if faults := short(t); faults != nil {
		return faults[1:3]
	}
	return nil
}

// Every two faults of a delivery come to the same, too: in the long form any two of a text's, and
// of the others' deaths and lost answers.
func TestField09_EveryTwoFaultsOfADelivery(t *testing.T) {
	t.Parallel()
	for i, d := range deliveries {
		faults := short(t)
		if faults == nil && i > 0 {
			faults = []faulttest.Fault{faulttest.DiesAfter, faulttest.AnswerLost}
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Pairs(t, faults, func(t *testing.T, calls *faulttest.Calls) state {
				return delivered(newCorner(t), calls, d.arrange)
			})
		})
	}
}

// Twilio has no key that would make a second send harmless, so its list decides. While
// that shows a send before the claim runs out, nothing is said twice.
func TestField09_TheListLags(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) state {
		return delivered(newCornerWith(t, twiliotest.Config{ListLag: 50 * time.Second}), calls, deliveries[0].arrange)
	})
}

// Where the list lags behind longer than that, a message is said a second time, and not
// a third, if its send took effect and nobody could tell: never otherwise.
func TestField09_TheListLagsTooFar(t *testing.T) {
	t.Parallel()
	var twice atomic.Int32
	t.Cleanup(func() { t.Logf("said twice in %d schedules", twice.Load()) })
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) state {
		s := delivered(newCornerWith(t, twiliotest.Config{ListLag: 3 * time.Minute}), calls, deliveries[0].arrange)
		if len(s.Taken) == 2 && couldNotTell(calls) {
			twice.Add(1)
			s.Taken = s.Taken[:1]
		}
		return s
	})
}

// couldNotTell reports whether a fault came between what the provider took and what the
// store knows of it.
func couldNotTell(calls *faulttest.Calls) bool {
	names := calls.Names()
	for _, at := range calls.Met() {
		if name := names[at.N-1]; strings.HasPrefix(name, "POST") || name == "UpdateItem" {
			return true
		}
	}
	return false
}

// callbacks are statuses that a message's callbacks bring, with codes of failures.
var callbacks = map[string]int{"delivered": 0, "undelivered": twilio.CodeOutsideWindow, "failed": 63003}

// Every fault at every call that callbacks cause, in all of their orders and although
// the send itself was unclear, comes to the same: the furthest status, and one failure
// that stays visible.
func TestField10_EveryFaultOfCallbacks(t *testing.T) {
	t.Parallel()
	want := state{
		Messages: []string{`1 is delivered, error "63003: WhatsApp does not know the recipient", said "hello", due "", claimed false`},
		Taken:    []string{"hello"},
	}
	for i, order := range permutations([]string{"delivered", "undelivered", "failed"}) {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, short(t), func(t *testing.T, calls *faulttest.Calls) state {
				c := newCorner(t)
				if i%2 == 1 {
					c.twilio.FailSends(twiliotest.After())
				}
				c.put(c.text("1", "hello"))
				c.deliver("1")
				c.over(calls)
				sid := c.twilio.Messages()[0].SID
				for _, status := range append(order, order[0]) {
					calls.Deliver(t, nil, func() error {
						return c.twilio.DeliverError(context.Background(), sid, status, callbacks[status])
					})
				}
				c.settles(calls)
				if s := c.state(); !cmp.Equal(want, s) {
					t.Errorf("want (-), got (+):\n%s", cmp.Diff(want, s))
				}
				return want
			})
		})
	}
}

// A failure that only a callback tells of is an alert and a dead letter, whichever call
// meets a fault.
func TestField10_EveryFaultOfAFailure(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) state {
		c := newCorner(t)
		c.put(c.text("1", "hello"))
		c.deliver("1")
		c.over(calls)
		calls.Deliver(t, nil, func() error {
			return c.twilio.DeliverError(context.Background(), c.twilio.Messages()[0].SID, "undelivered", 63003)
		})
		c.settles(calls)
		return c.state()
	})
}
