// Package schedule knows when an offering can be booked: opening hours, slots, lead
// time and price. It is pure.
//
// Slots are cut on the wall clock of the offering's zone and named by their instant in
// UTC: when clocks go back, the repeated hour has slots of its own; when they go
// forward, the hour that is not there has none.
package schedule

import (
	"slices"
	"strings"
	"time"

	"merve/internal/fault"
)

// Units of booking.
const (
	BySlot  = "slot"
	ByNight = "night"
)

// What a price is for.
const (
	PerBooking = "booking"
	PerPerson  = "person"
	PerNight   = "night"
)

// Offering is one thing that can be booked, with the rules of its calendar.
type Offering struct {
	ID              string            `dynamodbav:"id" json:"id"`
	Name            string            `dynamodbav:"name" json:"name"`
	TimeZone        string            `dynamodbav:"timeZone" json:"timeZone"`                 // IANA
	Hours           map[string][]Span `dynamodbav:"hours" json:"hours"`                       // by weekday: mon, tue, …
	Closed          []string          `dynamodbav:"closed,omitempty" json:"closed,omitempty"` // dates
	SlotMinutes     int               `dynamodbav:"slotMinutes" json:"slotMinutes"`           // the grid on which bookings start
	DurationMinutes int               `dynamodbav:"durationMinutes" json:"durationMinutes"`   // of a booking; it takes all slots it touches
	Capacity        int               `dynamodbav:"capacity" json:"capacity"`                 // bookings at a time
	LeadMinutes     int               `dynamodbav:"leadMinutes" json:"leadMinutes"`           // how long ahead at least
	HorizonDays     int               `dynamodbav:"horizonDays" json:"horizonDays"`           // how far ahead at most
	Unit            string            `dynamodbav:"unit" json:"unit"`                         // slot or night
	MinParty        int               `dynamodbav:"minParty" json:"minParty"`
	MaxParty        int               `dynamodbav:"maxParty" json:"maxParty"`
	PriceMinor      int64             `dynamodbav:"priceMinor" json:"priceMinor"`                 // minor units
	CheckIn         string            `dynamodbav:"checkIn,omitempty" json:"checkIn,omitempty"`   // of nights, HH:MM; 15:00 when empty
	CheckOut        string            `dynamodbav:"checkOut,omitempty" json:"checkOut,omitempty"` // HH:MM; 11:00 when empty
	Currency        string            `dynamodbav:"currency" json:"currency"`
	Per             string            `dynamodbav:"per" json:"per"`
}

// Span is a time of day from which to which something is open. One that ends at or
// before it begins passes midnight.
type Span struct {
	From string `dynamodbav:"from" json:"from"` // HH:MM
	To   string `dynamodbav:"to" json:"to"`     // HH:MM, 24:00 too
}

var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Check returns an error that names the first field that is wrong.
func (o Offering) Check() error {
	if o.ID == "" || strings.ContainsAny(o.ID, ":#\x00") || len(o.ID) > 80 {
		return fault.Field("offering.id", "want 1 to 80 characters without : and #")
	}
	if _, err := time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "" || o.TimeZone == "Local" {
		return fault.Field("offering.timeZone", "want an IANA name, such as Europe/Nicosia")
	}
	for day, spans := range o.Hours {
		if !slices.Contains(weekdays[:], day) {
			return fault.Field("offering.hours", "want mon, tue, wed, thu, fri, sat or sun, not %q", day)
		}
		for _, s := range spans {
			if _, _, ok := s.minutes(); !ok {
				return fault.Field("offering.hours."+day, "want spans of HH:MM, not %q to %q", s.From, s.To)
			}
		}
	}
	for _, d := range o.Closed {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			return fault.Field("offering.closed", "want dates as YYYY-MM-DD, not %q", d)
		}
	}
	for _, b := range []struct {
		field     string
		value     int
		low, high int
	}{
		{"slotMinutes", o.SlotMinutes, 5, 24 * 60}, {"durationMinutes", o.DurationMinutes, 5, 24 * 60}, {"capacity", o.Capacity, 1, 999},
		{"leadMinutes", o.LeadMinutes, 0, 365 * 24 * 60}, {"horizonDays", o.HorizonDays, 1, 730},
		{"minParty", o.MinParty, 1, 10_000}, {"maxParty", o.MaxParty, o.MinParty, 10_000},
	} {
		if b.value < b.low || b.value > b.high {
			return fault.Field("offering."+b.field, "want %d to %d", b.low, b.high)
		}
	}
	if n := o.slotsNeeded(); n > MaxSlots {
		return fault.Field("offering.durationMinutes", "takes %d slots, at most %d", n, MaxSlots)
	}
	switch {
	case o.Unit != BySlot && o.Unit != ByNight:
		return fault.Field("offering.unit", "want slot or night")
	case o.Per != PerBooking && o.Per != PerPerson && o.Per != PerNight:
		return fault.Field("offering.per", "want booking, person or night")
	case o.PriceMinor < 0:
		return fault.Field("offering.priceMinor", "want minor units, at least 0")
	case len(o.Currency) != 3:
		return fault.Field("offering.currency", "want ISO 4217, such as EUR")
	}
	return nil
}

// MaxSlots is the most slots or nights of one booking: they are locked in one transaction.
const MaxSlots = 30

func (o Offering) slotsNeeded() int {
	if o.SlotMinutes <= 0 {
		return 0
	}
	return (o.DurationMinutes + o.SlotMinutes - 1) / o.SlotMinutes
}

// zone returns the offering's time zone.
func (o Offering) zone() (*time.Location, error) {
	loc, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		return nil, fault.Field("offering.timeZone", "want an IANA name, such as Europe/Nicosia")
	}
	return loc, nil
}

// Price returns what a booking costs, in minor units.
func (o Offering) Price(party, nights int) int64 {
	switch o.Per {
	case PerPerson:
		return o.PriceMinor * int64(max(party, 1))
	case PerNight:
		return o.PriceMinor * int64(max(nights, 1))
	}
	return o.PriceMinor
}

// CheckParty checks a number of people.
func (o Offering) CheckParty(n int) error {
	if n < o.MinParty || n > o.MaxParty {
		return refuse(Party, fault.Invalid, "partySize", "want %d to %d people", o.MinParty, o.MaxParty)
	}
	return nil
}
