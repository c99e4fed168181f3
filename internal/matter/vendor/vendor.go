// Package vendor keeps the vendors of markets and finds those who may have what a client needs. It writes to those who are asked,
// each on their own thread, and reads what they answer.
//
//	vendors#{market}          vendor#{id}           a vendor (table catalog)
//	request#{id}              ~outreach#{outreach}  the question to a vendor, with the quote
//	request#{id}              reply#{message}       a vendor's answer, word for word
//	asked#{market}#{number}   {code}                the outreach that a vendor's number knows by a code
//
// (the last three in table records).
//
// Promises: a message to a vendor exists once for its name. An answer is recorded once for its message, and belongs to the
// outreach whose message it quotes, or whose code it names, or else its vendor is asked which is meant.
package vendor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
)

// Vendor is somebody who may have what clients look for.
type Vendor struct {
	ID        string          `dynamodbav:"id" json:"id"`
	Market    string          `dynamodbav:"market" json:"marketId"`
	Name      string          `dynamodbav:"name" json:"name"`
	Category  string          `dynamodbav:"category" json:"category"`
	Tags      []string        `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Phone     string          `dynamodbav:"phone" json:"phone"`                             // E.164, on WhatsApp
	Languages []string        `dynamodbav:"languages,omitempty" json:"languages,omitempty"` // the first is written in; none is the market's
	Address   string          `dynamodbav:"address,omitempty" json:"address,omitempty"`
	Location  *geo.Location   `dynamodbav:"location,omitempty" json:"location,omitempty"`
	Rating    *float64        `dynamodbav:"rating,omitempty" json:"rating,omitempty"` // 0 to 5
	Hours     *schedule.Hours `dynamodbav:"hours,omitempty" json:"hours,omitempty"`   // of business; nil is any time
	OptIn     *OptIn          `dynamodbav:"optIn,omitempty" json:"optIn,omitempty"`   // nil may not be written to
	Enabled   bool            `dynamodbav:"enabled" json:"enabled"`
	UpdatedAt time.Time       `dynamodbav:"updatedAt" json:"updatedAt"`
	Version   int             `dynamodbav:"version" json:"version"` // counts changes
}

// OptIn is the record that a vendor wants to be asked on WhatsApp.
type OptIn struct {
	At  time.Time `dynamodbav:"at" json:"at"`
	How string    `dynamodbav:"how" json:"how"` // such as: form of 3 May
}

// Limits of vendors. Lengths are in characters.
const (
	MaxName     = 80
	maxAddress  = 8 << 10
	MaxCategory = 80
	MaxTags     = 20
	maxTag      = 40
	MaxRating   = 5
)

// Check returns an error that names the first field that is wrong.
func (v Vendor) Check() error {
	short := func(s string, most int) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most }
	switch {
	case !ident.Legal.MatchString(v.ID):
		return fault.Field("id", ident.WantLegal)
	case v.Market == "":
		return fault.Field("marketId", "missing")
	case strings.TrimSpace(v.Name) == "" || !short(v.Name, MaxName):
		return fault.Field("name", "want 1 to %d characters", MaxName)
	case strings.TrimSpace(v.Category) == "" || !short(v.Category, MaxCategory):
		return fault.Field("category", "want 1 to %d characters", MaxCategory)
	case !market.IsE164(v.Phone):
		return fault.Field("phone", "want E.164, such as +15550100")
	case !short(v.Address, maxAddress):
		return fault.Field("address", "at most %d characters", maxAddress)
	case v.Location != nil && !geo.OnEarth(v.Location.Lat, v.Location.Lng):
		return fault.Field("location", "want lat within ±90 and lng within ±180 degrees")
	case v.Rating != nil && (math.IsNaN(*v.Rating) || *v.Rating < 0 || *v.Rating > MaxRating):
		return fault.Field("rating", "want 0 to %d", MaxRating)
	case v.OptIn != nil && (v.OptIn.At.IsZero() || strings.TrimSpace(v.OptIn.How) == "" || !short(v.OptIn.How, MaxName)):
		return fault.Field("optIn", "want when (at) and how, in 1 to %d characters", MaxName)
	case len(v.Tags) > MaxTags || slices.ContainsFunc(v.Tags, func(t string) bool { return strings.TrimSpace(t) == "" || !short(t, maxTag) }):
		return fault.Field("tags", "at most %d, of 1 to %d characters", MaxTags, maxTag)
	}
	for i, tag := range v.Languages {
		if known, ok := language.Normalize(tag); !ok || known != tag {
			return fault.Field(fmt.Sprintf("languages[%d]", i), "want one of %v", language.Supported())
		}
	}
	if v.Hours != nil {
		return v.Hours.Check()
	}
	return nil
}

// MayBeAsked reports whether a vendor may be written to at all.
func (v Vendor) MayBeAsked() bool { return v.Enabled && v.OptIn != nil }

// language is the one in which a vendor is written to.
func (v Vendor) language(m *market.Market) string {
	if len(v.Languages) > 0 {
		return v.Languages[0]
	}
	return m.Language
}

// from is when we begin to wait for a vendor whom we write to at a time: their business opens.
func (v Vendor) from(at time.Time) time.Time {
	if v.Hours == nil || v.Hours.OpenAt(at) {
		return at
	}
	if opens, ok := v.Hours.Opens(at); ok {
		return opens
	}
	return at
}

// Vendors keeps the vendors of markets. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // catalog
	Now   func() time.Time

	mu    sync.Mutex
	known map[string]directory
}

// directory is what a market has, as of a moment.
type directory struct {
	vendors []entry
	until   time.Time
}

// entry is a vendor with the words that find them.
type entry struct {
	Vendor
	category, words []string
	tags            []string
}

const directoryFor = time.Minute

func vendorKey(market, id string) dynamo.Key {
	return dynamo.Key{PK: "vendors#" + market, SK: "vendor#" + id}
}

// ErrChanged is the answer to a change of what a vendor is no longer.
var ErrChanged = fault.New(fault.Conflict, "the vendor has changed meanwhile: load them again")

// Get reads a vendor; [actor.ErrNotFound] when the market has none such. 1 request.
func (s *Store) Get(ctx context.Context, market, id string) (Vendor, error) {
	it, err := s.Table.Get(ctx, vendorKey(market, id))
	switch {
	case err != nil:
		return Vendor{}, fmt.Errorf("vendor %s: %w", id, err)
	case it == nil:
		return Vendor{}, actor.ErrNotFound
	}
	var v Vendor
	return v, it.Decode(&v)
}

// Some reads vendors by their ids, those that there are. 1 request.
func (s *Store) Some(ctx context.Context, market string, ids []string) (map[string]Vendor, error) {
	keys := make([]dynamo.Key, len(ids))
	for i, id := range ids {
		keys[i] = vendorKey(market, id)
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("vendors: %w", err)
	}
	all, err := dynamo.Decode[Vendor](items)
	if err != nil {
		return nil, err
	}
	found := map[string]Vendor{}
	for _, v := range all {
		found[v.ID] = v
	}
	return found, nil
}

// Page returns vendors of a market by id, and where the next page begins. 1 request.
func (s *Store) Page(ctx context.Context, market, after string, limit int) ([]Vendor, string, error) {
	q := dynamo.Under(vendorKey(market, "").PK, "vendor#")
	q.Limit, q.After = limit, after
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("vendors of %s: %w", market, err)
	}
	all, err := dynamo.Decode[Vendor](page.Items)
	return all, page.Next, err
}

// List returns the vendors of a market by id. A request for each megabyte.
func (s *Store) List(ctx context.Context, market string) ([]Vendor, error) {
	all, err := dynamo.Collect[Vendor](ctx, s.Table, dynamo.Under(vendorKey(market, "").PK, "vendor#"))
	if err != nil {
		return nil, fmt.Errorf("vendors of %s: %w", market, err)
	}
	return all, nil
}

// Unchanged is the condition that a vendor still is as they were read.
func (s *Store) Unchanged(v Vendor) dynamo.Write {
	return s.Table.Unchanged(vendorKey(v.Market, v.ID), v.Version)
}

// Put makes a vendor, or changes one: that of v's version, if it has one. 2 requests.
func (s *Store) Put(ctx context.Context, v Vendor) (Vendor, error) {
	if err := v.Check(); err != nil {
		return Vendor{}, err
	}
	before, err := dynamo.Find[Vendor](ctx, s.Table, vendorKey(v.Market, v.ID))
	if err != nil {
		return Vendor{}, fmt.Errorf("change vendor %s: %w", v.ID, err)
	}
	read := before.version()
	if v.Version, err = dynamo.NextVersion(v.Version, read, ErrChanged); err != nil {
		return Vendor{}, err
	}
	v.UpdatedAt = s.Now().UTC().Truncate(time.Millisecond)
	put := s.Table.Put(vendorKey(v.Market, v.ID), v).AtVersion(read).Else(ErrChanged)
	ws := append([]dynamo.Write{put}, s.roster(before, &v)...)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return Vendor{}, fmt.Errorf("change vendor %s: %w", v.ID, err)
	}
	s.forget(v.Market)
	return v, nil
}

// Delete takes a vendor away. It is no error if there is none. 2 requests.
func (s *Store) Delete(ctx context.Context, market, id string) error {
	before, err := dynamo.Find[Vendor](ctx, s.Table, vendorKey(market, id))
	if err != nil || before == nil {
		return err
	}
	w := s.Table.Delete(vendorKey(market, id)).AtVersionOrGone(before.Version).Else(ErrChanged)
	if err := s.Table.DB().Commit(ctx, append([]dynamo.Write{w}, s.roster(before, nil)...)...); err != nil {
		return fmt.Errorf("delete vendor %s: %w", id, err)
	}
	s.forget(market)
	return nil
}

// Import stores vendors after checking all of them, each replacing the one with its id. An import that
// ends in the middle is completed by the same again. 2 requests for each.
func (s *Store) Import(ctx context.Context, all []Vendor) error {
	for i, v := range all {
		if err := v.Check(); err != nil {
			return fmt.Errorf("vendors[%d]: %w", i, err)
		}
	}
	for _, v := range all {
		v.Version = 0
		if _, err := s.Put(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// version is that of a vendor; 0 is no vendor.
func (v *Vendor) version() int {
	if v == nil {
		return 0
	}
	return v.Version
}

// roster keeps who writes with which number.
func (s *Store) roster(before, after *Vendor) []dynamo.Write {
	var ws []dynamo.Write
	if before != nil && (after == nil || after.Phone != before.Phone) {
		ws = append(ws, roster.Leave(s.Table, before.Market, before.Phone, roster.Entry{Role: roster.Vendor, ID: before.ID}))
	}
	if after != nil && (before == nil || after.Phone != before.Phone) {
		ws = append(ws, roster.Join(s.Table, after.Market, after.Phone, roster.Entry{Role: roster.Vendor, ID: after.ID}))
	}
	return ws
}

func (s *Store) forget(market string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, market)
}

// directory has the vendors of a market who may be asked, at most a minute old.
func (s *Store) directory(ctx context.Context, market string) ([]entry, error) {
	now := s.Now()
	s.mu.Lock()
	d, ok := s.known[market]
	s.mu.Unlock()
	if ok && now.Before(d.until) {
		return d.vendors, nil
	}
	all, err := s.List(ctx, market)
	if err != nil {
		return nil, err
	}
	d = directory{until: now.Add(directoryFor)}
	for _, v := range all {
		if v.MayBeAsked() {
			e := entry{Vendor: v, category: wordsOf(v.Category)}
			e.words = e.category
			for _, t := range v.Tags {
				e.tags = append(e.tags, language.Fold(t))
				e.words = append(e.words, wordsOf(t)...)
			}
			d.vendors = append(d.vendors, e)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]directory{}
	}
	s.known[market] = d
	return d.vendors, nil
}

// Search says which vendors are wanted.
type Search struct {
	Market    string
	Category  string
	Near      *geo.Location // distances are from here; nil is not known
	RadiusKM  float64       // 0 is any; needs Near
	MinRating float64
	Tags      []string // all of them
	Limit     int
}

// Hit is a vendor and how far they are.
type Hit struct {
	Vendor
	KM *float64
}

// Find returns the vendors who may be asked and fit, the nearest first, then the better rated; and how many there
// are. Vendors without a place are in no radius.
func (s *Store) Find(ctx context.Context, q Search) (hits []Hit, total int, err error) {
	all, err := s.directory(ctx, q.Market)
	if err != nil {
		return nil, 0, err
	}
	asked := wordsOf(q.Category)
	tags := make([]string, len(q.Tags))
	for i, t := range q.Tags {
		tags[i] = language.Fold(t)
	}
	var found []ranked
	for i := range all {
		e := &all[i]
		if !e.offers(asked) || e.rating() < q.MinRating || !contains(e.tags, tags) {
			continue
		}
		r := ranked{e, math.Inf(1)}
		if q.Near != nil && e.Location != nil {
			r.km = q.Near.Meters(*e.Location) / 1000
		}
		if q.RadiusKM == 0 || r.km <= q.RadiusKM {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, nearest)
	for _, r := range found[:min(len(found), q.Limit)] {
		h := Hit{Vendor: r.Vendor}
		if !math.IsInf(r.km, 1) {
			h.KM = &r.km
		}
		hits = append(hits, h)
	}
	return hits, len(found), nil
}

// ranked is a vendor who fits, and how far they are; infinitely where that is not known. It is small, as most of those who
// fit are sorted only to be left out.
type ranked struct {
	*entry
	km float64
}

func nearest(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.km, b.km), cmp.Compare(b.rating(), a.rating()), strings.Compare(a.ID, b.ID))
}

func (v *Vendor) rating() float64 {
	if v.Rating == nil {
		return 0
	}
	return *v.Rating
}

// offers reports whether a category is a vendor's: their words include its words, or it includes
// all words of their category.
func (e *entry) offers(asked []string) bool {
	return len(asked) > 0 && (contains(e.words, asked) || contains(asked, e.category))
}

// contains reports whether all has every one of some.
func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// wordsOf are the words of a category as they are compared. An English plural is its singular.
func wordsOf(s string) []string {
	words := strings.FieldsFunc(language.Fold(s), func(r rune) bool { return strings.ContainsRune(" -_/,.&", r) })
	for i, w := range words {
		if len(w) > 3 && strings.HasSuffix(w, "s") {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}
