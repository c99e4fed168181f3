package plan

import (
	"encoding/json"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Event is a fact about a plan. It never changes.
type Event struct {
	ID          string // its sort key
	Type        Type
	Correlation string
	At          time.Time // to the millisecond
	Payload     json.RawMessage
	Note        string // not part of the fact: why a plan is a makeshift, for the trace
}

// Wire is an event as it is published.
type Wire struct {
	EventType     Type            `json:"eventType"`
	CorrelationID string          `json:"correlationId"`
	Timestamp     int64           `json:"timestamp"` // Unix epoch in milliseconds
	Payload       json.RawMessage `json:"payload"`
}

// Wire returns the event as it is published.
func (e Event) Wire() Wire { return Wire{e.Type, e.Correlation, e.At.UnixMilli(), e.Payload} }

// stepOf reads the step of a payload that has one.
func stepOf(t Type, payload json.RawMessage) (int, error) {
	if t != ToolInvocationRequested && t != ToolInvocationResulted {
		return noStep, nil
	}
	var p struct {
		StepIndex *int `json:"stepIndex"`
	}
	if err := json.Unmarshal(payload, &p); err != nil || p.StepIndex == nil || *p.StepIndex < 0 || *p.StepIndex >= maxSteps {
		return 0, fault.Field("payload.stepIndex", "want the index of a step, 0 to %d", maxSteps-1)
	}
	return *p.StepIndex, nil
}

// ReadWire reads a published event and checks it against its schema.
func ReadWire(raw []byte) (Event, error) {
	if len(raw) > MaxEvent {
		return Event{}, fault.New(fault.TooLarge, "an event may have %d bytes", MaxEvent)
	}
	if err := checkSchema(raw); err != nil {
		return Event{}, err
	}
	var w Wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return Event{}, fault.Field("event", "want one JSON object")
	}
	step, err := stepOf(w.EventType, w.Payload)
	if err != nil {
		return Event{}, err
	}
	return Event{
		ID: identity(w.CorrelationID, w.EventType, step), Type: w.EventType, Correlation: w.CorrelationID,
		At: time.UnixMilli(w.Timestamp).UTC(), Payload: w.Payload,
	}, nil
}

// newEvent makes an event and checks it the way its readers will.
func newEvent(correlation string, t Type, step int, at time.Time, payload any) (Event, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return Event{}, err
	}
	e := Event{ID: identity(correlation, t, step), Type: t, Correlation: correlation, At: at.UTC().Truncate(time.Millisecond), Payload: raw}
	wire, err := json.Marshal(e.Wire())
	if err != nil {
		return Event{}, err
	}
	if len(wire) > MaxEvent {
		return Event{}, fault.New(fault.TooLarge, "an event may have %d bytes", MaxEvent)
	}
	return e, checkSchema(wire)
}

// version is the form of the payloads. A later release that changes it reads the earlier ones.
const version = 1

// kept is an event as it is stored.
type kept struct {
	Type        Type      `dynamodbav:"type"`
	Correlation string    `dynamodbav:"correlation"`
	At          time.Time `dynamodbav:"at"`
	Payload     string    `dynamodbav:"payload"`
	Note        string    `dynamodbav:"note,omitempty"`
	Version     int       `dynamodbav:"v"`
	TTL         int64     `dynamodbav:"ttl"`
}

func (e Event) item() kept {
	return kept{e.Type, e.Correlation, e.At, string(e.Payload), e.Note, version, e.At.Add(Kept).Unix()}
}

// eventPrefix begins the sort key of every event.
const eventPrefix = "plan#"

// ReadItem reads an event and where it belongs from an item of a stream. ok is false if the item is not an event.
func ReadItem(it dynamo.Item) (ref Ref, e Event, ok bool, err error) {
	key := it.Key()
	if !strings.HasPrefix(key.SK, eventPrefix) {
		return Ref{}, Event{}, false, nil
	}
	if e, err = eventOf(it); err != nil {
		return Ref{}, Event{}, true, err
	}
	ref, err = refOf(key.PK, e.Correlation)
	return ref, e, true, err
}

func eventOf(it dynamo.Item) (Event, error) {
	e := Event{
		ID: it.String("sk"), Type: Type(it.String("type")), Correlation: it.String("correlation"), At: it.Time("at"),
		Payload: json.RawMessage(it.String("payload")), Note: it.String("note"),
	}
	if v := it.Int("v"); v > version {
		return Event{}, fault.New(fault.Invalid, "event %s has the form %d, and this release knows %d", e.ID, v, version)
	}
	return e, nil
}
