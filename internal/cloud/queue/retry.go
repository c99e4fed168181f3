package queue

import (
	"context"
	"log/slog"
	"time"

	"merve/internal/cloud/trigger"
)

// soon is how long a message waits that has failed for the first and for the second time, and its group with
// it. A failure that outlasts both is no short trouble: from then on the message waits for as long as its
// queue hides what was received, and ends in the dead letter when it has been received too often.
var soon = []time.Duration{5 * time.Second, 30 * time.Second}

// Retry passes messages of q to f, and asks q to redeliver those that fail soon. If q cannot, they come anyway, only
// later.
func Retry(q Queue, log *slog.Logger, f func(context.Context, trigger.Message) error) func(context.Context, trigger.Message) error {
	return func(ctx context.Context, m trigger.Message) error {
		err := f(ctx, m)
		if err == nil || m.ReceiveCount < 1 || m.ReceiveCount > len(soon) {
			return err
		}
		if late := q.Hide(ctx, m.Receipt, soon[m.ReceiveCount-1]); late != nil {
			log.WarnContext(ctx, "a failed message stays hidden for the whole time", "messageId", m.ID, "error", late.Error())
		}
		return err
	}
}
