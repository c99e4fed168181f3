package market

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Store keeps markets (table catalog):
//
//	market#{id}   config            the configuration in force
//	market#{id}   version#{n}       what it was, who saved it and when
//	markets       {id}              the list of markets, with their numbers
//	number#{n}    market            whose WhatsApp number it is
//
// Get costs 1 request, and none while the cache is fresh; Save costs 2.
type Store struct {
	Table dynamo.Table
	Now   func() time.Time

	mu      sync.Mutex
	cache   map[string]cached
	numbers map[string]string // market by WhatsApp number
	until   time.Time         // of numbers
}

type cached struct {
	market *Market
	until  time.Time
}

// freshFor is how long a saved change may take to reach every process.
const freshFor = 30 * time.Second

// ErrUnknown is returned for a market that does not exist.
var ErrUnknown = fault.Field("marketId", "no such market")

func configKey(id string) dynamo.Key     { return dynamo.Key{PK: "market#" + id, SK: "config"} }
func listedKey(id string) dynamo.Key     { return dynamo.Key{PK: "markets", SK: id} }
func numberKey(number string) dynamo.Key { return dynamo.Key{PK: "number#" + number, SK: "market"} }
func versionKey(id string, n int) dynamo.Key {
	return dynamo.Key{PK: configKey(id).PK, SK: fmt.Sprintf("version#%08d", n)}
}

// Get returns the market's configuration, at most half a minute old. The caller must not
// change it.
func (s *Store) Get(ctx context.Context, id string) (*Market, error) {
	now := s.Now()
	s.mu.Lock()
	c, ok := s.cache[id]
	s.mu.Unlock()
	if ok && now.Before(c.until) {
		return c.market, nil
	}
	m, err := s.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	s.keep(m, now)
	return m, nil
}

func (s *Store) keep(m *Market, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		s.cache = map[string]cached{}
	}
	s.cache[m.ID] = cached{m, now.Add(freshFor)}
}

// Read returns the market's configuration as it is stored now. What it does not set
// has the default.
func (s *Store) Read(ctx context.Context, id string) (*Market, error) {
	it, err := s.Table.Get(ctx, configKey(id))
	if err != nil {
		return nil, fmt.Errorf("market %q: %w", id, err)
	}
	if it == nil {
		return nil, ErrUnknown
	}
	m := Default(id)
	return m, it.Decode(m)
}

// Unchanged is the condition that a market is as it was read. It changes nothing.
func (s *Store) Unchanged(m *Market) dynamo.Write {
	return s.Table.Unchanged(configKey(m.ID), m.Version)
}

// Save stores m if the stored version is still m.Version, and returns it as saved, one
// version further. A market that does not exist yet has version 0. The same save, come again
// because nobody knew whether it was done, changes nothing.
func (s *Store) Save(ctx context.Context, m Market, by string) (*Market, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	stored, err := s.Read(ctx, m.ID)
	if err != nil && !errors.Is(err, ErrUnknown) {
		return nil, err
	}
	before := m.Version
	m.Version++
	m.UpdatedAt, m.UpdatedBy = s.Now(), by
	if stored != nil && same(*stored, m) {
		s.keep(stored, s.Now())
		return stored, nil
	}
	err = s.Table.DB().Commit(ctx, append(s.takeNumber(stored, m),
		s.Table.Put(configKey(m.ID), m).AtVersion(before).Else(errStale),
		s.Table.Put(versionKey(m.ID, m.Version), m),
		s.Table.Put(listedKey(m.ID), listed{m.Name, m.WhatsApp.From}))...)
	if err != nil {
		return nil, fmt.Errorf("save market %q: %w", m.ID, err)
	}
	s.keep(&m, s.Now())
	return &m, nil
}

var errStale = fault.New(fault.Conflict, "somebody else has saved this market meanwhile: load it again")

// same reports whether a market is stored as b would be, but for the time.
func same(a, b Market) bool {
	a.UpdatedAt, b.UpdatedAt = time.Time{}, time.Time{}
	x, err := dynamo.Encode(a)
	y, err2 := dynamo.Encode(b)
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// takeNumber makes m's number its own, on condition that it is no other market's, and gives
// back the one that it had before (nil for a market that had none).
func (s *Store) takeNumber(before *Market, m Market) []dynamo.Write {
	var ws []dynamo.Write
	if n := m.WhatsApp.From; n != "" {
		ws = append(ws, s.Table.Put(numberKey(n), owner{m.ID}).
			If("attribute_not_exists(pk) OR market = :market", dynamo.V{":market": m.ID}).
			Else(fault.Field("whatsapp.from", "is another market's number")))
	}
	if before != nil && before.WhatsApp.From != "" && before.WhatsApp.From != m.WhatsApp.From {
		ws = append(ws, s.Table.Delete(numberKey(before.WhatsApp.From)))
	}
	return ws
}

// owner is the market that has a number.
type owner struct {
	Market string `dynamodbav:"market"`
}

// listed is a market in the list of markets.
type listed struct {
	Name     string `dynamodbav:"name"`
	WhatsApp string `dynamodbav:"whatsapp,omitempty"` // its number
}

// ByNumber returns the market whose WhatsApp number was written to, or "" if the number is no market's own. 1
// request, and none while the list is fresh.
func (s *Store) ByNumber(ctx context.Context, number string) (string, error) {
	now := s.Now()
	s.mu.Lock()
	numbers, fresh := s.numbers, now.Before(s.until)
	s.mu.Unlock()
	if !fresh {
		var err error
		if numbers, err = s.readNumbers(ctx); err != nil {
			return "", err
		}
		s.mu.Lock()
		s.numbers, s.until = numbers, now.Add(freshFor)
		s.mu.Unlock()
	}
	return numbers[number], nil
}

func (s *Store) readNumbers(ctx context.Context) (map[string]string, error) {
	items, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	numbers := map[string]string{}
	for _, it := range items {
		if n := it.String("whatsapp"); n != "" {
			numbers[n] = it.Key().SK
		}
	}
	return numbers, nil
}

// Versions lists what the market has been, latest first. One request.
func (s *Store) Versions(ctx context.Context, id string, limit int) ([]Market, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND begins_with(sk, :prefix)",
		Values: dynamo.V{":pk": configKey(id).PK, ":prefix": "version#"}, Backward: true, Limit: limit,
	})
	if err != nil {
		return nil, fmt.Errorf("versions of market %q: %w", id, err)
	}
	return dynamo.Decode[Market](page.Items)
}

// List names all markets. One request.
func (s *Store) List(ctx context.Context) ([]string, error) {
	items, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.Key().SK
	}
	return ids, nil
}

// list reads the list of markets.
func (s *Store) list(ctx context.Context) ([]dynamo.Item, error) {
	page, err := s.Table.Query(ctx, dynamo.Under("markets", ""))
	if err != nil {
		return nil, fmt.Errorf("list of markets: %w", err)
	}
	return page.Items, nil
}
