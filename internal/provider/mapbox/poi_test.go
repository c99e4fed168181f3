package mapbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/provider/mapbox/mapboxtest"
)

func island() *geo.Box { return &geo.Box{West: 32.2, South: 34.5, East: 34.7, North: 35.8} }

func TestFind(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	s.PutPOIs(
		mapboxtest.POI{Name: "Lantern Pharmacy", Categories: []string{"pharmacy", "services"}, Address: "Harbour Road 14", Formatted: "Kyrenia, Cyprus", Phone: "+15550101201", Lat: 35.3389, Lng: 33.319},
		mapboxtest.POI{Name: "Pharmacy of the Capital", Categories: []string{"pharmacy"}, Formatted: "Nicosia", Lat: 35.18, Lng: 33.36},
		mapboxtest.POI{Name: "Pharmacy Museum", Categories: []string{"museum"}, Lat: 35.3, Lng: 33.3},
		mapboxtest.POI{Name: "Pharmacy Elsewhere", Categories: []string{"pharmacy"}, Lat: 51.5, Lng: 0},
	)
	near := &geo.Location{Lat: 35.2, Lng: 33.36}
	for name, tt := range map[string]struct {
		search geo.Query
		path   string
		asked  url.Values
		want   []string
	}{
		"words": {
			geo.Query{Text: " pharmacy;\n", Language: "TR", Near: near, Within: island(), Limit: 10}, "/search/searchbox/v1/forward",
			url.Values{"q": {"pharmacy,"}, "types": {"poi"}, "language": {"tr"}, "proximity": {"33.360000,35.200000"}, "bbox": {"32.200000,34.500000,34.700000,35.800000"}, "limit": {"10"}},
			nil,
		},
		"category": {
			geo.Query{Category: "pharmacy", Near: near, Within: island(), Limit: 25}, "/search/searchbox/v1/category/pharmacy",
			url.Values{"proximity": {"33.360000,35.200000"}, "bbox": {"32.200000,34.500000,34.700000,35.800000"}, "limit": {"25"}},
			[]string{"Pharmacy of the Capital", "Lantern Pharmacy"},
		},
		"both": {
			geo.Query{Text: "pharmacy", Category: "museum"}, "/search/searchbox/v1/forward",
			url.Values{"q": {"pharmacy"}, "types": {"poi"}, "poi_category": {"museum"}}, []string{"Pharmacy Museum"},
		},
	} {
		got, err := client(s).Find(t.Context(), tt.search)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, p := range got {
			names = append(names, p.Name)
		}
		queries, paths := s.Queries(), s.Paths()
		if diff := cmp.Diff(tt.asked, queries[len(queries)-1]); diff != "" || paths[len(paths)-1] != tt.path {
			t.Errorf("%s: asked %s (-want +got):\n%s", name, paths[len(paths)-1], diff)
		}
		if diff := cmp.Diff(tt.want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got, err := client(s).Find(t.Context(), geo.Query{Text: "lantern"})
	want := []geo.Found{{
		ID: "dXJuOm1ieHBvaTp0", Name: "Lantern Pharmacy", Category: "pharmacy", Phone: "+15550101201",
		Location: geo.Location{Lat: 35.3389, Lng: 33.319, Address: "Harbour Road 14, Kyrenia, Cyprus"},
	}}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())); err != nil || diff != "" || got[0].ID == "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A box keeps addresses within it, too.
func TestGeocodeWithin(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	away := harbour()
	away.Lat = 51
	s.Put("x", away, harbour())
	got, err := client(s).Geocode(t.Context(), geo.Query{Text: "x", Within: island(), Limit: 1})
	if err != nil || len(got) != 1 || got[0].Lat != 35.34 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What Mapbox would refuse to search for costs no request.
func TestFindChecks(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	for name, tt := range map[string]struct {
		search geo.Query
		field  string
	}{
		"nothing":         {geo.Query{}, "text"},
		"too long":        {geo.Query{Text: strings.Repeat("ş", 201)}, "text"},
		"broken text":     {geo.Query{Text: "a\xff"}, "text"},
		"limit":           {geo.Query{Text: "a", Limit: 11}, "limit"},
		"negative limit":  {geo.Query{Text: "a", Limit: -1}, "limit"},
		"category's":      {geo.Query{Category: "a", Limit: 26}, "limit"},
		"category":        {geo.Query{Category: "../v1"}, "category"},
		"with words":      {geo.Query{Text: "a", Category: "Gas Station"}, "category"},
		"point":           {geo.Query{Text: "a", Near: &geo.Location{Lng: 181}}, "near"},
		"turned box":      {geo.Query{Text: "a", Within: &geo.Box{West: 2, East: 1, South: 1, North: 2}}, "within"},
		"upside down":     {geo.Query{Text: "a", Within: &geo.Box{West: 1, East: 2, South: 2, North: 1}}, "within"},
		"box off earth":   {geo.Query{Category: "a", Within: &geo.Box{West: -181, East: 2, South: 1, North: 2}}, "within"},
		"box over a pole": {geo.Query{Category: "a", Within: &geo.Box{West: 1, East: 2, South: 1, North: 91}}, "within"},
	} {
		_, err := client(s).Find(t.Context(), tt.search)
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Queries()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Of an odd answer what can be used is used; nothing of another kind is.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"type":"FeatureCollection","features":[]}`:   0,
		`{"type":"FeatureCollection","features":null}`: 0,
		`{"type":"FeatureCollection"}`:                 0,
		`{"type":"FeatureCollection","features":[null,{"geometry":{"coordinates":[33,35]},"properties":{"name":"a","metadata":"x","poi_category_ids":null}}]}`:                                                                1,
		`{"type":"FeatureCollection","features":[{"geometry":null,"properties":{"name":"a"}},{"geometry":{"coordinates":[33,91]},"properties":{"name":"a"}},{"geometry":{"coordinates":[33,35]},"properties":{"name":" "}}]}`: 0,
		`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[1,1]},"properties":{"name":"not on the island"}}]}`:                                                                                              0,
		`{"suggestions":[{"name":"a","mapbox_id":"x"}]}`:                      -1,
		`{"type":"FeatureCollection","features":[{"properties":{"name":1}}]}`: -1,
		`{"type":"FeatureCollection","features":{}}`:                          -1,
		`<html>`: -1,
		`{"type":"FeatureCollection","features":[` + strings.Repeat("[", 20_000): -1,
	} {
		s := mapboxtest.New(t)
		s.Fail(mapboxtest.Fault{Body: body})
		got, err := client(s).Find(t.Context(), geo.Query{Text: "a", Within: island()})
		if want < 0 && !fault.Is(err, fault.Unavailable) || want >= 0 && (err != nil || len(got) != want) {
			t.Errorf("%.80s: %+v, %v", body, got, err)
		}
	}
}

// The points of interest have the errors of addresses, and a rate limit says when it ends.
func TestFindFaults(t *testing.T) {
	t.Parallel()
	date := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	limits := func(name, value string) http.Header {
		return http.Header{"Date": {date.Format(http.TimeFormat)}, name: {value}}
	}
	for name, tt := range map[string]struct {
		fault mapboxtest.Fault
		kind  fault.Kind
		says  string
	}{
		"rate":              {mapboxtest.Fault{Status: 429, Message: "Too Many Requests", Header: limits("X-Rate-Limit-Reset", "1795262442")}, fault.Limited, "again in 42 s"},
		"rate, retry after": {mapboxtest.Fault{Status: 429, Header: limits("Retry-After", "7")}, fault.Limited, "again in 7 s"},
		"rate, long ago":    {mapboxtest.Fault{Status: 429, Header: limits("X-Rate-Limit-Reset", "1")}, fault.Limited, "too many places are being looked up"},
		"rate, odd":         {mapboxtest.Fault{Status: 429, Header: limits("X-Rate-Limit-Reset", "soon")}, fault.Limited, "too many places are being looked up"},
		"token":             {mapboxtest.Fault{Status: 401, Message: "Not Authorized - Invalid Token"}, fault.Internal, ""},
		"query":             {mapboxtest.Fault{Status: 422, Message: "BBox is not valid"}, fault.Invalid, "cannot look this up"},
		"unknown category":  {mapboxtest.Fault{Status: 404, Message: "Not Found"}, fault.Invalid, "cannot look this up"},
		"away":              {mapboxtest.Fault{Status: 503}, fault.Unavailable, "away"},
		"no answer":         {mapboxtest.Fault{Drop: true}, fault.Unavailable, "does not answer"},
	} {
		s := mapboxtest.New(t)
		s.Fail(tt.fault)
		_, err := client(s).Find(t.Context(), geo.Query{Category: "pharmacy"})
		message, _ := fault.Public(err)
		if !fault.Is(err, tt.kind) || !strings.Contains(message, tt.says) || strings.Contains(err.Error(), "test-token") || strings.HasPrefix(name, "rate, o") && strings.Contains(message, "again") {
			t.Errorf("%s: %v (%s)", name, err, fault.KindOf(err))
		}
	}
	c := client(mapboxtest.New(t))
	c.Token = nil
	if _, err := c.Find(t.Context(), geo.Query{Text: "x"}); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "MAPBOX_TOKEN") {
		t.Errorf("%v", err)
	}
}

// The stand-in of the Search Box API takes what that takes, and nothing else.
func TestSearchStandIn(t *testing.T) {
	t.Parallel()
	s := mapboxtest.New(t)
	key := "access_token=" + mapboxtest.Token
	for address, want := range map[string]int{
		"searchbox/v1/forward?q=x&types=poi&" + key:                                200,
		"searchbox/v1/forward?q=x&types=poi":                                       401,
		"searchbox/v1/forward?q=x&types=poi&access_token=other":                    401,
		"searchbox/v1/forward?q=x&types=poi&" + key + "&" + key:                    401,
		"searchbox/v1/forward?types=poi&" + key:                                    400,
		"searchbox/v1/forward?q=x&" + key:                                          400,
		"searchbox/v1/forward?q=x&types=poi&session_token=1&" + key:                400,
		"searchbox/v1/forward?q=x&types=poi&limit=11&" + key:                       422,
		"searchbox/v1/forward?q=x&types=poi&bbox=32,34,35,36&" + key:               200,
		"searchbox/v1/forward?q=x&types=poi&bbox=34,32,36&" + key:                  422,
		"searchbox/v1/forward?q=x&types=poi&bbox=35,34,32,36&" + key:               422,
		"searchbox/v1/forward?q=x&types=poi&bbox=34,92,36,93&" + key:               422,
		"searchbox/v1/forward?types=poi&q=" + strings.Repeat("a", 201) + "&" + key: 400,
		"searchbox/v1/category/pharmacy?limit=25&" + key:                           200,
		"searchbox/v1/category/pharmacy?limit=26&" + key:                           422,
		"searchbox/v1/category/pharmacy?q=x&" + key:                                400,
		"searchbox/v1/category/Gas%20Station?" + key:                               404,
		"searchbox/v1/suggest?q=x&" + key:                                          404,
	} {
		resp, err := s.Client().Get(s.URL() + "/search/" + address)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%.80s: %d, want %d", address, resp.StatusCode, want)
		}
	}
}
