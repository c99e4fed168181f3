package api_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/api"
	"merve/internal/fault"
	"merve/internal/telemetry"
)

// What is our fault is told on the log with the trace id that the client was given;
// what is the client's is not.
func TestFailuresOfOurOwnAreLogged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		status int
		logged bool
	}{
		{errors.New("the disk is full"), 500, true},
		{fault.Wrap(errors.New("the disk is full"), fault.Unavailable, "try again"), 503, true},
		{fault.Field("message", "missing"), 400, false},
	} {
		var log bytes.Buffer
		h := api.Traced(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.Problem(w, r, tt.err) }),
			telemetry.NewLogger(&log, slog.LevelInfo))
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil)
		r.Header.Set("x-trace-id", "trace-1")
		h.ServeHTTP(w, r)
		if w.Code != tt.status || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%v: %d %s", tt.err, w.Code, w.Body)
		}
		if got := strings.Contains(log.String(), "the disk is full") && strings.Contains(log.String(), "trace-1"); got != tt.logged {
			t.Errorf("%v: log %q", tt.err, log.String())
		}
	}
}

// Whatever nobody answers is answered as everything else that is not there.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, request := range []string{
		"GET /nowhere", "POST /nowhere", "OPTIONS /nowhere", "DELETE /nowhere/at/all", "GET /static/nothing.js", "GET //", "GET /%2e%2e",
		"GET /chat/threads", "POST /sara", "GET /webhooks", "GET /dev/outbox", "POST /admin", "GET /admin/api",
	} {
		method, path, _ := strings.Cut(request, " ")
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			a := s.call(t, method, path, nil, admin()...)
			a.refuses(t, http.StatusNotFound, "")
			if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
				t.Errorf("Content-Type %q", kind)
			}
		})
	}
}
