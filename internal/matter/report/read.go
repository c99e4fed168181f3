package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
)

// Get returns a report of the caller's own; to staff anybody's. 1 request, for staff 2.
func (s *Store) Get(ctx context.Context, by By, id string) (Report, error) {
	owners, err := s.ownersFor(ctx, by, id, true)
	if err != nil {
		return Report{}, err
	}
	r, _, err := s.read(ctx, by.Market, owners, id, "")
	if err != nil {
		return Report{}, err
	}
	if r == nil {
		return Report{}, actor.ErrNotFound
	}
	return r.Report, nil
}

// Profile lists the reports in a market of a person who owns by these keys, newest first: at most
// [MaxReports] for each key. 1 request, and 1 when an earlier version has listed some.
func (s *Store) Profile(ctx context.Context, market string, owners []string) ([]Brief, error) {
	briefs := []Brief{}
	by := By{Owners: owners}
	if len(owners) == 0 || len(owners) > maxOwners {
		return nil, fault.Field("owners", "want 1 to %d", maxOwners)
	}
	var keys []dynamo.Key
	for _, owner := range by.owners() {
		keys = append(keys, briefsKey(owner))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("report: profile: %w", err)
	}
	var unplaced []dynamo.Key // of reports that an earlier version has listed, without their market
	for _, it := range items {
		for name, v := range it {
			if !strings.HasPrefix(name, idPrefix) {
				continue
			}
			var one struct {
				Brief Brief `dynamodbav:"brief"`
			}
			if err := (dynamo.Item{"brief": v}).Decode(&one); err != nil {
				return nil, err
			}
			one.Brief.ID = name
			switch one.Brief.Market {
			case market:
				briefs = append(briefs, one.Brief)
			case "":
				unplaced = append(unplaced, reportKey(strings.TrimPrefix(it.Key().PK, "reports#"), name))
			}
		}
	}
	if items, err = s.Table.BatchGet(ctx, unplaced...); err != nil {
		return nil, fmt.Errorf("report: profile: %w", err)
	}
	for _, it := range items {
		var r stored
		if err := it.Decode(&r); err != nil {
			return nil, err
		}
		if r.Market == market {
			briefs = append(briefs, r.brief())
		}
	}
	slices.SortFunc(briefs, func(a, b Brief) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return briefs, nil
}

// All returns every report of an owner in a market in full, to be handed out or deleted one by one.
// A request for each megabyte that the owner has in all of them.
func (s *Store) All(ctx context.Context, market, owner string) ([]Report, error) {
	all := []Report{}
	err := s.Table.Each(ctx, dynamo.Under("reports#"+owner, "report#"), func(it dynamo.Item) error {
		var r stored
		err := it.Decode(&r)
		if r.Market == market {
			all = append(all, r.Report)
		}
		return err
	})
	return all, err
}

// MaxPage is the most reports of one page of [Store.List].
const MaxPage = 50

// List returns to staff the reports of a market that have a status, starting with those that changed to it
// most recently, and where the next page begins ("" if this is the last page). Reads of the index are
// eventually consistent: a report that has just changed may appear in two lists or in none for a moment, but
// always with its current content. 2 requests.
func (s *Store) List(ctx context.Context, a actor.Actor, market string, status Status, limit int, after string) ([]Report, string, error) {
	switch {
	case !a.IsStaff():
		return nil, "", actor.ErrNotFound
	case !slices.Contains(statuses(), status):
		return nil, "", fault.Field("status", "want one of %v", statuses())
	case limit < 1 || limit > MaxPage:
		return nil, "", fault.Field("limit", "want 1 to %d", MaxPage)
	}
	page, err := s.Table.Query(ctx, dynamo.Query{
		Index: listedIndex, Where: "listed = :listed", Values: dynamo.V{":listed": listed(market, status)},
		Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", err
	}
	items, err := s.Table.BatchGet(ctx, page.Keys()...)
	if err != nil {
		return nil, "", fmt.Errorf("report: list: %w", err)
	}
	reports := []Report{}
	for _, it := range items {
		var r stored
		if err := it.Decode(&r); err != nil {
			return nil, "", err
		}
		if r.Status == status {
			reports = append(reports, r.Report)
		}
	}
	return reports, page.Next, nil
}

// View is a report as a page shows it.
type View struct {
	ID         string        `json:"id"`
	Status     Status        `json:"status"`
	Address    string        `json:"address,omitempty"`
	Location   *geo.Location `json:"location,omitempty"`
	Sections   []SectionView `json:"sections"` // those with content, in order
	Photos     []PhotoView   `json:"photos"`
	NoPhotos   bool          `json:"noPhotos,omitempty"`
	CreatedAt  time.Time     `json:"createdAt"`
	UpdatedAt  time.Time     `json:"updatedAt"`
	ResolvedAt time.Time     `json:"resolvedAt,omitzero"`
}

// SectionView is one section.
type SectionView struct {
	Name    Section `json:"name"`
	Content string  `json:"content"`
}

// PhotoView is one photo.
type PhotoView struct {
	URL     string `json:"url,omitempty"` // "" when the photo is kept no more
	Caption string `json:"caption,omitempty"`
}

// ViewOf prepares a report for a page, with the addresses of its photos.
func ViewOf(ctx context.Context, photos Photos, r Report) (View, error) {
	v := View{
		ID: r.ID, Status: r.Status, Address: r.Address, Location: r.location(), NoPhotos: r.NoPhotos,
		Sections: []SectionView{}, Photos: []PhotoView{}, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ResolvedAt: r.ResolvedAt,
	}
	for _, name := range Sections() {
		if content := r.Sections[name]; content != "" {
			v.Sections = append(v.Sections, SectionView{name, content})
		}
	}
	for _, p := range r.Photos {
		address, err := photos.Address(ctx, p.Ref)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return View{}, fmt.Errorf("report: photo of %s: %w", r.ID, err)
		}
		v.Photos = append(v.Photos, PhotoView{address, p.Caption})
	}
	return v, nil
}

// location is where the place was found, or nil.
func (r Report) location() *geo.Location {
	if r.Lat == nil || r.Lng == nil {
		return nil
	}
	return &geo.Location{Lat: *r.Lat, Lng: *r.Lng, Address: r.Address}
}
