package taxi_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/taxi"
)

// What others do between a read and the write that rests on it.

// What was changed meanwhile is not changed back: neither between the look and the write, nor
// when it is seen at once.
func TestStaleDriver(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	d := c.driver(0)
	d.Name = "Somebody else"
	late := c.over(dynamotest.Before("PutItem", func() {
		if err := c.goes(c.Store, 0, false); err != nil {
			t.Error(err)
		}
	}), 4)
	if _, err := late.Drivers.Put(ctx, d); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed in between: %v", err)
	}
	if _, err := c.Drivers.Put(ctx, d); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed before: %v", err)
	}
	if got, err := c.Drivers.Get(ctx, c.market.ID, d.ID); err != nil || got.Name == d.Name || got.Available {
		t.Errorf("%+v, %v", got, err)
	}
	d.ID, d.Phone = "gone", phone(8)
	if _, err := c.Drivers.Put(ctx, d); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("one who is gone: %v", err)
	}
}

// Two make the same driver at once: the second changes what the first has made, and no number
// leads to a driver whose number it is not.
func TestADriverIsMadeTwice(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	d := taxi.Driver{ID: id(0), Market: c.market.ID, Name: "Second", Phone: phone(9), Language: "en", Districts: []string{"Lapta"}, Vehicle: "red Fiat", Plate: "TX 9", Seats: 4, Available: true, Enabled: true}
	late := c.over(dynamotest.Before("TransactWriteItems", func() { c.driver(0, "Kyrenia") }), 4)
	d, err := late.Drivers.Put(ctx, d)
	if err != nil || d.Version != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if diff := cmp.Diff([]string{"lapta#driver#d00 d00", "phone#" + phone(9) + " d00"}, c.found()); diff != "" {
		t.Error(diff)
	}
}

// A driver who has changed while they are deleted stays, whole, rather than be found by what is
// left of them.
func TestADriverChangesWhileDeleted(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.driver(0, "Kyrenia")
	late := c.over(dynamotest.Before("TransactWriteItems", func() { c.driver(0, "Kyrenia", "Lapta") }), 4)
	if err := late.Drivers.Delete(ctx, c.market.ID, id(0)); !errors.Is(err, taxi.ErrChanged) {
		t.Errorf("err = %v", err)
	}
	if diff := cmp.Diff([]string{"kyrenia#driver#d00 d00", "lapta#driver#d00 d00", "phone#" + phone(0) + " d00"}, c.found()); diff != "" {
		t.Error(diff)
	}
	if err := c.Drivers.Delete(ctx, c.market.ID, id(0)); err != nil || len(c.found()) != 0 {
		t.Errorf("%v, %v", c.found(), err)
	}
}

// A customer who says YES, or orders anew, while their rides are erased keeps the ride.
func TestARideBeginsWhileErased(t *testing.T) {
	t.Parallel()
	for op, began := range map[string]func(c *corner, proposed taxi.Ride) taxi.Ride{
		"TransactWriteItems": func(c *corner, proposed taxi.Ride) taxi.Ride {
			if _, err := c.yes(c.Store, proposed); err != nil {
				c.t.Error(err)
			}
			return proposed
		},
		"DeleteItem": func(c *corner, _ taxi.Ride) taxi.Ride { return c.requested() },
	} {
		c, ctx := newCorner(t), context.Background()
		c.drivers(1)
		first := c.requested()
		if _, err := c.cancel(c.Store, first); err != nil {
			t.Fatal(err)
		}
		if op == "TransactWriteItems" { // of the proposal, and of nothing before it
			if kept, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil || len(kept) != 0 {
				t.Fatalf("%v, %v", kept, err)
			}
			first = c.proposed()
		}
		var open taxi.Ride
		late := c.over(dynamotest.Before(op, func() { open = began(c, first) }), 4)
		if _, err := late.Erase(ctx, c.market.ID, c.customer.Key()); !errors.Is(err, taxi.ErrChanged) {
			t.Errorf("before a %s: %v", op, err)
		}
		if r := c.get(open.ID); r.Status != taxi.Requested {
			t.Errorf("before a %s: the ride is %s", op, r.Status)
		}
		if got, err := c.Latest(ctx, c.customer, c.market.ID); err != nil || got.ID != open.ID {
			t.Errorf("before a %s: the latest ride is %+v, %v", op, got, err)
		}
	}
}

// A proposal that is let go, right before its YES is written, is not ordered.
func TestANoBeforeTheYesIsWritten(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	r := c.proposed()
	late := c.over(dynamotest.Before("TransactWriteItems", func() {
		if _, err := c.no(c.Store, r); err != nil {
			t.Error(err)
		}
	}), 4)
	if _, err := c.yes(late, r); err != nil {
		t.Fatal(err)
	}
	if got := c.get(r.ID); got.Status != taxi.Released || len(c.holds(1)) != 0 {
		t.Errorf("%s, %v", got.Status, c.holds(1))
	}
}

// A driver who says NO while a ride is offered anew, by a clock that is ahead of theirs, is not
// asked again.
func TestANoWhileARideIsOfferedAnew(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(2)
	r := c.requested()
	ahead := c.over(dynamotest.Before("TransactWriteItems", func() { c.says(0, "NO "+r.Code) }), 4)
	ahead.Now = func() time.Time { return r.DueAt }
	for range 2 {
		if _, err := ahead.Sweep(ctx, dynamo.Budget{}); err != nil && !errors.Is(err, taxi.ErrChanged) {
			t.Fatal(err)
		}
	}
	if got := c.get(r.ID); got.Attempt != 2 || slices.Contains(got.Offered, id(0)) || !slices.Contains(got.Offered, id(1)) {
		t.Errorf("attempt %d, offered to %v", got.Attempt, got.Offered)
	}
}
