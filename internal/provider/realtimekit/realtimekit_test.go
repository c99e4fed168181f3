package realtimekit_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/provider/realtimekit"
	"merve/internal/provider/realtimekit/realtimekittest"
)

func client(s *realtimekittest.Server) *realtimekit.Client {
	return &realtimekit.Client{
		BaseURL: s.URL(), Account: realtimekittest.Account, App: realtimekittest.App, Preset: realtimekittest.Preset, Timeout: 5 * time.Second,
		Token: func(context.Context) (string, error) { return realtimekittest.Token, nil },
	}
}

// A meeting is made, joined, and its token renewed.
func TestMeeting(t *testing.T) {
	t.Parallel()
	s := realtimekittest.New(t)
	c := client(s)
	meeting, err := c.Create(t.Context(), "a call")
	if err != nil {
		t.Fatal(err)
	}
	participant, token, err := c.Join(t.Context(), meeting, "call 1")
	if err != nil || token == "" {
		t.Fatal(token, err)
	}
	again, err := c.Renew(t.Context(), meeting, participant)
	if err != nil || again == "" || again == token {
		t.Errorf("%q after %q: %v", again, token, err)
	}
}

// What goes wrong says whether trying again may help, and names no key.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := realtimekittest.New(t)
	c := client(s)
	for status, want := range map[int]fault.Kind{401: fault.Internal, 404: fault.NotFound, 422: fault.Internal, 429: fault.Limited, 500: fault.Unavailable, 503: fault.Unavailable} {
		s.Fail(status)
		if _, err := c.Create(t.Context(), "a call"); !fault.Is(err, want) {
			t.Errorf("status %d: %v, want %s", status, err, want)
		}
	}
	if _, _, err := c.Join(t.Context(), "none", "call 1"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := c.Renew(t.Context(), "none", "none"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	c.BaseURL = "http://127.0.0.1:1"
	if _, err := c.Create(t.Context(), "a call"); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}
