// Package schedule knows when an offering can be booked: opening hours, slots, nights,
// lead time, party size and price. It is pure: it knows no bookings, and every answer
// follows from the offering, the time it is given and the time zone database.
//
// Slots are cut on the wall clock of the offering's zone and named by their instant in
// UTC: when clocks go back, the repeated hour has slots of its own; when they go
// forward, the hour that is not there has none. A slot lasts until the next one begins.
// A night is named by its local date alone, so that it stays the same night when check-in
// is changed.
package schedule

import (
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/base/pattern"
)

// Unit is what a booking takes.
type Unit string

const (
	BySlot  Unit = "slot"
	ByNight Unit = "night"
)

// Per is what a price is for.
type Per string

const (
	PerBooking Per = "booking"
	PerPerson  Per = "person" // and night, where nights are booked
	PerNight   Per = "night"
)

// Offering is one thing that can be booked, with the rules of its calendar. Those of one business
// that have the same id, at whichever of its listings, are the same thing: what is booked of one
// is taken of all, so they are to have the same slots: the same [Grid]. It stays with its unit.
type Offering struct {
	ID              string            `dynamodbav:"id" json:"id"`
	Name            string            `dynamodbav:"name" json:"name"`
	TimeZone        string            `dynamodbav:"timeZone" json:"timeZone"`                 // IANA
	Hours           map[string][]Span `dynamodbav:"hours" json:"hours"`                       // by weekday: mon, tue, …; of nights the days of arrival, every day when empty
	Closed          []string          `dynamodbav:"closed,omitempty" json:"closed,omitempty"` // dates
	SlotMinutes     int               `dynamodbav:"slotMinutes" json:"slotMinutes"`           // the grid on which bookings start
	DurationMinutes int               `dynamodbav:"durationMinutes" json:"durationMinutes"`   // of a booking; it takes all slots it touches
	Capacity        int               `dynamodbav:"capacity" json:"capacity"`                 // bookings at a time
	LeadMinutes     int               `dynamodbav:"leadMinutes" json:"leadMinutes"`           // how long ahead at least, a minute for slots
	HorizonDays     int               `dynamodbav:"horizonDays" json:"horizonDays"`           // how far ahead at most
	Unit            Unit              `dynamodbav:"unit" json:"unit"`                         // slot or night
	MinParty        int               `dynamodbav:"minParty" json:"minParty"`
	MaxParty        int               `dynamodbav:"maxParty" json:"maxParty"`
	PriceMinor      int64             `dynamodbav:"priceMinor" json:"priceMinor"`                 // minor units
	CheckIn         string            `dynamodbav:"checkIn,omitempty" json:"checkIn,omitempty"`   // of nights, HH:MM; 15:00 when empty
	CheckOut        string            `dynamodbav:"checkOut,omitempty" json:"checkOut,omitempty"` // HH:MM; 11:00 when empty
	Currency        string            `dynamodbav:"currency" json:"currency"`
	Per             Per               `dynamodbav:"per" json:"per"`
	Deposit         *Deposit          `dynamodbav:"deposit,omitempty" json:"deposit,omitempty"` // nil: nothing is paid ahead
	NoShows         *NoShows          `dynamodbav:"noShows,omitempty" json:"noShows,omitempty"` // nil: nobody is asked for more
}

// Span is the hours of one opening. One that ends before it begins passes midnight; a whole day is 00:00 to 24:00.
type Span struct {
	From string `dynamodbav:"from" json:"from"` // HH:MM
	To   string `dynamodbav:"to" json:"to"`     // HH:MM, 24:00 too
}

var currency = pattern.New(`^[A-Z]{3}$`)

// IsCurrency reports whether code is in the form of ISO 4217. What is paid is compared with it
// letter by letter.
func IsCurrency(code string) bool { return currency.MatchString(code) }

// MaxMinor is the highest price, in minor units: what it comes to for all people and nights, or
// for all that one can order, can still be counted.
const MaxMinor = 10_000_000_000_000

// IsPrice reports whether so many minor units can be a price.
func IsPrice(minor int64) bool { return minor >= 0 && minor <= MaxMinor }

// NoPrice is the error about minor units in a field that can be no price.
func NoPrice(field string) error { return fault.Field(field, "want minor units, 0 to %d", MaxMinor) }

func weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// Check returns an error that names the first field that is wrong.
func (o Offering) Check() error {
	if !ident.Legal.MatchString(o.ID) {
		return fault.Field("offering.id", ident.WantLegal)
	}
	if _, err := time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "" || o.TimeZone == "Local" {
		return fault.Field("offering.timeZone", "want an IANA name, such as Europe/Nicosia")
	}
	for day, spans := range o.Hours {
		if !slices.Contains(weekdays(), day) {
			return fault.Field("offering.hours", "want one of %v, not %q", weekdays(), day)
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
		{"capacity", o.Capacity, 1, 999},
		{"leadMinutes", o.LeadMinutes, 0, 365 * 24 * 60}, {"horizonDays", o.HorizonDays, 1, 730},
		{"minParty", o.MinParty, 1, 10_000}, {"maxParty", o.MaxParty, o.MinParty, 10_000},
	} {
		if b.value < b.low || b.value > b.high {
			return fault.Field("offering."+b.field, "want %d to %d", b.low, b.high)
		}
	}
	switch {
	case o.Unit != BySlot && o.Unit != ByNight:
		return fault.Field("offering.unit", "want slot or night")
	case o.Unit == BySlot && (o.SlotMinutes < 5 || o.SlotMinutes > 24*60):
		return fault.Field("offering.slotMinutes", "want 5 to 1440")
	case o.Unit == BySlot && (o.DurationMinutes < 5 || o.DurationMinutes > MaxSlots*o.SlotMinutes):
		return fault.Field("offering.durationMinutes", "want at least 5 and at most %d slots", MaxSlots)
	case o.Unit == BySlot && o.Per == PerNight:
		return fault.Field("offering.per", "want booking or person, as no nights are booked")
	case o.Per != PerBooking && o.Per != PerPerson && o.Per != PerNight:
		return fault.Field("offering.per", "want booking, person or night")
	case !IsPrice(o.PriceMinor):
		return NoPrice("offering.priceMinor")
	case !IsCurrency(o.Currency):
		return fault.Field("offering.currency", "want ISO 4217 in capitals, such as EUR")
	case (o.Deposit != nil || o.NoShows != nil && o.NoShows.Deposit != nil) && o.PriceMinor%payable(o.Currency) != 0:
		return fault.Field("offering.priceMinor", "want a multiple of %d minor units of %s, which is what can be paid ahead", payable(o.Currency), o.Currency)
	case o.Deposit.check("offering.deposit") != nil:
		return o.Deposit.check("offering.deposit")
	case o.NoShows.check(o.PriceMinor) != nil:
		return o.NoShows.check(o.PriceMinor)
	case o.Unit == ByNight:
		return o.checkNights()
	}
	return o.checkOpenings()
}

// checkOpenings sees to it that no two openings overlap: their slots would, and one
// place could be taken twice.
func (o Offering) checkOpenings() error {
	lastEnd := 0
	for i := range 8 { // a week, and the day that Sunday's last opening runs into
		day := weekdays()[i%7]
		for _, s := range o.Hours[day] {
			from, to, _ := s.minutes()
			if i*24*60+from < lastEnd {
				return fault.Field("offering.hours."+day, "%s to %s overlaps the opening before it; list openings in order", s.From, s.To)
			}
			lastEnd = i*24*60 + to
		}
	}
	return nil
}

func (o Offering) checkNights() error {
	for _, f := range []struct{ name, value string }{{"checkIn", o.CheckIn}, {"checkOut", o.CheckOut}} {
		if m, ok := parseClock(f.value); f.value != "" && (!ok || m == 24*60) {
			return fault.Field("offering."+f.name, "want HH:MM")
		}
	}
	if o.checkIn() < o.checkOut() {
		return fault.Field("offering.checkOut", "want no later than checkIn, so that a night ends before the next begins")
	}
	return nil
}

// MaxSlots is the most slots or nights of one booking: they are locked in one transaction.
const MaxSlots = 30

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
		return o.PriceMinor * int64(max(party, 1)) * int64(max(nights, 1))
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
