package place

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/channel"
	"merve/internal/language"
)

// directory is what a market has, as of a moment, with the words by which it is found.
type directory struct {
	entries []entry
	until   time.Time
}

type entry struct {
	*Place
	fields []field
}

// field is a place's text of one kind: what it weighs, and its words.
type field struct {
	weight float64
	words  []string
}

const (
	directoryFor = time.Minute
	maxWords     = 32 // of a search that count
)

// directory is at most a minute old.
func (s *Store) directory(ctx context.Context, market string) (*directory, error) {
	now := s.Now()
	s.mu.Lock()
	d := s.directories[market]
	s.mu.Unlock()
	if d != nil && now.Before(d.until) {
		return d, nil
	}
	all, err := s.All(ctx, market)
	if err != nil {
		return nil, err
	}
	d = newDirectory(all, now.Add(directoryFor))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.directories == nil {
		s.directories = map[string]*directory{}
	}
	s.directories[market] = d
	return d, nil
}

// forget has the next search see a change that was made here.
func (s *Store) forget(market string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.directories, market)
}

func newDirectory(all []*Place, until time.Time) *directory {
	d := &directory{until: until}
	for _, p := range all {
		d.entries = append(d.entries, entry{p, []field{
			{5, words(values(p.Names))},
			{4, words(p.Category)},
			{3, words(strings.Join(p.Tags, " ") + " " + p.District)},
			{2, words(p.Address)},
			{1, words(values(p.Descriptions))},
		}})
	}
	return d
}

func values(texts map[string]string) string {
	return strings.Join(slices.Collect(maps.Values(texts)), " ")
}

func words(s string) []string {
	ws := strings.FieldsFunc(language.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(ws)
	return slices.Compact(ws)
}

// categories are the kinds of places that the market has.
func (d *directory) categories() []string {
	var all []string
	for _, e := range d.entries {
		all = append(all, e.Category)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// search finds places by words, the best first, and of a category unless that is "".
func (d *directory) search(text, category string, limit int) []*Place {
	found := d.rank(text, category, 0)
	return found[:min(len(found), limit)]
}

// rank orders the places that have at least a share of the words of text.
func (d *directory) rank(text, category string, share float64) []*Place {
	asked := words(text)
	asked = asked[:min(len(asked), maxWords)]
	type scored struct {
		*Place
		score float64
	}
	var all []scored
	for _, e := range d.entries {
		score, part := e.score(asked)
		if (category == "" || e.Category == category) && score > 0 && part >= share {
			all = append(all, scored{e.Place, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.ID, b.ID))
	})
	var out []*Place
	for _, s := range all {
		if s.score >= all[0].score/3 {
			out = append(out, s.Place)
		}
	}
	return out
}

// score adds up how well the words asked for are found, each where it counts most, and says
// which share of them was found at all. Without words, everything is as good.
func (e entry) score(asked []string) (score, share float64) {
	if len(asked) == 0 {
		return 1, 1
	}
	found := 0
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
		score += best
	}
	share = float64(found) / float64(len(asked))
	return score * share, share
}

// alike says how much a word stands for what was asked: itself, its plural or singular, or a
// beginning.
func alike(asked, word string) float64 {
	switch {
	case asked == word:
		return 1
	case stem(asked) == stem(word):
		return 0.9
	case utf8.RuneCountInString(asked) >= 3 && strings.HasPrefix(word, asked):
		return 0.7
	}
	return 0
}

// stem takes an English plural off.
func stem(word string) string {
	for _, plural := range []struct{ end, singular string }{{"ies", "y"}, {"ches", "ch"}, {"sses", "ss"}, {"ss", "ss"}, {"s", ""}} {
		if cut, is := strings.CutSuffix(word, plural.end); is && len(cut) >= 3 {
			return cut + plural.singular
		}
	}
	return word
}

// category is what the market calls a kind of places; "" when it has none of them.
func (d *directory) category(name string) string {
	asked := canonical(name)
	for _, c := range d.categories() {
		if stem(c) == stem(asked) {
			return c
		}
	}
	return ""
}

// canonical is a kind of places as categories are written.
func canonical(name string) string {
	name = strings.Join(strings.FieldsFunc(language.Fold(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "_")
	for _, n := range []string{name, stem(name)} {
		if other, known := synonyms()[n]; known {
			return other
		}
	}
	return stem(name)
}

// synonyms are what people call kinds of places.
func synonyms() map[string]string {
	return map[string]string{
		"chemist": "pharmacy", "drugstore": "pharmacy", "drug_store": "pharmacy", "cash_machine": "atm", "cashpoint": "atm",
		"petrol_station": "gas_station", "fuel": "gas_station", "fuel_station": "gas_station", "gas": "gas_station", "petrol": "gas_station",
		"parking": "parking_lot", "car_park": "parking_lot", "police": "police_station", "view_point": "viewpoint", "lookout": "viewpoint",
	}
}

// whereabouts is where the market knows a text to be, and what it is called: one of its
// districts, or a place whose texts have all the words.
func (d *directory) whereabouts(text, lang string) (at channel.Location, called string, found bool) {
	asked := words(text)
	districts := map[string][]channel.Location{}
	for _, e := range d.entries {
		if own := words(e.District); len(own) > 0 && slices.Equal(own, asked) {
			districts[e.District] = append(districts[e.District], e.Location)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(districts)) {
		return middle(districts[name]), name, true
	}
	if len(asked) == 0 {
		return at, "", false
	}
	for _, p := range d.rank(text, "", 1) {
		return p.Location, p.Name(lang), true
	}
	return at, "", false
}
