package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	user := Message{Role: User, Text: "hi"}
	calls := func(ids ...string) Message {
		m := Message{Role: Assistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, Call{ID: id, Name: "f"})
		}
		return m
	}
	result := func(id string) Message { return Message{Role: ToolRole, CallID: id, Text: "{}"} }
	tests := []struct {
		name     string
		messages []Message
		wrong    string // part of the error; "" if the history is right
	}{
		{"plain", []Message{{Role: System, Text: "be kind"}, user, {Role: Assistant, Text: "hello"}, user}, ""},
		{"calls answered in any order", []Message{user, calls("a", "b"), result("b"), result("a"), user}, ""},
		{"an id used again in a later round", []Message{user, calls("a"), result("a"), calls("a"), result("a")}, ""},
		{"image without text", []Message{{Role: User, Images: []string{"https://x.test/a.png"}}}, ""},
		{"nothing", nil, "no messages"},
		{"call without result", []Message{user, calls("a"), user}, "message 2 (user): a call before it has no tool message"},
		{"one of two answered", []Message{user, calls("a", "b"), result("a"), calls("c")}, "message 3 (assistant): a call"},
		{"call left open at the end", []Message{user, calls("a")}, "the last call has no tool message"},
		{"result without call", []Message{user, result("a")}, `answers call "a", which is not open`},
		{"call answered twice", []Message{user, calls("a"), result("a"), result("a")}, "not open"},
		{"call without id", []Message{user, calls("")}, `call of "f" has no id`},
		{"two calls of one id", []Message{user, calls("a", "a")}, `two calls have the id "a"`},
		{"silent user", []Message{{Role: User}}, "no text and no image"},
		{"silent assistant", []Message{user, {Role: Assistant}}, "no text and no call"},
		{"silent system", []Message{{Role: System}}, "want text"},
		{"calling user", []Message{{Role: User, Text: "x", Calls: []Call{{ID: "a"}}}}, "neither calls"},
		{"assistant with image", []Message{{Role: Assistant, Text: "x", Images: []string{"u"}}}, "no image"},
		{"result with calls", []Message{user, calls("a"), {Role: ToolRole, CallID: "a", Calls: []Call{{ID: "b"}}}}, "text only"},
		{"role", []Message{{Role: "narrator", Text: "x"}}, `unknown role "narrator"`},
	}
	for _, tt := range tests {
		err := Check(tt.messages)
		if tt.wrong == "" && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.wrong)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	million := Usage{Input: 1_000_000, Output: 1_000_000}
	tests := []struct {
		model string
		usage Usage
		want  int64
	}{
		{"gpt-4o-mini", million, 750_000},
		{"gpt-4o-mini-2024-07-18", million, 750_000},
		{"openai/gpt-4o-mini", million, 750_000},
		{"gpt-4o-mini", Usage{Input: 1000, Cached: 600, Output: 100}, 165}, // 400×0.15 + 600×0.075 + 100×0.60
		{"gpt-4o-mini", Usage{Input: 1}, 1},                                // 0.15, rounded up
		{"gpt-4o-mini", Usage{Input: 10, Cached: 99}, 1},                   // no more cached than there are
		{"gpt-4o-mini", Usage{Input: -5, Cached: -5, Output: -5}, 0},
		{"gpt-6-luna", million, 600_000},
		{"gpt-5.5-pro", million, 210_000_000},
		{"somebody-elses-model", million, 60_000_000},
		{"gpt-4o-mini-preview", million, 60_000_000},    // unknown: not taken for its cheap cousin
		{"gpt-4o-mini-experiment", million, 60_000_000}, // as long as a date
		{"", million, 60_000_000},
		{RuleModel, million, 0},
		{"text-embedding-3-small", Usage{Input: 1_000_000}, 20_000},
	}
	for _, tt := range tests {
		if got := Cost(tt.model, tt.usage); got != tt.want {
			t.Errorf("Cost(%q, %+v) = %d, want %d", tt.model, tt.usage, got, tt.want)
		}
	}
}

func TestSees(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"gpt-4o-mini": true, "openai/gpt-5-mini-2025-08-07": true, RuleModel: false,
		"text-embedding-3-small": false, "somebody-elses": false} {
		if Sees(model) != want {
			t.Errorf("%s sees: %v", model, !want)
		}
	}
}

func TestUnknownIsTheDearestOfGeneralUse(t *testing.T) {
	t.Parallel()
	for model, p := range prices {
		if strings.HasSuffix(model, "-pro") {
			continue
		}
		if p.input > unknown.input || p.output > unknown.output {
			t.Errorf("%s costs more than an unknown model", model)
		}
		if p.cached > p.input {
			t.Errorf("%s: cached input costs more than fresh", model)
		}
	}
	if _, err := time.Parse(time.DateOnly, PricesAsOf); err != nil {
		t.Errorf("PricesAsOf: %v", err)
	}
}

func TestMeaningOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want Meaning
	}{
		{Fail(Unavailable, "x"), Unavailable},
		{fmt.Errorf("turn: %w", Fail(Malformed, "x")), Malformed},
		{fmt.Errorf("turn: %w", context.DeadlineExceeded), Unavailable},
		{context.Canceled, Unavailable},
		{errors.New("x"), Refused},
	}
	for _, tt := range tests {
		if got := MeaningOf(tt.err); got != tt.want {
			t.Errorf("MeaningOf(%v) = %s, want %s", tt.err, got, tt.want)
		}
	}
	cause := errors.New("cause")
	if !errors.Is(Fail(Refused, "asking: %w", cause), cause) {
		t.Error("the cause must stay in the chain")
	}
}

func TestUsageAdd(t *testing.T) {
	t.Parallel()
	if got, want := (Usage{1, 2, 3}).Add(Usage{10, 20, 30}), (Usage{11, 22, 33}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
