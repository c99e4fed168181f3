package place

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Store reads and writes places.
type Store struct {
	Table dynamo.Table // catalog
	Now   func() time.Time

	page int // items of a page of the index; 0 is [pageSize]

	mu          sync.Mutex
	directories map[string]*directory // by market
}

// ErrNotFound is the answer for a place that does not exist in the market.
var ErrNotFound = fault.Field("placeId", "no such place: search first and use an id from there")

// stored is a place as the table has it. Cell and category say where its copies are.
type stored struct {
	Place
	Cell string `dynamodbav:"cell"`
}

func key(market, id string) dynamo.Key {
	return dynamo.Key{PK: "market#" + market, SK: "place#" + id}
}

// indexOf is the partition of the copies of a category; "" has all.
func indexOf(market, category string) string {
	if category == "" {
		return "places#" + market
	}
	return "places#" + market + "#" + category
}

// copies are the keys of a place's copies.
func (p stored) copies() []dynamo.Key {
	sk := p.Cell + "#" + p.ID
	return []dynamo.Key{{PK: indexOf(p.Market, ""), SK: sk}, {PK: indexOf(p.Market, p.Category), SK: sk}}
}

// Get reads one place as it is stored now.
func (s *Store) Get(ctx context.Context, market, id string) (*Place, error) {
	p, err := s.read(ctx, market, id)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, ErrNotFound
	}
	return &p.Place, nil
}

func (s *Store) read(ctx context.Context, market, id string) (*stored, error) {
	it, err := s.Table.Get(ctx, key(market, id))
	if err != nil {
		return nil, fmt.Errorf("place %s: %w", id, err)
	}
	if it == nil {
		return nil, nil
	}
	p := &stored{}
	return p, it.Decode(p)
}

// ErrChanged is the answer to a change of a place that others have changed since it was read.
var ErrChanged = fault.New(fault.Conflict, "the place has changed meanwhile: load it again")

// Put stores a place after checking it, replacing the place with its id, and increments its
// version. A version other than 0 must be the stored one's, else [ErrChanged].
func (s *Store) Put(ctx context.Context, p *Place) error {
	if err := p.Check(); err != nil {
		return err
	}
	next := &stored{*p, geohash(p.Location)}
	if err := s.replace(ctx, p.Market, p.ID, next); err != nil {
		return err
	}
	p.Version = next.Version
	return nil
}

// Delete deletes a place. It is no error if the place does not exist.
func (s *Store) Delete(ctx context.Context, market, id string) error {
	return s.replace(ctx, market, id, nil)
}

// Import stores places after checking all of them; if one is wrong, it stores none. Each replaces the
// place with its id. Import skips a place that is already stored as given, so repeating an import that
// ended halfway completes it, and repeating a complete one changes nothing. One
// request for each megabyte of places already stored, and for each twenty that still differ from
// the import.
func (s *Store) Import(ctx context.Context, market string, all []*Place) error {
	if err := CheckAll(market, all); err != nil {
		return err
	}
	for range tries {
		if err := s.bring(ctx, market, all); !errors.Is(err, dynamo.ErrCondition) {
			return err
		}
	}
	return errContended
}

// bring stores the places that are missing or different. It fails with [dynamo.ErrCondition] if somebody else changes one as well.
func (s *Store) bring(ctx context.Context, market string, all []*Place) error {
	kept, err := dynamo.Collect[*stored](ctx, s.Table, dynamo.Under("market#"+market, "place#"))
	if err != nil {
		return fmt.Errorf("places of %s: %w", market, err)
	}
	there := map[string]*stored{}
	for _, p := range kept {
		there[p.ID] = p
	}
	var news []*stored
	for _, p := range all {
		next, old := &stored{*p, geohash(p.Location)}, there[p.ID]
		if next.Version = 1; old != nil {
			next.Version = old.Version
			if old.equal(next) {
				continue
			}
			next.Version++
		}
		news = append(news, next)
	}
	for some := range slices.Chunk(news, dynamo.MaxWrites/maxChange) {
		var ws []dynamo.Write
		for _, next := range some {
			ws = append(ws, s.change(key(market, next.ID), there[next.ID], next)...)
		}
		if err := s.Table.DB().Commit(ctx, ws...); err != nil {
			return fmt.Errorf("import places of %s: %w", market, err)
		}
		s.forget(market)
	}
	return nil
}

// equal reports whether two are stored as the same.
func (p *stored) equal(other *stored) bool {
	a, err := dynamo.Encode(p)
	b, err2 := dynamo.Encode(other)
	return err == nil && err2 == nil && reflect.DeepEqual(a, b)
}

// tries is how often a change begins again that met another of the same place.
const tries = 5

// replace puts next where the place with an id is, nil takes it away. The copies go with it:
// the condition holds the place to the version that was read.
func (s *Store) replace(ctx context.Context, market, id string, next *stored) error {
	wanted := 0
	if next != nil {
		wanted = next.Version
	}
	for range tries {
		old, err := s.read(ctx, market, id)
		if err != nil {
			return err
		}
		version := 0
		if old != nil {
			version = old.Version
		}
		if wanted != 0 && wanted != version {
			return ErrChanged
		}
		if next != nil {
			next.Version = version + 1
		}
		err = s.Table.DB().Commit(ctx, s.change(key(market, id), old, next)...)
		if err == nil {
			s.forget(market)
			return nil
		}
		if !errors.Is(err, dynamo.ErrCondition) {
			return fmt.Errorf("change place %s: %w", id, err)
		}
	}
	return errContended
}

var errContended = fault.New(fault.Conflict, "the place is being changed by others; try again")

// maxChange is the most writes of one change: the place, its copies, and the copies at its old position.
const maxChange = 5

func (s *Store) change(k dynamo.Key, old, next *stored) []dynamo.Write {
	main := s.Table.Delete(k)
	var kept []dynamo.Key
	var writes []dynamo.Write
	if next != nil {
		main, kept = s.Table.Put(k, next), next.copies()
		for _, copy := range kept {
			writes = append(writes, s.Table.Put(copy, next))
		}
	}
	if old == nil {
		return append(writes, main.IfAbsent())
	}
	for _, copy := range old.copies() {
		if !slices.Contains(kept, copy) {
			writes = append(writes, s.Table.Delete(copy))
		}
	}
	return append(writes, main.AtVersion(old.Version))
}

// All reads every place of a market, by id.
func (s *Store) All(ctx context.Context, market string) ([]*Place, error) {
	all, err := dynamo.Collect[*Place](ctx, s.Table, dynamo.Under("market#"+market, "place#"))
	if err != nil {
		return nil, fmt.Errorf("places of %s: %w", market, err)
	}
	return all, nil
}

// Page reads places of a market by id: those behind a cursor, at most limit or, with 0, as many as
// fit in a megabyte, and the cursor to go on with ("" at the end). One request.
func (s *Store) Page(ctx context.Context, market, after string, limit int) (some []*Place, next string, err error) {
	q := dynamo.Under("market#"+market, "place#")
	q.After, q.Limit = after, limit
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("places of %s: %w", market, err)
	}
	some, err = dynamo.Decode[*Place](page.Items)
	return some, page.Next, err
}
