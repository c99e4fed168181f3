package listing

import (
	"context"
	"slices"
	"time"

	"merve/internal/base/geo"
	"merve/internal/tenant/schedule"
)

// Query is a customer's search. Empty fields do not narrow it.
type Query struct {
	Text        string
	Domain      string
	Category    string
	SubCategory string
	Action      string        // of the types of actions, enabled
	MinPrice    int64         // minor units; some offering costs at least that
	MaxPrice    int64         // minor units; some offering costs no more
	Near        *geo.Location // nearest first, where words do not say otherwise
	Radius      float64       // metres around Near; 0 is any distance
	OpenAt      time.Time     // open then
	Limit       int           // 5 when 0, at most 10

	// May says which listings may be found at all, whatever is dropped to find something; nil is all.
	May func(*Listing) bool
}

// Engine finds listings by words and filters.
type Engine interface {
	// Find returns the ids of the listings of a market that fit q, best first, at most q.Limit of
	// them. It need not know opening hours.
	Find(ctx context.Context, market string, q Query) ([]string, error)
}

// Found is a search's answer, best first. Relaxed names the filter that had to be
// dropped to find anything.
type Found struct {
	Listings []*Listing
	Relaxed  string
}

const (
	maxLimit = 10
)

// Search finds the listings of a market that fit q. A filter that leaves nothing is
// dropped, the narrowest first, and the answer says so: similar is better than nothing.
// Words that no filter is to blame for are dropped last, for domain and category as asked.
func (s *Store) Search(ctx context.Context, market string, q Query) (Found, error) {
	if q.Limit <= 0 {
		q.Limit = 5
	}
	q.Limit = min(q.Limit, maxLimit)
	kind := q
	kind.Text, kind.SubCategory = "", ""
	for _, relax := range []struct {
		name string
		drop func(*Query)
		set  bool
	}{
		{"", func(*Query) {}, true},
		{"subCategory", func(q *Query) { q.SubCategory = "" }, q.SubCategory != ""},
		{"category", func(q *Query) { q.Category = "" }, q.Category != ""},
		{"domain", func(q *Query) { q.Domain = "" }, q.Domain != ""},
		{"text", func(q *Query) { *q = kind }, q.Text != "" && (q.Domain != "" || q.Category != "" || q.Action != "")},
	} {
		if !relax.set {
			continue
		}
		relax.drop(&q)
		hits, err := s.find(ctx, market, q)
		if err != nil {
			return Found{}, err
		}
		if len(hits) > 0 {
			return Found{Listings: hits, Relaxed: relax.name}, nil
		}
	}
	return Found{}, nil
}

// find asks the engine, or the index in memory if there is no engine or it is away.
func (s *Store) find(ctx context.Context, market string, q Query) ([]*Listing, error) {
	if s.Engine != nil {
		hits, away, err := s.ask(ctx, market, q)
		if away == nil {
			return hits, err
		}
		if s.Log != nil {
			s.Log.WarnContext(ctx, "search engine", "error", away.Error())
		}
	}
	ix, err := s.index(ctx, market)
	if err != nil {
		return nil, err
	}
	return ix.find(q), nil
}

// ask asks the engine. The engine does not know which listings are open or may be shown, so ask requests more than
// the caller wants, and then all that one answer can hold if too few of these qualify. away is the engine's own error.
func (s *Store) ask(ctx context.Context, market string, q Query) (hits []*Listing, away, err error) {
	most := []int{q.Limit}
	if !q.OpenAt.IsZero() || q.May != nil {
		most = []int{5 * maxLimit, 25 * maxLimit}
	}
	var all []*Listing
	var read []string
	for _, wide := range most {
		asked := q
		asked.Limit = wide
		ids, err := s.Engine.Find(ctx, market, asked)
		if err != nil {
			return nil, err, nil
		}
		some, err := s.Some(ctx, market, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(read, id) }))
		if err != nil {
			return nil, nil, err
		}
		all, read = append(all, some...), ids
		if hits = open(all, q); len(hits) >= q.Limit || len(ids) < wide {
			break
		}
	}
	return hits, nil, nil
}

// shownTo reports whether the listing may be shown to who asks, and is open when they ask for that.
func (l *Listing) shownTo(q Query) bool { return l.shownAt(q.OpenAt) && (q.May == nil || q.May(l)) }

// open keeps the listings that may be shown and are open at the asked time.
func open(hits []*Listing, q Query) []*Listing {
	var left []*Listing
	for _, l := range hits {
		if len(left) < q.Limit && l.shownTo(q) {
			left = append(left, l)
		}
	}
	return left
}

// shownAt reports whether the listing may be shown in a search for listings open at t; a zero t asks for any.
func (l *Listing) shownAt(t time.Time) bool { return l.Merve.Enabled && (t.IsZero() || l.OpenAt(t)) }

// OpenAt reports whether the listing is open: by its own hours, or else by those of an offering.
func (l *Listing) OpenAt(t time.Time) bool {
	if l.Hours != nil {
		return l.Hours.OpenAt(t)
	}
	return slices.ContainsFunc(l.Offerings, func(o schedule.Offering) bool { return o.OpenAt(t) })
}

// ClosedOn reports whether the listing is closed on the local day of t: by its own hours, else with
// all its offerings.
func (l *Listing) ClosedOn(t time.Time) bool {
	if l.Hours != nil {
		return l.Hours.ClosedOn(t)
	}
	return len(l.Offerings) > 0 && !slices.ContainsFunc(l.Offerings, func(o schedule.Offering) bool { return !o.ClosedOn(t) })
}

// prices are all that something of the listing costs.
func (l *Listing) prices() []int64 {
	var all []int64
	if l.Price != nil {
		all = append(all, l.Price.Minor)
	}
	for _, o := range l.Offerings {
		all = append(all, o.PriceMinor)
	}
	return all
}
