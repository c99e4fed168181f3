package taxi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/matter/taxi"
	"merve/internal/spine/gate"
)

// Many drivers answer at once, each in a process of its own: exactly one has the ride, and
// each of the others is told that somebody was faster.
func TestField31_ManyDriversAnswerAtOnce(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(50)
	r := c.requested()
	if len(r.Offered) != taxi.MaxOffers {
		t.Fatalf("offered to %d", len(r.Offered))
	}
	answers := make([]string, 50)
	var all sync.WaitGroup
	start := make(chan struct{})
	for n := range answers {
		s := c.over(nil, 4)
		all.Go(func() {
			<-start
			var err error
			if answers[n], err = c.obey(s, n, "YES "+r.Code); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	after := c.get(r.ID)
	won := 0
	for n, text := range answers {
		offered := slices.Contains(r.Offered, id(n))
		switch {
		case strings.Contains(text, "is yours"):
			won++
			if after.Driver == nil || after.Driver.ID != id(n) || !offered {
				t.Errorf("%s is told that it is theirs: %+v", id(n), after.Driver)
			}
		case offered && !strings.Contains(text, "faster"), !offered && !strings.Contains(text, "no longer open"):
			t.Errorf("%s, offered %v: %s", id(n), offered, text)
		}
	}
	if won != 1 || after.Status != taxi.Assigned || len(c.holds(50)) != 3 {
		t.Errorf("%d winners, %+v, %v", won, after, c.holds(50))
	}
	es, err := c.Events(context.Background(), r.Owner, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		if e.Type == taxi.AssignedEvent && (e.Driver != after.Driver.ID || len(e.Drivers) != taxi.MaxOffers-1 || slices.Contains(e.Drivers, e.Driver)) {
			t.Errorf("%+v", e)
		}
	}
}

// One driver says YES to many rides at once, from several processes: they have one.
func TestField31_OneDriverHasOneRide(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	var codes []string
	for range 6 {
		other := newCorner(t)
		other.market, other.clock, other.Store = c.market, c.clock, c.Store
		codes = append(codes, other.requested().Code)
	}
	var all sync.WaitGroup
	won := make([]bool, len(codes))
	for i, code := range codes {
		s := c.over(nil, 4)
		all.Go(func() {
			text, err := c.obey(s, 0, "YES "+code)
			if err != nil {
				t.Error(err)
			}
			won[i] = strings.Contains(text, "is yours")
		})
	}
	all.Wait()
	has := slices.DeleteFunc(c.holds(1), func(s string) bool { return !strings.HasPrefix(s, "d00 has") })
	n := len(slices.DeleteFunc(slices.Clone(won), func(w bool) bool { return !w }))
	if n != 1 || len(has) != 1 {
		t.Errorf("%d won, %v", n, has)
	}
}

// A driver's YES and the customer's cancellation, each prepared before the other has been
// written: whoever is written first has it, and the other is told.
func TestField31_CancelAgainstAccept(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"driver", "customer"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			c.drivers(2)
			r := c.requested()
			accept, _, err := c.hears(c.Store, 0, "YES "+r.Code)
			if err != nil {
				t.Fatal(err)
			}
			cancel, err := taxi.CancelRide{Store: c.Store}.Commit(context.Background(), c.tc(), c.consent(taxi.CancelKind, r))
			if err != nil {
				t.Fatal(err)
			}
			order, want := []gate.Settled{accept, cancel}, []string{"is yours", "was not cancelled"}
			if first == "customer" {
				order, want = []gate.Settled{cancel, accept}, []string{"has been cancelled", "The customer has cancelled"}
			}
			for i, s := range order {
				if text, err := settle(c.Store, s, nil); err != nil || !strings.Contains(text, want[i]) {
					t.Errorf("%d: %s, %v; want %s", i, text, err, want[i])
				}
			}
			after, holds := c.get(r.ID), c.holds(2)
			if first == "driver" && (after.Status != taxi.Assigned || len(holds) != 3) || first == "customer" && (after.Status != taxi.Cancelled || after.Driver != nil || len(holds) != 0) {
				t.Errorf("%+v, %v", after, holds)
			}
			if first == "customer" {
				return
			}
			if text, err := c.cancel(c.Store, r); err != nil || !strings.Contains(text, "has been cancelled") || len(c.holds(2)) != 0 {
				t.Errorf("asked again: %s, %v, %v", text, err, c.holds(2))
			}
		})
	}
}

// The same race, run in earnest: whatever happens, everybody was told what is so.
func TestField31_CancelRacesAccepts(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			c.drivers(5)
			r := c.requested()
			var all sync.WaitGroup
			answers := make([]string, 6)
			for i := range answers {
				s := c.over(nil, 4)
				all.Go(func() {
					var err error
					if i == 0 {
						answers[i], err = c.cancel(s, r)
					} else {
						answers[i], err = c.obey(s, i-1, "yes")
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			after := c.get(r.ID)
			cancelled := strings.Contains(answers[0], "has been cancelled")
			if cancelled != (after.Status == taxi.Cancelled) || !cancelled && after.Status != taxi.Assigned {
				t.Errorf("%s, and it is %s", answers[0], after.Status)
			}
			won := 0
			for _, a := range answers[1:] {
				if strings.Contains(a, "is yours") {
					won++
				}
			}
			if won > 1 || !cancelled && won != 1 || won == 1 && after.Driver == nil {
				t.Errorf("%d won: %q", won, answers)
			}
			if holds := c.holds(5); cancelled && len(holds) != 0 || !cancelled && len(holds) != 3 {
				t.Errorf("%v", holds)
			}
		})
	}
}

// A driver who has cancelled is not asked again, by no later attempt, and their YES is
// refused; the offer tells which attempt it is.
func TestField32_NeverAgainWhoCancelled(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(4)
	r := c.assigned(1)
	c.says(1, "arrived")
	if text := c.says(1, "CANCEL "+r.Code); !strings.Contains(text, "no longer have ride") {
		t.Error(text)
	}
	got := c.get(r.ID)
	if got.Status != taxi.Requested || got.Attempt != 2 || got.Driver != nil || !got.AssignedAt.IsZero() || !got.ArrivedAt.IsZero() ||
		!slices.Equal(got.Excluded, []string{"d01"}) || !slices.Equal(got.Offered, []string{"d00", "d02", "d03"}) {
		t.Fatalf("%+v", got)
	}
	for _, text := range []string{"yes", "YES " + r.Code} {
		if answer := c.says(1, text); strings.Contains(answer, "yours") {
			t.Errorf("%s: %s", text, answer)
		}
	}
	c.says(3, "no")
	c.clock.Add(time.Minute)
	if report := c.sweep(); report.Offered != 1 {
		t.Errorf("%+v", report)
	}
	got = c.get(r.ID)
	if got.Attempt != 3 || !slices.Equal(got.Offered, []string{"d00", "d02"}) {
		t.Errorf("%+v", got)
	}
	if answer := c.says(0, "yes "+r.Code); !strings.Contains(answer, "is yours") {
		t.Error(answer)
	}
	want := []string{"assigned#1", "assigned#3", "arrived#1", "declined#2#d03", "offered#1", "offered#2", "offered#3", "proposed#0", "requested", "withdrawn#1"}
	slices.Sort(want)
	if es := c.events(r); !slices.Equal(es, want) {
		t.Errorf("%v", es)
	}
}

// A YES to an attempt that is over is refused, also when the next attempt comes between the
// read of the ride and the reply.
func TestField32_StaleAttemptsYes(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(2)
	r := c.requested()
	stale, _, err := c.hears(c.Store, 0, "YES "+r.Code)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.goes(c.Store, 0, false); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(time.Minute)
	if report := c.sweep(); report.Offered != 1 {
		t.Fatalf("%+v", report)
	}
	if text, err := settle(c.Store, stale, nil); err != nil || !strings.Contains(text, "no longer open") {
		t.Errorf("between: %s, %v", text, err)
	}
	for _, text := range []string{"YES " + r.Code, "yes"} {
		if answer := c.says(0, text); !strings.Contains(answer, "no longer open") {
			t.Errorf("%s: %s", text, answer)
		}
	}
	if got := c.get(r.ID); got.Status != taxi.Requested || got.Attempt != 2 || len(c.holds(2)) != 2 {
		t.Errorf("%+v", got)
	}
	if answer := c.says(1, "yes"); !strings.Contains(answer, "is yours") {
		t.Error(answer)
	}
}

// After three attempts, a driver who cancels leaves nobody to ask.
func TestField32_TheLastAttempt(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(5)
	r := c.requested()
	for n := range 3 {
		if answer := c.says(n, "yes "+r.Code); !strings.Contains(answer, "is yours") {
			t.Fatal(answer)
		}
		c.says(n, "cancel")
	}
	got := c.get(r.ID)
	if got.Status != taxi.Unserved || got.Attempt != 3 || len(c.holds(5)) != 0 || got.EndedAt.IsZero() || !got.DueAt.IsZero() {
		t.Errorf("%+v, %v", got, c.holds(5))
	}
	if again := c.requested(); again.Attempt != 1 || len(again.Offered) != 5 {
		t.Errorf("another order: %+v", again)
	}
}
