package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// EventType names a change.
type EventType string

const (
	CreatedEvent     EventType = "created"
	SectionEvent     EventType = "section_updated"
	AddressEvent     EventType = "address_updated"
	PhotosEvent      EventType = "photos_updated"
	CompletedEvent   EventType = "completed"
	ResolvedEvent    EventType = "resolved"
	DeletedEvent     EventType = "deleted"
	LinkMadeEvent    EventType = "link_made"
	LinkRevokedEvent EventType = "link_revoked"
	LinkOpenedEvent  EventType = "link_opened" // for the first time; the link counts the others
)

// Event is an immutable fact about a report, written with the change it tells of. It says
// whom to tell of it and where, and nothing that the report tells.
type Event struct {
	ID      string    `dynamodbav:"id"` // unique among those of the report
	Type    EventType `dynamodbav:"type"`
	Report  string    `dynamodbav:"report"`
	Owner   string    `dynamodbav:"owner"`
	Market  string    `dynamodbav:"market"`
	Thread  string    `dynamodbav:"thread"`            // the owner's, on which the report was made
	Status  Status    `dynamodbav:"status"`            // afterwards
	Detail  string    `dynamodbav:"detail,omitempty"`  // which section, which link
	Actor   string    `dynamodbav:"actor,omitempty"`   // actor key; "" if somebody opened a link
	Staff   bool      `dynamodbav:"staff,omitempty"`   // done by staff, not by the owner
	Payload string    `dynamodbav:"payload,omitempty"` // hash of the request
	Trace   string    `dynamodbav:"trace,omitempty"`
	At      time.Time `dynamodbav:"at"`
}

// Events are the events of reports.
var Events = event.Kind[Event]{Name: "report", Earlier: dynamo.Key{PK: "reports#", SK: event.Prefix}}

// Events returns what happened to a report, in order, for as long as there is one. 2 requests.
func (s *Store) Events(ctx context.Context, by By, id string) ([]Event, error) {
	r, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, err
	}
	events := []Event{}
	err = s.Table.Each(ctx, dynamo.Under("reports#"+r.Owner, event.Prefix+id+"#"), func(it dynamo.Item) error {
		e, _, err := Events.Read(it)
		events = append(events, e)
		return err
	})
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return events, err
}

// happened returns the event of a change to r.
func happened(by By, typ EventType, r Report, now time.Time, trace string) Event {
	return Event{
		Type: typ, Report: r.ID, Owner: r.Owner, Market: r.Market, Thread: r.Thread, Status: r.Status,
		Actor: by.Actor.Key(), Staff: by.Actor.IsStaff(), Trace: trace, At: now,
	}
}

// put writes an event that there may be only once.
func (s *Store) put(e Event) dynamo.Write {
	return Events.Put(s.Table, eventKey(e.Owner, e.Report, e.ID), e).IfAbsent().Else(errMoved)
}

// eventID names the event that a key leaves: one for each kind of change.
func eventID(typ EventType, key string) string { return hash(string(typ) + "\x00" + key) }

// payloadOf tells requests with the same key apart.
func payloadOf(asked any) (string, error) {
	b, err := json.Marshal(asked)
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	return hash(string(b)), nil
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fault.Field("key", "want an idempotency key of 1 to %d bytes", maxKey)
	}
	return nil
}

func traceOf(ctx context.Context) string { return telemetry.TraceID(ctx) }
