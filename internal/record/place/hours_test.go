package place

import (
	"testing"
	"time"

	"merve/internal/tenant/schedule"
)

func local(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", s, nicosia(t))
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

func nicosia(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Nicosia")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// 2026-11-20 is a Friday.
func TestOpen(t *testing.T) {
	t.Parallel()
	p := &Place{Hours: map[string][]schedule.Span{
		"fri": {{From: "09:00", To: "12:30"}, {From: "20:00", To: "02:00"}}, "sat": {{From: "00:00", To: "24:00"}},
	}}
	for _, tt := range []struct{ at, until string }{
		{"2026-11-20 08:59", ""},
		{"2026-11-20 09:00", "2026-11-20 12:30"},
		{"2026-11-20 12:30", ""},
		{"2026-11-20 23:59", "2026-11-21 02:00"},
		{"2026-11-21 01:59", "2026-11-22 00:00"},
		{"2026-11-21 23:59", "2026-11-22 00:00"},
		{"2026-11-22 00:00", ""},
		{"2026-03-28 12:00", "2026-03-29 00:00"}, // the clocks go forward in the night
	} {
		open, until, known := p.Open(local(t, tt.at), nicosia(t))
		if open != (tt.until != "") || !known || open && !until.Equal(local(t, tt.until)) {
			t.Errorf("%s: %v until %s", tt.at, open, until.In(nicosia(t)))
		}
	}
	if open, _, known := (&Place{}).Open(noon, time.UTC); open || known {
		t.Error("open without hours")
	}
	if got := (&Place{}).hoursOn(noon, time.UTC); got != "" {
		t.Errorf("hours that nobody knows: %q", got)
	}
	for at, want := range map[string]string{
		"2026-11-20 08:00": "09:00-12:30, 20:00-02:00", "2026-11-22 08:00": "closed",
		"2026-11-20 00:30": "09:00-12:30, 20:00-02:00", "2026-11-22 00:30": "closed", // in UTC it is the day before
	} {
		if got := p.hoursOn(local(t, at), nicosia(t)); got != want {
			t.Errorf("hours on %s: %q", at, got)
		}
	}
}

// A duty runs from eight to eight on the wall clock of the market, unless the place says
// otherwise.
func TestDuty(t *testing.T) {
	t.Parallel()
	day := &Place{Category: Pharmacy, OnDuty: []string{"2026-11-20", "2026-10-24"}}
	night := &Place{Category: Pharmacy, DutyWeekdays: []string{"fri"}, Duty: &schedule.Span{From: "19:00", To: "07:30"}}
	for _, tt := range []struct {
		p         *Place
		at, until string
	}{
		{day, "2026-11-20 07:59", ""},
		{day, "2026-11-20 08:00", "2026-11-21 08:00"},
		{day, "2026-11-21 07:59", "2026-11-21 08:00"},
		{day, "2026-11-21 08:00", ""},
		{day, "2026-10-25 07:30", "2026-10-25 08:00"}, // the clocks went back in the night
		{night, "2026-11-20 18:59", ""},
		{night, "2026-11-20 19:00", "2026-11-21 07:30"},
		{night, "2026-11-28 03:00", "2026-11-28 07:30"},
		{night, "2026-11-21 19:00", ""},
	} {
		on, until := tt.p.OnDutyAt(local(t, tt.at), nicosia(t))
		open, _, _ := tt.p.Open(local(t, tt.at), nicosia(t))
		if on != (tt.until != "") || open != on || on && !until.Equal(local(t, tt.until)) {
			t.Errorf("%s: %v until %s, open %v", tt.at, on, until.In(nicosia(t)), open)
		}
	}
}

func TestNight(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2026-11-20 05:59": "2026-11-20 05:59", "2026-11-20 06:00": "2026-11-20 22:00", "2026-11-20 21:59": "2026-11-20 22:00", "2026-11-20 22:30": "2026-11-20 22:30",
	} {
		if got := night(local(t, now), nicosia(t)); !got.Equal(local(t, want)) {
			t.Errorf("tonight at %s is %s", now, got.In(nicosia(t)))
		}
	}
}
