package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/plan"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// handOver calls the planner's tool as an assistant's turn does.
func (d *desk) handOver(ctx context.Context, key, question string) (map[string]any, error) {
	d.t.Helper()
	args, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		d.t.Fatal(err)
	}
	res, err := d.Planner().Run(ctx, tool.Context{
		Actor: actor.OfKey(d.owner), Market: market.Default("elsewhere"), Thread: d.thread, Key: key,
	}, args)
	said, _ := res.Data.(map[string]any)
	return said, err
}

// A question that is handed over is one plan, however often the call is made, and it is the customer's.
func TestPlanner(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.routes["q"] = steps("math", "one", "rag", "two")
	markets := map[string]bool{}
	m, err := d.Market(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	d.Market = func(_ context.Context, id string) (*market.Market, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		markets[id] = true
		return m, nil
	}
	for range 3 {
		said, err := d.handOver(t.Context(), "k1", "q")
		if err != nil || said["status"] != "answered" || !strings.Contains(said["answer"].(string), "rag of two") {
			t.Fatalf("%v, %v", said, err)
		}
	}
	if len(d.ran) != 2 || d.asked.Load() != 2 {
		t.Errorf("ran %v, %d calls of the model", d.ran, d.asked.Load())
	}
	if len(markets) != 1 || !markets["elsewhere"] {
		t.Errorf("asked in markets %v", markets)
	}
	if _, err := d.handOver(t.Context(), "k2", "q"); err != nil || len(d.ran) != 4 {
		t.Errorf("another call: %v, ran %v", err, d.ran)
	}
	held := plan.Held{Store: d.Store, Market: "home"}
	for in, want := range map[string]int{"home": 0, "elsewhere": 2 * 9} {
		all, err := held.Export(t.Context(), person.Subject{Market: in, Owner: d.owner})
		raw, _ := json.Marshal(all)
		if got := strings.Count(string(raw), `"eventType"`); err != nil || got != want {
			t.Errorf("%d events of %s, want %d: %v", got, in, want, err)
		}
	}
}

// What takes too long is said to, and goes on: the next call has its answer.
func TestPlannerTakesTooLong(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.routes["q"] = steps("math", "one")
	began, end := make(chan struct{}), make(chan struct{})
	d.tools["math"] = func(context.Context, plan.Input) (any, error) {
		close(began)
		<-end
		return "late", nil
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-began; leave() }()
	if said, err := d.handOver(ctx, "k", "q"); err != nil || said["status"] != "not_ready" {
		t.Errorf("%v, %v", said, err)
	}
	close(end)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if said, err := d.handOver(ctx, "k", "q"); err != nil || !strings.Contains(said["answer"].(string), "late") {
		t.Errorf("%v, %v", said, err)
	}
	if len(d.ran) != 1 {
		t.Errorf("ran %v", d.ran)
	}
}

// A plan that an assistant began cannot begin another, also where its workers were offered the tool by mistake.
func TestNoPlannerWithinAPlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.routes["q"] = steps("math", "one")
	var within error
	d.tools["math"] = func(ctx context.Context, _ plan.Input) (any, error) {
		_, within = d.handOver(ctx, "inner", "q")
		return "done", nil
	}
	if _, err := d.handOver(t.Context(), "outer", "q"); err != nil {
		t.Fatal(err)
	}
	if !fault.Is(within, fault.Forbidden) || len(d.ran) != 1 {
		t.Errorf("%v, ran %v", within, d.ran)
	}
}

// The answer to somebody else's call is not given out, however its thread and key were come by.
func TestPlannersAnswerIsTheOwners(t *testing.T) {
	t.Parallel()
	d, bob := newDesk(t), newDesk(t)
	if _, err := d.handOver(t.Context(), "k", "my secret"); err != nil {
		t.Fatal(err)
	}
	bob.thread = d.thread
	if said, err := bob.handOver(t.Context(), "k", "my secret"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("%v, %v", said, err)
	}
}
