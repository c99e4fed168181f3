package booking

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/record/ledger/ledgertest"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/schedule"
)

// What may have been paid, due or not, is moved only while it comes back: the new time is held no
// longer than that, however long the model took to ask for it.
func TestAMoveIsAnsweredWhileItIsForNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, old := s.offered()
	var err error
	if old, err = ledgertest.Confirm(t.Context(), s.Ledger, s.owner, old.ID, receiptFor(old), "c"); err != nil {
		t.Fatal(err)
	}
	move, _ := s.tools.Get("rescheduleBooking")
	args, err := move.Canonical(json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"21:00","endDate":null,"partySize":null}`, old.ID)))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(left, latency time.Duration) (tool.Result, error) {
		s.clock.Set(old.Start.Add(-left))
		tc := s.tc
		tc.Key, tc.Now = fmt.Sprint("m", left), s.Now().Add(-latency)
		return move.Run(t.Context(), tc, args)
	}
	if res, err := ask(5*time.Minute, 20*time.Second); err != nil || !res.Proposal.ExpiresAt.Equal(old.Start) {
		t.Errorf("%+v, %v", res.Proposal, err)
	}
	for left, want := range map[time.Duration]string{30 * time.Second: "too soon", 0: "comes back no more", -time.Minute: "comes back no more"} {
		if _, err := ask(left, 2*time.Minute); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v before the start: %v", left, err)
		}
	}
}

// What costs nothing is moved until it begins.
func TestAMoveOfWhatIsFree(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.PriceMinor = 0
	_, old := s.offered()
	if _, err := s.confirm(old, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(old.Start.Add(-30 * time.Second))
	moved, err := s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"21:00","endDate":null,"partySize":null}`, old.ID), "m")
	if err != nil || moved.Proposal == nil || !moved.Proposal.ExpiresAt.After(old.Start) {
		t.Errorf("%+v, %v", moved.Proposal, err)
	}
}

// Who did not come by another of their chats is asked for as much to move a booking as to make one.
func TestAMoveByWhoDidNotCome(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{false, true} {
		s := newShop(t)
		missed := s.begun(1)
		if _, err := s.Mark(t.Context(), clerk, missed.ID, "k"); err != nil {
			t.Fatal(err)
		}
		s.owner = actor.Actor{Kind: actor.User, ID: dynamotest.ID("user")}
		if linked {
			s.owner.Also = []string{missed.Owner}
		}
		s.tc.Actor = s.owner
		_, old := s.offered()
		if _, err := s.confirm(old, "c"); err != nil {
			t.Fatal(err)
		}
		ask := func(rule schedule.NoShows, clock string) (tool.Result, error) {
			s.offering.NoShows = &rule
			return s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":%q,"endDate":null,"partySize":null}`, old.ID, clock), clock)
		}
		if _, err := ask(schedule.NoShows{Count: 1, Days: 30}, "20:00"); fault.Is(err, fault.Forbidden) != linked || err != nil && !linked {
			t.Errorf("linked %v: %v", linked, err)
		}
		res, err := ask(schedule.NoShows{Count: 1, Days: 30, Deposit: &schedule.Deposit{PercentOfPrice: 40}}, "21:00")
		if err != nil || res.Proposal == nil {
			t.Fatalf("linked %v: %+v, %v", linked, res, err)
		}
		held, err := s.Get(t.Context(), s.owner, res.Proposal.Ref)
		if err != nil || (held.DueMinor > 0) != linked {
			t.Errorf("linked %v: due %d, %v", linked, held.DueMinor, err)
		}
	}
}

// Nothing is asked of who wishes for what they have.
func TestAMoveToWhatIsBooked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, old := s.offered()
	if _, err := s.confirm(old, "c"); err != nil {
		t.Fatal(err)
	}
	res, err := s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"19:00","endDate":null,"partySize":null}`, old.ID), "m")
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "nothing to change") {
		t.Errorf("%+v, %v", res, err)
	}
}

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
