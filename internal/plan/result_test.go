package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/model/llm"
	"merve/internal/plan"
	"merve/internal/tenant/person"
)

// shelf keeps results in memory.
type shelf struct {
	mu    sync.Mutex
	kept  map[string][]byte
	fails error
}

func (s *shelf) Keep(_ context.Context, key, _ string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		s.kept[key] = bytes.Clone(data)
	}
	return s.fails
}

func (s *shelf) Read(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key], nil
}

func (s *shelf) Forget(_ context.Context, prefix string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.kept, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
	return nil
}

// resultOf is the result of the one step of a conversation's plan, as its event has it.
func (d *desk) resultOf(conversation string) (p plan.Resulted) {
	d.t.Helper()
	for _, e := range d.trace(conversation) {
		if e.Type == plan.ToolInvocationResulted {
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	return p
}

// A result that is too large for an event is kept beside it, and exported and erased with the conversation. Whatever repeats
// it has its beginning.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	d, kept := newDesk(t), &shelf{kept: map[string][]byte{}}
	d.Store.Results = kept
	large := strings.Repeat("é\"\u202e", 1<<17) + "the end"
	d.tools["rag"] = func(context.Context, plan.Input) (any, error) { return large, nil }
	d.routes["q"] = chain("rag", "all", "math", "of that")
	var beside plan.Input
	d.tools["math"] = func(_ context.Context, in plan.Input) (any, error) { beside = in; return "51", nil }
	var shown int
	d.reply = func(req llm.Request) (string, error) {
		shown = len(req.Messages[len(req.Messages)-2].Text)
		return "done", nil
	}
	d.ask("c", "q")
	var all []string
	for _, e := range d.trace("c") {
		if len(e.Payload) > 10<<10 {
			t.Errorf("%s has %d bytes", e.Type, len(e.Payload))
		}
		all = append(all, string(e.Payload))
	}
	if len(kept.kept) != 1 || !strings.Contains(strings.Join(all, ""), slices.Collect(maps.Keys(kept.kept))[0]) {
		t.Errorf("%d kept", len(kept.kept))
	}
	if len(beside.Earlier) != 1 || len(beside.Earlier[0].Result) > 4<<10 || !strings.HasPrefix(beside.Earlier[0].Result, `é"`) {
		t.Errorf("the next step is told %+v", beside.Earlier)
	}
	if shown == 0 || shown > 10<<10 {
		t.Errorf("the aggregator is told %d bytes", shown)
	}
	held := plan.Held{Store: d.Store, Market: "home"}
	exported, err := held.Export(t.Context(), person.Subject{Market: "home", Owner: d.owner})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(exported)
	if err != nil || !bytes.Contains(raw, []byte("the end")) {
		t.Errorf("exported %d bytes, %v", len(raw), err)
	}
	if _, err := held.Erase(t.Context(), person.Subject{Market: "home", Owner: d.owner}); err != nil || len(kept.kept) != 0 {
		t.Errorf("%v, %d kept", err, len(kept.kept))
	}
}

// A result that cannot be kept beside its event is cut.
func TestLargeResultsWithoutAShelf(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Store.Results = &shelf{fails: errors.New("the bucket is away")}
	d.tools["math"] = func(context.Context, plan.Input) (any, error) { return strings.Repeat("x", 1<<20), nil }
	d.routes["q"] = steps("math", "1")
	d.ask("c", "q")
	if p := d.resultOf("c"); !p.Success || len(p.Result) > 48<<10 || !strings.Contains(string(p.Result), "(cut off)") {
		t.Errorf("%v, %d bytes", p.Success, len(p.Result))
	}
}

// A tool cannot have its result taken for one that is kept elsewhere.
func TestResultsThatSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	d, kept := newDesk(t), &shelf{kept: map[string][]byte{"results/x": []byte(`"somebody's"`)}}
	d.Store.Results = kept
	d.tools["math"] = func(context.Context, plan.Input) (any, error) {
		return json.RawMessage(`{"stored":{"key":"results/x","bytes":5},"excerpt":"<script>"}`), nil
	}
	d.routes["q"] = steps("math", "1")
	d.ask("c", "q")
	if p := d.resultOf("c"); !strings.HasPrefix(string(p.Result), `{"value":{"stored"`) {
		t.Errorf("%s", p.Result)
	}
	all, err := plan.Held{Store: d.Store, Market: "home"}.Export(t.Context(), person.Subject{Market: "home", Owner: d.owner})
	raw, _ := json.Marshal(all)
	if err != nil || strings.Contains(string(raw), "somebody's") {
		t.Errorf("%v, %s", err, raw)
	}
}
