package listing

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/language"
)

// Query is what somebody looks for. Empty fields do not narrow.
type Query struct {
	Text        string
	Domain      string
	Category    string
	SubCategory string
	MaxPrice    int64 // minor units; some offering costs no more
	Limit       int   // 5 when 0, at most 10
}

// Found is a search's answer, best first. Relaxed names the filter that had to be
// dropped to find anything.
type Found struct {
	Listings []*Listing
	Relaxed  string
}

const (
	indexFor = time.Minute
	maxWords = 32 // of a search that count: each is compared with every word there is
)

// index is a market's listings with their words, as of a moment.
type index struct {
	entries []entry
	until   time.Time
}

type entry struct {
	listing *Listing
	fields  []field
}

// field is a listing's text of one kind: what it weighs, and its words.
type field struct {
	weight float64
	words  []string
}

// Search finds the listings of a market that fit q. A filter that leaves nothing is
// dropped, the narrowest first, and the answer says so: similar is better than nothing.
// Words that no filter is to blame for are dropped last, for domain and category as asked.
func (s *Store) Search(ctx context.Context, market string, q Query) (Found, error) {
	ix, err := s.index(ctx, market)
	if err != nil {
		return Found{}, err
	}
	if q.Limit <= 0 {
		q.Limit = 5
	}
	q.Limit = min(q.Limit, 10)
	kind := Query{Domain: q.Domain, Category: q.Category, MaxPrice: q.MaxPrice, Limit: q.Limit}
	for _, relax := range []struct {
		name string
		drop func(*Query)
		set  bool
	}{
		{"", func(*Query) {}, true},
		{"subCategory", func(q *Query) { q.SubCategory = "" }, q.SubCategory != ""},
		{"category", func(q *Query) { q.Category = "" }, q.Category != ""},
		{"domain", func(q *Query) { q.Domain = "" }, q.Domain != ""},
		{"text", func(q *Query) { *q = kind }, q.Text != "" && (q.Domain != "" || q.Category != "")},
	} {
		if !relax.set {
			continue
		}
		relax.drop(&q)
		if hits := ix.find(q); len(hits) > 0 {
			return Found{Listings: hits, Relaxed: relax.name}, nil
		}
	}
	return Found{}, nil
}

func (s *Store) index(ctx context.Context, market string) (*index, error) {
	now := s.Now()
	s.mu.Lock()
	ix := s.indexes[market]
	s.mu.Unlock()
	if ix != nil && now.Before(ix.until) {
		return ix, nil
	}
	all, err := s.All(ctx, market)
	if err != nil {
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

func newIndex(all []*Listing, until time.Time) *index {
	ix := &index{until: until}
	for _, l := range all {
		if !l.Merve.Enabled {
			continue
		}
		offerings := ""
		for _, o := range l.Offerings {
			offerings += " " + o.Name
		}
		ix.entries = append(ix.entries, entry{l, []field{
			{5, words(values(l.Names))},
			{4, words(l.Category + " " + l.SubCategory)},
			{3, words(strings.Join(l.Tags, " ") + " " + l.Place + " " + l.Domain)},
			{2, words(offerings)},
			{1, words(values(l.Descriptions))},
		}})
	}
	return ix
}

func values(m map[string]string) string {
	var b strings.Builder
	for _, v := range m {
		b.WriteString(v + " ")
	}
	return b.String()
}

func words(s string) []string {
	ws := strings.FieldsFunc(language.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(ws)
	return slices.Compact(ws)
}

type hit struct {
	listing *Listing
	score   float64
}

func (ix *index) find(q Query) []*Listing {
	asked := words(q.Text)
	asked = asked[:min(len(asked), maxWords)]
	var hits []hit
	for _, e := range ix.entries {
		if !e.fits(q) {
			continue
		}
		score := 1.0
		if len(asked) > 0 {
			if score = e.score(asked); score == 0 {
				continue
			}
		}
		hits = append(hits, hit{e.listing, score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.listing.ID, b.listing.ID)
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

func (e entry) fits(q Query) bool {
	same := func(filter, value string) bool {
		f, v := language.Fold(filter), language.Fold(value)
		return f == "" || f == v || strings.TrimSuffix(f, "s") == strings.TrimSuffix(v, "s")
	}
	if !same(q.Domain, e.listing.Domain) || !same(q.Category, e.listing.Category) || !same(q.SubCategory, e.listing.SubCategory) {
		return false
	}
	if q.MaxPrice <= 0 {
		return true
	}
	for _, o := range e.listing.Offerings {
		if o.PriceMinor <= q.MaxPrice {
			return true
		}
	}
	return false
}

// score adds up how well each asked word is found in the field where it counts most.
func (e entry) score(asked []string) float64 {
	total, found := 0.0, 0
	for _, a := range asked {
		best := 0.0
		for _, f := range e.fields {
			for _, w := range f.words {
				best = max(best, f.weight*alike(a, w))
			}
		}
		if best > 0 {
			found++
		}
		total += best
	}
	return total * float64(found) / float64(len(asked))
}

// alike says how much word stands for what was asked: itself, its beginning, or with a
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
// alignment); more than limit is reported as limit+1.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	before, row := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return min(row[len(y)], limit+1)
}
