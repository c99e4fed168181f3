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

	"merve/internal/base/geo"
	"merve/internal/words/language"
	"merve/internal/words/rank"
)

// directory is a market's places as of a moment, with the words that find them.
type directory struct {
	entries []entry
	until   time.Time
}

type entry struct {
	*Place
	fields []rank.Field
}

const directoryFor = time.Minute

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
		d.entries = append(d.entries, entry{p, []rank.Field{
			{Weight: 5, Words: rank.Words(texts(p.Names))},
			{Weight: 4, Words: rank.Words(p.Category)},
			{Weight: 3, Words: rank.Words(strings.Join(p.Tags, " "), p.District)},
			{Weight: 2, Words: rank.Words(p.Address)},
			{Weight: 1, Words: rank.Words(texts(p.Descriptions))},
		}})
	}
	return d
}

func texts(byLanguage map[string]string) string {
	return strings.Join(slices.Collect(maps.Values(byLanguage)), " ")
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
	asked := rank.Asked(text)
	type scored struct {
		*Place
		score float64
	}
	var all []scored
	for _, e := range d.entries {
		score, part := rank.Score(e.fields, asked, alike)
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

// alike says how well a word matches the asked one: equal, as its plural or singular, or as a
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

// category returns the market's name for a kind of places; "" if it has no such places.
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

// synonyms returns the names that people use for kinds of places.
func synonyms() map[string]string {
	return map[string]string{
		"chemist": "pharmacy", "drugstore": "pharmacy", "drug_store": "pharmacy", "cash_machine": "atm", "cashpoint": "atm",
		"petrol_station": "gas_station", "fuel": "gas_station", "fuel_station": "gas_station", "gas": "gas_station", "petrol": "gas_station",
		"parking": "parking_lot", "car_park": "parking_lot", "police": "police_station", "view_point": "viewpoint", "lookout": "viewpoint",
	}
}

// whereabouts returns the place in the market that a text means, and its name: one of its
// districts, or a place whose texts have all the words.
func (d *directory) whereabouts(text, lang string) (at geo.Location, called string, found bool) {
	asked := rank.Words(text)
	districts := map[string][]geo.Location{}
	for _, e := range d.entries {
		if own := rank.Words(e.District); len(own) > 0 && slices.Equal(own, asked) {
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
