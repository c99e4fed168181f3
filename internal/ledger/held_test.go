package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/fault"
	"merve/internal/schedule"
)

// An offer is held no longer than it can be booked: until it begins, nights until they are over.
func TestAnOfferIsHeldUntilItBegins(t *testing.T) {
	t.Parallel()
	begins := time.Date(2030, 6, 4, 16, 0, 0, 0, time.UTC) // 19:00 there
	table := at("2030-06-04", "19:00")
	stay := strings.NewReplacer(`"time":"19:00","endDate":null`, `"time":null,"endDate":"2030-06-05"`).Replace(table)
	for name, tt := range map[string]struct {
		args       string
		left, want time.Duration // until 19:00, when it is asked for and for how long it is held
		change     func(o *schedule.Offering)
	}{
		"long before":          {args: table, left: 11 * time.Minute, want: 10 * time.Minute},
		"shortly before":       {args: table, left: 3 * time.Minute, want: 3 * time.Minute},
		"to be paid":           {args: table, left: 20 * time.Minute, want: 20 * time.Minute, change: func(o *schedule.Offering) { o.Deposit = &schedule.Deposit{PercentOfPrice: 50} }},
		"after the check-in":   {args: stay, left: -2 * time.Hour, want: 10 * time.Minute, change: nightly},
		"a minute before":      {args: table, left: time.Minute, want: time.Minute},
		"too late to be asked": {args: table, left: time.Minute - time.Second},
		"as it begins":         {args: table},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			if tt.change != nil {
				tt.change(&s.offering)
			}
			s.clock.Set(begins.Add(-tt.left))
			res, err := s.call("initiateBooking", tt.args, "k")
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == 0 {
				if data := fmt.Sprint(res.Data); res.Proposal != nil || !strings.Contains(data, "short_notice") || !strings.Contains(data, "20:00") || strings.Contains(data, "time:19:00") {
					t.Errorf("%+v, %s", res.Proposal, data)
				}
				return
			}
			if res.Proposal == nil || res.Proposal.ExpiresAt.Sub(s.Now()) != tt.want {
				t.Errorf("%+v, %v; want it held for %v", res.Proposal, res.Data, tt.want)
			}
		})
	}
}

func nightly(o *schedule.Offering) {
	o.Unit, o.Hours, o.CheckIn, o.CheckOut = schedule.ByNight, nil, "15:00", "11:00"
}

// A new time that begins soon is held until then.
func TestAMoveIsHeldUntilItsNewTimeBegins(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, old := s.offered()
	if _, err := s.confirm(old, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(old.Start.Add(-time.Hour - 3*time.Minute))
	if res, held := s.move(old, "2030-06-04", "18:00", "", 2); !res.Proposal.ExpiresAt.Equal(held.Start) || held.Start.Sub(s.Now()) != 3*time.Minute {
		t.Errorf("held until %v, begins at %v", res.Proposal.ExpiresAt, held.Start)
	}
}

// However long a model took to ask: what begins before anybody could answer is held by nobody.
func TestNothingIsHeldThatHasBegun(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	terms := c.terms(1)
	for _, left := range []time.Duration{time.Millisecond, 0, -time.Minute} {
		c.clock.Set(terms.Start.Add(-left))
		if tx, err := c.Offer(t.Context(), terms, 1, time.Minute, fmt.Sprint("k", left)); !fault.Is(err, fault.Conflict) {
			t.Errorf("%v before the start: %+v, %v", left, tx, err)
		}
	}
}
