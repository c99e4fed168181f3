package ledger

import (
	"fmt"
	"testing"
	"time"

	"merve/internal/base/fault"
)

// However long a model took to ask: what begins before anybody could answer is held by nobody.
func TestNothingIsHeldThatHasBegun(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	terms := c.terms(1)
	for _, left := range []time.Duration{time.Millisecond, 0, -time.Minute} {
		c.clock.Set(terms.Start.Add(-left))
		if tx, err := c.Offer(t.Context(), terms, 1, time.Minute, fmt.Sprint("k", left)); !fault.Is(err, fault.Conflict) {
			t.Errorf("%v before the start: %+v, %v", left, tx, err)
		}
	}
}
