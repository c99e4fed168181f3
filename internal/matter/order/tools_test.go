package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// shelf is the one listing that there is.
type shelf struct{ *listing.Listing }

func (s shelf) Get(context.Context, string, string) (*listing.Listing, error) { return s.Listing, nil }
func (s shelf) Count(context.Context, *listing.Listing) error                 { return nil }
func (s shelf) Unchanged(*listing.Listing) dynamo.Write                       { return dynamo.Write{} }

// atlas says of any address where it is.
type atlas struct {
	at     *geo.Location
	err    error
	unsure bool // of what is meant
}

// An answer is for an address of the market, and is kept.
func (a atlas) Geocode(_ context.Context, q geo.Query) ([]geo.Found, error) {
	if a.at == nil || q.Within != kioskTown || !q.Stored {
		return nil, a.err
	}
	return []geo.Found{{Location: *a.at, Sure: !a.unsure}}, a.err
}

// kioskTown is where the market is.
var kioskTown = &geo.Box{West: 9, South: 49, East: 11, North: 51}

// kiosk is a desk at noon with a listing that takes all kinds of orders, and brings food within
// a kilometre.
type kiosk struct {
	*order.Taker
	listing *listing.Listing
	tc      tool.Context
}

func newKiosk(t testing.TB) *kiosk {
	t.Helper()
	en := func(s string) map[string]string { return map[string]string{"en": s} }
	k := &kiosk{listing: &listing.Listing{
		ID: "kiosk", Business: dynamotest.ID("biz"), Names: en("Kiosk"), Location: &geo.Location{Lat: 50, Lng: 10},
		Items:    []listing.Item{{ID: "soup", Kind: listing.MenuItems, Names: en("Soup"), PriceMinor: 400}},
		Delivery: &listing.Delivery{FeeMinor: 50, MinimumMinor: 400, RadiusMeters: 1000},
		Merve: listing.Integration{Enabled: true, WhatsApp: "+15550100", Actions: []listing.Action{
			{Type: listing.FoodAction, Enabled: true, Tags: []string{"hot"}}, {Type: listing.ServiceAction, Enabled: true}, {Type: listing.ViewingAction, Enabled: true},
		}},
	}}
	store := &order.Store{Table: dynamotest.Open(t).Table(dynamotest.TableName("records")), Now: func() time.Time { return noon }}
	k.Taker = &order.Taker{Store: store, Listings: shelf{k.listing}}
	k.tc = tool.Context{
		Actor: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}, Market: market.Default(dynamotest.ID("m")), Thread: "th_1", Language: "en", TimeZone: time.UTC, Now: noon, Key: "1",
	}
	k.tc.Market.Bounds = kioskTown
	return k
}

// tell runs a tool of the kiosk with what is enough for it, and with what is said otherwise.
func (k *kiosk) tell(ctx context.Context, name string, otherwise map[string]any) (tool.Result, error) {
	enough := map[string]map[string]any{
		"orderFood": {
			"listingId": "kiosk", "items": []map[string]any{{"itemId": "soup", "quantity": 1, "options": []string{}, "note": nil}},
			"delivery": false, "address": nil, "when": nil, "phone": nil, "note": nil,
		},
		"bookService":     {"listingId": "kiosk", "serviceId": nil, "description": "a wash", "address": nil, "when": nil, "phone": nil},
		"scheduleViewing": {"listingId": "kiosk", "when": nil, "phone": "+15550300", "note": nil},
	}
	args := map[string]any{}
	maps.Copy(args, enough[name])
	maps.Copy(args, otherwise)
	raw, err := json.Marshal(args)
	if err != nil {
		return tool.Result{}, err
	}
	for _, one := range k.Tools() {
		if one.Name == name {
			return one.Run(ctx, k.tc, raw)
		}
	}
	return tool.Result{}, fmt.Errorf("no tool %s", name)
}

// What somebody has ordered with one tenant is nothing with another: it is not listed, cannot be
// cancelled, and does not count among what they have open.
func TestOrdersOfAnotherMarket(t *testing.T) {
	t.Parallel()
	k := newKiosk(t)
	for n := range order.MaxOpen {
		k.tc.Key = fmt.Sprint("there", n)
		if _, err := k.tell(t.Context(), "orderFood", nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := k.Store.Of(t.Context(), k.tc.Actor, k.tc.Market.ID)
	if err != nil || len(all) != order.MaxOpen {
		t.Fatalf("%d orders, %v", len(all), err)
	}
	by := order.By{Actor: k.tc.Actor, Receipt: &gate.Receipt{OfferHash: all[0].Hash()}}
	if _, err := k.Store.Apply(t.Context(), all[0], order.PlacedEvent, by); err != nil {
		t.Fatal(err)
	}
	k.tc.Market, k.tc.Key = market.Default(dynamotest.ID("elsewhere")), "here"
	if res, err := k.tell(t.Context(), "getMyOrders", map[string]any{"kind": nil}); err != nil || len(res.Cards) != 0 {
		t.Errorf("listed: %v, %v", res.Cards, err)
	}
	if _, err := k.tell(t.Context(), "cancelOrder", map[string]any{"orderId": all[0].ID}); !fault.Is(err, fault.Invalid) {
		t.Errorf("cancel: %v", err)
	}
	if res, err := k.tell(t.Context(), "orderFood", nil); err != nil || res.Proposal == nil {
		t.Errorf("one more: %+v, %v", res, err)
	}
}

// What cannot be ordered is refused before anybody is asked, and the model is told which of its
// words is wrong and what to do.
func TestWhatIsNotProposed(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	far := atlas{at: &geo.Location{Lat: 50.02, Lng: 10}}
	brought := func(more args) args {
		all := args{"delivery": true, "address": "High Street 1", "phone": "+15550300"}
		maps.Copy(all, more)
		return all
	}
	today := []string{noon.Format(time.DateOnly)}
	shut := func(k *kiosk) {
		day := []schedule.Span{{From: "09:00", To: "18:00"}}
		k.listing.Hours = &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{"mon": day, "tue": day}, Closed: today}
	}
	tables := func(k *kiosk) { k.listing.Offerings = []schedule.Offering{{TimeZone: "UTC", Closed: today}} } // which have the hours
	for name, tt := range map[string]struct {
		tool        string
		args        args
		where       func(k *kiosk)
		kind        fault.Kind
		field, says string
	}{
		"a listing that is off":           {"orderFood", nil, func(k *kiosk) { k.listing.Merve.Enabled = false }, fault.Invalid, "listingId", "no such listing"},
		"a listing that does not take it": {"bookService", nil, func(k *kiosk) { k.listing.Merve.Actions[1].Enabled = false }, fault.Conflict, "", "does not take that here"},
		"a listing that nobody answers":   {"orderFood", nil, func(k *kiosk) { k.listing.Merve.WhatsApp = "" }, fault.Conflict, "", "cannot be reached"},
		"a listing that the market bars": {"orderFood", nil, func(k *kiosk) {
			k.tc.Market.Tools["orderFood"] = market.ToolPolicy{AllowedTags: []string{"cold"}}
		}, fault.Forbidden, "", "cannot be used"},

		"picked up where there is no pickup": {"orderFood", nil, func(k *kiosk) { k.listing.Delivery.NoPickup = true }, fault.Invalid, "delivery", "delivers only"},
		"brought by who does not":            {"orderFood", brought(nil), func(k *kiosk) { k.listing.Delivery = nil }, fault.Invalid, "delivery", "does not deliver"},
		"brought for too little":             {"orderFood", brought(nil), func(k *kiosk) { k.listing.Delivery.MinimumMinor = 401 }, fault.Invalid, "items", "delivery starts at 401"},
		"brought to nobody's number":         {"orderFood", brought(args{"phone": nil}), nil, fault.Invalid, "phone", "the courier needs"},
		"brought to nowhere":                 {"orderFood", brought(args{"address": " "}), nil, fault.Invalid, "address", "ask the customer where"},
		"brought too far":                    {"orderFood", brought(nil), func(k *kiosk) { k.Places = far }, fault.Invalid, "address", "is 2.2 km away"},
		"brought to a novel":                 {"orderFood", brought(args{"address": strings.Repeat("x", order.MaxAddress+1)}), nil, fault.Invalid, "address", "at most"},

		"a time that has passed": {"orderFood", args{"when": "2026-11-23T11:59"}, nil, fault.Invalid, "when", "has passed"},
		"a time too far ahead":   {"orderFood", args{"when": "2027-01-22T12:01"}, nil, fault.Invalid, "when", "at most 60 days"},
		"no time":                {"orderFood", args{"when": "noon"}, nil, fault.Invalid, "when", "want YYYY"},
		"a note too long":        {"orderFood", args{"note": strings.Repeat("x", order.MaxNote+1)}, nil, fault.Invalid, "note", "at most"},

		"food on a closed day":           {"orderFood", nil, shut, fault.Invalid, "when", "opens next at 2026-11-24T09:00"},
		"a table's food on a closed day": {"orderFood", nil, tables, fault.Invalid, "when", "offer another"},
		"a service on a closed day":      {"bookService", args{"when": "2026-11-23T20:00"}, shut, fault.Invalid, "when", "opens next at 2026-11-24T09:00"},
		"a viewing on a closed day":      {"scheduleViewing", args{"when": "2026-11-23T20:00"}, tables, fault.Invalid, "when", "offer another"},

		"a word for a number":         {"orderFood", args{"phone": "call me 5550300"}, nil, fault.Invalid, "phone", "want a phone number"},
		"two numbers":                 {"orderFood", args{"phone": "+15550300+1"}, nil, fault.Invalid, "phone", "want a phone number"},
		"a number too short":          {"orderFood", args{"phone": "+12345"}, nil, fault.Invalid, "phone", "want a phone number"},
		"a number too long":           {"orderFood", args{"phone": "1234567890123456"}, nil, fault.Invalid, "phone", "want a phone number"},
		"a service that is not named": {"bookService", args{"description": " "}, nil, fault.Invalid, "description", "say what is wanted"},
		"a viewing without a number":  {"scheduleViewing", args{"phone": nil}, nil, fault.Invalid, "phone", "the agent needs"},
		"orders of no kind":           {"getMyOrders", args{"kind": "taxi"}, nil, fault.Invalid, "kind", "want food, service or viewing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			if tt.where != nil {
				tt.where(k)
			}
			_, err := k.tell(t.Context(), tt.tool, tt.args)
			says, field := fault.Public(err)
			if !fault.Is(err, tt.kind) || field != tt.field || !strings.Contains(says, tt.says) {
				t.Errorf("%v, in %q: %q", err, field, says)
			}
		})
	}
}

// A proposal says where to, when and for whom as far as that is known: a place that nobody finds
// stays the customer's words, and a time is the business's own.
func TestWhatIsProposed(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	near := &geo.Location{Lat: 50.001, Lng: 10}
	brought := args{"delivery": true, "address": "High Street 1", "phone": "+15550300"}
	at := args{"when": "2026-11-24T13:00"}
	for name, tt := range map[string]struct {
		tool  string
		args  args
		where func(k *kiosk)
		want  string // address, pin, fee, number, time
	}{
		"picked up":                {"orderFood", nil, nil, "; ; 0; ; 01-01 00:00"},
		"of tags that may be used": {"orderFood", nil, func(k *kiosk) { k.tc.Market.Tools["orderFood"] = market.ToolPolicy{AllowedTags: []string{"hot"}} }, "; ; 0; ; 01-01 00:00"},

		"brought to a place":           {"orderFood", brought, func(k *kiosk) { k.Places = atlas{at: near} }, "High Street 1; 50.001 10; 50; +15550300; 01-01 00:00"},
		"brought where nobody finds":   {"orderFood", brought, func(k *kiosk) { k.Places = atlas{} }, "High Street 1; ; 50; +15550300; 01-01 00:00"},
		"brought where nobody is sure": {"orderFood", brought, func(k *kiosk) { k.Places = atlas{at: near, unsure: true} }, "High Street 1; ; 50; +15550300; 01-01 00:00"},
		"brought while the map is off": {"orderFood", brought, func(k *kiosk) { k.Places = atlas{at: near, err: errors.New("off")} }, "High Street 1; ; 50; +15550300; 01-01 00:00"},
		"brought without a map":        {"orderFood", brought, nil, "High Street 1; ; 50; +15550300; 01-01 00:00"},
		"brought from nowhere known": {"orderFood", brought, func(k *kiosk) {
			k.Places, k.listing.Location = atlas{at: near}, nil
		}, "High Street 1; 50.001 10; 50; +15550300; 01-01 00:00"},
		"brought to where they are": {"orderFood", args{"delivery": true, "phone": "+15550300"}, func(k *kiosk) {
			k.Places, k.tc.Location = atlas{}, &geo.Location{Lat: 50.002, Lng: 10, Address: "Harbour"}
		}, "Harbour; 50.002 10; 50; +15550300; 01-01 00:00"},
		"brought where nobody finds, and not to where they are": {"orderFood", brought, func(k *kiosk) {
			k.Places, k.tc.Location = atlas{}, &geo.Location{Lat: 50.002, Lng: 10, Address: "Harbour"}
		}, "High Street 1; ; 50; +15550300; 01-01 00:00"},

		"for a number as people write it": {"orderFood", args{"phone": "+1 (555) 03-٠٠"}, nil, "; ; 0; +15550300; 01-01 00:00"},
		"at a time of the market":         {"bookService", at, func(k *kiosk) { k.tc.Market.TimeZone = "Asia/Tokyo" }, "; ; 0; ; 11-24 04:00"},
		"at a time of the business": {"bookService", at, func(k *kiosk) {
			k.listing.Hours = &schedule.Hours{TimeZone: "Asia/Dubai"}
			k.listing.Offerings = []schedule.Offering{{TimeZone: "Asia/Tokyo"}}
		}, "; ; 0; ; 11-24 09:00"},
		"at a time that is agreed on later, from a closed day": {"bookService", nil, func(k *kiosk) {
			k.listing.Hours = &schedule.Hours{TimeZone: "UTC", Closed: []string{noon.Format(time.DateOnly)}}
		}, "; ; 0; ; 01-01 00:00"},
		"at a time of its offerings": {"bookService", at, func(k *kiosk) { k.listing.Offerings = []schedule.Offering{{TimeZone: "Asia/Tokyo"}} }, "; ; 0; ; 11-24 04:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			if tt.where != nil {
				tt.where(k)
			}
			res, err := k.tell(t.Context(), tt.tool, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			o, err := k.Store.Get(t.Context(), k.tc.Actor, k.tc.Market.ID, res.Proposal.Ref)
			if err != nil {
				t.Fatal(err)
			}
			address, pin := "", ""
			if o.Delivery != nil {
				address = o.Delivery.Address
			}
			if res.Map != nil {
				pin = fmt.Sprint(res.Map.Lat, " ", res.Map.Lng)
			}
			if got := fmt.Sprintf("%s; %s; %d; %s; %s", address, pin, o.FeeMinor, o.CustomerPhone, o.When.Format("01-02 15:04")); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// The total of an order is what its lines come to, and the fee when it is brought: so it is stored, so the
// customer is asked, and so the business, the model and the card have it.
func TestTheFeeIsInTheTotal(t *testing.T) {
	t.Parallel()
	brought := map[string]any{"delivery": true, "address": "High Street 1", "phone": "+15550300"}
	for name, tt := range map[string]struct {
		args           map[string]any
		fee            int64 // of the listing
		charged, total int64
		asked, told    string
	}{
		"picked up":           {nil, 50, 0, 800, "Soup · €8.00 · Total: €8.00", "€8.00"},
		"brought":             {brought, 50, 50, 850, " · Delivery: €0.50 · Total: €8.50", "€8.50"},
		"brought for nothing": {brought, 0, 0, 800, "+15550300 · Total: €8.00", "€8.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			k.listing.Price, k.listing.Delivery.FeeMinor = &listing.Price{Currency: "EUR"}, tt.fee
			args := map[string]any{"items": []map[string]any{{"itemId": "soup", "quantity": 2, "options": []string{}, "note": nil}}}
			maps.Copy(args, tt.args)
			res, err := k.tell(t.Context(), "orderFood", args)
			if err != nil {
				t.Fatal(err)
			}
			o, err := k.Store.Get(t.Context(), k.tc.Actor, k.tc.Market.ID, res.Proposal.Ref)
			if err != nil || o.FeeMinor != tt.charged || o.TotalMinor != tt.total {
				t.Errorf("a fee of %d and a total of %d, want %d and %d: %v", o.FeeMinor, o.TotalMinor, tt.charged, tt.total, err)
			}
			if !strings.HasSuffix(res.Proposal.Summary, tt.asked) {
				t.Errorf("asked about %q, want %q at its end", res.Proposal.Summary, tt.asked)
			}
			if got := order.Vars("en", o)["total"]; got != tt.told {
				t.Errorf("the business is told a total of %q, want %q", got, tt.told)
			}
			for what, from := range map[string]any{"the model": res.Data, "the card": res.Cards[0]} {
				said, err := json.Marshal(from)
				if want := fmt.Sprintf(`"total":{"amount":%d,"currency":"EUR"}`, tt.total); err != nil || !strings.Contains(string(said), want) {
					t.Errorf("%s has %s, want %s: %v", what, said, want, err)
				}
			}
		})
	}
}

// A business has time to answer while it is open: what is ordered while it is closed, or shortly before,
// does not lapse before it opens again, nor later than its time.
func TestAnswersMindTheHours(t *testing.T) {
	t.Parallel()
	hours := &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{}}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri"} {
		hours.Days[day] = []schedule.Span{{From: "09:00", To: "22:00"}}
	}
	long := &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{"sat": hours.Days["mon"]}, Closed: []string{"2026-11-28"}}
	const layout = "2006-01-02T15:04"
	for name, tt := range map[string]struct {
		tool       string
		hours      *schedule.Hours
		at, when   string // "" is as soon as can be
		unanswered string
	}{
		"food in the night":                    {"orderFood", hours, "2026-11-23T23:00", "2026-11-24T12:00", "2026-11-24T10:45"},
		"food for when it opens":               {"orderFood", hours, "2026-11-23T23:00", "2026-11-24T09:00", "2026-11-24T09:15"},
		"food shortly before it closes":        {"orderFood", hours, "2026-11-23T21:50", "2026-11-24T12:00", "2026-11-24T10:45"},
		"food in the night, for the evening":   {"orderFood", hours, "2026-11-23T23:00", "2026-11-24T19:00", "2026-11-24T14:15"},
		"food before the weekend":              {"orderFood", hours, "2026-11-27T21:50", "2026-12-02T09:00", "2026-12-01T09:15"},
		"food while it is open":                {"orderFood", hours, "2026-11-23T10:00", "2026-11-23T12:00", "2026-11-23T11:15"},
		"food at once":                         {"orderFood", hours, "2026-11-23T21:50", "", "2026-11-23T22:05"},
		"food of whose hours nothing is known": {"orderFood", nil, "2026-11-23T23:00", "2026-11-24T12:00", "2026-11-24T05:45"},
		"what does not open":                   {"scheduleViewing", &schedule.Hours{TimeZone: "UTC"}, "2026-11-23T23:00", "", "2026-11-24T23:00"},
		"a service in the night":               {"bookService", hours, "2026-11-23T23:00", "", "2026-11-24T23:00"},
		"a service before the weekend":         {"bookService", hours, "2026-11-27T22:00", "2026-11-30T08:00", "2026-12-01T09:00"},
		"a service before long holidays":       {"bookService", long, "2026-11-23T12:00", "", "2026-12-06T09:00"},
		"a viewing on the weekend":             {"scheduleViewing", hours, "2026-11-28T12:00", "", "2026-12-01T09:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			k.listing.Hours = tt.hours
			now, err := time.Parse(layout, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			due, err := time.Parse(layout, tt.unanswered)
			if err != nil {
				t.Fatal(err)
			}
			k.tc.Now, k.Store.Now = now, func() time.Time { return now }
			args := map[string]any{"when": nil}
			if tt.when != "" {
				args["when"] = tt.when
			}
			res, err := k.tell(t.Context(), tt.tool, args)
			if err != nil {
				t.Fatal(err)
			}
			o, err := k.Store.Get(t.Context(), k.tc.Actor, k.tc.Market.ID, res.Proposal.Ref)
			if err == nil {
				o, err = k.Store.Apply(t.Context(), o, order.PlacedEvent, order.By{Actor: k.tc.Actor, Receipt: &gate.Receipt{}})
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, end := range []struct {
				at   time.Time
				want order.EventType
			}{{due.Add(-time.Millisecond), ""}, {due, order.UnansweredEvent}} {
				now = end.at
				if typ, err := k.Store.Lapse(t.Context(), o); err != nil || typ != end.want {
					t.Errorf("at %s: %q, %v; want %q", now, typ, err, end.want)
				}
			}
		})
	}
}

// A model is told of a customer's latest orders, of one kind or all, but of none that nobody said
// YES to.
func TestMyOrders(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	d := c.draft()
	d.Kind = order.Service
	visit, err := c.store.Propose(t.Context(), d, "visit")
	if err != nil {
		t.Fatal(err)
	}
	c.apply(visit, order.PlacedEvent)
	c.now = c.now.Add(time.Second)
	for n := range 11 {
		c.apply(c.propose(fmt.Sprint(n)), order.PlacedEvent)
	}
	c.now = c.now.Add(time.Second)
	c.propose("not placed")
	k := newKiosk(t)
	k.Store, k.tc.Actor, k.tc.Market = c.store, c.owner, market.Default(d.Market)
	got := map[string]int{}
	for _, kind := range []any{nil, "food", "service", "viewing"} {
		res, err := k.tell(t.Context(), "getMyOrders", map[string]any{"kind": kind})
		if err != nil {
			t.Fatal(err)
		}
		for _, card := range res.Cards {
			got[fmt.Sprint(kind, ": ", card["status"], " ", card["kind"])]++
		}
	}
	if diff := cmp.Diff(map[string]int{"<nil>: placed food": 10, "food: placed food": 10, "service: placed service": 1}, got); diff != "" {
		t.Error(diff)
	}
}

// What still stands is told of before what is over, and keeps its place among what may be open, however
// much was ordered and ended since.
func TestWhatIsOverHidesNothingOpen(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	k := newKiosk(t)
	k.Store, k.tc.Actor, k.tc.Market = c.store, c.owner, market.Default(c.draft().Market)
	for n := range order.MaxOpen {
		c.apply(c.propose(fmt.Sprint("stands", n)), order.PlacedEvent)
	}
	for n := range order.MaxOwn {
		d := c.draft()
		d.Kind = order.Service
		c.now = c.now.Add(time.Second)
		o, err := c.store.Propose(t.Context(), d, fmt.Sprint("over", n))
		if err != nil {
			t.Fatal(err)
		}
		c.apply(c.apply(o, order.PlacedEvent), order.CancelledEvent)
	}
	res, err := k.tell(t.Context(), "getMyOrders", map[string]any{"kind": nil})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, card := range res.Cards {
		got = append(got, card["status"])
	}
	want := slices.Concat(slices.Repeat([]any{order.Placed}, order.MaxOpen), slices.Repeat([]any{order.Cancelled}, 10-order.MaxOpen))
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
		t.Error(diff)
	}
	k.tc.Now = c.now
	if _, err := k.tell(t.Context(), "orderFood", nil); !fault.Is(err, fault.Limited) {
		t.Errorf("one more than may be open: %v", err)
	}
}

// What stands of an order is what has become of it.
func TestWhatStandsOfAnOrder(t *testing.T) {
	t.Parallel()
	for after, want := range map[order.EventType]standing.Word{
		order.PlacedEvent: standing.Ordered, order.AcceptedEvent: standing.Accepted, order.DoneEvent: standing.Completed,
		order.CancelledEvent: standing.Cancelled, order.RefusedEvent: standing.Refused, order.UnansweredEvent: standing.Refused,
	} {
		k := newKiosk(t)
		c := newCounter(t)
		k.Store, k.tc.Actor, k.tc.Market = c.store, c.owner, market.Default(c.draft().Market)
		o := c.apply(c.propose("1"), order.PlacedEvent)
		if after == order.DoneEvent {
			o = c.apply(o, order.AcceptedEvent)
		}
		if after != order.PlacedEvent {
			o = c.apply(o, after)
		}
		res, err := k.tell(t.Context(), "getMyOrders", map[string]any{"kind": nil})
		if err != nil || len(res.Named) != 1 || res.Named[0].Word != want || res.Named[0].Code != o.Code || res.Named[0].Over != !o.Stands() {
			t.Errorf("%s: %+v, %v", after, res.Named, err)
		}
	}
}

// A customer is asked whether to cancel what can still be cancelled, in the words of its kind; of
// all else the model is told why not.
func TestWhatMayBeCancelled(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	of := func(kind order.Kind, events ...order.EventType) string {
		d := c.draft()
		d.Kind = kind
		o, err := c.store.Propose(t.Context(), d, fmt.Sprint(kind, events))
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range events {
			o = c.apply(o, typ)
		}
		return o.ID
	}
	k := newKiosk(t)
	k.Store, k.tc.Actor, k.tc.Market = c.store, c.owner, market.Default(c.draft().Market)
	for name, tt := range map[string]struct {
		id    string
		kind  string
		fault fault.Kind
		field string
	}{
		"food":                {of(order.Food, order.PlacedEvent), order.CancelKind, "", ""},
		"food being made":     {of(order.Food, order.PlacedEvent, order.AcceptedEvent), "", fault.Conflict, ""},
		"a service":           {of(order.Service, order.PlacedEvent), order.CancelRequestKind, "", ""},
		"an accepted viewing": {of(order.Viewing, order.PlacedEvent, order.AcceptedEvent), order.CancelRequestKind, "", ""},
		"an offer":            {of(order.Food), "", fault.Invalid, "orderId"},
		"nothing":             {"or_aaaaaaaaaaaaaaaa", "", fault.Invalid, "orderId"},
	} {
		res, err := k.tell(t.Context(), "cancelOrder", map[string]any{"orderId": tt.id})
		if tt.kind != "" {
			if err != nil || res.Proposal.Kind != tt.kind || res.Proposal.Ref != tt.id {
				t.Errorf("%s: %+v, %v", name, res.Proposal, err)
			}
			continue
		}
		if _, field := fault.Public(err); !fault.Is(err, tt.fault) || field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A YES to cancelling what the business had not answered cancels nothing that it has accepted since:
// of that the customer is asked anew.
func TestAnAnswerBeforeTheYesToCancelling(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	d := c.draft()
	d.Kind = order.Service
	o, err := c.store.Propose(t.Context(), d, "1")
	if err != nil {
		t.Fatal(err)
	}
	k := newKiosk(t)
	k.Store, k.tc.Actor, k.tc.Market = c.store, c.owner, market.Default(d.Market)
	asked := func() thread.Pending {
		t.Helper()
		res, err := k.tell(t.Context(), "cancelOrder", map[string]any{"orderId": o.ID})
		if err != nil {
			t.Fatal(err)
		}
		return thread.Pending{Kind: res.Proposal.Kind, Ref: res.Proposal.Ref, Hash: res.Proposal.Hash, Summary: res.Proposal.Summary}
	}
	o = c.apply(o, order.PlacedEvent)
	before := asked()
	c.apply(o, order.AcceptedEvent)
	refused := wording.Say("en", wording.OrderCancelRefused, wording.Vars{"summary": before.Summary})
	for _, tt := range []struct {
		p         thread.Pending
		cancelled bool
	}{{before, false}, {asked(), true}} {
		s, err := order.Cancel{Store: c.store}.Commit(t.Context(), k.tc, gate.Consent{Pending: tt.p, At: c.now})
		if err != nil || len(s.Writes) > 0 != tt.cancelled || (s.Text == refused) == tt.cancelled {
			t.Errorf("%d writes, %q, %v; want it cancelled: %v", len(s.Writes), s.Text, err, tt.cancelled)
		}
	}
}
