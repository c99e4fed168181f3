package openmeteo_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/plan/weather"
	"merve/internal/provider/openmeteo"
	"merve/internal/provider/openmeteo/openmeteotest"
)

var _ weather.Source = (*openmeteo.Client)(nil)

func server(t *testing.T) (*openmeteotest.Server, *openmeteo.Client) {
	s := openmeteotest.New(t, time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC),
		openmeteotest.Place{Name: "Kyrenia", Names: map[string]string{"tr": "Girne"}, Region: "Keryneia", Country: "Cyprus",
			Code: "CY", Lat: 35.34, Lng: 33.32, Population: 26701,
			Temperature: 20.5, Wind: 9, Weather: 3, Zone: "Asia/Nicosia", Days: []openmeteotest.Day{{Min: 1, Max: 2, Rain: 3,
				Weather: 61}}})
	return s, &openmeteo.Client{BaseURL: s.URL() + "/", GeocodingBaseURL: s.URL(), HTTP: s.Client()}
}

func ptr[T any](v T) *T { return &v }

func TestSearch(t *testing.T) {
	t.Parallel()
	s, c := server(t)
	got, err := c.Search(t.Context(), "Girne", "TR")
	want := []weather.Location{{Name: "Girne", Region: "Keryneia", Country: "Cyprus", CountryCode: "CY", Kind: "PPL", Lat: 35.34,
		Lng: 33.32, Population: 26701}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]url.Values{{"name": {"Girne"}, "count": {"50"}, "language": {"tr"}, "format": {"json"}}},
		s.Queries()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if got, err := c.Search(t.Context(), "Nowhere", ""); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestForecast(t *testing.T) {
	t.Parallel()
	_, c := server(t)
	got, err := c.Forecast(t.Context(), weather.Location{Lat: 35.34, Lng: 33.32})
	if err != nil || len(got.Days) != openmeteo.Days {
		t.Fatalf("%+v, %v", got, err)
	}
	got.Days = got.Days[:2] // the second is null in all
	want := weather.Forecast{
		At: time.Date(2026, 11, 26, 14, 0, 0, 0, time.FixedZone("", 2*60*60)), Temperature: ptr(20.5), Wind: ptr(9.0), Code: ptr(3),
		Days: []weather.Day{{Date: "2026-11-26", Min: ptr(1.0), Max: ptr(2.0), Rain: ptr(3), Code: ptr(61)}, {Date: "2026-11-27"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault openmeteotest.Fault
		kind  fault.Kind
		says  string
	}{
		{"away", openmeteotest.Fault{Status: 503}, fault.Unavailable, "is away"},
		{"time-out of its own", openmeteotest.Fault{Status: 408}, fault.Unavailable, "is away"},
		{"moved", openmeteotest.Fault{Status: 302}, fault.Unavailable, "is away"},
		{"limited", openmeteotest.Fault{Status: 429, Reason: "Daily API request limit exceeded."}, fault.Limited,
			"Daily API request limit"},
		{"refused", openmeteotest.Fault{Status: 400, Reason: "Parameter count must be between 1 and 100."}, fault.Invalid,
			"must be between"},
		{"dropped", openmeteotest.Fault{Drop: true}, fault.Unavailable, "does not answer"},
		{"a page", openmeteotest.Fault{Body: "<html>"}, fault.Unavailable, "cannot be read"},
		{"too much", openmeteotest.Fault{Body: strings.Repeat(" ", 1<<20) + "{}"}, fault.Unavailable, "does not answer"},
	} {
		s, c := server(t)
		s.Fail(tt.fault, tt.fault)
		_, err1 := c.Search(t.Context(), "Kyrenia", "en")
		_, err2 := c.Forecast(t.Context(), weather.Location{})
		for part, err := range map[string]error{"the place search": err1, "the weather forecast": err2} {
			if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: %s: %v", tt.name, part, err)
			}
		}
	}
}

func TestAnswersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"results":[{"name":"Kyrenia"}]}`, `{"results":[{"name":"Kyrenia","latitude":91,"longitude":0}]}`, `{"results":{}}`,
		`{"current":{"time":"tomorrow"}}`, `{"daily":{"time":["27.11.2026"]}}`, `{"current":[]}`,
	} {
		s, c := server(t)
		s.Fail(openmeteotest.Fault{Body: body}, openmeteotest.Fault{Body: body})
		_, err1 := c.Search(t.Context(), "Kyrenia", "en")
		_, err2 := c.Forecast(t.Context(), weather.Location{})
		err := err1
		if !strings.Contains(body, "results") {
			err = err2
		}
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s, c := server(t)
	c.Timeout = 50 * time.Millisecond
	s.Fail(openmeteotest.Fault{Until: make(chan struct{})})
	if _, err := c.Search(t.Context(), "Kyrenia", "en"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
}

func TestAddressThatIsNone(t *testing.T) {
	t.Parallel()
	c := openmeteo.Client{BaseURL: "://", GeocodingBaseURL: "http://\x7f"}
	_, err1 := c.Search(t.Context(), "Kyrenia", "en")
	_, err2 := c.Forecast(t.Context(), weather.Location{})
	if !fault.Is(err1, fault.Internal) || !fault.Is(err2, fault.Internal) {
		t.Errorf("%v, %v", err1, err2)
	}
}

// The stand-in takes what Open-Meteo takes, and nothing else.
func TestStandIn(t *testing.T) {
	t.Parallel()
	s, _ := server(t)
	for query, want := range map[string]int{
		"search?name=Kyrenia": 200, "search?name=K": 200, "search": 400, "search?name=Kyrenia&count=0": 400,
		"search?name=Kyrenia&count=101":       400,
		"search?name=Kyrenia&format=protobuf": 400, "search?name=Kyrenia&apikey=x": 400, "other": 404,
		"forecast?latitude=1&longitude=2&current=temperature_2m": 200, "forecast?latitude=91&longitude=2": 400,
		"forecast?latitude=1&longitude=181": 400,
		"forecast?latitude=1":               400, "forecast?latitude=1&longitude=2&current=temperature": 400,
		"forecast?latitude=1&longitude=2&forecast_days=17":                 400,
		"forecast?latitude=1&longitude=2&daily=weather_code":               400,
		"forecast?latitude=1&longitude=2&daily=weather_code&timezone=auto": 200,
	} {
		resp, err := s.Client().Get(s.URL() + "/v1/" + query)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", query, resp.StatusCode, want)
		}
	}
}

// Whatever comes as an answer is places on the earth and days of a calendar, or an error that says later.
func FuzzAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
		defer s.Close()
		c := openmeteo.Client{BaseURL: s.URL, GeocodingBaseURL: s.URL, HTTP: s.Client()}
		if _, err := c.Search(t.Context(), "Kyrenia", "en"); err != nil && !fault.Is(err, fault.Unavailable) {
			t.Error(err)
		}
		told, err := c.Forecast(t.Context(), weather.Location{})
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Error(err)
		}
		for _, d := range told.Days {
			if _, err := time.Parse(time.DateOnly, d.Date); err != nil {
				t.Error(err)
			}
		}
	})
}
