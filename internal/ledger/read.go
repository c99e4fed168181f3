package ledger

import (
	"context"
	"fmt"

	"merve/internal/actor"
	"merve/internal/dynamo"
)

// Get returns a transaction that a may see; what is somebody else's is not found. 1 request.
func (l *Ledger) Get(ctx context.Context, a actor.Actor, txID string) (Transaction, error) {
	tx, err := l.read(ctx, txID)
	if err == nil {
		err = a.MaySee(tx.Owner)
	}
	if err != nil {
		return Transaction{}, err
	}
	return tx, nil
}

// owned is Get for a change: a must be its owner, staff or the system.
func (l *Ledger) owned(ctx context.Context, a actor.Actor, txID string) (Transaction, error) {
	return l.Get(ctx, a, txID)
}

func (l *Ledger) read(ctx context.Context, txID string) (Transaction, error) {
	it, err := l.Table.Get(ctx, txKey(txID))
	switch {
	case err != nil:
		return Transaction{}, fmt.Errorf("ledger: read %s: %w", txID, err)
	case it == nil:
		return Transaction{}, actor.ErrNotFound
	}
	var tx Transaction
	return tx, it.Decode(&tx)
}

// ByOwner lists a's transactions that have been held, newest first, and where to go on.
// The index is read eventually: a change shows after some milliseconds. 1 request.
func (l *Ledger) ByOwner(ctx context.Context, a actor.Actor, limit int, after string) ([]Transaction, string, error) {
	return l.list(ctx, "owner", a.Key(), limit, after)
}

// ByBusiness lists a business's transactions for staff, as [Ledger.ByOwner] does. 1 request.
func (l *Ledger) ByBusiness(ctx context.Context, a actor.Actor, business string, limit int, after string) ([]Transaction, string, error) {
	if a.Kind != actor.System && !a.IsStaff() {
		return nil, "", actor.ErrNotFound
	}
	return l.list(ctx, "business", business, limit, after)
}

// list queries an index whose name is its partition key's.
func (l *Ledger) list(ctx context.Context, index, value string, limit int, after string) ([]Transaction, string, error) {
	page, err := l.Table.Query(ctx, dynamo.Query{
		Index: index, Where: "#" + index + " = :value", Values: dynamo.V{":value": value},
		Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("ledger: list by %s: %w", index, err)
	}
	txs, err := dynamo.Decode[Transaction](page.Items)
	if err != nil {
		return nil, "", err
	}
	return txs, page.Next, nil
}
