package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"merve/internal/tenant/schedule"
)

// A slot is taken by those who begin with it and by those whose booking reaches into it; a
// night by those who have it.
func TestTaken(t *testing.T) {
	t.Parallel()
	nine := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return nine.Add(time.Duration(minutes) * time.Minute) }
	taken := schedule.Taken{
		{Slot: at(0), Ends: at(60), By: "a"}, {Slot: at(60), Ends: at(90), By: "a"}, // of an hourly grid
		{Slot: at(30), Ends: at(60), By: "b"},
		{Slot: at(180), Ends: at(180), By: "night"},
	}
	for _, tt := range []struct{ from, minutes, want int }{
		{-30, 30, 0}, {-30, 60, 1}, {0, 30, 1}, {0, 60, 2}, {30, 30, 2}, {45, 60, 2}, {60, 30, 1}, {90, 30, 0}, {180, 0, 1}, {181, 30, 0},
	} {
		if got := taken.At(at(tt.from), at(tt.from+tt.minutes)); got != tt.want {
			t.Errorf("%d minutes from %d: %d, want %d", tt.minutes, tt.from, got, tt.want)
		}
	}
	o := schedule.Offering{Unit: schedule.BySlot, SlotMinutes: 30, Capacity: 2}
	if o.Free(taken, at(30)) || !o.Free(taken, at(60)) {
		t.Error("a slot with two bookings and one with one are not told apart")
	}
	o.SlotMinutes = 60
	if o.Free(taken, at(0)) {
		t.Error("both halves of a slot are taken, and it is free")
	}
	o = schedule.Offering{Unit: schedule.ByNight, SlotMinutes: 60, Capacity: 1}
	if o.Free(taken, at(180)) || !o.Free(taken, at(150)) {
		t.Error("a night goes by its date alone")
	}
}

// A time is not told as free into which a booking of another calendar reaches over midnight; only
// those days are read from which one may.
func TestNearestFreeOverMidnight(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return midnight.Add(time.Duration(minutes) * time.Minute) }
	for _, tt := range []struct {
		name     string
		only     schedule.Span // of the day after now
		from, to int           // minutes from its midnight, of what stands
		longest  time.Duration
		free     bool
		reads    string
	}{
		{"from the day before", schedule.Span{From: "00:00", To: "01:00"}, -30, 30, 0, false, "[23 24]"},
		{"from the day before until then", schedule.Span{From: "00:00", To: "01:00"}, -60, 0, 0, true, "[23 24]"},
		{"from the day after", schedule.Span{From: "23:30", To: "00:30"}, 24 * 60, 25 * 60, 0, false, "[24 25]"},
		{"from long before", schedule.Span{From: "06:00", To: "07:00"}, -60, 7 * 60, 8 * time.Hour, false, "[23 24]"},
		{"from longer before than any", schedule.Span{From: "06:00", To: "07:00"}, -60, 0, time.Hour, true, "[24]"},
	} {
		o := schedule.Offering{
			ID: "table", TimeZone: "UTC", Unit: schedule.BySlot, SlotMinutes: 60, DurationMinutes: 60, Capacity: 1, HorizonDays: 1,
			Hours: map[string][]schedule.Span{"tue": {tt.only}},
		}
		var reads []string
		found, err := o.NearestFree(at(-12*60), at(0), 0, 1, tt.longest, func(from, to time.Time) (schedule.Taken, error) {
			reads = append(reads, from.Format("02"))
			if stands := at(tt.from); stands.Before(from) || stands.After(to) {
				return nil, nil
			}
			return schedule.Taken{{Slot: at(tt.from), Ends: at(tt.to), By: "t"}}, nil
		})
		if err != nil || (len(found) == 1) != tt.free || fmt.Sprint(reads) != tt.reads {
			t.Errorf("%s: %v, %v, after reading %v", tt.name, found, err, reads)
		}
	}
}
