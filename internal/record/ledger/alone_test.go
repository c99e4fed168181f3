package ledger

import (
	"context"
	"fmt"

	"merve/internal/base/actor"
	"merve/internal/spine/gate"
)

// Confirm is the confirmation by itself, as the product never does it: tests of the ledger compare it with
// the other operations, and ask for it again.
func (l *Ledger) Confirm(ctx context.Context, a actor.Actor, txID string, r gate.Receipt, key string) (Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return Transaction{}, err
	}
	now := l.now()
	ws, err := l.confirmWrites(tx, r, key, now)
	if err != nil {
		return l.writer().replayed(ctx, change{op: opConfirm, key: opKey(opConfirm, tx.ID, key), payload: confirmPayload(tx, r), read: tx}, err)
	}
	after, err := settle(tx.confirmed(now), l.Table.DB().Commit(ctx, ws...))
	if err != nil {
		return Transaction{}, fmt.Errorf("ledger: confirm %s: %w", txID, err)
	}
	return after, nil
}

// Events returns what happened to a transaction, in order.
func (l *Ledger) Events(ctx context.Context, txID string) ([]Event, error) {
	h, err := l.reader().history(ctx, txID)
	return h.Events, err
}
