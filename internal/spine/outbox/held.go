package outbox

import (
	"context"

	"merve/internal/tenant/person"
)

// Held erases messages to businesses, drivers and the desk about a person. An export gets their content from the
// matters they were about.
type Held struct{ Box *Box }

// Holds names what others were told.
func (Held) Holds() string { return "told" }

// Export returns nothing.
func (Held) Export(context.Context, person.Subject) (any, error) { return nil, nil }

// Erase takes the words out of it.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Box.Forget)
}
