package schedule

import (
	"slices"
	"time"
)

// Taken is what is booked of an offering.
type Taken []Use

// Use is the place that a booking has in a slot.
type Use struct {
	Slot time.Time // its name
	Ends time.Time // the slot, or the booking if it is over before; a night is a name and has no length
	By   string    // the booking's id
}

// At counts the bookings that take a slot, or a part of the time until its end: the bookings of this very slot, and
// those made when the offering had another calendar.
func (t Taken) At(slot, end time.Time) int {
	var by []string
	for _, u := range t {
		same := u.Slot.Equal(slot) || u.Slot.Before(end) && u.Ends.After(slot)
		if same && !slices.Contains(by, u.By) {
			by = append(by, u.By)
		}
	}
	return len(by)
}

// Free reports whether one more booking fits into a slot.
func (o Offering) Free(t Taken, slot time.Time) bool { return t.At(slot, o.slotEnd(slot)) < o.Capacity }

// slotEnd is when a slot is over; a night is a name and has no length.
func (o Offering) slotEnd(slot time.Time) time.Time {
	if o.Unit == ByNight {
		return slot
	}
	return slot.Add(time.Duration(o.SlotMinutes) * time.Minute)
}

// leastReach is how far back the search goes at least, because a former release did not store how long its bookings
// took their slots.
const leastReach = 4 * time.Hour

// Reach is how long before a booking of a length those of another calendar that reach into it have
// begun, at most. longest is for how long a booking ever took one of the offering's slots.
func Reach(length, longest time.Duration) time.Duration { return max(leastReach, length, longest) }

// NearestFree is [Offering.Nearest] among free slots. It reads the bookings of a UTC day only when it comes to a slot
// that is in it, or that a booking of another calendar may reach into from there; longest is as for [Reach].
func (o Offering) NearestFree(now, want time.Time, nights, n int, longest time.Duration, read func(from, to time.Time) (Taken, error)) ([]Booking, error) {
	const aDay = 24 * time.Hour
	days := map[time.Time]Taken{}
	var failed error
	found := o.Nearest(now, want, nights, n, func(slot time.Time) bool {
		first, last := slot, slot
		if o.Unit == BySlot {
			first = slot.Add(-Reach(time.Duration(o.DurationMinutes)*time.Minute, longest))
			last = o.slotEnd(slot).Add(-time.Minute)
		}
		var taken Taken
		for day := first.Truncate(aDay); failed == nil && !day.After(last); day = day.Add(aDay) {
			if _, known := days[day]; !known {
				days[day], failed = read(day, day.Add(aDay-time.Minute))
			}
			taken = append(taken, days[day]...)
		}
		return failed == nil && o.Free(taken, slot)
	})
	return found, failed
}
