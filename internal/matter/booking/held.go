package booking

import (
	"context"
	"errors"

	"merve/internal/tenant/person"
)

// HeldWishes exports and erases a person's places on waiting lists.
type HeldWishes struct{ Wishes }

// Holds names the wishes in an export.
func (HeldWishes) Holds() string { return "waiting" }

// Export returns what the person waits for.
func (h HeldWishes) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(h.Of(ctx, s.Market, s.Owner))
}

// Erase takes the person off all waiting lists.
func (h HeldWishes) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	all, err := h.Of(ctx, s.Market, s.Owner)
	errs := []error{err}
	for _, w := range all {
		errs = append(errs, h.Remove(ctx, w))
	}
	return nil, errors.Join(errs...)
}
