package apitest

import (
	"encoding/json"
	"net/http"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/edge/api"
	"merve/internal/edge/threadapi"
	"merve/internal/spine/thread"
)

// List is the answer to a listing of messages.
type List struct {
	Messages      []thread.Line            `json:"messages"`
	Next          string                   `json:"next"`
	State         thread.State             `json:"state"`
	PendingAction *threadapi.PendingAction `json:"pendingAction"`
}

// Say sends a message of a session and returns the reply.
func (s *Service) Say(t *testing.T, session, text string, header ...string) api.ChatResponse {
	t.Helper()
	var got api.ChatResponse
	s.Call(t, "POST", "/chat/message", map[string]any{"message": text, "sessionId": session}, header...).Wants(t, http.StatusOK, &got)
	return got
}

// Offered has a new session say words that end in an offer, and returns the session and the last reply.
func (s *Service) Offered(t *testing.T, words ...string) (id string, got api.ChatResponse) {
	t.Helper()
	id = SessionID()
	for _, w := range words {
		got = s.Say(t, id, w)
	}
	if got.PendingAction == nil || got.State != thread.AwaitingConfirmation {
		b, _ := json.Marshal(got)
		t.Fatalf("no offer: %s", b)
	}
	return id, got
}

// WritesWeb sends a message of a session over the widget's API and returns the reply.
func (s *Service) WritesWeb(t *testing.T, session, text string, photos ...string) api.WebChatResponse {
	t.Helper()
	var got api.WebChatResponse
	body := map[string]any{"sessionId": session, "text": text, "mediaUrls": photos}
	s.Call(t, "POST", "/web-chat-api", body, "Origin", Shop).Wants(t, http.StatusOK, &got)
	return got
}

// WebLines lists a session's messages as the widget does.
func (s *Service) WebLines(t *testing.T, session string) List {
	t.Helper()
	var l List
	s.Call(t, "GET", "/web-chat-api/messages", nil, "x-session-id", session).Wants(t, http.StatusOK, &l)
	return l
}

// SessionActor has a session write, and returns who it is and its thread.
func (s *Service) SessionActor(t *testing.T, session string) (who actor.Actor, threadID string) {
	t.Helper()
	head, err := s.Base.Threads().Head(t.Context(), s.WritesWeb(t, session, "hello").ThreadID)
	if err != nil {
		t.Fatal(err)
	}
	return actor.OfKey(head.Owner), head.ID
}
