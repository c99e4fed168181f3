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
	"unicode/utf8"
)

// POI is a point of interest of the server's world.
type POI struct {
	Name       string
	Categories []string // canonical ids, such as pharmacy
	Address    string   // "Harbour Road 3"
	Formatted  string   // "Kyrenia, Cyprus"
	Phone      string
	Lat, Lng   float64
}

// PutPOIs adds points of interest. They are found by words of their names and categories.
func (s *Server) PutPOIs(pois ...POI) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pois = append(s.pois, pois...)
}

// searchParameters are those of /category; /forward takes some more.
func searchParameters(more ...string) []string {
	return append([]string{"language", "limit", "proximity", "bbox"}, more...)
}

// checkSearch is what Mapbox says of a text search that it does not make. It refuses more
// than 200 characters, whatever its documentation says.
func checkSearch(_ *http.Request, q url.Values) (status int, message string) {
	if message := known(q, searchParameters("q", "types", "poi_category")...); message != "" {
		return http.StatusBadRequest, message
	}
	switch text := q.Get("q"); {
	case strings.TrimSpace(text) == "":
		return http.StatusBadRequest, "q is required"
	case utf8.RuneCountInString(text) > 200:
		return http.StatusBadRequest, "Query too long"
	case q.Get("types") != "poi":
		return http.StatusBadRequest, "a stand-in has points of interest only"
	}
	return narrowed(q, 10)
}

var canonicalID = regexp.MustCompile(`^[a-z0-9_]+$`)

// checkCategory likewise of a search by category.
func checkCategory(r *http.Request, q url.Values) (status int, message string) {
	if message := known(q, searchParameters()...); message != "" {
		return http.StatusBadRequest, message
	}
	if !canonicalID.MatchString(r.PathValue("id")) {
		return http.StatusNotFound, "Category not found"
	}
	return narrowed(q, 25)
}

// search finds what has all words asked for, the nearest first when there is a point.
func (s *Server) search(r *http.Request, q url.Values) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []POI
	for _, p := range s.pois {
		category := strings.Trim(r.PathValue("id")+q.Get("poi_category"), ",")
		if inside(q, p.Lat, p.Lng) && (category == "" || slices.Contains(p.Categories, category)) && p.has(q.Get("q")) {
			found = append(found, p)
		}
	}
	if lng, lat, near := strings.Cut(q.Get("proximity"), ","); near {
		x, _ := strconv.ParseFloat(lng, 64) // was checked
		y, _ := strconv.ParseFloat(lat, 64)
		slices.SortStableFunc(found, func(a, b POI) int {
			return int(math.Copysign(1, math.Hypot(a.Lng-x, a.Lat-y)-math.Hypot(b.Lng-x, b.Lat-y)))
		})
	}
	features := []map[string]any{}
	for i, p := range found[:min(len(found), limit(q, 10))] {
		features = append(features, p.feature(i))
	}
	return features
}

func (p POI) has(text string) bool {
	own := strings.ToLower(p.Name + " " + strings.Join(p.Categories, " "))
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(own, word) {
			return false
		}
	}
	return true
}

// feature is a point of interest in the form of the Search Box API.
func (p POI) feature(i int) map[string]any {
	meta := map[string]any{}
	if p.Phone != "" {
		meta["phone"] = p.Phone
	}
	return map[string]any{
		"type":     "Feature",
		"geometry": map[string]any{"type": "Point", "coordinates": []float64{p.Lng, p.Lat}},
		"properties": map[string]any{
			"name": p.Name, "mapbox_id": fmt.Sprintf("dXJuOm1ieHBvaTp%d", i), "feature_type": "poi", "address": p.Address,
			"full_address": strings.Trim(p.Address+", "+p.Formatted, ", "), "place_formatted": p.Formatted, "context": map[string]any{},
			"coordinates": map[string]any{"longitude": p.Lng, "latitude": p.Lat}, "language": "en", "maki": "marker",
			"poi_category": p.Categories, "poi_category_ids": p.Categories, "external_ids": map[string]any{}, "metadata": meta,
		},
	}
}
