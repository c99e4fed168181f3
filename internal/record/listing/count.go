package listing

import (
	"context"
	"fmt"
	"slices"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/stock"
)

// Count reads how many are left of a listing's counted items. No request when there are none,
// else 1.
func (s *Store) Count(ctx context.Context, l *Listing) error {
	l.Left = nil
	if !slices.ContainsFunc(l.Items, func(i Item) bool { return i.Stock != nil }) {
		return nil
	}
	if s.Stock == nil {
		return errNoStock
	}
	counts, err := s.Stock.Of(ctx, l.Market, l.ID)
	if err != nil {
		return err
	}
	l.Left = map[string]int{}
	for _, i := range l.Items {
		if i.Stock != nil {
			l.Left[i.ID] = max(counts[i.ID].Left, 0)
		}
	}
	return nil
}

var errNoStock = fault.New(fault.Internal, "items are counted, and nothing keeps counts")

// Gone reports whether an item is sold out, either by its flag or by the last count that was read.
func (l *Listing) Gone(i Item) bool {
	left, counted := l.Left[i.ID]
	return i.SoldOut || i.Stock != nil && counted && left == 0
}

// counts returns the writes for the counts that a change of the listing sets. If the business states the same
// count again after the listing or the stock record had been deleted in between, nothing is written, because
// some of that stock has been sold.
func (s *Store) counts(ctx context.Context, before, after *Listing) ([]dynamo.Write, error) {
	was := map[string]Stock{}
	if before != nil {
		for _, i := range before.Items {
			if i.Stock != nil {
				was[i.ID] = *i.Stock
			}
		}
	}
	said := slices.DeleteFunc(slices.Clone(after.Items), func(i Item) bool {
		old, same := was[i.ID]
		return i.Stock == nil || same && old == *i.Stock
	})
	if len(said) == 0 {
		return nil, nil
	}
	if s.Stock == nil {
		return nil, errNoStock
	}
	counts, err := s.Stock.Of(ctx, after.Market, after.ID)
	if err != nil {
		return nil, fmt.Errorf("put listing %s: %w", after.ID, err)
	}
	var ws []dynamo.Write
	for _, i := range said {
		if setting := i.Stock.setting(); counts[i.ID].Setting != setting {
			ws = append(ws, s.Stock.Set(stock.Item{Market: after.Market, Listing: after.ID, ID: i.ID}, i.Stock.Count, setting))
		}
	}
	return ws, nil
}

// maxListedCounts is how many counted items of a listing a search asks about, so that those of
// all it finds are read at once.
const maxListedCounts = 10

// counted are the first counted items, and whether there is more to be had than those.
func counted(items []Item) (ids []string, others bool) {
	for _, i := range items {
		switch {
		case i.SoldOut:
		case i.Stock != nil && len(ids) < maxListedCounts:
			ids = append(ids, i.ID)
		default:
			others = true
		}
	}
	return ids, others
}

// countListed reads the remaining counts of the listings found. 1 request if any of them has counted items.
func (s *Store) countListed(ctx context.Context, found []*Listing) error {
	var items []stock.Item
	for _, l := range found {
		for _, id := range l.Counted {
			items = append(items, stock.Item{Market: l.Market, Listing: l.ID, ID: id})
		}
	}
	if len(items) == 0 {
		return nil
	}
	if s.Stock == nil {
		return errNoStock
	}
	left, err := s.Stock.Left(ctx, items...)
	if err != nil {
		return err
	}
	for n, l := range found {
		c := *l // an index keeps the listing
		c.Left = map[string]int{}
		for _, id := range l.Counted {
			c.Left[id] = max(left[stock.Item{Market: l.Market, Listing: l.ID, ID: id}], 0)
		}
		found[n] = &c
	}
	return nil
}

// soldOut returns the ids of the counted items that have none left, and whether the listing has nothing else to
// sell either.
func (l *Listing) soldOut() (ids []string, all bool) {
	for id, left := range l.Left {
		if left == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if len(l.Items) > 0 {
		return ids, len(ids) > 0 && !slices.ContainsFunc(l.Items, func(i Item) bool { return !l.Gone(i) })
	}
	return ids, len(ids) > 0 && len(ids) == len(l.Left) && !l.Others
}
