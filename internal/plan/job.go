package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"merve/internal/base/pause"
	"merve/internal/cloud/queue"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// job is one work on a plan, with what it needs to know.
type job struct {
	*Engine
	ref   Ref
	head  Head // zero when nobody has read it
	state State
	held  bool // the claim was taken with the event that made the work necessary
}

// claim takes the work for this process, unless the process has it already. It fails if the event that the work leads
// to is stored, because the writer of that event has given the claim back. One request.
func (j job) claim(ctx context.Context, work string, to Type, step int) error {
	if j.held {
		return nil
	}
	return j.Store.commit(ctx, j.ref, batch{holder: j.Holder, take: []string{work}, unless: identity(j.ref.Correlation, to, step)})
}

// whileClaimed does what takes long, and renews the claim on it. The context of do ends when the claim has gone to
// somebody else: what do gives could not be stored then.
func (j job) whileClaimed(ctx context.Context, work string, do func(ctx context.Context)) {
	ctx, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	defer renewing.Wait() // so that no renewal meets the write of what do gives
	defer stop()
	renewing.Go(func() {
		for j.wait(ctx, ClaimTime/2) == nil {
			switch err := j.Store.renew(ctx, j.ref, work, j.Holder); {
			case errors.Is(err, errLost):
				stop()
			case err != nil && ctx.Err() == nil:
				j.Log.WarnContext(ctx, "claim not renewed", "work", work, "error", err.Error())
			}
		}
	})
	do(ctx)
}

func (j job) wait(ctx context.Context, d time.Duration) error {
	if j.Wait == nil {
		return pause.For(ctx, d)
	}
	return j.Wait(ctx, d)
}

// readHead is the conversation's head: the one that is known, or else as it is now.
func (j job) readHead(ctx context.Context) (Head, error) {
	if len(j.head.Open) > 0 {
		return j.head, nil
	}
	return j.headNow(ctx)
}

func (j job) headNow(ctx context.Context) (Head, error) {
	h, err := j.Store.head(ctx, j.ref.Conversation)
	switch {
	case err != nil:
		return Head{}, err
	case h == nil || h.Generation != j.ref.Generation:
		return Head{}, ErrReset
	}
	return *h, nil
}

// plan makes the plan when all questions before it are answered. The steps that need nothing are
// requested in the same transaction.
func (j job) plan(ctx context.Context) outcome {
	h, s := j.head, j.state
	if !j.held {
		var err error
		if h, err = j.headNow(ctx); err != nil {
			return outcome{err: err}
		}
		switch i := slices.Index(h.Open, j.ref.Correlation); {
		case i < 0:
			return outcome{err: errStored} // answered
		case i > 0:
			return outcome{err: errBehind}
		}
	}
	if err := j.claim(ctx, planWork, PlanGenerated, noStep); err != nil {
		return outcome{err: err}
	}
	var steps []Step
	var note string
	var err error
	j.whileClaimed(ctx, planWork, func(ctx context.Context) {
		steps, note, err = j.route(ctx, s.Query.Query, h, j.ref.Correlation)
	})
	if err != nil {
		return outcome{err: err}
	}
	ev, err := j.event(PlanGenerated, noStep, s.Last, Generated{
		ConversationID: j.ref.Conversation, OriginalQuery: s.Query.Query,
		Plan: Plan{PlanID: planID(j.ref.Correlation), Steps: steps, TotalSteps: len(steps)},
	})
	if err != nil {
		return outcome{err: err}
	}
	ev.Note = note
	planned := s.with(ev)
	return j.request(ctx, planned, Decide(planned, j.Now()).Dispatch, batch{events: []Event{ev}, drop: []string{planWork}})
}

// request writes the requests of steps together with the rest of b. Steps that run here are claimed with it.
func (j job) request(ctx context.Context, s State, steps []int, b batch) outcome {
	b.holder = j.Holder
	var remote []Event
	for _, i := range steps {
		st := s.Steps[i]
		ev, err := j.event(ToolInvocationRequested, i, s.Last, Requested{
			PlanID: s.Plan.Plan.PlanID, StepIndex: i, ToolName: st.Tool, ConversationID: j.ref.Conversation,
			ToolInput: Input{Input: st.Input, Earlier: s.earlier(st)},
		})
		if err != nil {
			return outcome{err: err}
		}
		b.events = append(b.events, ev)
		if j.isRemote(st.Tool) {
			remote = append(remote, ev)
		} else {
			b.take = append(b.take, stepWork(i))
		}
	}
	if err := j.Store.commit(ctx, j.ref, b); err != nil {
		return outcome{err: err}
	}
	for _, ev := range remote {
		j.send(ctx, ev)
	}
	j.timer(ctx)
	return outcome{events: b.events, held: b.take}
}

// send gives a worker its command at once. If that fails the command comes by the bus.
func (j job) send(ctx context.Context, ev Event) {
	var p Requested
	body, err := json.Marshal(ev.Wire())
	if err == nil {
		err = json.Unmarshal(ev.Payload, &p)
	}
	if err == nil {
		err = j.Remote[p.ToolName].Send(ctx, queue.Message{Body: string(body)})
	}
	if err != nil {
		j.Log.WarnContext(ctx, "command not sent at once", "error", err.Error())
	}
}

// timer has somebody look at the plan when the claims of its steps have run out, should this process die.
func (j job) timer(ctx context.Context) { j.look(ctx, j.ref, ClaimTime+time.Second) }

// look has somebody look at a plan after a time. If that fails the sweep does.
func (j job) look(ctx context.Context, ref Ref, after time.Duration) {
	if j.Timers == nil {
		return
	}
	raw, err := json.Marshal(timerMessage{Look: &ref})
	if err == nil {
		err = j.Timers.Send(ctx, queue.Message{Body: string(raw), Delay: after})
	}
	if err != nil {
		j.Log.WarnContext(ctx, "timer not set", "error", err.Error())
	}
}

// step runs a step and writes its result.
func (j job) step(ctx context.Context, st StepState) outcome {
	if st.Request == nil {
		return outcome{err: fmt.Errorf("step %d was never requested", st.StepIndex)}
	}
	if err := j.claim(ctx, stepWork(st.StepIndex), ToolInvocationResulted, st.StepIndex); err != nil {
		return outcome{err: err}
	}
	h, err := j.readHead(ctx)
	if err != nil {
		return outcome{err: err}
	}
	var res Resulted
	work := stepWork(st.StepIndex)
	j.whileClaimed(ctx, work, func(ctx context.Context) { res = j.execute(ctx, j.ref, h, st) })
	return j.result(ctx, st, res, []string{work})
}

// result writes the result of a step.
func (j job) result(ctx context.Context, st StepState, res Resulted, drop []string) outcome {
	var err error
	if res.Result, err = j.Store.fit(ctx, j.ref, st.StepIndex, res.Result); err != nil {
		j.Log.WarnContext(ctx, "result cut", "tool", res.ToolName, "error", err.Error())
	}
	ev, err := j.event(ToolInvocationResulted, st.StepIndex, st.RequestedAt, res)
	if err != nil { // of a tool that gives what no schema takes
		j.Log.WarnContext(ctx, "result left out", "tool", res.ToolName, "error", err.Error())
		res.Result, res.Success = pack("the tool gave what cannot be used"), false
		if ev, err = j.event(ToolInvocationResulted, st.StepIndex, st.RequestedAt, res); err != nil {
			return outcome{err: err}
		}
	}
	return outcome{events: []Event{ev}, err: j.Store.commit(ctx, j.ref, batch{events: []Event{ev}, holder: j.Holder, drop: drop})}
}

// retry takes over a step from a worker that has not come back. One that runs elsewhere gets its command again.
func (j job) retry(ctx context.Context, st StepState) outcome {
	if !j.isRemote(st.Tool) {
		return j.step(ctx, st)
	}
	ev, err := j.event(ToolInvocationRequested, st.StepIndex, st.RequestedAt, st.Request)
	if err != nil {
		return outcome{err: err}
	}
	j.send(ctx, ev)
	j.timer(ctx)
	return outcome{err: errSent}
}

// expire closes a step that nobody has answered in time.
func (j job) expire(ctx context.Context, st StepState) outcome {
	return j.result(ctx, st, Resulted{
		PlanID: j.state.Plan.Plan.PlanID, StepIndex: st.StepIndex, ToolName: st.Tool, Result: pack("no answer in time"),
		DurationMs: max(0, j.Now().Sub(st.RequestedAt).Milliseconds()),
	}, nil)
}

// complete closes the steps and asks for the answer, which this process is to write.
func (j job) complete(ctx context.Context) outcome {
	s := j.state
	results, id, asked := s.results(), s.Plan.Plan.PlanID, s.asked()
	done, err := j.event(PlanCompleted, noStep, s.Last, Completed{
		PlanID: id, ConversationID: j.ref.Conversation, OriginalQuery: asked, Results: results,
		TotalDurationMs: max(0, j.Now().Sub(s.PlannedAt).Milliseconds()),
	})
	if err != nil {
		return outcome{err: err}
	}
	wanted, err := j.event(SynthesizeFinalAnswerRequested, noStep, s.Last, Synthesize{PlanID: id, ConversationID: j.ref.Conversation, OriginalQuery: asked, ToolResults: results})
	if err != nil {
		return outcome{err: err}
	}
	b := batch{events: []Event{done, wanted}, holder: j.Holder, take: []string{answerWork}}
	return outcome{events: b.events, held: b.take, err: j.Store.commit(ctx, j.ref, b)}
}

// answer writes the answer.
func (j job) answer(ctx context.Context) outcome {
	if err := j.claim(ctx, answerWork, FinalAnswerSynthesized, noStep); err != nil {
		return outcome{err: err}
	}
	h, err := j.readHead(ctx)
	if err != nil {
		return outcome{err: err}
	}
	var r reply
	j.whileClaimed(ctx, answerWork, func(ctx context.Context) {
		r, err = j.write(ctx, *j.state.Synthesis, h, j.ref.Correlation)
	})
	if err != nil {
		return outcome{err: err}
	}
	return j.final(ctx, h, r, []string{answerWork})
}

// collect closes a plan that has got too old, in words.
func (j job) collect(ctx context.Context) outcome {
	h, err := j.headNow(ctx)
	if err != nil {
		return outcome{err: err}
	}
	return j.final(ctx, h, reply{text: wording.Say(language.Detect(j.state.asked(), "en"), wording.PlanLate, nil)}, nil)
}

func (j job) final(ctx context.Context, h Head, r reply, drop []string) outcome {
	ev, err := j.event(FinalAnswerSynthesized, noStep, j.state.Last, Final{
		ConversationID: j.ref.Conversation, FinalAnswer: whole(r.text, r.line), Standing: r.line,
	})
	if err != nil {
		return outcome{err: err}
	}
	left, err := j.Store.answered(ctx, j.ref, h, ev, Exchange{j.state.asked(), r.text}, batch{holder: j.Holder, drop: drop})
	if err == nil && len(left.Open) > 0 { // its asker may have died: the next question does not wait for the sweep
		next := j.ref
		next.Correlation = left.Open[0]
		j.look(ctx, next, 0)
	}
	return outcome{events: []Event{ev}, err: err}
}

// event makes an event that no clock puts before its cause.
func (j job) event(t Type, step int, cause time.Time, payload any) (Event, error) {
	at := j.Now()
	if at.Before(cause) {
		at = cause
	}
	return newEvent(j.ref.Correlation, t, step, at, payload)
}
