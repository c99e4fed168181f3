package schedule

import (
	"errors"
	"slices"
	"time"

	"merve/internal/base/fault"
)

// Booking is a time that can be had, in UTC.
type Booking struct {
	Start, End time.Time
	Slots      []time.Time // that it takes: starts, or the local dates of nights (midnight UTC), whenever check-in is
	Nights     int         // 0 for slots
}

// Reason is why a time cannot be had.
type Reason string

const (
	Past        Reason = "past"
	ShortNotice Reason = "short_notice"
	TooFar      Reason = "too_far"
	ClosedDay   Reason = "closed_day"
	Outside     Reason = "outside_hours"
	OffGrid     Reason = "between_slots"
	NoSuchTime  Reason = "no_such_time" // clocks skip it
	Party       Reason = "party_size"
)

// refusal is a [fault.Error] with a reason.
type refusal struct {
	reason Reason
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// ReasonOf returns why a time was refused; "" for any other error.
func ReasonOf(err error) Reason {
	var r *refusal
	if errors.As(err, &r) {
		return r.reason
	}
	return ""
}

func refuse(r Reason, k fault.Kind, field, format string, args ...any) error {
	err := fault.Field(field, format, args...)
	var f *fault.Error
	if errors.As(err, &f) {
		f.Kind = k
	}
	return &refusal{r, err}
}

// Find returns the booking that begins at a local date and time or, for nights, at a
// local date and ends on endDate. Of a time that comes twice it takes the first. The
// error names the field at fault and, by [ReasonOf], the reason.
func (o Offering) Find(now time.Time, date, clock, endDate string) (Booking, error) {
	loc, err := o.zone()
	if err != nil {
		return Booking{}, err
	}
	day, err := ParseDate(date)
	if err != nil {
		return Booking{}, err
	}
	if o.Unit == ByNight {
		return o.findNights(loc, now, day, endDate)
	}
	minutes, ok := parseClock(clock)
	if !ok || minutes == 24*60 {
		return Booking{}, fault.Field("time", "want a local time, HH:MM")
	}
	starts := instants(loc, at(day, minutes))
	if len(starts) == 0 {
		return Booking{}, refuse(NoSuchTime, fault.Invalid, "time", "clocks are set forward: there is no %s on %s", clock, date)
	}
	if err := o.inTime(loc, now, starts[0]); err != nil {
		return Booking{}, err
	}
	return o.from(loc, starts[0])
}

// inTime checks a start against the clock: not past, not too soon, not too far.
func (o Offering) inTime(loc *time.Location, now, start time.Time) error {
	lead := max(o.LeadMinutes, 1) // in less nobody can say YES to it
	switch {
	case start.Before(now):
		return refuse(Past, fault.Invalid, "date", "is in the past: it is %s now", now.In(loc).Format("2006-01-02 15:04"))
	case start.Before(now.Add(time.Duration(lead) * time.Minute)):
		return refuse(ShortNotice, fault.Conflict, "time", "too soon: at least %d minutes ahead", lead)
	}
	return o.inHorizon(loc, now, dateOf(loc, start))
}

func (o Offering) inHorizon(loc *time.Location, now, date time.Time) error {
	if last := dateOf(loc, now).AddDate(0, 0, o.HorizonDays); date.After(last) {
		return refuse(TooFar, fault.Conflict, "date", "too far ahead: at the latest %s", last.Format(time.DateOnly))
	}
	return nil
}

// from returns the booking that begins with the slot at start.
func (o Offering) from(loc *time.Location, start time.Time) (Booking, error) {
	date := dateOf(loc, start)
	slots := o.around(date, 1, o.daysOn())
	i := slices.IndexFunc(slots, func(s Slot) bool { return s.Start.Equal(start) })
	if i < 0 {
		return Booking{}, o.notASlot(loc, date, start)
	}
	return o.take(slots, i, date)
}

// daysOn is on how many later dates a booking may still go on.
func (o Offering) daysOn() int { return 2 + o.DurationMinutes/(24*60) }

// take returns the booking that begins with slots[i].
func (o Offering) take(slots []Slot, i int, date time.Time) (Booking, error) {
	start := slots[i].Start
	b := Booking{Start: start, End: start.Add(time.Duration(o.DurationMinutes) * time.Minute)}
	for reached := start; reached.Before(b.End); i++ {
		if i == len(slots) || !slots[i].Start.Equal(reached) {
			return Booking{}, refuse(Outside, fault.Conflict, "time", "takes %d minutes and would end after closing: open %s", o.DurationMinutes, o.openings(date))
		}
		b.Slots = append(b.Slots, slots[i].Start)
		reached = slots[i].End
	}
	if len(b.Slots) > MaxSlots {
		return Booking{}, refuse(Outside, fault.Conflict, "time", "takes more than %d slots", MaxSlots)
	}
	return b, nil
}

// notASlot says why nothing begins at start.
func (o Offering) notASlot(loc *time.Location, date, start time.Time) error {
	for _, d := range []time.Time{date.AddDate(0, 0, -1), date} {
		if o.closed(d) {
			continue
		}
		for _, s := range o.Hours[weekday(d)] {
			if open, shut := o.opening(loc, d, s); !start.Before(open) && start.Before(shut) {
				return refuse(OffGrid, fault.Invalid, "time", "between two slots: they begin every %d minutes from %s", o.SlotMinutes, s.From)
			}
		}
	}
	if o.closed(date) || len(o.Hours[weekday(date)]) == 0 {
		return refuse(ClosedDay, fault.Conflict, "date", "closed on %s %s", weekday(date), date.Format(time.DateOnly))
	}
	return refuse(Outside, fault.Conflict, "time", "outside opening hours: open %s", o.openings(date))
}

func (o Offering) openings(date time.Time) string {
	text := ""
	for _, s := range o.Hours[weekday(date)] {
		if text != "" {
			text += ", "
		}
		text += s.From + "-" + s.To
	}
	return text
}

func (o Offering) findNights(loc *time.Location, now, arrival time.Time, endDate string) (Booking, error) {
	departure, err := ParseDate(endDate)
	if err != nil {
		return Booking{}, fault.Field("endDate", "want the date of departure, YYYY-MM-DD")
	}
	nights := int(departure.Sub(arrival) / (24 * time.Hour))
	if nights < 1 || nights > MaxSlots {
		return Booking{}, fault.Field("endDate", "want 1 to %d nights after the arrival", MaxSlots)
	}
	return o.nights(loc, now, arrival, nights)
}

func (o Offering) nights(loc *time.Location, now, arrival time.Time, nights int) (Booking, error) {
	if arrival.Before(dateOf(loc, now)) {
		return Booking{}, refuse(Past, fault.Invalid, "date", "is in the past: today is %s", dateOf(loc, now).Format(time.DateOnly))
	}
	in := first(loc, at(arrival, o.checkIn()))
	if o.LeadMinutes > 0 && in.Before(now.Add(time.Duration(o.LeadMinutes)*time.Minute)) {
		return Booking{}, refuse(ShortNotice, fault.Conflict, "date", "too soon: at least %d minutes before check-in", o.LeadMinutes)
	}
	if err := o.inHorizon(loc, now, arrival.AddDate(0, 0, nights-1)); err != nil {
		return Booking{}, err
	}
	if _, open := o.Hours[weekday(arrival)]; len(o.Hours) > 0 && !open {
		return Booking{}, refuse(ClosedDay, fault.Conflict, "date", "no arrival on %s", weekday(arrival))
	}
	b := Booking{Nights: nights, Start: in, End: first(loc, at(arrival.AddDate(0, 0, nights), o.checkOut()))}
	for i := range nights {
		date := arrival.AddDate(0, 0, i)
		if o.closed(date) {
			return Booking{}, refuse(ClosedDay, fault.Conflict, "date", "closed on %s", date.Format(time.DateOnly))
		}
		b.Slots = append(b.Slots, date)
	}
	return b, nil
}

// How far from the wanted time Nearest looks, in days.
const (
	slotWindow  = 7
	nightWindow = 14
)

// Nearest returns up to n bookings that could be had instead of one at want, nearest
// first, later before earlier. free is asked about single slots, nearest first; a
// booking is free when all its slots are. Every booking can be named by local date and
// time, so the second of a time that comes twice is left out.
func (o Offering) Nearest(now, want time.Time, nights, n int, free func(slot time.Time) bool) []Booking {
	loc, err := o.zone()
	if err != nil {
		return nil
	}
	all := o.candidates(loc, now, want, nights)
	distance := func(b Booking) time.Duration { return b.Start.Sub(want).Abs() }
	slices.SortStableFunc(all, func(a, b Booking) int {
		if d := distance(a) - distance(b); d != 0 {
			return int(d / time.Second)
		}
		return b.Start.Compare(a.Start)
	})
	var out []Booking
	for _, b := range all {
		if len(out) == n {
			break
		}
		if !slices.ContainsFunc(b.Slots, func(s time.Time) bool { return !free(s) }) {
			out = append(out, b)
		}
	}
	return out
}

func (o Offering) candidates(loc *time.Location, now, want time.Time, nights int) []Booking {
	var all []Booking
	date, today := dateOf(loc, want), dateOf(loc, now)
	if date.Before(today) {
		date = today
	}
	if last := today.AddDate(0, 0, o.HorizonDays); date.After(last) {
		date = last
	}
	if o.Unit == ByNight {
		for d := -nightWindow; d <= nightWindow; d++ {
			if b, err := o.nights(loc, now, date.AddDate(0, 0, d), max(nights, 1)); err == nil {
				all = append(all, b)
			}
		}
		return all
	}
	slots := o.around(date, slotWindow, slotWindow+o.daysOn())
	for i, s := range slots {
		if o.inTime(loc, now, s.Start) != nil || !first(loc, wallOf(loc, s.Start)).Equal(s.Start) {
			continue
		}
		if b, err := o.take(slots, i, dateOf(loc, s.Start)); err == nil {
			all = append(all, b)
		}
	}
	return all
}

// Wanted returns the instant nearest to a local date and time, whether or not it can be
// had, and the number of nights: what [Offering.Nearest] looks around.
func (o Offering) Wanted(date, clock, endDate string) (want time.Time, nights int, err error) {
	loc, err := o.zone()
	if err != nil {
		return time.Time{}, 0, err
	}
	day, err := ParseDate(date)
	if err != nil {
		return time.Time{}, 0, err
	}
	minutes, _ := parseClock(clock)
	if o.Unit == ByNight {
		minutes = o.checkIn()
		if end, err := ParseDate(endDate); err == nil {
			nights = min(max(int(end.Sub(day)/(24*time.Hour)), 1), MaxSlots)
		}
	}
	return first(loc, at(day, minutes)), nights, nil
}
