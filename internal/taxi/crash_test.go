package taxi_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/dynamo"
	"merve/internal/faulttest"
	"merve/internal/taxi"
)

var (
	rideIDs = regexp.MustCompile(`rd_[a-z2-7]{16}`)
	names   = regexp.MustCompile(`"(hash|offerHash|dueShard)":"[^"]*"`)
	ttls    = regexp.MustCompile(`"ttl":\d+`)
)

// stored is everything of a corner with one ride in table records, without names.
func (c *corner) stored(r taxi.Ride, drivers int) []string {
	c.t.Helper()
	var lines []string
	pks := []string{"rides#" + c.customer.Key(), "codes#" + c.market.ID}
	for n := range drivers {
		pks = append(pks, "driver#"+c.market.ID+"#"+id(n))
	}
	for _, pk := range pks {
		page, err := c.Table.Query(context.Background(), dynamo.Query{Where: "pk = :pk", Values: dynamo.V{":pk": pk}})
		if err != nil {
			c.t.Fatal(err)
		}
		for _, it := range page.Items {
			var plain map[string]any
			if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
				c.t.Fatal(err)
			}
			b, err := json.Marshal(plain)
			if err != nil {
				c.t.Fatal(err)
			}
			line := strings.NewReplacer(c.customer.Key(), "CUSTOMER", c.market.ID, "MARKET", r.Code, "CODE").Replace(string(b))
			lines = append(lines, ttls.ReplaceAllString(names.ReplaceAllString(rideIDs.ReplaceAllString(line, "RIDE"), `"$1":""`), `"ttl":0`))
		}
	}
	slices.Sort(lines)
	return lines
}

// scene is a change under test: where it begins, and what it does.
type scene struct {
	begin func(c *corner) taxi.Ride
	do    func(c *corner, s *taxi.Store, r taxi.Ride) error
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
				return c.stored(r, 2)
			})
		})
	}
}

func scenes() map[string]scene {
	ctx := context.Background()
	proposed := func(c *corner) taxi.Ride { return c.proposed() }
	requested := func(c *corner) taxi.Ride { return c.requested() }
	assigned := func(c *corner) taxi.Ride { return c.assigned(0) }
	says := func(text string) func(c *corner, s *taxi.Store, r taxi.Ride) error {
		return func(c *corner, s *taxi.Store, r taxi.Ride) error {
			_, err := c.obey(s, 0, text+" "+r.Code)
			return err
		}
	}
	return map[string]scene{
		"propose": {func(*corner) taxi.Ride { return taxi.Ride{} }, func(c *corner, s *taxi.Store, _ taxi.Ride) error {
			_, err := s.Propose(ctx, c.customer, "the key", c.order())
			return err
		}},
		"yes":      {proposed, func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.yes(s, r); return err }},
		"no":       {proposed, func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.no(s, r); return err }},
		"assign":   {requested, says("YES")},
		"decline":  {requested, says("NO")},
		"arrive":   {assigned, says("ARRIVED")},
		"finish":   {assigned, says("DONE")},
		"withdraw": {assigned, says("CANCEL")},
		"cancel":   {assigned, func(c *corner, s *taxi.Store, r taxi.Ride) error { _, err := c.cancel(s, r); return err }},
	}
}

// A sweep that dies, or whose calls fail, leaves nothing half done, and the next one goes on.
func TestCrashAnywhereInASweep(t *testing.T) {
	t.Parallel()
	for name, due := range map[string]struct {
		begin func(c *corner) taxi.Ride
		after time.Duration
	}{
		"expire": {func(c *corner) taxi.Ride { return c.proposed() }, 10 * time.Minute},
		"again":  {func(c *corner) taxi.Ride { return c.requested() }, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, []faulttest.Fault{faulttest.DiesAfter}, func(t *testing.T, calls *faulttest.Calls) []string {
				c := newCorner(t)
				c.drivers(2)
				r := due.begin(c)
				c.clock.Add(due.after)
				broken := c.over(calls, 1)
				calls.Deliver(t, nil, func() error {
					_, err := broken.Sweep(context.Background(), taxi.Limits{Workers: 1})
					return err
				})
				c.sweep()
				return c.stored(r, 2)
			})
		})
	}
}
