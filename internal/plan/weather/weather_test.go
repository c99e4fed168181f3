package weather_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/plan/weather"
	"merve/internal/provider/openmeteo"
	"merve/internal/provider/openmeteo/openmeteotest"
)

var now = time.Date(2026, 11, 26, 22, 40, 0, 0, time.UTC) // already the 27th in Kyrenia, a Friday

// world has places that share names, and names that share beginnings.
func world() []openmeteotest.Place {
	return []openmeteotest.Place{
		{Name: "Kyrenia", Names: map[string]string{"tr": "Girne", "el": "Κερύνεια", "he": "קירניה"}, Region: "Keryneia",
			Country: "Cyprus", Code: "CY", Lat: 35.34, Lng: 33.32, Population: 26701,
			Temperature: 18.35, Wind: 11.2, Weather: 2, Zone: "Asia/Nicosia",
			Days: []openmeteotest.Day{{Min: 14.1, Max: 21.9, Rain: 10, Weather: 1}, {Min: 12, Max: 19, Rain: 80, Weather: 63}}},
		{Name: "Keryneia", Feature: "ADM1", Names: map[string]string{"en": "Kyrenia"}, Country: "Cyprus", Code: "CY", Lat: 35.3,
			Lng: 33.2, Population: 69163},
		{Name: "Cyprus", Names: map[string]string{"tr": "Kıbrıs"}, Feature: "PCLI", Country: "Cyprus", Code: "CY", Lat: 35,
			Lng: 33, Population: 1189265},
		{Name: "Kyrenia Beach", Country: "Australia", Code: "AU", Lat: -30, Lng: 150, Population: 900},
		{Name: "Bathurst", Country: "Australia", Code: "AU", Lat: -33.4, Lng: 149.6, Population: 200000},
		{Name: "Bath", Region: "England", Country: "United Kingdom", Code: "GB", Lat: 51.4, Lng: -2.4, Population: 94782},
		{Name: "Bath", Region: "New York", Country: "United States", Code: "US", Lat: 42.3, Lng: -77.3, Population: 5788},
		{Name: "New York", Feature: "ADM1", Region: "New York", Country: "United States", Code: "US", Lat: 43, Lng: -75.5,
			Population: 19274244},
		{Name: "New York City", Region: "New York", Country: "United States", Code: "US", Lat: 40.7, Lng: -74, Population: 8804190},
		{Name: "Paris", Names: map[string]string{"el": "Παρίσι"}, Country: "France", Code: "FR", Lat: 48.9, Lng: 2.3,
			Population: 2138551},
		{Name: "Paris", Region: "Texas", Country: "United States", Code: "US", Lat: 33.7, Lng: -95.6, Population: 24171},
		{Name: "Texas", Also: []string{"TX"}, Feature: "ADM1", Region: "Texas", Country: "United States", Code: "US", Lat: 31,
			Lng: -99, Population: 29000000},
		{Name: "Atlantis", Country: "South Africa", Code: "ZA", Lat: -33.6, Lng: 18.5},
	}
}

func teller(t *testing.T, world ...openmeteotest.Place) (*weather.Teller, *openmeteotest.Server) {
	s := openmeteotest.New(t, now, world...)
	return &weather.Teller{Source: &openmeteo.Client{BaseURL: s.URL(), GeocodingBaseURL: s.URL(), HTTP: s.Client()}}, s
}

func ptr[T any](v T) *T { return &v }

func TestTell(t *testing.T) {
	t.Parallel()
	w, _ := teller(t, world()...)
	got, err := w.Tell(t.Context(), "What's the weather in Girne, Cyprus tomorrow?", "en")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 27, 0, 30, 0, 0, time.FixedZone("", 2*60*60))
	want := weather.Report{
		Place: "Girne", Region: "Keryneia", Country: "Cyprus", CountryCode: "CY", Lat: 35.34, Lng: 33.32,
		At: at, Temperature: 18.35, Wind: ptr(11.2), Code: ptr(2), Sky: "partly cloudy sky",
		Day: weather.Day{Date: "2026-11-28", Min: ptr(12.0), Max: ptr(19.0), Rain: ptr(80), Code: ptr(63), Sky: "rain",
			Relation: "tomorrow"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	places := world()
	places[9].Null = []string{"weather_code", "wind_speed_10m", "temperature_2m_min", "precipitation_probability_max"}
	w, _ := teller(t, places...)
	for question, want := range map[string]string{
		"Kyrenia": "It is now 18.4 °C with partly cloudy sky and wind of 11.2 km/h in Kyrenia, Cyprus; " +
			"today, Friday 27 November 2026: mainly clear sky, 14.1 to 21.9 °C, 10 % chance of rain.",
		"Kyrenia on Saturday": "It is now 18.4 °C with partly cloudy sky and wind of 11.2 km/h in Kyrenia, Cyprus; " +
			"tomorrow, Saturday 28 November 2026: rain, 12 to 19 °C, 80 % chance of rain.",
		"Kyrenia 2026-12-01": "It is now 18.4 °C with partly cloudy sky and wind of 11.2 km/h in Kyrenia, Cyprus.",
		"Paris":              "It is now 0 °C in Paris, France.",
		"Cyprus":             "It is now 0 °C with clear sky and wind of 0 km/h in Cyprus.",
	} {
		if got, err := w.Tell(t.Context(), question, "en"); err != nil || got.String() != want {
			t.Errorf("%s:\n got %s (%v)\nwant %s", question, got, err, want)
		}
	}
}

func TestWhichPlace(t *testing.T) {
	t.Parallel()
	w, _ := teller(t, world()...)
	for _, tt := range []struct{ question, language, want string }{
		{"Kyrenia", "en", "Kyrenia, CY"},                // not its district, where more people live
		{"Girne", "en", "Girne, CY"},                    // known by that name in Turkish only
		{"Κερύνεια", "el", "Κερύνεια, CY"},              // in the asker's language
		{"מזג אוויר בקירניה", "he", "קירניה, CY"},       // with the letter for "in"
		{"Bath", "en", "Bath, GB"},                      // not Bathurst, which is larger
		{"Bath, NY", "en", "-"},                         // an area that nobody knows
		{"Bath, New York", "en", "Bath, US"},            // a region
		{"Bath, United States", "en", "Bath, US"},       // a country
		{"Bath, USA", "en", "Bath, US"},                 // by a name that no gazetteer has
		{"Bath, us", "en", "Bath, US"},                  // by its code
		{"Girne, Kıbrıs", "en", "Girne, CY"},            // in another language than the answer
		{"Paris, TX", "en", "Paris, US"},                // a region by another name
		{"Paris", "en", "Paris, FR"},                    // by people
		{"Paris, Texas, USA", "en", "Paris, US"},        // two areas
		{"Kyrenia, Girne, Cyprus", "en", "Kyrenia, CY"}, // a second name between
		{"Paris United States", "en", "Paris, US"},      // without a comma
		{"Paris USA", "en", "Paris, US"},                //
		{"Paris, Cyprus", "en", "-"},                    // the country named wins: no Paris there
		{"New York", "en", "New York City, US"},         // the town, not the middle of the state
		{"Texas", "en", "Texas, US"},                    // a region without a town of the name
		{"the Atlantis", "en", "Atlantis, ZA"},          // an article that is no part of the name
		{"Bathu", "en", "Bathurst, AU"},                 // completed
		{"Nowhere", "en", "-"},
	} {
		r, err := w.Tell(t.Context(), tt.question, tt.language)
		got := r.Place + ", " + r.CountryCode
		if fault.Is(err, fault.NotFound) {
			got = "-"
		} else if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.question, got, tt.want)
		}
	}
}

func TestUnknownPlaceSaysSo(t *testing.T) {
	t.Parallel()
	w, s := teller(t, world()...)
	_, err := w.Tell(t.Context(), "weather in Xanadu, France", "fr")
	if message, _ := fault.Public(err); !fault.Is(err, fault.NotFound) || message != `no place called "Xanadu, France" is known` {
		t.Errorf("%v", err)
	}
	for _, q := range s.Queries() {
		if q.Has("latitude") {
			t.Errorf("a forecast for an unknown place: %v", q)
		}
	}
}

func TestDaysThatNobodyKnows(t *testing.T) {
	t.Parallel()
	w, _ := teller(t, world()...)
	for question, want := range map[string]string{
		"Kyrenia yesterday": "from 2026-11-27 to 2026-12-12, not for 2026-11-26", "Kyrenia 2026-12-13": "not for 2026-12-13",
	} {
		if _, err := w.Tell(t.Context(), question, "en"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", question, err)
		}
	}
	if r, err := w.Tell(t.Context(), "Kyrenia 2026-12-12", "en"); err != nil || r.Day.Date != "2026-12-12" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNoInventedWeather(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		faults []openmeteotest.Fault
		kind   fault.Kind
		says   string
	}{
		"place search away": {[]openmeteotest.Fault{{Status: 502}}, fault.Unavailable, "place search"},
		"forecast away":     {[]openmeteotest.Fault{{}, {Status: 503}}, fault.Unavailable, "weather forecast"},
		"no temperature": {[]openmeteotest.Fault{{},
			{Body: `{"current":{"time":"2026-11-27T00:30","temperature_2m":null}}`}}, fault.Unavailable, "no temperature for Kyrenia"},
		"nothing at all": {[]openmeteotest.Fault{{}, {Body: `{}`}}, fault.Unavailable, "no temperature for Kyrenia"},
		"asked too often": {[]openmeteotest.Fault{{Status: 429, Reason: "Minutely API request limit exceeded."}},
			fault.Limited, "asked too often"},
		"an area's search": {[]openmeteotest.Fault{{Body: `{"results":[{"name":"Kyrenia","latitude":1,"longitude":1}]}`},
			{Status: 500}}, fault.Unavailable, "place search"},
		"no days, but the now": {[]openmeteotest.Fault{{}, {Body: `{"current":{"temperature_2m":1}}`}}, fault.Unavailable,
			"tells of no days"},
	} {
		w, s := teller(t, world()...)
		s.Fail(tt.faults...)
		question := "Kyrenia tomorrow"
		if name == "an area's search" {
			question = "Kyrenia, Atlantis"
		}
		if _, err := w.Tell(t.Context(), question, "en"); !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w, s := teller(t, world()...)
	s.Fail(openmeteotest.Fault{}, openmeteotest.Fault{Body: `{"current":{"temperature_2m":1}}`})
	if r, err := w.Tell(t.Context(), "Kyrenia", "en"); err != nil || r.String() != "It is now 1 °C in Kyrenia, Cyprus." {
		t.Errorf("of now only: %s, %v", r, err)
	}
}

// One time-out holds for all requests of an answer together.
func TestTimeout(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	for name, faults := range map[string][]openmeteotest.Fault{"place search": {{Until: never}}, "weather forecast": {{},
		{Until: never}}} {
		w, s := teller(t, world()...)
		w.Timeout = 200 * time.Millisecond
		s.Fail(faults...)
		began := time.Now()
		_, err := w.Tell(t.Context(), "Kyrenia", "en")
		if took := time.Since(began); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(),
			"the "+name+" does not answer") || took > 3*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

func TestNoNetwork(t *testing.T) {
	t.Parallel()
	w := weather.Teller{Source: &openmeteo.Client{BaseURL: "http://127.0.0.1:1", GeocodingBaseURL: "http://127.0.0.1:1",
		HTTP: &http.Client{}}}
	if _, err := w.Tell(t.Context(), "Kyrenia", "en"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(),
		"the place search does not answer") {
		t.Errorf("%v", err)
	}
}

func TestSky(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{0: "clear sky", 95: "thunderstorm", 4: "", -1: "", 100: ""} {
		if got := weather.Sky(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}
