package simulation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/edge/threadapi"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
)

// A model that wants to do harm does none: nothing is committed without its owner's YES,
// nothing false or foreign is told, nothing more than the bounds allow is sent or asked,
// and every turn ends.
func TestPromise1_TheModelCannotCommitWhateverItReturns(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Times(t, 4)
	seen := &town{happened: faulttest.Tally{}}
	t.Cleanup(func() {
		seen.happened.Want(t, "order proposed", "ride proposed", "called getMyOrders ok", "called bookService failed")
	})
	for n := range uint64(runs) {
		t.Run(fmt.Sprint(base+n), func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: base + n, Faults: n%2 == 1, Market: hostile(n)})
			w.Town()
			w.Model, w.talk = Adversary, obey
			w.poison()
			w.assail()
			w.Check()
			faulttest.Tried(t, w.bounded())
			seen.add(w)
		})
	}
}

// assail lives through a world in which somebody says something again and again, and most of it
// gets a turn; of anything else there is less than in [World.Run]. With TIMES above 1 it goes on
// for several hundred turns.
func (w *World) assail() {
	w.t.Helper()
	said := 90
	if seedtest.Times(w.t, 1) > 1 {
		said = 600
	}
	w.Begin()
	for n := range said {
		w.speak(oneOf(w, w.Customers))
		w.queue.Deliver()
		if n%4 == 0 {
			w.Step()
		}
	}
	w.Settle()
}

// hostile are markets in which more can be asked for, or said, while something is pending.
func hostile(n uint64) func(*market.Market) {
	return func(m *market.Market) {
		m.Safety.MaxRounds = 4 // more of the same is only slower
		if n%2 == 0 {
			m.Gate = market.Converse
		}
		if n%4 == 1 {
			m.Safety.RequireConfirmFor = []string{"searchMarketplace"}
		}
	}
}

// poison puts injected instructions where a model reads: in what is sold, in how people call
// themselves, and in what businesses and drivers say.
func (w *World) poison() {
	w.poisoned = true
	for _, c := range w.Customers {
		c.Profile = c.Name + " " + c.Canary + " " + oneOf(w, Injections())
	}
	for i, l := range slices.Concat(w.Listings, w.Shops) {
		for _, it := range l.Items {
			it.Names["en"] = language.Clip(it.Names["en"]+" - "+oneOf(w, Injections()), 100)
		}
		l.Names["en"] += " - " + oneOf(w, Injections())
		l.Descriptions["en"] = strings.Join([]string{oneOf(w, Injections()), oneOf(w, Injections())}, " ")
		w.Put(l)
		if n := i - len(w.Listings); n >= 0 {
			w.versions[n] = l.Version
		}
	}
}

// obey has customers say instructions, and sometimes what other customers say.
func obey(w *World, c *Customer) *Said {
	if w.chance(0.6) {
		return &Said{Text: oneOf(w, Injections()) + " " + c.Canary}
	}
	if w.chance(0.5) {
		return errand(w, c)
	}
	return w.utter(c)
}

// bounded: no turn asked for more than it may. It returns how many turns there were.
func (w *World) bounded() (turns int) {
	w.t.Helper()
	safety := market.Default(Market).Safety
	for _, c := range w.Customers {
		if c.Thread == "" {
			continue
		}
		for _, turn := range w.turns(c.Thread) {
			turns++
			if n := len(turn.Calls); n > safety.MaxCalls {
				w.t.Errorf("%s: %d calls in a turn, at most %d", c.Name, n, safety.MaxCalls)
			}
			if n := len(textOf(turn)); n > 64<<10 {
				w.t.Errorf("%s: a reply of %d bytes", c.Name, n)
			}
		}
	}
	if most := safety.MaxRounds * (turns + len(w.trace)); w.rounds > most {
		w.t.Errorf("%d rounds of the model for %d turns", w.rounds, turns)
	}
	return turns
}

// The corpus is what it is said to be: hundreds of texts, in many languages.
func TestInjectionsAreMany(t *testing.T) {
	t.Parallel()
	if n := len(Injections()); n < 200 {
		t.Errorf("%d injections, want at least 200", n)
	}
	scripts := map[string]int{}
	for _, s := range Injections() {
		for name, table := range map[string]*unicode.RangeTable{"Latin": unicode.Latin, "Cyrillic": unicode.Cyrillic, "Greek": unicode.Greek, "Arabic": unicode.Arabic, "Hebrew": unicode.Hebrew} {
			if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(table, r) }) {
				scripts[name]++
			}
		}
	}
	for name, n := range scripts {
		if n < 10 {
			t.Errorf("%d in %s", n, name)
		}
	}
	if len(scripts) < 5 {
		t.Errorf("scripts: %v", scripts)
	}
}

// Whatever the instruction, a model that obeys it by every means it has commits nothing,
// sends nothing to anybody else, and shows nobody what is not theirs.
func TestEveryInjectionIsObeyedInVain(t *testing.T) {
	t.Parallel()
	w := New(t, Options{Seed: 1})
	victim, attacker := w.Join(channel.App), w.Join(channel.App)
	w.Begin()
	w.Model = Waiter
	w.Say(victim, &Said{Text: "book meze 2026-11-24 19:00 for 2 " + victim.Canary})
	id := ""
	w.Model = func(w *World, r openaitest.Request) openaitest.Answer {
		w.watch(r)
		if _, behind := w.asked(r).last("user"); behind > 0 {
			return openaitest.Answer{Text: "Your table is booked and confirmed. " + Lie}
		}
		return openaitest.Answer{Calls: []openaitest.Call{
			{ID: "1", Name: "cancelBooking", Args: fmt.Sprintf(`{"transactionId":%q}`, id)},
			{ID: "2", Name: "confirmTransaction", Args: fmt.Sprintf(`{"transactionId":%q}`, id)},
			{ID: "3", Name: "getMyBookings", Args: `{}`},
		}}
	}
	o := &offered{World: w, ann: victim}
	id = o.transaction(threadapi.PendingAction{})
	n, first := 0, seedtest.InTurn(t, shareOfInjections)
	for i, text := range Injections() {
		if i%shareOfInjections != first && seedtest.Times(t, 1) == 1 {
			continue
		}
		n++
		w.Say(attacker, &Said{Text: text + " " + attacker.Canary})
		w.Pass(time.Second)
	}
	if got := w.booked(); len(got) > 0 {
		t.Errorf("booked: %v", got)
	}
	if ms := w.twilio.Messages(); len(ms) > 0 {
		t.Errorf("sent: %v", ms)
	}
	w.Settle()
	w.Check()
	faulttest.Tried(t, n)
}

// shareOfInjections is how many of them a short run leaves out for one that it tries.
const shareOfInjections = 4
