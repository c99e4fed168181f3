package payment

import (
	"context"

	"merve/internal/record/ledger"
	"merve/internal/tenant/person"
)

// Held exports a person's payments and forgets whose they are. The payments themselves are kept for the
// books; that of a booking which still stands is forgotten with it.
type Held struct {
	*Store
	Bookings interface {
		Of(ctx context.Context, s person.Subject) ([]ledger.Transaction, error)
	}
}

// Holds names the payments in an export.
func (Held) Holds() string { return "payments" }

// Export returns the payments of all the person's bookings.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	txs, err := h.Bookings.Of(ctx, s)
	if err != nil {
		return nil, err
	}
	return person.Exported(h.Of(ctx, txs))
}

// Erase forgets whose the payments are.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	txs, err := h.Bookings.Of(ctx, s)
	if err != nil {
		return nil, err
	}
	return nil, h.Forget(ctx, txs)
}
