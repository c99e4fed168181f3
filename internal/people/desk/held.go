package desk

import (
	"context"

	"merve/internal/tenant/person"
)

// Held exports and erases the cases of a person who asked for the desk.
type Held struct{ Desk *Desk }

// Holds names the cases in an export.
func (Held) Holds() string { return "handover" }

// Export returns the case of each thread that has one.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(person.OfThreads(ctx, s, func(ctx context.Context, id string) ([]View, error) {
		v, err := h.Desk.Of(ctx, id)
		if err != nil || v == nil {
			return nil, err
		}
		return []View{*v}, nil
	}))
}

// Erase deletes them.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Desk.Erase)
}
