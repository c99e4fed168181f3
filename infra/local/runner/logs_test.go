package runner

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/base/telemetry"
)

// The lines of a call session are found among all others, and only the latest are kept.
func TestLogsOfACallSession(t *testing.T) {
	t.Parallel()
	kept := &keptLines{}
	log := telemetry.NewLogger(kept, slog.LevelInfo)
	get := func(query string) string {
		w := httptest.NewRecorder()
		kept.ServeHTTP(w, httptest.NewRequest("GET", "/dev/logs"+query, nil))
		return w.Body.String()
	}
	one, two := telemetry.WithCall(t.Context(), "call 1"), telemetry.WithCall(t.Context(), "call 2")
	log.InfoContext(one, "first")
	log.InfoContext(two, "other")
	log.InfoContext(t.Context(), "none")
	log.InfoContext(one, "second", "traceId", "call 2")
	got := get("?call=call+1")
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, "first") || !strings.Contains(got, "second") {
		t.Errorf("lines: %s", got)
	}
	for _, query := range []string{"", "?call=", "?call=call"} {
		if got := get(query); got != "" {
			t.Errorf("%q: %s", query, got)
		}
	}
	for n := range 5000 {
		log.InfoContext(two, "long", "n", n, "text", strings.Repeat("x", 1000))
	}
	if got := get("?call=call+1"); got != "" || kept.size > maxKept || !strings.Contains(get("?call=call+2"), fmt.Sprintf(`"n":%d`, 4999)) {
		t.Errorf("kept %d bytes, %s", kept.size, got)
	}
}
