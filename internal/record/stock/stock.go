// Package stock counts things that exist in a limited number: portions of a dish, tickets, rooms. Anything
// that is not counted has no record here, and costs no request.
//
//	stock#{market}#{listing}   item#{item}     its count
//	stock#{market}#{listing}   order#{order}   what an open order holds of them
//
// (table records). A business sets how many are left. A sale takes from that, all lines of one
// item at once, on condition that enough are left, and records who holds them:
//
//	Set ──► left ──Take──► held ──Sell──► sold
//	          ▲───Return─────┘
//
// The writes belong in the transaction that changes the order, whose own condition lets each of
// them happen once. So total = left + held + sold, and held is the sum of the open orders' holdings:
// [Store.Check] verifies that, and reports any drift.
//
// Requests: the counts of a listing 1, of items of several listings 1; a check 16, and for each
// listing whose counts have changed 1 for a megabyte, 1 for a hundred open orders and 1 for each
// changed item.
package stock

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Store keeps counts. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // records
	Now   func() time.Time
}

// MaxCount is the largest count of an item.
const MaxCount = 1_000_000

// Item names something that is counted.
type Item struct{ Market, Listing, ID string }

// Count is the stock of an item.
type Count struct {
	Item    string `dynamodbav:"item" json:"itemId"`
	Left    int    `dynamodbav:"left" json:"left"`   // can be had
	Held    int    `dynamodbav:"held" json:"held"`   // by open orders
	Sold    int    `dynamodbav:"sold" json:"sold"`   // by orders that are done, since it was set
	Total   int    `dynamodbav:"total" json:"total"` // left, held and sold
	Setting string `dynamodbav:"setting" json:"-"`   // the statement that set it
	Version int    `dynamodbav:"version" json:"-"`   // counts changes
}

// Holding is the number of a listing's items that an order holds.
type Holding struct {
	Market, Listing string
	Order, Owner    string         // the order, and the actor key that it is kept under
	Items           map[string]int // how many, by item
}

// held is the stored form of a holding.
type held struct {
	Order string         `dynamodbav:"order"`
	Owner string         `dynamodbav:"owner"`
	Items map[string]int `dynamodbav:"items"`
}

// Short says that fewer are left than are wanted.
type Short struct {
	Item         string
	Wanted, Left int
}

func (s *Short) Error() string {
	return fmt.Sprintf("stock: %d of %s wanted, %d left", s.Wanted, s.Item, s.Left)
}

// Unwrap makes it a conflict.
func (s *Short) Unwrap() error { return fault.New(fault.Conflict, "only %d left", s.Left) }

// The keys. They are part of the data model.

func shelf(market, listing string) string { return "stock#" + market + "#" + listing }

func (i Item) key() dynamo.Key { return dynamo.Key{PK: shelf(i.Market, i.Listing), SK: "item#" + i.ID} }

func (h Holding) key() dynamo.Key {
	return dynamo.Key{PK: shelf(h.Market, h.Listing), SK: "order#" + h.Order}
}

// Of reads the counts of a listing's items.
func (s *Store) Of(ctx context.Context, market, listing string) (map[string]Count, error) {
	counts, err := dynamo.Collect[Count](ctx, s.Table, dynamo.Under(shelf(market, listing), "item#"))
	if err != nil {
		return nil, fmt.Errorf("stock of %s: %w", listing, err)
	}
	all := make(map[string]Count, len(counts))
	for _, c := range counts {
		all[c.Item] = c
	}
	return all, nil
}

// Left reads how many are left of items. It leaves out items that were never counted. 1 request for each
// hundred.
func (s *Store) Left(ctx context.Context, items ...Item) (map[Item]int, error) {
	keys, of := make([]dynamo.Key, len(items)), map[dynamo.Key]Item{}
	for n, i := range items {
		keys[n], of[i.key()] = i.key(), i
	}
	found, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("stock: %w", err)
	}
	left := map[Item]int{}
	for _, it := range found {
		var c Count
		if err := it.Decode(&c); err != nil {
			return nil, err
		}
		left[of[it.Key()]] = c.Left
	}
	return left, nil
}

// Set sets how many of an item are left, not counting those that open orders hold. The setting identifies
// the statement that set the count, so that a caller can tell when it is repeated ([Count.Setting]).
func (s *Store) Set(i Item, left int, setting string) dynamo.Write {
	return s.change(i, "#item = :item, #left = :n, held = if_not_exists(held, :none), sold = :none, #total = if_not_exists(held, :none) + :n, setting = :setting, ", "",
		dynamo.V{":item": i.ID, ":n": left, ":none": 0, ":setting": setting})
}

// Take takes the items an order needs. If too few are left, the writes fail with [Short].
func (s *Store) Take(h Holding) []dynamo.Write {
	ws := []dynamo.Write{s.Table.Put(h.key(), held{h.Order, h.Owner, h.Items})}
	for i, n := range h.each() {
		ws = append(ws, s.change(i, "#left = #left - :n, held = held + :n, ", "", dynamo.V{":n": n}).
			If("#left >= :n", nil).
			ElseOld(func(old dynamo.Item) error {
				var c Count
				if old != nil {
					if err := old.Decode(&c); err != nil {
						return err
					}
				}
				return &Short{Item: i.ID, Wanted: n, Left: c.Left}
			}))
	}
	return ws
}

// Return gives back what an order holds: it came to nothing.
func (s *Store) Return(h Holding) []dynamo.Write {
	ws := []dynamo.Write{s.Table.Delete(h.key())}
	for i, n := range h.each() {
		ws = append(ws, s.change(i, "", "#left :n, held :less, ", dynamo.V{":n": n, ":less": -n}))
	}
	return ws
}

// Sell ends what an order holds: it was carried out, and nothing comes back.
func (s *Store) Sell(h Holding) []dynamo.Write {
	ws := []dynamo.Write{s.Table.Delete(h.key())}
	for i, n := range h.each() {
		ws = append(ws, s.change(i, "", "sold :n, held :less, ", dynamo.V{":n": n, ":less": -n}))
	}
	return ws
}

// change changes a count, and schedules a check of it. A number that it adds to is created
// if missing, so that a lost count keeps no order from being cancelled.
func (s *Store) change(i Item, set, add string, vals dynamo.V) dynamo.Write {
	vals = maps.Clone(vals)
	vals[":shard"], vals[":due"], vals[":one"] = dynamo.DueShard(dueKind, i.key().PK+i.key().SK), s.now().Add(settleFor), 1
	return s.Table.Update(i.key(), "SET "+set+"dueShard = :shard, dueAt = :due ADD "+add+"version :one", vals)
}

// each are the items of a holding with their numbers, in order.
func (h Holding) each() func(yield func(Item, int) bool) {
	return func(yield func(Item, int) bool) {
		for _, id := range slices.Sorted(maps.Keys(h.Items)) {
			if !yield(Item{h.Market, h.Listing, id}, h.Items[id]) {
				return
			}
		}
	}
}

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
