package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// timerMessage is a message to [Engine.Deliver] that is no event: look at a plan.
type timerMessage struct {
	Look *Ref `json:"look"`
}

// Deliver takes a message about a plan: a published event, or a timer. An event is a hint. One that nobody has stored
// is stored first if it belongs to an open plan and a step that waits for it, and is [fault.Invalid]
// otherwise, which is for the dead-letter queue. A second result of a step changes nothing, and neither does what comes
// after a reset: that is dropped.
func (e *Engine) Deliver(ctx context.Context, body []byte) error {
	var t timerMessage
	if json.Unmarshal(body, &t) == nil && t.Look != nil {
		return e.Look(ctx, *t.Look)
	}
	ev, err := ReadWire(body)
	if err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	ref, err := e.Store.locate(ctx, ev.Correlation)
	switch {
	case errors.Is(err, ErrReset):
		e.Log.InfoContext(ctx, "late for a plan that was reset", "event", ev.ID)
		return nil
	case errors.Is(err, actor.ErrNotFound):
		return fault.New(fault.Invalid, "an event of no plan: %s", ev.Correlation)
	case err != nil:
		return fmt.Errorf("deliver: %w", err)
	}
	r := e.newRun(ref)
	if err := r.refresh(ctx); err != nil {
		return undisturbed(Answer{}, err)
	}
	if err := r.adopt(ctx, ev); err != nil {
		if _, ended := (job{Engine: e, ref: ref}).headNow(ctx); errors.Is(ended, ErrReset) { // its plan is being deleted
			return nil
		}
		return fmt.Errorf("deliver: %w", err)
	}
	if ev.Type == ToolInvocationRequested {
		if r.wanted, err = stepOf(ev.Type, ev.Payload); err != nil {
			return err
		}
	}
	_, err = r.drive(ctx, false)
	if _, others := r.theirs[stepWork(r.wanted)]; others && errors.Is(err, errWaiting) {
		return fault.New(fault.Unavailable, "another worker is at step %d", r.wanted)
	}
	if ev.Type == UserQueryReceived { // from here on somebody looks after the plan until it is answered
		return r.lookedAt(ctx, err)
	}
	return undisturbed(Answer{}, err)
}

// adopt stores an event that came from outside, if the plan waits for it.
func (r *run) adopt(ctx context.Context, ev Event) error {
	for _, had := range r.events {
		if had.ID != ev.ID {
			continue
		}
		if string(had.Payload) != string(ev.Payload) && ev.Type == ToolInvocationResulted {
			r.e.Log.InfoContext(ctx, "second result of a step dropped", "event", ev.ID)
		}
		return nil
	}
	s := Fold(r.events)
	if s.Answer != nil {
		return fault.New(fault.Invalid, "the plan of event %s is answered", ev.ID)
	}
	if ev.Type != ToolInvocationResulted || !s.waitsFor(ev) {
		return fault.New(fault.Invalid, "no step waits for event %s", ev.ID)
	}
	if ev.At.Before(s.Last) || ev.At.After(r.e.Now()) { // nobody else's clock puts it before its cause
		ev.At = s.Last
	}
	err := r.e.Store.commit(ctx, r.ref, batch{events: []Event{ev}})
	if err != nil && !errors.Is(err, errStored) {
		return err
	}
	r.stale = true
	return nil
}

// waitsFor reports whether a result is that of a step which was requested and has none.
func (s *State) waitsFor(ev Event) bool {
	var p Resulted
	if json.Unmarshal(ev.Payload, &p) != nil || p.StepIndex >= len(s.Steps) {
		return false
	}
	if _, elsewhere := onShelf(p.Result); elsewhere { // only the writer of the log puts results there
		return false
	}
	st := s.Steps[p.StepIndex]
	return st.Status == Dispatched && p.PlanID == s.Plan.Plan.PlanID && p.ToolName == st.Tool
}

// Sweep looks after all plans that are due: whose process has died, or that have got too old.
func (e *Engine) Sweep(ctx context.Context, b dynamo.Budget) (dynamo.Walked, error) {
	return e.Store.Table.EachDueItem(ctx, dueKind, e.Now(), b, func(it dynamo.Item) (bool, error) {
		var h Head
		if err := it.Decode(&h); err != nil {
			return false, err
		}
		return true, e.sweepOne(ctx, it, h)
	})
}

func (e *Engine) sweepOne(ctx context.Context, it dynamo.Item, h Head) error {
	conversation := it.Key().PK[len(eventPrefix):]
	later := e.Store.Table.Update(headKey(conversation), "SET dueAt = :next", dynamo.V{":next": e.Now().Add(ClaimTime), ":due": h.DueAt, ":g": h.Generation}).
		If("generation = :g AND dueAt = :due", nil).Else(errMoved)
	if err := e.Store.Table.DB().Commit(ctx, later); err != nil {
		if errors.Is(err, errMoved) { // another sweep has it, or it is answered
			return nil
		}
		return err
	}
	for _, c := range h.Open {
		r := e.newRun(Ref{conversation, h.Generation, c})
		if _, err := r.drive(ctx, false); err != nil { // those behind it wait for it
			return undisturbed(Answer{}, err)
		}
	}
	return nil
}
