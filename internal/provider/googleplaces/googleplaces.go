// Package googleplaces finds places by Google's Places API (New).
// https://developers.google.com/maps/documentation/places/web-service/text-search
//
// A [Client] is a [discovery.Map]. Requests are tried once. From an answer only the ids of places may be stored.
package googleplaces

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/pattern"
	"merve/internal/cloud/exchange"
	"merve/internal/matter/discovery"
)

// DefaultBaseURL is Google's API.
const DefaultBaseURL = "https://places.googleapis.com"

const (
	defaultTimeout = 8 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
	maxPage        = 20      // places of one answer
	maxRadius      = 50_000  // meters
)

// fields are the fields of a place that we read. Each costs money, so we request only those that are shown.
var fields = []string{"id", "displayName", "formattedAddress", "location", "internationalPhoneNumber"}

// Client asks Google. Its methods may be called at the same time.
type Client struct {
	BaseURL string // "" is [DefaultBaseURL]
	Key     func(ctx context.Context) (string, error)
	HTTP    *http.Client  // nil is one with Go's defaults
	Timeout time.Duration // of one request; 0 is 8 s
}

// Ready implements [discovery.Map].
func (c *Client) Ready(ctx context.Context) (bool, error) {
	key, err := c.Key(ctx)
	return key != "", err
}

type search struct {
	Text     string `json:"textQuery"`
	Language string `json:"languageCode,omitempty"`
	PageSize int    `json:"pageSize"`
	Bias     *bias  `json:"locationBias,omitempty"`
}

type bias struct {
	Circle circle `json:"circle"`
}

type circle struct {
	Center point   `json:"center"`
	Radius float64 `json:"radius"`
}

type point struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// place is a place as the API has it.
type place struct {
	ID   string `json:"id"`
	Name struct {
		Text string `json:"text"`
	} `json:"displayName"`
	Address string `json:"formattedAddress"`
	At      *point `json:"location"`
	Phone   string `json:"internationalPhoneNumber"`
}

// Find implements [discovery.Map].
func (c *Client) Find(ctx context.Context, q discovery.MapQuery) ([]discovery.Place, error) {
	s := search{Text: q.Text, Language: q.Language, PageSize: min(max(q.Max, 1), maxPage)}
	if q.Near != nil {
		s.Bias = &bias{circle{point{q.Near.Lat, q.Near.Lng}, min(q.RadiusKM*1000, maxRadius)}}
	}
	body, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("google places: %w", err)
	}
	var answer struct {
		Places []place `json:"places"`
	}
	mask := "places." + strings.Join(fields, ",places.")
	if err := c.ask(ctx, http.MethodPost, "/v1/places:searchText", mask, bytes.NewReader(body), &answer); err != nil {
		return nil, err
	}
	found := make([]discovery.Place, len(answer.Places))
	for i, p := range answer.Places {
		found[i] = p.place()
	}
	return found, nil
}

// isID is the form of a place's id.
var isID = pattern.New(`^[A-Za-z0-9_-]{1,300}$`)

// Place implements [discovery.Map].
func (c *Client) Place(ctx context.Context, id, lang string) (discovery.Place, error) {
	if !isID.MatchString(id) {
		return discovery.Place{}, fault.New(fault.NotFound, "google places: not the id of a place")
	}
	var p place
	path := "/v1/places/" + id + "?" + url.Values{"languageCode": {lang}}.Encode()
	if err := c.ask(ctx, http.MethodGet, path, strings.Join(fields, ","), nil, &p); err != nil {
		return discovery.Place{}, err
	}
	return p.place(), nil
}

func (p place) place() discovery.Place {
	out := discovery.Place{ID: p.ID, Name: p.Name.Text, Address: p.Address, Phone: p.Phone}
	if p.At != nil && geo.OnEarth(p.At.Latitude, p.At.Longitude) {
		out.At = &geo.Location{Lat: p.At.Latitude, Lng: p.At.Longitude}
	}
	if !isID.MatchString(p.ID) {
		out.ID = ""
	}
	return out
}

// ask makes one request for some fields, and reads its answer into v.
func (c *Client) ask(ctx context.Context, method, path, mask string, body io.Reader, v any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	key, err := c.Key(ctx)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "google places: the key")
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")+path, body)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "google places: the address is not a URL")
	}
	req.Header.Set("X-Goog-Api-Key", key)
	req.Header.Set("X-Goog-FieldMask", mask)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "google places does not answer")
	case got.Status != http.StatusOK:
		return refused(got.Status)
	case json.Unmarshal(got.Body, v) != nil:
		return fault.New(fault.Unavailable, "google places: the answer cannot be read")
	}
	return nil
}

// refused says what an answer that is no success means.
func refused(status int) error {
	cause := fmt.Errorf("status %d", status)
	switch {
	case status == http.StatusNotFound:
		return fault.Wrap(cause, fault.NotFound, "google places does not know the place")
	case status == http.StatusTooManyRequests:
		return fault.Wrap(cause, fault.Limited, "google places is asked too often")
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return fault.Wrap(cause, fault.Internal, "google places refuses the request")
	}
	return fault.Wrap(cause, fault.Unavailable, "google places is away")
}
