package booking

import (
	"context"
	"errors"

	"merve/internal/actor"
	"merve/internal/dynamo"
	"merve/internal/ledger"
	"merve/internal/standing"
	"merve/internal/thread"
	"merve/internal/tool"
)

// stands is what a transaction leaves of a conversation.
func stands(tc tool.Context, tx ledger.Transaction) []standing.Item {
	return standing.Only(tx.Item(tc.Language, Summary(tc.Language, tx), tc.Now))
}

// Standing finds the bookings of a conversation.
type Standing struct{ Ledger *ledger.Ledger }

// At is where the one with an id is kept.
func (s Standing) At(_ thread.Head, id string) dynamo.Place { return s.Ledger.At(id) }

// Read is what was found there.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	tx, err := ledger.Read(tc.Actor, it)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return standing.Item{}, false, nil
	case err != nil:
		return standing.Item{}, false, err
	}
	i, ok := tx.Item(tc.Language, Summary(tc.Language, tx), tc.Now)
	return i, ok, nil
}

// Coded finds the one that the customer's code names, among their latest. 1 request, and more for who has many.
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (i standing.Item, ok bool, err error) {
	_, err = s.Ledger.Latest(ctx, tc.Actor, tc.Market.ID, 1, func(tx ledger.Transaction) bool {
		if tx.Code == code && tx.Matter == "" {
			i, ok = tx.Item(tc.Language, Summary(tc.Language, tx), tc.Now)
		}
		return ok
	})
	return i, ok, err
}
