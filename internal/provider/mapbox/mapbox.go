// Package mapbox finds where an address is by Mapbox's Geocoding API v6, and shops, sights and
// other points of interest by its Search Box API.
// https://docs.mapbox.com/api/search/geocoding/, https://docs.mapbox.com/api/search/search-box/
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

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/exchange"
)

const (
	// DefaultBaseURL is Mapbox.
	DefaultBaseURL = "https://api.mapbox.com"

	// MaxText and MaxWords bound what can be looked up: characters, and words and numbers
	// between spaces and punctuation.
	MaxText  = 256
	MaxWords = 20

	// maxLimit is the most places of one answer.
	maxLimit = 10

	defaultTimeout = 5 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
)

// ErrOff is every call's error while there is no token.
var ErrOff = fault.New(fault.Unavailable, "the map service is off: MAPBOX_TOKEN is not set")

// Client asks Mapbox. Its methods may be called at the same time.
type Client struct {
	BaseURL string                                    // "" is [DefaultBaseURL]
	Token   func(ctx context.Context) (string, error) // "" or nil is [ErrOff]
	HTTP    *http.Client                              // nil is one with Go's defaults
	Timeout time.Duration                             // of one call; 0 is 5 s
}

// Geocode returns the addresses and places, not businesses, that the query's text may mean, the
// likeliest first, or none if it finds nothing. A result is sure if at most one part of the address was
// corrected, and not its house number. Mapbox requires a credit card or a contract on the account for
// answers that are stored.
//
// A query that cannot be looked up is [fault.Invalid], a rate limit [fault.Limited], a failure worth a
// retry [fault.Unavailable], a refused token [fault.Internal].
func (c *Client) Geocode(ctx context.Context, q geo.Query) ([]geo.Found, error) {
	values, err := addressed(q)
	if err != nil {
		return nil, err
	}
	body, err := c.ask(ctx, "/search/geocode/v6/forward", values)
	if err != nil {
		return nil, fmt.Errorf("mapbox: geocode: %w", err)
	}
	return places(body)
}

// ask makes one request and returns the answer of a success.
func (c *Client) ask(ctx context.Context, path string, values url.Values) ([]byte, error) {
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	values.Set("access_token", token)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	got, err := c.get(ctx, path+"?"+values.Encode())
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the map service does not answer")
	}
	if got.Status != http.StatusOK {
		return nil, refusal(got)
	}
	return got.Body, nil
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

// addressed checks q by Mapbox's rules, so that a query it would refuse costs no request.
func addressed(q geo.Query) (url.Values, error) {
	text, err := plain(q.Text, MaxText)
	if err != nil {
		return nil, err
	}
	if words(text) > MaxWords {
		return nil, fault.Field("text", "at most %d words", MaxWords)
	}
	v, err := narrow(q.Near, q.Within, q.Limit, maxLimit)
	if err != nil {
		return nil, err
	}
	v.Set("q", text)
	v.Set("autocomplete", "false")
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

// plain returns text as it is looked up.
func plain(text string, most int) (string, error) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, ";", ",")), " ") // Mapbox's own separator of queries
	switch {
	case !utf8.ValidString(text):
		return "", fault.Field("text", "must be UTF-8")
	case words(text) == 0:
		return "", fault.Field("text", "want an address or the name of a place")
	case utf8.RuneCountInString(text) > most:
		return "", fault.Field("text", "at most %d characters", most)
	}
	return text, nil
}

// narrow says where to look, and how much of it to tell.
func narrow(near *geo.Location, within *geo.Box, limit, most int) (url.Values, error) {
	v := url.Values{}
	switch {
	case limit < 0 || limit > most:
		return nil, fault.Field("limit", "want 1 to %d", most)
	case near != nil && !geo.OnEarth(near.Lat, near.Lng):
		return nil, fault.Field("near", "lat within ±90 and lng within ±180 degrees")
	case within != nil && !within.Valid():
		return nil, fault.Field("within", "west below east within ±180, south below north within ±90 degrees")
	}
	if near != nil {
		v.Set("proximity", degrees(near.Lng)+","+degrees(near.Lat))
	}
	if within != nil {
		v.Set("bbox", strings.Join([]string{degrees(within.West), degrees(within.South), degrees(within.East), degrees(within.North)}, ","))
	}
	if limit > 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	return v, nil
}

func words(text string) int {
	return len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }))
}

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
func refusal(got exchange.Answer) error {
	var told struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(got.Body, &told) // as the page of a proxy is; the status says enough
	err := fmt.Errorf("HTTP %d: %.200q", got.Status, told.Message)
	switch status := got.Status; {
	case status == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Limited, "too many places are being looked up%s", again(got.Header))
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Wrap(err, fault.Internal, "the map service refuses the token")
	case status >= 500 || status == http.StatusRequestTimeout:
		return fault.Wrap(err, fault.Unavailable, "the map service is away")
	case status >= 400:
		return fault.Wrap(err, fault.Invalid, "the map service cannot look this up")
	}
	return fault.Wrap(err, fault.Unavailable, "the map service gave no answer")
}

// again says when a rate limit ends, by the clock that set it. X-Rate-Limit-Reset counts the
// seconds since 1970. https://docs.mapbox.com/api/overview/#rate-limits
func again(header http.Header) string {
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return ""
	}
	wait := exchange.RetryAfter(header, now)
	if reset, err := strconv.ParseInt(header.Get("X-Rate-Limit-Reset"), 10, 64); wait == 0 && err == nil {
		wait = min(time.Unix(reset, 0).Sub(now), exchange.MaxWait)
	}
	if wait <= 0 {
		return ""
	}
	return fmt.Sprintf("; again in %d s", int(wait.Seconds()))
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
		Match       struct {
			Confidence string `json:"confidence"` // exact, high, medium, low; places that are no addresses have none
		} `json:"match_code"`
	} `json:"properties"`
}

var errAnswer = fault.New(fault.Unavailable, "the map service's answer cannot be read")

// places reads an answer. A feature without a usable point is an error rather than a place
// at 0, 0.
func places(body []byte) ([]geo.Found, error) {
	var answer struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Type != "FeatureCollection" {
		return nil, errAnswer
	}
	found := make([]geo.Found, 0, len(answer.Features))
	for _, f := range answer.Features {
		at := f.Geometry.Coordinates
		if len(at) < 2 || !geo.OnEarth(at[1], at[0]) {
			return nil, errAnswer
		}
		found = append(found, f.place())
	}
	return found, nil
}

func (f feature) place() geo.Found {
	p := f.Properties
	full := p.FullAddress
	if full == "" { // left out of some features
		full = strings.TrimSuffix(p.Name+", "+p.Formatted, ", ")
	}
	return geo.Found{
		ID: p.ID, Name: p.Name, Category: p.Type,
		Location: geo.Location{Lat: f.Geometry.Coordinates[1], Lng: f.Geometry.Coordinates[0], Address: full},
		Sure:     p.Match.Confidence == "exact" || p.Match.Confidence == "high",
	}
}
