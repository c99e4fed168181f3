package place

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
)

const (
	// maxRadius is how far [Store.Nearest] looks at most, in metres.
	maxRadius = 50_000

	// maxRequests bounds the requests of one search. If places lie so close that it is not
	// enough, the answer is the nearest of those that were read.
	maxRequests = 32

	pageSize = 100 // copies that are read at once
	finest   = 20  // level from which on cells are read page by page: 38 by 19 m at the equator
)

// Near says what to look for around a point.
type Near struct {
	At       geo.Location
	Category string            // "" is any
	Radius   float64           // metres; 0 is [maxRadius]
	Limit    int               // at most this many; 0 is 5
	Keep     func(*Place) bool // nil keeps all
}

// Hit is a place and how far it is.
type Hit struct {
	*Place
	Meters float64
}

// Nearest returns the nearest places of a market, the nearest first, equally far ones by id.
//
// It reads the cells around the point, the nearest cell first. One that has more than a page
// is cut into quarters. It ends when no cell that is left can have anything nearer.
func (s *Store) Nearest(ctx context.Context, market string, n Near) ([]Hit, error) {
	if !geo.OnEarth(n.At.Lat, n.At.Lng) {
		return nil, fault.Field("location", "want lat within ±90 and lng within ±180 degrees")
	}
	if n.Radius <= 0 || n.Radius > maxRadius {
		n.Radius = maxRadius
	}
	n.Limit = cmp.Or(max(n.Limit, 0), 5)
	var todo frontier
	todo.add(n, cover(n.At, n.Radius), "")
	var hits hits
	for range maxRequests {
		next, some := todo.nearest()
		if !some || len(hits) >= n.Limit && hits[n.Limit-1].Meters < next.meters {
			break
		}
		page, err := s.cell(ctx, market, n.Category, next)
		if err != nil {
			return nil, err
		}
		if err := hits.take(n, page.Items); err != nil {
			return nil, err
		}
		switch {
		case page.Next == "":
		case next.level < finest:
			todo.add(n, next.quarters(), "")
		default:
			todo.add(n, []cell{next.cell}, page.Next)
		}
	}
	return hits[:min(len(hits), n.Limit)], nil
}

// cell reads one page of the copies that lie in a cell.
func (s *Store) cell(ctx context.Context, market, category string, t task) (dynamo.Page, error) {
	first, last := t.geohashes()
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :first AND :last",
		Values: dynamo.V{":pk": indexOf(market, category), ":first": first, ":last": last + "$"}, // $ comes after #
		Limit:  cmp.Or(s.page, pageSize),
		After:  t.after,
	})
	if err != nil {
		return page, fmt.Errorf("places of %s near a point: %w", market, err)
	}
	return page, nil
}

// task is a cell to read, its distance, and where to continue.
type task struct {
	cell
	meters float64
	after  string
}

// frontier holds the cells to read, the nearest first.
type frontier []task

// slack is by how much two ways to compute a distance may differ, in metres.
const slack = 0.01

func (f *frontier) add(n Near, cells []cell, after string) {
	for _, c := range cells {
		if d := max(c.distance(n.At)-slack, 0); d <= n.Radius {
			*f = append(*f, task{c, d, after})
		}
	}
	slices.SortStableFunc(*f, func(a, b task) int { return cmp.Compare(a.meters, b.meters) })
}

func (f *frontier) nearest() (t task, some bool) {
	if len(*f) == 0 {
		return task{}, false
	}
	t, *f = (*f)[0], (*f)[1:]
	return t, true
}

// hits are the places found so far, the nearest first.
type hits []Hit

func (h *hits) take(n Near, items []dynamo.Item) error {
	for _, it := range items {
		p := &Place{}
		if err := it.Decode(p); err != nil {
			return fmt.Errorf("place near a point: %w", err)
		}
		d := n.At.Meters(p.Location)
		if d > n.Radius || n.Keep != nil && !n.Keep(p) {
			continue
		}
		hit := Hit{p, d}
		if i, there := slices.BinarySearchFunc(*h, hit, compare); !there {
			*h = slices.Insert(*h, i, hit)
		}
	}
	return nil
}

func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Meters, b.Meters), strings.Compare(a.ID, b.ID))
}
