package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// A YES to a call that can no longer be made is told that it was not done; a turn that is given
// up meanwhile says nothing, and whoever takes it over calls again.
func TestAYesToACallThatFails(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	tools, err := tool.NewRegistry(
		tool.New("broken", "Fails.", tool.Commit, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
			return tool.Result{}, fault.New(fault.Conflict, "no")
		}),
		tool.New("slow", "Does not come to an end.", tool.Commit, func(ctx context.Context, _ tool.Context, _ struct{}) (tool.Result, error) {
			giveUp()
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	calls := func(name, args string) (string, error) {
		p := thread.Pending{ID: "p_1", Kind: turn.FrozenCall, Tool: name, Args: args, Summary: "a call"}
		s, err := turn.Frozen{Tools: tools}.Commit(ctx, tool.Context{Language: "en"}, gate.Consent{Pending: p})
		return s.Text, err
	}
	failed := wording.Say("en", wording.ActionFailed, wording.Vars{"action": "a call"})
	for _, call := range [][2]string{{"broken", `{}`}, {"broken", `{"what":"it took once"}`}, {"gone", `{}`}} {
		if text, err := calls(call[0], call[1]); err != nil || text != failed {
			t.Errorf("%s: %q, %v", call, text, err)
		}
	}
	if text, err := calls("slow", `{}`); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %q, %v", text, err)
	}
}

// A tool that was switched off since the question was asked does not run after the YES.
func TestAYesToAToolSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = clerkModel()
	if a := w.say(w.from("ann", channel.App, "1", "note")); a.Pending == nil {
		t.Fatalf("nothing is asked: %q", textOf(a.Turn))
	}
	m, err := w.markets.Get(t.Context(), w.market)
	if err != nil {
		t.Fatal(err)
	}
	off := false
	m.Tools = map[string]market.ToolPolicy{"leaveNote": {Enabled: &off}}
	if _, err := w.markets.Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.clock.add(time.Second)
	a := w.say(w.from("ann", channel.App, "2", "yes"))
	if len(w.left) > 0 || a.Pending != nil || !strings.Contains(textOf(a.Turn), "not offered any more") {
		t.Errorf("%d notes, %+v waits: %q", len(w.left), a.Pending, textOf(a.Turn))
	}
}
