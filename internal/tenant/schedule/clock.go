package schedule

import (
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
)

// A wall time is what a clock and a calendar on the wall show. It is kept as a
// time.Time in UTC that is no instant; only instants gives it a place in time.

// Zone returns a stored time zone: UTC for one that is not known here any more.
func Zone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

// ParseDate reads YYYY-MM-DD.
func ParseDate(s string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil || d.Year() < 1970 || d.Year() > 9000 {
		return time.Time{}, fault.Field("date", "want a date, YYYY-MM-DD")
	}
	return d, nil
}

// parseClock reads HH:MM as minutes after midnight; 24:00 is the end of the day.
func parseClock(s string) (minutes int, ok bool) {
	if s == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", s)
	return t.Hour()*60 + t.Minute(), err == nil && len(s) == len("15:04")
}

// minutes returns the span in minutes after midnight; to is more than a day when the
// span passes midnight.
func (s Span) minutes() (from, to int, ok bool) {
	from, okFrom := parseClock(s.From)
	to, okTo := parseClock(s.To)
	if !okFrom || !okTo || from == to || from == 24*60 {
		return 0, 0, false
	}
	if to < from {
		to += 24 * 60
	}
	return from, to, true
}

// instants returns when a clock in loc shows wall: once, twice where clocks are set
// back, never where they are set forward. Earlier first.
func instants(loc *time.Location, wall time.Time) []time.Time {
	var at []time.Time
	for _, probe := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := wall.Add(probe).In(loc).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second)
		if wallOf(loc, t).Equal(wall) && !slices.ContainsFunc(at, t.Equal) {
			at = append(at, t)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// first returns the first instant when a clock in loc shows wall, or the instant when it skips wall if it never shows
// it. A later wall time is never an earlier instant.
func first(loc *time.Location, wall time.Time) time.Time {
	if at := instants(loc, wall); len(at) > 0 {
		return at[0]
	}
	_, before := wall.Add(-24 * time.Hour).In(loc).Zone()
	start, _ := wall.Add(-time.Duration(before) * time.Second).In(loc).ZoneBounds()
	return start.UTC()
}

// wallOf returns what a clock in loc shows at t.
func wallOf(loc *time.Location, t time.Time) time.Time {
	l := t.In(loc)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// dateOf returns the local date at t.
func dateOf(loc *time.Location, t time.Time) time.Time {
	return wallOf(loc, t).Truncate(24 * time.Hour)
}

func weekday(date time.Time) string { return strings.ToLower(date.Weekday().String()[:3]) }

func at(date time.Time, minutes int) time.Time {
	return date.Add(time.Duration(minutes) * time.Minute)
}
