package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/tenant/channel"
)

// What a tool found is shown to a model as far as a model can take it in, and that there is more.
func TestField24_ALongResultIsCut(t *testing.T) {
	t.Parallel()
	for size, cut := range map[int]bool{23_000: false, 25_000: true, 1 << 20: true} {
		found := tool.New("find", "Finds.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
			return tool.Result{Data: strings.Repeat("ş", size/2)}, nil
		})
		res := (&run{}).resolveOne(t.Context(), tool.Context{}, call{tool: found, args: json.RawMessage(`{}`)})
		var told struct{ Note, Start string }
		if err := json.Unmarshal(res.content, &told); (err == nil) != cut || res.Status != OK {
			t.Errorf("%d bytes: %s, %v", size, res.Status, err)
		}
		if cut && (told.Note != "the result was too long and is cut" || utf8.RuneCountInString(told.Start) > 24_000 || len(res.content) > 60_000) {
			t.Errorf("%d bytes: %q, and %d characters of it in %d bytes", size, told.Note, utf8.RuneCountInString(told.Start), len(res.content))
		}
	}
}

// The list that was shown last is what can be chosen from, also one that came with an error. It is over when a round has
// gone on from it, and not when nothing of that could be done.
func TestChoices(t *testing.T) {
	t.Parallel()
	list := func(label string) []channel.Choice { return []channel.Choice{{Label: label}} }
	gave := func(status Status, choices []channel.Choice) Result {
		return Result{Status: status, Out: tool.Result{Choices: choices}}
	}
	for name, tt := range map[string]struct {
		round  []Result
		before string
		want   string
	}{
		"a list":                     {[]Result{gave(OK, list("new"))}, "old", "new"},
		"two lists":                  {[]Result{gave(OK, list("first")), gave(OK, list("second")), gave(OK, nil)}, "", "second"},
		"a list beside an error":     {[]Result{gave(Failed, list("new"))}, "old", "new"},
		"something else was done":    {[]Result{gave(OK, nil)}, "old", ""},
		"something was proposed":     {[]Result{gave(Failed, nil), gave(Proposed, nil)}, "old", ""},
		"nothing of it could be":     {[]Result{gave(Failed, nil), gave(Denied, nil)}, "old", "old"},
		"nothing was ever to choose": {[]Result{gave(OK, nil)}, "", ""},
	} {
		var before, want []channel.Choice
		if tt.before != "" {
			before = list(tt.before)
		}
		if tt.want != "" {
			want = list(tt.want)
		}
		if got := choices(tt.round, before); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	ask := tool.New("ask", "Asks.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
		return tool.Result{Choices: list("mild"), Data: "kept to itself"}, errors.New("which?")
	})
	res := (&run{Task: Task{Log: slog.New(slog.DiscardHandler)}}).resolveOne(t.Context(), tool.Context{}, call{tool: ask, args: json.RawMessage(`{}`)})
	if res.Status != Failed || !slices.Equal(res.Out.Choices, list("mild")) || res.Out.Data != nil {
		t.Errorf("a call that fails: %+v", res)
	}
}
