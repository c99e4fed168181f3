package discovery

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/geo"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://Example.com": "https://example.com/",
		"http://example.com/": "https://example.com/",
		"HTTPS://www.Example.com:443/a?utm_source=x&b=2&UTM_Medium=y": "https://www.example.com/a?b=2",
		"http://example.com:80/a#part":                                "https://example.com/a",
		"https://example.com:8443/a":                                  "https://example.com:8443/a",
		"https://example.com/a?gclid=1&fbclid=2&z=1&a=2":              "https://example.com/a?z=1&a=2",
		"https://example.com/a?gclid=1":                               "https://example.com/a",
		"https://example.com./a?":                                     "https://example.com/a",
		"https://παράδειγμα.gr/α":                                     "https://%CF%80%CE%B1%CF%81%CE%AC%CE%B4%CE%B5%CE%B9%CE%B3%CE%BC%CE%B1.gr/%CE%B1",
	} {
		got, ok := Canonical(raw)
		if !ok || !strings.Contains(raw, "παρ") && got != want {
			t.Errorf("Canonical(%q) = %q, %v, want %q", raw, got, ok, want)
		}
		if again, ok := Canonical(got); !ok || again != got {
			t.Errorf("Canonical(%q) = %q, %v", got, again, ok)
		}
	}
	for _, raw := range []string{
		"", "javascript:alert(1)", "JavaScript://example.com/%0aalert(1)", "data:text/html,x", "ftp://example.com/", "mailto:a@example.com", "//example.com/", "example.com",
		"https://user:pass@example.com/", "https://google.com@evil.example/", "https://localhost/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest",
		"https://2130706433/", "https://a.0x7f/", "https://printer.local/", "https:///a", "https:example.com", "https://exa mple.com/", "https://example.com/" + strings.Repeat("a", 2000),
	} {
		if got, ok := Canonical(raw); ok {
			t.Errorf("Canonical(%q) = %q", raw, got)
		}
	}
}

func TestIsProfile(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://www.linkedin.com/in/maria": true, "https://instagram.com/x": true, "https://x.com/": false, "https://notx.com/a": false, "https://x.com.evil.example/a": false,
	} {
		if got := isProfile(address); got != want {
			t.Errorf("isProfile(%s) = %v", address, got)
		}
	}
}

var maria = Private{
	Names: []string{"Maria Papadopoulou", "Мария Иванова", "מרים כהן", "مريم حداد", "Ayşe Yılmaz"},
	Words: []string{"+905338000001", "KQ7RMB4", "rq_aaaaaaaaaaaaaaaa"},
}

// What tells who asks is gone, in ten languages, and what is needed stays.
func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"60 kVA generator, I am Maria, call +90 533 800 00 01":                             "60 kVA generator, , call",
		"a generator for Maria's wedding, mail maria@example.com":                          "a generator for wedding, mail",
		"my name is John Smith and I need a 4x4 with 60KVA RTX4090":                        "and I need a 4x4 with 60KVA RTX4090",
		"deliver to 12 Main Street: 3 pumps":                                               "deliver to : 3 pumps",
		"pump at 221b baker street today":                                                  "pump at today",
		"request kq7rmb4 (rq_aaaaaaaaaaaaaaaa, booking V3GM2D, ride K7Q2) for a plumber":   "request ( , booking , ride ) for a plumber",
		"adım Ayşe, Atatürk Caddesi No: 12 için jeneratör":                                 "için jeneratör",
		"Ayşe'nin evi için 60 kVA jeneratör lazım":                                         "evi için 60 kVA jeneratör lazım",
		"με λένε Ελένη, θέλω γεννήτρια 60 kVA στην οδό":                                    "θέλω γεννήτρια 60 kVA στην οδό",
		"γεννήτρια, οδός Ερμού 5":                                                          "γεννήτρια",
		"меня зовут Мария Иванова, нужен генератор, ул. Ленина 7, кв. 12":                  "нужен генератор",
		"генератор для Марии Ивановой":                                                     "генератор для",
		"שמי דנה לוי, צריך גנרטור ברחוב הרצל 5":                                            "צריך גנרטור",
		"גנרטור למרים":                                                                     "גנרטור",
		"اسمي ليلى حداد، أحتاج مولد كهرباء في شارع الحمراء 12":                             "أحتاج مولد كهرباء في",
		"مولد لمريم رقم ٠٥٣٣٨٠٠٠٠٠١":                                                       "مولد رقم",
		"ich heiße Anna Schmidt und brauche einen Generator, Hauptstraße 12a":              "und brauche einen Generator",
		"me llamo Ana García, necesito un generador en calle Mayor 3":                      "necesito un generador en",
		"je m'appelle Marie Dupont, générateur au 12 rue de la Paix":                       "générateur au",
		"jina langu ni Juma Ali, nahitaji jenereta":                                        "nahitaji jenereta",
		"see https://wa.me/905338000001 or www.maria.example.com":                          "see or",
		"＋９０ ５３３ ８００ ００ ０１ pump":                                                           "pump",
		"my id 550e8400-e29b-41d4-a716-446655440000 and IBAN CY17002001280000001200527600": "my id and IBAN",
		"2 TB hard drive and a garden hose, 300 EUR":                                       "2 TB hard drive and a garden hose, 300 EUR",
		"wedding photographer for Saturday 28.11.2026 at 18:00":                            "wedding photographer for Saturday 28.11.2026 at 18:00",
	} {
		got := maria.Clean(text)
		if strip(got) != strip(want) {
			t.Errorf("Clean(%q)\n got %q\nwant %q", text, got, want)
		}
		if again := maria.Clean(got); strip(again) != strip(got) {
			t.Errorf("Clean(%q) = %q", got, again)
		}
	}
}

// strip leaves the words of a text.
func strip(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,،.:;()-–", r) }), " ")
}

func TestPlace(t *testing.T) {
	t.Parallel()
	city := func(text string) string {
		if strings.Contains(text, "Girne") {
			return "Kyrenia"
		}
		return ""
	}
	for text, want := range map[string]string{
		"": "", "Nicosia": "Nicosia", "flat 5, Main Street 12, Limassol, Cyprus": "Limassol, Cyprus", "Atatürk Caddesi 12, Karakum, Girne": "Kyrenia",
		"behind the white house of my aunt": "", "Maria's house, Paphos": "Paphos", "35.3361, 33.3182": "", "улица Ленина 7, Москва": "Москва", "רחוב הרצל 5, תל אביב": "תל אביב",
		"شارع الحمراء 12، بيروت": "بيروت", "99300 Kyrenia": "", "+90 533 800 00 01": "",
	} {
		if got := maria.Place(text, city); got != want {
			t.Errorf("Place(%q) = %q, want %q", text, got, want)
		}
	}
}

// engine answers as it is told.
type engine struct {
	ready bool
	found Found
	err   error
	asked int
}

func (e *engine) Ready(context.Context) (bool, error) { return e.ready, nil }

func (e *engine) Search(context.Context, Query) (Found, error) {
	e.asked++
	return e.found, e.err
}

func TestEngines(t *testing.T) {
	t.Parallel()
	on := &Finder{Web: true, Profiles: true, OpenAI: &engine{ready: true}, Gemini: &engine{ready: true}}
	for name, tt := range map[string]struct {
		finder *Finder
		asked  Name
		social bool
		want   []Name
		why    string
	}{
		"none":         {nil, Auto, false, nil, "EXTERNAL_DISCOVERY_ENABLED is off"},
		"off":          {&Finder{Profiles: true, OpenAI: on.OpenAI}, Auto, true, nil, "EXTERNAL_DISCOVERY_ENABLED is off"},
		"no profiles":  {&Finder{Web: true, OpenAI: on.OpenAI}, Auto, true, nil, "SOCIAL_DISCOVERY_ENABLED is off"},
		"no key":       {&Finder{Web: true, OpenAI: &engine{}}, Auto, false, nil, "there is no key of a web search"},
		"no such key":  {&Finder{Web: true, OpenAI: on.OpenAI, Gemini: &engine{}}, Gemini, false, nil, "there is no key of a web search by gemini"},
		"auto":         {on, Auto, true, []Name{OpenAI, Gemini}, ""},
		"auto, second": {&Finder{Web: true, OpenAI: &engine{}, Gemini: on.Gemini}, Auto, false, []Name{Gemini}, ""},
		"named":        {on, Gemini, false, []Name{Gemini}, ""},
	} {
		all, why, err := tt.finder.Engines(t.Context(), tt.asked, tt.social)
		var got []Name
		for _, c := range all {
			got = append(got, c.Name)
		}
		if err != nil || why != tt.why || !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v, %q, %v", name, got, why, err)
		}
	}
}

// Each engine is asked once, the second only where the first has failed and a call is left.
func TestSearchPaysForEachCall(t *testing.T) {
	t.Parallel()
	good := Found{Items: []Item{
		{Title: " A\n b ", URL: "https://a.example/?utm_source=openai"}, {Title: "again", URL: "http://A.example/"}, {URL: "javascript:alert(1)"}, {URL: "https://b.example/x"}, {Title: "c", URL: "https://c.example/"},
	}}
	away := errors.New("away")
	for name, tt := range map[string]struct {
		first, second *engine
		left          int
		by            Name
		paid          int
		items         int
		fails         bool
	}{
		"first":        {&engine{found: good}, &engine{}, 1, OpenAI, 0, 2, false},
		"second":       {&engine{err: away}, &engine{found: good}, 1, Gemini, 1, 2, false},
		"both":         {&engine{err: away}, &engine{err: away}, 1, None, 1, 0, true},
		"nothing left": {&engine{err: away}, &engine{found: good}, 0, None, 1, 0, true},
	} {
		paid := 0
		by, found, err := new(Finder).Search(t.Context(), []Chosen{{OpenAI, tt.first}, {Gemini, tt.second}}, Query{Max: 2}, func(context.Context) error {
			if paid++; paid > tt.left {
				return ErrSpent
			}
			return nil
		})
		if by != tt.by || paid != tt.paid || len(found.Items) != tt.items || errors.Is(err, ErrFailed) != tt.fails {
			t.Errorf("%s: by %s, paid %d, %+v, %v", name, by, paid, found, err)
		}
		if tt.items > 0 && (found.Items[0].Title != "A b" || found.Items[1].Title != "b.example") {
			t.Errorf("%s: %+v", name, found.Items)
		}
	}
}

// chart is a map that notes what it was asked.
type chart struct {
	Map
	asked MapQuery
	found []Place
}

func (c *chart) Find(_ context.Context, q MapQuery) ([]Place, error) {
	c.asked = q
	return c.found, nil
}

// The map learns the city, and the radius holds from the place itself.
func TestFindPlaces(t *testing.T) {
	t.Parallel()
	at := func(lat, lng float64) *geo.Location { return &geo.Location{Lat: lat, Lng: lng} }
	c := &chart{found: []Place{{ID: "near", At: at(35.337, 33.319)}, {ID: "near", At: at(35.337, 33.319)}, {ID: "far", At: at(35.5, 33.5)}, {ID: "nowhere"}, {At: at(35.337, 33.319)}}}
	got, err := (&Finder{Map: c}).FindPlaces(t.Context(), MapQuery{Text: "pump", Near: at(35.33612, 33.31823), RadiusKM: 5, Max: 3})
	if err != nil || len(got) != 1 || got[0].ID != "near" {
		t.Errorf("%+v, %v", got, err)
	}
	if c.asked.Near.Lat != 35.3 || c.asked.Near.Lng != 33.3 || c.asked.RadiusKM != 13 {
		t.Errorf("asked %+v near %+v", c.asked, c.asked.Near)
	}
}
