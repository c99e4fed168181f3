package booking

import (
	"fmt"
	"testing"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
)

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
	if _, err := ledgertest.Confirm(t.Context(), s.Ledger, s.owner, r.Proposal.Ref, gate.Receipt{PendingID: "p", OfferHash: r.Proposal.Hash, MessageID: "m", Answer: "yes", Actor: s.owner.Key(), At: s.Now()}, "yes"); err != nil {
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
func (s *shop) bookedAt(clock string, confirmed bool) ledger.Transaction {
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
