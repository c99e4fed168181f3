// Package mapbox finds where an address is, by Mapbox's Geocoding API v6.
// https://docs.mapbox.com/api/search/geocoding/
//
// Without a token every call is [ErrOff], so that callers can do without. Requests are
// tried once: whether to try again is for the caller. The token travels in the address, as
// Mapbox wants it, and therefore in no error and no log line.
package mapbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/provider/exchange"
)

const (
	// DefaultBaseURL is Mapbox.
	DefaultBaseURL = "https://api.mapbox.com"

	// MaxText and MaxWords bound what can be looked up: characters, and words and numbers
	// between spaces and punctuation.
	MaxText  = 256
	MaxWords = 20

	// MaxLimit is the most places of one answer.
	MaxLimit = 10

	defaultTimeout = 5 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
)

// ErrOff is every call's error while there is no token.
var ErrOff = fault.New(fault.Unavailable, "geocoding is off: MAPBOX_TOKEN is not set")

// Client asks Mapbox. Its methods may be called at the same time.
type Client struct {
	BaseURL string                                    // "" is [DefaultBaseURL]
	Token   func(ctx context.Context) (string, error) // "" or nil is [ErrOff]
	HTTP    *http.Client                              // nil is one with Go's defaults
	Timeout time.Duration                             // of one call; 0 is 5 s
}

// Query says what to look for. All but Text may be left out.
type Query struct {
	Text     string            // an address or the name of a place, not of a business
	Country  string            // ISO 3166-1 alpha-2: nothing elsewhere is found
	Language string            // IETF tag: of the answer, and preferred
	Near     *channel.Location // places close by come first
	Limit    int               // at most this many; 0 is Mapbox's own 5

	// Stored says that the answer is going to be kept. Mapbox forbids that of other answers,
	// charges more for these, and wants a credit card or a contract on the account.
	Stored bool
}

// Place is one answer, the likeliest first.
type Place struct {
	ID         string     // Mapbox's
	Type       string     // address, street, place, …
	Name       string     // house number and street, or the place's name
	Address    string     // in full
	Lat, Lng   float64    // degrees (WGS 84)
	Accuracy   string     // of an address: rooftop, parcel, point, interpolated, approximate; of a street: intersection
	Confidence Confidence // of an address
}

// Confidence says how well an address answers the text.
type Confidence string

// Mapbox's degrees. Places that are no addresses have none.
const (
	Exact  Confidence = "exact"
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Sure reports whether the place may be taken for what was meant without asking: at most
// one part of the address was corrected, and not its house number.
func (p Place) Sure() bool { return p.Confidence == Exact || p.Confidence == High }

// Geocode returns the places that the text may mean, none when nothing was found.
//
// What cannot be looked up is [fault.Invalid], a rate limit [fault.Limited]; what may go
// better later is [fault.Unavailable], a refused token [fault.Internal].
func (c *Client) Geocode(ctx context.Context, q Query) ([]Place, error) {
	values, err := q.values()
	if err != nil {
		return nil, err
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	values.Set("access_token", token)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	got, err := c.get(ctx, "/search/geocode/v6/forward?"+values.Encode())
	if err != nil {
		return nil, fault.Wrap(fmt.Errorf("mapbox: geocode: %w", err), fault.Unavailable, "the map service does not answer")
	}
	if got.Status != http.StatusOK {
		return nil, refusal(got.Status, got.Body)
	}
	return places(got.Body)
}

func (c *Client) token(ctx context.Context) (string, error) {
	if c.Token == nil {
		return "", ErrOff
	}
	token, err := c.Token(ctx)
	if err == nil && token == "" {
		err = ErrOff
	}
	return token, err
}

// values checks q as Mapbox would, so that what it would refuse costs no request.
func (q Query) values() (url.Values, error) {
	text := strings.Join(strings.Fields(strings.ReplaceAll(q.Text, ";", ",")), " ") // Mapbox's own separator of queries
	v := url.Values{"q": {text}, "autocomplete": {"false"}}
	switch {
	case !utf8.ValidString(text):
		return nil, fault.Field("text", "must be UTF-8")
	case words(text) == 0:
		return nil, fault.Field("text", "want an address or the name of a place")
	case utf8.RuneCountInString(text) > MaxText:
		return nil, fault.Field("text", "at most %d characters", MaxText)
	case words(text) > MaxWords:
		return nil, fault.Field("text", "at most %d words", MaxWords)
	case q.Limit < 0 || q.Limit > MaxLimit:
		return nil, fault.Field("limit", "want 1 to %d", MaxLimit)
	case q.Near != nil && !valid(q.Near.Lat, q.Near.Lng):
		return nil, fault.Field("near", "lat within ±90 and lng within ±180 degrees")
	}
	if q.Near != nil {
		v.Set("proximity", degrees(q.Near.Lng)+","+degrees(q.Near.Lat))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Stored {
		v.Set("permanent", "true")
	}
	for name, value := range map[string]string{"country": q.Country, "language": q.Language} {
		if value != "" {
			v.Set(name, strings.ToLower(value))
		}
	}
	return v, nil
}

func words(text string) int {
	return len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }))
}

func valid(lat, lng float64) bool { return lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180 }

// degrees writes six places, which is 10 cm.
func degrees(d float64) string { return strconv.FormatFloat(d, 'f', 6, 64) }

func (c *Client) get(ctx context.Context, path string) (exchange.Answer, error) {
	base := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return exchange.Answer{}, errors.New("MAPBOX_BASE_URL is not an address") // the cause quotes it, token and all
	}
	req.Header.Set("Accept", "application/json")
	return exchange.Do(c.HTTP, req, maxAnswer)
}

// refusal says what an answer that is no success means.
// https://docs.mapbox.com/api/search/geocoding/#geocoding-api-errors
func refusal(status int, body []byte) error {
	var told struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(body, &told) // as the page of a proxy is; the status says enough
	err := fmt.Errorf("mapbox: geocode: HTTP %d: %.200q", status, told.Message)
	switch {
	case status == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Limited, "too many addresses are being looked up")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Wrap(err, fault.Internal, "the map service refuses the token")
	case status >= 500 || status == http.StatusRequestTimeout:
		return fault.Wrap(err, fault.Unavailable, "the map service is away")
	case status >= 400:
		return fault.Wrap(err, fault.Invalid, "the map service cannot look this up")
	}
	return fault.Wrap(err, fault.Unavailable, "the map service gave no answer")
}

// feature is the part of a GeoJSON feature (RFC 7946) that is read.
type feature struct {
	Geometry struct {
		Coordinates []float64 `json:"coordinates"` // longitude, latitude
	} `json:"geometry"`
	Properties struct {
		ID          string `json:"mapbox_id"`
		Type        string `json:"feature_type"`
		Name        string `json:"name"`
		FullAddress string `json:"full_address"`
		Formatted   string `json:"place_formatted"`
		Coordinates struct {
			Accuracy string `json:"accuracy"`
		} `json:"coordinates"`
		Match struct {
			Confidence Confidence `json:"confidence"`
		} `json:"match_code"`
	} `json:"properties"`
}

var errAnswer = fault.New(fault.Unavailable, "the map service's answer cannot be read")

// places reads an answer. A feature without a usable point is an error rather than a place
// at 0, 0.
func places(body []byte) ([]Place, error) {
	var answer struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Type != "FeatureCollection" {
		return nil, errAnswer
	}
	found := make([]Place, 0, len(answer.Features))
	for _, f := range answer.Features {
		at := f.Geometry.Coordinates
		if len(at) < 2 || !valid(at[1], at[0]) {
			return nil, errAnswer
		}
		found = append(found, f.place())
	}
	return found, nil
}

func (f feature) place() Place {
	p := f.Properties
	full := p.FullAddress
	if full == "" { // left out of some features
		full = strings.TrimSuffix(p.Name+", "+p.Formatted, ", ")
	}
	return Place{
		ID: p.ID, Type: p.Type, Name: p.Name, Address: full,
		Lng: f.Geometry.Coordinates[0], Lat: f.Geometry.Coordinates[1],
		Accuracy: p.Coordinates.Accuracy, Confidence: p.Match.Confidence,
	}
}
