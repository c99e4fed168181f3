package mapbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/pattern"
)

const (
	// MaxSearch bounds the words by which points of interest are looked up, in characters:
	// Mapbox names 256 and refuses more than 200.
	MaxSearch = 200

	// MaxOfCategory is the most points of interest of one answer when no words are asked for.
	MaxOfCategory = 25
)

// Box is a part of the earth, in degrees. It does not cross the 180th meridian: Mapbox
// takes no such box.
type Box struct {
	West, South, East, North float64
}

func (b Box) valid() bool {
	return channel.OnEarth(b.South, b.West) && channel.OnEarth(b.North, b.East) && b.West < b.East && b.South < b.North
}

func (b Box) holds(lat, lng float64) bool {
	return lat >= b.South && lat <= b.North && lng >= b.West && lng <= b.East
}

// Search says which points of interest to look for: by words, by category, or by both.
type Search struct {
	Text     string            // a name, a brand, or what it is
	Category string            // Mapbox's canonical id, such as pharmacy or gas_station
	Language string            // IETF tag: of the answer
	Near     *channel.Location // those close by come first
	Within   *Box              // nothing elsewhere is found
	Limit    int               // at most this many; 0 is Mapbox's own
}

// POI is a point of interest: a shop, a sight, a station, …
type POI struct {
	ID         string   // Mapbox's
	Name       string   // never empty
	Categories []string // canonical ids
	Address    string
	Phone      string  // as Mapbox writes it; often missing
	Lat, Lng   float64 // degrees (WGS 84)
}

// Find returns points of interest, the likeliest first, none when nothing was found. Mapbox
// does not allow that its answer is kept for later searches. Errors are those of
// [Client.Geocode].
func (c *Client) Find(ctx context.Context, s Search) ([]POI, error) {
	path, values, err := s.request()
	if err != nil {
		return nil, err
	}
	body, err := c.ask(ctx, path, values)
	if err != nil {
		return nil, fmt.Errorf("mapbox: find: %w", err)
	}
	return pois(body, s.Within)
}

var canonical = pattern.New(`^[a-z0-9_]{1,64}$`)

// request is the endpoint that answers s, and what it is asked: /suggest, the third one,
// gives no coordinates. https://docs.mapbox.com/api/search/search-box/#text-search,
// https://docs.mapbox.com/api/search/search-box/#category-search
func (s Search) request() (path string, v url.Values, err error) {
	if s.Category != "" && !canonical.MatchString(s.Category) {
		return "", nil, fault.Field("category", "want a canonical id, such as pharmacy or gas_station")
	}
	if s.Text == "" && s.Category != "" {
		path = "/search/searchbox/v1/category/" + s.Category
		v, err = narrow(s.Near, s.Within, s.Limit, MaxOfCategory)
	} else {
		path = "/search/searchbox/v1/forward"
		v, err = s.words()
	}
	if err == nil && s.Language != "" {
		v.Set("language", strings.ToLower(s.Language))
	}
	return path, v, err
}

func (s Search) words() (url.Values, error) {
	text, err := plain(s.Text, MaxSearch)
	if err != nil {
		return nil, err
	}
	v, err := narrow(s.Near, s.Within, s.Limit, MaxLimit)
	if err != nil {
		return nil, err
	}
	v.Set("q", text)
	v.Set("types", "poi")
	if s.Category != "" {
		v.Set("poi_category", s.Category)
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

// pois reads an answer. What has no name or no usable point, and what lies outside of where
// was looked, is left out: the others are of use all the same.
func pois(body []byte, within *Box) ([]POI, error) {
	var answer struct {
		Type     string     `json:"type"`
		Features []interest `json:"features"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Type != "FeatureCollection" {
		return nil, errAnswer
	}
	found := make([]POI, 0, len(answer.Features))
	for _, f := range answer.Features {
		at := f.Geometry.Coordinates
		if len(at) < 2 || !channel.OnEarth(at[1], at[0]) || within != nil && !within.holds(at[1], at[0]) {
			continue
		}
		if p := f.poi(); p.Name != "" {
			found = append(found, p)
		}
	}
	return found, nil
}

func (f interest) poi() POI {
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
	return POI{
		ID: p.ID, Name: strings.TrimSpace(name), Categories: p.Categories, Address: full, Phone: meta.Phone,
		Lat: f.Geometry.Coordinates[1], Lng: f.Geometry.Coordinates[0],
	}
}
