package taxi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/matter/taxi"
)

// Nobody takes it: the neighbours are asked, once more, and then it is given up.
func TestSweepWidensAndGivesUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		neighbours func(ctx context.Context, market, district string) ([]string, error)
		wide       []string
	}{
		"neighbours": {func(_ context.Context, _, d string) ([]string, error) {
			if d == "Kyrenia" {
				return []string{"Lapta", "nicosia"}, nil
			}
			return nil, nil
		}, []string{"d00", "d01", "d02", "d03"}},
		"the market": {nil, []string{"d00", "d01", "d02", "d03", "d04"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			c.Neighbours = tt.neighbours
			c.driver(0, "Kyrenia")
			c.driver(1, "KYRENIA", "Lapta")
			c.driver(2, "Lapta")
			c.driver(3, "Nicosia")
			c.driver(4, "Kyrenia Harbour") // another one, though its name begins the same
			r := c.requested()
			if !slices.Equal(r.Offered, []string{"d00", "d01"}) || !r.DueAt.Equal(noon.Add(time.Minute)) {
				t.Errorf("first: %+v", r)
			}
			c.clock.Add(59 * time.Second)
			if report := c.sweep(); report.Looked != 0 {
				t.Errorf("early: %+v", report)
			}
			for attempt := 2; attempt <= 3; attempt++ {
				c.clock.Add(time.Minute)
				if report := c.sweep(); report.Offered != 1 || report.Looked != 1 {
					t.Errorf("%d: %+v", attempt, report)
				}
				if r = c.get(r.ID); r.Attempt != attempt || !slices.Equal(r.Offered, tt.wide) || r.Status != taxi.Requested {
					t.Errorf("%d: %+v", attempt, r)
				}
			}
			c.clock.Add(time.Minute)
			if report := c.sweep(); report.Unserved != 1 {
				t.Errorf("%+v", report)
			}
			if r = c.get(r.ID); r.Status != taxi.Unserved || len(c.holds(5)) != 0 {
				t.Errorf("%+v", r)
			}
			c.clock.Add(time.Hour)
			if report := c.sweep(); report.Looked != 0 {
				t.Errorf("after: %+v", report)
			}
			if answer := c.says(2, "yes "+r.Code); !strings.Contains(answer, "no longer open") {
				t.Error(answer)
			}
		})
	}
}

// Who is asked: on, allowed to drive, with the seats, without a ride; and not for ever the
// same ones where there are too many.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(6)
	set := func(n int, f func(d *taxi.Driver)) {
		d, err := c.Drivers.Get(ctx, c.market.ID, id(n))
		if err == nil {
			f(&d)
			_, err = c.Drivers.Put(ctx, d)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set(0, func(d *taxi.Driver) { d.Available = false })
	set(1, func(d *taxi.Driver) { d.Enabled = false })
	set(2, func(d *taxi.Driver) { d.Seats = 1 })
	set(3, func(d *taxi.Driver) { d.Districts = []string{"Nicosia"} })
	other := newCorner(t)
	other.market, other.clock, other.Store = c.market, c.clock, c.Store
	other.assigned(4)
	if r := c.requested(); !slices.Equal(r.Offered, []string{"d05"}) {
		t.Errorf("%v", r.Offered)
	}
	many := newCorner(t)
	many.drivers(28, "Lapta")
	asked := map[string]bool{}
	for range 3 {
		p := someoneElse(many)
		r := p.requested(func(o *taxi.Order) { o.District = "lapta" })
		if len(r.Offered) != taxi.MaxOffers {
			t.Errorf("%d asked", len(r.Offered))
		}
		for _, d := range r.Offered {
			asked[d] = true
		}
	}
	if len(asked) <= taxi.MaxOffers {
		t.Errorf("three rides asked %d of 28 drivers", len(asked))
	}
	again := newCorner(t)
	again.drivers(60, "Lapta")
	r := again.requested(func(o *taxi.Order) { o.District = "lapta" })
	again.clock.Add(time.Minute)
	again.sweep()
	if next := again.get(r.ID); next.Attempt != 2 || len(next.Offered) != taxi.MaxOffers || slices.Equal(next.Offered, r.Offered) {
		t.Errorf("attempt %d asked %v, after %v", next.Attempt, next.Offered, r.Offered)
	}
}

// someoneElse is another customer in the same market.
func someoneElse(c *corner) *corner {
	other := newCorner(c.t)
	other.market, other.clock, other.Store = c.market, c.clock, c.Store
	return other
}

// Where nobody can be asked, the ride waits for those who come on; a district without drivers
// is not waited for.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	r := c.requested()
	if len(r.Offered) != 0 || r.Status != taxi.Requested {
		t.Errorf("%+v", r)
	}
	c.driver(0, "Nicosia")
	c.clock.Add(time.Minute)
	c.sweep()
	if r = c.get(r.ID); !slices.Equal(r.Offered, []string{"d00"}) || r.Attempt != 2 {
		t.Errorf("%+v", r)
	}
	if r := someoneElse(c).requested(); !slices.Equal(r.Offered, []string{"d00"}) || r.Attempt != 1 {
		t.Errorf("at once: %+v", r)
	}
	if r := someoneElse(c).requested(func(o *taxi.Order) { o.District = "" }); !slices.Equal(r.Offered, []string{"d00"}) {
		t.Errorf("in no district: %+v", r)
	}
}

// A ride for later is offered twenty minutes before; one that is nearer at once.
func TestScheduledRide(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(2)
	r := c.requested(func(o *taxi.Order) { o.When = noon.Add(2 * time.Hour) })
	if r.Attempt != 0 || len(r.Offered) != 0 || !r.DueAt.Equal(noon.Add(100*time.Minute)) || r.Status != taxi.Requested {
		t.Errorf("%+v", r)
	}
	if answer := c.says(0, "yes "+r.Code); !strings.Contains(answer, "no longer open") {
		t.Error(answer)
	}
	c.clock.Add(100*time.Minute - time.Millisecond)
	if report := c.sweep(); report.Looked != 0 {
		t.Errorf("early: %+v", report)
	}
	c.clock.Add(time.Millisecond)
	if report := c.sweep(); report.Offered != 1 {
		t.Errorf("%+v", report)
	}
	if r = c.get(r.ID); r.Attempt != 1 || len(r.Offered) != 2 || !slices.Contains(c.events(r), "offered#1") {
		t.Errorf("%+v", r)
	}
	c.says(0, "yes")
	c.clock.Add(6 * time.Hour) // after the time of the ride it is 19 minutes less
	if report := c.sweep(); report.Looked != 0 {
		t.Errorf("still on its way: %+v", report)
	}
	near := someoneElse(c).requested(func(o *taxi.Order) { o.When = c.clock.Now().Add(19 * time.Minute) })
	if near.Attempt != 1 || len(near.Offered) != 1 {
		t.Errorf("%+v", near)
	}
	if r := someoneElse(c).proposed(func(o *taxi.Order) { o.When = c.clock.Now().Add(6 * time.Minute) }); !r.ExpiresAt.Equal(r.When) || !r.DueAt.Equal(r.When) {
		t.Errorf("a proposal outlives its time: %+v", r)
	}
	cancelled := someoneElse(c)
	far := cancelled.requested(func(o *taxi.Order) { o.When = c.clock.Now().Add(5 * time.Hour) })
	if text, err := cancelled.cancel(c.Store, far); err != nil || !strings.Contains(text, "has been cancelled") {
		t.Error(text, err)
	}
}

// Proposals run out, once, however many sweeps there are; a YES in the last moment wins or loses.
func TestProposalsRunOut(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	var rides []taxi.Ride
	for range 12 {
		rides = append(rides, c.proposed())
	}
	c.clock.Add(10*time.Minute - time.Millisecond)
	if report := c.sweep(); report.Looked != 0 {
		t.Errorf("%+v", report)
	}
	c.clock.Add(time.Millisecond)
	reports := make([]taxi.Swept, 3)
	var all sync.WaitGroup
	for i := range reports {
		s := c.over(nil, 4)
		all.Go(func() {
			var err error
			if reports[i], err = s.Sweep(context.Background(), dynamo.Budget{Workers: 4}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := reports[0].Expired + reports[1].Expired + reports[2].Expired; n != len(rides) {
		t.Errorf("%d: %+v", n, reports)
	}
	if kept, err := c.All(context.Background(), c.market.ID, c.customer.Key()); err != nil || len(kept) != len(rides) {
		t.Errorf("%d, %v", len(kept), err)
	}
	for _, r := range rides {
		if got := c.get(r.ID); got.Status != taxi.Expired || fmt.Sprint(c.events(r)) != "[expired#0 proposed#0]" {
			t.Errorf("%+v %v", got, c.events(r))
		}
	}
	if holds := c.holds(0); len(holds) != 0 {
		t.Errorf("%v", holds)
	}
}

// A ride whose driver forgets it does not keep driver and customer for ever.
func TestForgottenRides(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(2)
	r := c.assigned(0)
	other := someoneElse(c)
	s := other.assigned(1)
	c.says(1, "arrived")
	c.clock.Add(6*time.Hour - time.Millisecond)
	if report := c.sweep(); report.Looked != 0 {
		t.Errorf("%+v", report)
	}
	c.clock.Add(time.Millisecond)
	if report := c.sweep(); report.Closed != 2 || c.get(r.ID).Status != taxi.Done || other.get(s.ID).Status != taxi.Done || len(c.holds(2, other.customer)) != 0 {
		t.Errorf("%+v", report)
	}
}

// The bounds of one run.
func TestSweepIsBounded(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	for range 5 {
		c.proposed()
	}
	c.clock.Add(time.Hour)
	if r, err := c.Sweep(ctx, dynamo.Budget{Time: time.Nanosecond}); err != nil || r.Looked != 0 || !r.Left {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Sweep(ctx, dynamo.Budget{Count: 2}); err != nil || r.Expired != 2 || !r.Left {
		t.Errorf("%+v, %v", r, err)
	}
	if r := c.sweep(); r.Expired != 3 || r.Left {
		t.Errorf("%+v", r)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Sweep(gone, dynamo.Budget{}); err == nil {
		t.Error("no error")
	}
}

// A market decides how long its drivers have.
func TestOfferFor(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	c.OfferFor = func(m string) time.Duration {
		if m != c.market.ID {
			return time.Hour
		}
		return 20 * time.Second
	}
	if r := c.requested(); !r.DueAt.Equal(noon.Add(20 * time.Second)) {
		t.Errorf("%+v", r)
	}
}
