package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
)

var errFailed = errors.New("failed")

// A message that failed comes again in seconds, so that its group does not wait for long; one that fails
// again and again comes as its queue has it, and one that succeeds is not touched.
func TestRetry(t *testing.T) {
	t.Parallel()
	q := &queuetest.Kept{}
	f := queue.Retry(q, slog.New(slog.DiscardHandler), func(_ context.Context, m trigger.Message) error {
		if m.Body == "bad" {
			return errFailed
		}
		return nil
	})
	for n, body := range []string{"bad", "bad", "bad", "bad", "good"} { // a count of 0 is none that the queue told
		m := trigger.Message{Body: body, ReceiveCount: n, Receipt: "r" + string(rune('0'+n))}
		if err := f(t.Context(), m); (body == "bad") != errors.Is(err, errFailed) {
			t.Errorf("receive %d: %v", n, err)
		}
	}
	if err := f(t.Context(), trigger.Message{Body: "good", ReceiveCount: 1, Receipt: "first"}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"r1 5s", "r2 30s"}, q.Hidden()); diff != "" {
		t.Error(diff)
	}
}

// deaf hides nothing.
type deaf struct{ queuetest.Kept }

func (*deaf) Hide(context.Context, string, time.Duration) error { return errors.New("away") }

// Why a message failed is told even when its queue cannot have it come soon.
func TestRetryOfAQueueThatIsAway(t *testing.T) {
	t.Parallel()
	log := &strings.Builder{}
	f := queue.Retry(&deaf{}, slog.New(slog.NewTextHandler(log, nil)), func(context.Context, trigger.Message) error { return errFailed })
	if err := f(t.Context(), trigger.Message{ID: "m_1", ReceiveCount: 1}); !errors.Is(err, errFailed) || !strings.Contains(log.String(), "m_1") {
		t.Errorf("%v, log: %s", err, log)
	}
}
