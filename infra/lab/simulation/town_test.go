package simulation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/matter/order"
	"merve/internal/tenant/channel"
)

// In a whole town of customers, businesses, drivers and staff, under chance, faults, deaths and
// repeats, orders and rides keep every promise that can be seen from outside.
func TestPromise3_ATownKeepsItsPromisesWhateverFails(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Times(t, 3) // the third is the first with faults and freezes both
	seen := &town{happened: faulttest.Tally{}}
	t.Cleanup(func() {
		wantInRuns(t, seen.happened, runs, rarer, "deaths", "freezes", "order proposed", "ride proposed")
	})
	for n := range uint64(runs) {
		t.Run(fmt.Sprint(base+n), func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: base + n, Faults: n%3 != 0, Frozen: n%5 != 1})
			w.Town()
			w.Model, w.talk = Waiter, errand
			for _, ch := range []channel.Channel{channel.App, channel.WhatsApp, channel.WhatsApp} {
				w.Join(ch)
			}
			w.Run(110)
			w.Check()
			seen.add(w)
		})
	}
	faulttest.Tried(t, runs)
}

// rarer is what whoever chooses the seed can count on only in so many runs of a town: it happens
// sixteen times in them on the average.
var rarer = map[string]int{
	"order placed": 12, "order accepted": 28, "ride offered": 9, "ride requested": 19, "ride assigned": 22,
	"thread taken": 16, "called askForPerson ok": 16, "called sendWhatsAppMessage proposed": 96,
}

// wantInRuns has the test fail unless there was what always happens, and of what is rarer what so many runs have.
func wantInRuns(t testing.TB, happened faulttest.Tally, runs int, rarer map[string]int, always ...string) {
	t.Helper()
	for name, after := range rarer {
		if runs >= after {
			always = append(always, name)
		}
	}
	happened.Want(t, always...)
}

// town is what happened in runs, so that they cannot be about nothing.
type town struct {
	mu       sync.Mutex
	happened faulttest.Tally
}

func (s *town) add(w *World) {
	j := w.gather()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range j.orders {
		for _, e := range o.events {
			s.happened["order "+string(e.Type)]++
		}
	}
	for _, r := range j.rides {
		for _, e := range r.events {
			s.happened["ride "+string(e.Type)]++
		}
	}
	for _, h := range j.history {
		if h.Transaction.Replaces != "" && !h.Transaction.ConfirmedAt.IsZero() {
			s.happened["booking moved"]++
		}
	}
	for _, spine := range j.threads {
		s.happened["thread taken"] += len(spine.who.held)
		for _, turn := range spine.turns {
			for _, c := range turn.Calls {
				s.happened["called "+c.Name+" "+c.Status]++
			}
		}
	}
	s.happened["deaths"] += w.deaths
	s.happened["freezes"] += w.freezes
}

// flow delivers all that is on its way.
func (w *World) flow() {
	for w.queue.Deliver() || w.Flow(&w.notify) || w.Flow(&w.records) || w.Flow(&w.outbox) {
	}
	w.Pass(time.Second)
}

// says has somebody say something, and lets all come of it.
func (w *World) says(c *Customer, s *Said) {
	w.Say(c, s)
	w.flow()
}

// quietTown is a town without faults, with two customers of the app.
func quietTown(t *testing.T) (w *World, ann, bob *Customer) {
	t.Helper()
	w = New(t, Options{Seed: 1})
	w.calm = true
	w.Town()
	w.Model = Waiter
	ann, bob = w.Join(channel.App), w.Join(channel.App)
	w.Begin()
	return w, ann, bob
}

// named finds a business or driver.
func (w *World) named(name string) *Customer {
	return w.Others[slices.IndexFunc(w.Others, func(c *Customer) bool { return c.Name == name })]
}

// codeTold is the code that somebody was told last.
func (w *World) codeTold(c *Customer, is *regexp.Regexp) string {
	w.t.Helper()
	for _, text := range slices.Backward(w.told(c)) {
		if m := is.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	w.t.Fatalf("%s was told no code: %v", c.Name, w.told(c))
	return ""
}

// A business accepts an order in the moment in which its customer's cancellation is committed:
// one of the two happens, and both are told which.
func TestPromise3_AnAcceptanceAndACancellationAtOnce(t *testing.T) {
	t.Parallel()
	w, ann, _ := quietTown(t)
	kebab := w.named("kebab")
	w.says(ann, &Said{Text: "order 2 ayran " + ann.Canary})
	w.says(ann, &Said{Text: "yes", Means: Yes})
	code := w.codeTold(kebab, orderTold)
	w.says(ann, &Said{Text: "take my order back " + ann.Canary})
	w.at = func(function, body string) bool { return function == "chat" && strings.Contains(body, "#cancelled") }
	w.before = func() {
		w.Say(kebab, &Said{Text: "ACCEPT " + code, Answer: "accept"})
		w.queue.Deliver()
	}
	w.says(ann, &Said{Text: "yes", Means: Yes})
	if w.before != nil {
		t.Error("nothing was cancelled")
	}
	w.Settle()
	w.Check()
	if o := w.gather().orders; len(o) != 1 || o[0].Status != order.Accepted {
		t.Errorf("%+v", o)
	}
}

// A driver has one ride at a time, and a ride one driver, however many say YES to how many.
func TestPromise4_ADriverHasOneRideAndARideOneDriver(t *testing.T) {
	t.Parallel()
	w, ann, bob := quietTown(t)
	dina, eren := w.named("dina"), w.named("eren")
	var codes []string
	for _, c := range []*Customer{ann, bob} {
		w.says(c, &Said{Text: "a taxi " + phoneFor(c) + " " + c.Canary})
		w.says(c, &Said{Text: "yes", Means: Yes})
		codes = append(codes, w.codeTold(dina, rideTold))
	}
	w.at = func(function, body string) bool { return function == "turn" && strings.Contains(body, "#assigned#1") }
	w.before = func() { // another process takes the other's message while this one commits
		w.Say(eren, &Said{Text: "YES " + codes[0], Answer: "yes", Means: Yes})
		w.queue.deliver(func(m *queued) bool { return m.Group == eren.Thread })
	}
	w.says(dina, &Said{Text: "YES " + codes[0], Answer: "yes", Means: Yes})
	for _, driver := range []*Customer{eren, dina} { // who has one asks for the other, too
		for _, code := range codes {
			w.says(driver, &Said{Text: "YES " + code, Answer: "yes", Means: Yes})
		}
	}
	w.Settle()
	w.Check()
	had := map[string]bool{}
	for _, r := range w.gather().rides {
		if r.Driver == nil || had[r.Driver.ID] {
			t.Errorf("ride %s: %v", r.Code, r.Driver)
			continue
		}
		had[r.Driver.ID] = true
	}
}
