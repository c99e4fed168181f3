package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Voice lets a model answer one message with an assistant's prompt and no tools.
type Voice func(ctx context.Context, m *market.Market, prompt, message string) (string, error)

// voice is an assistant as a market hears it. All but Own is the product's, and cannot be set.
type voice struct {
	Name     string            `json:"name"`
	Greeting map[string]string `json:"greeting"` // the product's own, by language; empty for one that does not greet
	Own      market.Voice      `json:"own"`
	Model    bool              `json:"model"` // a model answers, so that it can have a tone
	Verifies bool              `json:"verifies"`
	Tools    []voiceTool       `json:"tools"`
}

// voiceTool is a tool as its assistant's model is told of it.
type voiceTool struct {
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Acknowledgement string          `json:"acknowledgement,omitempty"` // what the model is asked to say while the tool runs
	Schema          json.RawMessage `json:"schema"`                    // of its arguments
}

// voices lists the assistants that there are.
func (a *API) voices(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	var all []voice
	for _, kind := range a.Assistants.Kinds() {
		as, err := a.Assistants.For(kind.Type, kind.Assistant)
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
			t, _ := a.Tools.Get(name)
			v.Tools = append(v.Tools, voiceTool{t.Name, t.Description, t.Acknowledgement, t.Schema})
		}
		all = append(all, v)
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"assistants": all, "version": m.Version})
}

// maxSample is the most characters of a message with which a voice is tried.
const maxSample = 500

// previewVoice tells how an assistant would greet, and how it would answer a message, with words that need not be
// stored. It has no tools meanwhile, and nothing happens.
func (a *API) previewVoice(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Voice    market.Voice `json:"voice"`
		Language string       `json:"language"`
		Message  string       `json:"message"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	as := a.Assistants.Named(r.PathValue("assistant"))
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
		prompt := as.Prompt(assistant.Setting{Market: m, Language: req.Language, Zone: m.Location(), Now: a.Now(), Channel: channel.App})
		if answer.Reply, err = a.Voice(r.Context(), m, prompt, message); err != nil {
			return err
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}
