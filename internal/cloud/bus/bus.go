// Package bus puts events on an EventBridge bus, and reads them as a queue receives them when it is the target of a
// rule.
//
// An event reaches every rule of its bus that matches its type, at least once and in no particular order, so a reader
// must recognize a repeated event by something in its detail. The envelope's id does not help: the bus gives every
// put an id of its own. The trace id of the sender's context travels with the event.
//
// [EventBridge] is Amazon EventBridge. The local runner speaks the same wire format (package merve/infra/local/bus).
// Both pass the suite in package bustest.
package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// Bus is one bus, wherever it is.
type Bus interface {
	// Put puts events on the bus. A [PutError] names those that are not on it; the others are.
	Put(ctx context.Context, events ...Event) error
}

// Event is one event of a bus.
type Event struct {
	Source string          // what it comes from, such as merve.plan
	Type   string          // the detail type, which rules choose by
	Detail json.RawMessage // a JSON object
	At     time.Time       // travels in whole seconds; the zero time becomes the time of the put
	Trace  string          // the trace id; "" takes that of the context
}

// EventBridge's bounds.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html
const (
	maxEntries = 10        // in one request
	maxBytes   = 256 << 10 // in one request, and so of one event
	maxName    = 128       // of a detail type
	maxSource  = 256
	timeBytes  = 14 // what a time counts for
)

// check says what is wrong with e.
func (e Event) check() error {
	switch {
	case e.Source == "" || len(e.Source) > maxSource || !utf8.ValidString(e.Source):
		return fault.Field("source", "want 1 to %d characters", maxSource)
	case strings.HasPrefix(e.Source, "aws."):
		return fault.Field("source", "sources that begin with aws. belong to AWS")
	case e.Type == "" || len(e.Type) > maxName || !utf8.ValidString(e.Type):
		return fault.Field("type", "want 1 to %d characters", maxName)
	case !isObject(e.Detail):
		return fault.Field("detail", "want a JSON object")
	case e.size() > maxBytes:
		return fault.New(fault.TooLarge, "an event may have %d bytes", maxBytes)
	}
	return nil
}

// size is what e counts for in a request.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html
func (e Event) size() int {
	n := len(e.Source) + len(e.Type) + len(e.Detail)
	if !e.At.IsZero() {
		n += timeBytes
	}
	if e.Trace != "" {
		n += len(tracePrefix + e.Trace)
	}
	return n
}

func isObject(raw json.RawMessage) bool {
	return utf8.Valid(raw) && json.Valid(raw) && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// tracePrefix marks the trace id among an event's resources: the one place outside the
// detail that a sender may fill and every target gets to see.
const tracePrefix = "trace/"

// Read returns the event in body, a message that a rule put on a queue.
func Read(body string) (Event, error) {
	var envelope struct {
		Type      string          `json:"detail-type"`
		Source    string          `json:"source"`
		Time      time.Time       `json:"time"`
		Resources []string        `json:"resources"`
		Detail    json.RawMessage `json:"detail"`
	}
	if err := json.Unmarshal([]byte(body), &envelope); err != nil {
		return Event{}, fault.Wrap(err, fault.Invalid, "want the envelope of an event as JSON")
	}
	e := Event{Source: envelope.Source, Type: envelope.Type, Detail: envelope.Detail, At: envelope.Time}
	for _, r := range envelope.Resources {
		if id, ok := strings.CutPrefix(r, tracePrefix); ok {
			e.Trace = telemetry.CleanTraceID(id)
		}
	}
	switch {
	case e.Source == "":
		return Event{}, fault.Field("source", "is missing")
	case e.Type == "":
		return Event{}, fault.Field("detail-type", "is missing")
	case e.At.IsZero():
		return Event{}, fault.Field("time", "is missing")
	case !isObject(e.Detail):
		return Event{}, fault.Field("detail", "want a JSON object")
	}
	return e, nil
}
