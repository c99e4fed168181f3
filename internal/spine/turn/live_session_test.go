package turn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
)

// dialled is a call session of a conversation, with the socket of its client.
type dialled struct {
	*call
	socket, session string
}

func (c *call) dials(socket, session string) dialled {
	c.t.Helper()
	d := dialled{c, socket, session}
	if err := c.host.Connect(c.t.Context(), socket+"-"+c.suffix, d.caller(), ""); err != nil {
		c.t.Fatal(err)
	}
	return d
}

func (d dialled) caller() live.Caller {
	return live.Caller{Inbound: d.in, Session: thread.Session{ID: d.session, Phone: "+14155550100"}}
}

func (d dialled) tries(text string) error {
	caller := d.caller()
	caller.MessageID, caller.Text = dynamotest.ID("m"), text
	_, err := d.host.Say(d.t.Context(), caller, d.socket+"-"+d.suffix)
	return err
}

func (d dialled) tells(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		d.clock.add(time.Second)
		if err := d.tries(text); err != nil {
			d.t.Fatal(err)
		}
		d.work()
	}
}

func (d dialled) missed() live.Missed {
	d.t.Helper()
	m, err := d.host.Missed(d.t.Context(), thread.Of(d.in), d.session, "")
	if err != nil {
		d.t.Fatal(err)
	}
	return m
}

// wantNothing wants nothing of any call session in what there is to tell.
func (d dialled) wantNothing(when string, got live.Missed) {
	d.t.Helper()
	s := got.State
	if len(got.Events)+len(s.History) > 0 || s.Turn != 0 || s.Speaking || s.Pending != nil || s.CallSession != d.session || fmt.Sprint(s.Domain["verification"]) != "{false  0}" {
		d.t.Errorf("%s is told %s: %+v", d.session, when, got)
	}
}

// newDialling is a conversation with the exchange, which tells clients what their call has proven.
func newDialling(t *testing.T) *call {
	t.Helper()
	c := phone(t, newPestCall(t, nil))
	c.calls = true
	c.host.State = func(ctx context.Context, h thread.Head) (map[string]any, error) {
		tc := tool.Context{Thread: h.ID}
		if h.Session != nil {
			tc.Session.ID = h.Session.ID
		}
		proven, err := c.callers.State(ctx, tc)
		return map[string]any{"verification": proven}, err
	}
	return c
}

// A new call session knows nothing of what the last caller said, proved and booked: neither before its mark stands nor after,
// neither its clients nor its model. What stands is there again for the caller who proves to be the same, and the session that was left
// hears and says nothing more.
func TestField80_ANewCallSessionKnowsNothingOfTheLast(t *testing.T) {
	t.Parallel()
	c := newDialling(t)
	var mu sync.Mutex // a turn asks for its acknowledgement while it works
	var asked []string
	c.runner.Model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		var all strings.Builder
		for _, m := range req.Messages {
			all.WriteString(m.Text + "\n")
		}
		mu.Lock()
		asked = append(asked, all.String())
		mu.Unlock()
		return clerk(req), nil
	})
	first := c.dials("s1", "call 1")
	c.work()
	first.tells("zip", "a visit", "the second time", "yes")
	before := first.missed()
	refs := func() []string {
		h, err := c.threads.Head(t.Context(), thread.Of(c.in))
		if err != nil {
			t.Fatal(err)
		}
		return h.Known
	}
	if len(before.State.History) < 8 || fmt.Sprint(before.State.Domain["verification"]) == "{false  0}" || len(refs()) != 1 {
		t.Fatalf("the first call came to %+v", before.State)
	}
	booked := refs()[0]

	second := c.dials("s2", "call 2") // whose mark does not stand yet
	second.wantNothing("before its mark stands", second.missed())
	first.wantNothing("when another has begun", first.missed())
	heardBefore := len(c.hears("s1"))
	c.work()
	m := second.missed()
	if len(m.Events) != 1 || m.Events[0].Text != "Welcome!" || m.Events[0].Standing != nil || len(m.State.History) != 1 {
		t.Errorf("the second call begins with %+v", m)
	}
	asked = nil
	second.tells("a visit", "what have I booked?")
	for _, text := range asked {
		for _, of := range []string{"the second time", "confirmed", "Ant treatment", "Ann", "Welcome! "} {
			if strings.Contains(text, of) {
				t.Errorf("the model of the second call is told %q: %s", of, text)
			}
		}
	}
	for _, f := range c.hears("s2") {
		if f.Standing != nil && len(f.Standing.Items) > 0 || strings.Contains(f.Text, "ppointment is confirmed") {
			t.Errorf("the second call hears %+v", f)
		}
	}
	if !slices.Contains(refs(), booked) {
		t.Errorf("what stands is forgotten: %q", refs())
	}

	if err := first.tries("cancel the visit"); !errors.Is(err, thread.ErrOver) {
		t.Errorf("the first call is taken in once it is over: %v", err)
	}
	first.wantNothing("once it is over", first.missed())
	if got := len(c.hears("s1")); got != heardBefore {
		t.Errorf("the first call's socket heard %d frames of the second", got-heardBefore)
	}
	if _, err := c.host.Room(t.Context(), first.caller()); !errors.Is(err, thread.ErrOver) {
		t.Errorf("the first call is heard where the second is: %v", err)
	}
	if err := c.host.Reset(t.Context(), first.caller()); !errors.Is(err, thread.ErrOver) {
		t.Errorf("the first call resets the second: %v", err)
	}

	again := c.dials("s3", "call 1")
	c.work()
	again.wantNothing("when it connects again", again.missed())
	second.tells("zip", "thanks for that")
	found := slices.ContainsFunc(c.hears("s2"), func(f live.Frame) bool { return f.Standing != nil && len(f.Standing.Items) > 0 })
	if !found || !slices.Contains(refs(), booked) {
		t.Errorf("who has proven to be the same is not told what stands: %q", refs())
	}
	if got := c.hears("s3"); len(got) > 0 {
		t.Errorf("a socket of the first call hears %+v", got)
	}
}

// A message and a new call session come at once: what is said in the one that is left by then is not taken in.
func TestField80_SpokenWhenAnotherBegins(t *testing.T) {
	t.Parallel()
	c := newDialling(t)
	c.runner.Model = clerkModel()
	first := c.dials("s1", "call 1")
	c.work()
	threads := *c.threads
	threads.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.dials("s2", "call 2") })).
		Table(dynamotest.TableName("conversations"))
	host := *c.host
	host.Threads = &threads
	racing := first
	racing.call = &call{world: c.world, host: &host, in: c.in}
	if err := racing.tries("zip"); !errors.Is(err, thread.ErrOver) {
		t.Errorf("taken in: %v", err)
	}
	c.work()
	if turns := c.turns(); len(turns) != 1 || turns[0].In[0].Notice == nil {
		t.Errorf("turns of the second call: %+v", turns)
	}
}

// The same session begun twice at once is one, and none of its clients is told that it is over.
func TestField80_BegunTwiceAtOnce(t *testing.T) {
	t.Parallel()
	c := newDialling(t)
	c.runner.Model = clerkModel()
	c.dials("s1", "call 1")
	c.work()
	threads := *c.threads
	threads.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.dials("s2", "call 2") })).
		Table(dynamotest.TableName("conversations"))
	host := *c.host
	host.Threads = &threads
	late := dialled{c, "s3", "call 2"}
	if err := host.Begin(t.Context(), late.caller()); err != nil {
		t.Errorf("begun a second time: %v", err)
	}
	c.work()
	if m := late.missed(); len(m.Events) != 1 {
		t.Errorf("begins with %+v", m)
	}
}

// A reset begins the session again for all that are in it; a name that only looks like what a reset makes is another session.
func TestField80_NamesOfSessions(t *testing.T) {
	t.Parallel()
	c := newDialling(t)
	c.runner.Model = clerkModel()
	first := c.dials("s1", "call")
	c.work()
	first.tells("zip")
	if err := c.host.Reset(t.Context(), first.caller()); err != nil {
		t.Fatal(err)
	}
	first.wantNothing("before the reset stands", first.missed())
	c.work()
	if m := first.missed(); len(m.Events) != 1 || m.State.CallSession != "call" || fmt.Sprint(m.State.Domain["verification"]) != "{false  0}" {
		t.Errorf("after the reset: %+v", m)
	}
	first.tells("zip")
	for n, name := range []string{"call#1", "call#2", "default", ""} {
		other := c.dials(fmt.Sprint("o", n), name)
		if name != "" {
			other.wantNothing("at first", other.missed())
		}
		c.work()
		if m := other.missed(); len(m.Events) != 1 {
			t.Errorf("%q begins with %+v", name, m)
		}
	}
}
