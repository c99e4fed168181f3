package place

import (
	"math"
	"slices"
	"strings"

	"merve/internal/base/geo"
)

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

func degrees(radians float64) float64 { return radians * 180 / math.Pi }

// deepest is the level of cells on which places are kept: 4 by 2 cm at the equator.
const deepest = 30

// cell is a part of the earth between two meridians and two parallels: one of 4^level that
// are of the same size in degrees, counted from the south-west.
type cell struct {
	level    int
	row, col uint32
}

// cellAt is the cell of a level that a point lies in.
func cellAt(lat, lng float64, level int) cell {
	n := float64(uint32(1) << level)
	count := func(part float64) uint32 { return uint32(min(max(math.Floor(part*n), 0), n-1)) }
	return cell{level, count((lat + 90) / 180), count((lng + 180) / 360)}
}

// width and height are those of a level's cells, in degrees.
func width(level int) float64  { return 360 / float64(uint32(1)<<level) }
func height(level int) float64 { return 180 / float64(uint32(1)<<level) }

func (c cell) quarters() []cell {
	r, k := c.row*2, c.col*2
	return []cell{{c.level + 1, r, k}, {c.level + 1, r, k + 1}, {c.level + 1, r + 1, k}, {c.level + 1, r + 1, k + 1}}
}

// alphabet is that of geohashes; it is in the order of its characters' codes.
// https://en.wikipedia.org/wiki/Geohash
const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// geohashes are the first and the last geohash of the cell, of twelve characters each. Those
// of all that lies in it are between them.
func (c cell) geohashes() (first, last string) {
	var bits uint64
	for i := c.level - 1; i >= 0; i-- {
		bits = bits<<2 | uint64(c.col>>i&1)<<1 | uint64(c.row>>i&1)
	}
	free := 2 * (deepest - c.level)
	bits <<= free
	return spell(bits), spell(bits | (1<<free - 1))
}

func spell(bits uint64) string {
	var b strings.Builder
	for shift := 2*deepest - 5; shift >= 0; shift -= 5 {
		b.WriteByte(alphabet[bits>>shift&31])
	}
	return b.String()
}

func geohash(at geo.Location) string {
	first, _ := cellAt(at.Lat, at.Lng, deepest).geohashes()
	return first
}

// distance is how far the nearest point of the cell is from a point, in metres.
func (c cell) distance(at geo.Location) float64 {
	south, west := -90+float64(c.row)*height(c.level), -180+float64(c.col)*width(c.level)
	north, east := south+height(c.level), west+width(c.level)
	if at.Lng >= west && at.Lng <= east { // straight north or south
		return radians(max(south-at.Lat, at.Lat-north, 0)) * geo.EarthRadius
	}
	return min(toMeridian(at, west, south, north), toMeridian(at, east, south, north))
}

// toMeridian is how far a point is from a piece of a meridian: from one of its ends, or from
// where the great circle through the point meets it at a right angle.
func toMeridian(at geo.Location, lng, south, north float64) float64 {
	foot := degrees(math.Atan2(math.Sin(radians(at.Lat)), math.Cos(radians(at.Lat))*math.Cos(radians(lng-at.Lng))))
	nearest := math.Inf(1)
	for _, lat := range []float64{south, north, foot} {
		if lat >= south && lat <= north {
			nearest = min(nearest, at.Meters(geo.Location{Lat: lat, Lng: lng}))
		}
	}
	return nearest
}

// cover returns the cells, four at most, that all within a radius lies in.
func cover(at geo.Location, radius float64) []cell {
	angle := radius / geo.EarthRadius * (1 + 1e-9)
	up, aside := degrees(angle), 180.0
	if sine := math.Sin(angle) / math.Cos(radians(at.Lat)); math.Abs(at.Lat)+up < 90 && sine < 1 {
		aside = degrees(math.Asin(sine))
	}
	level := 0
	for level < deepest && width(level+1) >= 2*aside && height(level+1) >= 2*up {
		level++
	}
	var cells []cell
	for _, lat := range []float64{max(at.Lat-up, -90), min(at.Lat+up, 90)} {
		for _, lng := range []float64{around(at.Lng - aside), around(at.Lng + aside)} {
			if c := cellAt(lat, lng, level); !slices.Contains(cells, c) {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// around brings a longitude back over the 180th meridian.
func around(lng float64) float64 { return math.Remainder(lng, 360) }

// middle is the point in the midst of others.
func middle(of []geo.Location) geo.Location {
	var x, y, z float64
	for _, l := range of {
		lat, lng := radians(l.Lat), radians(l.Lng)
		x, y, z = x+math.Cos(lat)*math.Cos(lng), y+math.Cos(lat)*math.Sin(lng), z+math.Sin(lat)
	}
	return geo.Location{Lat: degrees(math.Atan2(z, math.Hypot(x, y))), Lng: degrees(math.Atan2(y, x))}
}
