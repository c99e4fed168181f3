package schedule

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"
)

// Slot is one piece of an offering's calendar, in UTC. Start names it.
type Slot struct{ Start, End time.Time }

// Slots returns the slots of the openings on a local date, in order. An opening that passes midnight belongs to the
// date on which it opens.
func (o Offering) Slots(date time.Time) []Slot {
	loc, err := o.zone()
	if err != nil || o.closed(date) {
		return nil
	}
	var slots []Slot
	for _, s := range o.Hours[weekday(date)] {
		slots = append(slots, o.cut(loc, date, s)...)
	}
	return slots
}

// LongestSlot is for how long a booking takes one of its slots at most. An hour that comes twice
// makes a slot longer.
func (o Offering) LongestSlot() time.Duration {
	if o.Unit == ByNight {
		return 0 // a night is a name
	}
	return min(time.Duration(o.SlotMinutes)*time.Minute+time.Hour, time.Duration(o.DurationMinutes)*time.Minute)
}

// Grid is what the slots of an offering are cut by. Where it is equal no time has two names, whatever
// else of the offerings differs: how long bookings are, for how many, when it is closed.
type Grid struct {
	Unit        Unit   `dynamodbav:"unit"`
	TimeZone    string `dynamodbav:"timeZone,omitempty"` // of slots, as is what follows; nights are dates
	SlotMinutes int    `dynamodbav:"slotMinutes,omitempty"`
	Hours       string `dynamodbav:"hours,omitempty"` // their digest: they may be many
}

// Grid returns the offering's.
func (o Offering) Grid() Grid {
	if o.Unit == ByNight {
		return Grid{Unit: ByNight}
	}
	hours := sha256.New()
	for _, day := range weekdays() {
		for _, s := range o.Hours[day] {
			from, to, _ := s.minutes()
			fmt.Fprintln(hours, day, from, to)
		}
	}
	return Grid{o.Unit, o.TimeZone, o.SlotMinutes, base64.RawURLEncoding.EncodeToString(hours.Sum(nil)[:12])}
}

// Differs names the first field of an offering that makes its slots different from other's; "" if none does.
func (g Grid) Differs(other Grid) string {
	switch {
	case g.Unit != other.Unit:
		return "unit"
	case g.TimeZone != other.TimeZone:
		return "timeZone"
	case g.SlotMinutes != other.SlotMinutes:
		return "slotMinutes"
	case g.Hours != other.Hours:
		return "hours"
	}
	return ""
}

func (o Offering) closed(date time.Time) bool {
	return slices.Contains(o.Closed, date.Format(time.DateOnly))
}

// cut puts the grid on one opening.
func (o Offering) cut(loc *time.Location, date time.Time, s Span) []Slot {
	from, to, ok := s.minutes()
	if !ok || o.SlotMinutes <= 0 {
		return nil
	}
	open, shut := o.opening(loc, date, s)
	var starts []time.Time
	for m := from; m < to; m += o.SlotMinutes {
		for _, t := range instants(loc, at(date, m)) {
			if !t.Before(open) && t.Before(shut) {
				starts = append(starts, t)
			}
		}
	}
	slices.SortFunc(starts, time.Time.Compare) // an hour that comes twice
	var slots []Slot
	for i, t := range starts {
		end := shut
		if i+1 < len(starts) {
			end = starts[i+1]
		} else if shut.Sub(t) < time.Duration(o.SlotMinutes)*time.Minute {
			break // too short a time before closing is not a slot
		}
		slots = append(slots, Slot{t, end})
	}
	return slots
}

// opening returns when an opening of a date begins and ends.
func (o Offering) opening(loc *time.Location, date time.Time, s Span) (open, shut time.Time) {
	from, to, _ := s.minutes()
	return first(loc, at(date, from)), first(loc, at(date, to))
}

func (o Offering) checkIn() int {
	if m, ok := parseClock(o.CheckIn); ok {
		return m
	}
	return 15 * 60
}

func (o Offering) checkOut() int {
	if m, ok := parseClock(o.CheckOut); ok {
		return m
	}
	return 11 * 60
}

// around returns the slots of the dates around a local date, in order.
func (o Offering) around(date time.Time, before, after int) []Slot {
	var slots []Slot
	for d := -before; d <= after; d++ {
		slots = append(slots, o.Slots(date.AddDate(0, 0, d))...)
	}
	return slots
}
