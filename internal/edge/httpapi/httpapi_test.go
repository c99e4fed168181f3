package httpapi_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/edge/httpapi"
)

// A failure of ours is logged under the trace id that the client was given. An error of the client's
// is not logged.
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
		h := httpapi.Traced(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { httpapi.Problem(w, r, tt.err) }),
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

// A session id that nobody can have drawn at random is none: whoever guesses it has the conversation.
func TestSession(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"0123456789abcdef0123456789abcdef": true, "AbCdEfGhIjKlMnOpQrStUv": true, "018f3c1e-7b2a-7c3d-9e4f-5a6b7c8d9e0f": true,
		strings.Repeat("a", 32): false, strings.Repeat("123456789", 4): false, "short": false, strings.Repeat("0123456789", 13): false, "with a space 0123456789": false,
	} {
		if _, err := httpapi.Session(id); (err == nil) != ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Browsers are told to come by TLS alone, where they came by it.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	h := httpapi.Traced(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	for scheme, want := range map[string]string{"https": "max-age=63072000", "http": ""} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil)
		r.Header.Set("X-Forwarded-Proto", scheme)
		if h.ServeHTTP(w, r); w.Header().Get("Strict-Transport-Security") != want {
			t.Errorf("%s: %q", scheme, w.Header())
		}
	}
}
