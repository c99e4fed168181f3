package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/bus/bustest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
	"merve/internal/model/minilm"
	"merve/internal/plan"
	"merve/internal/provider/openmeteo/openmeteotest"
)

// planOwner asks what the samples of the plan engine tell of: the session of the sample for planapi.
const planOwner = "session:5bffcf49caaccd58f139f8f4fe72266c"

// weights is where the model is that embeds products, in a checkout that has fetched it.
var weights = filepath.Join("..", "..", ".cache", "minilm")

// planParts are the queues, buses and the weather of a story.
type planParts struct {
	queues map[string]*queuetest.Kept
	buses  *bustest.Server
}

// withPlans gives a story what the plan engine needs.
func (s *story) withPlans(t *testing.T) *planParts {
	t.Helper()
	p := &planParts{queues: map[string]*queuetest.Kept{"turns": s.queue}}
	for _, q := range wiring.Queues() {
		if p.queues[q.Name] == nil {
			p.queues[q.Name] = &queuetest.Kept{}
		}
	}
	var names []string
	for _, b := range wiring.Buses() {
		names = append(names, b.Name)
	}
	p.buses = bustest.Serve(t, wiring.Rules(), names...)
	meteo := openmeteotest.New(t, s.now, openmeteotest.Place{
		Name: "Kyrenia", Country: "Cyprus", Code: "CY", Lat: 35.34, Lng: 33.32, Population: 33_207, Temperature: 19.4, Wind: 12, Weather: 1,
		Days: []openmeteotest.Day{{Min: 14, Max: 21, Rain: 10, Weather: 1}},
	})
	s.base.Config.OpenMeteoBaseURL, s.base.Config.OpenMeteoGeocodingBaseURL, s.base.Config.MiniLMDir = meteo.URL(), meteo.URL(), weights
	s.base.Queues = func(name string) queue.Queue { return p.queues[name] }
	s.base.Buses = func(name string) bus.Bus { return p.buses.Bus(name) }
	return p
}

// logged are the events of the plan that the samples tell of, as the sample for the publisher has them stored.
func logged(t *testing.T) (ref plan.Ref, items []dynamo.Item, all []plan.Event) {
	t.Helper()
	h := trigger.Stream(func(_ context.Context, r trigger.Record) error {
		at, e, ok, err := plan.ReadItem(dynamo.Item(r.New))
		if err != nil || !ok {
			return fmt.Errorf("%s is no event: %w", dynamo.Item(r.New).Key(), err)
		}
		ref, items, all = at, append(items, dynamo.Item(r.New)), append(all, e)
		return nil
	})
	out, err := h.Invoke(t.Context(), sample(t, "publisher"))
	if failed, bad := trigger.Failures(out); err != nil || bad != nil || len(failed) > 0 {
		t.Fatalf("%v, %v, failed: %q", err, bad, failed)
	}
	return ref, items, all
}

// stands stores the plan of the samples as it stood with the events that keep takes, its process having died. What was
// stored of it before goes.
func (s *story) stands(t *testing.T, keep func(plan.Event) bool) plan.Ref {
	t.Helper()
	ref, items, all := logged(t)
	table, partition := s.base.Plans().Table, items[0].Key().PK
	var ws []dynamo.Write
	if err := table.Each(t.Context(), dynamo.Under(partition, ""), func(it dynamo.Item) error {
		ws = append(ws, table.Delete(it.Key()))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	ws = []dynamo.Write{
		table.Put(dynamo.Key{PK: "plan#" + ref.Conversation, SK: "~"}, struct {
			plan.Head
			DueShard string `dynamodbav:"dueShard"`
		}{plan.Head{Owner: planOwner, Generation: ref.Generation, Open: []string{ref.Correlation}, DueAt: s.now.Add(-time.Second)}, dynamo.DueShard("plan", ref.Conversation)}),
		table.Put(dynamo.Key{PK: "plan-of#" + ref.Correlation, SK: "~"}, ref),
	}
	for i, e := range all {
		if keep(e) {
			ws = append(ws, table.Put(items[i].Key(), plain(t, items[i])))
		}
	}
	if err := table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	return ref
}

// until takes the events of these types.
func until(types ...plan.Type) func(plan.Event) bool {
	return func(e plan.Event) bool { return slices.Contains(types, e.Type) }
}

// beside takes all that happened before a step had its result.
func beside(step string) func(plan.Event) bool {
	return func(e plan.Event) bool {
		return until(plan.UserQueryReceived, plan.PlanGenerated, plan.ToolInvocationRequested, plan.ToolInvocationResulted)(e) &&
			(e.Type != plan.ToolInvocationResulted || !strings.HasSuffix(e.ID, step))
	}
}

// goesOn wants the plan of the samples to have an event of that type by now.
func (s *story) goesOn(t *testing.T, want plan.Type) plan.Event {
	t.Helper()
	ref, _, _ := logged(t)
	all, err := s.base.Plans().Trace(t.Context(), planOwner, ref.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Type == want {
			return e
		}
	}
	t.Errorf("no %s among %d events", want, len(all))
	return plan.Event{}
}

// result wants a step to have its result.
func (s *story) result(t *testing.T, step int) plan.Resulted {
	t.Helper()
	ref, _, _ := logged(t)
	all, err := s.base.Plans().Trace(t.Context(), planOwner, ref.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		var r plan.Resulted
		if e.Type == plan.ToolInvocationResulted && json.Unmarshal(e.Payload, &r) == nil && r.StepIndex == step {
			return r
		}
	}
	t.Errorf("step %d has no result", step)
	return plan.Resulted{}
}

// answers wants a worker to have run its step, and the plan to be answered.
func (s *story) answers(t *testing.T, step int) {
	t.Helper()
	if r := s.result(t, step); !r.Success && !(r.ToolName == "rag" && noWeights()) {
		t.Errorf("%s: %s", r.ToolName, r.Result)
	}
	s.goesOn(t, plan.FinalAnswerSynthesized)
}

// noWeights reports whether products cannot be embedded here.
func noWeights() bool {
	_, err := os.Stat(filepath.Join(weights, minilm.WeightsFile))
	return err != nil
}

// bodyOf is the message in the sample of a queue's event.
func bodyOf(t *testing.T, name string) string {
	t.Helper()
	var e events.SQSEvent
	if err := json.Unmarshal(sample(t, name), &e); err != nil {
		t.Fatal(err)
	}
	return e.Records[0].Body
}

// The events of the samples are such as the engine stores, and what the publisher makes of them is what
// the other samples bring to the functions behind it.
func TestSamplesOfAPlanBelongTogether(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	p := s.withPlans(t)
	_, _, all := logged(t)
	for _, e := range all {
		wire, err := json.Marshal(e.Wire())
		if err != nil {
			t.Fatal(err)
		}
		if again, err := plan.ReadWire(wire); err != nil || again.ID != e.ID {
			t.Errorf("%s: %v, read as %q", e.ID, err, again.ID)
		}
	}
	s.invoke(t, "publisher")
	if sent := p.queues["user-commands"].Sent(); len(sent) != 1 || sent[0].Body != bodyOf(t, "router") && !sameJSON(t, sent[0].Body, bodyOf(t, "router")) {
		t.Errorf("for the router: %+v", sent)
	}
	for name, queue := range map[string]string{
		"orchestrator": "plan-events", "aggregator": "plan-answers",
		"worker-math": "worker-math", "worker-weather": "worker-weather", "worker-rag": "worker-rag", "worker-general-chat": "worker-general-chat",
	} {
		want, err := bus.Read(bodyOf(t, name))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(p.buses.On(queue), func(body string) bool {
			got, err := bus.Read(body)
			return err == nil && got.Type == want.Type && got.Source == want.Source && got.At.Equal(want.At) && sameJSON(t, string(got.Detail), string(want.Detail))
		})
		if !found {
			t.Errorf("%s: %d messages on %s, none like the sample", name, len(p.buses.On(queue)), queue)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}
