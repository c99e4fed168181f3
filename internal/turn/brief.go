package turn

import (
	"strings"

	"merve/internal/assistant"
	"merve/internal/llm"
	"merve/internal/market"
	"merve/internal/thread"
	"merve/internal/tool"
)

// brief tells the model what it needs to know: first the rules and facts, then the
// latest turns, then what is to be answered. Called again, it adds what is new.
func (w *work) brief() {
	m := &w.model
	if m.msgs == nil {
		m.same = map[string]int{}
		m.msgs = append(m.msgs, llm.Message{Role: llm.System, Text: w.prompt()})
		for _, t := range w.thread.Recent {
			m.msgs = append(m.msgs, remembered(t)...)
		}
	}
	for _, in := range w.in[min(m.said, len(w.in)):] {
		m.msgs = append(m.msgs, llm.Message{Role: llm.User, Text: wordsOf(in, maxInput)})
	}
	m.said = len(w.in)
}

func (w *work) prompt() string {
	pending := ""
	if w.pending != nil {
		pending = w.pending.Summary
	}
	return w.assistant.Prompt(assistant.Setting{
		Market: w.market, Language: w.tc.Language, Zone: w.tc.TimeZone, Now: w.tc.Now,
		Channel: w.tc.Channel, Location: w.tc.Location, Pending: pending,
	})
}

const (
	maxInput      = 4096 // characters of a message to answer
	maxRemembered = 1200 // characters of an earlier message
)

// remembered is an earlier turn as the model is told of it.
func remembered(t thread.Turn) []llm.Message {
	var msgs []llm.Message
	for _, in := range t.In {
		if in.Notice == nil {
			msgs = append(msgs, llm.Message{Role: llm.User, Text: wordsOf(in, maxRemembered)})
		}
	}
	if t.Shown != "" {
		// Never as the system: what listings say has no authority.
		msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: t.Shown})
	}
	for _, out := range t.Out {
		if out.Text != "" {
			msgs = append(msgs, llm.Message{Role: llm.Assistant, Text: clip(out.Text, maxRemembered)})
		}
	}
	return msgs
}

// wordsOf puts a message into words, attachments too.
func wordsOf(m thread.Message, max int) string {
	parts := []string{}
	if m.Text != "" {
		parts = append(parts, clip(m.Text, max))
	}
	for _, a := range m.Media {
		parts = append(parts, "[attachment: "+clip(a.Type, 40)+"]")
	}
	if m.Location != nil {
		parts = append(parts, "[shared a location]")
	}
	if len(parts) == 0 {
		return "[empty message]"
	}
	return strings.Join(parts, "\n")
}

func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	r := []rune(s)
	if len(r) <= max {
		return s
	}
	return string(r[:max]) + "…"
}

// specs are the tools that the model may see now.
func (w *work) specs() []llm.Spec {
	var specs []llm.Spec
	for _, name := range w.assistant.Tools {
		t, ok := w.r.Tools.Get(name)
		if !ok {
			continue
		}
		if verdict, _ := tool.May(t, w.situation()); verdict != tool.Deny {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

func (w *work) situation() tool.Situation {
	return tool.Situation{
		Set: w.assistant.Tools, Market: w.market, Gates: w.r.Gates,
		ReadOnly: w.thread.Pending != nil && w.pending != nil && w.market.Gate == market.Converse,
	}
}
