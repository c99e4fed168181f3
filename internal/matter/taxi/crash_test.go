package taxi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/taxi"
)

var (
	rideIDs = regexp.MustCompile(`rd_[a-z2-7]{16}`)
	names   = regexp.MustCompile(`"(hash|offerHash|dueShard)":"[^"]*"`)
	ttls    = regexp.MustCompile(`"ttl":\d+`)
)

// stored is everything of a corner with one ride, without names, and without how often a driver
// was changed: the same change again counts again.
func (c *corner) stored(r taxi.Ride, drivers int) []string {
	c.t.Helper()
	var lines []string
	pks := []string{"rides#" + c.customer.Key(), "codes#" + c.market.ID}
	for n := range drivers {
		pks = append(pks, "driver#"+c.market.ID+"#"+id(n))
	}
	items := append(c.all(c.Table, pks...), c.all(c.Drivers.Table, "drivers#"+c.market.ID, "available#"+c.market.ID)...)
	items = append(items, c.all(c.Rows.Table, "th_"+c.market.ID)...)
	for _, it := range items {
		var plain map[string]any
		if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
			c.t.Fatal(err)
		}
		if it.String("plate") != "" {
			delete(plain, "version")
		}
		b, err := json.Marshal(plain)
		if err != nil {
			c.t.Fatal(err)
		}
		line := strings.NewReplacer(c.customer.Key(), "CUSTOMER", c.market.ID, "MARKET", cmp.Or(r.Code, "-"), "CODE").Replace(string(b))
		lines = append(lines, ttls.ReplaceAllString(names.ReplaceAllString(rideIDs.ReplaceAllString(line, "RIDE"), `"$1":""`), `"ttl":0`))
	}
	slices.Sort(lines)
	return lines
}

// all are the items of partitions.
func (c *corner) all(table dynamo.Table, pks ...string) []dynamo.Item {
	c.t.Helper()
	var items []dynamo.Item
	for _, pk := range pks {
		page, err := table.Query(context.Background(), dynamo.Under(pk, ""))
		if err != nil {
			c.t.Fatal(err)
		}
		items = append(items, page.Items...)
	}
	return items
}

// scene is a change under test: where it begins, what it does, and what it comes to.
type scene struct {
	begin func(c *corner) taxi.Ride
	do    func(c *corner, s *taxi.Store, r taxi.Ride) error
	want  string // event of the ride; or the item of a driver
	gone  bool   // it is no more
}

// Whatever call of an operation fails, in every way, and however often it comes again: what
// is stored is as without.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
				c := newCorner(t)
				c.drivers(2)
				r := s.begin(c)
				broken := c.over(calls, 1)
				calls.Deliver(t, nil, func() error { return s.do(c, broken, r) })
				if err := s.do(c, c.Store, r); err != nil { // delivered again
					t.Error(err)
				}
				if r.ID == "" {
					r = c.must(c.Propose(context.Background(), c.customer, "the key", c.order()))
				}
				stored := c.stored(r, 2)
				if there := slices.ContainsFunc(stored, func(line string) bool { return strings.Contains(line, s.want) }); there == s.gone {
					t.Errorf("%s is there: %v\n%s", s.want, there, strings.Join(stored, "\n"))
				}
				return stored
			})
		})
	}
}

func scenes() map[string]scene {
	ctx := context.Background()
	nobodys := func(*corner) taxi.Ride { return taxi.Ride{} }
	proposed := func(c *corner) taxi.Ride { return c.proposed() }
	requested := func(c *corner) taxi.Ride { return c.requested() }
	assigned := func(c *corner) taxi.Ride { return c.assigned(0) }
	later := func(begin func(c *corner) taxi.Ride, d time.Duration) func(c *corner) taxi.Ride {
		return func(c *corner) taxi.Ride {
			r := begin(c)
			c.clock.Add(d)
			return r
		}
	}
	tired := func(c *corner) taxi.Ride { // nobody took it until the last attempt was over
		r := c.requested()
		for range taxi.MaxAttempts - 1 {
			c.clock.Add(time.Minute)
			c.sweep()
		}
		c.clock.Add(time.Minute)
		return r
	}
	says := func(text string) func(c *corner, s *taxi.Store, r taxi.Ride) error {
		return func(c *corner, s *taxi.Store, r taxi.Ride) error {
			_, err := c.obey(s, 0, text+" "+r.Code)
			return err
		}
	}
	attend := func(c *corner, s *taxi.Store, r taxi.Ride) error {
		r, err := s.Get(ctx, c.customer, c.market.ID, r.ID)
		if err == nil {
			_, _, err = s.Attend(ctx, r)
		}
		return err
	}
	byStaff := func(c *corner, s *taxi.Store, r taxi.Ride) error {
		_, err := s.CancelByStaff(ctx, staff, c.market.ID, r.Owner, r.ID)
		return err
	}
	done := func(c *corner) taxi.Ride {
		r := c.assigned(0)
		c.says(0, "DONE "+r.Code)
		return r
	}
	erase := func(_ *corner, s *taxi.Store, r taxi.Ride) error {
		_, err := s.Erase(ctx, r.Market, r.Owner)
		return err
	}
	event := func(typ taxi.EventType) string { return fmt.Sprintf(`"type":%q`, typ) }
	return map[string]scene{
		"propose": {begin: nobodys, do: func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			_, err := s.Propose(ctx, c.customer, "the key", c.order())
			return err
		}, want: event(taxi.ProposedEvent)},
		"yes":              {begin: proposed, do: func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.yes(s, r); return err }, want: event(taxi.OfferedEvent)},
		"no":               {begin: proposed, do: func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.no(s, r); return err }, want: event(taxi.ReleasedEvent)},
		"assign":           {begin: requested, do: says("YES"), want: event(taxi.AssignedEvent)},
		"decline":          {begin: requested, do: says("NO"), want: event(taxi.DeclinedEvent)},
		"arrive":           {begin: assigned, do: says("ARRIVED"), want: event(taxi.ArrivedEvent)},
		"finish":           {begin: assigned, do: says("DONE"), want: event(taxi.DoneEvent)},
		"withdraw":         {begin: assigned, do: says("CANCEL"), want: event(taxi.WithdrawnEvent)},
		"cancel":           {begin: assigned, do: func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.cancel(s, r); return err }, want: event(taxi.CancelledEvent)},
		"cancel by staff":  {begin: assigned, do: byStaff, want: event(taxi.CancelledEvent)},
		"expire":           {begin: later(proposed, 10*time.Minute), do: attend, want: event(taxi.ExpiredEvent)},
		"offer again":      {begin: later(requested, time.Minute), do: attend, want: `"id":"offered#2"`},
		"give up":          {begin: tired, do: attend, want: event(taxi.UnservedEvent)},
		"close":            {begin: later(assigned, 6*time.Hour), do: attend, want: event(taxi.ClosedEvent)},
		"erase a proposal": {begin: proposed, do: erase, want: "rides#CUSTOMER", gone: true},
		"erase a ride":     {begin: later(done, time.Hour), do: erase, want: "rides#CUSTOMER", gone: true},
		"erase what ended": {begin: done, do: erase, want: `"sk":"forget#`},
		"erase a ride that was driven": {begin: func(c *corner) taxi.Ride {
			c.sameShard()
			r := c.assigned(0)
			if _, err := c.Erase(ctx, c.market.ID, r.Owner); err != nil {
				c.t.Fatal(err)
			}
			c.says(0, "DONE "+r.Code)
			c.clock.Add(time.Hour)
			return r
		}, do: func(_ *corner, s *taxi.Store, _ taxi.Ride) error {
			_, err := s.Sweep(ctx, dynamo.Budget{Workers: 1})
			return err
		}, want: "rides#CUSTOMER", gone: true},
		"put a driver": {begin: nobodys, do: func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			_, err := s.Drivers.Put(ctx, c.aDriver(2, "Lapta"))
			return err
		}, want: `"available#MARKET","seats":4,"sk":"lapta#driver#d02"`},
		"change a driver's number and district": {begin: nobodys, do: func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			d := c.aDriver(0, "Lapta")
			d.Phone = phone(7)
			_, err := s.Drivers.Put(ctx, d)
			return err
		}, want: "phone#" + phone(7)},
		"a driver goes off": {begin: nobodys, do: func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			return c.goes(s, 0, false)
		}, want: `"sk":"kyrenia#driver#d00"`, gone: true},
		"delete a driver": {begin: nobodys, do: func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			return s.Drivers.Delete(ctx, c.market.ID, id(0))
		}, want: id(0), gone: true},
	}
}

// sameShard chooses a customer whose first ride is due in the same shard each time, so that every
// sweep makes the same calls.
func (c *corner) sameShard() {
	for dynamo.DueShard("", taxi.NewID(c.customer.Key(), "key1")) != dynamo.DueShard("", "the same") {
		c.customer = someone()
	}
}

// A sweep that dies, or whose calls fail, leaves nothing half done, and the next one goes on.
func TestCrashAnywhereInASweep(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		c := newCorner(t)
		c.sameShard()
		c.drivers(2)
		r := c.requested()
		c.clock.Add(time.Minute)
		broken := c.over(calls, 1)
		calls.Deliver(t, nil, func() error {
			_, err := broken.Sweep(context.Background(), dynamo.Budget{Workers: 1})
			return err
		})
		c.sweep()
		if r = c.get(r.ID); r.Attempt != 2 || len(r.Offered) != 2 {
			t.Errorf("%+v", r)
		}
		return c.stored(r, 2)
	})
}
