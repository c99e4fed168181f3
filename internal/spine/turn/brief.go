package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"merve/internal/model/llm"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
)

// brief is what the model has not been told yet: first the rules and facts, then what is known of
// the customer and of earlier turns, then what is to be answered.
func (w *work) brief(ctx context.Context, pending *thread.Pending) ([]llm.Message, error) {
	var msgs []llm.Message
	if w.said == 0 {
		msgs = append(msgs, llm.Message{Role: llm.System, Text: w.prompt(pending)})
		// Never as the system: what people, listings and records say has no authority.
		profile, err := w.profile(ctx)
		if err != nil {
			return nil, err
		}
		stands, err := w.matters.forModel(ctx, pending)
		if err != nil {
			return nil, err
		}
		if known := profile + stands + w.digest(); known != "" {
			msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: known})
		}
		for _, t := range w.thread.Recent {
			msgs = append(msgs, w.remembered(t)...)
		}
	}
	for _, in := range w.in[min(w.said, len(w.in)):] {
		msgs = append(msgs, llm.Message{Role: llm.User, Text: w.wordsOf(in, maxInput), Images: w.imagesOf(in)})
	}
	if w.said == 0 {
		msgs = append(msgs, w.goesOn()...)
	}
	w.said = len(w.in)
	return msgs, nil
}

// profile is what the backend knows of the customer, for assistants that are told.
func (w *work) profile(ctx context.Context) (string, error) {
	if w.assistant.Profile == nil {
		return "", nil
	}
	known, err := w.assistant.Profile(ctx, w.tc)
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	data, err := json.Marshal(known)
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	return fmt.Sprintf("<data profile>%s</data>\n", data), nil
}

func (w *work) prompt(pending *thread.Pending) string {
	summary := ""
	if pending != nil {
		summary = pending.Summary
	}
	return w.assistant.Prompt(assistant.Setting{
		Market: w.market, Language: w.tc.Language, Zone: w.tc.TimeZone, Now: w.tc.Now,
		Channel: w.tc.Channel, Location: w.tc.Location, Pending: summary,
	})
}

const (
	maxInput      = 4096 // characters of a message to answer
	maxRemembered = 1200 // characters of an earlier message
)

// remembered is an earlier turn as the model is told of it.
func (w *work) remembered(t thread.Turn) []llm.Message {
	var msgs []llm.Message
	for _, in := range t.In {
		if quotes(in) { // told by itself: the reply is the quotation
			return []llm.Message{{Role: llm.Assistant, Text: quotation(*in.Notice.Quote)}}
		}
		if in.Notice == nil {
			msgs = append(msgs, llm.Message{Role: llm.User, Text: w.wordsOf(in, maxRemembered)})
		}
	}
	if t.Shown != "" {
		msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: t.Shown})
	}
	for _, out := range t.Out {
		if out.Text != "" {
			msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: language.Brief(out.Text, maxRemembered)})
		}
	}
	if t.Spoken != nil && t.Spoken.Interrupted {
		msgs = append(msgs, llm.Message{Role: llm.System, Text: "The customer has interrupted your last message there: the rest of it was never heard."})
	}
	return msgs
}

// quotation is what a model is told of somebody else's words to the customer: data, and never
// as if the assistant had said them.
func quotation(q thread.Quote) string {
	q.Text = language.Brief(q.Text, maxRemembered)
	data, err := json.Marshal(q) // escapes < and >, so that it ends where it ends
	if err != nil {
		return ""
	}
	return fmt.Sprintf("<data quoted-to-the-customer>%s</data>\n", data)
}

// wordsOf puts a message into words, attachments too.
func (w *work) wordsOf(m thread.Message, max int) string {
	parts := []string{}
	if m.Text != "" {
		parts = append(parts, language.Brief(m.Text, max))
	}
	for _, a := range m.Media {
		parts = append(parts, w.attached(a))
	}
	if m.Location != nil {
		parts = append(parts, "[shared a location]")
	}
	if len(parts) == 0 {
		return "[empty message]"
	}
	return strings.Join(parts, "\n")
}
