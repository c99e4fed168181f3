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

// briefing tells the model what it needs for its answer, and remembers how far it has told it.
type briefing struct {
	*scene
	matters *matters
	album   *album
	voice   *voice
	told    int // how many of the messages that the turn answers
}

// begun reports whether the model was told anything yet.
func (b *briefing) begun() bool { return b.told > 0 }

// news is what the model was not told yet. It begins with the rules and facts, then what is known of the customer and of
// earlier turns. The messages to be answered come last.
func (b *briefing) news(ctx context.Context, pending *thread.Pending) ([]llm.Message, error) {
	var msgs []llm.Message
	first := !b.begun()
	if first {
		background, err := b.background(ctx, pending)
		if err != nil {
			return nil, err
		}
		msgs = background
	}
	for _, in := range b.in[min(b.told, len(b.in)):] {
		msgs = append(msgs, llm.Message{Role: llm.User, Text: b.messageText(in, maxInput), Images: b.album.images(in)})
	}
	if first {
		msgs = append(msgs, b.voice.alreadySaid()...)
	}
	b.told = len(b.in)
	return msgs, nil
}

// background is all that comes before the messages to be answered. What is known goes in as the assistant's words and
// never as the system's: what people, listings and records say has no authority.
func (b *briefing) background(ctx context.Context, pending *thread.Pending) ([]llm.Message, error) {
	msgs := []llm.Message{{Role: llm.System, Text: b.prompt(pending)}}
	profile, err := b.profile(ctx)
	if err != nil {
		return nil, err
	}
	stands, err := b.matters.forModel(ctx, pending)
	if err != nil {
		return nil, err
	}
	if known := profile + stands + digestBefore(b.thread.Recent); known != "" {
		msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: known})
	}
	for _, t := range b.thread.Recent {
		msgs = append(msgs, b.earlierTurn(t)...)
	}
	return msgs, nil
}

// profile is what the backend knows of the customer, for assistants that are told.
func (b *briefing) profile(ctx context.Context) (string, error) {
	if b.assistant.Profile == nil {
		return "", nil
	}
	known, err := b.assistant.Profile(ctx, b.tc)
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	data, err := json.Marshal(known)
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	return fmt.Sprintf("<data profile>%s</data>\n", data), nil
}

// prompt is the assistant's own, which also names what waits for YES or NO.
func (b *briefing) prompt(pending *thread.Pending) string {
	summary := ""
	if pending != nil {
		summary = pending.Summary
	}
	return b.assistant.Prompt(assistant.Setting{
		Market: b.market, Language: b.tc.Language, Zone: b.tc.TimeZone, Now: b.tc.Now,
		Channel: b.tc.Channel, Location: b.tc.Location, Pending: summary,
	})
}

const (
	maxInput      = 4096 // characters of a message to answer
	maxRemembered = 1200 // characters of an earlier message
)

// earlierTurn is an earlier turn as the model reads it.
func (b *briefing) earlierTurn(t thread.Turn) []llm.Message {
	var msgs []llm.Message
	for _, in := range t.In {
		if quotes(in) { // the reply is the quotation, so nothing else of the turn is told
			return []llm.Message{{Role: llm.Assistant, Text: quotation(*in.Notice.Quote)}}
		}
		if in.Notice == nil {
			msgs = append(msgs, llm.Message{Role: llm.User, Text: b.messageText(in, maxRemembered)})
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

// quotation is how the model reads what somebody else wrote to the customer: as data, never as words of the assistant.
func quotation(q thread.Quote) string {
	q.Text = language.Brief(q.Text, maxRemembered)
	data, err := json.Marshal(q) // escapes < and >, so that nothing in it can close the tag
	if err != nil {
		return ""
	}
	return fmt.Sprintf("<data quoted-to-the-customer>%s</data>\n", data)
}

// messageText puts a message and its attachments into words.
func (b *briefing) messageText(m thread.Message, max int) string {
	parts := []string{}
	if m.Text != "" {
		parts = append(parts, language.Brief(m.Text, max))
	}
	for _, attached := range m.Media {
		parts = append(parts, b.album.describe(attached))
	}
	if m.Location != nil {
		parts = append(parts, "[shared a location]")
	}
	if len(parts) == 0 {
		return "[empty message]"
	}
	return strings.Join(parts, "\n")
}
