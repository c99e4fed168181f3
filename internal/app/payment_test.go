package app_test

import (
	"log/slog"
	"strings"
	"testing"

	"merve/internal/telemetry"
)

// An alert of a payment is counted for the alarm, like any other.
func TestPaymentAlertsAreCounted(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.base.Log = telemetry.NewLogger(s.log, slog.LevelInfo)
	s.invoke(t, "stripe") // of a payment that nobody here was asked for
	if n := strings.Count(s.log.String(), `"Alerts":1`); n != 1 {
		t.Errorf("counted %d times: %s", n, s.log)
	}
}
