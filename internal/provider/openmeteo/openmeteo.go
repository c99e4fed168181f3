// Package openmeteo finds places and tells their weather by Open-Meteo's geocoding and forecast APIs, which
// need no key. https://open-meteo.com/en/docs, https://open-meteo.com/en/docs/geocoding-api
//
// A [Client] is a [weather.Source]. Requests are tried once: whether to try again is for the caller.
package openmeteo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/exchange"
	"merve/internal/plan/weather"
)

const (
	// DefaultBaseURL is the forecast API, DefaultGeocodingBaseURL the geocoding API.
	DefaultBaseURL          = "https://api.open-meteo.com"
	DefaultGeocodingBaseURL = "https://geocoding-api.open-meteo.com"

	// Days is how far a forecast reaches, today being the first.
	Days = 16

	maxFound       = 50
	defaultTimeout = 3 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
)

// Client asks Open-Meteo. Its methods may be called at the same time.
type Client struct {
	BaseURL          string        // "" is [DefaultBaseURL]
	GeocodingBaseURL string        // "" is [DefaultGeocodingBaseURL]
	HTTP             *http.Client  // nil is one with Go's defaults
	Timeout          time.Duration // of one request; 0 is 3 s
}

// Search returns the places of a name in the order of the answer.
//
// A refused request is [fault.Invalid], a rate limit [fault.Limited]; what may go better later is
// [fault.Unavailable].
func (c *Client) Search(ctx context.Context, name, language string) ([]weather.Location, error) {
	query := url.Values{"name": {name}, "count": {strconv.Itoa(maxFound)}, "format": {"json"}}
	if language != "" {
		query.Set("language", strings.ToLower(language))
	}
	var answer struct {
		Results []result `json:"results"` // left out when there are none
	}
	address := endpoint(cmp.Or(c.GeocodingBaseURL, DefaultGeocodingBaseURL), "/v1/search", query)
	if err := c.ask(ctx, placeSearch, address, &answer); err != nil {
		return nil, fmt.Errorf("open-meteo: %w", err)
	}
	found := make([]weather.Location, 0, len(answer.Results))
	for _, r := range answer.Results {
		if r.Latitude == nil || r.Longitude == nil || !geo.OnEarth(*r.Latitude, *r.Longitude) {
			return nil, fmt.Errorf("open-meteo: place without a point: %w", placeSearch.unreadable())
		}
		found = append(found, r.location())
	}
	return found, nil
}

// Forecast returns the weather at a place, as it is and for [Days] days.
func (c *Client) Forecast(ctx context.Context, at weather.Location) (weather.Forecast, error) {
	query := url.Values{
		"latitude": {degrees(at.Lat)}, "longitude": {degrees(at.Lng)},
		"current":       {"temperature_2m,weather_code,wind_speed_10m"},
		"daily":         {"weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"},
		"timezone":      {"auto"},
		"forecast_days": {strconv.Itoa(Days)},
	}
	var got forecast
	if err := c.ask(ctx, weatherForecast, endpoint(cmp.Or(c.BaseURL, DefaultBaseURL), "/v1/forecast", query), &got); err != nil {
		return weather.Forecast{}, fmt.Errorf("open-meteo: %w", err)
	}
	told, err := got.told()
	if err != nil {
		return weather.Forecast{}, fmt.Errorf("open-meteo: %w: %w", weatherForecast.unreadable(), err)
	}
	return told, nil
}

// degrees writes four places, which is 10 m.
func degrees(d float64) string { return strconv.FormatFloat(d, 'f', 4, 64) }

func endpoint(base, path string, query url.Values) string {
	return strings.TrimRight(base, "/") + path + "?" + query.Encode()
}

// part is one of the two APIs, as errors call it.
type part string

const (
	placeSearch     part = "the place search"
	weatherForecast part = "the weather forecast"
)

// ask makes one request and reads the answer of a success into v.
func (c *Client) ask(ctx context.Context, of part, address string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "the address of %s is not a URL", of)
	}
	req.Header.Set("Accept", "application/json")
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s does not answer", of)
	}
	if got.Status != http.StatusOK {
		return of.refusal(got)
	}
	if err := json.Unmarshal(got.Body, v); err != nil {
		return of.unreadable()
	}
	return nil
}

func (p part) unreadable() error {
	return fault.New(fault.Unavailable, "the answer of %s cannot be read", p)
}

// refusal says what an answer that is no success means.
func (p part) refusal(got exchange.Answer) error {
	var told struct {
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(got.Body, &told) // as the page of a proxy is; the status says enough
	err := fmt.Errorf("HTTP %d: %.200q", got.Status, told.Reason)
	switch status := got.Status; {
	case status == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Limited, "%s is asked too often", p)
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return fault.Wrap(err, fault.Invalid, "%s refuses the request", p)
	}
	return fault.Wrap(err, fault.Unavailable, "%s is away", p)
}

// result is the part of a place found that is read.
type result struct {
	Name        string   `json:"name"`
	Latitude    *float64 `json:"latitude"`
	Longitude   *float64 `json:"longitude"`
	FeatureCode string   `json:"feature_code"`
	CountryCode string   `json:"country_code"`
	Country     string   `json:"country"`
	Admin1      string   `json:"admin1"`
	Population  int      `json:"population"`
}

func (r result) location() weather.Location {
	return weather.Location{
		Name: r.Name, Region: r.Admin1, Country: r.Country, CountryCode: r.CountryCode, Kind: r.FeatureCode,
		Lat: *r.Latitude, Lng: *r.Longitude, Population: r.Population,
	}
}

// forecast is the part of a forecast that is read. Times are local, without an offset; any figure may be null.
type forecast struct {
	Offset  int `json:"utc_offset_seconds"`
	Current struct {
		Time        string   `json:"time"`
		Temperature *float64 `json:"temperature_2m"`
		Code        *int     `json:"weather_code"`
		Wind        *float64 `json:"wind_speed_10m"`
	} `json:"current"`
	Daily struct {
		Time []string   `json:"time"`
		Code []*int     `json:"weather_code"`
		Max  []*float64 `json:"temperature_2m_max"`
		Min  []*float64 `json:"temperature_2m_min"`
		Rain []*int     `json:"precipitation_probability_max"`
	} `json:"daily"`
}

func (f forecast) told() (weather.Forecast, error) {
	told := weather.Forecast{Temperature: f.Current.Temperature, Wind: f.Current.Wind, Code: f.Current.Code}
	if f.Current.Time != "" {
		at, err := time.ParseInLocation("2006-01-02T15:04", f.Current.Time, time.FixedZone("", f.Offset))
		if err != nil {
			return weather.Forecast{}, err
		}
		told.At = at
	}
	for i, date := range f.Daily.Time {
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return weather.Forecast{}, err
		}
		told.Days = append(told.Days, weather.Day{
			Date: date, Min: nth(f.Daily.Min, i), Max: nth(f.Daily.Max, i), Rain: nth(f.Daily.Rain, i), Code: nth(f.Daily.Code, i),
		})
	}
	return told, nil
}

// nth returns a figure of a day, nil when the list is shorter than the days.
func nth[T any](list []*T, i int) *T {
	if i < len(list) {
		return list[i]
	}
	return nil
}
