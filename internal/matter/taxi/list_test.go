package taxi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/matter/taxi"
)

var staff = actor.Actor{Kind: actor.Staff, ID: "sam", Groups: []string{"admin"}}

func ids(rides []taxi.Ride) []string {
	all := []string{}
	for _, r := range rides {
		all = append(all, r.ID)
	}
	return all
}

// spent counts the requests of a call.
func spent(t *testing.T, want int, f func(ctx context.Context) error) {
	t.Helper()
	ctx, meter := telemetry.WithMeter(context.Background())
	if err := f(ctx); err != nil {
		t.Fatal(err)
	}
	if got := meter.Cost().Requests; got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
}

// The rides of a market are listed newest first, by pages and days, in two requests whatever
// there is; a proposal is nobody's to see.
func TestList(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	var want []string
	for range 5 {
		c.customer = someone()
		want = append([]string{c.requested().ID}, want...)
		c.clock.Add(10 * time.Hour)
	}
	c.customer = someone()
	c.proposed()
	list := func(l taxi.Listing) (rides []taxi.Ride, next string) {
		t.Helper()
		spent(t, 2, func(ctx context.Context) (err error) {
			rides, next, err = c.List(ctx, c.market.ID, l)
			return err
		})
		return rides, next
	}
	first, next := list(taxi.Listing{Limit: 3})
	second, last := list(taxi.Listing{Limit: 3, After: next})
	if diff := cmp.Diff(want, append(ids(first), ids(second)...)); diff != "" || last != "" {
		t.Errorf("%s %q", diff, last)
	}
	day, _ := list(taxi.Listing{Limit: 9, From: noon.Add(10 * time.Hour), To: noon.Add(30 * time.Hour)})
	if diff := cmp.Diff(want[2:4], ids(day)); diff != "" {
		t.Error(diff)
	}
	if _, _, err := c.List(context.Background(), c.market.ID, taxi.Listing{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a limit: %v", err)
	}
	if _, err := c.Open(context.Background(), c.market.ID, 101); !fault.Is(err, fault.Invalid) {
		t.Errorf("beyond the limit: %v", err)
	}
	spent(t, 1, func(ctx context.Context) error {
		rides, _, err := c.List(ctx, "elsewhere", taxi.Listing{Limit: 9})
		if len(rides) > 0 {
			t.Errorf("another market has %v", rides)
		}
		return err
	})
}

// What stands open too long and what nobody took are found apart from all else.
func TestListOfWhatIsToBeLookedAt(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	old := c.assigned(0)
	c.clock.Add(time.Minute)
	c.customer = someone()
	lost := c.requested()
	c.proposedBySomebody()
	for range taxi.MaxAttempts {
		c.clock.Add(taxi.OfferFor + time.Second)
		c.sweep()
	}
	c.customer = someone()
	young := c.requested()
	spent(t, 2, func(ctx context.Context) error {
		open, err := c.Open(ctx, c.market.ID, 10)
		if diff := cmp.Diff([]string{old.ID, young.ID}, ids(open)); diff != "" {
			t.Error(diff)
		}
		return err
	})
	if oldest, err := c.Open(context.Background(), c.market.ID, 1); err != nil || len(oldest) != 1 || oldest[0].ID != old.ID {
		t.Errorf("oldest %v, %v", ids(oldest), err)
	}
	spent(t, 2, func(ctx context.Context) error {
		unserved, _, err := c.List(ctx, c.market.ID, taxi.Listing{Unserved: true, Limit: 10})
		if diff := cmp.Diff([]string{lost.ID}, ids(unserved)); diff != "" || len(unserved) > 0 && unserved[0].Status != taxi.Unserved {
			t.Error(diff)
		}
		return err
	})

	// What is erased is on no list.
	c.clock.Add(time.Hour) // nobody has to be told of its end any more
	if _, err := c.Erase(context.Background(), c.market.ID, lost.Owner); err != nil {
		t.Fatal(err)
	}
	for _, l := range []taxi.Listing{{Unserved: true, Limit: 10}, {Limit: 10}} {
		rides, _, err := c.List(context.Background(), c.market.ID, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rides {
			if r.ID == lost.ID {
				t.Errorf("%+v has an erased ride", l)
			}
		}
	}
}

// proposedBySomebody has a stranger be asked about a ride.
func (c *corner) proposedBySomebody() {
	c.t.Helper()
	was := c.customer
	c.customer = someone()
	c.proposed()
	c.customer = was
}

// Staff cancel an open ride once, by its customer's path: code, driver and customer are free
// again. What is not open is not cancelled.
func TestCancelByStaff(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	r := c.assigned(0)
	cancel := func(who actor.Actor, market, owner, id string) (taxi.Ride, error) {
		return c.CancelByStaff(ctx, who, market, owner, id)
	}
	for name, try := range map[string]func() (taxi.Ride, error){
		"another market":  func() (taxi.Ride, error) { return cancel(staff, "elsewhere", r.Owner, r.ID) },
		"another's":       func() (taxi.Ride, error) { return cancel(staff, c.market.ID, someone().Key(), r.ID) },
		"by the customer": func() (taxi.Ride, error) { return cancel(c.customer, c.market.ID, r.Owner, r.ID) },
		"no id":           func() (taxi.Ride, error) { return cancel(staff, c.market.ID, r.Owner, "rd_x") },
	} {
		if _, err := try(); !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.clock.Add(time.Second)
	spent(t, 2, func(ctx context.Context) error {
		_, err := c.CancelByStaff(ctx, staff, c.market.ID, r.Owner, r.ID)
		return err
	})
	again, err := cancel(staff, c.market.ID, r.Owner, r.ID)
	if err != nil || again.Status != taxi.Cancelled || again.CancelledBy != "staff:sam" {
		t.Errorf("again: %+v, %v", again, err)
	}
	if held := c.holds(1); len(held) != 0 {
		t.Errorf("still held: %v", held)
	}
	events, err := c.Events(ctx, r.Owner, r.ID)
	if last := events[len(events)-1]; err != nil || last.Type != taxi.CancelledEvent || last.Actor != "staff:sam" || last.Driver != id(0) {
		t.Errorf("event %+v, %v", last, err)
	}
	next := c.assigned(0) // both are free for another
	c.says(0, "done")
	if _, err := cancel(staff, c.market.ID, next.Owner, next.ID); !errors.Is(err, taxi.ErrOver) {
		t.Errorf("of a ride that is done: %v", err)
	}
	c.customer = someone()
	if p := c.proposed(); p.Status == taxi.Proposed {
		if _, err := cancel(staff, c.market.ID, p.Owner, p.ID); !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("of a proposal: %v", err)
		}
	}
}
