package api_test

import (
	"net/http"
	"strings"
	"testing"

	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
)

// A business that wants to know who comes is told of nobody else: the assistant asks, unless the client said so.
func TestNameAndNumberBeforeABooking(t *testing.T) {
	t.Parallel()
	s := start(t)
	const ask = "book the Coastal Golf Club for 2 people on 30 November at 10:00"
	id := apitest.SessionID()
	say := func(id, text string, customer map[string]any) (got api.ChatResponse) {
		t.Helper()
		s.Call(t, "POST", "/chat/message", map[string]any{"sessionId": id, "message": text, "customer": customer}).Wants(t, http.StatusOK, &got)
		return got
	}
	if got := say(id, ask, nil); got.PendingAction != nil || !strings.Contains(got.Reply, "name and phone number") {
		t.Fatalf("%q, waiting %v", got.Reply, got.PendingAction)
	}
	if got := say(id, "I'm Deniz Kaya, +90 533 000 01 02", nil); got.PendingAction == nil {
		t.Fatalf("%q", got.Reply)
	}
	if got := say(id, "YES", nil); !strings.Contains(got.Reply, "confirmed") {
		t.Fatalf("%q", got.Reply)
	}
	pausetest.Until(t, "the business is told who comes", func() bool {
		for _, m := range s.Twilio.Messages() {
			if strings.Contains(m.Body, "“Deniz Kaya” · +905330000102") {
				return true
			}
		}
		return false
	})
	known := strings.Replace(ask, "30 November", "29 November", 1)
	if got := say(apitest.SessionID(), known, map[string]any{"name": "Ece", "phone": "0533 000 01 03"}); got.PendingAction == nil {
		t.Errorf("%q", got.Reply)
	}
	for field, customer := range map[string]map[string]any{
		"customer.phone": {"phone": "call me"}, "customer.name": {"name": strings.Repeat("x", 81)},
	} {
		s.Call(t, "POST", "/chat/message", map[string]any{"sessionId": apitest.SessionID(), "message": "hello", "customer": customer}).
			Refuses(t, http.StatusBadRequest, field)
	}
}
