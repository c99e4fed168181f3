package mapbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/pattern"
)

const (
	// maxSearch bounds the search words for points of interest, in characters:
	// Mapbox names 256 and refuses more than 200.
	maxSearch = 200

	// maxOfCategory is the most points of interest in one answer to a search without words.
	maxOfCategory = 25
)

// Find returns shops, sights, stations and other points of interest, by words, by category (Mapbox's
// canonical id, such as pharmacy or gas_station) or by both: the likeliest first, none if it finds nothing.
// Each has a name. Mapbox does not allow its answers to be stored for later searches. Errors are
// those of [Client.Geocode].
func (c *Client) Find(ctx context.Context, q geo.Query) ([]geo.Found, error) {
	path, values, err := interesting(q)
	if err != nil {
		return nil, err
	}
	body, err := c.ask(ctx, path, values)
	if err != nil {
		return nil, fmt.Errorf("mapbox: find: %w", err)
	}
	return pois(body, q.Within)
}

var canonical = pattern.New(`^[a-z0-9_]{1,64}$`)

// interesting returns the endpoint that answers q, and its parameters. The third endpoint, /suggest,
// gives no coordinates. https://docs.mapbox.com/api/search/search-box/#text-search,
// https://docs.mapbox.com/api/search/search-box/#category-search
func interesting(q geo.Query) (path string, v url.Values, err error) {
	if q.Category != "" && !canonical.MatchString(q.Category) {
		return "", nil, fault.Field("category", "want a canonical id, such as pharmacy or gas_station")
	}
	if q.Text == "" && q.Category != "" {
		path = "/search/searchbox/v1/category/" + q.Category
		v, err = narrow(q.Near, q.Within, q.Limit, maxOfCategory)
	} else {
		path = "/search/searchbox/v1/forward"
		v, err = worded(q)
	}
	if err == nil && q.Language != "" {
		v.Set("language", strings.ToLower(q.Language))
	}
	return path, v, err
}

func worded(q geo.Query) (url.Values, error) {
	text, err := plain(q.Text, maxSearch)
	if err != nil {
		return nil, err
	}
	v, err := narrow(q.Near, q.Within, q.Limit, maxLimit)
	if err != nil {
		return nil, err
	}
	v.Set("q", text)
	v.Set("types", "poi")
	if q.Category != "" {
		v.Set("poi_category", q.Category)
	}
	return v, nil
}

// interest is the part of a feature of the Search Box API that is read.
type interest struct {
	Geometry struct {
		Coordinates []float64 `json:"coordinates"` // longitude, latitude
	} `json:"geometry"`
	Properties struct {
		ID          string          `json:"mapbox_id"`
		Name        string          `json:"name"`
		Preferred   string          `json:"name_preferred"`
		FullAddress string          `json:"full_address"`
		Address     string          `json:"address"`
		Formatted   string          `json:"place_formatted"`
		Categories  []string        `json:"poi_category_ids"`
		Metadata    json.RawMessage `json:"metadata"` // of many shapes
	} `json:"properties"`
}

// pois reads an answer. It drops results without a name or a usable point, and results outside of the
// area searched: the others are still useful.
func pois(body []byte, within *geo.Box) ([]geo.Found, error) {
	var answer struct {
		Type     string     `json:"type"`
		Features []interest `json:"features"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Type != "FeatureCollection" {
		return nil, errAnswer
	}
	found := make([]geo.Found, 0, len(answer.Features))
	for _, f := range answer.Features {
		at := f.Geometry.Coordinates
		if len(at) < 2 || !geo.OnEarth(at[1], at[0]) || within != nil && !within.Holds(at[1], at[0]) {
			continue
		}
		if p := f.poi(); p.Name != "" {
			found = append(found, p)
		}
	}
	return found, nil
}

func (f interest) poi() geo.Found {
	p := f.Properties
	var meta struct {
		Phone string `json:"phone"`
	}
	_ = json.Unmarshal(p.Metadata, &meta) // without one, it has no phone number
	name := p.Preferred
	if strings.TrimSpace(name) == "" {
		name = p.Name
	}
	full := p.FullAddress
	if full == "" {
		full = strings.Trim(p.Address+", "+p.Formatted, ", ")
	}
	return geo.Found{
		ID: p.ID, Name: strings.TrimSpace(name), Category: strings.Join(p.Categories[:min(len(p.Categories), 1)], ""), Phone: meta.Phone,
		Location: geo.Location{Lat: f.Geometry.Coordinates[1], Lng: f.Geometry.Coordinates[0], Address: full},
	}
}
