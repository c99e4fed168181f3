package order_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/gate"
	"merve/internal/market"
	"merve/internal/order"
	"merve/internal/roster"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// speaksFor is a roster on which a number speaks for one business.
type speaksFor string

func (s speaksFor) Read(context.Context, string, string) (roster.Roles, error) {
	return roster.Roles{{Role: roster.Business, Name: string(s)}}, nil
}

// says is what a business's message prepares, a minute later.
func (c *counter) says(text string) gate.Settled {
	c.t.Helper()
	commands := &order.Commands{Store: c.store, Roster: speaksFor(c.biz)}
	tc := tool.Context{Market: &market.Market{ID: "demo"}, Language: "en", TimeZone: time.UTC}
	s, ok, err := commands.Command(c.t.Context(), tc, thread.Message{Text: text, At: c.now.Add(time.Minute)})
	if err != nil || !ok {
		c.t.Fatalf("%q: %v, %v", text, ok, err)
	}
	return s
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
