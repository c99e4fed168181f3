package simulation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/provider/openai/openaitest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// A model that never ends is stopped by each of the bounds of its turn, and what it costs
// by those of the thread's day and the market's.
func TestPromise1_ARunawayModelIsStopped(t *testing.T) {
	t.Parallel()
	calls := func(n int, args func(i int) string) openaitest.Answer {
		var a openaitest.Answer
		for i := range n {
			a.Calls = append(a.Calls, openaitest.Call{ID: fmt.Sprint(i), Name: "searchMarketplace", Args: args(i)})
		}
		return a
	}
	search := func(text string) string {
		return fmt.Sprintf(`{"query":%q,"domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`, text)
	}
	for _, tt := range []struct {
		name   string
		change func(s *market.Safety)
		says   func(n int) openaitest.Answer // in the n-th round
		people int
		turns  int // of each
		rounds int // at most, of all turns together
	}{
		{"it calls for ever", nil, func(n int) openaitest.Answer {
			return calls(1, func(int) string { return search(fmt.Sprint("sushi", n)) })
		}, 1, 1, 8},
		{"many calls a round", nil, func(n int) openaitest.Answer {
			return calls(50, func(i int) string { return search(fmt.Sprint(n, i)) })
		}, 1, 1, 2},
		{"the same call for ever", nil, func(int) openaitest.Answer { return calls(1, func(int) string { return search("sushi") }) }, 1, 1, 4},
		{"a megabyte of arguments", nil, func(int) openaitest.Answer {
			return calls(1, func(int) string { return search(strings.Repeat("x", 1<<20)) })
		}, 1, 1, 8},
		{"a megabyte of text", nil, func(int) openaitest.Answer { return openaitest.Answer{Text: strings.Repeat("The sea. ", 120_000)} }, 1, 1, 2},
		{"many tokens", func(s *market.Safety) { s.TurnMicroUSD = 100_000_000 }, func(n int) openaitest.Answer {
			a := calls(1, func(int) string { return search(fmt.Sprint("sushi", n)) })
			a.Usage = openaitest.Usage{Prompt: 60_000, Completion: 2_000}
			return a
		}, 1, 1, 2},
		{"a dear turn", func(s *market.Safety) { s.TurnMicroUSD = 5_000 }, func(n int) openaitest.Answer {
			a := calls(1, func(int) string { return search(fmt.Sprint("sushi", n)) })
			a.Usage = openaitest.Usage{Prompt: 20_000, Completion: 100}
			return a
		}, 1, 1, 2},
		{"a flood on one thread", func(s *market.Safety) { s.ThreadDayMicroUSD = 10_000 }, func(int) openaitest.Answer {
			return openaitest.Answer{Text: "The sea is blue.", Usage: openaitest.Usage{Prompt: 20_000, Completion: 100}}
		}, 1, 8, 4},
		{"a flood on the market", func(s *market.Safety) { s.MarketDayMicroUSD = 10_000 }, func(int) openaitest.Answer {
			return openaitest.Answer{Text: "The sea is blue.", Usage: openaitest.Usage{Prompt: 20_000, Completion: 100}}
		}, 4, 3, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: 1, Market: func(m *market.Market) {
				if tt.change != nil {
					tt.change(&m.Safety)
				}
			}})
			rounds := 0
			w.Model = func(*World, openaitest.Request) openaitest.Answer { rounds++; return tt.says(rounds) }
			for range tt.people {
				w.Join(channel.App)
			}
			w.Begin()
			for n := range tt.turns {
				for _, c := range w.Customers {
					a := w.Say(c, &Said{Text: fmt.Sprint("hello ", n)})
					if a.Status != 200 || len(a.Body) > 32<<10 || !strings.Contains(a.Body, `"reply":"`) {
						t.Errorf("turn %d: %d, %d bytes", n, a.Status, len(a.Body))
					}
					w.Pass(time.Second)
				}
			}
			if rounds > tt.rounds || rounds == 0 {
				t.Errorf("the model was asked %d times, want at most %d", rounds, tt.rounds)
			}
			w.bounded()
		})
	}
}

// A message of more than a channel carries is refused, and costs nothing.
func TestAMessageTooLongIsRefused(t *testing.T) {
	t.Parallel()
	w := New(t, Options{Seed: 1})
	w.Model = func(*World, openaitest.Request) openaitest.Answer {
		t.Error("the model was asked")
		return openaitest.Answer{}
	}
	c := w.Join(channel.App)
	w.Begin()
	for _, size := range []int{4097, 10_000, 60_000, 70_000, 1 << 20} {
		if a := w.Say(c, &Said{Text: strings.Repeat("x", size)}); a.Status != 400 && a.Status != 413 {
			t.Errorf("%d characters: %d", size, a.Status)
		}
	}
}
