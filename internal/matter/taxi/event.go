package taxi

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// EventType says what was done.
type EventType string

const (
	ProposedEvent  EventType = "proposed"
	RequestedEvent EventType = "requested" // the customer's YES
	ReleasedEvent  EventType = "released"  // the customer's NO
	ExpiredEvent   EventType = "expired"   // the proposal ran out
	OfferedEvent   EventType = "offered"   // to drivers, once an attempt
	DeclinedEvent  EventType = "declined"  // by a driver
	AssignedEvent  EventType = "assigned"  // to a driver
	ArrivedEvent   EventType = "arrived"
	DoneEvent      EventType = "done"      // by its driver's word
	ClosedEvent    EventType = "closed"    // taken to be done, as its driver said nothing more: no news to anybody
	WithdrawnEvent EventType = "withdrawn" // by the driver who had it
	CancelledEvent EventType = "cancelled" // by the customer, or by staff
	UnservedEvent  EventType = "unserved"
)

// Event is an immutable fact about a ride, written with the change it tells of. It says whom
// to tell of it, by ids, and nothing that the ride tells.
type Event struct {
	ID      string    `dynamodbav:"id"` // unique among those of the ride
	Type    EventType `dynamodbav:"type"`
	Ride    string    `dynamodbav:"ride"`
	Owner   string    `dynamodbav:"owner"`
	Market  string    `dynamodbav:"market"`
	Thread  string    `dynamodbav:"thread"` // the customer's
	Status  Status    `dynamodbav:"status"` // afterwards
	Attempt int       `dynamodbav:"attempt"`
	Driver  string    `dynamodbav:"driver,omitempty"`  // who has it, or had it, or said NO
	Drivers []string  `dynamodbav:"drivers,omitempty"` // who was asked; of an assignment, those who did not get it
	Actor   string    `dynamodbav:"actor,omitempty"`   // actor key of the customer who ordered, or of staff who cancelled; "" is somebody else or the clock
	Trace   string    `dynamodbav:"trace,omitempty"`
	At      time.Time `dynamodbav:"at"`
}

// Events are the events of rides.
var Events = event.Kind[Event]{Name: "ride", Earlier: dynamo.Key{PK: "rides#", SK: event.Prefix}}

// Events returns what happened to a ride, in order. A request for each megabyte.
func (s *Store) Events(ctx context.Context, owner, id string) ([]Event, error) {
	events := []Event{}
	err := s.Table.Each(ctx, dynamo.Under("rides#"+owner, event.Prefix+id+"#"), func(it dynamo.Item) error {
		e, _, err := Events.Read(it)
		events = append(events, e)
		return err
	})
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.after(), b.after())) })
	return events, err
}

// after orders what was written at once: to offer a ride, and to give it up, comes of something
// else.
func (e Event) after() int {
	if e.Type == OfferedEvent || e.Type == UnservedEvent {
		return 1
	}
	return 0
}

// happened is what a change that leads to r leaves.
func happened(ctx context.Context, typ EventType, r Ride) Event {
	e := Event{
		ID: string(typ) + "#" + strconv.Itoa(r.Attempt), Type: typ, Ride: r.ID, Owner: r.Owner, Market: r.Market, Thread: r.Thread,
		Status: r.Status, Attempt: r.Attempt, Actor: r.CancelledBy, Trace: telemetry.TraceID(ctx), At: r.UpdatedAt,
	}
	if r.Driver != nil {
		e.Driver = r.Driver.ID
	}
	return e
}

// put writes an event that there may be only once.
func (s *Store) put(e Event) dynamo.Write {
	return Events.Put(s.Table, eventKey(e), e).IfAbsent().Else(ErrChanged)
}

// putUnserved is put for the event that nobody took a ride, by which staff find it. The ride ends
// with it, and so it is there once.
func (s *Store) putUnserved(e Event) dynamo.Write {
	return Events.Put(s.Table, eventKey(e), e).Beside(struct {
		Listed   string `dynamodbav:"listed"`
		ListedAt string `dynamodbav:"listedAt"`
	}{listedUnserved(e.Market), dynamo.Stamp(e.At)})
}

func eventKey(e Event) dynamo.Key {
	return dynamo.Key{PK: "rides#" + e.Owner, SK: event.Prefix + e.Ride + "#" + e.ID}
}
