package mapbox_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/provider/mapbox"
	"merve/internal/provider/mapbox/mapboxtest"
)

func client(s *mapboxtest.Server) *mapbox.Client {
	return &mapbox.Client{BaseURL: s.URL(), Token: token(mapboxtest.Token), HTTP: s.Client()}
}

func token(value string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return value, nil }
}

func harbour() mapboxtest.Place {
	return mapboxtest.Place{Name: "21 Harbour Street", Formatted: "Kyrenia, Cyprus", Country: "cy", Lat: 35.34, Lng: 33.32}
}

func TestGeocode(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	s.Put("Harbour Street 21, Kyrenia", harbour(), mapboxtest.Place{Name: "Harbour Street", Formatted: "Kyrenia, Cyprus", Country: "cy", Type: "street", Lat: 35.35, Lng: 33.33})
	got, err := client(s).Geocode(t.Context(), geo.Query{
		Text: "  Harbour Street 21;\nKyrenia ", Country: "CY", Language: "EN", Near: &geo.Location{Lat: 35, Lng: -33.5}, Limit: 2, Stored: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []geo.Found{
		{ID: "dXJuOm1ieGFkcjp0", Category: "address", Name: "21 Harbour Street", Location: geo.Location{Lat: 35.34, Lng: 33.32, Address: "21 Harbour Street, Kyrenia, Cyprus"}, Sure: true},
		{ID: "dXJuOm1ieGFkcjp1", Category: "street", Name: "Harbour Street", Location: geo.Location{Lat: 35.35, Lng: 33.33, Address: "Harbour Street, Kyrenia, Cyprus"}},
	}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	asked := url.Values{
		"q": {"Harbour Street 21, Kyrenia"}, "autocomplete": {"false"}, "country": {"cy"}, "language": {"en"},
		"proximity": {"-33.500000,35.000000"}, "limit": {"2"}, "permanent": {"true"},
	}
	if diff := cmp.Diff([]url.Values{asked}, s.Queries()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestNothingFound(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	s.Put("here", harbour())
	for _, q := range []geo.Query{{Text: "nowhere"}, {Text: "here", Country: "de"}} {
		if got, err := client(s).Geocode(t.Context(), q); err != nil || len(got) != 0 {
			t.Errorf("%+v: %v, %v", q, got, err)
		}
	}
}

func TestSure(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	for confidence, want := range map[string]bool{"exact": true, "high": true, "medium": false, "low": false} {
		s.Put(confidence, mapboxtest.Place{Name: "21 Harbour Street", Confidence: confidence})
		got, err := client(s).Geocode(t.Context(), geo.Query{Text: confidence})
		if err != nil || len(got) != 1 || got[0].Sure != want {
			t.Errorf("%s: %+v, %v", confidence, got, err)
		}
	}
}

// What Mapbox would refuse costs no request.
func TestChecksBeforeAsking(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	for name, tt := range map[string]struct {
		q     geo.Query
		field string
	}{
		"nothing":        {geo.Query{Text: " \n"}, "text"},
		"no words":       {geo.Query{Text: ";;;"}, "text"},
		"too long":       {geo.Query{Text: strings.Repeat("ş", 257)}, "text"},
		"too many words": {geo.Query{Text: strings.Repeat("a ", 21)}, "text"},
		"broken text":    {geo.Query{Text: "a\xff"}, "text"},
		"limit":          {geo.Query{Text: "a", Limit: 11}, "limit"},
		"negative limit": {geo.Query{Text: "a", Limit: -1}, "limit"},
		"no such place":  {geo.Query{Text: "a", Near: &geo.Location{Lat: 91}}, "near"},
	} {
		_, err := client(s).Geocode(t.Context(), tt.q)
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, longest := range []string{strings.Repeat("ş", 256), strings.TrimSpace(strings.Repeat("a ", 20))} {
		if _, err := client(s).Geocode(t.Context(), geo.Query{Text: longest}); err != nil {
			t.Errorf("the longest: %v", err)
		}
	}
	if n := len(s.Queries()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	away := errors.New("the secret store is away")
	for name, tt := range map[string]struct {
		token func(context.Context) (string, error)
		want  error
	}{
		"no way to a token": {nil, mapbox.ErrOff},
		"no token":          {token(""), mapbox.ErrOff},
		"not to be had":     {func(context.Context) (string, error) { return "", away }, away},
	} {
		c := client(s)
		c.Token = tt.token
		if _, err := c.Geocode(t.Context(), geo.Query{Text: "x"}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Queries()) != 0 {
		t.Error("asked without a token")
	}
}

// Every answer that is none has the kind that says what to do about it, and names the token
// nowhere.
func TestFaults(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	for name, tt := range map[string]struct {
		fault mapboxtest.Fault
		kind  fault.Kind
	}{
		"rate":             {mapboxtest.Fault{Status: 429, Message: "Rate limit exceeded"}, fault.Limited},
		"token":            {mapboxtest.Fault{Status: 401, Message: "Not Authorized - Invalid Token"}, fault.Internal},
		"account":          {mapboxtest.Fault{Status: 403, Message: "Forbidden"}, fault.Internal},
		"query":            {mapboxtest.Fault{Status: 422, Message: "Query too long"}, fault.Invalid},
		"path":             {mapboxtest.Fault{Status: 404, Message: "Not Found"}, fault.Invalid},
		"broken":           {mapboxtest.Fault{Status: 500}, fault.Unavailable},
		"away":             {mapboxtest.Fault{Status: 503}, fault.Unavailable},
		"redirect":         {mapboxtest.Fault{Status: 302}, fault.Unavailable},
		"no answer":        {mapboxtest.Fault{Drop: true}, fault.Unavailable},
		"too slow":         {mapboxtest.Fault{Until: never}, fault.Unavailable},
		"a proxy's page":   {mapboxtest.Fault{Body: "<html>"}, fault.Unavailable},
		"no collection":    {mapboxtest.Fault{Body: `{}`}, fault.Unavailable},
		"no point":         {mapboxtest.Fault{Body: `{"type":"FeatureCollection","features":[{"properties":{"name":"a"}}]}`}, fault.Unavailable},
		"not on the earth": {mapboxtest.Fault{Body: `{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[0,100]}}]}`}, fault.Unavailable},
		"too long":         {mapboxtest.Fault{Body: `{"type":"` + strings.Repeat("x", 1<<20) + `"}`}, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mapboxtest.New(t)
			s.Fail(tt.fault)
			c := client(s)
			if tt.fault.Until != nil {
				c.Timeout = 20 * time.Millisecond
			}
			_, err := c.Geocode(t.Context(), geo.Query{Text: "x"})
			if !fault.Is(err, tt.kind) || strings.Contains(err.Error(), "test-token") {
				t.Errorf("%v (%s)", err, fault.KindOf(err))
			}
		})
	}
}

// The token is in no error, wherever the address comes from.
func TestTheTokenStaysOut(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://127.0.0.1:1", "http://[::1", "ftp://x", "\x00"} {
		c := &mapbox.Client{BaseURL: base, Token: token(mapboxtest.Token)}
		_, err := c.Geocode(t.Context(), geo.Query{Text: "x"})
		if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "test-token") {
			t.Errorf("%q: %v", base, err)
		}
	}
	s := mapboxtest.New(t)
	c := client(s)
	c.Token = token("another")
	if _, err := c.Geocode(t.Context(), geo.Query{Text: "x"}); !fault.Is(err, fault.Internal) || strings.Contains(err.Error(), "another") {
		t.Errorf("%v", err)
	}
}

// An address without its full form is put together from its parts.
func TestAddressOfParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ properties, want string }{
		{`{"name":"974 2100 South","place_formatted":"Salt Lake City, Utah 84106, United States"}`, "974 2100 South, Salt Lake City, Utah 84106, United States"},
		{`{"name":"Cyprus"}`, "Cyprus"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[1,2]},"properties":` + tt.properties + `}]}`))
		}))
		got, err := (&mapbox.Client{BaseURL: s.URL + "/", Token: token("x"), HTTP: s.Client()}).Geocode(t.Context(), geo.Query{Text: "x"})
		if err != nil || len(got) != 1 || got[0].Address != tt.want || got[0].Lat != 2 || got[0].Lng != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		s.Close()
	}
}

// The stand-in takes what Mapbox takes, and nothing else.
func TestStandIn(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	s.Put("x", harbour(), harbour())
	for query, want := range map[string]int{
		"q=x&access_token=" + mapboxtest.Token:                                  200,
		"q=x":                                                                   401,
		"q=x&access_token=other":                                                401,
		"access_token=" + mapboxtest.Token:                                      404,
		"q=x%3By&access_token=" + mapboxtest.Token:                              404,
		"q=x&limit=11&access_token=" + mapboxtest.Token:                         422,
		"q=x&limit=0&access_token=" + mapboxtest.Token:                          422,
		"q=x&country=cyp&access_token=" + mapboxtest.Token:                      422,
		"q=x&language=english&access_token=" + mapboxtest.Token:                 422,
		"q=x&permanent=1&access_token=" + mapboxtest.Token:                      422,
		"q=x&proximity=1&access_token=" + mapboxtest.Token:                      422,
		"q=x&proximity=181,1&access_token=" + mapboxtest.Token:                  422,
		"q=x&proximity=1,91&access_token=" + mapboxtest.Token:                   422,
		"q=x&types=address&access_token=" + mapboxtest.Token:                    422,
		"q=" + strings.Repeat("a", 257) + "&access_token=" + mapboxtest.Token:   422,
		"q=" + strings.Repeat("a+", 21) + "&access_token=" + mapboxtest.Token:   422,
		"q=x&autocomplete=false&limit=1&access_token=" + mapboxtest.Token:       200,
		"q=x&proximity=-180,-90&country=cy,tr&access_token=" + mapboxtest.Token: 200,
	} {
		resp, err := s.Client().Get(s.URL() + "/search/geocode/v6/forward?" + query)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%.60s: %d, want %d", query, resp.StatusCode, want)
		}
	}
}
