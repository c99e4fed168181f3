package payment

import (
	"context"

	"merve/internal/record/ledger"
	"merve/internal/tenant/person"
)

// Held exports a person's payments and forgets their owner. The payments themselves stay for the
// books; the payment of a booking that is still active is forgotten together with that.
type Held struct {
	*Store
	Bookings *ledger.Ledger
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

// Erase forgets the owner of the payments.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	txs, err := h.Bookings.Of(ctx, s)
	if err != nil {
		return nil, err
	}
	return nil, h.Forget(ctx, txs)
}
