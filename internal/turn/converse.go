package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/llm"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// converse has the model answer what it has not been told yet.
func (w *work) converse(ctx context.Context) error {
	if text, over, err := w.overBudget(ctx); over || err != nil {
		w.text = text
		return err
	}
	defer func() { w.cards, w.place = w.model.Cards, w.model.Place }() // of all calls, also before more came in
	news, err := w.brief(ctx)
	if err != nil {
		return err
	}
	if w.model, err = agent.Run(ctx, w.task(news)); err != nil {
		return err
	}
	switch o := w.model; o.End {
	case agent.Answered:
		w.text, w.stopped = o.Text, o.Why
		w.words = ""
		if o.Why == "" {
			w.words = o.Text
		}
	case agent.Bounded:
		w.text, w.stopped = w.say(wording.BoundReached, nil), o.Why
	case agent.ModelFailed:
		w.text, w.stopped = w.say(wording.ModelUnavailable, nil), "model "+o.Why
	case agent.Stopped:
		w.text = w.handedOver()
	}
	return nil
}

// task is what the model is asked on this thread.
func (w *work) task(news []llm.Message) agent.Task {
	s := w.market.Safety
	return agent.Task{
		Model: w.r.Model, Name: w.assistant.Model, Seed: w.thread.Owner, Messages: news, From: w.model,
		Tools: w.r.Tools, Offer: w.assistant.Tools, May: w.may, Context: w.tc, Key: fmt.Sprintf("%s/%d", w.thread.ID, w.thread.Number()),
		Limits: agent.Limits{
			Rounds: s.MaxRounds, Calls: s.MaxCalls, SameCall: s.MaxSameCall, Tokens: s.TurnTokens, MicroUSD: s.TurnMicroUSD, Until: w.deadline,
		},
		Keep: w.keep, Kept: w.kept(), Accept: w.accept, Took: w.took, Sink: agent.Sink{Doing: w.showActivity},
		Now: w.r.Now, Log: w.r.Log.With("thread", w.thread.ID),
	}
}

// may is the one policy, of what the thread is like now.
func (w *work) may(t tool.Tool) (tool.Verdict, string) { return tool.May(t, w.situation()) }

// accept takes the model's text as the reply, unless it claims what did not happen: then
// the model is told once, and withheld the second time. Beside a proposal the backend's own
// words are enough, and a text that claims is left out at once.
func (w *work) accept(d agent.Draft) agent.Verdict {
	text, _, _ := strings.Cut(d.Text, "<data") // its own memory is not for the customer
	text = strings.TrimSpace(text)
	switch {
	case !unsupported(text, d.Facts):
		return agent.Verdict{Text: text}
	case w.proposed():
		return agent.Verdict{Withheld: "claim withheld"}
	case d.Again > 0:
		return agent.Verdict{Text: w.say(wording.ClaimWithheld, nil), Withheld: "claim withheld"}
	}
	return agent.Verdict{Text: text, Again: onlyWhatHappened}
}

const onlyWhatHappened = "Your last message was not sent: it says that something was booked, changed, cancelled, deleted, paid or sent, and nothing of the kind has happened. Write it again and say only what the tools have returned; of an earlier booking only together with its code."

// proposed reports whether this turn has made the pending action, which may be for the same as an
// earlier one whose time was over.
func (w *work) proposed() bool { return w.made && w.pending != nil }

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

// resume does again what a turn that this one takes over had decided to propose, so that
// it is asked about, or let go of, whatever has come in since.
func (w *work) resume(ctx context.Context) error {
	if w.said > 0 || len(w.kept()) == 0 {
		return nil
	}
	if err := w.lapse(ctx); err != nil {
		return err
	}
	news, err := w.brief(ctx)
	if err != nil {
		return err
	}
	w.model, err = agent.Resume(ctx, w.task(news))
	return err
}

// slowAfter is how long a turn may take before whoever waits is shown what it does.
const slowAfter = time.Second

// showActivity notes what the turn is about to do, where somebody looks on and waits. A note that
// fails is no reason to stop.
func (w *work) showActivity(ctx context.Context, tools []string) {
	if w.thread.Channel.Pushes() || w.r.Now().Sub(w.tc.Now) < slowAfter {
		return
	}
	if err := w.r.Threads.Doing(ctx, w.thread.ID, tools); err != nil {
		w.r.Log.InfoContext(ctx, "activity not shown", "error", err.Error())
	}
}

// handedOver tells a customer that a person will answer, and when one is there.
func (w *work) handedOver() string {
	text := w.say(wording.PersonWillAnswer, nil)
	hours := w.market.Desk.Hours
	if hours == nil || hours.OpenAt(w.tc.Now) {
		return text
	}
	opens, ok := hours.Opens(w.tc.Now)
	if !ok {
		return text
	}
	when := wording.When(w.tc.Language, opens.In(w.tc.TimeZone), opens.In(w.tc.TimeZone))
	return text + " " + w.say(wording.PersonLater, wording.Vars{"when": when})
}
