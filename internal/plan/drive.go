package plan

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"merve/internal/base/fault"
)

// errWaiting ends a drive that does not wait for others when only others have work left.
var errWaiting = errors.New("others are at work on the plan")

// run drives one plan: it decides, starts the work that this process may do, and records the results. Its fields
// belong to one goroutine. Each work has a goroutine of its own, and gets what it needs as a value.
type run struct {
	e    *Engine
	ref  Ref
	head Head // zero until it was read

	events []Event // all that are known
	stale  bool    // others may have written
	held   map[string]bool
	busy   map[string]bool      // work of this process that goes on
	theirs map[string]time.Time // work that is others', and when it is looked at again
	behind bool                 // questions before it are open, and the process that answers the last of them begins it
	wanted int                  // the step that this process was sent for, or noStep
	waits  bool                 // for what others do
	done   chan outcome         // one of each work, so that no work ever waits
}

// outcome is what came of a work.
type outcome struct {
	work   string
	events []Event
	held   []string // claims that were taken with the events
	err    error
}

func (e *Engine) newRun(ref Ref) *run {
	return &run{
		e: e, ref: ref, stale: true, wanted: noStep, held: map[string]bool{}, busy: map[string]bool{}, theirs: map[string]time.Time{},
		done: make(chan outcome, maxSteps+4),
	}
}

// drive brings the plan forward until it is answered. It waits for others only when it is told to, and no
// longer than ctx lasts. Work that goes on then ends by itself, and what it gives is stored.
func (r *run) drive(ctx context.Context, wait bool) (Answer, error) {
	r.waits = wait
	for looked := 0; ; looked++ {
		if err := r.refresh(ctx); err != nil {
			return Answer{Ref: r.ref}, err
		}
		s := Fold(r.events)
		if s.Answer != nil {
			return s.Answer.answer(r.ref), nil
		}
		r.act(ctx, s, Decide(s, r.e.Now()))
		if len(r.busy) == 0 && !wait {
			return Answer{Ref: r.ref}, errWaiting
		}
		if err := r.next(ctx, s, looked); err != nil && ctx.Err() != nil {
			return Answer{Ref: r.ref}, ErrLater // whatever of it was broken off
		} else if err != nil {
			return Answer{Ref: r.ref}, err
		}
	}
}

// refresh reads the events again when others may have written.
func (r *run) refresh(ctx context.Context) error {
	if !r.stale {
		return nil
	}
	events, err := r.e.Store.load(ctx, r.ref)
	switch {
	case err != nil && ctx.Err() != nil:
		return ErrLater
	case err != nil:
		return err
	case !slices.ContainsFunc(events, func(e Event) bool { return e.Type != ToolInvocationResulted }):
		return ErrReset // deleted: nothing of an open plan expires, and a worker may have been late
	}
	r.events, r.stale = events, false
	return nil
}

// next waits for one event: one of our works ends, or, if others are at work, some time passes.
func (r *run) next(ctx context.Context, s State, looked int) error {
	var tick <-chan time.Time
	if r.dependsOnOthers(s) {
		t := time.NewTimer(pollAfter(looked))
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-ctx.Done():
		return ErrLater
	case <-tick:
		_, behind := r.theirs[planWork]
		r.stale = s.Plan != nil || !behind
		now := r.e.Now()
		maps.DeleteFunc(r.theirs, func(_ string, at time.Time) bool { return !now.Before(at) })
		return nil
	case o := <-r.done:
		return r.take(o)
	}
}

// claimLook is how long a claim of somebody else's is left alone. Their events are read more often than that.
const claimLook = time.Second

// pollAfter is how long to wait before events are read again that others write.
func pollAfter(looked int) time.Duration {
	return min(20*time.Millisecond<<min(looked, 4), 250*time.Millisecond)
}

// dependsOnOthers reports whether anything is to come that no work of this process brings.
func (r *run) dependsOnOthers(s State) bool {
	if len(r.busy) == 0 {
		return true
	}
	for i, st := range s.Steps {
		if st.Status == Dispatched && !r.busy[stepWork(i)] {
			return true
		}
	}
	return false
}

// take records the outcome of a work. If others were first, the events are read again.
func (r *run) take(o outcome) error {
	delete(r.busy, o.work)
	delete(r.held, o.work)
	switch {
	case o.err == nil:
		r.events = append(r.events, o.events...)
		for _, work := range o.held {
			r.held[work] = true
		}
	case errors.Is(o.err, errBehind): // nobody else writes about it meanwhile
		r.theirs[o.work], r.behind = r.e.Now(), true
	case errors.Is(o.err, errClaimed):
		r.stale, r.theirs[o.work] = true, r.e.Now().Add(claimLook)
	case errors.Is(o.err, errSent):
		r.theirs[o.work] = r.e.Now().Add(ClaimTime)
	case errors.Is(o.err, errStored), errors.Is(o.err, errLost), r.waits && fault.Retryable(o.err): // somebody is waiting: it is tried again
		r.stale, r.theirs[o.work] = true, r.e.Now()
	default:
		return o.err
	}
	return nil
}

// act starts what a decision asks for.
func (r *run) act(ctx context.Context, s State, d Decision) {
	switch {
	case d.Collect:
		r.start(ctx, s, answerWork, job.collect)
	case d.Plan:
		r.start(ctx, s, planWork, job.plan)
	case d.Complete:
		r.start(ctx, s, "complete", job.complete)
	case d.Synthesize:
		r.start(ctx, s, answerWork, job.answer)
	}
	for i, st := range s.Steps {
		if st.Status == Dispatched && (r.held[stepWork(i)] || i == r.wanted) {
			r.start(ctx, s, stepWork(i), func(j job, ctx context.Context) outcome { return j.step(ctx, st) })
		}
	}
	for _, i := range d.Retry {
		r.start(ctx, s, stepWork(i), func(j job, ctx context.Context) outcome { return j.retry(ctx, s.Steps[i]) })
	}
	for _, i := range d.Expire {
		r.start(ctx, s, stepWork(i), func(j job, ctx context.Context) outcome { return j.expire(ctx, s.Steps[i]) })
	}
	if len(d.Dispatch) > 0 {
		r.start(ctx, s, "dispatch", func(j job, ctx context.Context) outcome { return j.request(ctx, s, d.Dispatch, batch{}) })
	}
}

// start runs a work alongside all others, unless it is already running or others have it. The work finishes even if
// the waiting caller goes away.
func (r *run) start(ctx context.Context, s State, work string, do func(job, context.Context) outcome) {
	if _, others := r.theirs[work]; others || r.busy[work] {
		return
	}
	r.busy[work] = true
	j := job{Engine: r.e, ref: r.ref, head: r.head, state: s, held: r.held[work]}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTime+storeTime)
	go func() {
		defer cancel()
		o := do(j, ctx)
		o.work = work
		r.done <- o
	}()
}
