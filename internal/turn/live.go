package turn

import (
	"context"
	"slices"
	"strings"

	"merve/internal/agent"
	"merve/internal/dynamo"
	"merve/internal/llm"
	"merve/internal/thread"
)

// aloud runs a turn to its end, before those who listen where it is live.
func (w *work) aloud(ctx context.Context) (decision, Done, error) {
	if w.stream == nil {
		return w.toTheEnd(ctx)
	}
	defer w.stream.Close(ctx)
	stop := w.stream.Watch(ctx)
	defer stop()
	return w.toTheEnd(ctx)
}

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

// sink is where the model's text goes while it comes: nowhere unless the conversation is live. What happened is said
// before what the model says of it, and nothing of it before the commit, so a turn that has something of the kind to
// say is not heard before that.
func (w *work) sink(p *progress) agent.Sink {
	s := agent.Sink{Doing: w.showActivity}
	if w.stream != nil && len(p.notes) == 0 {
		s.Say, s.Listening = w.stream.Say, w.stream.Listening
	}
	return s
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
