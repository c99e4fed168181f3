package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
)

// Draft is the initial content of a new report.
type Draft struct {
	Market string
	Thread string
	Spot   geo.Spot // may be empty; its address is in the customer's words
}

// checkSpot returns where the damage is as it is kept: nowhere, or at an address that may have a point.
func checkSpot(p geo.Spot) (geo.Spot, error) {
	var err error
	p.Address, err = line("address", p.Address, MaxAddress)
	switch {
	case err != nil:
		return p, err
	case p == geo.Spot{}:
		return p, nil
	case p.Address == "":
		return p, fault.Field("address", "want lat and lng together, of an address")
	}
	return p, p.Check("address", MaxAddress)
}

// Start makes a report of the actor's own. The same key makes the same report, and gives it
// again; [actor.ErrNotFound] when it has been deleted since. 1 request, repeated 2.
func (s *Store) Start(ctx context.Context, by By, d Draft) (Report, error) {
	if err := checkKey(by.Key); err != nil {
		return Report{}, err
	}
	if d.Market == "" {
		return Report{}, fault.Field("market", "missing")
	}
	spot, err := checkSpot(d.Spot)
	if err != nil {
		return Report{}, err
	}
	now, owner := s.now(), by.Actor.Key()
	r := stored{Report: Report{
		ID: newID(owner, by.Key), Owner: owner, Market: d.Market, Thread: d.Thread, Status: Pending,
		Address: spot.Address, Lat: spot.Lat, Lng: spot.Lng, Sections: map[Section]string{},
		CreatedAt: now, UpdatedAt: now, Version: 1,
	}, Listed: listed(d.Market, Pending), ListedAt: dynamo.Stamp(now)}
	e := happened(by, CreatedEvent, r.Report, now, traceOf(ctx))
	e.ID = eventID(CreatedEvent, by.Key)
	if e.Payload, err = payloadOf([]string{d.Market, d.Thread, spot.Address}); err != nil {
		return Report{}, err
	}
	err = s.Table.DB().Commit(ctx, append([]dynamo.Write{
		s.put(e),
		s.Table.Put(reportKey(owner, r.ID), r),
		s.Table.Put(ownerKey(r.ID), map[string]string{"owner": owner}),
		s.Table.Update(briefsKey(owner), "SET #"+r.ID+" = :brief ADD #count :one", dynamo.V{":brief": r.brief(), ":one": 1}).
			If("attribute_not_exists(#count) OR #count < :most", dynamo.V{":most": MaxReports}).Else(ErrTooMany),
	}, s.Rows.Moved(nil, r.stand())...)...)
	if errors.Is(err, errMoved) {
		return s.started(ctx, r.Report, e)
	}
	if err != nil {
		return Report{}, fmt.Errorf("report: start: %w", err)
	}
	return r.Report, nil
}

// started gives the report that a key has made before.
func (s *Store) started(ctx context.Context, r Report, e Event) (Report, error) {
	have, made, err := s.read(ctx, r.Market, []string{r.Owner}, r.ID, e.ID)
	switch {
	case err != nil:
		return Report{}, err
	case made != nil && made.Payload != e.Payload:
		return Report{}, ErrKeyReused
	case have == nil:
		return Report{}, actor.ErrNotFound
	}
	return have.Report, nil
}

// SetSection writes what the customer tells under a heading; an empty content takes it off.
// Two sections changed at once both stay.
func (s *Store) SetSection(ctx context.Context, by By, id string, section Section, content string) (Report, error) {
	if !slices.Contains(Sections(), section) {
		return Report{}, fault.Field("section", "want one of %v", Sections())
	}
	content, err := line("content", content, MaxContent)
	if err != nil {
		return Report{}, err
	}
	return s.edit(ctx, by, id, change{
		typ: SectionEvent, asked: []string{string(section), content}, detail: string(section), alone: true,
		rule: func(r *stored, _ time.Time) error {
			r.Sections[section] = content
			if content == "" {
				delete(r.Sections, section)
			}
			return nil
		},
		fields: func(stored) fields { return fields{"sections." + string(section): unless(content)} },
	})
}

// SetAddress says where the damage is. An empty address takes it off a pending report; of a
// completed one that is [ErrIncomplete].
func (s *Store) SetAddress(ctx context.Context, by By, id string, p geo.Spot) (Report, error) {
	p, err := checkSpot(p)
	if err != nil {
		return Report{}, err
	}
	return s.edit(ctx, by, id, change{
		typ: AddressEvent, asked: p.Address,
		rule: func(r *stored, _ time.Time) error {
			r.Address, r.Lat, r.Lng = p.Address, p.Lat, p.Lng
			return nil
		},
		fields: func(r stored) fields {
			return fields{"address": unless(r.Address), "lat": unless(r.Lat), "lng": unless(r.Lng)}
		},
	})
}

// SetPhotos replaces the photos of a report with these, in this order. none records the customer's
// statement that there are no photos. Without it, an empty list removes the photos
// from a pending report, and fails with [ErrIncomplete] on a completed one.
func (s *Store) SetPhotos(ctx context.Context, by By, id string, photos []Photo, none bool) (Report, error) {
	photos, err := checkPhotos(photos)
	if err != nil {
		return Report{}, err
	}
	if none && len(photos) > 0 {
		return Report{}, fault.Field("noPhotos", "cannot be true while there are photos")
	}
	return s.edit(ctx, by, id, change{
		typ: PhotosEvent, asked: struct {
			Photos []Photo
			None   bool
		}{photos, none},
		rule: func(r *stored, _ time.Time) error {
			r.Photos, r.NoPhotos = photos, none
			return nil
		},
		fields: func(r stored) fields {
			f := fields{"photos": nil, "noPhotos": unless(r.NoPhotos)}
			if len(r.Photos) > 0 {
				f["photos"] = r.Photos
			}
			return f
		},
	})
}

func checkPhotos(photos []Photo) ([]Photo, error) {
	if len(photos) > MaxPhotos {
		return nil, fault.Field("photoUrls", "at most %d", MaxPhotos)
	}
	var out []Photo
	for i, p := range photos {
		caption, err := line(fmt.Sprintf("captions[%d]", i), p.Caption, MaxCaption)
		switch {
		case err != nil:
			return nil, err
		case p.Ref == "" || len(p.Ref) > maxRef:
			return nil, fault.Field(fmt.Sprintf("photoUrls[%d]", i), "want a photo's reference of at most %d bytes", maxRef)
		case slices.ContainsFunc(out, func(q Photo) bool { return q.Ref == p.Ref }):
			return nil, fault.Field(fmt.Sprintf("photoUrls[%d]", i), "is there twice")
		}
		out = append(out, Photo{p.Ref, caption})
	}
	return out, nil
}

// Resolve ends a completed report: the owner its own, staff everybody's. The event tells
// which of them.
func (s *Store) Resolve(ctx context.Context, by By, id string) (Report, error) {
	return s.edit(ctx, by, id, change{
		typ: ResolvedEvent, staff: true,
		rule: func(r *stored, now time.Time) error {
			if r.Status != Completed {
				return ErrNotComplete
			}
			r.Status, r.ResolvedAt = Resolved, now
			return nil
		},
		fields: func(r stored) fields { return fields{"resolvedAt": r.ResolvedAt} },
	})
}

// Delete takes a report of the caller's own away, in whatever state, and with it the links
// to it.
func (s *Store) Delete(ctx context.Context, by By, id string) error {
	_, err := s.once(ctx, by, id, change{typ: DeletedEvent, remove: true})
	return err
}

// edit makes a change that leaves a report.
func (s *Store) edit(ctx context.Context, by By, id string, c change) (Report, error) {
	d, err := s.once(ctx, by, id, c)
	if err != nil {
		return Report{}, err
	}
	if d.report == nil { // made, and the report deleted since
		return Report{}, actor.ErrNotFound
	}
	return *d.report, nil
}
