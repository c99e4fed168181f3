package turn

import (
	"context"
	"fmt"
	"slices"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/model/llm"
)

// unlock asks what the state of the conversation opens to the assistant now, and whose things are the
// customer's by it.
func (w *work) unlock(ctx context.Context) error {
	if w.assistant.Access == nil {
		return nil
	}
	a, err := w.assistant.Access(ctx, w.tc)
	if err != nil {
		return fmt.Errorf("access on thread %s: %w", w.thread.ID, err)
	}
	w.access, w.acted = a, false
	w.tc.Actor.Also = slices.Concat(w.thread.Linked, a.As)
	return nil
}

// closed reports whether the assistant's things are somebody's who has to prove first who they are, and nobody has: they are
// told nothing of what stands on the thread.
func (w *work) closed() bool { return w.assistant.Access != nil && !w.access.Acts }

// changed looks again, after a call that may have changed it, at what is open to the assistant and at what stands. A
// proposal has changed nothing yet.
func (w *work) changed(ctx context.Context, res agent.Result) error {
	t, _ := w.r.Tools.Get(res.Name)
	if t.Effect == tool.Read || res.Status == agent.Denied {
		w.acted = true
		return nil
	}
	before := w.access.Acts
	if err := w.unlock(ctx); err != nil {
		return err
	}
	if w.acted = w.access.Acts == before; w.acted && (res.Frozen || res.Out.Proposal != nil) {
		return nil
	}
	w.found, w.unsure = finds{}, true
	_, err := w.stood(ctx)
	return err
}

// choice says whether the model has to call a tool before it may speak. What an assistant that acts is asked for is
// mostly something to look up or to do, and models tend to talk about it instead; one of its tools is there
// for what needs no other.
func (w *work) choice() llm.ToolChoice {
	if w.access.Acts && !w.acted {
		return llm.ToolRequired
	}
	return llm.ToolAuto
}
