package listing

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/geo"
	"merve/internal/words/language"
	"merve/internal/words/rank"
)

const indexFor = time.Minute

// index is a market's listings with their words, as of a moment.
type index struct {
	entries []entry
	until   time.Time
}

type entry struct {
	listing *Listing
	fields  []rank.Field
}

func (s *Store) index(ctx context.Context, market string) (*index, error) {
	now := s.Now()
	s.mu.Lock()
	ix := s.indexes[market]
	s.mu.Unlock()
	if ix != nil && now.Before(ix.until) {
		return ix, nil
	}
	var all []*stored
	if err := s.each(ctx, market, func(st *stored) { all = append(all, st) }); err != nil {
		return nil, err
	}
	ix = newIndex(all, now.Add(indexFor))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexes == nil {
		s.indexes = map[string]*index{}
	}
	s.indexes[market] = ix
	return ix, nil
}

func newIndex(all []*stored, until time.Time) *index {
	ix := &index{until: until}
	for _, l := range all {
		if !l.Merve.Enabled {
			continue
		}
		d := DocumentOf(&l.Listing, l.Words)
		ix.entries = append(ix.entries, entry{&l.Listing, []rank.Field{
			{Weight: 5, Words: d.Names}, {Weight: 4, Words: d.Kinds}, {Weight: 3, Words: d.About}, {Weight: 2, Words: d.Offerings},
			{Weight: 2, Words: d.Items}, {Weight: 1.5, Words: d.Synonyms}, {Weight: 1, Words: d.Descriptions},
		}})
	}
	return ix
}

type hit struct {
	listing *Listing
	score   float64
	far     float64 // metres from the place of the search
}

func (ix *index) find(q Query) []*Listing {
	asked := rank.Asked(q.Text)
	var hits []hit
	for _, e := range ix.entries {
		if !e.fits(q) {
			continue
		}
		score, _ := rank.Score(e.fields, asked, alike)
		if score == 0 {
			continue
		}
		hits = append(hits, hit{e.listing, score, e.listing.far(q.Near)})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.far, b.far), strings.Compare(a.listing.ID, b.listing.ID))
	})
	var out []*Listing
	for _, h := range hits {
		if len(out) == q.Limit || h.score < hits[0].score/3 {
			break
		}
		out = append(out, h.listing)
	}
	return out
}

// far is a listing's distance; one that is nowhere is farthest.
func (l *Listing) far(from *geo.Location) float64 {
	switch {
	case from == nil:
		return 0
	case l.Location == nil:
		return math.MaxFloat64
	}
	return l.Location.Meters(*from)
}

func (e entry) fits(q Query) bool {
	l := e.listing
	if !l.shownTo(q) {
		return false
	}
	if !alikeName(q.Domain, l.Domain) || !alikeName(q.Category, l.Category) || !alikeName(q.SubCategory, l.SubCategory) {
		return false
	}
	if _, can := l.Action(q.Action); q.Action != "" && !can {
		return false
	}
	if q.Near != nil && q.Radius > 0 && (l.Location == nil || l.Location.Meters(*q.Near) > q.Radius) {
		return false
	}
	return q.MinPrice <= 0 && q.MaxPrice <= 0 ||
		slices.ContainsFunc(l.prices(), func(p int64) bool { return p >= q.MinPrice && (q.MaxPrice <= 0 || p <= q.MaxPrice) })
}

// alikeName compares a filter with a value, whatever their case and number. Sub-categories are
// written with spaces, dashes or underscores.
func alikeName(filter, value string) bool { return filter == "" || normal(filter) == normal(value) }

// normal is the one form of a domain, category or sub-category.
func normal(name string) string {
	name = strings.Join(strings.FieldsFunc(language.Fold(name), func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '/' }), " ")
	return strings.TrimSuffix(name, "s")
}

// alike says how well word matches the asked one: equal, as its beginning, or with a
// typing mistake (one from four letters on, two from seven).
func alike(asked, word string) float64 {
	switch {
	case asked == word:
		return 1
	case letters(asked) >= 3 && strings.HasPrefix(word, asked), letters(word) >= 4 && strings.HasPrefix(asked, word):
		return 0.7
	}
	allowed := 0
	switch n := letters(asked); {
	case n >= 7:
		allowed = 2
	case n >= 4:
		allowed = 1
	}
	if allowed > 0 && distance(asked, word, allowed) <= allowed {
		return 0.5
	}
	return 0
}

func letters(s string) int { return utf8.RuneCountInString(s) }

// distance is the number of letters to add, drop, change or swap (optimal string
// alignment); more than limit is reported as limit+1. It is asked of each word of a market:
// what differs too much in length, or by its beginning, is left at once.
func distance(a, b string, limit int) int {
	if d := letters(a) - letters(b); d > limit || -d > limit {
		return limit + 1
	}
	x, y := []rune(a), []rune(b)
	n := len(y) + 1
	var few [3 * 33]int
	rows := append(few[:0], make([]int, 3*n)...)
	before, row, next := rows[:n], rows[n:2*n], rows[2*n:]
	for j := range row {
		row[j] = j
	}
	last := 0
	for i := range x {
		next[0] = i + 1
		least := next[0]
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
			least = min(least, next[j+1])
		}
		if least > limit && last >= limit { // a swap comes from the row before
			return limit + 1
		}
		last = least
		before, row, next = row, next, before
	}
	return min(row[len(y)], limit+1)
}
