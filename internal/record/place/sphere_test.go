package place

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"merve/internal/base/geo"
	"merve/internal/base/seedtest"
)

// Geohashes are those of everybody else.
func TestGeohash(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]geo.Location{
		"u4pruydqqvj8": {Lat: 57.64911, Lng: 10.40744}, // Wikipedia's example
		"000000000000": {Lat: -90, Lng: -180},
		"zzzzzzzzzzzz": {Lat: 90, Lng: 180},
		"s00000000000": {},
		"gcpvj0":       {Lat: 51.5074, Lng: -0.1278},
		"ezs42":        {Lat: 42.605, Lng: -5.603},
	} {
		if got := geohash(at); !strings.HasPrefix(got, want) || len(got) != 12 {
			t.Errorf("%+v: %s, want %s", at, got, want)
		}
	}
}

// somewhere is a point anywhere, with a liking for where maps end.
func somewhere(r *rand.Rand) geo.Location {
	lat, lng := degrees(math.Asin(2*r.Float64()-1)), 360*r.Float64()-180
	switch r.IntN(6) {
	case 0:
		lat = []float64{-90, 90, 0}[r.IntN(3)]
	case 1:
		lng = []float64{-180, 180, 0}[r.IntN(3)]
	case 2:
		lat = math.Copysign(90-r.Float64(), lat)
	case 3:
		lng = math.Copysign(180-r.Float64(), lng)
	}
	return geo.Location{Lat: lat, Lng: lng}
}

// beside is a point up to a distance away, in metres.
func beside(r *rand.Rand, at geo.Location, meters float64) geo.Location {
	d, bearing := meters*math.Sqrt(r.Float64())/geo.EarthRadius, 2*math.Pi*r.Float64()
	lat := math.Asin(min(max(math.Sin(radians(at.Lat))*math.Cos(d)+math.Cos(radians(at.Lat))*math.Sin(d)*math.Cos(bearing), -1), 1))
	lng := radians(at.Lng) + math.Atan2(math.Sin(bearing)*math.Sin(d)*math.Cos(radians(at.Lat)), math.Cos(d)-math.Sin(radians(at.Lat))*math.Sin(lat))
	return geo.Location{Lat: degrees(lat), Lng: math.Mod(degrees(lng)+540, 360) - 180}
}

// A circle lies in the cells that cover it, of which there are few; a point is no nearer than
// the cell that it lies in.
func TestCover(t *testing.T) {
	t.Parallel()
	r := seedtest.Rand(t)
	for range seedtest.Times(t, 5_000) {
		at, radius := somewhere(r), math.Pow(10, 5*r.Float64())
		point := beside(r, at, radius*0.999)
		cells := cover(at, radius)
		i := slices.IndexFunc(cells, func(c cell) bool { return cellAt(point.Lat, point.Lng, c.level) == c })
		if len(cells) > 4 || i < 0 {
			t.Fatalf("%+v within %.0f m of %+v is in none of %+v", point, radius, at, cells)
		}
		for c := cells[i]; c.level < 24; {
			if d, real := c.distance(at), at.Meters(point); d > real+slack {
				t.Fatalf("%+v is %.3f m from %+v, but %+v in it %.3f m", c, d, at, point, real)
			}
			first, last := c.geohashes()
			if h := geohash(point); h < first || h > last {
				t.Fatalf("%s is not between %s and %s", h, first, last)
			}
			quarters := c.quarters()
			i := slices.Index(quarters, cellAt(point.Lat, point.Lng, c.level+1))
			if i < 0 {
				t.Fatalf("%+v is in no quarter of %+v", point, c)
			}
			c = quarters[i]
		}
	}
}

// The nearest point of a cell is as far as the cell.
func TestCellDistance(t *testing.T) {
	t.Parallel()
	r := seedtest.Rand(t)
	for range 60 {
		at, c := somewhere(r), cellAt(0, 0, 0)
		for range 1 + r.IntN(6) {
			c = c.quarters()[r.IntN(4)]
		}
		nearest := math.Inf(1)
		const n = 200
		for i := range n + 1 {
			for j := range n + 1 {
				lat := -90 + (float64(c.row)+float64(i)/n)*height(c.level)
				lng := -180 + (float64(c.col)+float64(j)/n)*width(c.level)
				nearest = min(nearest, at.Meters(geo.Location{Lat: lat, Lng: lng}))
			}
		}
		if d := c.distance(at); d > nearest+slack || nearest-d > geo.EarthRadius*radians(width(c.level))/n {
			t.Errorf("%+v from %+v: %.0f m, tried %.0f m", c, at, d, nearest)
		}
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	got := middle([]geo.Location{{Lat: 1, Lng: 179}, {Lat: -1, Lng: -179}})
	if math.Abs(got.Lat) > 1e-9 || math.Abs(math.Abs(got.Lng)-180) > 1e-9 {
		t.Errorf("%+v", got)
	}
}
