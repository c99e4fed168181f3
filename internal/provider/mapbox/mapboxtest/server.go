// Package mapboxtest is a stand-in for Mapbox's Geocoding and Search Box APIs over HTTP. A [Server]
// refuses what Mapbox would refuse, answers in Mapbox's form with the places it was given,
// and fails when told to.
//
// It is written from Mapbox's documentation and shares no code with package mapbox, so that
// a mistake in one shows in the other. https://docs.mapbox.com/api/search/geocoding/,
// https://docs.mapbox.com/api/search/search-box/
package mapboxtest

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/provider/providertest"
)

// Token is the one that servers take.
const Token = "pk.test-token-not-real"

// Place is something that there is in the server's world.
type Place struct {
	Name       string // "21 Harbour Street"
	Formatted  string // "Kyrenia, Cyprus"
	Country    string // ISO 3166-1 alpha-2, small letters
	Type       string // "" is address
	Lat, Lng   float64
	Accuracy   string // "" is rooftop, of an address
	Confidence string // "" is exact, of an address
}

// Fault is how one call goes wrong. The zero Fault is a call that goes well.
type Fault struct {
	Status  int           // not 0: an error with this status
	Message string        // of the error; "" is a page that no Mapbox wrote
	Header  http.Header   // of the error
	Body    string        // not "": this, with status 200
	Drop    bool          // the connection ends without an answer
	Until   chan struct{} // the answer waits for this, for the client to go away, or for Close
}

// Server is the stand-in.
type Server struct {
	*providertest.Host
	faults providertest.Faults[Fault]

	mu      sync.Mutex
	world   map[string][]Place // by the text that finds them
	pois    []POI
	queries []url.Values
	paths   []string
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server on a free port of this machine.
func Start() *Server {
	s := &Server{world: map[string][]Place{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /search/geocode/v6/forward", s.serve(checkText, s.find))
	mux.HandleFunc("GET /search/searchbox/v1/forward", s.serve(checkSearch, s.search))
	mux.HandleFunc("GET /search/searchbox/v1/category/{id}", s.serve(checkCategory, s.search))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
	s.Host = providertest.Serve(mux)
	return s
}

// Put has the text, in any case, find these places.
func (s *Server) Put(text string, places ...Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world[strings.ToLower(text)] = places
}

// Fail makes the next calls go wrong, each as one of faults, in order.
func (s *Server) Fail(faults ...Fault) {
	s.faults.Add(faults...)
}

// Queries returns the queries that came in so far, their tokens left out.
func (s *Server) Queries() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

// Paths returns the paths that were asked, beside [Server.Queries].
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// serve answers what check lets through with the features that find finds.
func (s *Server) serve(check func(r *http.Request, q url.Values) (int, string), find func(r *http.Request, q url.Values) []map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		tokens := q["access_token"]
		q.Del("access_token")
		s.note(r.URL.Path, q)
		fault := s.faults.Next()
		s.Hold(r, fault.Until)
		switch status, message := check(r, q); {
		case fault.Drop:
			providertest.HangUp(w)
		case fault.Status != 0:
			for name, values := range fault.Header {
				w.Header()[name] = values
			}
			refuse(w, fault.Status, fault.Message)
		case fault.Body != "":
			_, _ = w.Write([]byte(fault.Body)) // a client that went away is the test's own doing
		case len(tokens) == 0:
			refuse(w, http.StatusUnauthorized, "Not Authorized - No Token")
		case len(tokens) > 1 || tokens[0] != Token:
			refuse(w, http.StatusUnauthorized, "Not Authorized - Invalid Token")
		case status != 0:
			refuse(w, status, message)
		default:
			write(w, http.StatusOK, collection(find(r, q)))
		}
	}
}

func (s *Server) note(path string, q url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries, s.paths = append(s.queries, q), append(s.paths, path)
}

func (s *Server) find(_ *http.Request, q url.Values) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	features := []map[string]any{}
	for i, p := range s.world[strings.ToLower(q.Get("q"))] {
		if len(features) < limit(q, 5) && (!q.Has("country") || slices.Contains(strings.Split(q.Get("country"), ","), p.Country)) && inside(q, p.Lat, p.Lng) {
			features = append(features, feature(p, fmt.Sprintf("dXJuOm1ieGFkcjp%d", i)))
		}
	}
	return features
}

var (
	legalCountry  = regexp.MustCompile(`^[a-z]{2}(,[a-z]{2})*$`)
	legalLanguage = regexp.MustCompile(`^[a-z]{2}(-[A-Za-z]{2,4})*$`)
)

// checkText is what Mapbox says of an address that it does not look up.
func checkText(_ *http.Request, q url.Values) (status int, message string) {
	if message := known(q, "q", "permanent", "autocomplete", "country", "language", "limit", "proximity", "bbox"); message != "" {
		return http.StatusUnprocessableEntity, message
	}
	text := q.Get("q")
	tokens := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	switch {
	case text == "", strings.Contains(text, ";"):
		return http.StatusNotFound, "Not Found"
	case utf8.RuneCountInString(text) > 256:
		return http.StatusUnprocessableEntity, fmt.Sprintf("Query too long %d/256 characters", utf8.RuneCountInString(text))
	case len(tokens) > 20:
		return http.StatusUnprocessableEntity, fmt.Sprintf("Query too long - %d/20 tokens", len(tokens))
	}
	return narrowed(q, 10)
}

// known refuses what no stand-in knows.
func known(q url.Values, names ...string) (message string) {
	for name, values := range q {
		if !slices.Contains(names, name) || len(values) != 1 {
			return fmt.Sprintf("%q is not a parameter of a stand-in's", name)
		}
	}
	return ""
}

// narrowed checks what all endpoints take.
func narrowed(q url.Values, most int) (status int, message string) {
	switch n, err := strconv.Atoi(q.Get("limit")); {
	case q.Has("limit") && (err != nil || n < 1 || n > most):
		return http.StatusUnprocessableEntity, fmt.Sprintf("limit must be between 1 and %d", most)
	case q.Has("country") && !legalCountry.MatchString(q.Get("country")):
		return http.StatusUnprocessableEntity, fmt.Sprintf("Stack %q is not a known stack", q.Get("country"))
	case q.Has("language") && !legalLanguage.MatchString(q.Get("language")):
		return http.StatusUnprocessableEntity, fmt.Sprintf("%q is not a valid language code", q.Get("language"))
	}
	for _, name := range []string{"permanent", "autocomplete"} {
		if q.Has(name) && q.Get(name) != "true" && q.Get(name) != "false" {
			return http.StatusUnprocessableEntity, name + " must be a boolean"
		}
	}
	if _, ok := box(q); !ok {
		return http.StatusUnprocessableEntity, "BBox is not valid. Must be an array of format [minX, minY, maxX, maxY]"
	}
	return near(q)
}

// box reads west, south, east, north: a box that crosses the 180th meridian is none.
func box(q url.Values) (b [4]float64, ok bool) {
	if !q.Has("bbox") {
		return [4]float64{-180, -90, 180, 90}, true
	}
	parts := strings.Split(q.Get("bbox"), ",")
	if len(parts) != 4 {
		return b, false
	}
	for i, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.Abs(v) > []float64{180, 90}[i%2] {
			return b, false
		}
		b[i] = v
	}
	return b, b[0] < b[2] && b[1] < b[3]
}

func inside(q url.Values, lat, lng float64) bool {
	b, _ := box(q)
	return lng >= b[0] && lat >= b[1] && lng <= b[2] && lat <= b[3]
}

func limit(q url.Values, otherwise int) int {
	if n, err := strconv.Atoi(q.Get("limit")); err == nil {
		return n
	}
	return otherwise
}

func near(q url.Values) (status int, message string) {
	if !q.Has("proximity") {
		return 0, ""
	}
	lng, lat, two := strings.Cut(q.Get("proximity"), ",")
	x, err1 := strconv.ParseFloat(lng, 64)
	y, err2 := strconv.ParseFloat(lat, 64)
	switch {
	case !two || err1 != nil || err2 != nil:
		return http.StatusUnprocessableEntity, "Proximity must be an array in the form [lon, lat]"
	case x < -180 || x > 180:
		return http.StatusUnprocessableEntity, "Proximity lon value must be a number between -180 and 180"
	case y < -90 || y > 90:
		return http.StatusUnprocessableEntity, "Proximity lat value must be a number between -90 and 90"
	}
	return 0, ""
}

// collection is the GeoJSON that answers.
func collection(features []map[string]any) map[string]any {
	return map[string]any{
		"type": "FeatureCollection", "features": features,
		"attribution": fmt.Sprintf("NOTICE: © %d Mapbox and its suppliers. All rights reserved.", time.Now().Year()),
	}
}

func feature(p Place, id string) map[string]any {
	at := map[string]any{"longitude": p.Lng, "latitude": p.Lat}
	properties := map[string]any{
		"mapbox_id": id, "feature_type": p.Type, "name": p.Name, "name_preferred": p.Name, "place_formatted": p.Formatted,
		"full_address": p.Name + ", " + p.Formatted, "coordinates": at, "context": map[string]any{},
	}
	if p.Type == "" || p.Type == "address" {
		properties["feature_type"] = "address"
		at["accuracy"] = or(p.Accuracy, "rooftop")
		properties["match_code"] = map[string]any{
			"address_number": "matched", "street": "matched", "postcode": "unmatched", "place": "matched",
			"region": "not_applicable", "locality": "not_applicable", "country": "inferred", "confidence": or(p.Confidence, "exact"),
		}
	}
	return map[string]any{
		"type": "Feature", "id": id, "properties": properties,
		"geometry": map[string]any{"type": "Point", "coordinates": []float64{p.Lng, p.Lat}},
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// refuse answers with an error in Mapbox's form.
func refuse(w http.ResponseWriter, status int, message string) {
	if message == "" {
		providertest.Page(w, status)
		return
	}
	write(w, status, map[string]any{"message": message})
}

func write(w http.ResponseWriter, status int, v any) {
	providertest.JSON(w, "application/json; charset=utf-8", status, v)
}
