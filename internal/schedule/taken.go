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

// At counts the bookings that take a slot, or a part of the time until its end: those that
// take this very slot, and those that were made when the offering had another calendar.
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
func (o Offering) Free(t Taken, slot time.Time) bool {
	end := slot
	if o.Unit == BySlot {
		end = slot.Add(time.Duration(o.SlotMinutes) * time.Minute)
	}
	return t.At(slot, end) < o.Capacity
}

// NearestFree is [Offering.Nearest] of what is not taken. It reads what is taken of a UTC day
// when it comes to one of its slots.
func (o Offering) NearestFree(now, want time.Time, nights, n int, read func(from, to time.Time) (Taken, error)) ([]Booking, error) {
	days := map[time.Time]Taken{}
	var failed error
	found := o.Nearest(now, want, nights, n, func(slot time.Time) bool {
		day := slot.Truncate(24 * time.Hour)
		if _, known := days[day]; failed == nil && !known {
			days[day], failed = read(day, day.Add(24*time.Hour-time.Minute))
		}
		return failed == nil && o.Free(days[day], slot)
	})
	return found, failed
}
