// Package openmeteotest is a stand-in for Open-Meteo's geocoding and forecast APIs over HTTP. A [Server]
// refuses what Open-Meteo would refuse, answers in its form with the places that it was given, and fails when
// told to.
//
// It is written from Open-Meteo's documentation and the source of its geocoding API, and shares no code with
// package openmeteo, so that a mistake in one shows in the other. https://open-meteo.com/en/docs,
// https://open-meteo.com/en/docs/geocoding-api
package openmeteotest

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"merve/internal/provider/providertest"
)

// Place is something that there is in the server's world.
type Place struct {
	Name       string            // in English
	Names      map[string]string // in other languages; it is found by them when they are asked for
	Also       []string          // what else it is found by, in every language, and never called
	Region     string
	Country    string
	Code       string // ISO 3166-1 alpha-2
	Feature    string // "" is PPL
	Lat, Lng   float64
	Population int // 0 is left out of the answer

	Temperature, Wind float64
	Weather           int      // WMO code
	Days              []Day    // from the server's today on
	Zone              string   // "" is UTC
	Null              []string // names of figures that are null, of now and of each day
}

// Day is the forecast of one day.
type Day struct {
	Min, Max float64
	Rain     int
	Weather  int
}

// Fault is how one call goes wrong. The zero Fault is a call that goes well.
type Fault struct {
	Status int           // not 0: an error with this status
	Reason string        // of the error; "" is a page that no Open-Meteo wrote
	Body   string        // not "": this, with status 200
	Drop   bool          // the connection ends without an answer
	Until  chan struct{} // the answer waits for this, for the client to go away, or for Close
}

// Server is the stand-in, of both APIs.
type Server struct {
	*providertest.Host
	faults providertest.Faults[Fault]
	now    time.Time

	mu      sync.Mutex
	world   []Place
	queries []url.Values
}

// New starts a server, to which it is now, that ends with the test.
func New(t testing.TB, now time.Time, world ...Place) *Server {
	s := &Server{now: now, world: world}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/search", s.serve(checkSearch, s.search))
	mux.HandleFunc("GET /v1/forecast", s.serve(checkForecast, s.forecast))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
	s.Host = providertest.Serve(mux)
	t.Cleanup(s.Close)
	return s
}

// Fail makes the next calls go wrong, each as one of faults, in order.
func (s *Server) Fail(faults ...Fault) { s.faults.Add(faults...) }

// Queries returns the queries that came in so far.
func (s *Server) Queries() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

func (s *Server) serve(check func(url.Values) string, answer func(url.Values) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		s.mu.Lock()
		s.queries = append(s.queries, q)
		s.mu.Unlock()
		fault := s.faults.Next()
		s.Hold(r, fault.Until)
		switch reason := check(q); {
		case fault.Drop:
			providertest.HangUp(w)
		case fault.Status != 0:
			refuse(w, fault.Status, fault.Reason)
		case fault.Body != "":
			_, _ = w.Write([]byte(fault.Body)) // a client that went away is the test's own doing
		case reason != "":
			refuse(w, http.StatusBadRequest, reason)
		default:
			providertest.JSON(w, "application/json; charset=utf-8", http.StatusOK, answer(q))
		}
	}
}

func refuse(w http.ResponseWriter, status int, reason string) {
	if reason == "" {
		providertest.Page(w, status)
		return
	}
	providertest.JSON(w, "application/json; charset=utf-8", status, map[string]any{"error": true, "reason": reason})
}

func known(q url.Values, names ...string) string {
	for name, values := range q {
		if !slices.Contains(names, name) || len(values) != 1 {
			return fmt.Sprintf("%q is not a parameter of a stand-in's", name)
		}
	}
	return ""
}

func checkSearch(q url.Values) string {
	if reason := known(q, "name", "count", "language", "format", "countryCode"); reason != "" {
		return reason
	}
	switch n, err := strconv.Atoi(q.Get("count")); {
	case !q.Has("name"):
		return "Parameter name must be set."
	case q.Has("count") && (err != nil || n < 1 || n > 100):
		return "Parameter count must be between 1 and 100."
	case q.Has("format") && q.Get("format") != "json":
		return "This stand-in speaks JSON."
	}
	return ""
}

// search finds a place by its own names and by its name in the language asked for: by all of it, and from three
// characters on also by its beginning.
func (s *Server) search(q url.Values) any {
	name := strings.ToLower(strings.TrimSpace(q.Get("name")))
	count, err := strconv.Atoi(q.Get("count"))
	if err != nil {
		count = 10
	}
	results := []any{}
	for i, p := range s.world {
		local := p.Names[q.Get("language")]
		found := slices.ContainsFunc(append([]string{p.Name, local}, p.Also...), func(called string) bool { return matches(name, called) })
		if len(results) < count && found {
			results = append(results, p.result(i, local))
		}
	}
	answer := map[string]any{"generationtime_ms": 0.5}
	if len(results) > 0 { // left out when nothing matches
		answer["results"] = results
	}
	return answer
}

func matches(asked, name string) bool {
	name = strings.ToLower(name)
	switch n := utf8.RuneCountInString(asked); {
	case n < 2:
		return false
	case n == 2:
		return asked == name
	}
	return strings.HasPrefix(name, asked)
}

func (p Place) result(id int, local string) map[string]any {
	out := map[string]any{
		"id": id + 1, "name": or(local, p.Name), "latitude": p.Lat, "longitude": p.Lng, "elevation": 5.0,
		"feature_code": or(p.Feature, "PPL"),
		"country_code": p.Code, "country_id": 1, "country": p.Country, "timezone": or(p.Zone, "GMT"),
	}
	if p.Region != "" {
		out["admin1"], out["admin1_id"] = p.Region, 2
	}
	if p.Population > 0 {
		out["population"] = p.Population
	}
	return out
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Figures that are known.
var (
	currentFigures = []string{"temperature_2m", "weather_code", "wind_speed_10m"}
	dailyFigures   = []string{"weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_probability_max"}
)

func checkForecast(q url.Values) string {
	if reason := known(q, "latitude", "longitude", "current", "daily", "timezone", "forecast_days"); reason != "" {
		return reason
	}
	for _, list := range []struct {
		name  string
		known []string
	}{{"current", currentFigures}, {"daily", dailyFigures}} {
		for name := range strings.SplitSeq(q.Get(list.name), ",") {
			if q.Has(list.name) && !slices.Contains(list.known, name) {
				return fmt.Sprintf("Cannot initialize a variable from invalid String value %s.", name)
			}
		}
	}
	lat, err1 := strconv.ParseFloat(q.Get("latitude"), 64)
	lng, err2 := strconv.ParseFloat(q.Get("longitude"), 64)
	days, err3 := strconv.Atoi(q.Get("forecast_days"))
	switch {
	case err1 != nil || err2 != nil:
		return "Parameter 'latitude' and 'longitude' must have the same number of elements"
	case math.Abs(lat) > 90:
		return fmt.Sprintf("Latitude must be in range of -90 to 90°. Given: %v.", lat)
	case math.Abs(lng) > 180:
		return fmt.Sprintf("Longitude must be in range of -180 to 180°. Given: %v.", lng)
	case q.Has("forecast_days") && (err3 != nil || days < 0 || days > 16):
		return fmt.Sprintf("Forecast days is invalid. Allowed range 0 to 16. Given %s.", q.Get("forecast_days"))
	case q.Has("daily") && !q.Has("timezone"):
		return "Timezone is required"
	}
	return ""
}

// forecast tells the weather of the nearest place.
func (s *Server) forecast(q url.Values) any {
	lat, _ := strconv.ParseFloat(q.Get("latitude"), 64) // checkForecast has read them
	lng, _ := strconv.ParseFloat(q.Get("longitude"), 64)
	p := slices.MinFunc(s.world, func(a, b Place) int {
		return int(math.Copysign(1, math.Hypot(a.Lat-lat, a.Lng-lng)-math.Hypot(b.Lat-lat, b.Lng-lng)))
	})
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		return map[string]any{"error": true, "reason": "Invalid timezone"}
	}
	now := s.now.In(zone)
	_, offset := now.Zone()
	days, err := strconv.Atoi(q.Get("forecast_days"))
	if err != nil {
		days = 7
	}
	return map[string]any{
		"latitude": lat, "longitude": lng, "generationtime_ms": 0.1, "utc_offset_seconds": offset, "timezone": or(p.Zone, "GMT"),
		"timezone_abbreviation": "GMT", "elevation": 5.0,
		"current_units": map[string]any{"time": "iso8601", "interval": "seconds", "temperature_2m": "°C",
			"weather_code": "wmo code", "wind_speed_10m": "km/h"},
		"current": p.some(q.Get("current"), map[string]any{
			"temperature_2m": p.Temperature, "weather_code": p.Weather, "wind_speed_10m": p.Wind,
		}, map[string]any{"time": now.Truncate(15 * time.Minute).Format("2006-01-02T15:04"), "interval": 900}),
		"daily": p.daily(q.Get("daily"), now, days),
	}
}

// daily is a list for each figure. Days that the place was not given are null.
func (p Place) daily(asked string, now time.Time, days int) map[string]any {
	dates, figures := []string{}, map[string]any{}
	lists := map[string][]any{}
	for i := range days {
		dates = append(dates, now.AddDate(0, 0, i).Format(time.DateOnly))
		day := map[string]any{"weather_code": nil, "temperature_2m_max": nil, "temperature_2m_min": nil,
			"precipitation_probability_max": nil}
		if i < len(p.Days) {
			d := p.Days[i]
			day = p.some(strings.Join(dailyFigures, ","), map[string]any{
				"weather_code": d.Weather, "temperature_2m_max": d.Max, "temperature_2m_min": d.Min,
				"precipitation_probability_max": d.Rain,
			}, map[string]any{})
		}
		for name, v := range day {
			lists[name] = append(lists[name], v)
		}
	}
	for name, list := range lists {
		figures[name] = list
	}
	return p.some(asked, figures, map[string]any{"time": dates})
}

// some adds the figures asked for to those that always come.
func (p Place) some(asked string, figures, always map[string]any) map[string]any {
	for name := range strings.SplitSeq(asked, ",") {
		if v, has := figures[name]; has {
			if _, isList := v.([]any); !isList && slices.Contains(p.Null, name) {
				v = nil
			}
			always[name] = v
		}
	}
	return always
}
