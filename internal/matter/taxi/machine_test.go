package taxi_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
	"merve/internal/matter/taxi"
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
	w := newWalk(c)
	really := func(t *rapid.T, step string) { // what ends a ride comes seldom
		if rapid.IntRange(0, 4).Draw(t, "really") == 0 {
			w.take(t, step)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"yes":    func(t *rapid.T) { w.take(t, "yes") },
		"no":     func(t *rapid.T) { really(t, "no") },
		"cancel": func(t *rapid.T) { really(t, "cancel") },
		"a driver": func(t *rapid.T) {
			n := rapid.IntRange(0, 2).Draw(t, "who")
			word := rapid.SampledFrom([]string{"yes", "yes", "no", "arrived", "done", "cancel", "on", "off"}).Draw(t, "word")
			if word != "on" && word != "off" && rapid.Bool().Draw(t, "coded") {
				word += " " + coded
			}
			w.take(t, id(n)+" "+word)
		},
		"time": func(t *rapid.T) { w.take(t, rapid.SampledFrom(laters).Draw(t, "later")) },
		"":     func(t *rapid.T) { c.agrees(t, w.ride, w.model) },
	})
}

// coded stands for the ride's code in what a driver says.
const coded = "CODE"

var laters = []string{"20s", "1m", "10m", "6h"}

// walk is a ride and what the model believes of it.
type walk struct {
	*corner
	ride  taxi.Ride
	model platform
}

func newWalk(c *corner) *walk {
	c.drivers(3)
	r := c.proposed()
	return &walk{c, r, begun(r.ExpiresAt)}
}

// begun is a ride that was proposed until a time, and three drivers who are on.
func begun(until time.Time) platform {
	return platform{ride: modelled{Status: taxi.Proposed}, on: map[string]bool{"d00": true, "d01": true, "d02": true}, due: until}
}

// take has one thing happen to the ride and to the model: a word of the customer's, a word of a
// driver's ("d01 yes"), or time ("10m").
func (w *walk) take(t rapid.TB, step string) {
	t.Helper()
	done := func(text string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %s, %v", step, text, err)
		}
	}
	w.model.step(step, w.clock.Now)
	switch who, word, driver := strings.Cut(step, " "); {
	case driver:
		n := slices.Index([]string{"d00", "d01", "d02"}, who)
		done(w.obey(w.Store, n, strings.ReplaceAll(word, coded, w.ride.Code)))
	case step == "yes":
		done(w.yes(w.Store, w.ride))
	case step == "no":
		done(w.no(w.Store, w.ride))
	case step == "cancel":
		done(w.cancel(w.Store, w.ride))
	default:
		later, err := time.ParseDuration(step)
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Add(later)
		if report := w.sweep(); report.Raced > 0 {
			t.Fatalf("%+v", report)
		}
	}
}

// step is what the rules say of a step at a time.
func (p *platform) step(step string, now func() time.Time) {
	switch who, word, driver := strings.Cut(step, " "); {
	case driver:
		p.says(who, strings.TrimSuffix(word, " "+coded), now())
	case step == "yes":
		p.yes(now())
	case step == "no":
		if p.ride.Status == taxi.Proposed {
			p.ride.Status, p.due = taxi.Released, time.Time{}
		}
	case step == "cancel":
		if p.open() {
			p.ride.Status, p.due = taxi.Cancelled, time.Time{}
		}
	default:
		later, _ := time.ParseDuration(step) // the walk has looked
		p.sweep(now().Add(later))
	}
}

// like is a copy that has gone as far.
func (p *platform) like() platform {
	l := *p
	l.on = maps.Clone(p.on)
	l.ride.Offered, l.ride.Excluded = slices.Clone(p.ride.Offered), slices.Clone(p.ride.Excluded)
	return l
}

// lives are rides in every status, and in all that an open one can be: how they came to be there.
var lives = map[string][]string{
	"proposed":                    {},
	"released":                    {"no"},
	"expired":                     {"10m"},
	"requested":                   {"yes"},
	"requested, one has declined": {"yes", "d00 no"},
	"requested again":             {"yes", "1m"},
	"requested, given back":       {"yes", "d00 yes", "d00 cancel"},
	"requested, one is off":       {"d00 off", "yes"},
	"assigned":                    {"yes", "d00 yes"},
	"arrived":                     {"yes", "d00 yes", "d00 arrived"},
	"done":                        {"yes", "d00 yes", "d00 done"},
	"done by itself":              {"yes", "d00 yes", "6h"},
	"cancelled":                   {"yes", "cancel"},
	"cancelled, assigned":         {"yes", "d00 yes", "cancel"},
	"cancelled, arrived":          {"yes", "d00 yes", "d00 arrived", "cancel"},
	"unserved":                    append([]string{"yes"}, slices.Repeat([]string{"1m"}, taxi.MaxAttempts)...),
}

// Everything that can happen is tried of rides in every status: what the rules say happens, and all else
// changes nothing.
func TestEveryStepInEveryLife(t *testing.T) {
	t.Parallel()
	steps := []string{"yes", "no", "cancel"}
	for _, d := range []string{"d00", "d01", "d02"} {
		for _, word := range []string{"yes", "no", "arrived", "done", "cancel"} {
			steps = append(steps, d+" "+word, d+" "+word+" "+coded)
		}
		steps = append(steps, d+" on", d+" off")
	}
	steps = append(steps, laters...)
	seen := map[taxi.Status]bool{}
	for name, life := range lives {
		reached := begun(noon.Add(10 * time.Minute))
		at := noon
		for _, step := range life {
			reached.step(step, func() time.Time { return at })
			if later, err := time.ParseDuration(step); err == nil {
				at = at.Add(later)
			}
		}
		seen[reached.ride.Status] = true
		var still []string
		for _, step := range steps {
			after := reached.like()
			after.step(step, func() time.Time { return at })
			waits := slices.Contains(laters, step) && !reached.due.IsZero() // what comes next comes later
			if waits || !cmp.Equal(after, reached, cmp.AllowUnexported(platform{})) {
				t.Run(name+", "+step, func(t *testing.T) {
					t.Parallel()
					live(t, append(slices.Clone(life), step))
				})
				continue
			}
			still = append(still, step)
		}
		t.Run(name+", what changes nothing", func(t *testing.T) {
			t.Parallel()
			live(t, append(slices.Clone(life), still...))
		})
	}
	if len(seen) != 9 {
		t.Errorf("rides in the statuses %v only", seen)
	}
}

// live has a ride go through steps, and looks at it after each.
func live(t *testing.T, steps []string) {
	t.Helper()
	w := newWalk(newCorner(t))
	for _, step := range steps {
		w.take(t, step)
		w.agrees(t, w.ride, w.model)
		if t.Failed() {
			t.Fatalf("after %q", step)
		}
	}
}

// agrees holds what is stored against the model.
func (c *corner) agrees(t rapid.TB, r taxi.Ride, p platform) {
	t.Helper()
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
