package plan

import "time"

// Times of a plan.
const (
	// ClaimTime is how long a claim on work lasts. A worker renews its claim while it works, so the claim runs out if
	// the worker has died.
	ClaimTime = 15 * time.Second

	// StepTime is how long a step may go without a result, however many workers try it. It leaves time for another
	// worker to take over after one has died with its claim.
	StepTime = 30 * time.Second

	// PlanTime is how old a plan may get before it is closed in words.
	PlanTime = 30 * time.Minute
)

// Decision is what is to be done about a plan now. The zero Decision is to wait.
type Decision struct {
	Done       bool  // it is answered
	Collect    bool  // it is too old: close it in words
	Plan       bool  // make the plan
	Dispatch   []int // steps to be requested
	Retry      []int // steps that were requested so long ago that their claimant has died
	Expire     []int // steps whose time is up
	Complete   bool  // all steps have come to their end
	Synthesize bool  // write the answer

	Wake time.Time // when time alone makes a difference; zero is never
}

// Decide says what is to be done. It is a function of state and clock alone, so everybody who looks
// decides the same, and what two of them do about it is one thing by its identity.
func Decide(s State, now time.Time) Decision {
	switch {
	case s.Answer != nil:
		return Decision{Done: true}
	case s.Query == nil && s.Plan == nil && s.Synthesis == nil: // nothing says what was asked
		return Decision{}
	}
	end := s.begun().Add(PlanTime)
	if !now.Before(end) {
		return Decision{Collect: true}
	}
	switch {
	case s.Synthesis != nil:
		return Decision{Synthesize: true, Wake: end}
	case s.Plan == nil:
		return Decision{Plan: s.Query != nil, Wake: end}
	case s.settled():
		return Decision{Complete: true, Wake: end}
	}
	return decideSteps(s, now, end)
}

func decideSteps(s State, now, end time.Time) Decision {
	d := Decision{Wake: end}
	for i, st := range s.Steps {
		switch {
		case st.Status == Pending && s.ready(st):
			d.Dispatch = append(d.Dispatch, i)
		case st.Status != Dispatched:
		case !now.Before(st.RequestedAt.Add(StepTime)):
			d.Expire = append(d.Expire, i)
		case !now.Before(st.RequestedAt.Add(ClaimTime)):
			d.Retry = append(d.Retry, i)
			d.wake(st.RequestedAt.Add(StepTime))
		default:
			d.wake(st.RequestedAt.Add(ClaimTime))
		}
	}
	return d
}

func (d *Decision) wake(at time.Time) {
	if at.Before(d.Wake) {
		d.Wake = at
	}
}
