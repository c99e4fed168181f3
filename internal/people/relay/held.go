package relay

import (
	"context"

	"merve/internal/tenant/person"
)

// Held exports and erases what a person has written to businesses, and the answers.
type Held struct{ Post *Post }

// Holds names the talks in an export.
func (Held) Holds() string { return "talks" }

// Export returns the talks of all the person's threads.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(person.OfThreads(ctx, s, h.Post.Talks))
}

// Erase deletes them.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Post.Erase)
}
