package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/model/llm"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/contact"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// converse has the model answer what it has not been told yet.
func (w *work) converse(ctx context.Context, p *progress) (reply, error) {
	if w.stream.Hushed() {
		return w.interrupted(), nil
	}
	if say, over := w.overBudget(ctx); over {
		return say, nil
	}
	if _, err := w.matters.items(ctx); err != nil { // by which the answer is judged
		return reply{}, err
	}
	news, err := w.brief(ctx, p.pending)
	if err != nil {
		return reply{}, err
	}
	if w.model, err = agent.Run(ctx, w.task(ctx, p, news)); err != nil {
		return reply{}, err
	}
	p.cards, p.choices, p.place = w.model.Cards, w.model.Choices, w.model.Place // of all calls, also before more came in
	return w.outcome(w.model), nil
}

// outcome is what the customer is told of what came of asking the model.
func (w *work) outcome(o agent.Outcome) reply {
	switch o.End {
	case agent.Bounded:
		return reply{text: w.say(wording.BoundReached, nil), stopped: o.Why}
	case agent.ModelFailed:
		return reply{text: w.say(wording.ModelUnavailable, nil), stopped: "model " + o.Why}
	case agent.Stopped:
		return reply{text: w.personWillAnswer()}
	case agent.Hushed:
		return w.interrupted()
	}
	return reply{text: o.Text, words: o.Why == "", stopped: o.Why}
}

// task is what the model is asked on this thread.
func (w *work) task(ctx context.Context, p *progress, news []llm.Message) agent.Task {
	s := w.market.Safety
	return agent.Task{
		Model: w.r.Model, Name: w.assistant.Model, Seed: w.thread.Owner, Messages: news, From: w.model,
		Tools: w.r.Tools, Offer: w.assistant.Tools, May: w.policy(p), Context: w.tc, Key: fmt.Sprintf("%s/%d", w.thread.ID, w.thread.Number()),
		Limits: agent.Limits{
			Rounds: s.MaxRounds, Calls: s.MaxCalls, SameCall: s.MaxSameCall, Tokens: s.TurnTokens, MicroUSD: s.TurnMicroUSD, Until: w.deadline,
		},
		Confirmed: p.confirmed, Keep: w.keep, Kept: w.kept(),
		Accept: func(d agent.Draft) agent.Verdict { return w.accept(ctx, p, d) },
		Took: func(ctx context.Context, tc tool.Context, res agent.Result) (bool, error) {
			return w.took(ctx, p, tc, res)
		},
		Choice: w.access.toolChoice, Sink: w.sink(p), Before: w.stream.Said(),
		Now: w.now, Log: w.log.With("thread", w.thread.ID),
	}
}

// policy answers which tools may run, by what waits at the time.
func (w *work) policy(p *progress) func(tool.Tool) (tool.Verdict, string) {
	return func(t tool.Tool) (tool.Verdict, string) {
		return tool.May(t, w.access.situation(p.optedOut, w.thread.Pending != nil && p.pending != nil))
	}
}

// accept takes the model's text as the reply, unless it claims what did not happen: then
// the model is told once, and withheld the second time. Beside a proposal the backend's own
// words are enough, and a text that claims is left out at once. What the text names of the customer's own is
// worded by the backend, and only the model's own words are judged. Links and numbers that nobody has given are taken out.
func (w *work) accept(ctx context.Context, p *progress, d agent.Draft) agent.Verdict {
	text, _, _ := strings.Cut(d.Text, "<data") // its own memory is not for the customer
	said := standing.Read(strings.TrimSpace(text), w.matters.nameable(ctx, p.pending, text, d.Named))
	said = said.With(func(words string) string { return w.withoutWays(words, d.Given) })
	switch {
	case !w.claims(ctx, said.Own(), d.Facts):
		if text = said.Text(); text == "" && !p.proposed() { // nothing is left of it
			return agent.Verdict{Text: w.replacement(), Withheld: "standing imitated"}
		}
		w.ways = contact.In(said.Own())
		return agent.Verdict{Text: w.beside(p, text)}
	case p.proposed():
		return agent.Verdict{Withheld: "claim withheld"}
	case d.Again > 0:
		return agent.Verdict{Text: w.replacement(), Withheld: "claim withheld"}
	}
	return agent.Verdict{Text: strings.TrimSpace(text), Again: onlyWhatHappened}
}

// beside is what may be said at once of the model's words while something waits for YES or NO: not what asks. Where words
// are not said before the commit, it is left to that, and so is whether they put what waits in doubt.
func (w *work) beside(p *progress, text string) string {
	if w.stream == nil || p.pending == nil || p.made {
		return text
	}
	text, _ = gate.Beside(text, false)
	return text
}

const onlyWhatHappened = "Your last message was not sent: it says that something was booked, changed, cancelled, deleted, paid or sent, and nothing of the kind has happened. Write it again and say only what the tools have returned; name an earlier booking as {{booking:CODE}}, and the system words it."

// decided is the kind of journal entry that holds decisions of the model.
const decided = "decision"

// keep journals what the model has decided.
func (w *work) keep(ctx context.Context, e agent.Entry) (agent.Entry, error) {
	stands, err := w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), thread.Entry{Step: e.Step, Kind: decided, Data: e.Data})
	return agent.Entry{Step: stands.Step, Data: stands.Data}, err
}

// kept is what the turn that this one takes over had decided.
func (w *work) kept() []agent.Entry {
	var all []agent.Entry
	for _, e := range w.thread.Journal {
		if e.Kind == decided {
			all = append(all, agent.Entry{Step: e.Step, Data: e.Data})
		}
	}
	return all
}

// resume does again what a turn that this one takes over had decided to propose, so that it is asked
// about, or let go of, whatever has come in since.
func (w *work) resume(ctx context.Context, p *progress) error {
	if w.said > 0 || len(w.kept()) == 0 {
		return nil
	}
	if err := w.lapse(ctx, p); err != nil {
		return err
	}
	if err := w.settleFirst(ctx, p); err != nil {
		return err
	}
	news, err := w.brief(ctx, p.pending)
	if err != nil {
		return err
	}
	w.model, err = agent.Resume(ctx, w.task(ctx, p, news))
	return err
}

// settleFirst settles again what was settled before the model decided what is done again.
func (w *work) settleFirst(ctx context.Context, p *progress) error {
	if p.pending == nil {
		return nil
	}
	ruling, _, err := w.ruling(ctx, p)
	switch {
	case err != nil:
		return err
	case ruling == gate.Redirected:
		return w.redirect(ctx, p)
	case ruling == gate.Confirmed && w.reads(p.pending) && !w.doubtful(p.pending, ruling):
		_, _, err = w.lookUp(ctx, p)
	}
	return err
}

// slowAfter is how long a turn may take before whoever waits is shown what it does.
const slowAfter = time.Second

// showActivity notes what the turn is about to do, where somebody looks on and waits. A note that
// fails is no reason to stop.
func (w *work) showActivity(ctx context.Context, tools []string) {
	if w.thread.Channel.Pushes() || w.now().Sub(w.tc.Now) < slowAfter {
		return
	}
	if err := w.r.Threads.Doing(ctx, w.thread.ID, tools); err != nil {
		w.log.InfoContext(ctx, "activity not shown", "error", err.Error())
	}
}

// resultChanged looks again, after a call that may have changed it, at what is open to the assistant and at what stands. A
// proposal has changed nothing yet.
func (w *work) resultChanged(ctx context.Context, res agent.Result) error {
	t, _ := w.r.Tools.Get(res.Name)
	if t.Effect == tool.Read || res.Status == agent.Denied {
		w.access.acted = true
		return nil
	}
	before := w.access.opened.Acts
	if err := w.access.unlock(ctx); err != nil {
		return err
	}
	w.access.acted = w.access.opened.Acts == before
	if w.access.acted && (res.Frozen || res.Out.Proposal != nil) {
		return nil
	}
	return w.matters.refresh(ctx)
}
