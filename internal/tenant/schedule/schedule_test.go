package schedule

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"merve/internal/base/fault"
	"merve/internal/base/seedtest"
)

func table(zone string) Offering {
	o := Offering{
		ID: "table", Name: "Table", TimeZone: zone, Hours: map[string][]Span{}, SlotMinutes: 30, DurationMinutes: 60, Capacity: 2,
		LeadMinutes: 60, HorizonDays: 60, Unit: BySlot, MinParty: 1, MaxParty: 8, PriceMinor: 1000, Currency: "EUR", Per: PerPerson,
	}
	for _, d := range weekdays() {
		o.Hours[d] = []Span{{"09:00", "12:00"}, {"18:00", "01:00"}}
	}
	return o
}

func room(zone string) Offering {
	return Offering{
		ID: "room", Name: "Room", TimeZone: zone, Capacity: 3, HorizonDays: 90, Unit: ByNight,
		SlotMinutes: 30, DurationMinutes: 30, MinParty: 1, MaxParty: 2, PriceMinor: 8000, Currency: "EUR", Per: PerNight,
	}
}

func wholeDay(zone string, slot, duration int) Offering {
	o := table(zone)
	o.SlotMinutes, o.DurationMinutes, o.LeadMinutes = slot, duration, 0
	for _, d := range weekdays() {
		o.Hours[d] = []Span{{"00:00", "24:00"}}
	}
	return o
}

func utc(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		panic(err)
	}
	return t
}

func day(s string) time.Time { return utc(s + " 00:00") }

func TestCheckNamesTheField(t *testing.T) {
	t.Parallel()
	if err := table("Europe/Nicosia").Check(); err != nil {
		t.Fatal(err)
	}
	if err := room("Europe/Nicosia").Check(); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(o *Offering){
		"id":              func(o *Offering) { o.ID = "a:b" },
		"timeZone":        func(o *Offering) { o.TimeZone = "Mars/Olympus" },
		"unit":            func(o *Offering) { o.Unit = "hour" },
		"per":             func(o *Offering) { o.Per = PerNight },
		"currency":        func(o *Offering) { o.Currency = "eur" },
		"priceMinor":      func(o *Offering) { o.PriceMinor = -1 },
		"capacity":        func(o *Offering) { o.Capacity = 0 },
		"leadMinutes":     func(o *Offering) { o.LeadMinutes = -1 },
		"horizonDays":     func(o *Offering) { o.HorizonDays = 0 },
		"slotMinutes":     func(o *Offering) { o.SlotMinutes = 0 },
		"durationMinutes": func(o *Offering) { o.DurationMinutes = 30*MaxSlots + 5 },
		"minParty":        func(o *Offering) { o.MinParty = 0 },
		"maxParty":        func(o *Offering) { o.MaxParty = 0 },
		"closed":          func(o *Offering) { o.Closed = []string{"1 May"} },
		"hours":           func(o *Offering) { o.Hours["monday"] = nil },
		"hours.mon":       func(o *Offering) { o.Hours["mon"] = []Span{{"9:00", "12:00"}} },
		"hours.tue":       func(o *Offering) { o.Hours["tue"] = []Span{{"00:30", "12:00"}} }, // Monday is open until 01:00
		"hours.wed":       func(o *Offering) { o.Hours["wed"] = []Span{{"09:00", "12:00"}, {"11:00", "13:00"}} },
		"hours.thu":       func(o *Offering) { o.Hours["thu"] = []Span{{"09:00", "09:00"}} },
		"hours.sun":       func(o *Offering) { o.Hours["sat"], o.Hours["sun"] = nil, []Span{{"9:00", "12:00"}} },
	} {
		o := table("Europe/Nicosia")
		spoil(&o)
		var f *fault.Error
		if err := o.Check(); !errors.As(err, &f) || f.Field != "offering."+field || f.Kind != fault.Invalid {
			t.Errorf("%s: got %v", field, err)
		}
	}
	for name, tt := range map[string]struct {
		spoil func(o *Offering)
		field string
	}{
		"check-out after check-in": {func(o *Offering) { o.CheckOut = "16:00" }, "checkOut"},
		"no time of check-in":      {func(o *Offering) { o.CheckIn = "3 pm" }, "checkIn"},
		"check-in at no day's end": {func(o *Offering) { o.CheckIn = "24:00" }, "checkIn"},
		"no time of check-out":     {func(o *Offering) { o.CheckOut = "noon" }, "checkOut"},
		"a price for what?":        {func(o *Offering) { o.Per = "week" }, "per"},
	} {
		o := room("UTC")
		tt.spoil(&o)
		if _, field := fault.Public(o.Check()); field != "offering."+tt.field {
			t.Errorf("%s: %v", name, o.Check())
		}
	}
}

func TestCheckParty(t *testing.T) {
	t.Parallel()
	o := Offering{MinParty: 2, MaxParty: 4}
	for n, want := range map[int]Reason{1: Party, 2: "", 4: "", 5: Party} {
		if err := o.CheckParty(n); ReasonOf(err) != want {
			t.Errorf("%d people: %v", n, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	o := table("Europe/Nicosia") // UTC+2 in winter
	o.Closed = []string{"2026-12-25"}
	o.Hours["sun"] = nil
	now := utc("2026-12-21 07:00") // Monday 09:00
	tests := []struct {
		date, clock string
		reason      Reason
		kind        fault.Kind
		field       string
	}{
		{"2026-12-21", "08:30", Past, fault.Invalid, "date"},
		{"2026-12-20", "10:00", Past, fault.Invalid, "date"},
		{"2026-12-21", "09:30", ShortNotice, fault.Conflict, "time"},
		{"2026-12-21", "10:00", "", "", ""},
		{"2026-12-22", "09:15", OffGrid, fault.Invalid, "time"},
		{"2026-12-22", "08:30", Outside, fault.Conflict, "time"},
		{"2026-12-22", "11:00", "", "", ""},
		{"2026-12-22", "11:30", Outside, fault.Conflict, "time"}, // would end after closing
		{"2026-12-22", "12:00", Outside, fault.Conflict, "time"},
		{"2026-12-22", "23:30", "", "", ""},
		{"2026-12-23", "00:00", "", "", ""}, // of the opening of the day before
		{"2026-12-23", "00:30", Outside, fault.Conflict, "time"},
		{"2026-12-25", "10:00", ClosedDay, fault.Conflict, "date"},
		{"2026-12-25", "00:00", "", "", ""}, // of the day before, which was open
		{"2026-12-26", "00:00", Outside, fault.Conflict, "time"},
		{"2026-12-27", "10:00", ClosedDay, fault.Conflict, "date"},
		{"2027-02-19", "10:00", "", "", ""},
		{"2027-02-20", "10:00", TooFar, fault.Conflict, "date"},
		{"2026-12-32", "10:00", "", fault.Invalid, "date"},
		{"2026-12-22", "25:00", "", fault.Invalid, "time"},
		{"2026-12-22", "", "", fault.Invalid, "time"},
	}
	for _, tt := range tests {
		b, err := o.Find(now, tt.date, tt.clock, "")
		_, field := fault.Public(err)
		if tt.kind == "" && err != nil || tt.kind != "" && (!fault.Is(err, tt.kind) || field != tt.field) || ReasonOf(err) != tt.reason {
			t.Errorf("%s %s: %+v, %v (%s), want %s on %s (%s)", tt.date, tt.clock, b, err, ReasonOf(err), tt.kind, tt.field, tt.reason)
		}
		if err == nil && (len(b.Slots) != 2 || b.End.Sub(b.Start) != time.Hour) {
			t.Errorf("%s %s: %+v", tt.date, tt.clock, b)
		}
	}
}

func TestFindNights(t *testing.T) {
	t.Parallel()
	o := room("Europe/Nicosia")
	o.Closed = []string{"2026-12-31"}
	now := utc("2026-12-21 18:00") // 20:00, after check-in
	b, err := o.Find(now, "2026-12-21", "", "2026-12-24")
	want := Booking{Start: utc("2026-12-21 13:00"), End: utc("2026-12-24 09:00"), Nights: 3,
		Slots: []time.Time{day("2026-12-21"), day("2026-12-22"), day("2026-12-23")}}
	if d := cmp.Diff(want, b); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	o.CheckIn = "14:00" // changes when they begin, and not which nights they are
	if b, err = o.Find(now, "2026-12-21", "", "2026-12-24"); err != nil || !b.Start.Equal(utc("2026-12-21 12:00")) || cmp.Diff(want.Slots, b.Slots) != "" {
		t.Errorf("%+v, %v", b, err)
	}
	for _, tt := range []struct {
		from, to string
		reason   Reason
		field    string
	}{
		{"2026-12-20", "2026-12-22", Past, "date"},
		{"2026-12-22", "2026-12-22", "", "endDate"},
		{"2026-12-22", "", "", "endDate"},
		{"2026-12-22", "2027-12-22", "", "endDate"},
		{"2026-12-30", "2027-01-02", ClosedDay, "date"},
		{"2027-03-21", "2027-03-23", TooFar, "date"},
	} {
		_, err := o.Find(now, tt.from, "", tt.to)
		if _, field := fault.Public(err); ReasonOf(err) != tt.reason || field != tt.field {
			t.Errorf("%s to %s: %v (%s), want %s on %s", tt.from, tt.to, err, ReasonOf(err), tt.reason, tt.field)
		}
	}
	o.LeadMinutes = 24 * 60
	o.Hours = map[string][]Span{"tue": nil, "wed": nil} // days of arrival
	for from, want := range map[string]Reason{"2026-12-22": ShortNotice, "2026-12-23": "", "2026-12-24": ClosedDay, "2026-12-29": ""} {
		if _, err := o.Find(now, from, "", day(from).AddDate(0, 0, 1).Format(time.DateOnly)); ReasonOf(err) != want {
			t.Errorf("arrival on %s: %v (%s), want %s", from, err, ReasonOf(err), want)
		}
	}
}

// Today is what the calendar of the place says.
func TestNightsBeginToday(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone, now, from string
		reason          Reason
	}{
		{"Europe/Nicosia", "2026-12-21 23:30", "2026-12-22", ""},
		{"Europe/Nicosia", "2026-12-21 23:30", "2026-12-21", Past}, // it is the 22nd there
		{"America/New_York", "2026-12-22 02:00", "2026-12-21", ""}, // it is the 21st there
		{"America/New_York", "2026-12-22 02:00", "2026-12-20", Past},
	} {
		if _, err := room(tt.zone).Find(utc(tt.now), tt.from, "", "2026-12-24"); ReasonOf(err) != tt.reason {
			t.Errorf("%s at %s UTC, from %s: %v (%s), want %s", tt.zone, tt.now, tt.from, err, ReasonOf(err), tt.reason)
		}
	}
}

// Where clocks go back by half an hour, the slot that comes twice is one more.
func TestField34_NoMoreSlotsThanCanBeLocked(t *testing.T) {
	t.Parallel()
	o := wholeDay("Australia/Lord_Howe", 60, MaxSlots*60)
	for _, d := range weekdays() {
		o.Hours[d] = []Span{{"00:30", "23:30"}, {"23:30", "00:30"}}
	}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	now := utc("2027-03-20 00:00")
	for date, want := range map[string]Reason{"2027-03-28": "", "2027-04-04": Outside} {
		if b, err := o.Find(now, date, "00:30", ""); ReasonOf(err) != want {
			t.Errorf("%s: %d slots, %v", date, len(b.Slots), err)
		}
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	h := Hours{
		TimeZone: "Europe/Nicosia", Closed: []string{"2026-12-25"},
		Days: map[string][]Span{"wed": {{"18:00", "02:00"}}, "thu": {{"09:00", "12:00"}, {"14:00", "17:00"}}, "fri": {{"09:00", "12:00"}}},
	}
	for at, want := range map[string]struct { // in UTC, two hours behind
		open  bool
		opens string
	}{
		"2026-12-22 12:00": {false, "2026-12-23 16:00"},
		"2026-12-23 15:59": {false, "2026-12-23 16:00"},
		"2026-12-23 16:00": {true, "2026-12-24 07:00"},
		"2026-12-23 23:59": {true, "2026-12-24 07:00"}, // of the evening before
		"2026-12-24 00:00": {false, "2026-12-24 07:00"},
		"2026-12-24 08:00": {true, "2026-12-24 12:00"},
		"2026-12-24 10:00": {false, "2026-12-24 12:00"},
		"2026-12-24 16:00": {false, "2026-12-30 16:00"}, // closed the day after
		"2026-12-25 08:00": {false, "2026-12-30 16:00"},
	} {
		next, ok := h.Opens(utc(at))
		if open := h.OpenAt(utc(at)); open != want.open || !ok || !next.Equal(utc(want.opens)) {
			t.Errorf("at %s: open %t, next %s, want %+v", at, open, next, want)
		}
	}
	if next, ok := (Hours{TimeZone: "UTC"}).Opens(day("2026-12-22")); ok {
		t.Errorf("what never opens, opens at %s", next)
	}
}

// What clocks do, by zone: none changes, spring and autumn of two that do, and one that
// moves by half an hour.
func TestField34_DaysOnWhichClocksChange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		zone, date string
		slots      int // of half an hour on that date
		missing    string
		twice      string
	}{
		{"Asia/Dubai", "2027-03-28", 48, "", ""},
		{"Europe/Berlin", "2027-03-28", 46, "02:30", ""},
		{"Europe/Berlin", "2026-10-25", 50, "", "02:30"},
		{"America/New_York", "2027-03-14", 46, "02:00", ""},
		{"America/New_York", "2026-11-01", 50, "", "01:30"},
		{"Australia/Lord_Howe", "2026-10-04", 47, "02:00", ""},
		{"Australia/Lord_Howe", "2027-04-04", 49, "", "01:30"},
	}
	for _, tt := range tests {
		o := wholeDay(tt.zone, 30, 60)
		loc, _ := o.zone()
		slots := o.Slots(day(tt.date))
		if len(slots) != tt.slots {
			t.Errorf("%s %s: %d slots, want %d", tt.zone, tt.date, len(slots), tt.slots)
		}
		for i, s := range slots {
			if s.End.Sub(s.Start) != 30*time.Minute || i > 0 && !s.Start.Equal(slots[i-1].End) {
				t.Errorf("%s %s: slot %v to %v", tt.zone, tt.date, s.Start, s.End)
			}
		}
		now := day(tt.date).AddDate(0, 0, -10)
		if tt.missing != "" {
			if _, err := o.Find(now, tt.date, tt.missing, ""); ReasonOf(err) != NoSuchTime || !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %s %s: %v", tt.zone, tt.date, tt.missing, err)
			}
		}
		if tt.twice == "" {
			continue
		}
		var both []time.Time
		for _, s := range slots {
			if s.Start.In(loc).Format("15:04") == tt.twice {
				both = append(both, s.Start)
			}
		}
		b, err := o.Find(now, tt.date, tt.twice, "")
		if len(both) != 2 || err != nil || !b.Start.Equal(both[0]) {
			t.Errorf("%s %s %s: %v, %v, %v", tt.zone, tt.date, tt.twice, both, b, err)
		}
	}
}

// A booking over the change lasts as long as any other and takes slots one after the other.
func TestField34_BookingAcrossTheChange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		zone, date, clock string
		ends              string // on the wall
		slots             int
	}{
		{"Asia/Dubai", "2027-03-28", "01:30", "03:30", 4},
		{"Europe/Berlin", "2027-03-28", "01:30", "04:30", 4},
		{"Europe/Berlin", "2026-10-25", "01:30", "02:30", 4},
		{"America/New_York", "2027-03-14", "01:30", "04:30", 4},
		{"Australia/Lord_Howe", "2026-10-04", "01:30", "04:00", 4},
		{"Australia/Lord_Howe", "2027-04-04", "01:00", "02:30", 4},
	}
	for _, tt := range tests {
		o := wholeDay(tt.zone, 30, 120)
		loc, _ := o.zone()
		b, err := o.Find(day(tt.date).AddDate(0, 0, -10), tt.date, tt.clock, "")
		if err != nil || b.End.Sub(b.Start) != 2*time.Hour || len(b.Slots) != tt.slots || b.End.In(loc).Format("15:04") != tt.ends {
			t.Errorf("%s %s %s: ends %s, %d slots, %v", tt.zone, tt.date, tt.clock, b.End.In(loc).Format("15:04"), len(b.Slots), err)
		}
	}
	stay, err := room("Europe/Berlin").Find(utc("2026-10-20 12:00"), "2026-10-24", "", "2026-10-26")
	if err != nil || stay.End.Sub(stay.Start) != 2*24*time.Hour-4*time.Hour+time.Hour {
		t.Errorf("stay of %v, %v", stay.End.Sub(stay.Start), err)
	}
}

// The hours of a business are those of its wall, whatever the season.
func TestField34_OpensAtTheSameLocalTime(t *testing.T) {
	t.Parallel()
	o := table("Europe/Berlin")
	for date, want := range map[string]string{"2026-10-24": "2026-10-24 07:00", "2026-10-25": "2026-10-25 08:00"} {
		if got := o.Slots(day(date))[0].Start; !got.Equal(utc(want)) {
			t.Errorf("%s opens at %s, want %s", date, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	o := table("Europe/Nicosia")
	now := utc("2026-12-21 07:00")
	want := utc("2026-12-22 08:15") // 10:15 local
	busy := map[time.Time]bool{utc("2026-12-22 08:30"): true}
	free := func(s time.Time) bool { return !busy[s] }
	var got []string
	for _, b := range o.Nearest(now, want, 0, 4, free) {
		got = append(got, b.Start.Format("02 15:04"))
	}
	// 10:00 and 10:30 need the busy slot; 11:00 is nearest, then 09:30.
	if d := cmp.Diff([]string{"22 09:00", "22 07:30", "22 07:00", "22 16:00"}, got); d != "" {
		t.Error(d)
	}
	if none := o.Nearest(now, want, 0, 4, func(time.Time) bool { return false }); none != nil {
		t.Errorf("got %v", none)
	}
	long := o.Nearest(now, utc("2030-01-01 12:00"), 0, 1, free)
	if len(long) != 1 || long[0].Start.Before(utc("2027-02-18 00:00")) {
		t.Errorf("beyond the horizon: %v", long)
	}
	stays := room("Europe/Nicosia").Nearest(now, utc("2026-12-24 13:00"), 2, 2, func(s time.Time) bool { return s.Day() != 24 })
	if len(stays) != 2 || !stays[0].Start.Equal(utc("2026-12-25 13:00")) || !stays[1].Start.Equal(utc("2026-12-26 13:00")) {
		t.Errorf("stays %v", stays)
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		per           Per
		party, nights int
		want          int64
	}{{PerBooking, 4, 0, 100}, {PerBooking, 4, 3, 100}, {PerPerson, 4, 0, 400}, {PerPerson, 2, 3, 600}, {PerNight, 2, 3, 300}} {
		if got := (Offering{PriceMinor: 100, Per: tt.per}).Price(tt.party, tt.nights); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	if got := (Offering{PriceMinor: MaxMinor, Per: PerPerson}).Price(10_000, MaxSlots); got != MaxMinor*10_000*MaxSlots {
		t.Errorf("the most that is taken: %d", got)
	}
}

func drawOffering(t *rapid.T) Offering {
	o := Offering{
		ID: "o", Name: "O", Capacity: 1, HorizonDays: 400, Unit: BySlot, MinParty: 1, MaxParty: 4, Currency: "EUR", Per: PerBooking,
		TimeZone:        rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns"}).Draw(t, "zone"),
		SlotMinutes:     rapid.SampledFrom([]int{15, 20, 30, 45, 60, 90, 120}).Draw(t, "slot"),
		DurationMinutes: rapid.SampledFrom([]int{15, 30, 60, 90, 180, 300}).Draw(t, "duration"),
		Hours:           map[string][]Span{},
	}
	clock := func(m int) string { return fmt.Sprintf("%02d:%02d", m/60%24, m%60) }
	for _, d := range weekdays() {
		from := rapid.IntRange(3, 14).Draw(t, "from") * 60
		long := rapid.IntRange(2, 12).Draw(t, "long") * 60
		o.Hours[d] = []Span{{clock(from), clock(from + long)}}
	}
	return o
}

// Near the changes of clocks of all zones above, and away from them.
func drawDate(t *rapid.T) time.Time {
	base := rapid.SampledFrom([]string{"2026-10-04", "2026-10-25", "2026-11-01", "2027-03-14", "2027-03-28", "2027-04-04", "2027-01-10"}).Draw(t, "date")
	return day(base).AddDate(0, 0, rapid.IntRange(-1, 1).Draw(t, "offset"))
}

func TestSlotsNeverOverlapAndKeepToTheHours(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		o, date := drawOffering(t), drawDate(t)
		if o.Check() != nil {
			t.Skip("not an offering")
		}
		loc, _ := o.zone()
		var last time.Time
		for d := range 3 {
			date := date.AddDate(0, 0, d)
			open, shut := o.opening(loc, date, o.Hours[weekday(date)][0])
			for _, s := range o.Slots(date) {
				if s.Start.Before(last) || !s.Start.Before(s.End) || s.Start.Before(open) || s.End.After(shut) {
					t.Fatalf("%s: %v to %v, open %v to %v, before it %v", date, s.Start, s.End, open, shut, last)
				}
				last = s.End
			}
		}
	})
}

func TestABookingTakesAllSlotsThatItTouches(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		o, date := drawOffering(t), drawDate(t)
		if o.Check() != nil {
			t.Skip("not an offering")
		}
		minutes := rapid.IntRange(0, 96).Draw(t, "quarter") * 15 % (24 * 60)
		b, err := o.Find(date.AddDate(0, 0, -20), date.Format(time.DateOnly), fmt.Sprintf("%02d:%02d", minutes/60, minutes%60), "")
		if err != nil {
			if ReasonOf(err) == "" {
				t.Fatalf("an error without a reason: %v", err)
			}
			return
		}
		slots := o.around(date, 1, 2)
		i := slices.IndexFunc(slots, func(s Slot) bool { return s.Start.Equal(b.Start) })
		for _, start := range b.Slots {
			if !slots[i].Start.Equal(start) || !start.Before(b.End) {
				t.Fatalf("slots %v are not one after the other", b.Slots)
			}
			i++
		}
		if b.End.Sub(b.Start) != time.Duration(o.DurationMinutes)*time.Minute || slots[i-1].End.Before(b.End) {
			t.Fatalf("booking %+v is not covered: last slot ends %v", b, slots[i-1].End)
		}
	})
}

// An hour that comes twice makes a slot longer, but no longer than a booking; a night is a name.
func TestLongestSlot(t *testing.T) {
	t.Parallel()
	for want, o := range map[time.Duration]Offering{
		90 * time.Minute: {Unit: BySlot, SlotMinutes: 30, DurationMinutes: 120},
		20 * time.Minute: {Unit: BySlot, SlotMinutes: 30, DurationMinutes: 20},
		0:                {Unit: ByNight, SlotMinutes: 30, DurationMinutes: 60},
	} {
		if got := o.LongestSlot(); got != want {
			t.Errorf("%s of %d minutes: %v, want %v", o.Unit, o.SlotMinutes, got, want)
		}
	}
}

// Where two offerings are cut alike no time has two names: only what names slots counts.
func TestGridNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	evening := func() Offering {
		o := table("Europe/Nicosia")
		o.Hours = map[string][]Span{"sat": {{"18:00", "24:00"}}, "mon": {}}
		return o
	}
	for _, tt := range []struct {
		want   string
		change func(o *Offering)
	}{
		{"unit", func(o *Offering) { o.Unit = ByNight }},
		{"timeZone", func(o *Offering) { o.TimeZone = "Europe/Berlin" }},
		{"slotMinutes", func(o *Offering) { o.SlotMinutes++ }},
		{"hours", func(o *Offering) { o.Hours["sun"] = o.Hours["sat"] }},
		{"hours", func(o *Offering) { o.Hours = map[string][]Span{"sun": o.Hours["sat"]} }},
		{"", func(o *Offering) { o.Hours = map[string][]Span{"sat": {{"18:00", "00:00"}}} }},
		{"", func(o *Offering) {
			o.Closed, o.DurationMinutes, o.Capacity, o.PriceMinor, o.LeadMinutes = []string{"2026-12-25"}, 5, 99, 99, 99
		}},
	} {
		o := evening()
		tt.change(&o)
		if got := evening().Grid().Differs(o.Grid()); got != tt.want {
			t.Errorf("differs by %q, want %q: %+v", got, tt.want, o)
		}
	}
	night, other := room("Europe/Nicosia"), room("Europe/Berlin")
	other.Hours, other.CheckIn, other.SlotMinutes = map[string][]Span{"sat": nil}, "14:00", 7
	if got := night.Grid().Differs(other.Grid()); got != "" {
		t.Errorf("nights are dates, and differ by %s", got)
	}
}
