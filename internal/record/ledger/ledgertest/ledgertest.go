// Package ledgertest does for tests with a ledger what the product does only as a part of something larger.
package ledgertest

import (
	"context"

	"merve/internal/base/actor"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
)

// Confirm confirms a transaction of a by a receipt of its offer, as the answer to a YES does.
func Confirm(ctx context.Context, l *ledger.Ledger, a actor.Actor, txID string, r gate.Receipt, key string) (ledger.Transaction, error) {
	ws, tx, err := l.ConfirmWrites(ctx, a, txID, r.OfferHash, r, key)
	if err == nil {
		err = l.Table.DB().Commit(ctx, ws...)
	}
	if err != nil {
		return ledger.Transaction{}, err
	}
	return tx, nil
}

// Events returns what happened to a transaction, in order.
func Events(ctx context.Context, l *ledger.Ledger, txID string) ([]ledger.Event, error) {
	h, err := l.History(ctx, actor.Actor{Kind: actor.System, ID: "test"}, txID)
	return h.Events, err
}
