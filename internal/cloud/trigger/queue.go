package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// TraceAttribute is the message attribute that carries the trace id over a queue.
const TraceAttribute = "trace-id"

// Message is one message of a queue.
type Message struct {
	ID           string
	Group        string // messages of a group come in order; "" on a queue without order
	Body         string
	Attributes   map[string]string
	ReceiveCount int       // this time included
	SentAt       time.Time // by the queue's clock
	Receipt      string    // names this delivery to the queue
}

// errBehind is why a message failed that its handler has not seen.
var errBehind = errors.New("one before it in its group failed")

// Queue gives the messages of a batch to f, one after the other, and answers which of
// them failed; AWS delivers those again and none of the others. Once a message has
// failed, the later ones of its group count as failed too and f does not see them.
func Queue(f func(context.Context, Message) error, opts ...Option) Handler {
	o := with(opts)
	return handlerFunc(func(ctx context.Context, payload []byte) ([]byte, error) {
		var e events.SQSEvent
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, fmt.Errorf("trigger: queue event: %w", err)
		}
		var failed []string
		stuck := map[string]bool{}
		for i := range e.Records {
			m := message(&e.Records[i])
			err := errBehind
			if m.Group == "" || !stuck[m.Group] {
				if err = o.handle(ctx, m, f); err == nil {
					continue
				}
			}
			if m.ID == "" {
				return nil, fmt.Errorf("trigger: a message without messageId failed: %w", err)
			}
			stuck[m.Group] = true
			failed = append(failed, m.ID)
		}
		return encodeFailures(failed)
	})
}

func (o *options) handle(ctx context.Context, m Message, f func(context.Context, Message) error) error {
	err := ctx.Err() // out of time: leave the rest for the next delivery
	ctx = o.trace(ctx, m.Attributes[TraceAttribute])
	if err == nil {
		err = o.guard(ctx, func() error { return f(ctx, m) })
	}
	if err != nil {
		o.log.ErrorContext(ctx, "message failed", slog.String("messageId", m.ID),
			slog.Int("receives", m.ReceiveCount), slog.Any("error", err))
	}
	return err
}

func message(r *events.SQSMessage) Message {
	m := Message{
		ID:           r.MessageId,
		Group:        r.Attributes["MessageGroupId"],
		Body:         r.Body,
		Attributes:   make(map[string]string, len(r.MessageAttributes)),
		ReceiveCount: int(number(r.Attributes["ApproximateReceiveCount"])),
		SentAt:       time.UnixMilli(number(r.Attributes["SentTimestamp"])).UTC(),
		Receipt:      r.ReceiptHandle,
	}
	for name, a := range r.MessageAttributes {
		if a.StringValue != nil {
			m.Attributes[name] = *a.StringValue
		} else {
			m.Attributes[name] = string(a.BinaryValue)
		}
	}
	return m
}

// number reads one of SQS's own numbers, which arrive as text. It returns 0 for text that is not a number.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
