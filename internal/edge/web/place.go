package web

import (
	"fmt"
	"math"
)

// A place is a point on the earth, drawn on a sketch of one pixel to a metre.
type place struct{ Lat, Lng float64 }

// Size of the sketch in pixels, so in metres; the place is in its middle.
const (
	sketchWidth  = 320.0
	sketchHeight = 200.0
)

const (
	metresPerDegree = 111_320 // of latitude, and of longitude at the equator
	leastApart      = 60      // pixels between two lines
)

// String is the place as maps write it, good to a metre.
func (p place) String() string { return fmt.Sprintf("%.5f, %.5f", p.Lat, p.Lng) }

// Map is the address of the place on OpenStreetMap.
func (p place) Map() string {
	return fmt.Sprintf("https://www.openstreetmap.org/?mlat=%.5f&mlon=%.5f#map=18/%.5f/%.5f", p.Lat, p.Lng, p.Lat, p.Lng)
}

// A gridLine of the sketch, At pixels from its left or upper edge.
type gridLine struct {
	At    float64
	Label string
}

// Meridians are lines of equal longitude.
func (p place) Meridians() []gridLine {
	scale := metresPerDegree * math.Cos(p.Lat*math.Pi/180)
	return grid(p.Lng, scale, sketchWidth)
}

// Parallels are lines of equal latitude. North is up.
func (p place) Parallels() []gridLine {
	lines := grid(p.Lat, metresPerDegree, sketchHeight)
	for i := range lines {
		lines[i].At = sketchHeight - lines[i].At
	}
	return lines
}

// grid returns lines at round degrees along an axis of size pixels with centre in its middle;
// none so close to a pole that no step is fine enough.
func grid(centre, pixelsPerDegree, size float64) []gridLine {
	for _, step := range []float64{.001, .002, .005, .01, .02, .05, .1} {
		if step*pixelsPerDegree < leastApart {
			continue
		}
		var lines []gridLine
		first := math.Ceil((centre - size/2/pixelsPerDegree) / step)
		for n := first; ; n++ {
			at := (n*step-centre)*pixelsPerDegree + size/2
			if at > size {
				return lines
			}
			line := gridLine{At: math.Round(at*10) / 10}
			if at < size-leastApart/2 { // else its label has no room
				line.Label = fmt.Sprintf("%.3f°", n*step)
			}
			lines = append(lines, line)
		}
	}
	return nil
}
