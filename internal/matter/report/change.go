package report

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// change is one kind of change of a report that exists.
type change struct {
	typ    EventType
	asked  any    // what the key stands for
	detail string // of the event

	rule   func(r *stored, now time.Time) error // applies the change to the report as read; may refuse
	fields func(r stored) fields                // what that writes

	alone  bool // independent of other people's changes: it requires only what it needs itself
	quiet  bool // nothing that the report tells: may be done to a resolved one, too
	remove bool // the report goes
	staff  bool // staff may do it to everybody's

	also func(ctx context.Context, r stored, now time.Time) ([]dynamo.Write, error) // written with it
}

// errMoved says that something else was written between read and write: look again.
var errMoved = errors.New("the report has changed meanwhile")

// done is the result of a change: the report afterwards, and the event if the change had
// been made before. A report that has been deleted since is nil.
type done struct {
	report *Report
	before *Event
}

// once makes a change once for its key. 2 requests, one when it was made before.
func (s *Store) once(ctx context.Context, by By, id string, c change) (done, error) {
	if err := checkKey(by.Key); err != nil {
		return done{}, err
	}
	owners, err := s.ownersFor(ctx, by, id, c.staff)
	if err != nil {
		return done{}, err
	}
	return dynamo.Retry(ctx, s.Table.DB(), errMoved, func() (done, error) { return s.try(ctx, by, owners, id, c) })
}

func (s *Store) try(ctx context.Context, by By, owners []string, id string, c change) (done, error) {
	payload, err := payloadOf(c.asked)
	if err != nil {
		return done{}, err
	}
	before, made, err := s.read(ctx, by.Market, owners, id, eventID(c.typ, by.Key))
	if err != nil || made != nil {
		return repeated(before, made, payload, err)
	}
	after, refusal := c.apply(before, s.now())
	if refusal != nil {
		// The two were not read at one moment: it may have been refused for its own work.
		if before, made, err = s.read(ctx, by.Market, owners, id, eventID(c.typ, by.Key)); err != nil || made != nil {
			return repeated(before, made, payload, err)
		}
		return done{}, refusal
	}
	e := happened(by, c.typ, after.Report, s.now(), traceOf(ctx))
	e.ID, e.Payload, e.Detail = eventID(c.typ, by.Key), payload, c.detail
	ws, err := s.writes(ctx, c, *before, after, e)
	if err == nil {
		err = s.Table.DB().Commit(ctx, ws...)
	}
	if err != nil {
		return done{}, fmt.Errorf("report: %s %s: %w", c.typ, id, err)
	}
	return done{report: &after.Report}, nil
}

// repeated returns the result of a change that was made before.
func repeated(r *stored, made *Event, payload string, err error) (done, error) {
	switch {
	case err != nil:
		return done{}, err
	case made.Payload != payload:
		return done{}, ErrKeyReused
	case r == nil:
		return done{before: made}, nil
	}
	return done{&r.Report, made}, nil
}

// read finds a report in a market ("" is any) under one of the owners, and the event that a key
// has left. 1 request.
func (s *Store) read(ctx context.Context, market string, owners []string, id, eventID string) (*stored, *Event, error) {
	var keys []dynamo.Key
	for _, owner := range owners {
		keys = append(keys, reportKey(owner, id))
		if eventID != "" {
			keys = append(keys, eventKey(owner, id, eventID))
		}
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, nil, fmt.Errorf("report: read %s: %w", id, err)
	}
	var r *stored
	var made *Event
	for _, it := range items {
		if market != "" && it.String("market") != market {
			continue // the same person's, but with another tenant
		}
		if e, ok, err := Events.Read(it); ok || err != nil {
			made = &e
			if err != nil {
				return nil, nil, err
			}
			continue
		}
		r = &stored{}
		if err := it.Decode(r); err != nil {
			return nil, nil, err
		}
	}
	return r, made, nil
}

// apply gives the report as it is after c, or says why that may not be.
func (c change) apply(before *stored, now time.Time) (stored, error) {
	if before == nil {
		return stored{}, actor.ErrNotFound
	}
	after := *before
	after.Sections, after.Photos = maps.Clone(before.Sections), slices.Clone(before.Photos)
	if before.Status == Resolved && !c.quiet && !c.remove {
		return stored{}, ErrResolved
	}
	if c.rule != nil {
		if err := c.rule(&after, now); err != nil {
			return stored{}, err
		}
	}
	whole := len(after.Missing()) == 0
	switch {
	case before.Status == Completed && !whole:
		return stored{}, ErrIncomplete
	case before.Status == Pending && whole:
		after.Status = Completed
	}
	if after.Status != before.Status {
		after.Listed, after.ListedAt = listed(after.Market, after.Status), dynamo.Stamp(now)
	}
	if !c.quiet {
		after.UpdatedAt = now
	}
	after.Version++
	return after, nil
}

// writes returns the writes of c, and of its event e.
func (s *Store) writes(ctx context.Context, c change, before, after stored, e Event) ([]dynamo.Write, error) {
	ws := []dynamo.Write{s.put(e), s.main(c, before, after)}
	switch {
	case c.remove:
		gone := s.Table.Update(briefsKey(after.Owner), "REMOVE #"+after.ID+" ADD #count :less", dynamo.V{":less": -1})
		ws = append(ws, gone, s.Table.Delete(ownerKey(after.ID)))
	case before.brief() != after.brief():
		ws = append(ws, s.Table.Update(briefsKey(after.Owner), "SET #"+after.ID+" = :brief", dynamo.V{":brief": after.brief()}))
	}
	left := after.stand()
	if c.remove {
		left = nil
	}
	ws = append(ws, s.Rows.Moved(before.stand(), left)...)
	if before.Status == Pending && after.Status == Completed {
		completed := e
		completed.ID, completed.Type, completed.Payload, completed.Detail = string(CompletedEvent), CompletedEvent, "", ""
		ws = append(ws, s.put(completed))
	}
	if c.also == nil {
		return ws, nil
	}
	more, err := c.also(ctx, after, e.At)
	return append(ws, more...), err
}

// main is the write of the report itself.
func (s *Store) main(c change, before, after stored) dynamo.Write {
	key := reportKey(after.Owner, after.ID)
	if c.remove {
		return s.Table.Delete(key).If("attribute_exists(pk)", nil).Else(errMoved)
	}
	f := fields{}
	if c.fields != nil {
		f = c.fields(after)
	}
	if !c.quiet {
		f["updatedAt"] = after.UpdatedAt
	}
	if after.Status != before.Status {
		f["status"], f["listed"], f["listedAt"] = after.Status, after.Listed, after.ListedAt
	}
	expr, vals := f.expression()
	w := s.Table.Update(key, expr, vals)
	if c.alone {
		return w.If("attribute_exists(pk) AND #status <> :resolved", dynamo.V{":resolved": Resolved}).Else(errMoved)
	}
	return w.AtVersion(before.Version).Else(errMoved)
}

// fields are attributes to set, by path ("sections.cause"); nil removes one.
type fields map[string]any

// expression is an update that sets them and counts a version.
func (f fields) expression() (string, dynamo.V) {
	set, remove, vals := []string{"#version = #version + :one"}, []string{}, dynamo.V{":one": 1}
	for _, path := range slices.Sorted(maps.Keys(f)) {
		name := "#" + strings.ReplaceAll(path, ".", ".#")
		if f[path] == nil {
			remove = append(remove, name)
			continue
		}
		value := ":" + strings.ReplaceAll(path, ".", "_")
		set, vals[value] = append(set, name+" = "+value), f[path]
	}
	expr := "SET " + strings.Join(set, ", ")
	if len(remove) > 0 {
		expr += " REMOVE " + strings.Join(remove, ", ")
	}
	return expr, vals
}

// unless is v, or nil where v is the zero value.
func unless[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
