package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/schedule"
)

var clerk = actor.Actor{Kind: actor.Staff, ID: "clerk", Groups: []string{"admin"}}

// begun is a booking whose start has passed.
func (c *corner) begun(hour int) Transaction {
	c.t.Helper()
	tx, err := c.confirm(c.held(c.terms(hour), 1), "yes")
	if err != nil {
		c.t.Fatal(err)
	}
	c.clock.Set(tx.Start)
	return tx
}

func TestANoShowIsMarkedAndTakenBackOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx, err := c.confirm(c.held(c.terms(24), 1), "yes")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "k"); !errors.Is(err, ErrNotBegun) {
		t.Errorf("before it begins: %v", err)
	}
	if _, err := c.TakeBack(ctx, clerk, tx.ID, "k"); !errors.Is(err, ErrNotNoShow) {
		t.Errorf("taken back before it was marked: %v", err)
	}
	c.clock.Set(tx.Start)
	for _, who := range []actor.Actor{c.owner, {Kind: actor.Staff, ID: "nobody"}, {Kind: actor.Person, ID: "whatsapp:x"}} {
		_, err := c.Mark(ctx, who, tx.ID, "k")
		_, err2 := c.TakeBack(ctx, who, tx.ID, "k")
		if !errors.Is(err, actor.ErrNotFound) || !errors.Is(err2, actor.ErrNotFound) {
			t.Errorf("%s: %v, %v", who.Key(), err, err2)
		}
	}
	for range 2 {
		if got, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil || got.State != NoShow || !got.NoShowAt.Equal(c.Now()) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "another"); !errors.Is(err, ErrNoShow) {
		t.Errorf("marked again: %v", err)
	}
	if _, err := c.Release(ctx, c.owner, tx.ID, "x", "k"); !errors.Is(err, ErrNoShow) || !Refused(err) {
		t.Errorf("cancelled by its owner: %v", err)
	}
	if n := len(c.locks(tx.Start)); n != 1 {
		t.Errorf("%d locks", n)
	}
	count := func() int {
		n, err := c.Missed(ctx, c.business, []string{"user:nobody", tx.Owner}, tx.Start, 5)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("counts %d", n)
	}
	if later, err := c.Missed(ctx, c.business, []string{tx.Owner}, tx.Start.Add(time.Minute), 5); err != nil || later != 0 {
		t.Errorf("counts %d since later, %v", later, err)
	}
	c.clock.Add(TakeBackFor - time.Second)
	for range 2 {
		if got, err := c.TakeBack(ctx, clerk, tx.ID, "k"); err != nil || got.State != Confirmed {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if n := count(); n != 0 {
		t.Errorf("counts %d", n)
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "again"); !errors.Is(err, ErrCame) {
		t.Errorf("marked after it was taken back: %v", err)
	}
	events, err := c.Events(ctx, tx.ID)
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
	}
	if got := strings.Join(types, " "); err != nil || got != "draft hold confirmed no_show came" || events[3].Actor != clerk.Key() {
		t.Errorf("%s, %v", got, err)
	}
	c.clock.Add(time.Hour)
	if found, err := c.CheckInvariants(ctx, Limits{}); err != nil || len(c.alertsOn(tx.ID)) != 0 {
		t.Errorf("%+v, %v, %v", found, c.alertsOn(tx.ID), err)
	}
}

func TestANoShowInItsTime(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := newCorner(t)
	late := c.begun(24)
	c.clock.Set(late.End.Add(MarkFor))
	if _, err := c.Mark(ctx, clerk, late.ID, "k"); !errors.Is(err, ErrMarkedLate) {
		t.Errorf("%v", err)
	}
	c.clock.Add(-time.Second)
	if _, err := c.Mark(ctx, clerk, late.ID, "k"); err != nil {
		t.Errorf("%v", err)
	}
	c.clock.Add(TakeBackFor)
	if _, err := c.TakeBack(ctx, clerk, late.ID, "k"); !errors.Is(err, ErrStands) {
		t.Errorf("%v", err)
	}
	held := newCorner(t)
	tx := held.held(held.terms(24), 1)
	held.clock.Set(tx.Start)
	if _, err := held.Mark(ctx, clerk, tx.ID, "k"); !errors.Is(err, ErrNotBooked) {
		t.Errorf("what is not booked: %v", err)
	}
	if _, err := held.Mark(ctx, clerk, "missing", "k"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

// A customer who cancels and a business that marks, at once: one of them.
func TestOneWinnerOfMarkingAndCancelling(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for range 8 {
		c := newCorner(t)
		tx := c.begun(24)
		var wg sync.WaitGroup
		errs := make([]error, 3)
		wg.Go(func() { _, errs[0] = c.Mark(ctx, clerk, tx.ID, "a") })
		wg.Go(func() { _, errs[1] = c.Mark(ctx, clerk, tx.ID, "b") })
		wg.Go(func() { _, errs[2] = c.Release(ctx, c.owner, tx.ID, "x", "c") })
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		}
		n, err := c.Missed(ctx, c.business, []string{tx.Owner}, tx.Start, 5)
		now, err2 := c.Get(ctx, c.owner, tx.ID)
		if won != 1 || err != nil || err2 != nil || (n == 1) != (now.State == NoShow) {
			t.Errorf("%d won: %s, %d counted; %v %v %v", won, now.State, n, errs, err, err2)
		}
	}
}

// So long before the start is so long on every clock: when clocks change in between, the moment
// that is said is the one that counts.
func TestFreeUntilOverAChangeOfClocks(t *testing.T) {
	t.Parallel()
	nicosia, err := time.LoadLocation("Europe/Nicosia")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ start, free string }{
		{"2030-03-31T12:00", "2030-03-30T11:00"}, // clocks go forward in between: an hour is not there
		{"2030-10-27T12:00", "2030-10-26T13:00"}, // they go back: an hour is there twice
		{"2030-06-04T12:00", "2030-06-03T12:00"},
	} {
		start, err := time.ParseInLocation("2006-01-02T15:04", tt.start, nicosia)
		if err != nil {
			t.Fatal(err)
		}
		terms := due(Terms{Start: start.UTC(), TimeZone: "Europe/Nicosia", PriceMinor: 1000}, &schedule.Deposit{PercentOfPrice: 50, RefundUntilHours: 24, LateRefundPercent: 20})
		if got := local(terms.FreeUntil(), terms.TimeZone); got != tt.free || start.Sub(terms.FreeUntil()) != 24*time.Hour {
			t.Errorf("%s: free until %s, want %s", tt.start, got, tt.free)
		}
		free := terms.FreeUntil()
		for at, want := range map[time.Time]int64{free.Add(-time.Millisecond): 500, free: 100, start: 100} {
			if got := terms.Back(500, at); got != want {
				t.Errorf("%s: %d back at %s, want %d", tt.start, got, at, want)
			}
		}
	}
	free := Terms{Start: noon, PriceMinor: 1000}
	if free.Back(1000, noon.Add(-time.Second)) != 1000 || free.Back(1000, noon) != 0 {
		t.Error("what was paid without having to comes back until the start")
	}
}

// A question about a cancellation is answered before the answer means something else.
func TestACancellationIsAskedForWhatItMeans(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.Deposit = &schedule.Deposit{PercentOfPrice: 50, RefundUntilHours: 24}
	_, tx := s.offered()
	r := receiptFor(tx)
	r.Payment = "pi_1"
	var err error
	if tx, err = s.Confirm(t.Context(), s.owner, tx.ID, r, "c"); err != nil {
		t.Fatal(err)
	}
	ask := func(now time.Time) (string, time.Time) {
		s.clock.Set(now)
		s.tc.Now = now
		res, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
		if err != nil {
			t.Fatal(err)
		}
		return res.Proposal.Hash, res.Proposal.ExpiresAt
	}
	early, until := ask(tx.FreeUntil().Add(-2 * time.Minute))
	late, _ := ask(tx.FreeUntil())
	if early == late || !until.Equal(tx.FreeUntil()) {
		t.Errorf("hashes %s and %s, to be answered until %s", early, late, until)
	}
	if _, _, err := (Canceller{s.Ledger}).Writes(t.Context(), s.owner, tx.ID, early, "k"); !errors.Is(err, ErrOfferChanged) {
		t.Errorf("a YES to all of it, too late for that: %v", err)
	}
}

// A YES to all of it, of a price that was paid without being due, is none to nothing of it, either.
func TestACancellationOfWhatWasPaidInFull(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, tx := s.offered()
	if _, err := s.confirm(tx, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(tx.Start.Add(-2 * time.Minute))
	res, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
	if err != nil || !res.Proposal.ExpiresAt.Equal(tx.Start) {
		t.Fatalf("%+v, %v", res.Proposal, err)
	}
	yes := func() error {
		_, _, err := (Canceller{s.Ledger}).Writes(t.Context(), s.owner, tx.ID, res.Proposal.Hash, "k")
		return err
	}
	if err := yes(); err != nil {
		t.Error(err)
	}
	s.clock.Set(tx.Start)
	if err := yes(); !errors.Is(err, ErrOfferChanged) {
		t.Errorf("a YES to all of it, too late for that: %v", err)
	}
}

// What is over is neither cancelled nor moved: the question to it waits no longer than that.
func TestWhatIsOverIsNotGivenUp(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.PriceMinor = 0
	_, tx := s.offered()
	if _, err := s.confirm(tx, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(tx.End.Add(-3 * time.Minute))
	cancel, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
	if err != nil || !cancel.Proposal.ExpiresAt.Equal(tx.End) {
		t.Errorf("cancelled until %v, over at %v; %v", cancel.Proposal.ExpiresAt, tx.End, err)
	}
	if move, _ := s.move(tx, "2030-06-05", "20:00", "", 2); !move.Proposal.ExpiresAt.Equal(tx.End) {
		t.Errorf("moved until %v, over at %v", move.Proposal.ExpiresAt, tx.End)
	}
}

// Who did not come is asked for more, where the offering says so, and by each of their names, however
// far ahead they book: the rule looks back from today.
func TestOwedByWhoDidNotCome(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.begun(24)
	if _, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil {
		t.Fatal(err)
	}
	next := c.terms(60 * 24)
	next.PriceMinor = 1000
	for _, tt := range []struct {
		name    string
		own     *schedule.Deposit
		rule    *schedule.NoShows
		owners  []string
		due     int64
		missed  int
		refused bool
	}{
		{"no rule", nil, nil, []string{tx.Owner}, 0, 0, false},
		{"not so often", nil, &schedule.NoShows{Count: 2, Days: 30}, []string{tx.Owner}, 0, 0, false},
		{"somebody else", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{"user:other"}, 0, 0, false},
		{"a person", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{tx.Owner}, 0, 0, true},
		{"by another name", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{"user:new", tx.Owner}, 0, 0, true},
		{"a deposit", nil, &schedule.NoShows{Count: 1, Days: 30, Deposit: &schedule.Deposit{PercentOfPrice: 40}}, []string{tx.Owner}, 400, 1, false},
		{"less than everybody's", &schedule.Deposit{PercentOfPrice: 60}, &schedule.NoShows{Count: 1, Days: 30, Deposit: &schedule.Deposit{PercentOfPrice: 40}}, []string{tx.Owner}, 600, 1, false},
	} {
		got, err := (&Booker{Ledger: c.Ledger}).owed(ctx, next, schedule.Offering{Deposit: tt.own, NoShows: tt.rule}, tt.owners)
		if fault.Is(err, fault.Forbidden) != tt.refused || got.DueMinor != tt.due || got.Missed != tt.missed {
			t.Errorf("%s: due %d, missed %d, %v", tt.name, got.DueMinor, got.Missed, err)
		}
	}
}
