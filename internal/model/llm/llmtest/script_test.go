package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/model/llm"
	"merve/internal/model/llm/llmtest"
)

// recorder is a testing.TB that keeps what a script reports instead of failing.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	reports  []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return len(r.reports) > 0 }
func (r *recorder) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, fmt.Sprint(args...))
}
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func (r *recorder) end() string {
	for _, f := range r.cleanups {
		f()
	}
	return strings.Join(r.reports, "\n")
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, Model: "m"}
}

func TestScriptPlays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := llmtest.New(t,
		llmtest.Do("search", `{"query":"sushi"}`, "sushi"),
		llmtest.Step{Expect: []string{"Niazi"}, Absent: []string{"sushi"}, Tools: []string{}, Text: "Here."},
		llmtest.Step{Err: llm.Fail(llm.Unavailable, "overloaded")},
	)
	first, err := s.Complete(ctx, ask("sushi please"))
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Model: "m", Finish: "tool_calls", Usage: llm.Usage{Input: 10, Output: 5},
		Calls: []llm.Call{{ID: "call_1_1", Name: "search", Args: []byte(`{"query":"sushi"}`)}}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first answer (-want +got):\n%s", diff)
	}
	messages := append(ask("sushi please").Messages,
		llm.Message{Role: llm.Assistant, Calls: first.Calls},
		llm.Message{Role: llm.ToolRole, CallID: "call_1_1", Text: `{"listings":["Niazi"]}`})
	second, err := s.Complete(ctx, llm.Request{Messages: messages})
	if err != nil || second.Text != "Here." || second.Finish != "stop" {
		t.Errorf("second answer: %+v, %v", second, err)
	}
	if _, err := s.Complete(ctx, ask("again")); llm.MeaningOf(err) != llm.Unavailable {
		t.Errorf("third answer: %v", err)
	}
	if got := len(s.Requests()); got != 3 {
		t.Errorf("recorded %d requests, want 3", got)
	}
}

func TestScriptReportsDeviation(t *testing.T) {
	t.Parallel()
	open := llm.Request{Messages: []llm.Message{
		{Role: llm.User, Text: "x"}, {Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Name: "f"}}}}}
	tests := []struct {
		name  string
		steps []llmtest.Step
		ask   []llm.Request
		want  string
	}{
		{"not what was expected", []llmtest.Step{llmtest.Say("ok", "pizza")}, []llm.Request{ask("sushi")}, `want "pizza" in "sushi"`},
		{"what must be absent", []llmtest.Step{{Absent: []string{"sushi"}}}, []llm.Request{ask("sushi")}, `want no "sushi"`},
		{"other tools", []llmtest.Step{{Tools: []string{"f"}}}, []llm.Request{ask("x")}, `tools offered are []`},
		{"one too many", []llmtest.Step{llmtest.Say("ok")}, []llm.Request{ask("x"), ask("y")}, `no step left; it says "y"`},
		{"one too few", []llmtest.Step{llmtest.Say("ok"), llmtest.Say("ok")}, []llm.Request{ask("x")}, "step 2 of 2 was never asked for"},
		{"broken history", []llmtest.Step{llmtest.Say("ok")}, []llm.Request{open}, "no tool message"},
	}
	for _, tt := range tests {
		r := &recorder{TB: t}
		s := llmtest.New(r, tt.steps...)
		for _, req := range tt.ask {
			if _, err := s.Complete(context.Background(), req); err != nil && llm.MeaningOf(err) != llm.Malformed {
				t.Errorf("%s: error is %s, want malformed", tt.name, llm.MeaningOf(err))
			}
		}
		if got := r.end(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: reported %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestScriptInParallel(t *testing.T) {
	t.Parallel()
	const n = 20
	var steps []llmtest.Step
	for i := range n {
		steps = append(steps, llmtest.Say(fmt.Sprint("answer ", i), fmt.Sprintf("question %d.", i)))
	}
	s := llmtest.New(t, steps...)
	s.AnyOrder = true
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r, err := s.Complete(context.Background(), ask(fmt.Sprintf("question %d.", i)))
			if want := fmt.Sprint("answer ", i); err != nil || r.Text != want {
				t.Errorf("got %q, %v, want %q", r.Text, err, want)
			}
		})
	}
	wg.Wait()
}

func TestScriptHonoursContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := llmtest.New(t)
	if _, err := s.Complete(ctx, ask("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled in the chain", err)
	}
}

func TestScriptStreams(t *testing.T) {
	t.Parallel()
	var m llm.Model = llmtest.New(t, llmtest.Say("Here."))
	var said string
	r, err := m.Stream(t.Context(), ask("x"), func(delta string) error { said += delta; return nil })
	if err != nil || r.Text != "Here." || said != r.Text {
		t.Errorf("got %q, said %q, %v", r.Text, said, err)
	}
}
