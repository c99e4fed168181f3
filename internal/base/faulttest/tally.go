package faulttest

import (
	"testing"

	"merve/internal/base/seedtest"
)

// Tally counts what random tests met, so that they cannot have been about nothing.
type Tally map[string]int

// Met adds the faults that calls met.
func (n Tally) Met(c *Calls) {
	for _, at := range c.Met() {
		n[string(at.Fault)]++
		n[AnyFault]++
	}
}

// AnyFault is under what [Tally.Met] counts all faults together.
const AnyFault = "fault"

// Want fails the test for each of the names that was never counted. Of a short run from a seed that
// somebody chose it wants none: one in some hundred meets too little.
func (n Tally) Want(t testing.TB, names ...string) {
	t.Helper()
	t.Logf("met: %v", n)
	short := seedtest.Chosen() && seedtest.Times(t, 1) == 1
	for _, name := range names {
		if n[name] == 0 && !short {
			t.Errorf("in all these runs there was no %s", name)
		}
	}
}
