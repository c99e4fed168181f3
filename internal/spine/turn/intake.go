package turn

import (
	"context"
	"time"

	"merve/internal/base/fault"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Intake takes in messages: it is all that a webhook needs.
type Intake struct {
	Threads *thread.Store
	Queue   Queue
}

// Queue has a thread's turns run by somebody else, in order. Equal dedupe ids within a
// few minutes are one.
type Queue interface {
	Queue(ctx context.Context, threadID, dedupe string) error
}

// repeatedFor is how long a channel tries to bring a message. What it says is older can only be a copy that
// somebody kept: the channel's window to answer it is over, and that it was seen is not known for ever.
const repeatedFor = 24 * time.Hour

// ProcessInbound takes in a message from a channel that waits for no answer: it is
// stored and its turn is queued. A repeat is queued again, because whoever stored it
// may have died before queueing it.
func (i Intake) ProcessInbound(ctx context.Context, in channel.Inbound) (thread.Appended, error) {
	if !in.SentAt.IsZero() && i.Threads.Now().Sub(in.SentAt) > repeatedFor {
		return thread.Appended{Thread: thread.Of(in), Message: thread.MessageID(thread.Of(in), in.Channel, in.MessageID), Duplicate: true}, nil
	}
	a, err := i.Threads.Append(ctx, in, false)
	if err != nil {
		return thread.Appended{}, err
	}
	return a, i.queue(ctx, a, a.Message)
}

func (i Intake) queue(ctx context.Context, a thread.Appended, dedupe string) error {
	if err := i.Queue.Queue(ctx, a.Thread, dedupe); err != nil {
		return fault.Wrap(err, fault.Unavailable, "queue turn of thread %s", a.Thread)
	}
	return nil
}

// takeLease stores a message and takes the thread's lease where it is free, whether or not
// its sender still waits.
func (i Intake) takeLease(ctx context.Context, in channel.Inbound) (thread.Appended, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
	defer cancel()
	return i.Threads.Append(ctx, in, true)
}
