package geo_test

import (
	"math"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

func TestMeters(t *testing.T) {
	t.Parallel()
	kyrenia, nicosia := geo.Location{Lat: 35.3364, Lng: 33.3182}, geo.Location{Lat: 35.1856, Lng: 33.3823}
	for name, tt := range map[string]struct {
		a, b geo.Location
		want float64
	}{
		"none":                   {kyrenia, kyrenia, 0},
		"between two towns":      {kyrenia, nicosia, 17_749.5},
		"over the 180th":         {geo.Location{Lat: 0, Lng: 179.5}, geo.Location{Lat: 0, Lng: -179.5}, geo.EarthRadius * math.Pi / 180},
		"over the pole":          {geo.Location{Lat: 89.5, Lng: 10}, geo.Location{Lat: 89.5, Lng: -170}, geo.EarthRadius * math.Pi / 180},
		"to the other side":      {geo.Location{Lat: 10, Lng: 20}, geo.Location{Lat: -10, Lng: -160}, geo.EarthRadius * math.Pi},
		"the pole has many lngs": {geo.Location{Lat: 90, Lng: 10}, geo.Location{Lat: 90, Lng: -90}, 0},
	} {
		if got := tt.a.Meters(tt.b); math.Abs(got-tt.want) > 1 || got != tt.b.Meters(tt.a) {
			t.Errorf("%s: %.1f m, want %.1f", name, got, tt.want)
		}
	}
}

func TestSpots(t *testing.T) {
	t.Parallel()
	north, far, east := 35.3364, 90.1, 33.3182
	for name, tt := range map[string]struct {
		spot  geo.Spot
		words string
		known bool // the point
		right bool
	}{
		"nowhere":         {geo.Spot{}, "", false, false},
		"an address":      {geo.Spot{Address: "Mill Lane"}, "Mill Lane", false, true},
		"a point":         {geo.Spot{Lat: &north, Lng: &east}, "35.33640, 33.31820", true, true},
		"both":            {geo.Spot{Address: "Mill Lane", Lat: &north, Lng: &east}, "Mill Lane", true, true},
		"half a point":    {geo.Spot{Address: "Mill Lane", Lng: &east}, "Mill Lane", false, false},
		"beyond the pole": {geo.Spot{Address: "Mill Lane", Lat: &far, Lng: &east}, "Mill Lane", true, false},
		"a long address":  {geo.Spot{Address: "Mill Lane 3"}, "Mill Lane 3", false, false},
		"broken text":     {geo.Spot{Address: "a\xff"}, "a\xff", false, false},
	} {
		err := tt.spot.Check("pickup", 10)
		if tt.spot.String() != tt.words || (tt.spot.Location() != nil) != tt.known || (err == nil) != tt.right {
			t.Errorf("%s: %q, %v, %v", name, tt.spot, tt.spot.Location(), err)
		}
		if _, field := fault.Public(err); err != nil && field != "pickup" {
			t.Errorf("%s: %v names %q", name, err, field)
		}
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	island := geo.Box{West: 32.2, South: 34.5, East: 34.7, North: 35.8}
	if !island.Valid() || !island.Holds(35.3, 33.3) || !island.Holds(34.5, 32.2) || island.Holds(33, 33.3) || island.Holds(35.3, 35) {
		t.Errorf("%+v", island)
	}
	for _, b := range []geo.Box{{}, {West: 2, East: 1, North: 1}, {East: 1, South: 2, North: 1}, {West: -181, East: 1, North: 1}, {East: 1, North: 91}} {
		if b.Valid() {
			t.Errorf("%+v is valid", b)
		}
	}
}
