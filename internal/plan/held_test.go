package plan_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/plan"
	"merve/internal/tenant/person"
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
	asked := []string{d.trace("one")[0].Correlation, d.trace("two")[0].Correlation}
	for range 2 { // it may be asked again
		if stays, err := held.Erase(t.Context(), person.Subject{Market: "home", Owner: d.owner}); err != nil || len(stays) != 0 {
			t.Errorf("%v stay, %v", stays, err)
		}
	}
	if got := export("home"); got != "null" {
		t.Errorf("after all was erased: %s", got)
	}
	d.nothingOf(d.owner, "one")
	d.nothingOf(d.owner, "two")
	for _, correlation := range asked {
		it, err := d.Store.Table.Get(t.Context(), dynamo.Key{PK: "plan-of#" + correlation, SK: "~"})
		if err != nil || len(it) != 3 || it.Int("ttl") == 0 {
			t.Errorf("the tombstone of a question is %v, %v", it, err)
		}
	}

	// The name of a conversation that was erased is anybody's who uses it next, and theirs alone.
	one, ann := d.named("one"), d.owner
	d.owner = "session:" + dynamotest.ID("bob")
	if _, err := d.Ask(t.Context(), d.owner, one, "a question of bob's"); err != nil {
		t.Fatal(err)
	}
	if events, err := d.Store.Trace(t.Context(), ann, one); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("ann reads what is bob's: %v, %v", types(events), err)
	}
	if events, err := d.Store.Trace(t.Context(), d.owner, one); err != nil || len(events) != 7 {
		t.Errorf("bob reads %v, %v", types(events), err)
	}
}

// nothingOf wants nothing to be stored of a conversation that tells whose it was or what was said.
func (d *desk) nothingOf(owner, conversation string) {
	d.t.Helper()
	head := dynamo.Key{PK: "plan#" + conversation + "-" + strings.TrimPrefix(owner, "session:"), SK: "~"}
	it, err := d.Store.Table.Get(d.t.Context(), head)
	if err != nil || it == nil {
		d.t.Fatalf("%s: %v, %v", conversation, it, err)
	}
	for name := range it {
		if !slices.Contains([]string{"pk", "sk", "generation", "vacant", "ttl"}, name) {
			d.t.Errorf("%s keeps its %s", conversation, name)
		}
	}
	for g := range it.Int("generation") + 1 {
		err := d.Store.Table.Each(d.t.Context(), dynamo.Under(head.PK+"#"+strconv.FormatInt(g, 10), ""), func(it dynamo.Item) error {
			d.t.Errorf("%s keeps %v", conversation, it.Key())
			return nil
		})
		if err != nil {
			d.t.Error(err)
		}
	}
}
