package report

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/tenant/media"
	"merve/internal/tenant/person"
)

// Held exports and erases a person's reports with their links and photos.
type Held struct {
	*Store
	Photos *media.Store
}

// Holds names the reports in an export.
func (Held) Holds() string { return "reports" }

// Export returns the reports as their owner sees them.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	all, err := h.All(ctx, s.Market, s.Owner)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	views := make([]View, len(all))
	for i, r := range all {
		if views[i], err = ViewOf(ctx, h.Photos, r); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// Erase deletes the photos of all threads, and all reports.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	all, err := h.All(ctx, s.Market, s.Owner)
	if err != nil {
		return nil, err
	}
	errs := []error{s.EachThread(ctx, h.Photos.DeleteThread)}
	for _, r := range all {
		by := By{Actor: actor.Actor{Kind: actor.System}, Owners: []string{s.Owner}, Market: s.Market, Key: "erase." + r.ID}
		if err := h.Delete(ctx, by, r.ID); err != nil && !fault.Is(err, fault.NotFound) { // gone meanwhile
			errs = append(errs, fmt.Errorf("report %s: %w", r.ID, err))
		}
	}
	return nil, errors.Join(errs...)
}
