package turn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// TestField25_KilledAtEveryCall runs every kind of turn with a fault at each of its calls
// to the store and to providers, has the channel bring the message again as it does, and
// wants the state, the outbox and what was sent of a turn without faults.
//
// In a short run each meets its faults at every fourth call, another one with each SEED, and at every sixth while nobody has
// chosen one. The common kinds (plain, proposal,
// YES, NO) meet one fault of each kind of consequence, on WhatsApp and in the app. The others meet death after a call
// (which leaves what death before the next one does), on WhatsApp or Messenger, whose turns make all the calls of a page's
// and more. With TIMES above 1 the common ones meet all faults on all channels, and the others death and one fault more on
// both of theirs, another one with each SEED: fourteen in a row try all. Those runs try every call.
func TestField25_KilledAtEveryCall(t *testing.T) {
	t.Parallel()
	long, met := seedtest.Times(t, 1) > 1, newEffects(t)
	t.Cleanup(met.wantAll)
	for _, k := range kinds() {
		channels := k.channels()
		if !long && !k.common {
			channels = channels[len(channels)-1:]
		}
		for _, ch := range channels {
			faults := faulttest.Faults
			switch {
			case k.common && long:
			case k.common:
				faults = faulttest.Few
			case long: // other seeds try others
				faults = []faulttest.Fault{faulttest.DiesAfter, faults[seedtest.InTurn(t, len(faults))]}
			default:
				faults = []faulttest.Fault{faulttest.DiesAfter}
			}
			t.Run(k.name+"/"+string(ch), func(t *testing.T) {
				t.Parallel()
				fresh := k.world
				if !k.alone {
					fresh = k.world(t).like
				}
				play := func(t *testing.T, calls *faulttest.Calls) state {
					w := fresh(t)
					defer met.add(k.name, w)
					return k.play(w, ch, calls)
				}
				faulttest.Quarter(t, faults, play)
			})
		}
	}
}

func (k kind) channels() []channel.Channel {
	switch {
	case k.only != "":
		return []channel.Channel{k.only}
	case k.sara:
		return []channel.Channel{channel.Web, channel.Messenger}
	}
	return []channel.Channel{channel.App, channel.WhatsApp}
}

// world is where turns of the kind take place.
func (k kind) world(t *testing.T) *world {
	t.Helper()
	if k.sara {
		return newSara(t, k.market)
	}
	if k.call {
		return newPestCall(t, k.market)
	}
	w := newWorld(t, k.market)
	if !k.alone {
		w.stock(nil, "meze", "reef", k.also)
		return w
	}
	w.stock(nil, "meze", "kebab", k.also)
	w.employ([]byte("- {id: d1, name: Deniz, districts: [Kyrenia], seats: 4}"))
	if k.seeks {
		w.answers = assistant.Moltbot().Name
		w.settleVendors([]byte("[{id: v1, name: Power Hire, category: generator rental}, {id: v2, name: Island Power, category: generator rental}]"))
	}
	return w
}

// play has the turn meet faults, and gives the state that is left in the end.
func (k kind) play(w *world, ch channel.Channel, calls *faulttest.Calls) state {
	w.t.Helper()
	w.last = w.from("ann", ch, "", "")
	if k.call {
		w.beginsCall(threadOf(w.last), "s1", "+14155550100", "home")
	}
	w.model = clerkModel()
	switch {
	case k.sara:
		w.model = w.modelOfSara()
	case k.model != nil && k.before != nil:
		w.model = k.model(w)
	}
	for i, text := range k.before {
		w.clock.add(time.Second)
		in := w.spoken(ch, fmt.Sprint("before", i), text)
		if k.unsent {
			w.comes(in)
			w.work()
			continue
		}
		w.arrive(nil, in)
		w.sendAll() // what it tells a business of goes out before that is asked anything
	}
	w.clock.add(time.Second + k.later)
	if k.prepare != nil {
		k.prepare(w, threadOf(w.last))
	}
	if k.model != nil {
		w.model = k.model(w)
	}
	var elsewhere func(ctx context.Context) error
	if k.elsewhere != nil {
		elsewhere = k.elsewhere(w, threadOf(w.last))
	}
	var burst []channel.Inbound
	for i, text := range k.said {
		in := w.spoken(ch, fmt.Sprint("said", i), text)
		if k.photo {
			in.Media = []channel.Media{w.sara.photo(ch, "wall.jpg")}
		}
		burst = append(burst, in)
	}
	w.brought = map[string]bool{}
	w.over(calls)
	w.happen(elsewhere, calls, burst)
	w.restart()
	w.clock.add(thread.LeaseFor + time.Second)
	w.happen(elsewhere, nil, burst) // once more, when all is done
	answered := len(w.turnsOf(threadOf(w.last)))
	w.settle()
	s := w.state(threadOf(w.last))
	turns := s.Turns[:answered] // without those that tell of what came of it
	if len(burst) > 0 && burst[0].ThreadType != channel.General {
		turns = s.Theirs
	}
	last := turns[len(turns)-1]
	if !strings.Contains(last, k.want) {
		w.t.Errorf("want %q in %s", k.want, last)
	}
	for _, name := range w.runner.Tools.Names() {
		if strings.Contains(last, "{"+name+" ok}") || strings.Contains(last, "{"+name+" proposed}") {
			w.brought[name] = true
		}
	}
	return s
}

// happen brings about what a kind of turn answers: what was said, or what happens elsewhere.
func (w *world) happen(elsewhere func(ctx context.Context) error, calls *faulttest.Calls, burst []channel.Inbound) {
	w.t.Helper()
	if elsewhere == nil {
		w.arrive(calls, burst...)
		return
	}
	w.deliver(calls, elsewhere)
	w.deliver(calls, func(ctx context.Context) error { return w.runner.Work(ctx, threadOf(w.last)) })
}

// arrive brings messages as their channel does, again and again until each is taken: on
// pages the client of the last one waits for the turn, on webhooks the queue runs it. While all is
// well, the answer goes out.
func (w *world) arrive(calls *faulttest.Calls, burst ...channel.Inbound) {
	w.t.Helper()
	for i, in := range burst {
		w.deliver(calls, func(ctx context.Context) error {
			var err error
			switch {
			case in.Channel.Pushes():
				_, err = w.runner.ProcessInbound(ctx, in)
			case i < len(burst)-1:
				_, err = w.threads.Append(ctx, in, false)
			default:
				_, err = w.runner.Converse(ctx, in)
			}
			return err
		})
	}
	if len(burst) > 0 && burst[0].Channel.Pushes() {
		w.deliver(calls, func(ctx context.Context) error { return w.runner.Work(ctx, threadOf(burst[0])) })
		if calls == nil {
			w.sends(threadOf(burst[0]))
		}
	}
}

// deliver repeats a step until there is no error, in a new process when the old one died,
// after the time in which a lease runs out.
func (w *world) deliver(calls *faulttest.Calls, step func(ctx context.Context) error) {
	w.t.Helper()
	if calls == nil {
		if err := step(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	died := false
	again := func() {
		if died {
			w.over(calls)
		}
		w.clock.add(thread.LeaseFor + time.Second)
	}
	calls.Deliver(w.t, again, func() error {
		err := step(w.t.Context())
		died = calls.Dead()
		return err
	})
}

// TestField25_YesAtTheLastMoment kills the turn of a YES to a frozen call that came just in
// time, so that it is gone on with too late: whether the call ran, and whether it is said to
// have, is the same.
func TestField25_YesAtTheLastMoment(t *testing.T) {
	t.Parallel()
	faults := []faulttest.Fault{faulttest.DiesAfter, faulttest.DiesBefore, faulttest.AnswerLost}
	faulttest.Everywhere(t, faults, func(t *testing.T, calls *faulttest.Calls) int {
		w := newWorld(t, nil)
		w.model = clerkModel()
		w.say(w.from("ann", channel.App, "1", "note"))
		w.clock.add(9*time.Minute + 20*time.Second)
		yes := w.from("ann", channel.App, "2", "yes")
		w.over(calls)
		w.arrive(calls, yes)
		w.restart()
		turns := w.turnsOf(threadOf(yes))
		said, ran := strings.Contains(textOf(turns[len(turns)-1]), "Done: "), len(w.left) == 1
		if said != ran || len(w.left) > 1 {
			t.Errorf("said to be done: %v, notes left: %q", said, w.left)
		}
		if !ran && len(calls.Met()) == 0 {
			t.Error("a YES that came in time was not carried out")
		}
		return len(turns)
	})
}

// TestField25_YesThatCrossesItsQuestion kills the turn of a YES that came before its question went out,
// which it does as soon as the turn has died, or before it has begun: the YES is none, whoever goes on
// with it.
func TestField25_YesThatCrossesItsQuestion(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"booking": "book", "frozen call": "note"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := newWorld(t, nil)
			base.stock(nil, "meze")
			faults := append([]faulttest.Fault{faulttest.AnswerLost}, faulttest.Deaths...)
			faulttest.Everywhere(t, faults, func(t *testing.T, calls *faulttest.Calls) state {
				w := base.like(t)
				w.model = clerkModel()
				w.last = w.from("ann", channel.WhatsApp, "1", text)
				id := threadOf(w.last)
				w.comes(w.last)
				w.work()
				question := w.outboxesOf([]string{id})[0]
				sender := w.sender // of another process
				w.clock.add(time.Second)
				w.over(calls)
				w.deliver(calls, func(ctx context.Context) error {
					_, err := w.runner.ProcessInbound(ctx, w.from("ann", channel.WhatsApp, "2", "yes"))
					return err
				})
				w.clock.add(time.Second)
				w.deliver(calls, func(ctx context.Context) error {
					err := w.runner.Work(ctx, id)
					if sent := sender.Deliver(t.Context(), question); sent != nil {
						t.Error(sent)
					}
					return err
				})
				w.restart()
				w.clock.add(thread.LeaseFor + time.Second)
				w.settle()
				turns := w.turnsOf(id)
				if last := turns[len(turns)-1]; last.Settled != "" || w.head(id).Pending == nil || len(w.left) > 0 {
					t.Errorf("settled %q, %q left: %q", last.Settled, w.left, textOf(last))
				}
				return w.state(id)
			})
		})
	}
}

// TestField25_AnotherLanguageMeanwhile has the customer go on in another language while the
// process that had begun to propose is dead: nothing is held that nobody is asked about.
func TestField25_AnotherLanguageMeanwhile(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, []faulttest.Fault{faulttest.DiesAfter}, func(t *testing.T, calls *faulttest.Calls) int {
		w := newWorld(t, nil)
		w.stock(nil, "meze")
		w.model = clerkModel()
		in := w.from("ann", channel.WhatsApp, "1", "book")
		w.over(calls)
		if err := w.once(in); err != nil {
			t.Logf("as was to be: %v", err)
		}
		w.restart()
		w.clock.add(thread.LeaseFor + time.Second)
		w.comes(in)
		if err := w.once(w.from("ann", channel.WhatsApp, "2", "Merhaba, teşekkür ederim, akşam yemeği için")); err != nil {
			t.Fatal(err)
		}
		h := w.head(threadOf(in))
		asked, forgotten := 0, 0
		for _, tx := range w.transactions() {
			switch {
			case tx.State != ledger.Hold:
			case h.Pending == nil || h.Pending.Ref != tx.ID:
				forgotten++
				t.Errorf("%s is held, and %+v is pending", tx.ID, h.Pending)
			default:
				asked++
			}
		}
		if asked == 0 && len(calls.Met()) == 0 {
			t.Error("nothing was offered")
		}
		return forgotten
	})
}

// TestField06_SweptAfterADeath has a webhook that nobody repeats, and a queue that forgets:
// what was stored when the process died is found by the sweep, and what was not is taken in
// when the sender tries again.
func TestField06_SweptAfterADeath(t *testing.T) {
	t.Parallel()
	random := seedtest.Rand(t)
	var mu sync.Mutex
	faulttest.Everywhere(t, faulttest.Deaths, func(t *testing.T, calls *faulttest.Calls) state {
		w := newWorld(t, nil)
		w.model = clerkModel()
		mu.Lock()
		w.clock.set(time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(50*365))) // a time of its own: what is due then is its own, or older
		mu.Unlock()
		in := w.from("ann", channel.WhatsApp, "said", "hi")
		w.over(calls)
		err := w.once(in)
		w.restart()
		if h, missing := w.threads.Head(t.Context(), threadOf(in)); missing != nil || len(h.Inbox)+h.Turns == 0 {
			err = w.once(in)
		} else if err != nil {
			w.clock.add(thread.LeaseFor + time.Minute)
			_, err = w.threads.Sweep(t.Context(), 1000, func(ctx context.Context, id string) error {
				if id != threadOf(in) {
					return nil // somebody else's, from an older time
				}
				return w.runner.Work(ctx, id)
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		w.settle()
		s := w.state(threadOf(in))
		s.Spend.Day = ""
		return s
	})
}

// TestField25_KilledTwice has two faults meet one turn, in every pair of places: death after
// a call, and with TIMES above 1 also death before it and lost answers.
func TestField25_KilledTwice(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		if k.name != "yes" && k.name != "proposal" {
			continue
		}
		faults := []faulttest.Fault{faulttest.DiesAfter}
		if seedtest.Times(t, 1) > 1 {
			faults = []faulttest.Fault{faulttest.DiesAfter, faulttest.DiesBefore, faulttest.AnswerLost}
		}
		for _, ch := range k.channels() {
			t.Run(k.name+"/"+string(ch), func(t *testing.T) {
				t.Parallel()
				base := k.world(t)
				faulttest.Pairs(t, faults,
					func(t *testing.T, calls *faulttest.Calls) state { return k.play(base.like(t), ch, calls) })
			})
		}
	}
}

// TestKilledWithAFickleModel has the model choose another time whenever it is asked: there
// is one offer in the end all the same, the one that is pending.
func TestKilledWithAFickleModel(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, append([]faulttest.Fault{faulttest.AnswerLost}, faulttest.Deaths...),
		func(t *testing.T, calls *faulttest.Calls) []string {
			w := newWorld(t, nil)
			w.stock(nil)
			hour := 18
			w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
				if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
					return llm.Response{Text: "There it is.", Finish: "stop"}, nil
				}
				hour++
				return llm.Response{Calls: []llm.Call{bookAt("meze", hour)}, Finish: "tool_calls"}, nil
			})
			in := w.from("ann", channel.App, "last", "book")
			w.over(calls)
			w.arrive(calls, in)
			w.restart()
			w.settle()
			var held []string
			for _, tx := range w.transactions() {
				mine := w.head(threadOf(in)).Pending != nil && w.head(threadOf(in)).Pending.Ref == tx.ID
				held = append(held, fmt.Sprintf("%s, pending %v", tx.State, mine))
			}
			if want := []string{"hold, pending true"}; !slices.Equal(held, want) {
				t.Errorf("%q, want %q", held, want)
			}
			return held
		})
}
