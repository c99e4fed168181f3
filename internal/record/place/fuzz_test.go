package place

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

// A place that comes as JSON is refused with the field that is wrong, or can be stored, found
// and shown.
func FuzzPlace(f *testing.F) {
	f.Add(`{"id":"a","marketId":"demo","names":{"en":"Beach"},"category":"beach","location":{"lat":35.3,"lng":33.3}}`, "beach")
	f.Add(`{"id":"a","marketId":"demo","names":{"tr":"Eczane"},"category":"pharmacy","location":{"lat":-90,"lng":180},"hours":{"mon":[{"from":"22:00","to":"02:00"}]},"onDuty":["2026-11-21"],"dutyWeekdays":["sat"],"duty":{"from":"08:00","to":"08:00"}}`, "ECZANE girne")
	f.Add(`{"id":"a#b","names":{"xx":""},"hours":{"mon":[{"from":"8","to":""}]},"location":{"lat":1e99}}`, "\xff")
	f.Add(`{"duty":null,"names":null}`, "")
	f.Fuzz(func(t *testing.T, body, asked string) {
		p := &Place{}
		if json.Unmarshal([]byte(body), p) != nil {
			return
		}
		if err := p.Check(); err != nil {
			if message, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field == "" || message == "" {
				t.Errorf("refused without a field: %v", err)
			}
			return
		}
		s := stored{*p, geohash(p.Location)}
		if len(s.Cell) != 12 || strings.Contains(key(p.Market, p.ID).SK, "##") || len(s.copies()) != 2 {
			t.Errorf("accepted: %+v", p)
		}
		if open, until, known := p.Open(noon, time.UTC); open && (!known || !until.After(noon) || until.Sub(noon) > 49*time.Hour) {
			t.Errorf("open until %s: %+v", until, p)
		}
		d := newDirectory([]*Place{p}, noon)
		if len(d.search(asked, "", 10)) > 1 || d.category(p.Category) != p.Category && stem(canonical(p.Category)) == stem(p.Category) {
			t.Errorf("%q, %q", asked, p.Category)
		}
		if at, _, found := d.whereabouts(asked, "en"); found && !geo.OnEarth(at.Lat, at.Lng) {
			t.Errorf("%q is at %+v", asked, at)
		}
		if l := line(asked, 20); len([]rune(l)) > 21 || strings.ContainsAny(l, "\n\r\t") {
			t.Errorf("%q becomes %q", asked, l)
		}
	})
}
