package channel

import (
	"math"

	"merve/internal/fault"
)

// MaxAddress is the longest address of a location, in bytes: messages wait together in one item.
const MaxAddress = 512

// LocationInput is a location as a client sends it. Half a location is none, and not the place
// where the equator and Greenwich's meridian meet.
type LocationInput struct {
	Lat     *float64 `json:"lat"`
	Lng     *float64 `json:"lng"`
	Address string   `json:"address"`
}

// Read returns the location, or an error that names what is wrong with its form; nil for none.
// That it is on Earth is checked where it is kept.
func (in *LocationInput) Read() (*Location, error) {
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

// Kept is a location as it is kept: to about a centimetre, which no store finds too small.
func (l Location) Kept() *Location {
	round := func(degrees float64) float64 { return math.Round(degrees*1e7) / 1e7 }
	return &Location{Lat: round(l.Lat), Lng: round(l.Lng), Address: l.Address}
}
