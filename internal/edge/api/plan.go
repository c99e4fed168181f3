package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/edge/httpapi"
	"merve/internal/plan"
	"merve/internal/words/standing"
)

// Plans is the gateway of the plan engine: questions in several parts, answered once. A conversation that
// somebody began signed in, or with a session, is theirs alone. If it was begun with neither, anybody
// who knows its id has access.
type Plans struct {
	Who       httpapi.Who
	Engine    *plan.Engine
	Anonymous Anonymous
	Patience  time.Duration // how long a request waits for its answer
	Now       func() time.Time
}

// Routes are the API's.
func (p *Plans) Routes() httpapi.Routes {
	return httpapi.Routes{
		"POST /api/chat":                       p.ask,
		"DELETE /api/chat/reset":               p.reset,
		"GET /api/chat/{conversationId}/trace": p.trace,
	}
}

// owner is the key of who asks; "" is nobody.
func (p *Plans) owner(r *http.Request) (actor.Actor, string, error) {
	session := r.Header.Get("x-session-id")
	if _, signed := httpapi.Bearer(r); !signed && session == "" {
		return actor.Actor{Kind: actor.Session}, "", nil
	}
	who, err := p.Who.Customer(r, session)
	if err != nil {
		return actor.Actor{}, "", err
	}
	return who, who.Key(), nil
}

// PlanAnswer is the answer to POST /api/chat.
type PlanAnswer struct {
	ID       string             `json:"id"`                 // msg_<ms>_<abc>
	Message  string             `json:"message"`            // ends with the standing line, unless that was to stand apart
	Standing *standing.Standing `json:"standing,omitempty"` // of who wants it apart
}

// apart is the request's value for getting the standing line apart from the message.
const apart = "apart"

// planAnswer returns an answer in the form the request asked for.
func planAnswer(id string, a plan.Answer, wants string) PlanAnswer {
	if wants != apart {
		return PlanAnswer{ID: id, Message: a.Whole()}
	}
	return PlanAnswer{id, a.Text, &standing.Standing{Kind: standing.Nothing, Text: a.Standing, Items: []standing.Item{}}}
}

func (p *Plans) ask(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Prompt         *string `json:"prompt"`
		ConversationID string  `json:"conversationId"`
		Standing       string  `json:"standing"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	switch {
	case req.Prompt == nil:
		return fault.Field("prompt", "missing")
	case req.Standing != "" && req.Standing != apart:
		return fault.Field("standing", "want %q, or leave it out", apart)
	}
	who, owner, err := p.owner(r)
	if err != nil {
		return err
	}
	if err := plan.CheckConversation(req.ConversationID, owner); err != nil {
		return err
	}
	if err := p.Anonymous.count(r, who); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Patience)
	defer cancel()
	a, err := p.Engine.Ask(ctx, owner, req.ConversationID, *req.Prompt)
	id := messageID(p.Now(), a.Ref)
	switch {
	case errors.Is(err, plan.ErrLater):
		w.Header().Set("Location", "/api/chat/"+url.PathEscape(req.ConversationID)+"/trace")
		return httpapi.WriteJSON(w, http.StatusAccepted, PlanAnswer{ID: id})
	case err != nil:
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, planAnswer(id, a, req.Standing))
}

// answerCode is the form of the last part of an answer's id.
var answerCode = ident.Code{Alphabet: "abcdefghijklmnopqrstuvwxyz0123456789", Length: 6}

// messageID names an answer. The time is that of the request, and the letters are the plan's.
func messageID(now time.Time, ref plan.Ref) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", ref.Conversation, now.UnixNano(), ref.Correlation))
	return fmt.Sprintf("msg_%d_%s", now.UnixMilli(), answerCode.Of(sum[:]))
}

func (p *Plans) reset(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		ConversationID string `json:"conversationId"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	_, owner, err := p.owner(r)
	if err != nil {
		return err
	}
	if err := plan.CheckConversation(req.ConversationID, owner); err != nil {
		return err
	}
	if err := p.Engine.Store.Reset(r.Context(), owner, req.ConversationID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tracedEvent is an event as the trace shows it.
type tracedEvent struct {
	ID            string          `json:"id"`
	EventType     plan.Type       `json:"eventType"`
	CorrelationID string          `json:"correlationId"`
	Timestamp     int64           `json:"timestamp"`
	Payload       json.RawMessage `json:"payload"`
	Note          string          `json:"note,omitempty"`
}

func (p *Plans) trace(w http.ResponseWriter, r *http.Request) error {
	_, owner, err := p.owner(r)
	if err != nil {
		return err
	}
	if _, err := httpapi.Query(r); err != nil {
		return err
	}
	events, err := p.Engine.Store.Trace(r.Context(), owner, r.PathValue("conversationId"))
	if err != nil {
		return err
	}
	all := make([]tracedEvent, len(events))
	for i, e := range events {
		all[i] = tracedEvent{e.ID, e.Type, e.Correlation, e.At.UnixMilli(), e.Payload, e.Note}
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"events": all})
}
