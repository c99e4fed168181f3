package queue

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"merve/internal/base/fault"
	"merve/internal/cloud/trigger"
)

// maxBatch is the most messages that one event of a queue with order holds.
const maxBatch = 10

// Invoke runs a function: an event in, its answer out, both as JSON.
type Invoke func(ctx context.Context, payload []byte) ([]byte, error)

// Deliver passes at most batch messages that may go out now to invoke, as one event, and
// deletes those that did not fail. It returns how many it passed, and does not wait for any.
func (q *Queue) Deliver(ctx context.Context, batch int, invoke Invoke) (int, error) {
	if batch < 1 || batch > maxBatch {
		return 0, fault.Field("batch", "want 1 to %d", maxBatch)
	}
	q.mu.Lock()
	out := snapshot(q.take(batch))
	q.mu.Unlock()
	q.hand(ctx, out, invoke)
	return len(out), nil
}

// Run delivers until ctx is done or the queue is closed, with as many invocations at a
// time as there are workers. It waits on the system's timers for messages that come back:
// under another clock, use Deliver.
func (q *Queue) Run(ctx context.Context, batch, workers int, invoke Invoke) error {
	switch {
	case batch < 1 || batch > maxBatch:
		return fault.Field("batch", "want 1 to %d", maxBatch)
	case workers < 1:
		return fault.Field("workers", "want at least 1")
	case !q.begin():
		return nil
	}
	defer q.running.Done()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for q.step(ctx, batch, invoke) {
			}
		})
	}
	wg.Wait()
	return nil
}

// begin counts a Run for Close to wait for, unless the queue is closed.
func (q *Queue) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.running.Add(1)
	}
	return !q.closed
}

// step delivers one batch, or waits until there may be one. It reports whether to go on.
func (q *Queue) step(ctx context.Context, batch int, invoke Invoke) bool {
	q.mu.Lock()
	if q.closed || ctx.Err() != nil {
		q.mu.Unlock()
		return false
	}
	out := snapshot(q.take(batch))
	due, changed := q.due(), q.changed
	q.mu.Unlock()
	if len(out) == 0 {
		await(ctx, changed, due)
	}
	q.hand(ctx, out, invoke)
	return true
}

// due returns how long until the next hidden message comes back; 0 if no message is hidden. The
// caller holds the lock.
func (q *Queue) due() time.Duration {
	var next time.Duration
	now := q.o.Now()
	for _, m := range q.messages {
		if d := m.visible.Sub(now); d > 0 && (next == 0 || d < next) {
			next = d
		}
	}
	return next
}

// await returns when changed is closed, d has passed (0: never), or ctx is done.
func await(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-changed:
	case <-timer:
	case <-ctx.Done():
	}
}

// snapshot copies messages, so that they can be read without the lock.
func snapshot(ms []*message) []message {
	out := make([]message, len(ms))
	for i, m := range ms {
		out[i] = *m
	}
	return out
}

// hand gives a batch to invoke and settles it.
func (q *Queue) hand(ctx context.Context, batch []message, invoke Invoke) {
	if len(batch) == 0 {
		return
	}
	done, err := q.call(ctx, batch, invoke)
	if err != nil {
		q.o.Log.ErrorContext(ctx, "invocation failed", slog.String("queue", q.o.Name), slog.Any("error", err))
	}
	q.settle(done)
}

// call returns the messages that did not fail. Lambda takes an error, or an answer that it
// does not understand, for the failure of all.
func (q *Queue) call(ctx context.Context, batch []message, invoke Invoke) (done []message, err error) {
	payload, err := json.Marshal(q.event(batch))
	if err != nil {
		return nil, fmt.Errorf("queue %s: event: %w", q.o.Name, err)
	}
	answer, err := invoke(ctx, payload)
	if err != nil {
		return nil, err
	}
	failed, err := trigger.Failures(answer)
	if err != nil {
		return nil, err
	}
	for _, m := range batch {
		if !slices.Contains(failed, m.id) {
			done = append(done, m)
		}
	}
	if len(done)+len(failed) != len(batch) {
		return nil, fmt.Errorf("queue %s: the answer names what was not in the batch, or twice", q.o.Name)
	}
	return done, nil
}

// event builds the event that Lambda would make of a batch.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
func (q *Queue) event(batch []message) events.SQSEvent {
	var e events.SQSEvent
	for _, d := range batch {
		sum := md5.Sum([]byte(d.Body))
		m := events.SQSMessage{
			MessageId: d.id, ReceiptHandle: d.receipt(), Body: d.Body, Md5OfBody: hex.EncodeToString(sum[:]),
			Attributes: map[string]string{
				"ApproximateReceiveCount":          strconv.Itoa(d.receives),
				"SentTimestamp":                    millis(d.sent),
				"ApproximateFirstReceiveTimestamp": millis(d.firstOut),
				"SenderId":                         "local",
			},
			MessageAttributes: make(map[string]events.SQSMessageAttribute, len(d.Attributes)),
			EventSource:       "aws:sqs", EventSourceARN: "arn:aws:sqs:us-east-1:000000000000:" + q.o.Name, AWSRegion: "us-east-1",
		}
		if q.o.FIFO {
			m.Attributes["MessageGroupId"], m.Attributes["MessageDeduplicationId"] = d.Group, d.Dedupe
			m.Attributes["SequenceNumber"] = fmt.Sprintf("%020d", d.sequence)
		}
		for name, v := range d.Attributes {
			m.MessageAttributes[name] = events.SQSMessageAttribute{
				StringValue: &v, DataType: "String", StringListValues: []string{}, BinaryListValues: [][]byte{},
			}
		}
		e.Records = append(e.Records, m)
	}
	return e
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
