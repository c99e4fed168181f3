package request

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/matter/quote"
	"merve/internal/spine/gate"
)

// EventType says what happened to a request.
type EventType string

const (
	CreatedEvent   EventType = "created"
	ChangedEvent   EventType = "changed"   // its requirements, its shortlist or its state
	OfferedEvent   EventType = "offered"   // a question waits for its turn on the client's thread
	AskedEvent     EventType = "asked"     // vendors, after a YES
	WrittenEvent   EventType = "written"   // a message to the client
	RepliedEvent   EventType = "replied"   // a vendor has answered
	PresentedEvent EventType = "presented" // the quotes, to the client
	AcceptedEvent  EventType = "accepted"  // a quote, by a YES
	PictureEvent   EventType = "picture"   // one is to be read
	SilentEvent    EventType = "silent"    // nobody who was asked has it
	CancelledEvent EventType = "cancelled"
	LetterEvent    EventType = "letter"  // words to a vendor, by a YES to exactly these
	ConsentEvent   EventType = "consent" // a consent to be called, or an attempt to call, has changed
	ErrorEvent     EventType = "error"
	FoundEvent     EventType = "found" // outside of the catalogue
)

// Event is an immutable fact about a request, written with the change it tells of.
type Event struct {
	ID       string       `dynamodbav:"id"` // among those of the request
	Type     EventType    `dynamodbav:"type"`
	Request  string       `dynamodbav:"request"`
	From     State        `dynamodbav:"from,omitempty"`
	To       State        `dynamodbav:"to,omitempty"`
	Outreach string       `dynamodbav:"outreach,omitempty"`
	Consent  string       `dynamodbav:"consent,omitempty"` // whose state Text is
	Attempt  string       `dynamodbav:"attempt,omitempty"` // state of the latest attempt to call by it
	Text     string       `dynamodbav:"text,omitempty"`    // of a message to the client, or why
	Options  []string     `dynamodbav:"options,omitempty"` // below it
	Quote    *quote.Quote `dynamodbav:"quote,omitempty"`   // of an answer
	Items    []string     `dynamodbav:"items,omitempty"`   // that were found, by their ids
	Picture  string       `dynamodbav:"picture,omitempty"` // the job that reads it

	Receipt *gate.Receipt `dynamodbav:"receipt,omitempty"` // of the YES, or of the word of a person at the desk
	Told    bool          `dynamodbav:"told,omitempty"`    // the client knows, by the answer to their YES

	By    string    `dynamodbav:"by"` // actor key, or moltbot, system, admin
	Trace string    `dynamodbav:"trace,omitempty"`
	At    time.Time `dynamodbav:"at"`
}

// History is what happened to a request, in order. A request for each megabyte.
func (s *Store) History(ctx context.Context, request string) ([]Event, error) {
	var all []Event
	err := s.Table.Each(ctx, dynamo.Under(partition(request), event.Prefix), func(it dynamo.Item) error {
		e, ok, err := Events.Read(it)
		if ok && err == nil {
			all = append(all, e)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", request, err)
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	return all, nil
}

// Events are the events of requests.
var Events = event.Kind[Event]{Name: "request", Earlier: dynamo.Key{PK: "request#", SK: event.Prefix}}
