package order_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/geo"
	"merve/internal/matter/order"
)

// A business is told where to, when and for how much as far as that is known, and of what is not
// it is told nothing.
func TestVars(t *testing.T) {
	t.Parallel()
	lat, lng := 35.3364, 33.3199
	pin := "https://www.openstreetmap.org/?mlat=35.33640&mlon=33.31990#map=17/35.33640/33.31990"
	for name, tt := range map[string]struct {
		o    order.Order
		want map[string]string
	}{
		"nothing":             {order.Order{}, nil},
		"a place in words":    {order.Order{Delivery: &geo.Spot{Address: "Harbour Street 21"}}, map[string]string{"address": "“Harbour Street 21”"}},
		"a place on the map":  {order.Order{Delivery: &geo.Spot{Lat: &lat, Lng: &lng}}, map[string]string{"address": "35.33640, 33.31990", "map": pin}},
		"a place in both":     {order.Order{Delivery: &geo.Spot{Address: "Harbour", Lat: &lat, Lng: &lng}}, map[string]string{"address": "“Harbour”", "map": pin}},
		"no place after all":  {order.Order{Delivery: &geo.Spot{}}, nil},
		"a time and a price":  {order.Order{When: noon, TimeZone: "UTC", TotalMinor: 450, Currency: "EUR"}, map[string]string{"when": "Mon 23 Nov 2026, 12:00", "total": "€4.50"}},
		"when it is expected": {order.Order{ETA: noon.Add(time.Hour), TimeZone: "UTC"}, map[string]string{"eta": "Mon 23 Nov 2026, 13:00"}},
	} {
		got := order.Vars("en", tt.o)
		maps.DeleteFunc(got, func(_, said string) bool { return said == "" })
		if d := cmp.Diff(tt.want, map[string]string(got)); d != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%s: %s", name, d)
		}
	}
}
