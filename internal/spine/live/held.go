package live

import (
	"context"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/person"
)

// Held erases the sockets of a person's conversations and the data about them. Package thread holds the words
// spoken there, and must erase after it.
type Held struct{ *Stage }

// Holds names the sockets in an export.
func (Held) Holds() string { return "sockets" }

// Export returns nothing: a socket is where its client is, and is gone within hours.
func (Held) Export(context.Context, person.Subject) (any, error) { return nil, nil }

// Erase forgets the sockets. They still get the words of a running turn; after that they hear nothing more.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, func(ctx context.Context, threadID string) error {
		_, sockets, err := h.after(ctx, threadID, lastNumber)
		if err != nil {
			return err
		}
		var ws []dynamo.Write
		for _, k := range sockets {
			ws = append(ws, h.Table.Delete(connectionKey(k.ID)), h.Table.Delete(socketKey(threadID, k.ID)))
		}
		return h.Table.DB().CommitAll(ctx, ws...)
	})
}
