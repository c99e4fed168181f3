package ledger

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/tenant/schedule"
)

// spanning are terms that take slots of an hour, the first n hours after noon, for minutes in all; or
// nights, the first n days after today.
func (c *corner) spanning(unit schedule.Unit, n, slots, minutes int) Terms {
	t := c.terms(n)
	t.Slots = nil
	for i := range slots {
		if unit == schedule.ByNight {
			t.Slots = append(t.Slots, noon.Truncate(24*time.Hour).AddDate(0, 0, n+i))
		} else {
			t.Slots = append(t.Slots, t.Start.Add(time.Duration(i)*time.Hour))
		}
	}
	t.End = t.Start.Add(time.Duration(minutes) * time.Minute)
	if unit == schedule.ByNight {
		t.Nights, t.Start, t.End = slots, t.Slots[0].Add(12*time.Hour), t.Slots[slots-1].Add(32*time.Hour)
	}
	return t
}

// moving is an offer of other terms for a booking, on a thread of its own.
func (c *corner) moving(old Transaction, to Terms) Transaction {
	c.t.Helper()
	to.Replaces = old.ID
	return c.offered(to, 1)
}

// moved is the YES to that.
func (c *corner) moved(held Transaction) error {
	ws, _, _, err := c.Ledger.MoveWrites(c.t.Context(), c.owner, held.ID, held.OfferHash, receiptFor(held), "yes")
	if err != nil {
		return err
	}
	return c.Table.DB().Commit(c.t.Context(), ws...)
}

// have lists who has the locks of the table on days from a first one, and in which state.
func (c *corner) have(day time.Time, days int) (all []string) {
	c.t.Helper()
	for n := range days {
		locks, err := c.slots().lockRange(c.t.Context(), c.business, "table", day.AddDate(0, 0, n), day.AddDate(0, 0, n+1).Add(-time.Minute))
		if err != nil {
			c.t.Fatal(err)
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
		unit          schedule.Unit
		from, to      int // the hour after noon, or the day after today
		slots         int
		minutes       int      // in all, of slots
		party         int      // afterwards
		before, after []string // what the old one and the new one have
		held          string   // what the new one has before the YES, if anything
	}{
		"more people":   {schedule.BySlot, 28, 28, 1, 60, 4, []string{"04 16:00"}, []string{"04 16:00"}, ""},
		"a night later": {schedule.ByNight, 1, 2, 2, 0, 2, []string{"04 00:00", "05 00:00"}, []string{"05 00:00", "06 00:00"}, "06 00:00"},
		"an hour and a half an hour later": {
			schedule.BySlot, 28, 29, 2, 90, 2, []string{"04 16:00", "04 17:00"}, []string{"04 17:00", "04 18:00"}, "04 18:00",
		},
	} {
		for _, end := range []string{"yes", "no", "time up"} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				c, ctx := newCorner(t), t.Context()
				old, err := c.confirm(c.offered(c.spanning(tt.unit, tt.from, tt.slots, tt.minutes), 1), "c")
				if err != nil {
					t.Fatal(err)
				}
				to := c.spanning(tt.unit, tt.to, tt.slots, tt.minutes)
				to.Party = tt.party
				held := c.moving(old, to)
				was := []string{}
				for _, slot := range tt.before {
					was = append(was, old.ID+" confirmed "+slot)
				}
				want := slices.Clone(was)
				if tt.held != "" {
					want = append(want, held.ID+" held "+tt.held)
				}
				if diff := cmp.Diff(want, c.have(day, 4)); diff != "" {
					t.Errorf("while it waits for the YES: %s", diff)
				}
				if a := c.settledAudit(); a.Critical+a.Healed > 0 {
					t.Errorf("%+v", a)
				}
				want = was
				switch end {
				case "yes":
					want = nil
					for _, slot := range tt.after {
						want = append(want, held.ID+" confirmed "+slot)
					}
					err = c.moved(held)
				case "no":
					_, err = c.Release(ctx, c.owner, held.ID, "no", "no")
				default:
					c.clock.Set(held.HoldExpiresAt)
					_, err = c.Expire(ctx, held.ID)
				}
				if diff := cmp.Diff(want, c.have(day, 4)); err != nil || diff != "" {
					t.Errorf("afterwards: %v, %s", err, diff)
				}
				if a := c.settledAudit(); a.Critical+a.Healed > 0 {
					t.Errorf("%+v", a)
				}
				now, err := c.Get(ctx, c.owner, held.ID)
				if err != nil || OfferHash(now) != held.OfferHash || (now.State == Confirmed) != (end == "yes") {
					t.Errorf("%+v, %v", now, err)
				}
				has := old
				if end == "yes" {
					has = now
				}
				locks, err := c.slots().lockRange(ctx, c.business, "table", day, day.AddDate(0, 0, 4))
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
		c := newCorner(t)
		old := c.in(Confirmed, c.terms(28))
		people := func(party int) Transaction {
			to := c.terms(28)
			to.Party = party
			return c.moving(old, to)
		}
		three, four := people(3), people(4)
		if cancelled {
			if _, err := c.Release(t.Context(), c.owner, old.ID, "no", "no"); err != nil {
				t.Fatal(err)
			}
		} else if err := c.moved(four); err != nil {
			t.Fatal(err)
		}
		if err := c.moved(three); !Refused(err) {
			t.Errorf("cancelled %v: %v", cancelled, err)
		}
		err := c.Table.DB().Commit(t.Context(), c.slots().inheritLock(lockKey{c.business, "table", old.Start, 0}, three))
		if !errors.Is(err, ErrSlotTaken) {
			t.Errorf("the lock, cancelled %v: %v", cancelled, err)
		}
	}
}
