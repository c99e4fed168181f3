package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	fast "github.com/go-json-experiment/json" // twice as fast as the standard library's at what a log is full of
)

// Status is how far a step has come.
type Status string

const (
	Pending    Status = "pending"
	Dispatched Status = "dispatched"
	Succeeded  Status = "completed"
	Failed     Status = "failed"
	Skipped    Status = "skipped" // it depends on a step that failed; no event says so
)

// State is what the events of one plan come to.
type State struct {
	Correlation string
	Query       *Query
	AskedAt     time.Time
	Plan        *Generated
	PlannedAt   time.Time
	Steps       []StepState // of the plan, in order
	Completed   *Completed
	Synthesis   *Synthesize
	Answer      *Final

	Last  time.Time // of the latest event
	Stray int       // events that do not belong to the plan, such as the result of a step that it has not
}

// StepState is a step of a plan and what has become of it.
type StepState struct {
	Step
	Status      Status
	RequestedAt time.Time
	ResultedAt  time.Time
	Request     *Requested
	Result      json.RawMessage
	DurationMs  int64
}

// Fold makes the state from events of one plan. The order of the events, their repetition, and what is
// missing change nothing but what is missing. Where two events claim one identity, the earlier stands.
func Fold(events []Event) State {
	set := map[string]Event{}
	for _, e := range events {
		if had, twice := set[e.ID]; !twice || before(e, had) {
			set[e.ID] = e
		}
	}
	var s State
	requested, resulted := map[int]stamped[Requested]{}, map[int]stamped[Resulted]{}
	for _, e := range set {
		s.take(e, requested, resulted)
	}
	if s.Plan == nil {
		s.Stray += len(requested) + len(resulted)
		return s
	}
	for i, step := range s.Plan.Plan.Steps {
		s.Steps = append(s.Steps, stepState(s.Plan.Plan.PlanID, i, step, requested, resulted))
	}
	s.skip()
	s.Stray += len(requested) + len(resulted)
	return s
}

type stamped[P any] struct {
	at time.Time
	P  P
}

func before(a, b Event) bool {
	return cmp.Or(a.At.Compare(b.At), bytes.Compare(a.Payload, b.Payload)) < 0
}

func (s *State) take(e Event, requested map[int]stamped[Requested], resulted map[int]stamped[Resulted]) {
	ok := false
	switch e.Type {
	case UserQueryReceived:
		ok = read(e, &s.Query)
		s.AskedAt = e.At
	case PlanGenerated:
		ok = read(e, &s.Plan)
		s.PlannedAt = e.At
	case ToolInvocationRequested:
		var p *Requested
		if ok = read(e, &p); ok {
			requested[p.StepIndex] = stamped[Requested]{e.At, *p}
		}
	case ToolInvocationResulted:
		var p *Resulted
		if ok = read(e, &p); ok {
			resulted[p.StepIndex] = stamped[Resulted]{e.At, *p}
		}
	case PlanCompleted:
		ok = read(e, &s.Completed)
	case SynthesizeFinalAnswerRequested:
		ok = read(e, &s.Synthesis)
	case FinalAnswerSynthesized:
		ok = read(e, &s.Answer)
	}
	if !ok {
		s.Stray++
		return
	}
	s.Correlation = e.Correlation
	if e.At.After(s.Last) {
		s.Last = e.At
	}
}

func read[P any](e Event, into **P) bool {
	var p P
	if fast.Unmarshal(e.Payload, &p) != nil {
		return false
	}
	*into = &p
	return true
}

// stepState takes from requested and resulted what belongs to a step.
func stepState(plan string, i int, step Step, requested map[int]stamped[Requested], resulted map[int]stamped[Resulted]) StepState {
	st := StepState{Step: step, Status: Pending}
	if r, ok := requested[i]; ok && r.P.PlanID == plan && r.P.ToolName == step.Tool {
		delete(requested, i)
		st.Status, st.RequestedAt, st.Request = Dispatched, r.at, &r.P
	}
	if r, ok := resulted[i]; ok && r.P.PlanID == plan && r.P.ToolName == step.Tool {
		delete(resulted, i)
		st.Status, st.ResultedAt, st.Result, st.DurationMs = Failed, r.at, r.P.Result, r.P.DurationMs
		if r.P.Success {
			st.Status = Succeeded
		}
	}
	return st
}

// skip derives which steps can never be asked. A step depends on earlier ones only.
func (s *State) skip() {
	for i := range s.Steps {
		if s.Steps[i].Status != Pending {
			continue
		}
		for _, d := range s.Steps[i].DependsOn {
			if d >= 0 && d < i && (s.Steps[d].Status == Failed || s.Steps[d].Status == Skipped) {
				s.Steps[i].Status = Skipped
			}
		}
	}
}

// ready reports whether all that a step depends on has succeeded.
func (s *State) ready(step StepState) bool {
	for _, d := range step.DependsOn {
		if d < 0 || d >= len(s.Steps) || s.Steps[d].Status != Succeeded {
			return false
		}
	}
	return true
}

// settled reports whether every step has come to its end.
func (s *State) settled() bool {
	return s.Plan != nil && !slices.ContainsFunc(s.Steps, func(st StepState) bool { return st.Status == Pending || st.Status == Dispatched })
}

// results are what came of the steps, in their order.
func (s *State) results() []StepResult {
	all := make([]StepResult, len(s.Steps))
	for i, st := range s.Steps {
		all[i] = StepResult{
			StepIndex: i, ToolName: st.Tool, Input: st.Input, Status: st.Status, Success: st.Status == Succeeded,
			Result: told(st.Result, maxExcerpt), DurationMs: st.DurationMs,
		}
		if st.Status == Skipped {
			all[i].Result = json.RawMessage(`"not asked: a step that it needs has failed"`)
		}
	}
	return all
}

// earlier are the results that a step depends on.
func (s *State) earlier(step StepState) []Earlier {
	all := []Earlier{}
	for _, d := range step.DependsOn {
		before := s.Steps[d]
		all = append(all, Earlier{StepIndex: d, Tool: before.Tool, Input: before.Input, Result: clip(plain(told(before.Result, maxExcerpt)), maxExcerpt)})
	}
	return all
}

// asked is the question, wherever it is still told.
func (s *State) asked() string {
	switch {
	case s.Query != nil:
		return s.Query.Query
	case s.Plan != nil:
		return s.Plan.OriginalQuery
	case s.Synthesis != nil:
		return s.Synthesis.OriginalQuery
	}
	return ""
}

// with is the state after an event of the question's first moments: its plan.
func (s *State) with(plan Event) State {
	next := *s
	next.take(plan, nil, nil)
	if next.Plan != nil {
		for _, step := range next.Plan.Plan.Steps {
			next.Steps = append(next.Steps, StepState{Step: step, Status: Pending})
		}
	}
	return next
}

// begun is when the question came in, or the earliest that is still told.
func (s *State) begun() time.Time {
	return cmp.Or(s.AskedAt, s.PlannedAt, s.Last)
}
