package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// FrozenCall is the kind of pending action that asks the customer whether to make a tool call.
const FrozenCall = "frozen_call"

// frozenHash binds a YES to a call: to the tool, and to the arguments that the customer was shown.
func frozenHash(tool string, args json.RawMessage) string {
	sum := sha256.Sum256(append([]byte(tool+"\x00"), args...))
	return hex.EncodeToString(sum[:])
}

// Commitments settle the calls of tools that a model has made and that wait for a YES.
func Commitments(tools *tool.Registry) map[string]gate.Commitment {
	return map[string]gate.Commitment{FrozenCall: Frozen{Tools: tools}}
}

// Frozen settles frozen calls: after a YES the tool runs with exactly the arguments that the customer was shown.
type Frozen struct{ Tools *tool.Registry }

// Describe asks for the YES.
func (f Frozen) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.ActionPrompt, wording.Vars{"action": p.Summary, "details": ""})
}

// Does implements [gate.Commitment].
func (Frozen) Does() gate.Deed { return gate.Other }

// Commit runs the call. Its key is the pending action's, so that a turn that dies after the call and is run again does
// nothing twice.
func (f Frozen) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	action := wording.Vars{"action": c.Pending.Summary}
	t, ok := f.Tools.Get(c.Pending.Tool)
	if !ok {
		return gate.Settled{Text: wording.Say(tc.Language, wording.ActionFailed, action)}, nil
	}
	args, err := t.Canonical(json.RawMessage(c.Pending.Args))
	if err == nil {
		err = t.Within(tc.Market, args)
	}
	if err != nil { // the tool, or its bounds, have changed since it was asked for
		return gate.Settled{Text: wording.Say(tc.Language, wording.ActionFailed, action)}, nil
	}
	tc.Key = c.Pending.ID
	out, err := agent.RunTool(ctx, t, tc, args)
	switch {
	case err != nil && fault.Retryable(err) && ctx.Err() != nil:
		return gate.Settled{}, err
	case err != nil:
		return gate.Settled{Text: wording.Say(tc.Language, wording.ActionFailed, action)}, nil
	}
	text := out.Done
	if text == "" {
		text = wording.Say(tc.Language, wording.ActionDone, action)
	}
	return gate.Settled{
		Text: text, Cards: out.Cards, Map: out.Map, HandOver: out.HandOver,
		Stands: []standing.Item{standing.Action(c.Pending.ID, text, out.Facts)},
	}, nil
}

// Release lets go of the call: nothing has happened.
func (f Frozen) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	action := wording.Vars{"action": p.Summary}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.ActionDeclined, action), Late: wording.Say(tc.Language, wording.ActionFailed, action),
	}, nil
}
