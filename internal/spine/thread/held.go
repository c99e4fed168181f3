package thread

import (
	"context"

	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

// Held exports and erases what was said on a person's threads, including photos.
type Held struct {
	Store  *Store
	Photos interface {
		Kept(ctx context.Context, threadID, url string) (string, error)
		Address(ctx context.Context, stored string) (string, error)
	}
}

// Holds names the messages in an export.
func (Held) Holds() string { return "messages" }

// Export returns all lines of all threads.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.OfThreads(ctx, s, func(ctx context.Context, id string) ([]Line, error) {
		lines, err := person.Pages(func(after string) ([]Line, string, error) { return h.Store.Lines(ctx, id, after, MaxLines) })
		for _, l := range lines {
			h.showPhotos(ctx, id, l.Media)
		}
		return lines, err
	})
}

// showPhotos gives kept photos an address that the reader of the export can open. Others stay as the channel named them.
func (h Held) showPhotos(ctx context.Context, threadID string, all []channel.Media) {
	for i, m := range all {
		stored, err := h.Photos.Kept(ctx, threadID, m.URL)
		if err != nil {
			continue
		}
		if address, err := h.Photos.Address(ctx, stored); err == nil {
			all[i].URL = address
		}
	}
}

// Erase deletes what was said.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Store.Erase)
}
