package place

import (
	"slices"
	"strings"
	"time"

	"merve/internal/tenant/schedule"
)

func weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

func weekday(date time.Time) string { return strings.ToLower(date.Weekday().String()[:3]) }

// Open reports whether the place is open at a time, by its hours or its duty, and until
// when. Known is false when its hours are not known, and it is not on duty.
func (p *Place) Open(at time.Time, zone *time.Location) (open bool, until time.Time, known bool) {
	for _, date := range days(at, zone) {
		for _, s := range p.Hours[weekday(date)] {
			if from, to := instants(date, s); !at.Before(from) && at.Before(to) && to.After(until) {
				open, until = true, to
			}
		}
	}
	if duty, end := p.OnDutyAt(at, zone); duty && end.After(until) {
		open, until = true, end
	}
	return open, until, open || len(p.Hours) > 0
}

// OnDutyAt reports whether a time is in one of the pharmacy's turns, and when that ends.
func (p *Place) OnDutyAt(at time.Time, zone *time.Location) (on bool, until time.Time) {
	for _, date := range days(at, zone) {
		if !slices.Contains(p.OnDuty, date.Format(time.DateOnly)) && !slices.Contains(p.DutyWeekdays, weekday(date)) {
			continue
		}
		if from, to := instants(date, p.duty()); !at.Before(from) && at.Before(to) && to.After(until) {
			on, until = true, to
		}
	}
	return on, until
}

func (p *Place) duty() schedule.Span {
	if p.Duty != nil {
		return *p.Duty
	}
	return schedule.Span{From: "08:00", To: "08:00"}
}

// days returns the local dates on which hours that include a time can have begun.
func days(at time.Time, zone *time.Location) []time.Time {
	y, m, d := at.In(zone).Date()
	return []time.Time{time.Date(y, m, d-1, 0, 0, 0, 0, zone), time.Date(y, m, d, 0, 0, 0, 0, zone)}
}

// instants are when a span of a date begins and ends on the wall clock.
func instants(date time.Time, s schedule.Span) (from, to time.Time) {
	begin, end, _ := minutes(s)
	y, m, d := date.Date()
	return time.Date(y, m, d, 0, begin, 0, 0, date.Location()), time.Date(y, m, d, 0, end, 0, 0, date.Location())
}

// minutes reads a span as minutes after midnight. To is on the next day unless it is later
// than from.
func minutes(s schedule.Span) (from, to int, ok bool) {
	from, ok1 := clock(s.From)
	to, ok2 := clock(s.To)
	if to <= from {
		to += 24 * 60
	}
	return from, to, ok1 && ok2 && from < 24*60
}

// clock reads HH:MM; 24:00 is the end of the day.
func clock(s string) (minutes int, ok bool) {
	if s == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", s)
	return t.Hour()*60 + t.Minute(), err == nil && len(s) == len("15:04")
}

// hoursOn are the hours of a time's date, as people write them; "" when they are not known.
func (p *Place) hoursOn(at time.Time, zone *time.Location) string {
	if len(p.Hours) == 0 {
		return ""
	}
	var spans []string
	for _, s := range p.Hours[weekday(at.In(zone))] {
		spans = append(spans, s.From+"-"+s.To)
	}
	if len(spans) == 0 {
		return "closed"
	}
	return strings.Join(spans, ", ")
}
