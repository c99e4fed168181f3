package turn_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/market"
	"merve/internal/wording"
)

// A model that never comes to an end is stopped by each of the bounds, where that is the only one
// that it reaches: after its third round, with words of our own.
func TestField24_EachBoundByItself(t *testing.T) {
	t.Parallel()
	const tokens, microUSD = 2000, 12_500 // of each round of gpt-4o
	for name, bind := range map[string]func(s *market.Safety){
		"rounds": func(s *market.Safety) { s.MaxRounds = 3 },
		"calls":  func(s *market.Safety) { s.MaxCalls = 5 }, // of two in each round
		"tokens": func(s *market.Safety) { s.TurnTokens = 3 * tokens },
		"money":  func(s *market.Safety) { s.TurnMicroUSD = 3 * microUSD },
		"time":   func(s *market.Safety) { s.TurnSeconds = 30 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, rounds := tireless(t, bind)
			a := w.say(w.from("ann", channel.App, "m1", "hi"))
			if *rounds != 3 || a.Turn.Out[0].Text != wording.Say("en", wording.BoundReached, nil) {
				t.Errorf("%d rounds, then %q", *rounds, a.Turn.Out[0].Text)
			}
		})
	}
}

// What a thread and a market have spent on a day counts for the turns after it, until the next day.
func TestField24_DaysHaveBounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bind func(s *market.Safety)
		who  string
		says wording.Key
	}{
		"thread": {func(s *market.Safety) { s.ThreadDayMicroUSD = 37_500 }, "ann", wording.BudgetThread},
		"market": {func(s *market.Safety) { s.MarketDayMicroUSD = 37_500 }, "bob", wording.BudgetMarket},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds = 3; tt.bind(s) })
			w.say(w.from("ann", channel.App, "m1", "hi"))
			if *rounds != 3 {
				t.Errorf("%d rounds", *rounds)
			}
			a := w.say(w.from(tt.who, channel.App, "m2", "again"))
			if *rounds != 3 || a.Turn.Out[0].Text != wording.Say("en", tt.says, nil) {
				t.Errorf("%d rounds, then %q", *rounds, a.Turn.Out[0].Text)
			}
			w.clock.add(24 * time.Hour)
			if w.say(w.from(tt.who, channel.App, "m3", "tomorrow")); *rounds != 6 {
				t.Errorf("on the next day: %d rounds", *rounds)
			}
		})
	}
}

// tireless is a world whose model makes two calls in ten seconds in each round, never the same, and
// the number of its rounds.
func tireless(t *testing.T, bind func(*market.Safety)) (*world, *int) {
	t.Helper()
	rounds := new(int)
	w := newWorld(t, func(m *market.Market) {
		m.Safety.MaxRounds, m.Safety.MaxCalls, m.Safety.TurnSeconds, m.Safety.TurnTokens, m.Safety.TurnMicroUSD = 30, 100, 100, 2_000_000, 100_000_000
		m.Safety.ThreadDayMicroUSD, m.Safety.MarketDayMicroUSD = 1_000_000_000, 1_000_000_000
		bind(&m.Safety)
	})
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		*rounds++
		w.clock.add(10 * time.Second)
		return llm.Response{
			Calls: calls(search(fmt.Sprint("a", *rounds)), search(fmt.Sprint("b", *rounds))), Finish: "tool_calls", Model: "gpt-4o", Usage: llm.Usage{Input: 1000, Output: 1000},
		}, nil
	})
	w.restart()
	return w, rounds
}
