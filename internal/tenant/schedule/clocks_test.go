package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
)

// zones are one without changes of clocks, and four with: by an hour in spring and autumn,
// on different days and at different hours, and by half an hour.
func zones() []string {
	return []string{"Asia/Dubai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/Nicosia"}
}

// changes are the instants at which a zone's clocks are changed, from October 2026 for a
// year; midnights for a zone without any.
func changes(t interface{ Fatal(...any) }, zone string) []time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	var at []time.Time
	last := utc("2026-09-01 00:00")
	for d := range 380 {
		day := last.AddDate(0, 0, d)
		if start, _ := day.In(loc).ZoneBounds(); start.After(last) && !slices.ContainsFunc(at, start.Equal) {
			at = append(at, start.UTC())
		}
	}
	if len(at) == 0 {
		at = []time.Time{utc("2026-10-25 00:00"), utc("2027-03-28 00:00")}
	}
	return at
}

// drawn is an offering of one opening a day, near a change of clocks in its zone.
type drawn struct {
	Offering
	loc    *time.Location
	change time.Time
	date   time.Time
}

func draw(t *rapid.T) drawn {
	zone := rapid.SampledFrom(zones()).Draw(t, "zone")
	d := drawn{Offering: drawOffering(t)}
	d.TimeZone, d.Hours = zone, map[string][]Span{}
	d.SlotMinutes = rapid.SampledFrom([]int{5, 15, 20, 25, 30, 45, 60, 90}).Draw(t, "grid")
	d.DurationMinutes = rapid.IntRange(1, 6).Draw(t, "slots") * d.SlotMinutes
	// Most openings begin or end about the hours at which clocks are changed.
	minute := func(name string) int { return rapid.IntRange(0, 5*12).Draw(t, name) * 5 }
	from := minute("from")
	to := from + 5 + minute("long")
	if rapid.Bool().Draw(t, "ends in the change") {
		from, to = (24*60-minute("before"))%(24*60), minute("to")
	}
	clock := func(m int) string { return fmt.Sprintf("%02d:%02d", m/60%24, m%60) }
	for _, day := range weekdays() {
		d.Hours[day] = []Span{{clock(from), clock(to)}}
	}
	if d.Check() != nil {
		t.Skip("not an offering")
	}
	d.loc, _ = d.zone()
	d.change = rapid.SampledFrom(changes(t, zone)).Draw(t, "change")
	d.date = dateOf(d.loc, d.change).AddDate(0, 0, rapid.IntRange(-2, 1).Draw(t, "day"))
	return d
}

// onTheWall finds what a date's opening should have by walking through time minute by
// minute and looking at the wall clock: the starts of the grid, and when it is open.
func (d drawn) onTheWall() (starts []time.Time, open, shut time.Time) {
	from, to, _ := d.Hours[weekday(d.date)][0].minutes()
	for at := d.date.Add(-26 * time.Hour); at.Before(d.date.Add(50 * time.Hour)); at = at.Add(time.Minute) {
		m := int(wallOf(d.loc, at).Sub(d.date) / time.Minute)
		if open.IsZero() && m >= from {
			open = at
		}
		if shut.IsZero() && m >= to {
			shut = at
		}
		if !open.IsZero() && shut.IsZero() && m >= from && m < to && (m-from)%d.SlotMinutes == 0 {
			starts = append(starts, at)
		}
	}
	return starts, open, shut
}

// The slots of a date are those that a look at the wall finds, one after the other, and
// each has a name of its own. What an opening's end leaves is no slot, wherever it falls:
// in the hour that is skipped or in the one that comes twice.
func TestField34_SlotsAreThoseOfTheWall(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		d := draw(t)
		starts, open, shut := d.onTheWall()
		slots := d.Slots(d.date)
		if n := len(starts); n > 0 && shut.Sub(starts[n-1]) < time.Duration(d.SlotMinutes)*time.Minute {
			starts = starts[:n-1]
		}
		if len(slots) != len(starts) {
			t.Fatalf("%d slots, the wall has %d: %v and %v, open %v to %v", len(slots), len(starts), slots, starts, open, shut)
		}
		names := map[string]bool{}
		for i, s := range slots {
			if !s.Start.Equal(starts[i]) || s.Start.Location() != time.UTC || s.Start.Before(open) || s.End.After(shut) || !s.Start.Before(s.End) {
				t.Fatalf("slot %d is %v to %v; the wall says %v, open %v to %v", i, s.Start, s.End, starts[i], open, shut)
			}
			if i > 0 && !s.Start.Equal(slots[i-1].End) {
				t.Fatalf("slot %d begins at %v, the one before ends at %v", i, s.Start, slots[i-1].End)
			}
			names[s.Start.Format("2006-01-02T15:04")] = true
		}
		if len(names) != len(slots) {
			t.Fatalf("%d slots have %d names", len(slots), len(names))
		}
	})
}

// Several days on end, slots are strictly in order and no name comes twice, although an
// opening may pass midnight and a change of clocks.
func TestField34_NoTwoSlotsHaveOneName(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		d := draw(t)
		var last Slot
		names := map[string]bool{}
		for _, s := range d.around(d.date, 2, 3) {
			name := s.Start.Format("2006-01-02T15:04")
			if names[name] || s.Start.Before(last.End) || !s.Start.Truncate(time.Minute).Equal(s.Start) {
				t.Fatalf("%v to %v after %v to %v", s.Start, s.End, last.Start, last.End)
			}
			names[name], last = true, s
		}
	})
}

// A booking across a change begins when the wall shows the time that was asked for, lasts as
// long as any other, and takes what it covers without a gap; a time that clocks skip is
// refused for that reason and for no other.
func TestField34_BookingsAtAnyMinute(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		d := draw(t)
		minutes := rapid.IntRange(0, 24*12-1).Draw(t, "clock") * 5
		if near := rapid.Bool().Draw(t, "near the change"); near {
			minutes = rapid.IntRange(0, 5*12).Draw(t, "near") * 5
		}
		clock := fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
		b, err := d.Find(d.date.AddDate(0, 0, -20), d.date.Format(time.DateOnly), clock, "")
		shown := d.shows(minutes)
		if (ReasonOf(err) == NoSuchTime) != (len(shown) == 0) {
			t.Fatalf("%s is shown at %v: %v", clock, shown, err)
		}
		if err != nil {
			if ReasonOf(err) == "" {
				t.Fatalf("no reason: %v", err)
			}
			return
		}
		if !b.Start.Equal(shown[0]) || !b.Slots[0].Equal(b.Start) || b.End.Sub(b.Start) != time.Duration(d.DurationMinutes)*time.Minute {
			t.Fatalf("%s, shown at %v: %+v", clock, shown, b)
		}
		all := d.around(d.date, 2, 4)
		covered := b.Start
		for _, s := range b.Slots {
			i := slices.IndexFunc(all, func(x Slot) bool { return x.Start.Equal(s) })
			if i < 0 || !s.Equal(covered) {
				t.Fatalf("slot %v of %+v comes after %v", s, b, covered)
			}
			covered = all[i].End
		}
		if covered.Before(b.End) {
			t.Fatalf("%+v is covered until %v", b, covered)
		}
	})
}

// shows are the instants at which the wall shows a time of the date.
func (d drawn) shows(minutes int) []time.Time {
	var at []time.Time
	for x := d.date.Add(-26 * time.Hour); x.Before(d.date.Add(50 * time.Hour)); x = x.Add(time.Minute) {
		if wallOf(d.loc, x).Equal(d.date.Add(time.Duration(minutes) * time.Minute)) {
			at = append(at, x)
		}
	}
	return at
}

// What is offered instead can be asked for: by its local date and time it is found again.
func TestField34_WhatIsOfferedCanBeHad(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		d := draw(t)
		now := d.date.AddDate(0, 0, -3)
		want := d.change.Add(time.Duration(rapid.IntRange(-36, 36).Draw(t, "quarters")) * 15 * time.Minute)
		taken := rapid.IntRange(1, 4).Draw(t, "taken")
		free := func(s time.Time) bool { return s.Unix()/300%int64(taken+1) != 0 }
		offers := d.Nearest(now, want, 0, 5, free)
		for i, o := range offers {
			local := o.Start.In(d.loc)
			b, err := d.Find(now, local.Format(time.DateOnly), local.Format("15:04"), "")
			if err != nil || !b.Start.Equal(o.Start) || !b.End.Equal(o.End) || len(b.Slots) != len(o.Slots) {
				t.Fatalf("offered %+v, found %+v, %v", o, b, err)
			}
			if i > 0 && o.Start.Sub(want).Abs() < offers[i-1].Start.Sub(want).Abs() {
				t.Fatalf("%v is nearer to %v than %v", o.Start, want, offers[i-1].Start)
			}
			if slices.ContainsFunc(o.Slots, func(s time.Time) bool { return !free(s) }) {
				t.Fatalf("offered %+v, which is taken", o)
			}
		}
	})
}

// Nights follow one another whatever clocks do: each ends before the next begins, although
// check-in or check-out may fall in the hour that is skipped or that comes twice.
func TestField34_NightsAcrossTheChange(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones()).Draw(t, "zone")
		o := room(zone)
		out := rapid.IntRange(0, 4*12).Draw(t, "out") * 5
		in := out + rapid.IntRange(0, 2*12).Draw(t, "in")*5
		o.CheckOut, o.CheckIn = fmt.Sprintf("%02d:%02d", out/60, out%60), fmt.Sprintf("%02d:%02d", in/60, in%60)
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		loc, _ := o.zone()
		arrival := dateOf(loc, rapid.SampledFrom(changes(t, zone)).Draw(t, "change")).AddDate(0, 0, -rapid.IntRange(0, 3).Draw(t, "before"))
		n := rapid.IntRange(1, 6).Draw(t, "nights")
		now := arrival.AddDate(0, 0, -20)
		night := func(i int) Booking {
			b, err := o.nights(loc, now, arrival.AddDate(0, 0, i), 1)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		b, err := o.Find(now, arrival.Format(time.DateOnly), "", arrival.AddDate(0, 0, n).Format(time.DateOnly))
		if err != nil || len(b.Slots) != n || b.Nights != n || !b.Start.Equal(night(0).Start) || !b.End.Equal(night(n-1).End) {
			t.Fatalf("%+v, %v", b, err)
		}
		for i, date := range b.Slots {
			this := night(i)
			s := this.Start
			if !date.Equal(arrival.AddDate(0, 0, i)) || !s.Before(this.End) || i > 0 && s.Before(night(i-1).End) {
				t.Fatalf("night %d is %v to %v of %+v", i, this.Start, this.End, b)
			}
			if wall := wallOf(loc, s); wall.Before(arrival.AddDate(0, 0, i).Add(time.Duration(in)*time.Minute)) || wall.Sub(arrival.AddDate(0, 0, i)) > time.Duration(in+60)*time.Minute {
				t.Fatalf("check-in at %v on the wall, want %s", wall, o.CheckIn)
			}
		}
	})
}

// A later wall time is never an earlier instant, in any zone that there is on earth at any
// change of its clocks; what comes twice is two instants, in order.
func TestField34_TimeGoesForward(t *testing.T) {
	t.Parallel()
	r := seedtest.Rand(t)
	all := append(zones(), "Africa/Casablanca", "America/St_Johns", "Antarctica/Troll", "Asia/Gaza", "Pacific/Apia", "Pacific/Chatham", "America/Havana", "Africa/Cairo")
	for range seedtest.Times(t, 400) {
		zone := all[r.IntN(len(all))]
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		wall := utc("2026-01-01 00:00").AddDate(0, 0, r.IntN(700)).Add(time.Duration(r.IntN(24*60)) * time.Minute)
		if start, _ := wall.In(loc).ZoneBounds(); r.IntN(3) > 0 && start.Year() > 2020 {
			wall = wallOf(loc, start).Add(time.Duration(r.IntN(240)-120) * time.Minute)
		}
		last := first(loc, wall)
		for range 30 {
			wall = wall.Add(7 * time.Minute)
			at := first(loc, wall)
			if at.Before(last) {
				t.Fatalf("%s: the wall shows %v at %v, something earlier at %v", zone, wall, at, last)
			}
			for i, x := range instants(loc, wall) {
				if !wallOf(loc, x).Equal(wall) || i > 0 && !x.After(instants(loc, wall)[i-1]) || i > 1 {
					t.Fatalf("%s: %v at %v", zone, wall, instants(loc, wall))
				}
			}
			last = at
		}
	}
}

// What is read as a date or a time of day is written so and no other way, and whatever is
// asked for gets a booking that makes sense or an error.
func FuzzTimes(f *testing.F) {
	for _, s := range [][2]string{{"2026-10-25", "02:30"}, {"2027-03-28", "24:00"}, {"1969-12-31", "23:59"}, {"9000-12-31", "00:00"}, {"2027-02-30", "9:5"}, {"", ""}, {"2026-10-04\x00", "02:00 "}} {
		f.Add(s[0], s[1], uint8(1))
	}
	f.Fuzz(func(t *testing.T, date, clock string, zone uint8) {
		if d, err := ParseDate(date); err == nil && d.Format(time.DateOnly) != date {
			t.Errorf("date %q is read as %v", date, d)
		}
		m, ok := parseClock(clock)
		if shown := fmt.Sprintf("%02d:%02d", m/60, m%60); ok && (shown != clock || m > 24*60) {
			t.Errorf("time %q is read as %s", clock, shown)
		}
		name := zones()[int(zone)%len(zones())]
		for _, o := range []Offering{table(name), room(name)} {
			now := utc("2026-10-01 00:00")
			b, err := o.Find(now, date, clock, date)
			if err == nil && (len(b.Slots) == 0 || b.Start.Before(now) || !b.Start.Before(b.End)) {
				t.Errorf("%s %s: %+v", date, clock, b)
			}
			if want, nights, err := o.Wanted(date, clock, clock); err == nil && len(o.Nearest(now, want, nights, 3, func(time.Time) bool { return true })) == 0 {
				t.Errorf("%s %s: nothing near %v", date, clock, want)
			}
		}
	})
}

// Whatever an offering says, its check finds what is wrong with it or it can be used.
func FuzzOffering(f *testing.F) {
	f.Add("Europe/Berlin", "09:00", "12:00", "18:00", "02:30", 30, 60, 60, 30, "")
	f.Add("Australia/Lord_Howe", "00:00", "24:00", "", "", 5, 150, 0, 730, "2026-10-04")
	f.Add("Local", "23:59", "00:00", "12:00", "11:00", 1440, 1440*30, 525600, 1, "tomorrow")
	f.Add("../etc/passwd", "-1:00", "25:00", "٠٩:٠٠", "12:00", -5, 1<<40, -1, 0, "\xff")
	f.Fuzz(func(t *testing.T, zone, from, to, from2, to2 string, slot, duration, lead, horizon int, closed string) {
		o := table(zone)
		o.SlotMinutes, o.DurationMinutes, o.LeadMinutes, o.HorizonDays = slot, duration, lead, horizon
		if closed != "" {
			o.Closed = []string{closed}
		}
		for _, day := range weekdays() {
			o.Hours[day] = []Span{{from, to}}
			if from2 != "" {
				o.Hours[day] = append(o.Hours[day], Span{from2, to2})
			}
		}
		if o.Check() != nil {
			return
		}
		now := utc("2026-10-24 12:00")
		for _, b := range o.Nearest(now, now.Add(12*time.Hour), 0, 3, func(time.Time) bool { return true }) {
			if len(b.Slots) == 0 || len(b.Slots) > MaxSlots || b.Start.Before(now) || !b.Start.Before(b.End) {
				t.Errorf("%+v", b)
			}
		}
		var last time.Time
		for _, s := range o.around(day("2026-10-25"), 1, 2) {
			if s.Start.Before(last) || !s.Start.Before(s.End) {
				t.Fatalf("%v to %v after %v", s.Start, s.End, last)
			}
			last = s.End
		}
	})
}
