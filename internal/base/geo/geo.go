// Package geo has places on earth: a point, a part of the earth, a spot that may be known by its address alone, and
// what an address means on a map. All degrees are WGS 84.
//
// Messages, markets, listings, orders, rides, reports and map services all exchange places in this form, so that none
// of them has to convert another's.
package geo

import (
	"fmt"
	"math"
	"unicode/utf8"

	"merve/internal/base/fault"
)

// MaxAddress is the longest address of a location, in bytes: messages wait together in one item.
const MaxAddress = 512

// EarthRadius is the mean radius of the earth in metres (IUGG).
const EarthRadius = 6_371_008.8

// Location is a point with what it is called.
type Location struct {
	Lat     float64 `dynamodbav:"lat" json:"lat"`
	Lng     float64 `dynamodbav:"lng" json:"lng"`
	Address string  `dynamodbav:"address,omitempty" json:"address,omitempty"`
}

// OnEarth reports whether a latitude and a longitude are within ±90 and ±180 degrees.
func OnEarth(lat, lng float64) bool {
	return lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180
}

// Meters is the great-circle distance to another place, by the haversine formula on a sphere of
// the Earth's mean radius: within half a percent.
func (l Location) Meters(to Location) float64 {
	const rad = math.Pi / 180
	sin := func(x float64) float64 { return math.Sin(x * rad / 2) }
	h := sin(to.Lat-l.Lat)*sin(to.Lat-l.Lat) + math.Cos(l.Lat*rad)*math.Cos(to.Lat*rad)*sin(to.Lng-l.Lng)*sin(to.Lng-l.Lng)
	return 2 * EarthRadius * math.Asin(math.Sqrt(min(1, h)))
}

// Kept is a location as it is kept: to about a centimetre, which no store finds too small.
func (l Location) Kept() *Location {
	round := func(degrees float64) float64 { return math.Round(degrees*1e7) / 1e7 }
	return &Location{Lat: round(l.Lat), Lng: round(l.Lng), Address: l.Address}
}

// Input is a location as a client sends it. Half a location is not a location, and never means the point where the
// equator crosses the Greenwich meridian.
type Input struct {
	Lat     *float64 `json:"lat"`
	Lng     *float64 `json:"lng"`
	Address string   `json:"address"`
}

// Read returns the location, or an error that names what is wrong with its form; nil for none.
// That it is on Earth is checked where it is kept.
func (in *Input) Read() (*Location, error) {
	switch {
	case in == nil:
		return nil, nil
	case in.Lat == nil:
		return nil, fault.Field("location.lat", "missing")
	case in.Lng == nil:
		return nil, fault.Field("location.lng", "missing")
	case len(in.Address) > MaxAddress:
		return nil, fault.Field("location.address", "at most %d bytes", MaxAddress)
	}
	return Location{Lat: *in.Lat, Lng: *in.Lng, Address: in.Address}.Kept(), nil
}

// Spot is where something is or goes: an address, a point, or both.
type Spot struct {
	Address string   `dynamodbav:"address,omitempty" json:"address,omitempty"`
	Lat     *float64 `dynamodbav:"lat,omitempty" json:"lat,omitempty"`
	Lng     *float64 `dynamodbav:"lng,omitempty" json:"lng,omitempty"`
}

// Location returns the spot's point under its address; nil while nobody knows the point.
func (s Spot) Location() *Location {
	if s.Lat == nil || s.Lng == nil {
		return nil
	}
	return &Location{Lat: *s.Lat, Lng: *s.Lng, Address: s.Address}
}

// String is the spot in words, else its point; "" when it is nowhere.
func (s Spot) String() string {
	if at := s.Location(); at != nil && s.Address == "" {
		return fmt.Sprintf("%.5f, %.5f", at.Lat, at.Lng)
	}
	return s.Address
}

// Check returns an error about field when the spot is nowhere, half a point, off the earth, or has
// an address of more than longest characters.
func (s Spot) Check(field string, longest int) error {
	at := s.Location()
	switch {
	case !utf8.ValidString(s.Address) || utf8.RuneCountInString(s.Address) > longest:
		return fault.Field(field, "want an address of at most %d characters", longest)
	case (s.Lat == nil) != (s.Lng == nil):
		return fault.Field(field, "want lat and lng together")
	case at != nil && !OnEarth(at.Lat, at.Lng):
		return fault.Field(field, "lat within ±90 and lng within ±180 degrees")
	case at == nil && s.Address == "":
		return fault.Field(field, "want an address or a point")
	}
	return nil
}

// Box is a part of the earth, in degrees. It does not cross the 180th meridian.
type Box struct {
	West  float64 `dynamodbav:"west" json:"west"`
	South float64 `dynamodbav:"south" json:"south"`
	East  float64 `dynamodbav:"east" json:"east"`
	North float64 `dynamodbav:"north" json:"north"`
}

// Valid reports whether b lies on earth and has an inside.
func (b Box) Valid() bool {
	return OnEarth(b.South, b.West) && OnEarth(b.North, b.East) && b.West < b.East && b.South < b.North
}

// Holds reports whether a point lies in b or on its edge.
func (b Box) Holds(lat, lng float64) bool {
	return lat >= b.South && lat <= b.North && lng >= b.West && lng <= b.East
}

// Query says what to look for on a map. A query may leave out all but its text, and that too when
// it has a category.
type Query struct {
	Text     string    // an address, or what a place is called
	Category string    // of points of interest, by the map service's id; "" is any
	Country  string    // ISO 3166-1 alpha-2: nothing elsewhere is found
	Language string    // IETF tag: of the answer, and preferred
	Near     *Location // places close by come first
	Within   *Box      // nothing elsewhere is found
	Limit    int       // at most this many; 0 is the map service's own

	// Stored says that the answer is going to be kept, which map services forbid of other answers
	// and charge more for.
	Stored bool
}

// Found is one place that a map knows.
type Found struct {
	ID       string // the map service's
	Name     string
	Category string // what it is: address, street, pharmacy, …
	Phone    string // as the map service writes it; often missing

	Location // with the address in full

	// Sure says that nobody needs to ask whether this is the place that was meant.
	Sure bool
}
