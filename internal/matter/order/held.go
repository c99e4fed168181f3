package order

import (
	"context"

	"merve/internal/tenant/person"
)

// Held exports and erases a person's orders. Orders that a business works on are erased once they are over.
type Held struct{ Store *Store }

// Holds names the orders in an export.
func (Held) Holds() string { return "orders" }

// Export returns all orders of the person.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(h.Store.All(ctx, s.Market, s.Owner))
}

// Erase deletes them, and returns the codes of those under way.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return h.Store.Erase(ctx, s.Market, s.Owner)
}
