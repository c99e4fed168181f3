package listing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/schedule"
)

// calendars are those of a business's offerings, by their ids, at all of its listings. One stays when
// no listing has it any more: its bookings are still there.
type calendars map[string]calendar

// calendar is what an offering is booked by, which is the same wherever it is.
type calendar struct {
	Grid    schedule.Grid `dynamodbav:"grid"`
	Longest time.Duration `dynamodbav:"longest,omitempty"` // as of a listing
	At      []string      `dynamodbav:"at,omitempty"`      // the listings that have it now
}

// kept is the stored form of calendars.
type kept struct {
	Calendars calendars `dynamodbav:"calendars"`
	Version   int       `dynamodbav:"version"` // counts changes
}

func calendarsKey(business string) dynamo.Key {
	return dynamo.Key{PK: "business#" + business, SK: "calendars"}
}

// calendars returns the writes that update a business's calendars when one of its listings changes, and sets
// how far back the listing must look. No request if the listing has no offerings and had none, else 1.
func (s *Store) calendars(ctx context.Context, before, after *Listing) ([]dynamo.Write, error) {
	if len(offerings(before))+len(offerings(after)) == 0 {
		return nil, nil
	}
	key := calendarsKey(cmp.Or(after, before).Business)
	it, err := s.Table.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("calendars: %w", err)
	}
	k := kept{Calendars: calendars{}}
	if err := it.Decode(&k); err != nil {
		return nil, err
	}
	k.Calendars.leave(before)
	if err := k.Calendars.join(after); err != nil {
		return nil, err
	}
	for _, o := range offerings(after) {
		after.Longest[o.ID] = k.Calendars[o.ID].Longest
	}
	was := k.Version
	k.Version++
	put := s.Table.Put(key, k).If("version = :was OR (attribute_not_exists(version) AND :was = :none)", dynamo.V{":was": was, ":none": 0})
	return []dynamo.Write{put.Else(errMoved)}, nil
}

// offerings are those of a listing, if there is one.
func offerings(l *Listing) []schedule.Offering {
	if l == nil {
		return nil
	}
	return l.Offerings
}

// leave takes a listing out of the calendars. One that a former release has stored is in none yet.
func (c calendars) leave(l *Listing) {
	for _, o := range offerings(l) {
		k, known := c[o.ID]
		if !known {
			k = calendar{Grid: o.Grid(), Longest: max(l.Longest[o.ID], o.LongestSlot())}
		}
		k.At = slices.DeleteFunc(slices.Clone(k.At), func(id string) bool { return id == l.ID })
		c[o.ID] = k
	}
}

// join enters a listing's offerings. One that another listing has is to have the same slots, so that
// the writes of who wants the same time name the same. Neither nights nor slots reach into the others
// that were booked before, so none turns into the other.
func (c calendars) join(l *Listing) error {
	for i, o := range offerings(l) {
		k, known := c[o.ID]
		field := k.Grid.Differs(o.Grid())
		at := fmt.Sprintf("offerings[%d].%s", i, field)
		switch {
		case field != "" && len(k.At) > 0:
			return fault.Field(at, "listing %s of the business has %s, too, and not so: want the same at both, or another id", k.At[0], o.ID)
		case field == "unit" && known:
			return fault.Field(at, "stays %s, as %s was booked by it: take it out and add another", k.Grid.Unit, o.ID)
		}
		k.Grid, k.Longest, k.At = o.Grid(), max(k.Longest, o.LongestSlot(), l.Longest[o.ID]), append(slices.Clone(k.At), l.ID)
		slices.Sort(k.At)
		c[o.ID] = k
	}
	return nil
}
