package pause_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/base/pause"
)

func TestFor(t *testing.T) {
	t.Parallel()
	if err := pause.For(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause.For(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("when it ends before: %v", err)
	}
}

func TestExponential(t *testing.T) {
	t.Parallel()
	backoff := pause.Exponential(100*time.Millisecond, time.Second)
	for n, most := range map[int]time.Duration{1: 100, 2: 200, 3: 400, 4: 800, 5: 1000, 90: 1000} {
		var longest time.Duration
		for range 1000 {
			d := backoff(n)
			if longest = max(longest, d); d <= 0 || d > most*time.Millisecond+time.Millisecond {
				t.Fatalf("%s after attempt %d", d, n)
			}
		}
		if longest < most*time.Millisecond/2 {
			t.Errorf("%s at most after attempt %d", longest, n)
		}
	}
}
