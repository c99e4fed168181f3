package api

import (
	"math"

	"merve/internal/channel"
	"merve/internal/fault"
)

// What a message may carry beside its text, in bytes. Messages wait together in one item.
const (
	maxAddress = 512
	maxType    = 255 // of a media type, RFC 6838 §4.2
)

// place is a location as a client sends it. Half a location is none, and not the place
// where the equator and Greenwich's meridian meet.
type place struct {
	Lat     *float64 `json:"lat"`
	Lng     *float64 `json:"lng"`
	Address string   `json:"address"`
}

// read returns the location, or an error that names what is wrong with its form; nil for none.
// That it is on Earth is checked where it is kept.
func (p *place) read() (*channel.Location, error) {
	switch {
	case p == nil:
		return nil, nil
	case p.Lat == nil:
		return nil, fault.Field("location.lat", "missing")
	case p.Lng == nil:
		return nil, fault.Field("location.lng", "missing")
	case len(p.Address) > maxAddress:
		return nil, fault.Field("location.address", "at most %d bytes", maxAddress)
	}
	return kept(&channel.Location{Lat: *p.Lat, Lng: *p.Lng, Address: p.Address}), nil
}

// kept is a location as it is kept: to about a centimetre, which no store finds too small.
func kept(l *channel.Location) *channel.Location {
	round := func(degrees float64) float64 { return math.Round(degrees*1e7) / 1e7 }
	return &channel.Location{Lat: round(l.Lat), Lng: round(l.Lng), Address: l.Address}
}
