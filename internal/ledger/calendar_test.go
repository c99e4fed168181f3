package ledger

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/gate"
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

// A day in one piece is cut into short slots while a booking of all of it stands: none of them
// is to be had, the last one neither.
func TestField12_AFinerCalendar(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.SlotMinutes, s.offering.DurationMinutes = 480, 480
	s.longest = s.offering.LongestSlot()
	r, err := s.call("initiateBooking", at("2030-06-04", "12:00"), "whole")
	if err != nil || r.Proposal == nil {
		t.Fatalf("%+v, %v", r.Data, err)
	}
	if _, err := s.Confirm(t.Context(), s.owner, r.Proposal.Ref, gate.Receipt{PendingID: "p", OfferHash: r.Proposal.Hash, MessageID: "m", Answer: "yes", Actor: s.owner.Key(), At: s.Now()}, "yes"); err != nil {
		t.Fatal(err)
	}
	s.offering.SlotMinutes, s.offering.DurationMinutes = 120, 120
	s.tc.Thread = "another"
	for clock, free := range map[string]bool{"12:00": false, "14:00": false, "16:00": false, "18:00": false, "20:00": true} {
		if r, err := s.call("initiateBooking", at("2030-06-04", clock), clock); err != nil || (r.Proposal != nil) != free {
			t.Errorf("%s: %+v, %v; want that it is held: %v", clock, r.Data, err, free)
		}
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

// What somebody has of a time becomes longer with the calendar's slots: it is theirs as far as nobody
// else has the rest, whether it is booked or only held.
func TestField12_AMoveIntoALongerSlot(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		booked, beside bool
		capacity       int
		want           bool
	}{
		"booked":                        {true, true, 1, false},
		"booked, nobody has the rest":   {true, false, 1, true},
		"booked, there is another room": {true, true, 2, true},
		"held":                          {false, true, 1, false},
		"held, nobody has the rest":     {false, false, 1, true},
		"held, there is another room":   {false, true, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			own := s.tc.Thread
			tx := s.bookedAt("18:00", tt.booked)
			if tt.beside {
				s.tc.Thread = dynamotest.ID("th")
				s.bookedAt("19:00", true)
				s.tc.Thread = own
			}
			s.offering.SlotMinutes, s.offering.DurationMinutes, s.offering.Capacity = 120, 120, tt.capacity
			tool, args := "initiateBooking", at("2030-06-04", "18:00")
			if tt.booked {
				tool, args = "rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"18:00","endDate":null,"partySize":4}`, tx.ID)
			}
			if r, err := s.call(tool, args, "longer"); err != nil || (r.Proposal != nil) != tt.want {
				t.Errorf("%+v, %v; want that it is held: %v", r.Data, err, tt.want)
			}
		})
	}
}

// bookedAt is what the customer holds at a time of the day, or has booked.
func (s *shop) bookedAt(clock string, confirmed bool) Transaction {
	s.t.Helper()
	res, err := s.call("initiateBooking", at("2030-06-04", clock), clock)
	if err != nil || res.Proposal == nil {
		s.t.Fatalf("%+v, %v", res, err)
	}
	tx, err := s.Get(s.t.Context(), s.owner, res.Proposal.Ref)
	if err == nil && confirmed {
		tx, err = s.confirm(tx, "yes")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
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
