package simulation

import (
	"fmt"
	"sync"
	"testing"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
)

// What a whole Merve does under chance, faults, deaths and repeats keeps every promise
// that can be seen from outside.
func TestPromise3_EveryEffectHappensOnceWhateverFails(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Bounded(t, 24, 72) // each mix of what is chosen below, twice or six times
	seen := &sights{}
	t.Cleanup(func() { seen.enough(t) })
	for n := range uint64(runs) {
		t.Run(fmt.Sprint(base+n), func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: base + n, Faults: n%4 != 0, Frozen: n%3 != 0})
			w.Model = Waiter
			w.Run(70)
			w.Check()
			seen.add(w)
		})
	}
	faulttest.Tried(t, runs)
}

// sights are what happened in runs, so that they cannot be about nothing.
type sights struct {
	mu                                                   sync.Mutex
	confirmed, let, expired, sent, deaths, faults, froze int
}

func (s *sights) add(w *World) {
	history := w.gather().history
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range history {
		for _, e := range h.Events {
			switch e.Type {
			case ledger.Confirmed:
				s.confirmed++
			case ledger.Cancelled:
				s.let++
			case ledger.Expired:
				s.expired++
			}
		}
	}
	s.sent += len(w.twilio.Messages())
	s.deaths += w.deaths
	s.faults += w.faults
	s.froze += w.freezes
}

func (s *sights) enough(t *testing.T) {
	t.Logf("%d confirmed, %d let go, %d expired, %d sent; %d deaths, %d faults, %d times frozen",
		s.confirmed, s.let, s.expired, s.sent, s.deaths, s.faults, s.froze)
	for name, n := range map[string]int{
		"confirmed": s.confirmed, "let go": s.let, "expired": s.expired, "sent": s.sent, "deaths": s.deaths, "faults": s.faults, "frozen": s.froze,
	} {
		if n == 0 {
			t.Errorf("in all these runs nothing was: %s", name)
		}
	}
}

// The same seed makes the same steps and the same answers.
func TestTheSameSeedIsTheSameRun(t *testing.T) {
	t.Parallel()
	base := seedtest.Of(t)
	o := Options{Seed: base, Faults: true, Frozen: true}
	for name, made := range map[string]func() *World{
		"a town": func() *World {
			w := New(t, o)
			w.Town()
			w.Model, w.talk = Waiter, errand
			return w
		},
		"vendors": func() *World { return Trading(t, o) },
	} {
		var first []string
		for i := range 2 {
			w := made()
			w.Begin()
			for range 40 {
				w.Step()
			}
			if i == 0 {
				first = w.Trace()
			} else if at := differ(first, w.Trace()); at >= 0 {
				t.Fatalf("%s, line %d of %d and %d:\n%v\n%v", name, at, len(first), len(w.Trace()), first[max(0, at-3):min(at+1, len(first))], w.Trace()[max(0, at-3):min(at+1, len(w.Trace()))])
			}
		}
	}
}

// differ is the first place where two lists are not the same; -1 is nowhere.
func differ(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// What the customers of these tests mean is what the gate hears.
func TestCustomersMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	for want, texts := range map[gate.Answer][]string{gate.Yes: yeses, gate.No: noes, gate.Unclear: other} {
		for _, text := range texts {
			if got := gate.Read(text); got != want {
				t.Errorf("%q is %v, want %v", text, got, want)
			}
		}
	}
}
