package taxi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/taxi"
	"merve/internal/spine/thread"
)

// What is ordered is refused by the field at fault.
func TestOrdersNameTheField(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	at := func(lat, lng float64) geo.Spot { return geo.Spot{Lat: &lat, Lng: &lng} }
	lat := 35.0
	for name, tt := range map[string]struct {
		spoil func(o *taxi.Order)
		field string
	}{
		"nothing wrong":       {func(*taxi.Order) {}, ""},
		"a point alone":       {func(o *taxi.Order) { o.Pickup = at(-90, 180) }, ""},
		"an address alone":    {func(o *taxi.Order) { o.Pickup = geo.Spot{Address: "Old Harbour"} }, ""},
		"no market":           {func(o *taxi.Order) { o.Market = "" }, "market"},
		"nowhere":             {func(o *taxi.Order) { o.Pickup = geo.Spot{} }, "pickup"},
		"half a point":        {func(o *taxi.Order) { o.Pickup = geo.Spot{Address: "Old Harbour", Lat: &lat} }, "pickup"},
		"beyond the pole":     {func(o *taxi.Order) { o.Pickup = at(90.1, 0) }, "pickup"},
		"no text":             {func(o *taxi.Order) { o.Pickup = geo.Spot{Address: "\xff"} }, "pickup"},
		"to beyond the pole":  {func(o *taxi.Order) { p := at(0, -180.1); o.Dropoff = &p }, "dropoff"},
		"a moment ago":        {func(o *taxi.Order) { o.When = noon.Add(-time.Millisecond) }, "when"},
		"at this moment":      {func(o *taxi.Order) { o.When = noon }, ""},
		"no time for the YES": {func(o *taxi.Order) { o.Hold = 0 }, "hold"},
	} {
		o := c.order()
		tt.spoil(&o)
		_, err := c.Propose(ctx, someone(), c.key(), o)
		if _, field := publicOf(err); field != tt.field || (err != nil) != (tt.field != "") {
			t.Errorf("%s: %v, want %q", name, err, tt.field)
		}
	}
	for _, key := range []string{"", strings.Repeat("k", 256)} {
		if _, err := c.Propose(ctx, c.customer, key, c.order()); !fault.Is(err, fault.Invalid) {
			t.Errorf("by a key of %d bytes: %v", len(key), err)
		}
	}
}

// A driver who is on the way to a ride that ends, or goes, at this moment is told so, and nothing
// is written.
func TestARideEndsWhileItsDriverWrites(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *corner, r taxi.Ride) error
		want string
	}{
		"cancelled": {func(c *corner, r taxi.Ride) error { _, err := c.cancel(c.Store, r); return err }, "cancelled"},
		"gone": {func(c *corner, r taxi.Ride) error {
			return c.Table.DB().Commit(context.Background(), c.Table.Delete(dynamo.Key{PK: "rides#" + r.Owner, SK: "ride#" + r.ID}))
		}, "no longer open"},
	} {
		c := newCorner(t)
		c.drivers(1)
		r := c.assigned(0)
		late := c.over(dynamotest.BeforeText(`"ride#`+r.ID, func() {
			if err := tt.end(c, r); err != nil {
				t.Error(err)
			}
		}), 4)
		settled, ok, err := c.hears(late, 0, "arrived")
		if err != nil || !ok || len(settled.Writes) != 0 || !strings.Contains(settled.Text, tt.want) {
			t.Errorf("%s: %q with %d writes, %v", name, settled.Text, len(settled.Writes), err)
		}
	}
}

// A driver who changes all the time cannot be changed, and that is said after some tries.
func TestADriverWhoKeepsChanging(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	d, tries := c.driver(0), 0
	busy := c.over(dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op != "TransactWriteItems" && op != "PutItem" {
			return body, nil
		}
		tries++
		d.Name = fmt.Sprint("Driver ", tries)
		var err error
		d, err = c.Drivers.Put(ctx, d)
		return body, err
	}}, 4)
	if err := c.goes(busy, 0, false); !fault.Is(err, fault.Unavailable) || tries != dynamo.MaxTries {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// What happens at once is told in the order in which one comes of the other.
func TestEventsAreInOrder(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	r := c.requested()
	for range taxi.MaxAttempts {
		c.clock.Add(2 * taxi.OfferFor)
		c.sweep()
	}
	events, err := c.Events(t.Context(), r.Owner, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(ids, []string{"proposed#0", "requested", "offered#1", "offered#2", "offered#3", "unserved#3"}) {
		t.Errorf("%v", ids)
	}
}

// Only events are events.
func TestOnlyEventsAreEvents(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pk, sk string
		want   bool
	}{
		"of a ride":  {"rides#a", "event#rd_1#done#1", true},
		"a ride":     {"rides#a", "ride#rd_1", false},
		"of another": {"orders#a", "event#1", false},
	} {
		it, err := dynamo.Encode(struct {
			PK string `dynamodbav:"pk"`
			SK string `dynamodbav:"sk"`
			ID string `dynamodbav:"id"`
		}{tt.pk, tt.sk, "done#1"})
		if err != nil {
			t.Fatal(err)
		}
		if e, ok, err := taxi.Events.Read(it); err != nil || ok != tt.want || ok != (e.ID != "") {
			t.Errorf("%s: %+v, %v, %v", name, e, ok, err)
		}
	}
}

// What the store cannot do is an error of the turn, and no answer to the customer.
func TestAYesFails(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	down := c.over(dynamotest.Look{See: func(string, []byte) ([]byte, error) { return nil, errors.New("down") }}, 1)
	p := c.proposed()
	if s, err := (taxi.Confirm{Store: down}).Commit(ctx, c.tc(), c.consent(taxi.ConfirmKind, p)); err == nil {
		t.Errorf("ordered: %q", s.Text)
	}
	if s, err := (taxi.CancelRide{Store: down}).Commit(ctx, c.tc(), c.consent(taxi.CancelKind, p)); err == nil {
		t.Errorf("cancelled: %q", s.Text)
	}
}

// Where nothing else is said, rides are due as rides.
func TestWhereRidesAreDue(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	s := &taxi.Store{Table: c.Table, Now: c.clock.Now, Drivers: c.Drivers}
	r := c.must(s.Propose(t.Context(), c.customer, "k", c.order()))
	it, err := c.Table.Get(t.Context(), dynamo.Key{PK: "rides#" + r.Owner, SK: "ride#" + r.ID})
	if err != nil || it.String("dueShard") != dynamo.DueShard("ride", r.ID) {
		t.Errorf("due in %s, %v", it.String("dueShard"), err)
	}
	if _, err := c.no(s, r); err != nil { // leave nothing to others' sweeps
		t.Fatal(err)
	}
}

// Who has no number costs no request.
func TestOneWithoutANumberIsNoDriver(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	spent(t, 0, func(ctx context.Context) error {
		_, ok, err := (&taxi.Commands{Store: c.Store}).Command(ctx, c.of(actor.Actor{Kind: actor.Person, ID: "whatsapp:US.77"}), thread.Message{Text: "ON"})
		if ok {
			t.Error("heard")
		}
		return err
	})
}
