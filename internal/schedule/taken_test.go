package schedule_test

import (
	"testing"
	"time"

	"merve/internal/schedule"
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
	o = schedule.Offering{Unit: schedule.ByNight, Capacity: 1}
	if o.Free(taken, at(180)) || !o.Free(taken, at(181)) {
		t.Error("a night goes by its date alone")
	}
}
