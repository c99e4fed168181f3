package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/plan"
	"merve/internal/tenant/person"
)

// Where one time stands in all events, a trace and an export tell them in the order of what causes what: one question after the
// other, and a step after those that it depends on. Steps of one depth are told together.
func TestOrderAtOneTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	at := time.Now().UTC().Truncate(time.Millisecond)
	d.Now = func() time.Time { return at }
	d.Store.Now = d.Now
	d.routes["diamond"] = `{"steps":[{"tool":"rag","input":"a","dependsOn":[]},{"tool":"math","input":"b","dependsOn":[0]},` +
		`{"tool":"rag","input":"c","dependsOn":[]},{"tool":"math","input":"d","dependsOn":[1,2]}],"totalSteps":4}`
	d.routes["chain"] = chain("rag", "one", "math", "two")
	d.ask("c", "diamond")
	d.ask("c", "chain")
	want := strings.Fields("query plan ask0 ask2 got0 got2 ask1 got1 ask3 got3 completed synthesize answer " +
		"query plan ask0 got0 ask1 got1 completed synthesize answer")
	events := d.trace("c")
	var got []string
	for _, e := range events {
		if !e.At.Equal(at) {
			t.Errorf("%s at %s", e.ID, e.At)
		}
		got = append(got, short(t, e.Type, e.Payload))
	}
	if !slices.Equal(got, want) {
		t.Errorf("trace:\n%v, want\n%v", got, want)
	}
	raw, err := plan.Held{Store: d.Store, Market: "home"}.Export(t.Context(), person.Subject{Market: "home", Owner: d.owner})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	var told []plan.Wire
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, e := range told {
		got = append(got, short(t, e.EventType, e.Payload))
	}
	if !slices.Equal(got, want) {
		t.Errorf("export:\n%v, want\n%v", got, want)
	}
}

// short names an event by its type and its step.
func short(t *testing.T, of plan.Type, payload json.RawMessage) string {
	t.Helper()
	var p struct{ StepIndex int }
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatal(err)
	}
	step := string(rune('0' + p.StepIndex))
	return map[plan.Type]string{
		plan.UserQueryReceived: "query", plan.PlanGenerated: "plan", plan.ToolInvocationRequested: "ask" + step, plan.ToolInvocationResulted: "got" + step,
		plan.PlanCompleted: "completed", plan.SynthesizeFinalAnswerRequested: "synthesize", plan.FinalAnswerSynthesized: "answer",
	}[of]
}
