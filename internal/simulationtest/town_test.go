package simulationtest

import (
	"fmt"
	"sync"
	"testing"

	"merve/internal/channel"
	"merve/internal/faulttest"
	"merve/internal/seedtest"
)

// In a whole town of customers, businesses, drivers and staff, under chance, faults, deaths and
// repeats, orders and rides keep every promise that can be seen from outside.
func TestPromise3_ATownKeepsItsPromisesWhateverFails(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Times(t, 6)
	seen := &town{happened: map[string]int{}}
	t.Cleanup(func() {
		seen.enough(t, "order proposed", "order placed", "order accepted", "ride proposed", "ride requested", "ride offered", "ride assigned", "thread taken",
			"called askForPerson ok", "called sendWhatsAppMessage proposed", "deaths", "freezes")
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

// town is what happened in runs, so that they cannot be about nothing.
type town struct {
	mu       sync.Mutex
	happened map[string]int
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

func (s *town) enough(t *testing.T, names ...string) {
	t.Logf("%v", s.happened)
	for _, name := range names {
		if s.happened[name] == 0 {
			t.Errorf("in all these runs there was no %s", name)
		}
	}
}
