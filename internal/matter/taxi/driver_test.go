package taxi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/taxi"
)

// found are the keys under which drivers of the market are found, and by which numbers.
func (c *corner) found() []string {
	c.t.Helper()
	var all []string
	for pk, prefix := range map[string]string{"available#" + c.market.ID: "", "drivers#" + c.market.ID: "phone#"} {
		page, err := c.Drivers.Table.Query(context.Background(), dynamo.Under(pk, ""))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, it := range page.Items {
			if sk := it.Key().SK; strings.HasPrefix(sk, prefix) {
				all = append(all, sk+" "+it.String("id"))
			}
		}
	}
	slices.Sort(all)
	return all
}

// rosterKept writes who was on the roster, as another package would.
type rosterKept struct{ t dynamo.Table }

func (r rosterKept) Writes(before, after *taxi.Driver) []dynamo.Write {
	var ws []dynamo.Write
	key := func(d *taxi.Driver) dynamo.Key {
		return dynamo.Key{PK: "contact#" + d.Market, SK: d.Phone + "#" + d.ID}
	}
	if before != nil && (after == nil || before.Phone != after.Phone) {
		ws = append(ws, r.t.Delete(key(before)))
	}
	if after != nil && (before == nil || before.Phone != after.Phone) {
		ws = append(ws, r.t.Put(key(after), map[string]string{"id": after.ID}))
	}
	return ws
}

// What follows from a driver's data changes with it, in one write.
func TestDrivers(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.Drivers.Roster = rosterKept{c.Drivers.Table}
	d := c.driver(0, "Kyrenia", "KYRENIA ", "Lapta")
	check := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, c.found()); diff != "" {
			t.Error(diff)
		}
		page, err := c.Drivers.Table.Query(ctx, dynamo.Under("contact#"+c.market.ID, ""))
		if err != nil {
			t.Fatal(err)
		}
		phones := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !strings.HasPrefix(s, "phone#") })
		if len(page.Items) != len(phones) {
			t.Errorf("roster %v", page.Items)
		}
	}
	number := "phone#" + phone(0) + " d00"
	check("kyrenia#driver#d00 d00", "lapta#driver#d00 d00", number)
	got, err := c.Drivers.Get(ctx, c.market.ID, "d00")
	if diff := cmp.Diff(d, got); err != nil || diff != "" || got.Version != 1 {
		t.Errorf("%v\n%s", err, diff)
	}
	d.Available = false
	if d, err = c.Drivers.Put(ctx, d); err != nil || d.Available || d.Version != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	check(number)
	d.Available, d.Districts, d.Phone = true, []string{"Lapta", "Nicosia"}, phone(9)
	if d, err = c.Drivers.Put(ctx, d); err != nil {
		t.Fatal(err)
	}
	check("lapta#driver#d00 d00", "nicosia#driver#d00 d00", "phone#"+phone(9)+" d00")
	if _, err := c.Drivers.ByPhone(ctx, c.market.ID, phone(0)); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("by the old number: %v", err)
	}
	if got, err := c.Drivers.ByPhone(ctx, c.market.ID, phone(9)); err != nil || got.ID != "d00" {
		t.Errorf("%+v, %v", got, err)
	}
	other := c.driver(1)
	other.Phone = phone(9)
	if _, err := c.Drivers.Put(ctx, other); !errors.Is(err, taxi.ErrPhoneTaken) {
		t.Errorf("the number of another: %v", err)
	}
	if all, err := c.Drivers.List(ctx, c.market.ID); err != nil || len(all) != 2 || all[0].ID != "d00" || all[1].Phone != phone(1) {
		t.Errorf("%+v, %v", all, err)
	}
	for range 2 {
		if err := c.Drivers.Delete(ctx, c.market.ID, "d00"); err != nil {
			t.Error(err)
		}
	}
	check("kyrenia#driver#d01 d01", "phone#"+phone(1)+" d01")
	if _, err := c.Drivers.Put(ctx, d); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("who has gone: %v", err)
	}
	if _, err := c.Drivers.Get(ctx, "another", "d01"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("in another market: %v", err)
	}
	c.assigned(1)
	if err := c.Drivers.Delete(ctx, c.market.ID, "d01"); !errors.Is(err, taxi.ErrDriving) {
		t.Errorf("on a ride: %v", err)
	}
}

func TestDriversAreChecked(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	good := c.driver(0)
	for field, change := range map[string]func(d *taxi.Driver){
		"id":           func(d *taxi.Driver) { d.ID = "a#b" },
		"marketId":     func(d *taxi.Driver) { d.Market = "" },
		"name":         func(d *taxi.Driver) { d.Name = " " },
		"phone":        func(d *taxi.Driver) { d.Phone = "0555" },
		"language":     func(d *taxi.Driver) { d.Language = "xx" },
		"vehicle":      func(d *taxi.Driver) { d.Vehicle = strings.Repeat("x", 61) },
		"plate":        func(d *taxi.Driver) { d.Plate = "\xff" },
		"seats":        func(d *taxi.Driver) { d.Seats = 0 },
		"districts":    func(d *taxi.Driver) { d.Districts = nil },
		"districts[1]": func(d *taxi.Driver) { d.Districts = []string{"a", "b#c"} },
	} {
		d := good
		change(&d)
		_, err := c.Drivers.Put(context.Background(), d)
		if _, got := publicOf(err); got != field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Changes of one driver at once all take place, one after the other.
func TestDriversAtOnce(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.driver(0)
	errs := make(chan error)
	for n := range 4 {
		go func() {
			errs <- c.goes(c.over(nil, 4), 0, n%2 == 0)
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	d, err := c.Drivers.Get(context.Background(), c.market.ID, "d00")
	if on := slices.Contains(c.found(), "kyrenia#driver#d00 d00"); err != nil || d.Version != 5 || on != d.Available {
		t.Error(fmt.Sprint(d, on), err)
	}
}
