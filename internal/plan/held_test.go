package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"merve/internal/person"
	"merve/internal/plan"
)

// What somebody has asked is given out and deleted where the engine is, and nowhere else.
func TestHeld(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ask("one", "the first question")
	d.ask("two", "the second question")
	held := plan.Held{Store: d.Store, Market: "home"}
	export := func(market string) string {
		t.Helper()
		all, err := held.Export(t.Context(), person.Subject{Market: market, Owner: d.owner})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if got := export("elsewhere"); got != "null" {
		t.Errorf("elsewhere: %s", got)
	}
	for _, part := range []string{"the first question", "the second question", "FinalAnswerSynthesized"} {
		if got := export("home"); !strings.Contains(got, part) {
			t.Errorf("%s lacks %q", got, part)
		}
	}
	for range 2 { // it may be asked again
		if stays, err := held.Erase(t.Context(), person.Subject{Market: "home", Owner: d.owner}); err != nil || len(stays) != 0 {
			t.Errorf("%v stay, %v", stays, err)
		}
	}
	if got := export("home"); got != "null" {
		t.Errorf("after all was erased: %s", got)
	}
	if events := d.trace("one"); len(events) != 0 {
		t.Errorf("left: %v", types(events))
	}
}
