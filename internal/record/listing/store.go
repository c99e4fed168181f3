package listing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/stock"
	"merve/internal/tenant/roster"
	"merve/internal/words/language"
)

// Store reads and writes listings. Safe for concurrent use.
type Store struct {
	Table  dynamo.Table // catalog
	Stock  *stock.Store // of counted items; nil if there are none
	Now    func() time.Time
	Engine Engine       // finds listings; nil leaves it to an index in memory
	Log    *slog.Logger // of an engine that is away; may be nil

	atOnce int // businesses of an import that are at it at a time; 0 is [importsAtOnce]

	mu      sync.Mutex
	indexes map[string]*index // by market
}

// ErrNotFound is the answer for a listing that does not exist in the market.
var ErrNotFound = fault.Field("listingId", "no such listing: search first and use an id from there")

const (
	marketPrefix  = "market#"
	listingPrefix = "listing#"
)

// Of returns the listing that is kept under a key; ok is false for a key of anything else.
func Of(k dynamo.Key) (market, id string, ok bool) {
	market, in := strings.CutPrefix(k.PK, marketPrefix)
	id, is := strings.CutPrefix(k.SK, listingPrefix)
	return market, id, in && is
}

func key(market, id string) dynamo.Key {
	return dynamo.Key{PK: marketPrefix + market, SK: listingPrefix + id}
}

func itemsKey(market, id string) dynamo.Key {
	return dynamo.Key{PK: marketPrefix + market, SK: "items#" + id}
}

func versionKey(market, id string, n int) dynamo.Key {
	return dynamo.Key{PK: "listing#" + market + "#" + id, SK: fmt.Sprintf("version#%08d", n)}
}

func businessKey(business string) dynamo.Key {
	return dynamo.Key{PK: "business#" + business, SK: "market"}
}

// claimed is the market that a business belongs to.
type claimed struct {
	Market string `dynamodbav:"market"`
}

// stored is a listing as its item holds it, with the words to search for.
type stored struct {
	Listing
	Words []string `dynamodbav:"words,omitempty"` // of its items: searched for, as they are not read
}

// menu is the stored form of a listing's items.
type menu struct {
	Items   []Item `dynamodbav:"items"`
	Version int    `dynamodbav:"version"` // of the listing
}

// whole is a version: a listing with its items.
type whole struct {
	Listing
	Items   []Item `dynamodbav:"items,omitempty"`
	Deleted bool   `dynamodbav:"deleted,omitempty"`
}

// Get reads one listing, with its items, as it is stored now. A read in the middle of a change can
// meet the listing of one version and the items of another: it is made again.
func (s *Store) Get(ctx context.Context, market, id string) (*Listing, error) {
	l, err := dynamo.Retry(ctx, s.Table.DB(), errTorn, func() (*Listing, error) {
		l, torn, err := s.look(ctx, market, id)
		if err == nil && torn {
			err = errTorn
		}
		return l, err
	})
	if errors.Is(err, errTorn) { // better than none
		err = nil
	}
	return l, err
}

var errTorn = errors.New("the items are those of another version")

// look is one read; torn when listing and items are not of one version.
func (s *Store) look(ctx context.Context, market, id string) (l *Listing, torn bool, err error) {
	items, err := s.Table.BatchGet(ctx, key(market, id), itemsKey(market, id))
	if err != nil {
		return nil, false, fmt.Errorf("listing %s: %w", id, err)
	}
	var st *stored
	var m *menu
	for _, it := range items {
		if it.Key() == itemsKey(market, id) {
			m = &menu{}
			err = it.Decode(m)
		} else {
			st = &stored{}
			err = it.Decode(st)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if st == nil {
		return nil, false, ErrNotFound
	}
	l, torn = joined(st, m)
	return l, torn, nil
}

// joined is a listing with its items, nil where it has none; torn when they are not of one version.
func joined(st *stored, m *menu) (l *Listing, torn bool) {
	if m == nil {
		return &st.Listing, len(st.Words) > 0
	}
	st.Items = m.Items
	return &st.Listing, m.Version != st.Version
}

// Unchanged returns the condition that a listing is as it was read. It changes nothing.
func (s *Store) Unchanged(l *Listing) dynamo.Write {
	return s.Table.Unchanged(key(l.Market, l.ID), l.Version)
}

// ErrStale is the answer to a change that is based on an outdated listing.
var ErrStale = fault.New(fault.Conflict, "somebody else has changed this listing meanwhile: load it again")

// errMoved says that something else was written between read and write: look again.
var errMoved = errors.New("the listing has changed meanwhile")

// errWas says that a listing, deleted by now, has had the version that was to be written.
var errWas = fmt.Errorf("%w: there was one with its id", errMoved)

// Put stores a listing after checking it and fills in its version. One that names a version
// changes that one only, and no listing that was deleted. The same listing, put again, changes
// nothing. by is who does it (an actor key).
func (s *Store) Put(ctx context.Context, l *Listing, by string) error {
	saved, err := s.Change(ctx, l.Market, l.ID, by, func(before *Listing) (*Listing, error) {
		if l.Version != 0 && (before == nil || l.Version != before.Version && !before.same(l)) {
			return nil, ErrStale
		}
		after := *l
		return &after, nil
	})
	if err == nil {
		*l = *saved
	}
	return err
}

// Change runs f on a listing (nil if it does not exist), checks and stores the result,
// and returns the listing as stored. f may be called again if something else was written
// meanwhile. If f returns nil, the listing is deleted.
func (s *Store) Change(ctx context.Context, market, id, by string, f func(before *Listing) (*Listing, error)) (*Listing, error) {
	l, err := dynamo.Retry(ctx, s.Table.DB(), errMoved, func() (*Listing, error) { return s.try(ctx, market, id, by, f) })
	if errors.Is(err, errMoved) {
		return nil, ErrStale
	}
	return l, err
}

func (s *Store) try(ctx context.Context, market, id, by string, f func(before *Listing) (*Listing, error)) (*Listing, error) {
	before, err := s.Get(ctx, market, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	var given *Listing
	if before != nil {
		given = before.clone()
	}
	after, err := f(given)
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, s.remove(ctx, before, by)
	}
	after.Market, after.ID = market, id
	if err := after.Check(); err != nil {
		return nil, err
	}
	if before != nil && before.same(after) {
		return before, nil
	}
	if before != nil && before.Business != after.Business && before.serves() {
		return nil, fault.Field("businessId", "stays %s: the listing's bookings and orders are that business's", before.Business)
	}
	return after, s.write(ctx, before, after, by)
}

// write stores a listing as its next version. One with the id of another that was deleted counts
// on from there.
func (s *Store) write(ctx context.Context, before, after *Listing, by string) error {
	var last Listing
	if before != nil {
		last = *before
	}
	err := s.writeAfter(ctx, last, before, after, by)
	if !errors.Is(err, errWas) {
		return err
	}
	was, err := s.Versions(ctx, after.Market, after.ID, 1)
	if err != nil {
		return err
	}
	return s.writeAfter(ctx, was[0], before, after, by)
}

// writeAfter stores after as the version that follows last. before is the current listing, or nil if last was deleted.
func (s *Store) writeAfter(ctx context.Context, last Listing, before, after *Listing, by string) error {
	counts, err := s.counts(ctx, before, after)
	if err != nil {
		return err
	}
	after.Version, after.UpdatedAt, after.UpdatedBy = last.Version+1, s.now(), by
	after.Counted, after.Others = counted(after.Items)
	after.Longest = longest(last, after)
	calendars, err := s.calendars(ctx, before, after)
	if err != nil {
		return fmt.Errorf("put listing %s: %w", after.ID, err)
	}
	put := s.Table.Put(key(after.Market, after.ID), stored{*after, itemWords(after.Items)})
	if before == nil {
		put = put.IfAbsent().Else(errMoved)
	} else {
		put = put.If("version = :before OR (attribute_not_exists(version) AND :before = :none)", dynamo.V{":before": before.Version, ":none": 0}).Else(errMoved)
	}
	ws := []dynamo.Write{put, s.Table.Put(versionKey(after.Market, after.ID, after.Version), whole{*after, after.Items, false}).IfAbsent().Else(errWas)}
	switch {
	case len(after.Items) > 0:
		ws = append(ws, s.Table.Put(itemsKey(after.Market, after.ID), menu{after.Items, after.Version}))
	case before != nil && len(before.Items) > 0:
		ws = append(ws, s.Table.Delete(itemsKey(after.Market, after.ID)))
	}
	if err := s.Table.DB().Commit(ctx, slices.Concat(ws, counts, calendars, s.claim(before, after), s.contacts(before, after))...); err != nil {
		return fmt.Errorf("put listing %s: %w", after.ID, err)
	}
	s.forget(after.Market)
	return nil
}

func (s *Store) remove(ctx context.Context, before *Listing, by string) error {
	if before == nil {
		return nil
	}
	calendars, err := s.calendars(ctx, before, nil)
	if err != nil {
		return fmt.Errorf("delete listing %s: %w", before.ID, err)
	}
	gone := whole{*before, before.Items, true}
	gone.Version, gone.UpdatedAt, gone.UpdatedBy = before.Version+1, s.now(), by
	ws := []dynamo.Write{
		s.Table.Delete(key(before.Market, before.ID)).AtVersion(before.Version).Else(errMoved),
		s.Table.Put(versionKey(before.Market, before.ID, gone.Version), gone),
	}
	if len(before.Items) > 0 {
		ws = append(ws, s.Table.Delete(itemsKey(before.Market, before.ID)))
	}
	if err := s.Table.DB().Commit(ctx, slices.Concat(ws, calendars, s.contacts(before, nil))...); err != nil {
		return fmt.Errorf("delete listing %s: %w", before.ID, err)
	}
	s.forget(before.Market)
	return nil
}

// longest adds the slots of a listing's offerings to those that it had before.
func longest(last Listing, after *Listing) map[string]time.Duration {
	all := map[string]time.Duration{}
	maps.Copy(all, last.Longest)
	for _, o := range slices.Concat(last.Offerings, after.Offerings) { // of the last, as a former release has kept nothing
		all[o.ID] = max(all[o.ID], o.LongestSlot())
	}
	return all
}

// claim assigns a business to the market of its first listing, on condition that it belongs to no
// other market. It stays there when its last listing goes, because its bookings and orders are still there.
func (s *Store) claim(before, after *Listing) []dynamo.Write {
	if before != nil && before.Business == after.Business {
		return nil
	}
	return []dynamo.Write{s.Table.Put(businessKey(after.Business), claimed{after.Market}).
		If("attribute_not_exists(pk) OR market = :market", dynamo.V{":market": after.Market}).
		Else(fault.Field("businessId", "is in use in another market: take another"))}
}

// contacts keeps the roster to the numbers that a listing's messages go to.
func (s *Store) contacts(before, after *Listing) []dynamo.Write {
	was, is := map[string]bool{}, map[string]bool{}
	var l *Listing
	if before != nil {
		l = before
		for _, n := range before.Numbers() {
			was[n] = true
		}
	}
	if after != nil {
		l = after
		for _, n := range after.Numbers() {
			is[n] = true
		}
	}
	e := roster.Entry{Role: roster.Business, ID: l.ID, Name: l.Business}
	var ws []dynamo.Write
	for _, n := range slices.Sorted(maps.Keys(is)) {
		if !was[n] || before.Business != after.Business {
			ws = append(ws, roster.Join(s.Table, l.Market, n, e))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(was)) {
		if !is[n] {
			ws = append(ws, roster.Leave(s.Table, l.Market, n, e))
		}
	}
	return ws
}

// serves reports whether there may be bookings or orders of it.
func (l *Listing) serves() bool { return len(l.Offerings)+len(l.Merve.Actions) > 0 }

// same reports whether two listings have the same content, regardless of who changed them and when.
func (l *Listing) same(other *Listing) bool {
	x, err := json.Marshal(l.said())
	y, err2 := json.Marshal(other.said())
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// said returns the content of a listing, without what the store adds, and with empty values left out.
func (l *Listing) said() Listing {
	c := *l
	c.Version, c.UpdatedAt, c.UpdatedBy, c.Left = 0, time.Time{}, "", nil
	if len(c.Offerings) == 0 {
		c.Offerings = nil
	}
	for _, texts := range []*map[string]string{&c.Names, &c.Descriptions} {
		*texts = maps.Clone(*texts)
		maps.DeleteFunc(*texts, func(_, text string) bool { return text == "" })
		if len(*texts) == 0 {
			*texts = nil
		}
	}
	return c
}

// clone is a copy that may be changed.
func (l *Listing) clone() *Listing {
	c := *l
	c.Names, c.Descriptions = maps.Clone(l.Names), maps.Clone(l.Descriptions)
	c.Tags, c.Media, c.Offerings, c.Items = slices.Clone(l.Tags), slices.Clone(l.Media), slices.Clone(l.Offerings), slices.Clone(l.Items)
	c.Merve.Actions, c.Merve.Coverage = slices.Clone(l.Merve.Actions), slices.Clone(l.Merve.Coverage)
	if l.Hours != nil {
		h := *l.Hours
		h.Closed, h.Days = slices.Clone(h.Closed), maps.Clone(h.Days)
		c.Hours = &h
	}
	return &c
}

// Versions lists what a listing has been, latest first. One request.
func (s *Store) Versions(ctx context.Context, market, id string, limit int) ([]Listing, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND begins_with(sk, :prefix)",
		Values: dynamo.V{":pk": versionKey(market, id, 0).PK, ":prefix": "version#"}, Backward: true, Limit: limit,
	})
	if err != nil {
		return nil, fmt.Errorf("versions of listing %s: %w", id, err)
	}
	all := make([]Listing, len(page.Items))
	for i, it := range page.Items {
		var w whole
		if err := it.Decode(&w); err != nil {
			return nil, err
		}
		all[i] = w.Listing
		all[i].Items = w.Items
	}
	return all, nil
}

// Page reads listings of a market by id, without items: those behind a cursor, at most limit or,
// with 0, as many as fit in a megabyte, and the cursor to go on with ("" at the end). One request.
func (s *Store) Page(ctx context.Context, market, after string, limit int) (some []*Listing, next string, err error) {
	q := dynamo.Under(marketPrefix+market, listingPrefix)
	q.After, q.Limit = after, limit
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("listings of %s: %w", market, err)
	}
	some, err = dynamo.Decode[*Listing](page.Items)
	return some, page.Next, err
}

func (s *Store) each(ctx context.Context, market string, f func(*stored)) error {
	err := s.Table.Each(ctx, dynamo.Under(marketPrefix+market, listingPrefix), func(it dynamo.Item) error {
		st := &stored{}
		if err := it.Decode(st); err != nil {
			return err
		}
		f(st)
		return nil
	})
	if err != nil {
		return fmt.Errorf("listings of %s: %w", market, err)
	}
	return nil
}

// Some reads the listings with the given ids, without items, in their order. It leaves out those
// that no longer exist. One request.
func (s *Store) Some(ctx context.Context, market string, ids []string) ([]*Listing, error) {
	keys := make([]dynamo.Key, len(ids))
	for i, id := range ids {
		keys[i] = key(market, id)
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("listings: %w", err)
	}
	return dynamo.Decode[*Listing](items)
}

// maxItemWords bounds what a listing keeps of its items to be searched for.
const maxItemWords = 400

// itemWords returns the words of items' names, each once. If there are more than it keeps, each name gets an equal
// share: the first words of all names, then the second words.
func itemWords(items []Item) []string {
	var names [][]string
	for _, i := range items {
		for _, lang := range language.Supported() {
			names = append(names, Words(i.Names[lang]))
		}
	}
	var all []string
	seen := map[string]bool{}
	for n := 0; len(names) > 0; n++ {
		names = slices.DeleteFunc(names, func(words []string) bool { return len(words) <= n })
		for _, words := range names {
			if w := words[n]; !seen[w] && len(all) < maxItemWords {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	slices.Sort(all)
	return all
}

// forget makes the next search in this process see the latest write.
func (s *Store) forget(market string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.indexes, market)
}

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
