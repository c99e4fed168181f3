package order

import (
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// Event is an immutable fact about an order, written together with the change. It says whom
// to tell about it; the order itself has the content.
type Event struct {
	Type     EventType `dynamodbav:"type" json:"type"`
	Order    string    `dynamodbav:"order" json:"order"`
	Owner    string    `dynamodbav:"owner" json:"-"`
	Market   string    `dynamodbav:"market" json:"market"`
	Thread   string    `dynamodbav:"thread" json:"thread"`
	Business string    `dynamodbav:"business" json:"business"`
	From     Status    `dynamodbav:"from" json:"from,omitempty"`
	By       string    `dynamodbav:"by" json:"by"`                                 // actor key
	Customer bool      `dynamodbav:"customer,omitempty" json:"customer,omitempty"` // done by its owner
	Trace    string    `dynamodbav:"trace,omitempty" json:"traceId,omitempty"`
	At       time.Time `dynamodbav:"at" json:"at"`
}

// Events are the events of orders.
var Events = event.Kind[Event]{Name: "order", Earlier: dynamo.Key{PK: ownerPrefix, SK: event.Prefix}}

// Lapsed reports whether nobody made it happen: its order was due.
func (e Event) Lapsed() bool { return actor.OfKey(e.By).Kind == actor.System }

// ID names the event among all.
func (e Event) ID() string { return e.Order + "." + string(e.Type) }
