package taxi_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"merve/internal/seedtest"
	"merve/internal/taxi"
)

// modelled is what the model believes of a ride: the rules, in few words.
type modelled struct {
	Status   taxi.Status
	Attempt  int
	Driver   string
	Offered  []string
	Excluded []string
}

// platform is the model: one customer, one ride at a time, three drivers.
type platform struct {
	ride modelled
	on   map[string]bool
	due  time.Time
}

func (p *platform) open() bool {
	return p.ride.Status.Open()
}

// ask is the next attempt, or the end.
func (p *platform) ask(now time.Time) {
	if p.ride.Attempt == taxi.MaxAttempts {
		p.ride.Status, p.ride.Driver, p.due = taxi.Unserved, "", time.Time{}
		return
	}
	p.ride.Status, p.ride.Driver, p.ride.Offered = taxi.Requested, "", nil
	p.ride.Attempt++
	for _, d := range []string{"d00", "d01", "d02"} {
		if p.on[d] && !slices.Contains(p.ride.Excluded, d) {
			p.ride.Offered = append(p.ride.Offered, d)
		}
	}
	p.due = now.Add(time.Minute)
}

func (p *platform) yes(now time.Time) {
	if p.ride.Status == taxi.Proposed && now.Before(p.due) {
		p.ask(now)
	}
}

// says is what a driver's word does.
func (p *platform) says(d, word string, now time.Time) {
	r := &p.ride
	mayAnswer := r.Status == taxi.Requested && slices.Contains(r.Offered, d) && !slices.Contains(r.Excluded, d)
	has := r.Driver == d && (r.Status == taxi.Assigned || r.Status == taxi.Arrived)
	switch {
	case word == "yes" && mayAnswer:
		r.Status, r.Driver, p.due = taxi.Assigned, d, now.Add(6*time.Hour)
	case (word == "no" || word == "cancel") && mayAnswer:
		r.Excluded = append(r.Excluded, d)
	case word == "arrived" && has:
		r.Status = taxi.Arrived
	case word == "done" && has:
		r.Status, p.due = taxi.Done, time.Time{}
	case word == "cancel" && has:
		r.Excluded = append(r.Excluded, d)
		p.ask(now)
	case word == "on", word == "off":
		p.on[d] = word == "on"
	}
}

func (p *platform) sweep(now time.Time) {
	if p.due.IsZero() || p.due.After(now) {
		return
	}
	switch p.ride.Status {
	case taxi.Proposed:
		p.ride.Status, p.due = taxi.Expired, time.Time{}
	case taxi.Requested:
		p.ask(now)
	case taxi.Assigned, taxi.Arrived:
		p.ride.Status, p.due = taxi.Done, time.Time{}
	}
}

// Random words of customer, drivers and clock, against a model that is the rules: what is
// stored is what it believes, and nobody is held by what is over.
func TestRidesFollowTheModel(t *testing.T) {
	t.Parallel()
	most := seedtest.Times(t, 5) // runs
	seedtest.Check(t, func(rt *rapid.T) {
		if most--; most < 0 {
			return
		}
		runModel(rt, newCorner(t))
	})
}

func runModel(t *rapid.T, c *corner) {
	c.drivers(3)
	p := platform{on: map[string]bool{"d00": true, "d01": true, "d02": true}}
	r := c.proposed()
	p.ride.Status, p.due = taxi.Proposed, r.ExpiresAt
	done := func(text string, err error) {
		if err != nil {
			t.Fatalf("%s, %v", text, err)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"yes": func(t *rapid.T) {
			done(c.yes(c.Store, r))
			p.yes(c.clock.Now())
		},
		"no": func(t *rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "really") > 0 {
				return
			}
			done(c.no(c.Store, r))
			if p.ride.Status == taxi.Proposed {
				p.ride.Status, p.due = taxi.Released, time.Time{}
			}
		},
		"cancel": func(t *rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "really") > 0 {
				return
			}
			done(c.cancel(c.Store, r))
			if p.open() {
				p.ride.Status, p.due = taxi.Cancelled, time.Time{}
			}
		},
		"a driver": func(t *rapid.T) {
			n := rapid.IntRange(0, 2).Draw(t, "who")
			word := rapid.SampledFrom([]string{"yes", "yes", "no", "arrived", "done", "cancel", "on", "off"}).Draw(t, "word")
			text := word
			if word != "on" && word != "off" && rapid.Bool().Draw(t, "coded") {
				text += " " + r.Code
			}
			done(c.obey(c.Store, n, text))
			p.says(id(n), word, c.clock.Now())
		},
		"time": func(t *rapid.T) {
			c.clock.Add(rapid.SampledFrom([]time.Duration{20 * time.Second, time.Minute, 10 * time.Minute, 6 * time.Hour}).Draw(t, "later"))
			if report := c.sweep(); report.Raced > 0 {
				t.Fatalf("%+v", report)
			}
			p.sweep(c.clock.Now())
		},
		"": func(t *rapid.T) { c.agrees(t, r, p) },
	})
}

// agrees holds what is stored against the model.
func (c *corner) agrees(t *rapid.T, r taxi.Ride, p platform) {
	got, err := c.Get(context.Background(), c.customer, c.market.ID, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	is := modelled{Status: got.Status, Attempt: got.Attempt, Offered: got.Offered, Excluded: got.Excluded}
	want := p.ride
	if got.Driver != nil && got.Status != taxi.Cancelled { // who drove is remembered
		is.Driver = got.Driver.ID
	}
	if got.Status == taxi.Cancelled {
		want.Driver = ""
	}
	if diff := cmp.Diff(want, is, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-model +stored):\n%s", diff)
	}
	if !got.DueAt.Equal(p.due) {
		t.Fatalf("due %s, want %s", got.DueAt, p.due)
	}
	var holds []string
	if is.Status == taxi.Proposed || p.open() {
		holds = append(holds, "code of "+r.ID)
	}
	if is.Status == taxi.Assigned || is.Status == taxi.Arrived {
		holds = append(holds, is.Driver+" has "+r.ID)
	}
	if p.open() {
		holds = append(holds, "open "+r.ID)
	}
	if diff := cmp.Diff(holds, c.holds(3), cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(strings.TrimSpace(diff))
	}
}
