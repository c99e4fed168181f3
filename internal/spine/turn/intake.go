package turn

import (
	"context"
	"time"

	"merve/internal/base/fault"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Intake stores inbound messages and has their turns run. A webhook needs nothing else.
type Intake struct {
	Threads *thread.Store
	Queue   Queue
}

// Queue has another process run a thread's turns, in order. Within a few minutes, requests with the same dedupe id count
// once.
type Queue interface {
	Queue(ctx context.Context, threadID, dedupe string) error
}

// repeatedFor is how long a channel tries to deliver a message. An older one can only be a copy that somebody kept: the
// channel's window to answer it is over, and we do not remember for ever that we have seen it.
const repeatedFor = 24 * time.Hour

// ProcessInbound stores a message from a channel that does not wait for the answer, and queues its turn. A repeat is queued
// again, because the process that stored the message may have died before queueing it.
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

// takeLease stores a message and takes the thread's lease if it is free, even if the sender no longer waits.
func (i Intake) takeLease(ctx context.Context, in channel.Inbound) (thread.Appended, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
	defer cancel()
	return i.Threads.Append(ctx, in, true)
}
