package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/cloud/dynamo"
)

// An offering's grid and hours are changed while its bookings stand: nobody gets a time that
// a booking reaches into, on whichever side, unless there is a place beside it.
func TestField12_AChangedCalendar(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const hour = time.Hour
	type span struct{ from, to time.Duration } // after noon
	for _, tt := range []struct {
		name     string
		stands   []span // each one slot
		asked    []time.Duration
		ends     time.Duration
		capacity int
		refused  bool
	}{
		{"begins within it", []span{{24 * hour, 25 * hour}}, []time.Duration{24*hour + 30*time.Minute}, 25*hour + 30*time.Minute, 1, true},
		{"ends within it", []span{{24 * hour, 25 * hour}}, []time.Duration{23*hour + 30*time.Minute}, 24*hour + 30*time.Minute, 1, true},
		{"is a part of it", []span{{24 * hour, 28 * hour}}, []time.Duration{27 * hour}, 28 * hour, 1, true},
		{"has it as a part", []span{{26 * hour, 27 * hour}}, []time.Duration{24 * hour}, 28 * hour, 1, true},
		{"the second of its slots does", []span{{26 * hour, 27 * hour}}, []time.Duration{24*hour + 30*time.Minute, 25*hour + 30*time.Minute}, 26*hour + 30*time.Minute, 1, true},
		{"comes right after it", []span{{24 * hour, 25 * hour}}, []time.Duration{25 * hour}, 25*hour + 30*time.Minute, 1, false},
		{"comes right before it", []span{{24 * hour, 25 * hour}}, []time.Duration{23*hour + 30*time.Minute}, 24 * hour, 1, false},
		{"has a place beside it", []span{{24 * hour, 25 * hour}}, []time.Duration{24*hour + 30*time.Minute}, 25*hour + 30*time.Minute, 2, false},
		{"has a place beside one of its own slot, and none beside another", []span{{24 * hour, 25 * hour}, {24*hour + 30*time.Minute, 26 * hour}}, []time.Duration{24*hour + 30*time.Minute}, 25*hour + 30*time.Minute, 2, true},
		{"another day of UTC", []span{{35*hour + 30*time.Minute, 36*hour + 30*time.Minute}}, []time.Duration{36 * hour}, 37 * hour, 1, true},
		{"lasts as long as one that began long before", []span{{24 * hour, 34 * hour}}, []time.Duration{33 * hour}, 43 * hour, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			for _, s := range tt.stands {
				terms := c.terms(0)
				terms.Start, terms.End, terms.Slots = noon.Add(s.from), noon.Add(s.to), []time.Time{noon.Add(s.from)}
				if _, err := c.confirm(c.held(terms, tt.capacity), "yes"); err != nil {
					t.Fatal(err)
				}
			}
			terms := c.terms(0)
			terms.Start, terms.End, terms.Slots = noon.Add(tt.asked[0]), noon.Add(tt.ends), nil
			for _, d := range tt.asked {
				terms.Slots = append(terms.Slots, noon.Add(d))
			}
			_, err := c.Hold(ctx, c.draft(terms).ID, tt.capacity, c.Now().Add(time.Minute), "hold")
			if errors.Is(err, ErrSlotTaken) != tt.refused || err != nil && !tt.refused {
				t.Errorf("%v, want refused: %v", err, tt.refused)
			}
			taken, err := c.Taken(ctx, c.business, "table", noon.Add(24*hour), noon.Add(48*hour), c.Now())
			if err != nil || len(taken) == 0 {
				t.Errorf("taken = %v, %v", taken, err)
			}
		})
	}
}

// What reaches into a slot is in the way for as long as its lock is there, as on the slot itself:
// a hold whose time is over until it is swept, a booking until it is cancelled.
func TestField12_ATimeOfTheOldCalendarIsFreed(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	later := c.terms(24)
	later.Start, later.End = later.Start.Add(30*time.Minute), later.End.Add(30*time.Minute)
	later.Slots = []time.Time{later.Start}
	hold := func() error {
		_, err := c.Hold(ctx, c.draft(later).ID, 1, c.Now().Add(time.Minute), "hold")
		return err
	}
	c.held(c.terms(24), 1)
	c.clock.Add(10 * time.Minute)
	if err := hold(); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("before the sweep: %v", err)
	}
	if _, err := c.Sweep(ctx, dynamo.Budget{}); err != nil {
		t.Fatal(err)
	}
	if err := hold(); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// Nights are named by their dates: one that begins before the guests of the last have gone
// is not in the way.
func TestField12_NightsDoNotReachIntoEachOther(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for n := range 3 {
		terms := c.terms(0)
		date := noon.Truncate(24*time.Hour).AddDate(0, 0, n+1)
		terms.Slots, terms.Nights = []time.Time{date}, 1
		terms.Start, terms.End = date.Add(12*time.Hour), date.Add(32*time.Hour)
		c.held(terms, 1)
	}
}
