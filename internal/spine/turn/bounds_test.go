package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/people/desk"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
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

		"tokens, a little left in the second": func(s *market.Safety) { s.TurnTokens = 2*tokens + 1 },
		"money, a little left in the second":  func(s *market.Safety) { s.TurnMicroUSD = 2*microUSD + 1 },
		"time, a little left in the second":   func(s *market.Safety) { s.TurnSeconds = 21 },
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

// A turn that proposes more than one transaction takes asks about the last, and has let go of the
// others; of all of them when a STOP comes in meanwhile.
func TestATurnThatProposesALot(t *testing.T) {
	t.Parallel()
	for meanwhile, want := range map[string]struct {
		reply string
		held  int
	}{
		"":        {"Reply YES to confirm", 1},
		"thanks":  {"Reply YES to confirm", 1},
		"STOP":    {"no more messages", 0},
		"a human": {"", 0},
	} {
		t.Run(meanwhile, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.hall("")
			in := w.from("ann", channel.WhatsApp, "1", "all week")
			switch w.last = in; meanwhile {
			case "":
				w.model = clerkModel()
			case "a human":
				w.model = w.overtaken()
			default:
				w.model = w.interrupted(meanwhile)
			}
			w.comes(in)
			w.settle()
			turns, held := w.turnsOf(threadOf(in)), 0
			for _, tx := range w.transactions() {
				if tx.State == ledger.Hold {
					held++
				}
			}
			if len(turns) != 1 || !strings.Contains(textOf(turns[0]), want.reply) || held != want.held || len(w.transactions()) != 5 {
				t.Errorf("%d turns, %d held of %d, want %d and %q: %+v", len(turns), held, len(w.transactions()), want.held, want.reply, turns)
			}
		})
	}
}

// The offer that the customer knows of goes with the turn that says so, however much that turn has
// proposed.
func TestAnOfferThatWasShownGoesWithTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.hall("")
	w.model = clerkModel()
	shown := w.say(w.from("ann", channel.App, "1", "book")).Pending.Ref
	w.clock.add(9*time.Minute + 40*time.Second) // too late for a YES
	states := []ledger.State{}
	look := func() {
		for _, tx := range w.transactions() {
			if tx.ID == shown {
				states = append(states, tx.State)
			}
		}
	}
	w.start(dynamotest.Open(t, dynamotest.Look{Next: wire, See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" && bytes.Contains(body, []byte(`"turn#`)) {
			look()
		}
		return body, nil
	}}))
	a := w.say(w.from("ann", channel.App, "2", "all week"))
	look()
	if diff := cmp.Diff([]ledger.State{ledger.Hold, ledger.Cancelled}, states); diff != "" || !strings.Contains(textOf(a.Turn), "Reply YES to confirm") {
		t.Errorf("%s, answered %q", diff, textOf(a.Turn))
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

// What sessions use up of a market's day leaves the rest to customers who can be told apart, also when the
// process that counted is gone.
func TestField24_AFloodOfSessionsLeavesOthersTheirShare(t *testing.T) {
	t.Parallel()
	w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds, s.MarketDayMicroUSD, s.IdentifiedPercent = 3, 120_000, 50 })
	for n, want := range []int{3, 6, 6, 6} {
		if n == 3 {
			w.start(w.db) // a cold process, which knows only what is stored
		}
		who := fmt.Sprint("session", n)
		a := w.say(w.from(who, channel.App, "m1", "hi"))
		if *rounds != want || n > 1 && textOf(a.Turn) != wording.Say("en", wording.BudgetMarket, nil) {
			t.Errorf("%s: %d rounds, then %q", who, *rounds, textOf(a.Turn))
		}
	}
	w.say(w.from("eve", channel.WhatsApp, "m1", "hi"))
	if *rounds != 9 {
		t.Errorf("on WhatsApp: %d rounds", *rounds)
	}
}

// One address has its own bound, however many sessions there are at it, and others are answered.
func TestField24_AFloodFromOneAddress(t *testing.T) {
	t.Parallel()
	w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds, s.ThreadDayMicroUSD = 3, 3_000 })
	say := func(who, address string) thread.Turn {
		in := w.from(who, channel.App, "m1", "hi")
		in.Address = address
		return w.say(in).Turn
	}
	for n, want := range []int{3, 6, 6} {
		if got := say(fmt.Sprint("session", n), "address:here"); *rounds != want || n > 1 && textOf(got) != wording.Say("en", wording.BudgetMarket, nil) {
			t.Errorf("%d: %d rounds, then %q", n, *rounds, textOf(got))
		}
	}
	if say("other", "address:there"); *rounds != 9 {
		t.Errorf("at another address: %d rounds", *rounds)
	}
}

// What a turn has cost that came to no end counts for its market's day, and what is tried again counts
// once more.
func TestField24_WhatFailedIsPaidFor(t *testing.T) {
	t.Parallel()
	w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds, s.MarketDayMicroUSD = 3, 75_000 })
	var broken atomic.Bool
	w.over(&faulttest.Calls{Choose: func(call string) faulttest.Fault {
		if broken.Load() {
			return faulttest.Invalid // of what can be only: a transaction
		}
		return ""
	}})
	in := w.from("ann", channel.App, "m1", "hi")
	w.comes(in)
	broken.Store(true)
	for n, want := range []int{3, 6, 6} {
		if err := w.runner.Work(t.Context(), threadOf(in)); err == nil || *rounds != want {
			t.Errorf("try %d: %d rounds, want %d; %v", n+1, *rounds, want, err)
		}
	}
	broken.Store(false)
	w.work()
	if got := textOf(w.turnsOf(threadOf(in))[0]); got != wording.Say("en", wording.BudgetMarket, nil) {
		t.Error(got)
	}
	days, err := w.runner.Figures.Days(t.Context(), w.market, w.clock.now(), w.clock.now())
	if err != nil || len(days) != 1 || days[0].MicroUSD != 75_000 || days[0].Turns != 0 {
		t.Errorf("%+v, %v", days, err)
	}
}

// What a turn has cost counts for its market's day while the store does not take it, and is saved, with
// how much was said, when the store does.
func TestField24_WhatIsNotSavedYetCounts(t *testing.T) {
	t.Parallel()
	w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds, s.MarketDayMicroUSD = 3, 37_500 })
	var away atomic.Bool
	w.start(dynamotest.Once(t, dynamotest.Look{Next: wire, See: func(op string, body []byte) ([]byte, error) {
		if away.Load() && bytes.Contains(body, []byte(`"spend#`)) {
			return nil, io.ErrUnexpectedEOF
		}
		return body, nil
	}}))
	away.Store(true)
	w.say(w.from("ann", channel.App, "m1", "hi"))
	away.Store(false)
	if a := w.say(w.from("bob", channel.App, "m2", "hi")); *rounds != 3 || textOf(a.Turn) != wording.Say("en", wording.BudgetMarket, nil) {
		t.Errorf("%d rounds, then %q", *rounds, textOf(a.Turn))
	}
	days, err := w.runner.Figures.Days(t.Context(), w.market, w.clock.now(), w.clock.now())
	if err != nil || len(days) != 1 || days[0].MicroUSD != 37_500 || days[0].Turns != 2 {
		t.Errorf("%+v, %v", days, err)
	}
}

// What a market has spent is its day's, also what was not worth a request yet when the day ended.
func TestField24_TheLastTurnsOfADayCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = clerkModel()
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for i, at := range []time.Duration{-30 * time.Second, -20 * time.Second, -10 * time.Second, 0, time.Second} { // of the next day
		w.clock.set(day.Add(24*time.Hour + at))
		w.say(w.from("ann", channel.App, fmt.Sprint(i), "hi"))
	}
	days, err := w.runner.Figures.Days(t.Context(), w.market, day, day.Add(24*time.Hour))
	if err != nil || len(days) != 2 || days[0].Turns != 3 || days[1].Turns != 1 {
		t.Errorf("%+v, %v", days, err)
	}
}

// What a turn's calls and its model give is shown as far as it fits into the turn's item, the cards of the
// latest calls first.
func TestField24_WhatOneTurnShows(t *testing.T) {
	t.Parallel()
	w, rounds := tireless(t, func(s *market.Safety) { s.MaxRounds = 20 })
	w.stock(crowded(30, 60))
	told := 0
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		if *rounds++; *rounds == 20 {
			return llm.Response{Text: strings.Repeat("These are all that there are. ", 20_000)}, nil
		}
		told++
		return llm.Response{Calls: calls(search(fmt.Sprint("place ", *rounds)), llm.Call{Name: strings.Repeat("inventedTool", 40_000), Args: []byte("{}")})}, nil
	})
	a := w.say(w.from("ann", channel.App, "m1", "hi"))
	data, err := json.Marshal(a.Turn)
	if err != nil {
		t.Fatal(err)
	}
	if cards := a.Turn.Out[0].Cards; told != 19 || len(data) > 100<<10 || len(cards) == 0 || len(cards) > 40 {
		t.Errorf("%d rounds, %d bytes, %d cards", told, len(data), len(cards))
	}
}

// crowded are listings of many offerings each, as YAML.
func crowded(listings, offerings int) []byte {
	var b bytes.Buffer
	for l := range listings {
		fmt.Fprintf(&b, "- {id: l%d, businessId: biz-l%d, names: {en: Place %d}, domain: food, category: restaurant, merve: {enabled: true}, offerings: [\n", l, l, l)
		for o := range offerings {
			fmt.Fprintf(&b, "  {id: o%d, name: Table number %d of this place, timeZone: Europe/Nicosia, hours: {mon: [{from: '18:00', to: '23:00'}]}, "+
				"slotMinutes: 60, durationMinutes: 60, capacity: 1, horizonDays: 30, unit: slot, minParty: 1, maxParty: 6, currency: EUR, per: booking},\n", o, o)
		}
		b.WriteString("]}\n")
	}
	return b.Bytes()
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

// However long a model talks, its words make room for the question: what waits for a YES was shown
// whole, and so was what it is reminded of, in no more messages than the market allows.
func TestALongTextLeavesRoomForTheQuestion(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 3} {
		w := newWorld(t, func(m *market.Market) { m.Safety.MaxOutboundPerInbound, m.Gate = most, market.Converse })
		w.stock(nil)
		w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
			r := clerk(req)
			if len(r.Calls) == 0 {
				r.Text = strings.Repeat("The old harbour has many places where one eats well. ", most*channel.WhatsApp.MaxPiece()/50) + "It is all near."
			}
			return r, nil
		})
		in := w.from("ann", channel.WhatsApp, "1", "book")
		for i, text := range []string{"book", "what is near?"} {
			in.MessageID, in.Text = fmt.Sprint(i), text
			w.comes(in)
			w.settle()
			p := w.head(threadOf(in)).Pending
			if p == nil {
				t.Fatalf("%d messages, %q: nothing waits", most, text)
			}
			told, turns := w.whatWasSent(), w.turnsOf(threadOf(in))
			all := strings.Join(told, "\n\n")
			if len(told) != most || !strings.Contains(all, p.Question()) || !strings.HasPrefix(all, "The old harbour") || !strings.Contains(all, "…\n\n") {
				t.Errorf("%d messages, %q: %d are sent: %q", most, text, len(told), all)
			}
			if said := textOf(turns[len(turns)-1]); len(strings.Fields(said)) != len(strings.Fields(all)) {
				t.Errorf("%d messages, %q: the thread has %q", most, text, said)
			}
			w.sent = nil
		}
	}
}

// What staff write arrives whole, in as many messages as it takes.
func TestAllThatStaffWriteIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(m *market.Market) { m.Safety.MaxOutboundPerInbound = 1 })
	w.model = says("Hello.")
	in := w.from("ann", channel.WhatsApp, "1", "hi")
	w.comes(in)
	w.settle()
	w.sent = nil
	long := strings.TrimSpace(strings.Repeat("Take the left gate. ", desk.MaxText/20))
	if err := w.teller().Tell(t.Context(), threadOf(in), "1", thread.Notice{Kind: "desk", Text: long, ByPerson: true}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	told, line, _ := strings.Cut(strings.Join(w.whatWasSent(), " "), "\n\n")
	if told != long || !strings.HasPrefix(line, "○") {
		t.Errorf("%d of %d characters are sent", len(told), len(long))
	}
}

// In the app, which takes any length, nothing is shortened.
func TestALongTextInTheApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(m *market.Market) { m.Safety.MaxOutboundPerInbound = 1 })
	long := strings.Repeat("A lamp is out. ", 400) + "That is all."
	w.model = says(long)
	if a := w.say(w.from("ann", channel.App, "1", "hi")); textOf(a.Turn) != long {
		t.Errorf("%d of %d characters", len(textOf(a.Turn)), len(long))
	}
}

// whatWasSent are the texts that were sent, each of which WhatsApp takes.
func (w *world) whatWasSent() []string {
	w.t.Helper()
	var texts []string
	for _, m := range w.sent {
		if n := utf8.RuneCountInString(m.Text); n > 1600 {
			w.t.Errorf("a message of %d characters", n)
		}
		texts = append(texts, m.Text)
	}
	return texts
}

// asks is a model that makes so many calls in each of its rounds, never the same, and then answers
// "Hello."; it counts how often it was asked.
func asks(asked *int, rounds ...int) llm.Model {
	return modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		*asked++
		if *asked > len(rounds) {
			return llm.Response{Text: "Hello.", Finish: "stop"}, nil
		}
		var cs []llm.Call
		for n := range rounds[*asked-1] {
			cs = append(cs, search(fmt.Sprint(*asked, " and ", n)))
		}
		return llm.Response{Calls: calls(cs...), Finish: "tool_calls"}, nil
	})
}

// Rounds and calls are bounded exactly: what is allowed happens, what is one more does not.
func TestField24_BoundsAreExact(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bind   func(s *market.Safety)
		rounds []int // calls of each
		asked  int   // how often the model was
		ran    int   // how many calls were run
		ended  bool  // with the model's own words
	}{
		"calls, one below":                  {func(s *market.Safety) { s.MaxCalls = 5 }, []int{2, 2}, 3, 4, true},
		"calls, all":                        {func(s *market.Safety) { s.MaxCalls = 5 }, []int{2, 3}, 2, 5, false},
		"calls, one above, of two rounds":   {func(s *market.Safety) { s.MaxCalls = 5 }, []int{3, 3}, 2, 5, false},
		"calls, one above, of three rounds": {func(s *market.Safety) { s.MaxCalls = 5 }, []int{2, 3, 1}, 2, 5, false},
		"calls, one above, of one round":    {func(s *market.Safety) { s.MaxCalls = 5 }, []int{6}, 1, 5, false},
		"a single call":                     {func(s *market.Safety) { s.MaxCalls = 1 }, []int{1}, 1, 1, false},
		"calls of a round, all":             {func(*market.Safety) {}, []int{8}, 2, 8, true},
		"calls of a round, one above":       {func(*market.Safety) {}, []int{9}, 2, 8, true},
		"rounds, one below":                 {func(s *market.Safety) { s.MaxRounds = 3 }, []int{1}, 2, 1, true},
		"rounds, all":                       {func(s *market.Safety) { s.MaxRounds = 3 }, []int{1, 1}, 3, 2, true},
		"rounds, one above":                 {func(s *market.Safety) { s.MaxRounds = 3 }, []int{1, 1, 1}, 3, 3, false},
		"a single round":                    {func(s *market.Safety) { s.MaxRounds = 1 }, []int{1}, 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			w, _ := tireless(t, tt.bind)
			w.model = asks(&asked, tt.rounds...)
			a := w.say(w.from("ann", channel.App, "m1", "hi"))
			want := "Hello."
			if !tt.ended {
				want = wording.Say("en", wording.BoundReached, nil)
			}
			if got := textOf(a.Turn); asked != tt.asked || len(a.Turn.Calls) != tt.ran || got != want {
				t.Errorf("asked %d times, want %d; ran %d calls, want %d; %q, want %q", asked, tt.asked, len(a.Turn.Calls), tt.ran, got, want)
			}
		})
	}
}

// The same call runs as often as the market allows, whether in one round or in several: once more and
// it is refused, and the turn ends.
func TestField24_TheSameCallIsBoundedExactly(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 3} {
		for _, one := range []bool{true, false} { // all in one round, each in one of its own
			for times := most; times <= most+1; times++ {
				t.Run(fmt.Sprintf("%d of %d, in one round %v", times, most, one), func(t *testing.T) {
					t.Parallel()
					asked, left := 0, times
					w, _ := tireless(t, func(s *market.Safety) { s.MaxSameCall = most })
					w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
						n := min(left, map[bool]int{true: times, false: 1}[one])
						if asked++; n == 0 {
							return llm.Response{Text: "Hello.", Finish: "stop"}, nil
						}
						left -= n
						var cs []llm.Call
						for range n {
							cs = append(cs, search("the same"))
						}
						return llm.Response{Calls: calls(cs...), Finish: "tool_calls"}, nil
					})
					in := w.from("ann", channel.App, "m1", "hi")
					a := w.say(in)
					statuses := map[string]int{}
					for _, c := range a.Turn.Calls {
						statuses[c.Status]++
					}
					want := map[string]int{"ok": most}
					text := "Hello."
					if times > most {
						want["denied"], text = 1, wording.Say("en", wording.BoundReached, nil)
					}
					if diff := cmp.Diff(want, statuses); diff != "" || textOf(a.Turn) != text {
						t.Errorf("%q, want %q; calls (-want +got):\n%s", textOf(a.Turn), text, diff)
					}
				})
			}
		}
	}
}
