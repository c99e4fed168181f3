// Package llmtest has a model for tests: [Script] answers as written and fails the test
// when it is asked anything else.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/model/llm"
)

// Step is one request that a test expects, and its answer.
type Step struct {
	Expect []string   // substrings of what was said since the model last spoke, tool results included
	Absent []string   // substrings that must not be in it
	Tools  []string   // the tools offered, in any order; nil does not look
	Text   string     // the answer: text,
	Calls  []llm.Call // calls (an empty id gets one made of the step's place),
	Err    error      // or a failure
	Usage  llm.Usage  // zero is 10 tokens in and 5 out
	Finish string     // "" is stop, or tool_calls
}

// Say is a step that expects substrings and answers with text.
func Say(text string, expect ...string) Step { return Step{Text: text, Expect: expect} }

// Do is a step that expects substrings and answers with one call; args is its JSON.
func Do(name, args string, expect ...string) Step {
	return Step{Calls: []llm.Call{{Name: name, Args: json.RawMessage(args)}}, Expect: expect}
}

// Script is a model that plays its steps in order. It is safe for parallel use.
type Script struct {
	AnyOrder bool // a request takes the first unused step that fits it, for conversations that run side by side

	t        testing.TB
	mu       sync.Mutex
	steps    []Step
	used     []bool
	requests []llm.Request
}

// New returns a script. The test fails when a request fits no step, when a request's
// history is not valid, and when steps are left over at its end.
func New(t testing.TB, steps ...Step) *Script {
	s := &Script{t: t, steps: steps, used: make([]bool, len(steps))}
	t.Cleanup(s.finish)
	return s
}

// Requests returns what was asked so far.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Complete plays the step that req fits.
func (s *Script) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	s.t.Helper()
	if err := ctx.Err(); err != nil {
		return llm.Response{}, llm.Fail(llm.Unavailable, "scripted model: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if err := llm.Check(req.Messages); err != nil {
		return s.deviate("request %d: %v", len(s.requests), err)
	}
	i, why := s.find(req)
	if why != "" {
		return s.deviate("request %d: %s", len(s.requests), why)
	}
	s.used[i] = true
	return s.steps[i].answer(i, req)
}

// Stream plays the step that req fits and says its text at once.
func (s *Script) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	s.t.Helper()
	return llm.Whole(s.Complete).Stream(ctx, req, say)
}

func (s *Script) deviate(format string, args ...any) (llm.Response, error) {
	s.t.Helper()
	err := fmt.Errorf("scripted model: "+format, args...)
	s.t.Error(err)
	return llm.Response{}, llm.Fail(llm.Malformed, "%w", err)
}

// find returns the step that matches req, or the reason that no step does.
func (s *Script) find(req llm.Request) (i int, why string) {
	for i, step := range s.steps {
		if s.used[i] {
			continue
		}
		mismatch := step.mismatch(req)
		if mismatch == "" {
			return i, ""
		}
		if !s.AnyOrder {
			return 0, fmt.Sprintf("step %d: %s", i+1, mismatch)
		}
		why = mismatch
	}
	if why != "" {
		return 0, "fits no step left; the last says: " + why
	}
	return 0, fmt.Sprintf("no step left; it says %q", news(req.Messages))
}

func (st Step) mismatch(req llm.Request) string {
	said := news(req.Messages)
	for _, want := range st.Expect {
		if !strings.Contains(said, want) {
			return fmt.Sprintf("want %q in %q", want, said)
		}
	}
	for _, bad := range st.Absent {
		if strings.Contains(said, bad) {
			return fmt.Sprintf("want no %q in %q", bad, said)
		}
	}
	if st.Tools == nil {
		return ""
	}
	var offered []string
	for _, spec := range req.Tools {
		offered = append(offered, spec.Name)
	}
	slices.Sort(offered)
	if want := slices.Sorted(slices.Values(st.Tools)); !slices.Equal(offered, want) {
		return fmt.Sprintf("tools offered are %q, want %q", offered, want)
	}
	return ""
}

// news is what was said since the assistant last spoke, a line each.
func news(messages []llm.Message) string {
	from := 0
	for i, m := range messages {
		if m.Role == llm.Assistant {
			from = i + 1
		}
	}
	var lines []string
	for _, m := range messages[from:] {
		lines = append(lines, m.Text)
	}
	return strings.Join(lines, "\n")
}

func (st Step) answer(i int, req llm.Request) (llm.Response, error) {
	if st.Err != nil {
		return llm.Response{}, st.Err
	}
	r := llm.Response{Text: st.Text, Calls: slices.Clone(st.Calls), Usage: st.Usage, Model: req.Model, Finish: st.Finish}
	for n := range r.Calls {
		if r.Calls[n].ID == "" {
			r.Calls[n].ID = fmt.Sprintf("call_%d_%d", i+1, n+1)
		}
	}
	if r.Usage == (llm.Usage{}) {
		r.Usage = llm.Usage{Input: 10, Output: 5}
	}
	if r.Finish == "" {
		r.Finish = "stop"
		if len(r.Calls) > 0 {
			r.Finish = "tool_calls"
		}
	}
	return r, nil
}

func (s *Script) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.t.Failed() {
		return // unused steps tell nothing new
	}
	for i, used := range s.used {
		if !used {
			s.t.Errorf("scripted model: step %d of %d was never asked for", i+1, len(s.steps))
		}
	}
}
