package weather

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// fallbacks are the languages to look a name up in if the asker's own language does not have it: the one that most
// places are known in, and the one that also knows the towns of the north of Cyprus.
var fallbacks = []string{"en", "tr"}

// countries are names of countries that gazetteers do not list as such.
var countries = map[string]string{
	"uk": "GB", "u.k": "GB", "britain": "GB", "great britain": "GB", "usa": "US", "u.s.a": "US", "u.s": "US", "america": "US",
	"uae": "AE", "trnc": "CY", "kktc": "CY", "north cyprus": "CY", "northern cyprus": "CY", "kuzey kibris": "CY",
}

// find returns the place that the question means.
func (t *Teller) find(ctx context.Context, q question, asker string) (Location, error) {
	var languages []string
	for _, l := range append([]string{asker}, fallbacks...) {
		if l != "" && !slices.Contains(languages, l) {
			languages = append(languages, l)
		}
	}
	for _, c := range q.candidates() {
		for _, l := range languages {
			found, err := t.Source.Search(ctx, c.name, l)
			if err == nil {
				found, err = t.within(ctx, found, c.within, l)
			}
			if err != nil {
				return Location{}, err
			}
			if len(found) > 0 {
				return best(found, c.name), nil
			}
		}
	}
	return Location{}, fault.New(fault.NotFound, "no place called %q is known", q.whole())
}

// within keeps the places that lie in the areas named. The last area is the widest and has to match. An earlier one
// that matches none of the places is taken for another name of the place.
func (t *Teller) within(ctx context.Context, found []Location, areas []string, language string) ([]Location, error) {
	for i, area := range slices.Backward(areas) {
		in, err := t.inside(ctx, found, area, language)
		switch {
		case err != nil:
			return nil, err
		case len(in) > 0:
			found = in
		case i == len(areas)-1:
			return nil, nil
		}
	}
	return found, nil
}

func (t *Teller) inside(ctx context.Context, found []Location, area, lang string) ([]Location, error) {
	want := language.Fold(area)
	in := keep(found, func(l Location) bool {
		return want == language.Fold(l.Country) || want == language.Fold(l.Region) || want == strings.ToLower(l.CountryCode)
	})
	if len(in) > 0 || len(found) == 0 {
		return in, nil
	}
	// An area by a name that the answer does not use is itself a place of that name.
	areas := []Location{{Kind: "PCLI", CountryCode: countries[want]}}
	if areas[0].CountryCode == "" {
		named, err := t.Source.Search(ctx, area, lang)
		if err != nil {
			return nil, err
		}
		areas = named
	}
	return keep(found, func(l Location) bool { return slices.ContainsFunc(areas, l.liesIn) }), nil
}

func keep(all []Location, fits func(Location) bool) []Location {
	return slices.DeleteFunc(slices.Clone(all), func(l Location) bool { return !fits(l) })
}

// best returns the place that people mean by a name: the one with most people, and of as many the one that
// the source names first. A source that completes words also finds Bathurst for Bath: such places come last.
func best(found []Location, name string) Location {
	asked := language.Fold(name)
	likely := keep(found, func(l Location) bool { return !l.completes(asked) })
	if len(likely) == 0 {
		likely = found
	}
	return slices.MaxFunc(likely, func(a, b Location) int { return cmp.Compare(a.people(), b.people()) })
}

// liesIn reports whether area is the place's country or region.
func (l Location) liesIn(area Location) bool {
	switch {
	case l.CountryCode != area.CountryCode:
		return false
	case area.Kind == "ADM1":
		return l.Region == area.Name
	}
	return strings.HasPrefix(area.Kind, "PCL")
}

// people is how many people a place stands for in a comparison. The people of a region live in its towns. One of
// those often has the region's name and is meant, unless it is tiny compared with the region.
func (l Location) people() int {
	if strings.HasPrefix(l.Kind, "ADM") {
		return l.Population / 20
	}
	return l.Population
}

// completes reports whether the place's name goes on where the one asked for ends, in the middle of a word.
func (l Location) completes(asked string) bool {
	rest, begins := strings.CutPrefix(language.Fold(l.Name), asked)
	next, _ := utf8.DecodeRuneInString(rest)
	return begins && rest != "" && unicode.IsLetter(next)
}
