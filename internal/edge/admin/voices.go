package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// voices are the assistants of a market: how they greet and answer.
type voices struct {
	tenants
	Tools      *tool.Registry
	Assistants *assistant.Set
	Voice      Voice
	Now        func() time.Time
}

func (h voices) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/assistants":                      h.list,
		"POST /admin/api/markets/{market}/assistants/{assistant}/preview": h.preview,
	}
}

// Voice lets a model answer one message with an assistant's prompt and no tools.
type Voice func(ctx context.Context, m *market.Market, prompt, message string) (string, error)

// voice is an assistant in a market. Only Own can be set; the rest is the product's.
type voice struct {
	Name     string            `json:"name"`
	Greeting map[string]string `json:"greeting"` // the product's own, by language; empty for one that does not greet
	Own      market.Voice      `json:"own"`
	Model    bool              `json:"model"` // a model answers, so that it can have a tone
	Verifies bool              `json:"verifies"`
	Tools    []voiceTool       `json:"tools"`
}

// voiceTool is a tool as the assistant's model sees it.
type voiceTool struct {
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Acknowledgement string          `json:"acknowledgement,omitempty"` // what the model is asked to say while the tool runs
	Schema          json.RawMessage `json:"schema"`                    // of its arguments
}

// list lists all assistants.
func (h voices) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	var all []voice
	for _, kind := range h.Assistants.Kinds() {
		as, err := h.Assistants.For(kind.Type, kind.Assistant)
		if err != nil {
			return err
		}
		v := voice{Name: as.Name, Greeting: map[string]string{}, Own: m.Voices[as.Name], Model: as.Fixed == "", Verifies: as.Access != nil, Tools: []voiceTool{}}
		if as.Greeting != "" {
			for _, lang := range m.Languages {
				v.Greeting[lang] = wording.Say(lang, as.Greeting, nil)
			}
		}
		for _, name := range as.Tools {
			t, _ := h.Tools.Get(name)
			v.Tools = append(v.Tools, voiceTool{t.Name, t.Description, t.Acknowledgement, t.Schema})
		}
		all = append(all, v)
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"assistants": all, "version": m.Version})
}

// maxSample is the longest message that a voice is tried with, in characters.
const maxSample = 500

// preview shows how an assistant would greet, and how it would answer a message, with words that need not be stored. The
// assistant has no tools here, so nothing happens.
func (h voices) preview(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Voice    market.Voice `json:"voice"`
		Language string       `json:"language"`
		Message  string       `json:"message"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	as := h.Assistants.Named(r.PathValue("assistant"))
	if as == nil {
		return actor.ErrNotFound
	}
	if req.Language == "" {
		req.Language = m.Language
	}
	m.Voices = map[string]market.Voice{as.Name: req.Voice}
	if err := m.Check(); err != nil {
		return err
	}
	switch {
	case language.Name(req.Language) == "":
		return fault.Field("language", "no such language: want one of %v", language.Supported())
	case utf8.RuneCountInString(req.Message) > maxSample:
		return fault.Field("message", "at most %d characters", maxSample)
	}
	answer := struct {
		Greeting string `json:"greeting"`
		Reply    string `json:"reply,omitempty"`
	}{Greeting: as.Greets(m, req.Language)}
	if message := strings.TrimSpace(req.Message); message != "" && as.Fixed == "" {
		prompt := as.Prompt(assistant.Setting{Market: m, Language: req.Language, Zone: m.Location(), Now: h.Now(), Channel: channel.App})
		if answer.Reply, err = h.Voice(r.Context(), m, prompt, message); err != nil {
			return err
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}
