package faulttest

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/seedtest"
)

// Few are the faults of a short run, one of each kind of consequence: the process is gone
// (dying before a call leaves what dying after the one before it does), something took
// effect and nobody knows, told to come later.
var Few = []Fault{DiesAfter, AnswerLost, Throttled}

// Everywhere runs a scenario without faults, and then once for each of its calls and each
// of the faults (nil: all, or few of them while TIMES is 1) that can happen there, and
// wants the same outcome. While nobody has chosen SEED, only the first fault is tried at every
// call, and the others at every third. The number of runs is the test's attribute "schedules".
func Everywhere[S any](t *testing.T, faults []Fault, scenario func(t *testing.T, calls *Calls) S) {
	t.Helper()
	everywhere(t, faults, 1, scenario)
}

// Quarter is Everywhere, and while TIMES is 1 at every fourth call, which SEED chooses; at every sixth while nobody has
// chosen it.
func Quarter[S any](t *testing.T, faults []Fault, scenario func(t *testing.T, calls *Calls) S) {
	t.Helper()
	oneIn := 4
	if !seedtest.Chosen() {
		oneIn = 6
	}
	everywhere(t, faults, oneIn, scenario)
}

// share is how far apart the places are that are tried, and where they begin: while TIMES is 1
// one in so many, and then every one.
func share(t *testing.T, oneIn int) (step, seed int) {
	t.Helper()
	if seedtest.Times(t, 1) > 1 {
		return 1, 0
	}
	return oneIn, int(seedtest.Of(t) % uint64(oneIn))
}

func everywhere[S any](t *testing.T, faults []Fault, oneIn int, scenario func(t *testing.T, calls *Calls) S) {
	t.Helper()
	want, names := whole(t, scenario)
	n := 0
	step, seed := share(t, oneIn)
	if faults == nil {
		faults = Faults
		if seedtest.Times(t, 1) == 1 {
			faults = Few
		}
	}
	// A test keeps what its parallel ones have left until all have ended: there are not too many
	// of one fault.
	for rank, f := range faults {
		t.Run(string(f), func(t *testing.T) {
			places, step := all([]Fault{f}, names, 0), step
			if rank > 0 && !seedtest.Chosen() {
				step = max(step, 3)
			}
			for i, at := range places {
				if (i+1+seed)%min(step, len(places)) != 0 { // where there is only one, that
					continue
				}
				n++
				t.Run(at.String()+" "+names[at.N-1], func(t *testing.T) {
					t.Parallel()
					expect(t, want, scenario, at)
				})
			}
		})
	}
	Tried(t, n)
}

// oneIn is the share of second faults that a short run of [Pairs] tries.
const oneIn = 6

// Pairs runs a scenario for every two faults: each first one, and each second one at each
// call that there is after it. While TIMES is 1, the process dies both times, and the second
// time at every sixth place, counted from the first, which SEED chooses. While nobody has chosen
// SEED, each first death is followed by a single second one.
func Pairs[S any](t *testing.T, faults []Fault, scenario func(t *testing.T, calls *Calls) S) {
	t.Helper()
	want, names := whole(t, scenario)
	n := 0
	step, seed := share(t, oneIn)
	if seedtest.Times(t, 1) == 1 {
		faults = []Fault{DiesAfter}
	}
	for _, first := range all(faults, names, 0) {
		t.Run(first.String()+" "+names[first.N-1], func(t *testing.T) {
			after := expect(t, want, scenario, first)
			places, step, seed := all(faults, after, first.N), step, seed
			if !seedtest.Chosen() {
				step, seed = len(places), seed+first.N
			}
			for i, second := range places {
				if (i+seed)%min(step, len(places)) != 0 {
					continue
				}
				n++
				t.Run(second.String()+" "+after[second.N-1], func(t *testing.T) {
					t.Parallel()
					expect(t, want, scenario, first, second)
				})
			}
		})
	}
	Tried(t, n)
}

// Tried adds to the number of schedules that a test has tried, which is printed with the test's name. A test that has
// tried no schedule has shown nothing, and fails.
func Tried(t testing.TB, n int) {
	t.Helper()
	t.Attr("schedules", strconv.Itoa(n))
	if n <= 0 {
		t.Errorf("tried %d schedules", n)
	}
}

func whole[S any](t *testing.T, scenario func(t *testing.T, calls *Calls) S) (S, []string) {
	t.Helper()
	calls := With()
	want := scenario(t, calls)
	if len(calls.Names()) == 0 {
		t.Fatal("the scenario made no call")
	}
	return want, calls.Names()
}

// all are the faults that can happen to calls, after the first few.
func all(faults []Fault, names []string, after int) []At {
	if faults == nil {
		faults = Faults
	}
	var at []At
	for i, name := range names {
		for _, f := range faults {
			if i >= after && f.Can(name) {
				at = append(at, At{i + 1, f})
			}
		}
	}
	return at
}

// expect runs a scenario that meets the faults, and returns the calls that it made.
func expect[S any](t *testing.T, want S, scenario func(t *testing.T, calls *Calls) S, at ...At) []string {
	t.Helper()
	calls := With(at...)
	got := scenario(t, calls)
	if !slices.Equal(calls.Met(), at) {
		t.Fatalf("met %v, want %v; calls %v", calls.Met(), at, calls.Names())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without faults (-), and so (+):\n%s", diff)
	}
	return calls.Names()
}
