package market

import (
	"strings"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/words/language"
)

// District is a part of a market that drivers and businesses serve.
type District struct {
	Name       string        `dynamodbav:"name" json:"name"`
	Also       []string      `dynamodbav:"also,omitempty" json:"also,omitempty"`             // other names, such as in another language
	Center     *geo.Location `dynamodbav:"center,omitempty" json:"center,omitempty"`         // what is nearest to it is in it
	Neighbours []string      `dynamodbav:"neighbours,omitempty" json:"neighbours,omitempty"` // names of those next to it
}

// MaxDistricts is the most of one market.
const MaxDistricts = 100

// DistrictOf names the district of a place: the one that a text names, by the longest name, else the
// one whose centre is nearest; "" when that is not known.
func (m *Market) DistrictOf(text string, at *geo.Location) string {
	folded := " " + strings.Join(strings.FieldsFunc(language.Fold(text), notWord), " ") + " "
	named, longest := "", 0
	for _, d := range m.Districts {
		for _, name := range append([]string{d.Name}, d.Also...) {
			if name := strings.Join(strings.FieldsFunc(language.Fold(name), notWord), " "); len(name) > longest && strings.Contains(folded, " "+name+" ") {
				named, longest = d.Name, len(name)
			}
		}
	}
	if named != "" {
		return named
	}
	nearest, far := "", 0.0
	for _, d := range m.Districts {
		if at == nil || d.Center == nil {
			continue
		}
		if meters := d.Center.Meters(*at); nearest == "" || meters < far {
			nearest, far = d.Name, meters
		}
	}
	return nearest
}

func notWord(r rune) bool { return strings.ContainsRune(" ,.;:/()-–'\"", r) }

// Neighbours are the names of the districts next to one; all others when nothing is said of it.
func (m *Market) Neighbours(district string) []string {
	var others []string
	for _, d := range m.Districts {
		if language.Fold(d.Name) != language.Fold(district) {
			others = append(others, d.Name)
		} else if len(d.Neighbours) > 0 {
			return d.Neighbours
		}
	}
	return others
}

func (m *Market) checkDistricts() error {
	if len(m.Districts) > MaxDistricts {
		return fault.Field("districts", "at most %d", MaxDistricts)
	}
	known := map[string]bool{}
	for _, d := range m.Districts {
		name := language.Fold(d.Name)
		switch {
		case name == "" || len(d.Name) > 60 || strings.Contains(d.Name, "#"):
			return fault.Field("districts.name", "want 1 to 60 characters without #")
		case known[name]:
			return fault.Field("districts.name", "%q is there twice", d.Name)
		}
		known[name] = true
		if c := d.Center; c != nil && !geo.OnEarth(c.Lat, c.Lng) {
			return fault.Field("districts.center", "lat within ±90 and lng within ±180 degrees")
		}
	}
	for _, d := range m.Districts {
		for _, n := range d.Neighbours {
			if !known[language.Fold(n)] {
				return fault.Field("districts.neighbours", "%q is no district of the market", n)
			}
		}
	}
	return nil
}
