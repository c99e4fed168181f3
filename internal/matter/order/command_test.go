package order_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/words/wording"
)

// speaksFor is a roster on which a number speaks for businesses.
type speaksFor []string

func (s speaksFor) Read(context.Context, string, string) (roster.Roles, error) {
	var all roster.Roles
	for _, business := range s {
		all = append(all, roster.Entry{Role: roster.Business, Name: business})
	}
	return all, nil
}

// says is what a business's message prepares, a minute later.
func (c *counter) says(text string) gate.Settled {
	c.t.Helper()
	return c.heard(speaksFor{c.biz}, text)
}

// heard is what the message of a number that speaks for businesses prepares, a minute later: for
// at most 2 requests each.
func (c *counter) heard(from speaksFor, text string) gate.Settled {
	c.t.Helper()
	ctx, meter := telemetry.WithMeter(c.t.Context())
	s, ok, err := c.tells(ctx, c.store, from, text)
	if n := meter.Cost().Requests; err != nil || !ok || n > 2*len(from) {
		c.t.Fatalf("%q: %v, %v after %d requests", text, ok, err, n)
	}
	return s
}

// tells is heard, by a store.
func (c *counter) tells(ctx context.Context, s *order.Store, from speaksFor, text string) (gate.Settled, bool, error) {
	return c.tellsIn(ctx, "demo", s, from, text)
}

func (c *counter) tellsIn(ctx context.Context, in string, s *order.Store, from speaksFor, text string) (gate.Settled, bool, error) {
	tc := tool.Context{Market: &market.Market{ID: in}, Language: "en", TimeZone: time.UTC}
	return (&order.Commands{Store: s, Roster: from}).Command(ctx, tc, thread.Message{Text: text, At: c.now.Add(time.Minute)})
}

// An answer that may be to no order or to several changes none, and is told which it lacks.
func TestAnswersWantOneOrder(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	wants := func(s gate.Settled, key wording.Key, nothing bool, parts ...string) {
		t.Helper()
		start, _, _ := strings.Cut(wording.Say("en", key, wording.Vars{"code": "ZZZZ"}), "{")
		if !strings.HasPrefix(s.Text, start) || s.Nothing != nothing || len(s.Writes) > 0 {
			t.Errorf("%d writes, nothing %v: %q, want %q", len(s.Writes), s.Nothing, s.Text, start)
		}
		for _, part := range parts {
			if !strings.Contains(s.Text, part) {
				t.Errorf("%q lacks %q", s.Text, part)
			}
		}
	}
	wants(c.says("accept"), wording.OrderNoneOpen, true)
	var codes []string
	for n := range 2 {
		codes = append(codes, c.apply(c.propose(fmt.Sprint(n)), order.PlacedEvent).Code)
	}
	wants(c.says("accept ZZZZ"), wording.OrderNoSuch, true, "ZZZZ")
	if s := c.says("accept"); len(s.Writes) > 0 || s.Nothing || !strings.Contains(s.Text, codes[0]) || !strings.Contains(s.Text, codes[1]) {
		t.Errorf("which of two: %d writes, %q", len(s.Writes), s.Text)
	}
	if s := c.says("accept " + codes[1]); len(s.Writes) == 0 || !strings.Contains(s.Text, codes[1]) {
		t.Errorf("one of them: %d writes, %q", len(s.Writes), s.Text)
	}
}

// Who says again what was done, or is early, is told how the order stands, and not that it is over.
func TestAnswersThatChangeNothing(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.apply(c.propose("1"), order.PlacedEvent)
	says := func(text, want string) {
		t.Helper()
		if s := c.says(text + " " + o.Code); len(s.Writes) > 0 || s.Nothing || !strings.HasPrefix(s.Text, want) {
			t.Errorf("%s: %d writes, %q; want %q", text, len(s.Writes), s.Text, want)
		}
	}
	says("done", "Reply ACCEPT "+o.Code)
	if got := c.obeyed(o, c.says("accept 20 "+o.Code)); got != order.Accepted {
		t.Fatal(got)
	}
	says("accept 40", "Accepted: "+o.Code+". The customer is being told.\nExpected: Mon 23 Nov 2026, 12:21")
	if got := c.obeyed(o, c.says("done "+o.Code)); got != order.Done {
		t.Fatal(got)
	}
	for _, text := range []string{"accept", "refuse", "done"} {
		says(text, o.Code+" is no longer open")
	}
}

// quoted gives what quoted messages were about.
type quoted map[string]string

func (q quoted) AboutOf(_ context.Context, _, id string) (string, error) { return q[id], nil }

// An answer below a message is to what that was about: to no other order that waits, and to none below
// what nothing is known of, or what is no order's.
func TestField21_AnAnswerBelowAMessage(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	over, open := c.apply(c.apply(c.propose("1"), order.PlacedEvent), order.CancelledEvent), c.apply(c.propose("2"), order.PlacedEvent)
	tc := tool.Context{Market: &market.Market{ID: "demo"}, Language: "en", TimeZone: time.UTC, Thread: "th_1"}
	commands := &order.Commands{Store: c.store, Roster: speaksFor{c.biz}, Outbox: quoted{"over": over.Code, "open": open.Code, "booking": "X7X9X9", "talk": "M7K2P"}}
	for _, tt := range []struct {
		text, below string
		obeyed, ok  bool
		says        string
	}{
		{"ok", "over", false, true, over.Code + " is no longer open"},
		{"ok", "elsewhere", false, true, "Which one"},
		{"ok", "booking", false, false, ""},
		{"ok", "talk", false, false, ""},
		{"ok " + open.Code, "over", true, true, open.Code},
		{"ok", "open", true, true, open.Code},
		{"ok", "", true, true, open.Code},
	} {
		s, ok, err := commands.Command(t.Context(), tc, thread.Message{Text: tt.text, ReplyTo: tt.below, At: c.now.Add(time.Minute)})
		if err != nil || ok != tt.ok || len(s.Writes) > 0 != tt.obeyed || !strings.Contains(s.Text, tt.says) {
			t.Errorf("%q below %q: %v, %d writes, %q, %v", tt.text, tt.below, ok, len(s.Writes), s.Text, err)
		}
	}
}

// A bare word is for what waited for it when it was written: one from before the YES to an order, or
// before it was accepted, is for none.
func TestAnEarlierWordIsNone(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	tc := tool.Context{Market: &market.Market{ID: "demo"}, Language: "en", TimeZone: time.UTC}
	commands := &order.Commands{Store: c.store, Roster: speaksFor{c.biz}}
	for _, tt := range []struct {
		waits order.EventType
		word  string
	}{{order.PlacedEvent, "ok"}, {order.AcceptedEvent, "done"}} {
		c.now = c.now.Add(2 * time.Minute)
		o = c.apply(o, tt.waits)
		for at, obeyed := range map[time.Time]bool{c.now.Add(-time.Minute): false, c.now: true} {
			s, ok, err := commands.Command(t.Context(), tc, thread.Message{Text: tt.word, At: at})
			if err != nil || !ok || len(s.Writes) > 0 != obeyed || s.Nothing == obeyed {
				t.Errorf("%s at %s, %s at %s: %v, %d writes, %q, %v", tt.word, at, tt.waits, c.now, ok, len(s.Writes), s.Text, err)
			}
		}
	}
}

// What is no answer, and an answer of a number that speaks for no business, are left to others.
func TestWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.apply(c.propose("1"), order.PlacedEvent)
	for text, from := range map[string]speaksFor{"hello": {c.biz}, "accept only cash": {c.biz}, "accept": nil} {
		if s, ok, err := c.tells(t.Context(), c.store, from, text); ok || err != nil {
			t.Errorf("%q for %v: %q, %v", text, from, s.Text, err)
		}
	}
}

// obeyed is what an order has become by a business's message.
func (c *counter) obeyed(o order.Order, s gate.Settled) order.Status {
	c.t.Helper()
	if err := c.store.Table.DB().Commit(c.t.Context(), s.Writes...); err != nil {
		c.t.Fatalf("%q: %v", s.Text, err)
	}
	now, err := c.store.Get(c.t.Context(), c.owner, o.Market, o.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	return now.Status
}

// What others were offered since, and said no YES to, comes between no order and its answer.
func TestProposalsHideNoOrder(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	coded, plain := c.apply(c.propose("1"), order.PlacedEvent), c.apply(c.propose("2"), order.PlacedEvent)
	for n := range order.MaxListed + 5 {
		c.now = c.now.Add(time.Second)
		c.propose(fmt.Sprint("offer", n))
	}
	if got := c.obeyed(coded, c.says("YES "+coded.Code)); got != order.Accepted {
		t.Errorf("by its code: %s", got)
	}
	if got := c.obeyed(plain, c.says("YES")); got != order.Accepted {
		t.Errorf("without a code: %s", got)
	}
	if all, _, err := c.store.OpenOf(t.Context(), "demo", c.biz); err != nil || len(all) != 2 {
		t.Errorf("open are %d, %v", len(all), err)
	}
}

// A code leads to its order however many came after it, and however long ago it was placed; without
// one those that are over stand before none.
func TestACodeNamesAnOldOrder(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	visit := func(key string) order.Order {
		d := c.draft()
		d.Kind, d.When = order.Service, c.now.Add(20*24*time.Hour)
		o, err := c.store.Propose(t.Context(), d, key)
		if err != nil {
			t.Fatal(err)
		}
		return c.apply(c.apply(o, order.PlacedEvent), order.AcceptedEvent)
	}
	done, off, open := visit("1"), visit("2"), visit("3")
	c.now = c.now.Add(20 * 24 * time.Hour)
	for n := range order.MaxListed {
		c.apply(c.apply(c.propose(fmt.Sprint("later", n)), order.PlacedEvent), order.RefusedEvent)
	}
	dynamotest.Lapse(t, dynamotest.TableName("records"), c.biz, c.now)
	if got := c.obeyed(done, c.says("DONE "+done.Code)); got != order.Done {
		t.Errorf("DONE: %s", got)
	}
	if got := c.obeyed(off, c.says("cancel "+off.Code+" rain")); got != order.Cancelled {
		t.Errorf("CANCEL: %s", got)
	}
	if got := c.obeyed(open, c.says("DONE")); got != order.Done {
		t.Errorf("DONE without a code, and one open: %s", got)
	}
}

// Who waits for an answer is found behind however many orders for later, which stand before it in the
// list of the business.
func TestOrdersForLaterHideNoneThatWaits(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	for n := range order.MaxListed {
		d := c.draft()
		d.Kind, d.When = order.Service, c.now.AddDate(0, 0, 20)
		o, err := c.store.Propose(t.Context(), d, fmt.Sprint("later", n))
		if err != nil {
			t.Fatal(err)
		}
		c.apply(c.apply(o, order.PlacedEvent), order.AcceptedEvent)
	}
	waits := c.apply(c.propose("waits"), order.PlacedEvent)
	if got := c.obeyed(waits, c.says("ACCEPT")); got != order.Accepted {
		t.Errorf("ACCEPT: %s", got)
	}
	if s := c.says("DONE"); len(s.Writes) > 0 || s.Nothing {
		t.Errorf("DONE, which all wait for: %d writes, %q", len(s.Writes), s.Text)
	}
}

// A number that speaks for two businesses means, by a code that both have given, the order that
// something is still to happen to.
func TestACodeOfTwoBusinesses(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	other := *c
	other.biz = c.biz + "-2" // looked at after it
	a, b := sameCode(c.owner)
	over, open := c.apply(c.apply(c.propose(a), order.PlacedEvent), order.RefusedEvent), other.apply(other.propose(b), order.PlacedEvent)
	if over.Code != open.Code {
		t.Fatalf("codes %s and %s", over.Code, open.Code)
	}
	for _, from := range []speaksFor{{c.biz, other.biz}, {other.biz, c.biz}} {
		if s := c.heard(from, "YES "+open.Code); len(s.Writes) == 0 {
			t.Errorf("%d writes, %q", len(s.Writes), s.Text)
		}
	}
	both := speaksFor{c.biz, other.biz}
	if got := c.obeyed(open, c.heard(both, "YES "+open.Code)); got != order.Accepted {
		t.Error(got)
	}
	if got := c.obeyed(open, c.heard(both, "DONE "+open.Code)); got != order.Done {
		t.Error(got)
	}
	if s := c.heard(both, "DONE "+open.Code); s.Nothing || len(s.Writes) != 0 {
		t.Errorf("both are over: %d writes, %q", len(s.Writes), s.Text)
	}
}

// A business of another market has none of these orders to answer, whatever it is called.
func TestAnswersFromAnotherMarket(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.apply(c.propose("1"), order.PlacedEvent)
	for _, text := range []string{"refuse", "refuse " + o.Code} {
		s, ok, err := c.tellsIn(t.Context(), "elsewhere", c.store, speaksFor{c.biz}, text)
		if err != nil || !ok || !s.Nothing || len(s.Writes) > 0 {
			t.Errorf("%q: %d writes, %q, %v, %v", text, len(s.Writes), s.Text, ok, err)
		}
	}
	if _, err := c.store.ByCode(t.Context(), "elsewhere", c.biz, o.Code); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("by its code: %v", err)
	}
	if all, _, err := c.store.OpenOf(t.Context(), "elsewhere", c.biz); err != nil || len(all) > 0 {
		t.Errorf("open are %v, %v", all, err)
	}
}
