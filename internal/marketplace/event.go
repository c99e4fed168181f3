package marketplace

import (
	"time"

	"merve/internal/dynamo"
	"merve/internal/event"
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
	ErrorEvent     EventType = "error"
)

// Event is an immutable fact about a request, written with the change it tells of.
type Event struct {
	ID       string    `dynamodbav:"id"` // among those of the request
	Type     EventType `dynamodbav:"type"`
	Request  string    `dynamodbav:"request"`
	From     State     `dynamodbav:"from,omitempty"`
	To       State     `dynamodbav:"to,omitempty"`
	Outreach string    `dynamodbav:"outreach,omitempty"`
	Text     string    `dynamodbav:"text,omitempty"`    // of a message to the client, or why
	Options  []string  `dynamodbav:"options,omitempty"` // below it
	Quote    *Quote    `dynamodbav:"quote,omitempty"`   // of an answer
	Picture  string    `dynamodbav:"picture,omitempty"` // the job that reads it
	By       string    `dynamodbav:"by"`                // actor key, or moltbot, system, admin
	Trace    string    `dynamodbav:"trace,omitempty"`
	At       time.Time `dynamodbav:"at"`
}

// Events are the events of requests.
var Events = event.Kind[Event]{Name: "request", Earlier: dynamo.Key{PK: "request#", SK: event.Prefix}}
