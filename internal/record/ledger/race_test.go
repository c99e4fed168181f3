package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
)

// Whatever the capacity, as many of a hundred contenders win as there are tokens.
func TestField12_AsManyWinnersAsTokens(t *testing.T) {
	t.Parallel()
	for _, capacity := range []int{1, 3, 10} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			c, ctx := newCorner(t), context.Background()
			var won atomic.Int32
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					tx, err := c.Draft(ctx, c.terms(24), c.NewID())
					if err == nil {
						tx, err = c.Hold(ctx, tx.ID, capacity, c.Now().Add(time.Minute), "k")
					}
					if err == nil {
						_, err = c.confirm(tx, "k")
					}
					switch {
					case err == nil:
						won.Add(1)
					case !errors.Is(err, ErrSlotTaken):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if int(won.Load()) != capacity {
				t.Errorf("%d won, want %d", won.Load(), capacity)
			}
			taken, err := c.Taken(ctx, c.business, "table", noon, noon.Add(48*time.Hour), c.Now())
			if err != nil || count(taken, noon.Add(24*time.Hour)) != capacity || len(taken) != capacity {
				t.Errorf("taken = %v, %v", taken, err)
			}
		})
	}
}

// One slot after another is wanted by 256 at once, alone or as a part of more: each time as many
// have it as there are tokens, and nobody has half of what they asked for. A round takes about a
// second: the long form has a thousand of them.
func TestField12_HotSlot(t *testing.T) {
	t.Parallel()
	for capacity, n := range map[int]struct{ short, long int }{1: {3, 200}, 2: {1, 20}} {
		rounds := seedtest.Tries(t, n.short, n.long)
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			t.Parallel()
			const contenders = 256
			c := newCorner(t)
			for round := range rounds {
				c.fight(4*round, contenders, capacity)
			}
			faulttest.Tried(t, rounds*contenders)
		})
	}
}

// fight has contenders want the same slot, half of them with the next one, and some only the
// next one.
func (c *corner) fight(hot, contenders, capacity int) {
	c.t.Helper()
	var mu sync.Mutex
	has := map[time.Time]int{}
	var wg sync.WaitGroup
	for i := range contenders {
		wg.Go(func() {
			terms := c.terms(24 + hot)
			switch i % 4 {
			case 0, 1:
				terms.Slots, terms.End = append(terms.Slots, terms.End), terms.End.Add(time.Hour)
			case 2:
				terms = c.terms(24 + hot + 1)
			}
			tx, err := c.Offer(context.Background(), terms, capacity, time.Hour, c.NewID())
			if err != nil && !errors.Is(err, ErrSlotTaken) {
				c.t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, slot := range tx.Slots {
				has[slot]++
			}
		})
	}
	wg.Wait()
	first := noon.Add(time.Duration(24+hot) * time.Hour)
	taken, err := c.Taken(context.Background(), c.business, "table", first, first.Add(time.Hour), c.Now())
	if err != nil {
		c.t.Error(err)
	}
	for _, slot := range []time.Time{first, first.Add(time.Hour)} {
		if has[slot] != capacity || count(taken, slot) != capacity {
			c.t.Errorf("%s: %d have it, %d are taken, capacity %d", slot, has[slot], count(taken, slot), capacity)
		}
	}
}

// Stays whose nights overlap never share a night beyond its tokens, and a stay that is
// refused leaves none of its nights taken.
func TestField12_OverlappingStays(t *testing.T) {
	t.Parallel()
	const capacity = 2
	c, ctx := newCorner(t), context.Background()
	var mu sync.Mutex
	nights := map[time.Time]int{}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			terms := c.terms(24 * (1 + i%4))
			terms.Slots = nil
			for d := range 3 {
				terms.Slots = append(terms.Slots, terms.Start.AddDate(0, 0, d))
			}
			terms.End = terms.Start.AddDate(0, 0, 3)
			tx, err := c.Draft(ctx, terms, c.NewID())
			if err == nil {
				tx, err = c.Hold(ctx, tx.ID, capacity, c.Now().Add(time.Minute), "k")
			}
			if errors.Is(err, ErrSlotTaken) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range tx.Slots {
				nights[s]++
			}
		})
	}
	wg.Wait()
	taken, err := c.Taken(ctx, c.business, "table", noon, noon.AddDate(0, 0, 10), c.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(nights) == 0 {
		t.Fatal("nobody won")
	}
	all := 0
	for night, n := range nights {
		if all += n; n > capacity || count(taken, night) != n {
			t.Errorf("%s: %d hold it, %d locks, capacity %d", night, n, count(taken, night), capacity)
		}
	}
	if len(taken) != all {
		t.Errorf("locks without a holder: %v, holders %v", taken, nights)
	}
}

// Two offers for one place are pending; both customers say YES. The first hold had
// expired and was taken over, so its YES is refused.
func TestField13_TwoPendingOneConfirmed(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	first := c.held(c.terms(24), 1)
	c.clock.Add(10 * time.Minute)
	second := c.held(c.terms(24), 1)
	if _, err := c.confirm(first, "yes"); !errors.Is(err, ErrHoldGone) {
		t.Errorf("first: %v, want %v", err, ErrHoldGone)
	}
	if _, err := c.confirm(second, "yes"); err != nil {
		t.Errorf("second: %v", err)
	}
	h, err := c.History(ctx, c.owner, first.ID)
	if err != nil || h.Transaction.State != Expired || h.Events[len(h.Events)-1].Type != Expired {
		t.Errorf("the first was not expired with the takeover: %+v, %v", h, err)
	}
	if again, err := c.Expire(ctx, first.ID); err != nil || again.Version != h.Transaction.Version {
		t.Errorf("expired twice: %+v, %v", again, err)
	}
}

// A YES that was read in time, to a hold that has been taken over before its writes
// were committed, is refused by the writes themselves.
func TestField13_TheWritesThemselvesRefuse(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	first := c.held(c.terms(24), 1)
	ws, err := c.confirmWrites(first, receiptFor(first), "yes", c.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Add(10 * time.Minute)
	c.held(c.terms(24), 1)
	if err := c.Table.DB().Commit(ctx, ws...); !errors.Is(err, ErrHoldGone) || !fault.Is(err, fault.Gone) {
		t.Errorf("err = %v, want %v", err, ErrHoldGone)
	}
}

// The time that is stored counts: a YES one second after expiry is refused though
// the row, its lock and its place in the index are all still there.
func TestField14_YesAfterExpiry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		late time.Duration
		want error
	}{{-time.Second, nil}, {0, ErrHoldGone}, {time.Second, ErrHoldGone}, {24 * time.Hour, ErrHoldGone}} {
		c := newCorner(t)
		tx := c.held(c.terms(48), 1)
		c.clock.Add(10*time.Minute + tt.late)
		if _, err := c.confirm(tx, "yes"); !errors.Is(err, tt.want) {
			t.Errorf("%s late: %v, want %v", tt.late, err, tt.want)
		}
		if it, err := c.Table.Get(context.Background(), txKey(tx.ID)); err != nil || it == nil || it.Int("ttl") != 0 {
			t.Errorf("the row must be there, and not be DynamoDB's to delete: %v, %v", it, err)
		}
	}
}

// An expired lock blocks nobody, a confirmed one never expires.
func TestField14_LocksGoByTheirTime(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.held(c.terms(24), 1)
	confirmed := c.held(c.terms(30), 1)
	if _, err := c.confirm(confirmed, "yes"); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(10 * time.Minute)
	taken, err := c.Taken(ctx, c.business, "table", noon, noon.Add(48*time.Hour), c.Now())
	if err != nil || len(taken) != 1 || count(taken, noon.Add(30*time.Hour)) != 1 {
		t.Errorf("taken = %v, %v", taken, err)
	}
	c.clock.Add(240 * time.Hour)
	if _, err := c.Hold(ctx, c.draft(c.terms(30)).ID, 1, c.Now().Add(time.Minute), "k"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("a confirmed slot was held again: %v", err)
	}
}

// Confirm, release, expiry by two and takeover race at the hold's end: one of them wins, and
// state, events, locks and what the one who confirms is told agree. With TIMES=5 there are ten
// thousand such races.
func TestField14_ConfirmAgainstExpiry(t *testing.T) {
	t.Parallel()
	const lanes = 4
	seedtest.Of(t)
	rounds := seedtest.Tries(t, 40/lanes, 2000/lanes)
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			for round := range rounds {
				raceAtTheEnd(t, lane+round)
			}
			faulttest.Tried(t, rounds)
		})
	}
}

// raceAtTheEnd is one of them, in which the n-th racer is off first.
func raceAtTheEnd(t *testing.T, n int) {
	ctx, c := context.Background(), newCorner(t)
	tx := c.held(c.terms(24), 1)
	next := c.draft(c.terms(24))
	early := c.open() // a process whose clock is a moment behind: for it the hold is not over
	early.Now = func() time.Time { return noon.Add(10*time.Minute - time.Millisecond) }
	c.clock.Add(10 * time.Minute)
	const takeover = 3
	racers := []func() error{
		func() error { _, err := early.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "yes"); return err },
		func() error { _, err := c.Expire(ctx, tx.ID); return err },
		func() error { _, err := early.Release(ctx, c.owner, tx.ID, "no", "no"); return err },
		takeover: func() error { _, err := c.Hold(ctx, next.ID, 1, c.Now().Add(time.Minute), "k"); return err },
		func() error { _, err := c.open().Expire(ctx, tx.ID); return err },
	}
	errs := make([]error, len(racers))
	var wg sync.WaitGroup
	for i := range racers {
		i := (i + n) % len(racers)
		wg.Go(func() { errs[i] = racers[i]() })
	}
	wg.Wait()
	h, err := c.History(ctx, c.owner, tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[State]int{}
	for _, e := range h.Events[2:] {
		ends[e.Type]++
	}
	state := h.Transaction.State
	if confirmed := ends[Confirmed] == 1; confirmed != (errs[0] == nil) {
		t.Fatalf("round %d: confirmed %t, and told %v", n, confirmed, errs[0])
	}
	if ends[Confirmed] > 1 || ends[Expired] > 1 || ends[Expired] == 1 && ends[Confirmed] == 1 || state == Hold {
		t.Fatalf("round %d: %s, events %v, errors %v", n, state, ends, errs)
	}
	if locks := c.locks(tx.Start); len(locks) > 1 ||
		state == Confirmed && (errs[takeover] == nil || locks[0].Tx != tx.ID || locks[0].State != lockConfirmed) ||
		errs[takeover] == nil && locks[0].Tx != next.ID {
		t.Fatalf("round %d: %s, locks %+v, errors %v", n, state, locks, errs)
	}
}

// A new offer on the same thread may take the place that the earlier one holds.
func TestAThreadTakesOverItsOwnHold(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.terms(24)
	first := c.held(terms, 1)
	terms.Party = 3
	second := c.held(terms, 1)
	if now, _ := c.Get(ctx, c.owner, first.ID); now.State != Cancelled {
		t.Errorf("the earlier offer is %s", now.State)
	}
	if ls := c.locks(terms.Start); len(ls) != 1 || ls[0].Tx != second.ID {
		t.Errorf("locks = %+v", ls)
	}
	if _, err := c.confirm(first, "yes"); !errors.Is(err, ErrNotHeld) {
		t.Errorf("YES to the earlier offer: %v", err)
	}
	if _, err := c.confirm(second, "yes"); err != nil {
		t.Fatal(err)
	}
	terms.Party = 4 // a confirmed booking is nobody's to take over
	if _, err := c.Hold(ctx, c.draft(terms).ID, 1, c.Now().Add(time.Minute), "k"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("err = %v, want %v", err, ErrSlotTaken)
	}
}

// A stay of many nights, each held by another expired transaction of many nights, does
// not fit into one transaction with all that it ends.
func TestTakeOverOfManyHolds(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var all Terms
	for i := range 20 {
		terms := c.terms(24 * (1 + i))
		terms.Slots, terms.Nights = append(terms.Slots, terms.Start.Add(time.Hour), terms.Start.Add(2*time.Hour), terms.Start.Add(3*time.Hour)), 4
		c.held(terms, 1)
		if all.Start.IsZero() {
			all = terms
			all.Slots, all.Nights = nil, 20
		}
		all.Slots, all.End = append(all.Slots, terms.Start), terms.End
	}
	c.clock.Add(10 * time.Minute)
	all.Thread = "another"
	tx, err := c.Hold(ctx, c.draft(all).ID, 1, c.Now().Add(time.Minute), "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.confirm(tx, "yes"); err != nil {
		t.Fatal(err)
	}
	taken, err := c.Taken(ctx, c.business, "table", noon, noon.AddDate(0, 0, 30), c.Now())
	if err != nil || len(taken) != 20 {
		t.Errorf("%d slots taken, %v", len(taken), err)
	}
}

// An offer that comes late once more, when its thread has since made others in its place,
// ends none of them, however many they are.
func TestALateRepeatEndsNothing(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	first := c.terms(24)
	first.Slots, first.Nights = nil, 20
	var others []Terms
	for day := range 20 {
		terms := c.terms(24 * (1 + day))
		terms.Thread, terms.Nights = first.Thread, 4
		first.Slots, first.End = append(first.Slots, terms.Start), terms.End
		for hour := range 3 {
			terms.Slots = append(terms.Slots, terms.Start.Add(time.Duration(1+hour)*time.Hour))
		}
		others = append(others, terms)
	}
	was, err := c.Offer(ctx, first, 1, time.Minute, "first")
	if err != nil {
		t.Fatal(err)
	}
	for _, terms := range others {
		c.offered(terms, 1)
	}
	if again, err := c.Offer(ctx, first, 1, time.Minute, "first"); err != nil || again.ID != was.ID {
		t.Errorf("%+v, %v", again, err)
	}
	taken, err := c.Taken(ctx, c.business, "table", noon, noon.AddDate(0, 0, 30), c.Now())
	if err != nil || len(taken) != 20*4 {
		t.Errorf("%d slots are held, want 80; %v", len(taken), err)
	}
}
