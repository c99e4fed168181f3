package booking

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
)

// stands returns the items that a transaction adds to the state of a conversation.
func stands(tc tool.Context, tx ledger.Transaction) []standing.Item {
	return standing.Only(item(tc, tx))
}

// item is a transaction among what stands, in the customer's language.
func item(tc tool.Context, tx ledger.Transaction) (standing.Item, bool) {
	return tx.Item(tc.Language, Summary(tc.Language, tx), tc.Now)
}

// Standing finds the bookings of a conversation.
type Standing struct{ Ledger *ledger.Ledger }

// At is where the one with an id is kept.
func (s Standing) At(_ thread.Head, id string) dynamo.Place { return s.Ledger.At(id) }

// Read turns a stored item into a standing one.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	return ledger.Found(tc.Actor, it, func(tx ledger.Transaction) (standing.Item, bool) { return item(tc, tx) })
}

// Coded finds the booking with the customer's code among their latest ones. 1 request, more if they have many bookings.
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (i standing.Item, ok bool, err error) {
	_, err = s.Ledger.Latest(ctx, tc.Actor, tc.Market.ID, 1, func(tx ledger.Transaction) bool {
		if tx.Code == code && tx.Matter == "" {
			i, ok = item(tc, tx)
		}
		return ok
	})
	return i, ok, err
}
