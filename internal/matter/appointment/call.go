package appointment

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/record/customer"
	"merve/internal/spine/thread"
)

// workflows maps each kind of waiting question to the name that clients of a call use for it.
var workflows = map[string]string{MoveKind: "rescheduleWorkflowId", CancelKind: "cancelWorkflowId"}

// CallState returns what the clients of a call see: what the caller has proven, the lists that were read out, and the
// question that waits. 2 requests.
func (d *Desk) CallState(ctx context.Context, callers *customer.Verifier, h thread.Head) (map[string]any, error) {
	tc := tool.Context{Thread: h.ID}
	if h.Session != nil {
		tc.Session.ID = h.Session.ID
	}
	proven, err := callers.State(ctx, tc)
	if err != nil {
		return nil, err
	}
	shown, err := d.State(ctx, tc)
	if err != nil {
		return nil, err
	}
	return callState(proven, shown, h.Pending), nil
}

func callState(proven customer.State, shown State, waits *thread.Pending) map[string]any {
	s := map[string]any{
		"conversation": map[string]any{"verification": proven}, "appointments": shown.Appointments, "availableSlots": shown.Times,
	}
	if waits != nil && workflows[waits.Kind] != "" {
		s[workflows[waits.Kind]] = waits.ID
	}
	return s
}
