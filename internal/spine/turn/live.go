package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/agent"
	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/words/claim"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// aloud runs a turn to its end, before those who listen where it is live.
func (w *work) aloud(ctx context.Context) (decision, Done, error) {
	if w.stream == nil {
		return w.toTheEnd(ctx)
	}
	defer w.stream.Close(ctx)
	stop := w.stream.Watch(ctx)
	defer stop()
	defer w.status.end()
	w.status.begin(ctx, func(ctx context.Context) {
		if w.r.Wait(ctx, w.r.Live.Patience) == nil {
			w.tell(ctx, w.say(wording.WorkingOnIt, nil))
		}
	})
	return w.toTheEnd(ctx)
}

// status is what tells a caller what the turn is doing, beside it. Nobody waits for it: it ends with the turn.
type status struct {
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	asked   bool // a model, for the words
}

func (s *status) begin(ctx context.Context, tell func(context.Context)) {
	s.ctx, s.stop = context.WithCancel(ctx)
	s.running.Go(func() { tell(s.ctx) })
}

func (s *status) end() { s.stop(); s.running.Wait() }

// tell says what the turn is doing, if nothing was said yet.
func (w *work) tell(ctx context.Context, text string) {
	if _, err := w.stream.Tell(ctx, text); err != nil && ctx.Err() == nil {
		w.log.InfoContext(ctx, "status not told", "error", err.Error())
	}
}

// doing has a model say what the tools do that are about to run, as they ask for: once in a turn, of all that ask for
// it in the round. The caller hears it while they run.
func (w *work) doing(_ context.Context, tools []string) {
	var prompts []string
	for _, name := range tools {
		if t, ok := w.r.Tools.Get(name); ok && t.Acknowledgement != "" && !slices.Contains(prompts, t.Acknowledgement) {
			prompts = append(prompts, t.Acknowledgement)
		}
	}
	if len(prompts) == 0 || w.status.asked {
		return
	}
	w.status.asked = true
	lang := w.tc.Language
	w.status.running.Go(func() { w.acknowledge(w.status.ctx, lang, prompts) }) // the tools may be done before
}

// acknowledgeWithin is how long words for what a tool does are waited for. Later nobody needs them.
const acknowledgeWithin = 6 * time.Second

const acknowledge = "You are on the phone with a customer. Say in one short sentence, in the language %s, what you are doing for them right now, and nothing else: no greeting, no question, no result."

func (w *work) acknowledge(ctx context.Context, lang string, prompts []string) {
	ctx, cancel := context.WithTimeout(ctx, acknowledgeWithin)
	defer cancel()
	text, cost, err := agent.Once(ctx, agent.Task{
		Model: w.r.Model, Name: w.assistant.Model, Seed: w.thread.Owner, Now: w.now, Log: w.log,
		Messages: []llm.Message{
			{Role: llm.System, Text: fmt.Sprintf(acknowledge, language.Name(lang))},
			{Role: llm.User, Text: strings.Join(prompts, "\n")},
		},
	})
	w.guarded.Add(cost)
	if text = strings.TrimSpace(text); err != nil || len(claim.Unsupported(text, nil)) > 0 {
		return // the fallback is left
	}
	w.tell(ctx, language.Brief(text, maxStatus))
}

const maxStatus = 200 // characters

// begunFor is how many of some messages the turn answers: all, but of one that has begun to speak only those that
// it did so for. What came after them has interrupted it, or is for the next turn.
func (w *work) begunFor(in []thread.Message) int {
	upTo := w.stream.UpTo()
	if i := slices.IndexFunc(in, func(m thread.Message) bool { return m.ID == upTo }); upTo != "" && i >= 0 {
		return i + 1
	}
	if w.stream != nil {
		w.stream.Answers(in[len(in)-1].ID)
	}
	return len(in)
}

// sink is where the model's text goes while it comes: nowhere unless the conversation is live. Beside a question of this
// turn it is judged as a whole, and what happened is said before what the model says of it and not before the commit.
// Such text waits for the commit. Beside a question that waited when the turn began it is said by whole sentences, but
// for those that ask (see [work.beside]): what a sentence asks is known at its end.
func (w *work) sink(p *progress) agent.Sink {
	if w.stream == nil {
		return agent.Sink{Doing: w.showActivity}
	}
	return agent.Sink{
		Doing: w.doing, Say: w.stream.Say, Listening: w.stream.Listening,
		Holds: func() bool { return p.proposed() || len(p.notes) > 0 },
		Whole: func() bool { return p.pending != nil },
	}
}

// goesOn tells a model that takes over what was said already.
func (w *work) goesOn() []llm.Message {
	said := w.stream.Said()
	if said == "" {
		return nil
	}
	return []llm.Message{{Role: llm.Assistant, Text: said}, {Role: llm.System, Text: carryOn}}
}

const carryOn = "The customer has heard your last message until here. Go on where it ends, and repeat nothing of it; if it says all that there is to say, ask whether there is anything else."

// spoken is the text of a reply in a turn that has said a part of it: that comes first and stays as it is. It is all
// of it when the customer has interrupted.
func (w *work) spoken(d decision, after []string) string {
	said := w.stream.Said()
	if w.stream.Hushed() {
		return said
	}
	text := d.text
	if !strings.HasPrefix(text, said) {
		text = paragraphs(said, text)
	}
	return paragraphs(append(append([]string{text}, d.notes...), after...)...)
}

// interrupted is the reply of a turn that the customer has interrupted.
func (w *work) interrupted() reply {
	return reply{text: w.stream.Said(), words: true, stopped: "interrupted"}
}

// ending gives what a turn's item keeps of its frames, and the write that ends them.
func (w *work) ending(out *thread.Reply) (*thread.Spoken, []dynamo.Write) {
	if w.stream == nil {
		return nil, nil
	}
	text := ""
	if out != nil {
		text = out.Text
	}
	s, end := w.stream.End(text)
	return &s, []dynamo.Write{end}
}
