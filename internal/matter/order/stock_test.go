package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/spine/gate"
	"merve/internal/tenant/market"
)

// stocked is a counter whose soup and fish are counted.
func stocked(t testing.TB, soup, fish int) *counter {
	t.Helper()
	c := newCounter(t)
	c.market = dynamotest.ID("m")
	c.store.Stock = &stock.Store{Table: c.store.Table, Now: c.store.Now}
	for id, n := range map[string]int{"soup": soup, "fish": fish} {
		if err := c.store.Table.DB().Commit(t.Context(), c.store.Stock.Set(stock.Item{Market: c.market, Listing: "grill", ID: id}, n, "s")); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// of is an order of food that takes counted items.
func (c *counter) of(items map[string]int, key string) order.Order {
	c.t.Helper()
	return c.ofKind(order.Food, items, key)
}

func (c *counter) ofKind(kind order.Kind, items map[string]int, key string) order.Order {
	c.t.Helper()
	o := c.draft()
	o.Kind, o.Market, o.Counted = kind, c.market, items
	o, err := c.store.Propose(context.Background(), o, key)
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

// counts are "left/held/sold" of soup and fish.
func (c *counter) counts() string {
	c.t.Helper()
	all, err := c.store.Stock.Of(context.Background(), c.market, "grill")
	if err != nil {
		c.t.Fatal(err)
	}
	s, f := all["soup"], all["fish"]
	return fmt.Sprintf("soup %d/%d/%d fish %d/%d/%d", s.Left, s.Held, s.Sold, f.Left, f.Held, f.Sold)
}

// holdings are what orders hold of the counted items.
func (c *counter) holdings() int {
	c.t.Helper()
	page, err := c.store.Table.Query(context.Background(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :order)", Values: dynamo.V{":pk": "stock#" + c.market + "#grill", ":order": "order#"},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return len(page.Items)
}

// Whatever becomes of an order of any kind, what it holds goes back once, or is sold; and what cannot be
// had in whole is not taken in part.
func TestField15_WhatAnOrderHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		events []order.EventType
		want   string
		rows   int
	}{
		{nil, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.ReleasedEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.ExpiredEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.PlacedEvent}, "soup 2/3/0 fish 0/2/0", 1},
		{[]order.EventType{order.PlacedEvent, order.AcceptedEvent}, "soup 2/3/0 fish 0/2/0", 1},
		{[]order.EventType{order.PlacedEvent, order.RefusedEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.PlacedEvent, order.UnansweredEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.PlacedEvent, order.CancelledEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent}, "soup 5/0/0 fish 2/0/0", 0},
		{[]order.EventType{order.PlacedEvent, order.AcceptedEvent, order.DoneEvent}, "soup 2/0/3 fish 0/0/2", 0},
	} {
		for _, kind := range []order.Kind{order.Food, order.Service, order.Viewing} {
			c := stocked(t, 5, 2)
			o := c.ofKind(kind, map[string]int{"soup": 3, "fish": 2}, "1")
			for _, typ := range tt.events {
				before := o
				o = c.apply(o, typ)
				if _, err := c.store.Apply(t.Context(), before, typ, order.By{Actor: c.owner, Receipt: &gate.Receipt{}}); !errors.Is(err, order.ErrChanged) {
					t.Errorf("%s, %v: %s again: %v", kind, tt.events, typ, err)
				}
			}
			if got := c.counts(); got != tt.want || c.holdings() != tt.rows {
				t.Errorf("%s, %v: %s with %d holdings, want %s with %d", kind, tt.events, got, c.holdings(), tt.want, tt.rows)
			}
		}
	}
	c := stocked(t, 5, 2)
	_, err := c.store.Apply(t.Context(), c.of(map[string]int{"soup": 1, "fish": 3}, "1"), order.PlacedEvent, order.By{Actor: c.owner, Receipt: &gate.Receipt{}})
	var few *stock.Short
	if !errors.As(err, &few) || few.Item != "fish" || few.Left != 2 || c.counts() != "soup 5/0/0 fish 2/0/0" || c.holdings() != 0 {
		t.Errorf("too few of one: %v, %s", err, c.counts())
	}
}

// Of the last pieces, exactly as many are sold as there are, however many customers say YES at
// the same time.
func TestField15_TheLastPieces(t *testing.T) {
	t.Parallel()
	const pieces, customers = 6, 50
	c := stocked(t, pieces, 100)
	c.store.Table.DB().Backoff = func(int) time.Duration { return time.Millisecond }
	var mu sync.Mutex
	placed := 0
	var wg sync.WaitGroup
	for i := range customers {
		o := c.of(map[string]int{"soup": 1, "fish": 1}, fmt.Sprint(i))
		wg.Go(func() {
			for {
				_, err := c.store.Apply(t.Context(), o, order.PlacedEvent, order.By{Actor: c.owner, Receipt: &gate.Receipt{}})
				var few *stock.Short
				switch {
				case err == nil:
					mu.Lock()
					placed++
					mu.Unlock()
				case errors.As(err, &few) && few.Left == 0:
				case fault.Is(err, fault.Unavailable):
					continue // among too many others
				default:
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	if want := fmt.Sprintf("soup 0/%d/0 fish %d/%d/0", pieces, 100-pieces, pieces); placed != pieces || c.counts() != want || c.holdings() != pieces {
		t.Errorf("%d placed, %s, %d holdings", placed, c.counts(), c.holdings())
	}
}

// Whatever call fails, in every way, and however often it comes again: what is taken and given
// back is as without.
func TestField15_CrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]order.EventType{
		"cancelled": {order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent}, "done": {order.PlacedEvent, order.AcceptedEvent, order.DoneEvent},
		"unanswered": {order.PlacedEvent, order.UnansweredEvent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
				c := stocked(t, 5, 2)
				o := c.of(map[string]int{"soup": 3, "fish": 1}, "1")
				faulty := c.failing(calls)
				faulty.Stock = &stock.Store{Table: faulty.Table, Now: faulty.Now}
				for _, typ := range events {
					calls.Deliver(t, nil, func() error {
						now, err := faulty.Get(t.Context(), c.owner, o.Market, o.ID)
						if err != nil {
							return err
						}
						_, err = faulty.Apply(t.Context(), now, typ, order.By{Actor: c.owner, Receipt: &gate.Receipt{Answer: "yes"}})
						var refused *order.Refusal
						if errors.As(err, &refused) {
							return nil // it had happened
						}
						return err
					})
				}
				return fmt.Sprint(c.counts(), c.holdings())
			})
		})
	}
}

// What is taken to be done while its business says DONE or CANCEL has one end, and what it held is
// sold or given back once.
func TestField15_ForgottenAndEndedAtOnce(t *testing.T) {
	t.Parallel()
	for i := range 5 {
		c := stocked(t, 5, 2)
		c.store.Table.DB().Backoff = func(int) time.Duration { return time.Millisecond }
		o := c.apply(c.apply(c.of(map[string]int{"soup": 3, "fish": 2}, "1"), order.PlacedEvent), order.AcceptedEvent)
		c.now = c.now.Add(24 * time.Hour)
		business := order.By{Actor: actor.Actor{Kind: actor.Person, ID: "biz"}}
		ends := make([]order.EventType, 4)
		var wg sync.WaitGroup
		for n, end := range []func() (order.EventType, error){
			func() (order.EventType, error) { return c.store.Lapse(t.Context(), o) },
			func() (order.EventType, error) { return c.store.Lapse(t.Context(), o) },
			func() (order.EventType, error) {
				_, err := c.store.Apply(t.Context(), o, order.DoneEvent, business)
				return order.DoneEvent, err
			},
			func() (order.EventType, error) {
				_, err := c.store.Apply(t.Context(), o, order.CancelledEvent, business)
				return order.CancelledEvent, err
			},
		} {
			wg.Go(func() {
				typ, err := end()
				switch {
				case err == nil:
					ends[n] = typ
				case !errors.Is(err, order.ErrChanged):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		ends = slices.DeleteFunc(ends, func(typ order.EventType) bool { return typ == "" })
		want := map[order.EventType]string{order.DoneEvent: "soup 2/0/3 fish 0/0/2", order.CancelledEvent: "soup 5/0/0 fish 2/0/0"}
		if len(ends) != 1 || c.counts() != want[ends[0]] || c.holdings() != 0 {
			t.Errorf("%d: ended by %v: %s with %d holdings", i, ends, c.counts(), c.holdings())
		}
	}
}

// What an order says that it holds is what its holding says.
func TestField15_HoldingByItsOrder(t *testing.T) {
	t.Parallel()
	c := stocked(t, 9, 9)
	var all []stock.Holding
	for n, events := range [][]order.EventType{nil, {order.PlacedEvent}, {order.PlacedEvent, order.AcceptedEvent}, {order.PlacedEvent, order.RefusedEvent}} {
		o := c.of(map[string]int{"soup": n + 1}, fmt.Sprint(n))
		for _, typ := range events {
			o = c.apply(o, typ)
		}
		all = append(all, stock.Holding{Market: c.market, Listing: "grill", Order: o.ID, Owner: o.Owner})
	}
	hold, err := c.store.Holding(t.Context(), append(all, stock.Holding{Order: "or_none", Owner: c.owner.Key()}))
	want := map[string]map[string]int{all[1].Order: {"soup": 2}, all[2].Order: {"soup": 3}}
	if err != nil || !maps.EqualFunc(hold, want, maps.Equal) {
		t.Errorf("%v, %v", hold, err)
	}
}

// bistro is a desk whose listing has soup that is counted and bread that is not.
func bistro(t testing.TB, soup *listing.Stock) (*order.Taker, tool.Context) {
	t.Helper()
	db, now := dynamotest.Open(t), func() time.Time { return noon }
	records := db.Table(dynamotest.TableName("records"))
	counts := &stock.Store{Table: records, Now: now}
	listings := &listing.Store{Table: db.Table(dynamotest.TableName("catalog")), Stock: counts, Now: now}
	m := market.Default(dynamotest.ID("m"))
	en := func(s string) map[string]string { return map[string]string{"en": s} }
	size := []listing.OptionGroup{{ID: "size", Names: en("Size"), Max: 1, Choices: []listing.Choice{{ID: "large", Names: en("Large")}}}}
	l := &listing.Listing{
		ID: "bistro", Market: m.ID, Business: dynamotest.ID("biz"), Names: en("Bistro"), Domain: "food", Category: "restaurant",
		Items: []listing.Item{
			{ID: "soup", Kind: listing.MenuItems, Names: en("Soup"), PriceMinor: 400, Options: size, Stock: soup}, {ID: "bread", Kind: listing.MenuItems, Names: en("Bread"), PriceMinor: 100},
			{ID: "wash", Kind: listing.Services, Names: en("Wash"), PriceMinor: 100, Stock: soup},
		},
		Merve: listing.Integration{Enabled: true, WhatsApp: "+15550100", Actions: []listing.Action{
			{Type: listing.FoodAction, Enabled: true, DataKind: listing.MenuItems}, {Type: listing.ServiceAction, Enabled: true, DataKind: listing.Services},
		}},
	}
	if err := listings.Put(t.Context(), l, "test"); err != nil {
		t.Fatal(err)
	}
	tc := tool.Context{
		Actor: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}, Market: m, Thread: "th_1", Language: "en", TimeZone: m.Location(), Now: noon, Key: "1",
	}
	return &order.Taker{Store: &order.Store{Table: records, Stock: counts, Now: now}, Listings: listings}, tc
}

// call runs a tool of the desk.
func call(t testing.TB, d *order.Taker, tc tool.Context, name, args string) (order.Order, int, error) {
	t.Helper()
	all := d.Tools()
	i := slices.IndexFunc(all, func(one tool.Tool) bool { return one.Name == name })
	ctx, meter := telemetry.WithMeter(t.Context())
	res, err := all[i].Run(ctx, tc, json.RawMessage(args))
	n := meter.Cost().Requests
	if err != nil || res.Proposal == nil {
		return order.Order{}, n, err
	}
	o, err := d.Store.Get(t.Context(), tc.Actor, tc.Market.ID, res.Proposal.Ref)
	return o, n, err
}

const soups = `{"listingId":"bistro","items":[{"itemId":"soup","quantity":%d,"options":[],"note":null},{"itemId":"bread","quantity":9,"options":[],"note":null},` +
	`{"itemId":"soup","quantity":%d,"options":["large"],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`

// A proposal looks how many are left for all lines of an item, whatever their options, and says
// so; it costs what it cost without counts where nothing is counted, and one request more where
// something is.
func TestField15_ProposalsLookWhatIsLeft(t *testing.T) {
	t.Parallel()
	const wash = `{"listingId":"bistro","serviceId":"wash","description":"x","address":null,"when":null,"phone":null}`
	for _, tt := range []struct {
		stock      *listing.Stock
		tool, args string
		counted    string
		requests   int
		wrong      string
	}{
		{nil, "orderFood", fmt.Sprintf(soups, 2, 3), "map[]", 3, ""},
		{&listing.Stock{Count: 5}, "orderFood", fmt.Sprintf(soups, 2, 3), "map[soup:5]", 4, ""},
		{&listing.Stock{Count: 4}, "orderFood", fmt.Sprintf(soups, 2, 3), "map[]", 2, "items[2].quantity: only 4 of Soup left"},
		{&listing.Stock{Count: 1}, "orderFood", fmt.Sprintf(soups, 2, 3), "map[]", 2, "items[0].quantity: only 1 of Soup left"},
		{&listing.Stock{Count: 0}, "orderFood", fmt.Sprintf(soups, 2, 3), "map[]", 2, "items[0].itemId: Soup is sold out; there is: Bread (bread)"},
		{nil, "bookService", wash, "map[]", 3, ""},
		{&listing.Stock{Count: 1}, "bookService", wash, "map[wash:1]", 4, ""},
		{&listing.Stock{Count: 0}, "bookService", wash, "map[]", 2, "items[0].itemId: Wash is sold out"},
		{&listing.Stock{Count: 0}, "bookService", strings.Replace(wash, `"wash"`, "null", 1), "map[]", 3, ""},
	} {
		d, tc := bistro(t, tt.stock)
		o, requests, err := call(t, d, tc, tt.tool, tt.args)
		said := ""
		if err != nil {
			message, field := fault.Public(err)
			said = field + ": " + message
		}
		if fmt.Sprint(o.Counted) != tt.counted || requests != tt.requests || !strings.HasPrefix(said, tt.wrong) || (tt.wrong == "") != (err == nil) {
			t.Errorf("%s with %+v: counted %v, %d requests, %q", tt.tool, tt.stock, o.Counted, requests, said)
		}
	}
}

// What follows on a proposal costs the same whether anything is counted or not.
func TestField15_CountsCostNoRequests(t *testing.T) {
	t.Parallel()
	for _, items := range []map[string]int{nil, {"soup": 1, "fish": 1}} {
		c := stocked(t, 5, 5)
		o := c.of(items, "1")
		for _, typ := range []order.EventType{order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent} {
			ctx, meter := telemetry.WithMeter(t.Context())
			var err error
			if o, err = c.store.Apply(ctx, o, typ, order.By{Actor: c.owner, Receipt: &gate.Receipt{}}); err != nil {
				t.Fatal(err)
			}
			if n := meter.Cost().Requests; n != 1 {
				t.Errorf("%s of %v: %d requests", typ, items, n)
			}
		}
	}
}

// Orders that a business has accepted and forgotten keep no customer from another one: from when
// they are due, not only from when they are swept.
func TestForgottenOrdersTakeNoPlace(t *testing.T) {
	t.Parallel()
	d, tc := bistro(t, nil)
	now := noon
	d.Store.Now = func() time.Time { return now }
	proposes := func(key string) (order.Order, error) {
		tc.Key, tc.Now = key, now
		o, _, err := call(t, d, tc, "orderFood", fmt.Sprintf(soups, 1, 1))
		return o, err
	}
	var open []order.Order
	for n := range order.MaxOpen {
		o, err := proposes(fmt.Sprint(n))
		for _, typ := range []order.EventType{order.PlacedEvent, order.AcceptedEvent} {
			if err == nil {
				o, err = d.Store.Apply(t.Context(), o, typ, order.By{Actor: tc.Actor, Receipt: &gate.Receipt{}})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, o)
	}
	now = noon.Add(24*time.Hour - time.Second)
	if _, err := proposes("one more"); !fault.Is(err, fault.Limited) {
		t.Errorf("one more than may be open: %v", err)
	}
	now = noon.Add(24 * time.Hour)
	if _, err := proposes("due"); err != nil {
		t.Errorf("when all are due: %v", err)
	}
	for _, o := range open {
		if typ, err := d.Store.Lapse(t.Context(), o); err != nil || typ != order.DoneEvent {
			t.Errorf("%q, %v", typ, err)
		}
	}
	if _, err := proposes("swept"); err != nil {
		t.Errorf("when all are swept: %v", err)
	}
	if kept, err := d.Store.Erase(t.Context(), tc.Market.ID, tc.Actor.Key()); err != nil || len(kept) != 0 {
		t.Errorf("%v stay when all is erased, %v", kept, err)
	}
}
