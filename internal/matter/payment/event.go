package payment

import (
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// Event is an immutable fact about a payment, written with the change it tells of.
type Event struct {
	Type        Status    `dynamodbav:"type" json:"type"`
	From        Status    `dynamodbav:"from,omitempty" json:"from,omitempty"`
	Transaction string    `dynamodbav:"transaction" json:"transactionId"`
	Owner       string    `dynamodbav:"owner,omitempty" json:"-"`
	Market      string    `dynamodbav:"market" json:"market"`
	Thread      string    `dynamodbav:"thread,omitempty" json:"thread,omitempty"`
	Reason      string    `dynamodbav:"reason,omitempty" json:"reason,omitempty"`
	Trace       string    `dynamodbav:"trace,omitempty" json:"traceId,omitempty"`
	At          time.Time `dynamodbav:"at" json:"at"`
}

// Events are the events of payments.
var Events = event.Kind[Event]{Name: "payment", Earlier: dynamo.Key{PK: pkPrefix, SK: event.Prefix}}
