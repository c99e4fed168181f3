package outbox

import (
	"context"

	"merve/internal/tenant/person"
)

// Held erases what businesses, drivers and the desk were told of a person. An export has it from where
// it was told of.
type Held struct{ Box *Box }

// Holds names what others were told.
func (Held) Holds() string { return "told" }

// Export returns nothing.
func (Held) Export(context.Context, person.Subject) (any, error) { return nil, nil }

// Erase takes the words out of it.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Box.Forget)
}
