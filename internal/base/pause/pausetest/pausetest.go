// Package pausetest waits in tests: for conditions, never for a fixed time.
package pausetest

import (
	"context"
	"testing"
	"time"

	"merve/internal/base/pause"
)

// Patience is how long what has to come may take. It is long, since it costs only a test that
// fails: a processor may be shared with ten other packages.
const Patience = 3 * time.Minute

// Until returns once a condition holds, which it looks at again and again, and fails the test
// when it does not in time.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	for !holds() {
		if pause.For(ctx, 20*time.Millisecond) != nil {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
