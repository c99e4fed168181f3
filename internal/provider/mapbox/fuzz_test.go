package mapbox

import (
	"net/http"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/exchange"
)

// Whatever comes as an answer is places on the earth, or an error that says later.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		``, `null`, `[]`, `{}`, `{"type":"FeatureCollection"}`, `{"type":"FeatureCollection","features":null}`,
		`{"type":"FeatureCollection","features":[null]}`,
		`{"type":"FeatureCollection","features":[{"geometry":{"type":"Point","coordinates":[-111.86,40.72]},"properties":{"name":"974 2100 South","coordinates":{"accuracy":"rooftop"},"match_code":{"confidence":"low"}}}]}`,
		`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[1]}}]}`,
		`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[1e400,0]}}]}`,
		`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[33.3182,35.3364],"type":"Point"},"properties":{"name":"Harbour","mapbox_id":"x","poi_category_ids":["museum"],"metadata":{"phone":"+1"}}}]}`,
		`{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[33,35]},"properties":{"name":" ","metadata":[1]}},{"geometry":{"coordinates":[0,0]},"properties":{"name":"a"}}]}`,
		`{"message":"Not Authorized - Invalid Token"}`,
	} {
		f.Add([]byte(s), 200)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		found, err := places(body)
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("%v", err)
		}
		for _, p := range found {
			if !geo.OnEarth(p.Lat, p.Lng) {
				t.Errorf("%+v", p)
			}
		}
		box := geo.Box{West: 32, South: 34, East: 35, North: 36}
		pointsOfInterest, err := pois(body, &box)
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("%v", err)
		}
		for _, p := range pointsOfInterest {
			if !box.Holds(p.Lat, p.Lng) || p.Name == "" {
				t.Errorf("%+v", p)
			}
		}
		got := exchange.Answer{Status: status, Body: body, Header: http.Header{"Date": {"Sat, 21 Nov 2026 12:00:00 GMT"}, "X-Rate-Limit-Reset": {string(body)}}}
		if status != http.StatusOK && refusal(got) == nil {
			t.Errorf("%d is no refusal", status)
		}
	})
}

// A text that is looked up is one that Mapbox takes.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "Harbour Street 21; Kyrenia", "ş\xff", "a\x00b", "१२३ नमस्ते", "1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16-17-18-19-20-21"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := addressed(geo.Query{Text: text})
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%v", err)
			}
			return
		}
		if _, v, err := interesting(geo.Query{Text: text}); err == nil && (v.Get("q") == "" || len([]rune(v.Get("q"))) > maxSearch) {
			t.Errorf("%q is searched for as %q", text, v.Get("q"))
		}
		if q := v.Get("q"); q == "" || len([]rune(q)) > MaxText || words(q) > MaxWords {
			t.Errorf("%q becomes %q", text, q)
		}
	})
}
