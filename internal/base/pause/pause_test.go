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
