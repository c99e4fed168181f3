package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/actor"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/fault"
	"merve/internal/schedule"
	"merve/internal/tool"
)

// What may have been paid, due or not, is moved only while it comes back: the new time is held no
// longer than that, however long the model took to ask for it.
func TestAMoveIsAnsweredWhileItIsForNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, old := s.offered()
	var err error
	if old, err = s.Confirm(t.Context(), s.owner, old.ID, receiptFor(old), "c"); err != nil {
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

// move is what the customer is offered for a booking, as the tool answers and as it is held.
func (s *shop) move(old Transaction, date, clock, endDate string, party int) (tool.Result, Transaction) {
	s.t.Helper()
	quoted := func(v string) string {
		if v == "" {
			return "null"
		}
		return fmt.Sprintf("%q", v)
	}
	res, err := s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":%q,"time":%s,"endDate":%s,"partySize":%d}`,
		old.ID, date, quoted(clock), quoted(endDate), party), dynamotest.ID("m"))
	if err != nil || res.Proposal == nil {
		s.t.Fatalf("%+v, %v", res, err)
	}
	held, err := s.Get(s.t.Context(), s.owner, res.Proposal.Ref)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, held
}

// moved is the YES to that.
func (s *shop) moved(held Transaction) error {
	ws, _, _, err := Mover{s.Ledger}.Writes(s.t.Context(), s.owner, held.ID, held.OfferHash, receiptFor(held), "yes")
	if err != nil {
		return err
	}
	return s.Table.DB().Commit(s.t.Context(), ws...)
}

// have lists who has the locks of the shop on days from a first one, and in which state.
func (s *shop) have(day time.Time, days int) (all []string) {
	s.t.Helper()
	for n := range days {
		locks, err := s.lockRange(s.t.Context(), s.business, s.offering.ID, day.AddDate(0, 0, n), day.AddDate(0, 0, n+1).Add(-time.Minute))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, k := range locks {
			all = append(all, k.Tx+" "+string(k.State)+k.key.slot.Format(" 02 15:04"))
		}
	}
	return all
}

// A booking may be moved into its own place, with more people or by a part of its time, where there
// is no other: it keeps the place until the YES, and hands it over by that.
func TestAMoveIntoItsOwnPlace(t *testing.T) {
	t.Parallel()
	day := time.Date(2030, 6, 4, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		unit            schedule.Unit
		initiate        string
		date, clock, to string
		party, minutes  int      // of the booking; 0 is a slot
		before, after   []string // what the old one and the new one have
		held            string   // what the new one has before the YES, if anything
	}{
		"more people": {
			schedule.BySlot, at("2030-06-04", "19:00"), "2030-06-04", "19:00", "", 4, 0, []string{"04 16:00"}, []string{"04 16:00"}, "",
		},
		"a night later": {
			schedule.ByNight, strings.NewReplacer(`"time":"19:00","endDate":null`, `"time":null,"endDate":"2030-06-06"`).Replace(at("2030-06-04", "19:00")),
			"2030-06-05", "", "2030-06-07", 2, 0, []string{"04 00:00", "05 00:00"}, []string{"05 00:00", "06 00:00"}, "06 00:00",
		},
		"an hour and a half an hour later": {
			schedule.BySlot, at("2030-06-04", "19:00"), "2030-06-04", "20:00", "", 2, 90, []string{"04 16:00", "04 17:00"}, []string{"04 17:00", "04 18:00"}, "04 18:00",
		},
	} {
		for _, end := range []string{"yes", "no", "time up"} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				s, ctx := newShop(t), t.Context()
				if s.offering.Unit = tt.unit; tt.unit == schedule.ByNight {
					s.offering.Hours, s.offering.Per = nil, schedule.PerNight
				}
				s.offering.DurationMinutes = max(s.offering.DurationMinutes, tt.minutes)
				res, err := s.call("initiateBooking", tt.initiate, "k")
				if err != nil || res.Proposal == nil {
					t.Fatalf("%+v, %v", res, err)
				}
				old, err := s.Get(ctx, s.owner, res.Proposal.Ref)
				if err == nil {
					old, err = s.confirm(old, "c")
				}
				if err != nil {
					t.Fatal(err)
				}
				_, held := s.move(old, tt.date, tt.clock, tt.to, tt.party)
				was := []string{}
				for _, slot := range tt.before {
					was = append(was, old.ID+" confirmed "+slot)
				}
				want := slices.Clone(was)
				if tt.held != "" {
					want = append(want, held.ID+" held "+tt.held)
				}
				if diff := cmp.Diff(want, s.have(day, 4)); diff != "" {
					t.Errorf("while it waits for the YES: %s", diff)
				}
				if a := s.settledAudit(); a.Critical+a.Healed > 0 {
					t.Errorf("%+v", a)
				}
				want = was
				switch end {
				case "yes":
					want = nil
					for _, slot := range tt.after {
						want = append(want, held.ID+" confirmed "+slot)
					}
					err = s.moved(held)
				case "no":
					_, err = s.Release(ctx, s.owner, held.ID, "no", "no")
				default:
					s.clock.Set(held.HoldExpiresAt)
					_, err = s.Expire(ctx, held.ID)
				}
				if diff := cmp.Diff(want, s.have(day, 4)); err != nil || diff != "" {
					t.Errorf("afterwards: %v, %s", err, diff)
				}
				if a := s.settledAudit(); a.Critical+a.Healed > 0 {
					t.Errorf("%+v", a)
				}
				now, err := s.Get(ctx, s.owner, held.ID)
				if err != nil || OfferHash(now) != held.OfferHash || (now.State == Confirmed) != (end == "yes") {
					t.Errorf("%+v, %v", now, err)
				}
				has := old
				if end == "yes" {
					has = now
				}
				locks, err := s.lockRange(ctx, s.business, s.offering.ID, day, day.AddDate(0, 0, 4))
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range locks { // also of a slot that was in the middle of one and is at the end of the other
					if i := slices.IndexFunc(has.Slots, k.key.slot.Equal); i < 0 || !k.Ends.Equal(has.slotEnd(i)) {
						t.Errorf("the lock on %s ends at %s: %v of %+v", k.key.slot, k.Ends, i, has.Terms)
					}
				}
			})
		}
	}
}

// Of two ways to move a booking within its place one is taken, and neither when the booking is no more.
func TestAPlaceIsInheritedOnce(t *testing.T) {
	t.Parallel()
	for _, cancelled := range []bool{false, true} {
		s := newShop(t)
		_, old := s.offered()
		old, err := s.confirm(old, "c")
		if err != nil {
			t.Fatal(err)
		}
		_, three := s.move(old, "2030-06-04", "19:00", "", 3)
		s.tc.Thread = dynamotest.ID("th")
		_, four := s.move(old, "2030-06-04", "19:00", "", 4)
		if cancelled {
			if _, err := s.Release(t.Context(), s.owner, old.ID, "no", "no"); err != nil {
				t.Fatal(err)
			}
		} else if err := s.moved(four); err != nil {
			t.Fatal(err)
		}
		if err := s.moved(three); !Refused(err) {
			t.Errorf("cancelled %v: %v", cancelled, err)
		}
		err = s.Table.DB().Commit(t.Context(), s.inheritLock(lockKey{s.business, s.offering.ID, old.Start, 0}, three))
		if !errors.Is(err, ErrSlotTaken) {
			t.Errorf("the lock, cancelled %v: %v", cancelled, err)
		}
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
