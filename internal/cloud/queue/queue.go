// Package queue puts messages on queues, and says when a message that failed comes again ([Retry]).
//
// A queue with order (FIFO) gives out the messages of one group one after the other, different groups
// side by side. One without knows no groups.
//
// A message is taken at least once. One with the same Dedupe as another of the last five
// minutes is dropped without an error, whatever it holds: the first wins. The trace id of
// the sender's context travels with the message.
//
// [SQS] is Amazon SQS; the local runner has a queue in process. Both pass the suite in
// package queuetest.
package queue

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/trigger"
)

// Queue is one queue, wherever it is.
type Queue interface {
	// Send puts m on the queue.
	Send(ctx context.Context, m Message) error
	// Hide lets a received message come again after a time, if it fails. receipt names the delivery.
	Hide(ctx context.Context, receipt string, after time.Duration) error
}

// Message is what is sent. Group and Dedupe belong to queues with order (FIFO), Delay to
// those without: SQS delays single messages there only.
type Message struct {
	Group      string            // messages of a group come in order, one batch of them at a time
	Dedupe     string            // the message's name: sent twice within five minutes, it comes once
	Body       string            // at least one character
	Attributes map[string]string // at most nine, and the trace id
	Delay      time.Duration     // comes no sooner; at most 15 minutes, in whole seconds
}

// SendJSON puts m on the queue with the JSON of v as its body.
func SendJSON(ctx context.Context, q Queue, m Message, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m.Body = string(body)
	return q.Send(ctx, m)
}

// SQS's bounds.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const (
	maxBytes      = 256 << 10
	maxName       = 128
	maxAttributes = 10
	maxDelay      = 15 * time.Minute
)

// Prepare returns m as it goes out, with the trace id of ctx, or says what is wrong with
// it for a queue with order (fifo) or without.
func Prepare(ctx context.Context, m Message, fifo bool) (Message, error) {
	if id := telemetry.TraceID(ctx); id != "" && m.Attributes[trigger.TraceAttribute] == "" {
		attrs := maps.Clone(m.Attributes)
		if attrs == nil {
			attrs = map[string]string{}
		}
		attrs[trigger.TraceAttribute] = id
		m.Attributes = attrs
	}
	return m, m.check(fifo)
}

func (m Message) check(fifo bool) error {
	switch {
	case fifo && !isName(m.Group):
		return fault.Field("group", "want 1 to %d ASCII letters, digits or signs", maxName)
	case fifo && !isName(m.Dedupe):
		return fault.Field("dedupe", "want 1 to %d ASCII letters, digits or signs", maxName)
	case fifo && m.Delay != 0:
		return fault.Field("delay", "a queue with order delays no single message: leave it out")
	case !fifo && m.Group+m.Dedupe != "":
		return fault.Field("group", "this queue keeps no order: leave group and dedupe out")
	case m.Delay < 0 || m.Delay > maxDelay || m.Delay%time.Second != 0:
		return fault.Field("delay", "want whole seconds, at most 15 minutes")
	case !isText(m.Body):
		return fault.Field("body", "want at least one character, and only those that XML 1.0 allows")
	case len(m.Attributes) > maxAttributes:
		return fault.Field("attributes", "want at most %d with the trace id", maxAttributes)
	}
	return m.checkAttributes()
}

func (m Message) checkAttributes() error {
	size := len(m.Body)
	for name, v := range m.Attributes {
		if !isAttributeName(name) || !isText(v) {
			return fault.Field("attributes", "want names of letters, digits, - _ and ., and values that are not empty")
		}
		size += len(name) + len(v) + len("String")
	}
	if size > maxBytes {
		return fault.New(fault.TooLarge, "a message may have %d bytes with its attributes", maxBytes)
	}
	return nil
}

func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isAttributeName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

// isText reports whether SQS takes s as a text.
func isText(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	})
}
