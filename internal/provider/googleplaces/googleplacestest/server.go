// Package googleplacestest is a stand-in for Google's Places API (New). A [Server] fails the test when a request is not
// as the API takes it, or says what is private. It shares no code with package googleplaces.
// https://developers.google.com/maps/documentation/places/web-service/text-search
package googleplacestest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/provider/providertest"
)

// Key is the key that a client has to give.
const Key = "places-key-not-real"

// Place is a place on the map.
type Place struct {
	ID, Name, Address, Phone string
	Lat, Lng                 float64
}

// Server is the stand-in.
type Server struct {
	*providertest.Host
	providertest.Requests
	t      testing.TB
	Faults providertest.Faults[int] // statuses

	mu      sync.Mutex
	places  []Place
	lookups []string
}

// New starts a server that ends with the test.
func New(t testing.TB, places ...Place) *Server {
	s := &Server{t: t, places: places}
	s.Host = providertest.Strict(t, map[string]http.HandlerFunc{"POST /v1/places:searchText": s.search, "GET /v1/places/{id}": s.place})
	return s
}

// Rename changes what the map says of a place.
func (s *Server) Rename(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.places {
		if s.places[i].ID == id {
			s.places[i].Name = name
		}
	}
}

// LookedUp are the ids of places that were looked up.
func (s *Server) LookedUp() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lookups)
}

// fields are what may be asked for, with the fields of the answer that they stand for.
var fields = map[string]bool{"id": true, "displayName": true, "formattedAddress": true, "location": true, "internationalPhoneNumber": true, "googleMapsUri": true}

// mask reads which fields are wanted. The API refuses a request without them.
func (s *Server) mask(w http.ResponseWriter, r *http.Request, prefix string) (map[string]bool, bool) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(r.Header.Get("X-Goog-FieldMask"), ",") {
		field, ok := strings.CutPrefix(name, prefix)
		if !ok || !fields[field] {
			s.t.Errorf("places: field mask %q", r.Header.Get("X-Goog-FieldMask"))
		}
		wanted[field] = true
	}
	if r.Header.Get("X-Goog-Api-Key") != Key {
		s.t.Errorf("places: headers %v", r.Header)
	}
	status := s.Faults.Next()
	if status > 0 {
		providertest.JSON(w, "application/json", status, map[string]any{"error": map[string]any{"code": status, "message": "key " + Key}})
	}
	return wanted, status == 0
}

func (p Place) json(wanted map[string]bool) map[string]any {
	all := map[string]any{
		"id": p.ID, "displayName": map[string]any{"text": p.Name, "languageCode": "en"}, "formattedAddress": p.Address, "location": map[string]any{"latitude": p.Lat, "longitude": p.Lng},
		"internationalPhoneNumber": p.Phone,
	}
	for name := range all {
		if !wanted[name] {
			delete(all, name)
		}
	}
	return all
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body struct {
		Text     string `json:"textQuery"`
		Language string `json:"languageCode"`
		PageSize int    `json:"pageSize"`
		Bias     *struct {
			Circle struct {
				Center struct{ Latitude, Longitude float64 } `json:"center"`
				Radius float64                               `json:"radius"`
			} `json:"circle"`
		} `json:"locationBias"`
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err != nil || d.Decode(&body) != nil || body.Text == "" || body.PageSize < 1 || body.PageSize > 20 || body.Bias != nil && body.Bias.Circle.Radius > 50000 || r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("places: %s", raw)
	}
	s.Take(s.t, "places", raw)
	s.mu.Lock()
	found := append([]Place{}, s.places...)
	s.mu.Unlock()
	wanted, ok := s.mask(w, r, "places.")
	if !ok {
		return
	}
	answer := map[string]any{} // an empty answer has no places
	var all []any
	for _, p := range found[:min(len(found), body.PageSize)] {
		all = append(all, p.json(wanted))
	}
	if len(all) > 0 {
		answer["places"] = all
	}
	providertest.JSON(w, "application/json", http.StatusOK, answer)
}

func (s *Server) place(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.lookups = append(s.lookups, r.PathValue("id"))
	found := append([]Place{}, s.places...)
	s.mu.Unlock()
	wanted, ok := s.mask(w, r, "")
	if !ok {
		return
	}
	for _, p := range found {
		if p.ID == r.PathValue("id") {
			providertest.JSON(w, "application/json", http.StatusOK, p.json(wanted))
			return
		}
	}
	providertest.JSON(w, "application/json", http.StatusNotFound, map[string]any{"error": map[string]any{"code": 404}})
}
