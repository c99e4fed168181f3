package turn

import (
	"context"
	"fmt"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/model/llm"
)

// access is what the state of the conversation opens to the assistant. Assistants without a rule of their own for it, such
// as one that proves a caller's identity first, have everything open.
type access struct {
	*scene
	opened tool.Access
	acted  bool // the model has called a tool since that was asked
}

// unlock asks what is open to the assistant now, and whose things the customer may therefore see.
func (a *access) unlock(ctx context.Context) error {
	if a.assistant.Access == nil {
		return nil
	}
	opened, err := a.assistant.Access(ctx, a.tc)
	if err != nil {
		return fmt.Errorf("access on thread %s: %w", a.thread.ID, err)
	}
	a.opened, a.acted = opened, false
	a.tc.Actor.Also = slices.Concat(a.thread.Linked, opened.As)
	return nil
}

// closed reports whether the customer still has to prove who they are. Until then they hear nothing of what stands on the
// thread.
func (a *access) closed() bool { return a.assistant.Access != nil && !a.opened.Acts }

// situation is what the rules for tools go by. Waits says whether something waits for YES or NO.
func (a *access) situation(optedOut, waits bool) tool.Situation {
	return tool.Situation{Set: a.assistant.Tools, Access: a.opened, Market: a.market, ReadOnly: optedOut, Waits: waits}
}

// toolChoice says whether the model has to call a tool before it may speak. An assistant that acts is mostly asked to look
// something up or to do something, and models tend to talk about it instead. One of its tools is there for everything
// else.
func (a *access) toolChoice() llm.ToolChoice {
	if a.opened.Acts && !a.acted {
		return llm.ToolRequired
	}
	return llm.ToolAuto
}
