package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/words/claim"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// voice speaks in a live conversation while the turn runs: the model's words as they come, and a status for a caller who
// hears nothing yet. On other channels it has no stream and says nothing.
type voice struct {
	*scene
	stream   *live.Stream
	patience time.Duration // before a caller who hears nothing is told that the turn is at work
	wait     func(ctx context.Context, d time.Duration) error
	model    llm.Model
	tools    *tool.Registry
	spend    func(microUSD int64)

	status status
}

// status is what runs next to the turn to tell a caller what it does. The turn does not wait for it, and ends it.
type status struct {
	ctx       context.Context
	stop      context.CancelFunc
	running   sync.WaitGroup
	announced bool // a model was asked to announce tools
}

// live reports whether somebody listens to the turn.
func (v *voice) live() bool { return v.stream != nil }

// open begins to watch for interruptions and to tell the caller that the turn is at work. The function that it returns
// ends both.
func (v *voice) open(ctx context.Context) (end func()) {
	stop := v.stream.Watch(ctx)
	v.status.ctx, v.status.stop = context.WithCancel(ctx)
	v.status.running.Go(func() {
		if v.wait(v.status.ctx, v.patience) == nil {
			v.tellStatus(v.status.ctx, v.say(wording.WorkingOnIt, nil))
		}
	})
	return func() {
		v.status.stop()
		v.status.running.Wait()
		stop()
		v.stream.Close(ctx)
	}
}

// tellStatus says what the turn is doing, if nothing was said yet.
func (v *voice) tellStatus(ctx context.Context, text string) {
	if _, err := v.stream.Tell(ctx, text); err != nil && ctx.Err() == nil {
		v.log.InfoContext(ctx, "status not told", "error", err.Error())
	}
}

// announce asks a model, at most once per turn, for one line that announces the tools about to run. The caller hears it
// while they run. Only tools that ask for it are announced.
func (v *voice) announce(_ context.Context, tools []string) {
	var prompts []string
	for _, name := range tools {
		if t, ok := v.tools.Get(name); ok && t.Acknowledgement != "" && !slices.Contains(prompts, t.Acknowledgement) {
			prompts = append(prompts, t.Acknowledgement)
		}
	}
	if len(prompts) == 0 || v.status.announced {
		return
	}
	v.status.announced = true
	lang := v.tc.Language
	v.status.running.Go(func() { v.acknowledge(v.status.ctx, lang, prompts) }) // the tools may finish first
}

// acknowledgeWithin is how long the line that announces tools is worth waiting for.
const acknowledgeWithin = 6 * time.Second

const acknowledge = "You are on the phone with a customer. Say in one short sentence, in the language %s, what you are doing for them right now, and nothing else: no greeting, no question, no result."

const maxStatus = 200 // characters

// acknowledge words the announcement and tells it. If the model fails or claims something, the caller hears the words that
// open prepared.
func (v *voice) acknowledge(ctx context.Context, lang string, prompts []string) {
	ctx, cancel := context.WithTimeout(ctx, acknowledgeWithin)
	defer cancel()
	text, cost, err := agent.Once(ctx, agent.Task{
		Model: v.model, Name: v.assistant.Model, Seed: v.thread.Owner, Now: v.now, Log: v.log,
		Messages: []llm.Message{
			{Role: llm.System, Text: fmt.Sprintf(acknowledge, language.Name(lang))},
			{Role: llm.User, Text: strings.Join(prompts, "\n")},
		},
	})
	v.spend(cost)
	if text = strings.TrimSpace(text); err != nil || len(claim.Unsupported(text, nil)) > 0 {
		return
	}
	v.tellStatus(ctx, language.Brief(text, maxStatus))
}

// answersUpTo is how many of some messages the turn answers: all, unless it has begun to speak. Then it answers those that
// it began to speak for. Later ones have interrupted it, or are for the next turn.
func (v *voice) answersUpTo(in []thread.Message) int {
	upTo := v.stream.UpTo()
	if i := slices.IndexFunc(in, func(m thread.Message) bool { return m.ID == upTo }); upTo != "" && i >= 0 {
		return i + 1
	}
	if v.live() {
		v.stream.Answers(in[len(in)-1].ID)
	}
	return len(in)
}

// sink is where the model's text goes while it comes, in a live conversation.
//
// Text next to a question that this turn asks is held until the commit, because it is judged together with the question.
// So is text after notes: what happened is said first, and not before it is committed. Text next to a question that
// already waited is said by whole sentences, without those that ask (see [reviewer.withoutQuestions]), because only the
// end of a sentence shows what it asks.
func (v *voice) sink(p *progress) agent.Sink {
	return agent.Sink{
		Doing: v.announce, Say: v.stream.Say, Listening: v.stream.Listening,
		Holds: func() bool { return p.proposed() || len(p.notes) > 0 },
		Whole: func() bool { return p.pending != nil },
	}
}

const carryOn = "The customer has heard your last message until here. Go on where it ends, and repeat nothing of it; if it says all that there is to say, ask whether there is anything else."

// alreadySaid tells a model that takes over what the caller has heard.
func (v *voice) alreadySaid() []llm.Message {
	said := v.stream.Said()
	if said == "" {
		return nil
	}
	return []llm.Message{{Role: llm.Assistant, Text: said}, {Role: llm.System, Text: carryOn}}
}

// whole is the text of a reply that was spoken in part: the spoken part comes first and stays as it is. After an
// interruption it is all there is.
func (v *voice) whole(d decision, after []string) string {
	said := v.stream.Said()
	if v.stream.Hushed() {
		return said
	}
	text := d.text
	if !strings.HasPrefix(text, said) {
		text = paragraphs(said, text)
	}
	return paragraphs(append(append([]string{text}, d.notes...), after...)...)
}

// interrupted is the reply of a turn that the customer has interrupted.
func (v *voice) interrupted() reply {
	return reply{text: v.stream.Said(), words: true, stopped: "interrupted"}
}

// ending returns what the turn's item keeps of its frames, and the write that ends them.
func (v *voice) ending(out *thread.Reply) (*thread.Spoken, []dynamo.Write) {
	if !v.live() {
		return nil, nil
	}
	text := ""
	if out != nil {
		text = out.Text
	}
	s, end := v.stream.End(text)
	return &s, []dynamo.Write{end}
}
