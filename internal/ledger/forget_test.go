package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/actor"
)

// Of a customer who has all deleted the business keeps what it sold, and whom it expects until
// then.
func TestForget(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	terms := func(n int) Terms {
		t := c.terms(n)
		t.CustomerName, t.Note = "Ann", "a secret"
		return t
	}
	kept := map[string]bool{} // by transaction: the name and note
	var all []Transaction
	for n, state := range []State{Hold, Confirmed, Cancelled, Expired} {
		tx := c.in(state, terms(40+n))
		all, kept[tx.ID] = append(all, tx), state == Hold || state == Confirmed
	}
	expected := all[1].Code
	look := func() {
		t.Helper()
		for _, tx := range all {
			got, err := c.Get(t.Context(), actor.Actor{Kind: actor.System}, tx.ID)
			if err != nil || (got.CustomerName+got.Note != "") != kept[tx.ID] || got.PriceMinor != tx.PriceMinor || got.Owner != tx.Owner {
				t.Errorf("%s: %+v, %v", tx.State, got, err)
			}
		}
	}
	for range 2 {
		if codes, err := c.Forget(t.Context(), all); err != nil || cmp.Diff([]string{expected}, codes) != "" {
			t.Errorf("expected %v, %v", codes, err)
		}
	}
	look()
	c.clock.Set(all[1].End)
	if codes, err := c.Forget(t.Context(), all); err != nil || len(codes) != 0 {
		t.Errorf("expected %v, %v", codes, err)
	}
	kept[all[1].ID] = false
	look()
}
