package payment

import (
	"fmt"
	"strings"
	"time"

	"merve/internal/dynamo"
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

// EventOf reads the event in a new item of the table, as a stream brings it; ok is false for
// other items.
func EventOf(it dynamo.Item) (e Event, ok bool, err error) {
	k := it.Key()
	if !strings.HasPrefix(k.PK, pkPrefix) || !strings.HasPrefix(k.SK, "event#") {
		return Event{}, false, nil
	}
	if err := it.Decode(&e); err != nil {
		return Event{}, true, fmt.Errorf("payment: event: %w", err)
	}
	return e, true, nil
}
