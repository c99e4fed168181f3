package ledger

import (
	"context"
	"slices"

	"merve/internal/base/actor"
	"merve/internal/tenant/person"
)

// HeldBookings exports and erases a person's transactions. These are the business's records too, and are kept. What the
// customer said about themselves goes, once no place is held for them and nobody expects them.
type HeldBookings struct{ *Ledger }

// Holds names the transactions in an export.
func (HeldBookings) Holds() string { return "bookings" }

// Export returns all transactions of the person.
func (h HeldBookings) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(h.Of(ctx, s))
}

// Erase forgets who the person is, and returns the codes of the bookings still to come.
func (h HeldBookings) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	txs, err := h.Of(ctx, s)
	if err != nil {
		return nil, err
	}
	return h.Forget(ctx, txs)
}

// Of lists all transactions that a person has with the tenant.
func (l *Ledger) Of(ctx context.Context, s person.Subject) ([]Transaction, error) {
	txs, err := person.Pages(func(after string) ([]Transaction, string, error) {
		return l.ByOwner(ctx, actor.OfKey(s.Owner), 100, after)
	})
	return slices.DeleteFunc(txs, func(tx Transaction) bool { return tx.Market != s.Market }), err
}
