package httpapi_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/fault"
	"merve/internal/httpapi"
	"merve/internal/telemetry"
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
