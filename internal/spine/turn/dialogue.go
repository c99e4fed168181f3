package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// dialogue is the turn's conversation with the model: what it is asked, which tools it may call, and what becomes of their
// results. Package agent runs the rounds.
type dialogue struct {
	*scene
	access   *access
	matters  *matters
	briefing *briefing
	reviewer *reviewer
	voice    *voice
	budget   *budget
	offers   *offers
	consent  *consent
	handover *handover

	model    llm.Model
	tools    *tool.Registry
	threads  *thread.Store
	deadline time.Time

	outcome agent.Outcome // of all that the model was asked in this turn
}

// answer has the model answer what it was not told yet.
func (d *dialogue) answer(ctx context.Context, p *progress) (reply, error) {
	if d.voice.stream.Hushed() {
		return d.voice.interrupted(), nil
	}
	if say, exceeded := d.budget.exceeded(ctx); exceeded {
		return say, nil
	}
	if _, err := d.matters.items(ctx); err != nil { // the answer is judged by them
		return reply{}, err
	}
	news, err := d.briefing.news(ctx, p.pending)
	if err != nil {
		return reply{}, err
	}
	if d.outcome, err = agent.Run(ctx, d.task(ctx, p, news)); err != nil {
		return reply{}, err
	}
	o := d.outcome
	p.cards, p.choices, p.place = o.Cards, o.Choices, o.Place // of all calls, also those before more came in
	return d.replyFor(o), nil
}

// replyFor is what the customer is told when the model has ended.
func (d *dialogue) replyFor(o agent.Outcome) reply {
	switch o.End {
	case agent.Bounded:
		return reply{text: d.say(wording.BoundReached, nil), stopped: o.Why}
	case agent.ModelFailed:
		return reply{text: d.say(wording.ModelUnavailable, nil), stopped: "model " + o.Why}
	case agent.Stopped:
		return reply{text: d.personWillAnswer()}
	case agent.Hushed:
		return d.voice.interrupted()
	}
	return reply{text: o.Text, words: o.Why == "", stopped: o.Why}
}

// task is what the model is asked on this thread.
func (d *dialogue) task(ctx context.Context, p *progress, news []llm.Message) agent.Task {
	s := d.market.Safety
	return agent.Task{
		Model: d.model, Name: d.assistant.Model, Seed: d.thread.Owner, Messages: news, From: d.outcome,
		Tools: d.tools, Offer: d.assistant.Tools, May: d.policy(p), Context: d.tc, Key: fmt.Sprintf("%s/%d", d.thread.ID, d.thread.Number()),
		Limits: agent.Limits{
			Rounds: s.MaxRounds, Calls: s.MaxCalls, SameCall: s.MaxSameCall, Tokens: s.TurnTokens, MicroUSD: s.TurnMicroUSD, Until: d.deadline,
		},
		Confirmed: p.confirmed, Keep: d.keep, Kept: d.kept(),
		Accept: func(draft agent.Draft) agent.Verdict { return d.reviewer.review(ctx, *p, draft) },
		Took: func(ctx context.Context, tc tool.Context, res agent.Result) (bool, error) {
			return d.handleResult(ctx, p, tc, res)
		},
		Choice: d.access.toolChoice, Sink: d.sink(p), Before: d.voice.stream.Said(),
		Now: d.now, Log: d.log.With("thread", d.thread.ID),
	}
}

// policy answers which tools may run, given what waits at the time.
func (d *dialogue) policy(p *progress) func(tool.Tool) (tool.Verdict, string) {
	return func(t tool.Tool) (tool.Verdict, string) {
		return tool.May(t, d.access.situation(p.optedOut, d.thread.Pending != nil && p.pending != nil))
	}
}

// sink is told what the model says and does while it does so.
func (d *dialogue) sink(p *progress) agent.Sink {
	if !d.voice.live() {
		return agent.Sink{Doing: d.showActivity}
	}
	return d.voice.sink(p)
}

// slowAfter is how long a turn may take before somebody who waits is shown what it does.
const slowAfter = time.Second

// showActivity notes which tools are about to run, for a client that waits. The turn goes on if that fails.
func (d *dialogue) showActivity(ctx context.Context, tools []string) {
	if d.thread.Channel.Pushes() || d.now().Sub(d.tc.Now) < slowAfter {
		return
	}
	if err := d.threads.Doing(ctx, d.thread.ID, tools); err != nil {
		d.log.InfoContext(ctx, "activity not shown", "error", err.Error())
	}
}

// handleResult puts to the customer what a call has proposed, or hands the thread over if the call says so. Stop ends the
// model's part.
func (d *dialogue) handleResult(ctx context.Context, p *progress, tc tool.Context, res agent.Result) (stop bool, err error) {
	if err := d.noteChange(ctx, res); err != nil {
		return false, err
	}
	switch made := d.offers.proposal(tc, res); {
	case res.Out.HandOver != nil:
		err = d.handover.give(ctx, p, *res.Out.HandOver)
	case made != nil:
		err = d.offers.propose(ctx, p, tc, made)
	}
	return p.handOver != nil, err
}

// noteChange asks again what is open to the assistant and what stands, after a call that may have changed it. A proposal
// has changed nothing yet.
func (d *dialogue) noteChange(ctx context.Context, res agent.Result) error {
	t, _ := d.tools.Get(res.Name)
	if t.Effect == tool.Read || res.Status == agent.Denied {
		d.access.acted = true
		return nil
	}
	before := d.access.opened.Acts
	if err := d.access.unlock(ctx); err != nil {
		return err
	}
	d.access.acted = d.access.opened.Acts == before
	if d.access.acted && (res.Frozen || res.Out.Proposal != nil) {
		return nil
	}
	return d.matters.refresh(ctx)
}

// decided is the kind of journal entry that holds decisions of the model.
const decided = "decision"

// keep journals what the model has decided.
func (d *dialogue) keep(ctx context.Context, e agent.Entry) (agent.Entry, error) {
	stored, err := d.threads.Record(ctx, d.thread.ID, d.thread.Number(), thread.Entry{Step: e.Step, Kind: decided, Data: e.Data})
	return agent.Entry{Step: stored.Step, Data: stored.Data}, err
}

// kept lists the decisions of a turn that this one takes over.
func (d *dialogue) kept() []agent.Entry {
	var all []agent.Entry
	for _, e := range d.thread.Journal {
		if e.Kind == decided {
			all = append(all, agent.Entry{Step: e.Step, Data: e.Data})
		}
	}
	return all
}

// resume repeats what a turn that this one takes over had decided to propose. So the customer is asked about it, or it is
// let go of, whatever has come in since.
func (d *dialogue) resume(ctx context.Context, p *progress) error {
	if d.briefing.begun() || len(d.kept()) == 0 {
		return nil
	}
	if err := d.offers.lapse(ctx, p); err != nil {
		return err
	}
	if err := d.consent.settleAgain(ctx, p); err != nil {
		return err
	}
	news, err := d.briefing.news(ctx, p.pending)
	if err != nil {
		return err
	}
	d.outcome, err = agent.Resume(ctx, d.task(ctx, p, news))
	return err
}

// maxMemory bounds what later turns remember of a turn's tool data, in characters.
const maxMemory = 2400

// memory is what later turns are told of this one: the contacts in its reply, and the data that its tools returned.
func (d *dialogue) memory() string {
	var all strings.Builder
	all.WriteString(d.reviewer.remembered())
	for _, m := range d.outcome.Memory {
		fmt.Fprintf(&all, "<data tool=%q>%s</data>\n", m.Tool, m.Data)
	}
	return language.Brief(all.String(), maxMemory)
}

// calls are the calls of the turn as its thread shows them.
func (d *dialogue) calls() []thread.Call {
	var calls []thread.Call
	for _, c := range d.outcome.Audit {
		calls = append(calls, thread.Call{Name: c.Tool, Status: string(c.Status)})
	}
	return calls
}
