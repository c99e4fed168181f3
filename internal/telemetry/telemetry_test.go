package telemetry_test

import (
	"strings"
	"testing"

	"merve/internal/telemetry"
)

// What callers outside give as a trace id is kept when it is fit for one, else there is another.
func TestCleanTraceID(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		"a": true, "Root=1-5759e988": false, "1-5759e988_bd862e3f.A": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "two words": false, "line\n": false, "é": false,
	} {
		got := telemetry.CleanTraceID(id)
		if (got == id) != kept || !kept && len(got) != len(telemetry.NewTraceID()) {
			t.Errorf("%q becomes %q", id, got)
		}
	}
	if one, other := telemetry.CleanTraceID(""), telemetry.CleanTraceID(""); one == other {
		t.Error("two have one")
	}
}
