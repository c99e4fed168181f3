package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/gate"
)

// Event is an immutable fact about a transaction, written with the change it tells of. It has everything that a
// notification needs.
type Event struct {
	ID          string      `dynamodbav:"id" json:"id"` // unique in its transaction
	Type        State       `dynamodbav:"type" json:"type"`
	From        State       `dynamodbav:"from,omitempty" json:"from,omitempty"` // a cancelled hold is not a cancelled booking
	Actor       string      `dynamodbav:"actor,omitempty" json:"-"`             // actor key; "" is the system
	Reason      string      `dynamodbav:"reason,omitempty" json:"reason,omitempty"`
	Trace       string      `dynamodbav:"trace,omitempty" json:"traceId,omitempty"`
	Key         string      `dynamodbav:"key,omitempty" json:"-"`     // of the operation: asked for again, this is its answer
	Payload     string      `dynamodbav:"payload,omitempty" json:"-"` // hash of what was asked with it
	At          time.Time   `dynamodbav:"at" json:"at"`
	Transaction Transaction `dynamodbav:"tx" json:"transaction"` // as it was after the change
}

// Why a transaction was cancelled when nobody gave a reason.
const (
	ReasonReplaced = "replaced" // by another offer on the same thread
	ReasonTimeUp   = "time_up"
)

// Events are the events of transactions.
var Events = event.Kind[Event]{Name: "tx", Earlier: dynamo.Key{PK: txPrefix, SK: event.Prefix}}

// History is everything stored about a transaction.
type History struct {
	Transaction Transaction   `json:"transaction"`
	Events      []Event       `json:"events"` // in order
	Receipt     *gate.Receipt `json:"receipt,omitempty"`
}

// History returns a transaction with its events and the receipt of its YES.
func (l *Ledger) History(ctx context.Context, a actor.Actor, txID string) (History, error) {
	h, err := l.reader().history(ctx, txID)
	if err != nil {
		return History{}, err
	}
	return h, a.MaySee(h.Transaction.Owner)
}

func (r reader) history(ctx context.Context, txID string) (History, error) {
	page, err := r.table.Query(ctx, dynamo.Under(txPrefix+txID, ""))
	if err != nil {
		return History{}, fmt.Errorf("ledger: history of %s: %w", txID, err)
	}
	var h History
	for _, it := range page.Items {
		switch sk := it.Key().SK; {
		case sk == "tx":
			err = it.Decode(&h.Transaction)
		case sk == receiptSK:
			h.Receipt = &gate.Receipt{}
			err = it.Decode(h.Receipt)
		default:
			var e Event
			var ok bool
			if e, ok, err = Events.Read(it); ok {
				h.Events = append(h.Events, e)
			}
		}
		if err != nil {
			return History{}, err
		}
	}
	if h.Transaction.ID == "" {
		return History{}, actor.ErrNotFound
	}
	slices.SortStableFunc(h.Events, func(a, b Event) int { return a.Transaction.Version - b.Transaction.Version })
	return h, nil
}
