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
	ClosedEvent    EventType = "closed"    // counts as done, as its driver said nothing more; nobody is told
	WithdrawnEvent EventType = "withdrawn" // by the driver who had it
	CancelledEvent EventType = "cancelled" // by the customer, or by staff
	UnservedEvent  EventType = "unserved"
)

// Event is an immutable fact about a ride, written with the change it tells of. It has the ids of those to tell, and nothing
// that the ride itself says.
type Event struct {
	ID      string    `dynamodbav:"id"` // unique among those of the ride
	Type    EventType `dynamodbav:"type"`
	Ride    string    `dynamodbav:"ride"`
	Owner   string    `dynamodbav:"owner"`
	Market  string    `dynamodbav:"market"`
	Thread  string    `dynamodbav:"thread"` // the customer's
	Status  Status    `dynamodbav:"status"` // afterwards
	Attempt int       `dynamodbav:"attempt"`
	Driver  string    `dynamodbav:"driver,omitempty"`  // the driver who has it, had it or said NO
	Drivers []string  `dynamodbav:"drivers,omitempty"` // the drivers who were asked; for an assignment, those who did not get it
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

// after orders events that were written together: offering a ride and giving it up follow from another event.
func (e Event) after() int {
	if e.Type == OfferedEvent || e.Type == UnservedEvent {
		return 1
	}
	return 0
}

// happened is the event of a change that leads to r.
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

// put writes an event that may exist only once.
func (s *Store) put(e Event) dynamo.Write {
	return Events.Put(s.Table, eventKey(e), e).IfAbsent().Else(ErrChanged)
}

// putUnserved writes the event that nobody took a ride, and lists it for staff. It exists once, as the ride ends with it.
func (s *Store) putUnserved(e Event) dynamo.Write {
	return Events.Put(s.Table, eventKey(e), e).Beside(struct {
		Listed   string `dynamodbav:"listed"`
		ListedAt string `dynamodbav:"listedAt"`
	}{listedUnserved(e.Market), dynamo.Stamp(e.At)})
}

func eventKey(e Event) dynamo.Key {
	return dynamo.Key{PK: "rides#" + e.Owner, SK: event.Prefix + e.Ride + "#" + e.ID}
}
