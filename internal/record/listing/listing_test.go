package listing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/demo"
	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// noon is a Saturday.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// catalog is the store of a market of its own.
type catalog struct {
	t testing.TB
	*listing.Store
	db     *dynamo.DB
	market string
	later  atomic.Int64 // seconds after noon
}

func newCatalog(t testing.TB, all ...*listing.Listing) *catalog {
	t.Helper()
	c := &catalog{t: t, market: dynamotest.ID("m")}
	c.db = dynamotest.Open(t, dynamotest.Aside(c.market, `business#[^"]+`)) // other tests have markets with these businesses, too
	c.Store = &listing.Store{
		Table: c.db.Table(dynamotest.TableName("catalog")), Stock: &stock.Store{Table: c.db.Table(dynamotest.TableName("records")), Now: c.now}, Now: c.now,
	}
	for _, l := range all {
		c.put(l)
	}
	return c
}

func (c *catalog) now() time.Time { return noon.Add(time.Duration(c.later.Load()) * time.Second) }

func (c *catalog) put(l *listing.Listing) {
	c.t.Helper()
	l.Market = c.market
	if err := c.Put(context.Background(), l, "test"); err != nil {
		c.t.Fatal(err)
	}
}

func withDemo(t testing.TB) *catalog {
	t.Helper()
	all, err := demo.Listings()
	if err != nil {
		t.Fatal(err)
	}
	return newCatalog(t, all...)
}

// ids of what a search finds, and the filter it dropped.
func (c *catalog) find(q listing.Query) (ids []string, relaxed string) {
	c.t.Helper()
	found, err := c.Search(context.Background(), c.market, q)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, l := range found.Listings {
		ids = append(ids, l.ID)
	}
	return ids, found.Relaxed
}

func plain(id, category string, price int64) *listing.Listing {
	return &listing.Listing{
		ID: id, Business: "biz", Names: map[string]string{"en": "Place " + id}, Domain: "food", Category: category,
		Offerings: []schedule.Offering{{
			ID: "table", Name: "Table", TimeZone: "Asia/Nicosia", SlotMinutes: 60, DurationMinutes: 60, Capacity: 1, HorizonDays: 30,
			Unit: schedule.BySlot, MinParty: 1, MaxParty: 4, PriceMinor: price, Currency: "EUR", Per: schedule.PerBooking,
			Hours: map[string][]schedule.Span{"sat": {{From: "18:00", To: "22:00"}}, "sun": {{From: "18:00", To: "22:00"}}},
		}},
		Merve: listing.Integration{Enabled: true},
	}
}

func TestSearchTheDemoMarket(t *testing.T) {
	t.Parallel()
	c := withDemo(t)
	tests := []struct {
		name    string
		query   listing.Query
		first   string // best hit; "" when nothing is to be found
		without string
		relaxed string
	}{
		{"words", listing.Query{Text: "sushi in Kyrenia"}, "sushi-harbour", "", ""},
		{"in Turkish", listing.Query{Text: "girne suşi"}, "sushi-harbour", "", ""},
		{"in capitals, without marks", listing.Query{Text: "GIRNE SUSI"}, "sushi-harbour", "", ""},
		{"with a typing mistake", listing.Query{Text: "suhsi"}, "sushi-harbour", "", ""},
		{"a beginning", listing.Query{Text: "paraglid"}, "paraglide-five", "", ""},
		{"its name", listing.Query{Text: "Harbour Sushi"}, "sushi-harbour", "", ""},
		{"with a filter", listing.Query{Text: "sushi", Category: "restaurants"}, "sushi-harbour", "", ""},
		{"a filter alone", listing.Query{SubCategory: "golf"}, "golf-coast", "sushi-harbour", ""},
		{"a filter that fits nothing", listing.Query{Text: "sushi", SubCategory: "ramen"}, "sushi-harbour", "", "subCategory"},
		{"the wrong domain", listing.Query{Text: "sushi", Domain: "stays"}, "sushi-harbour", "", "domain"},
		{"words for nothing here", listing.Query{Text: "xqzzyv", Category: "hotel"}, "harbour-hotel", "sushi-harbour", "text"},
		{"nothing at all", listing.Query{Text: "xqzzyv"}, "", "", ""},
	}
	for _, tt := range tests {
		ids, relaxed := c.find(tt.query)
		first := ""
		if len(ids) > 0 {
			first = ids[0]
		}
		if first != tt.first || relaxed != tt.relaxed || slices.Contains(ids, tt.without) {
			t.Errorf("%s: %v, relaxed %q; want %q first, relaxed %q", tt.name, ids, relaxed, tt.first, tt.relaxed)
		}
	}
}

func TestSearchNarrows(t *testing.T) {
	t.Parallel()
	off := plain("off", "bar", 100)
	off.Merve.Enabled = false
	bare := plain("bare", "bar", 0)
	bare.Offerings = nil
	c := newCatalog(t, plain("cheap", "bar", 500), plain("dear", "bar", 5000), plain("grill", "restaurant", 900), off, bare)
	tests := []struct {
		name  string
		query listing.Query
		want  []string
	}{
		{"all", listing.Query{}, []string{"bare", "cheap", "dear", "grill"}},
		{"category", listing.Query{Category: "Bars"}, []string{"bare", "cheap", "dear"}},
		{"price", listing.Query{MaxPrice: 900}, []string{"cheap", "grill"}},
		{"price and category", listing.Query{MaxPrice: 900, Category: "bar"}, []string{"cheap"}},
		{"too cheap", listing.Query{MaxPrice: 100}, nil},
		{"one that is off, by name", listing.Query{Text: "off"}, nil},
		{"limit", listing.Query{Limit: 2}, []string{"bare", "cheap"}},
		{"one that is off takes nobody's place", listing.Query{Text: "place off", Limit: 1}, []string{"bare"}},
	}
	for _, tt := range tests {
		if ids, _ := c.find(tt.query); cmp.Diff(tt.want, ids) != "" {
			t.Errorf("%s: %v, want %v", tt.name, ids, tt.want)
		}
	}
	for i := range 12 {
		c.put(plain(fmt.Sprintf("more%02d", i), "kiosk", 100))
	}
	c.later.Store(60)
	for _, limit := range []struct{ ask, want int }{{0, 5}, {-1, 5}, {10, 10}, {99, 10}} {
		if ids, _ := c.find(listing.Query{Limit: limit.ask}); len(ids) != limit.want {
			t.Errorf("limit %d: %d listings", limit.ask, len(ids))
		}
	}
}

// The index is read once a minute.
func TestSearchCost(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, plain("a", "bar", 500))
	for _, step := range []struct {
		later    int64
		requests int
	}{{0, 1}, {0, 0}, {59, 0}, {60, 1}, {61, 0}} {
		c.later.Store(step.later)
		ctx, meter := telemetry.WithMeter(context.Background())
		if _, err := c.Search(ctx, c.market, listing.Query{}); err != nil {
			t.Fatal(err)
		}
		if n := meter.Cost().Requests; n != step.requests {
			t.Errorf("after %d s: %d requests, want %d", step.later, n, step.requests)
		}
	}
}

var soup = listing.Item{ID: "soup", Kind: listing.MenuItems, Names: map[string]string{"en": "Lentil soup", "tr": "Mercimek çorbası"}, PriceMinor: 450}

// withOptions has a soup of two sizes, and spoils the choice.
func withOptions(spoil func(g *listing.OptionGroup)) func(l *listing.Listing) {
	return func(l *listing.Listing) {
		i := soup
		i.Options = []listing.OptionGroup{{ID: "size", Names: soup.Names, Min: 1, Max: 1, Choices: []listing.Choice{
			{ID: "small", Names: soup.Names}, {ID: "big", Names: soup.Names, PriceMinor: 100},
		}}}
		spoil(&i.Options[0])
		l.Items = []listing.Item{i}
	}
}

func TestCheckNamesTheField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		field string
		spoil func(l *listing.Listing)
	}{
		{"id", func(l *listing.Listing) { l.ID = "" }},
		{"id", func(l *listing.Listing) { l.ID, l.Category = "a#b", "" }},
		{"marketId", func(l *listing.Listing) { l.Market = strings.Repeat("m", 81) }},
		{"businessId", func(l *listing.Listing) { l.Business = "" }},
		{"id", func(l *listing.Listing) { l.ID = strings.Repeat("a", 65) }},
		{"businessId", func(l *listing.Listing) { l.Business = "biz:a" }},
		{"offerings[0].id", func(l *listing.Listing) { l.Offerings[0].ID = "table for two" }},
		{"domain", func(l *listing.Listing) { l.Domain = "" }},
		{"category", func(l *listing.Listing) { l.Category = "" }},
		{"names", func(l *listing.Listing) { l.Names = nil }},
		{"names", func(l *listing.Listing) { l.Names = map[string]string{"en": ""} }},
		{"names", func(l *listing.Listing) { l.Names[""] = "no language" }},
		{"descriptions", func(l *listing.Listing) { l.Descriptions = map[string]string{"xx": "no such language"} }},
		{"templates", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Dispatch: listing.Dispatch{Templates: map[string]string{"birthday": "x"}}}}
		}},
		{"templates.merchant_booking_confirmed", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Dispatch: listing.Dispatch{Template: "{nobody}"}}}
		}},
		{"templates.merchant_booking_confirmed", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Dispatch: listing.Dispatch{
				Template: "ok {code}", Templates: map[string]string{"merchant_booking_confirmed": "{nobody}"}, // which is what is said
			}}}
		}},
		{"templates.merchant_booking_confirmed", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Dispatch: listing.Dispatch{
				Template: "{nobody}", Templates: map[string]string{"merchant_booking_confirmed": "ok {code}"},
			}}}
		}},
		{"type", func(l *listing.Listing) { l.Merve.Actions = []listing.Action{{Type: "order_taxi"}} }},
		{"dataKind", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, DataKind: "things"}}
		}},
		{"dispatch.toE164", func(l *listing.Listing) {
			l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Dispatch: listing.Dispatch{ToE164: "0533"}}}
		}},
		{"merve.whatsappE164", func(l *listing.Listing) { l.Merve.WhatsApp = "0533 123" }},
		{"location", func(l *listing.Listing) { l.Location = &geo.Location{Lat: 91} }},
		{"hours", func(l *listing.Listing) { l.Hours = &schedule.Hours{TimeZone: "Mars/Base"} }},
		{"price.minor", func(l *listing.Listing) { l.Price = &listing.Price{Minor: -5, Currency: "EUR"} }},
		{"price.minor", func(l *listing.Listing) { l.Price = &listing.Price{Minor: schedule.MaxMinor + 1, Currency: "EUR"} }},
		{"price.per", func(l *listing.Listing) { l.Price = &listing.Price{Minor: 5, Currency: "EUR", Per: "week"} }},
		{"price.currency", func(l *listing.Listing) { l.Price = &listing.Price{Minor: 5, Currency: "euros"} }},
		{"price.currency", func(l *listing.Listing) { l.Price = &listing.Price{Minor: 5, Currency: "eur"} }},
		{"offerings[0].currency", func(l *listing.Listing) { l.Offerings[0].Currency = "eur" }},
		{"delivery.feeMinor", func(l *listing.Listing) { l.Delivery = &listing.Delivery{FeeMinor: -1} }},
		{"delivery.minimumMinor", func(l *listing.Listing) { l.Delivery = &listing.Delivery{MinimumMinor: schedule.MaxMinor + 1} }},
		{"delivery.radiusMeters", func(l *listing.Listing) { l.Delivery = &listing.Delivery{RadiusMeters: 1e200} }},
		{"delivery.radiusMeters", func(l *listing.Listing) { l.Delivery = &listing.Delivery{RadiusMeters: 5e-324} }},
		{"delivery.minutes", func(l *listing.Listing) { l.Delivery = &listing.Delivery{Minutes: -1} }},
		{"media[0]", func(l *listing.Listing) { l.Media = []listing.Media{{URL: "javascript:alert(1)"}} }},
		{"items[0].kind", func(l *listing.Listing) { l.Items = []listing.Item{{ID: "a", Kind: "food"}} }},
		{"items[1].id", func(l *listing.Listing) { l.Items = []listing.Item{soup, soup} }},
		{"items[0].names", func(l *listing.Listing) { l.Items = []listing.Item{{ID: "a", Kind: listing.Services}} }},
		{"items[0].priceMinor", func(l *listing.Listing) {
			i := soup
			i.PriceMinor = -1
			l.Items = []listing.Item{i}
		}},
		{"items[0].priceMinor", func(l *listing.Listing) {
			i := soup
			i.PriceMinor = schedule.MaxMinor + 1
			l.Items = []listing.Item{i}
		}},
		{"items[0].id", func(l *listing.Listing) { l.Items = []listing.Item{{ID: "a:b", Kind: soup.Kind, Names: soup.Names}} }},
		{"items[0].options[0].id", withOptions(func(g *listing.OptionGroup) { g.ID = "" })},
		{"items[0].options[0].names", withOptions(func(g *listing.OptionGroup) { g.Names = nil })},
		{"items[0].options[0].max", withOptions(func(g *listing.OptionGroup) { g.Min, g.Max = 2, 1 })},
		{"items[0].options[0].max", withOptions(func(g *listing.OptionGroup) { g.Choices = nil })},
		{"items[0].options[0].choices[1].id", withOptions(func(g *listing.OptionGroup) { g.Choices[1].ID = "a#b" })},
		{"items[0].options[0].choices[1].id", withOptions(func(g *listing.OptionGroup) { g.Choices[1].ID = "small" })},
		{"items[0].options[0].choices[1].names", withOptions(func(g *listing.OptionGroup) { g.Choices[1].Names = nil })},
		{"items[0].options[0].choices[1].priceMinor", withOptions(func(g *listing.OptionGroup) { g.Choices[1].PriceMinor = -1 })},
		{"items[0].options[0].choices[1].priceMinor", withOptions(func(g *listing.OptionGroup) { g.Choices[1].PriceMinor = schedule.MaxMinor + 1 })},
		{"items[0].offeringId", func(l *listing.Listing) {
			i := soup
			i.OfferingID = "tabel"
			l.Items = []listing.Item{i}
		}},
		{"items", func(l *listing.Listing) { l.Items = make([]listing.Item, listing.MaxItems+1) }},
		{"offerings[0].priceMinor", func(l *listing.Listing) { l.Offerings[0].PriceMinor = schedule.MaxMinor + 1 }},
		{"offerings[0].capacity", func(l *listing.Listing) { l.Offerings[0].Capacity = 0 }},
		{"offerings", func(l *listing.Listing) { l.Offerings = make([]schedule.Offering, 101) }},
		{"merve.actions", func(l *listing.Listing) { l.Merve.Actions = make([]listing.Action, 21) }},
		{"listing", func(l *listing.Listing) { l.Descriptions = map[string]string{"en": strings.Repeat("x", 380_000)} }},
		{"offerings[1].id", func(l *listing.Listing) { l.Offerings = append(l.Offerings, l.Offerings[0]) }},
	}
	for _, tt := range tests {
		l := plain("a", "bar", 500)
		l.Market = "m"
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		tt.spoil(l)
		err := l.Check()
		if _, field := fault.Public(err); field != tt.field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%v names %q, want %q", err, field, tt.field)
		}
	}
}

func TestNamesAndActions(t *testing.T) {
	t.Parallel()
	l := plain("a", "bar", 500)
	l.Names = map[string]string{"tr": "Liman", "de": "Hafen", "ru": ""}
	for lang, want := range map[string]string{"tr": "Liman", "ru": "Hafen", "en": "Hafen"} {
		if got := l.Name(lang); got != want {
			t.Errorf("in %s %q, want %q", lang, got, want)
		}
	}
	l.Merve.WhatsApp = "+15550100"
	l.Merve.Actions = []listing.Action{{Type: "order"}, {Type: listing.BookAction, Enabled: true, Dispatch: listing.Dispatch{ToE164: "+15550101"}}}
	a, ok := l.Action(listing.BookAction)
	if !ok || l.Dispatch(a) != "+15550101" || l.Dispatch(listing.Action{}) != "+15550100" {
		t.Errorf("%+v, %v", a, ok)
	}
	if _, ok := l.Action("order"); ok {
		t.Error("an action that is off")
	}
	l.Merve.Enabled = false
	if _, ok := l.Action(listing.BookAction); ok {
		t.Error("an action of a listing that is off")
	}
	if o, err := l.Offering(""); err != nil || o.ID != "table" {
		t.Errorf("the only offering: %v, %v", o.ID, err)
	}
	if i, ok := l.Item("soup"); ok {
		t.Errorf("an item that there is not: %+v", i)
	}
	for want, price := range map[string]*listing.Price{"GBP": {Minor: 5, Currency: "GBP"}, "EUR": nil} {
		if l.Price = price; l.Currency("TRY") != want {
			t.Errorf("prices in %s, want %s", l.Currency("TRY"), want)
		}
	}
	if _, err := l.Offering("room"); err == nil || !strings.Contains(err.Error(), "table (Table)") {
		t.Errorf("an unknown offering: %v", err)
	}
}

// bookings reads what is taken from a ledger.
type bookings struct{ *ledger.Ledger }

func (b bookings) Taken(ctx context.Context, business, offering string, from, to time.Time) (schedule.Taken, error) {
	return b.Ledger.Taken(ctx, business, offering, from, to, b.Now())
}

// call runs one of the catalogue's tools as a turn would.
func (c *catalog) call(b bookings, name, args string) (res tool.Result, data map[string]any, err error) {
	c.t.Helper()
	tools, err := tool.NewRegistry(c.Tools(b)...)
	if err != nil {
		c.t.Fatal(err)
	}
	found, _ := tools.Get(name)
	canonical, err := found.Canonical(json.RawMessage(args))
	if err != nil {
		c.t.Fatal(err)
	}
	m := market.Default(c.market)
	res, err = found.Run(context.Background(), tool.Context{Market: m, Language: "en", Now: noon, TimeZone: time.UTC}, canonical)
	if err != nil {
		return res, nil, err
	}
	raw, err := json.Marshal(res.Data)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, data, json.Unmarshal(raw, &data)
}

func (c *catalog) bookings() bookings {
	return bookings{&ledger.Ledger{
		Table: c.db.Table(dynamotest.TableName("ledger")), Now: c.now, NewID: func() string { return dynamotest.ID("t") },
	}}
}

func TestSearchTool(t *testing.T) {
	t.Parallel()
	c := withDemo(t)
	b := c.bookings()
	for _, words := range []string{"sushi Kyrenia", "girne suşi"} {
		args := fmt.Sprintf(`{"query":%q,"domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":3}`, words)
		res, data, err := c.call(b, "searchMarketplace", args)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := data["listings"].([]any)
		if len(all) == 0 || len(all) > 3 || len(res.Cards) != len(all) || res.Memory == nil {
			t.Fatalf("%s: %d listings, %d cards", words, len(all), len(res.Cards))
		}
		first, _ := all[0].(map[string]any)
		if first["id"] != "sushi-harbour" || first["place"] != "Kyrenia" || res.Cards[0]["id"] != "sushi-harbour" || res.Cards[0]["type"] != "listing" {
			t.Errorf("%s: first %v, card %v", words, first, res.Cards[0])
		}
		if _, is := data["note"]; is {
			t.Errorf("%s: note %v", words, data["note"])
		}
	}
	for args, want := range map[string]string{
		`{"query":"sushi","domain":null,"category":null,"subCategory":"ramen","maxPrice":null,"limit":null}`: "nothing fitted with subCategory; these are similar",
		`{"query":"xqzzyv","domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`:   "nothing was found",
	} {
		res, data, err := c.call(b, "searchMarketplace", args)
		if err != nil || data["note"] != want {
			t.Errorf("%s: note %v, %v", args, data["note"], err)
		}
		if list, is := data["listings"].([]any); !is || (len(list) == 0) != (res.Memory == nil) {
			t.Errorf("%s: listings %v, memory %v", args, data["listings"], res.Memory)
		}
	}
}

// A model that is told of hours is told on which days to come they do not hold, the next first.
func TestClosedDaysAreTold(t *testing.T) {
	t.Parallel()
	l := plain("inn", "hotel", 500)
	closed := []string{"2026-12-25", "2026-11-20", "2026-11-21"} // of which one is over, and one is today
	l.Hours = &schedule.Hours{TimeZone: "UTC", Days: l.Offerings[0].Hours, Closed: closed}
	l.Offerings[0].Closed = closed
	c := newCatalog(t, l)
	for name, tt := range map[string]struct {
		args    string
		tellers int // the listing, its offering
	}{"getListing": {`{"listingId":"inn"}`, 2}, "getMenu": {`{"listingId":"inn","query":null}`, 1}} {
		_, data, err := c.call(c.bookings(), name, tt.args)
		if told := fmt.Sprint(data); err != nil || strings.Count(told, "closedDays:[2026-11-21 2026-12-25]") != tt.tellers {
			t.Errorf("%s: %s, %v", name, told, err)
		}
	}
}

// Tonight is not told as free when it is taken, although its date began before now.
func TestNightsThatAreTakenAreNotNextFree(t *testing.T) {
	t.Parallel()
	l := plain("inn", "hotel", 500)
	l.Business = dynamotest.ID("biz")
	o := &l.Offerings[0]
	o.ID, o.Unit, o.Hours = "room", schedule.ByNight, nil
	c := newCatalog(t, l)
	b := c.bookings()
	tonight, err := o.Find(b.Now(), "2026-11-21", "", "2026-11-22")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Offer(context.Background(), ledger.Terms{
		Business: l.Business, Listing: "inn", Offering: "room", Market: c.market, Owner: "user:u", Start: tonight.Start, End: tonight.End,
		Slots: tonight.Slots, Nights: 1, TimeZone: o.TimeZone, Party: 2, Currency: "EUR",
	}, 1, time.Minute, dynamotest.ID("key")); err != nil {
		t.Fatal(err)
	}
	_, data, err := c.call(b, "getListing", `{"listingId":"inn"}`)
	if told := fmt.Sprint(data["offerings"]); err != nil || strings.Contains(told, "2026-11-21") || !strings.Contains(told, "2026-11-22") {
		t.Errorf("%s, %v", told, err)
	}
}

// What is taken is not told as free, however far ahead the next opening is.
func TestNextFreeIsFreeDaysAhead(t *testing.T) {
	t.Parallel()
	l := plain("bar", "bar", 500)
	l.Business = dynamotest.ID("biz")
	o := &l.Offerings[0]
	o.Hours = map[string][]schedule.Span{"fri": {{From: "18:00", To: "20:00"}}}
	c := newCatalog(t, l)
	b := c.bookings()
	friday, err := o.Find(b.Now(), "2026-11-27", "18:00", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Offer(t.Context(), ledger.Terms{
		Business: l.Business, Listing: "bar", Offering: "table", Market: c.market, Owner: "user:u", Start: friday.Start, End: friday.End,
		Slots: friday.Slots, TimeZone: o.TimeZone, Party: 2, Currency: "EUR",
	}, 1, time.Minute, dynamotest.ID("key")); err != nil {
		t.Fatal(err)
	}
	_, data, err := c.call(b, "getListing", `{"listingId":"bar"}`)
	if told := fmt.Sprint(data["offerings"]); err != nil || strings.Contains(told, "2026-11-27 time:18:00") || !strings.Contains(told, "2026-11-27 time:19:00") {
		t.Errorf("%s, %v", told, err)
	}
}

func TestGetTool(t *testing.T) {
	t.Parallel()
	l := plain("bar", "bar", 500)
	l.Business, l.Image = dynamotest.ID("biz"), "https://x.example/old.jpg"
	l.Media = []listing.Media{{URL: "https://x.example/a.mp4", Kind: "video"}, {URL: "https://x.example/b.jpg"}}
	off := plain("off", "bar", 500)
	off.Merve.Enabled = false
	c := newCatalog(t, l, off)
	b := c.bookings()
	ctx := context.Background()
	evening := time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC) // 18:00 in Nicosia
	tx, err := b.Draft(ctx, ledger.Terms{
		Business: l.Business, Listing: "bar", ListingName: "Bar", Offering: "table", OfferingName: "Table", Market: c.market,
		Owner: actor.Actor{Kind: actor.User, ID: dynamotest.ID("u")}.Key(), Start: evening, End: evening.Add(time.Hour),
		Slots: []time.Time{evening}, TimeZone: "Asia/Nicosia", Party: 2, Currency: "EUR",
	}, dynamotest.ID("key"))
	if err == nil {
		_, err = b.Hold(ctx, tx.ID, 1, noon.Add(10*time.Minute), "hold")
	}
	if err != nil {
		t.Fatal(err)
	}
	res, data, err := c.call(b, "getListing", `{"listingId":"bar"}`)
	if err != nil {
		t.Fatal(err)
	}
	offerings, _ := data["offerings"].([]any)
	if len(offerings) != 1 || len(res.Cards) != 1 || res.Cards[0]["id"] != "bar" || res.Cards[0]["image"] != l.Media[1].URL {
		t.Fatalf("%v, cards %v", data, res.Cards)
	}
	table, _ := offerings[0].(map[string]any)
	var times []string
	for _, f := range table["nextFree"].([]any) {
		slot, _ := f.(map[string]any)
		times = append(times, fmt.Sprint(slot["date"], " ", slot["time"]))
	}
	want := []string{"2026-11-21 19:00", "2026-11-21 20:00", "2026-11-21 21:00", "2026-11-22 18:00"}
	if diff := cmp.Diff(want, times); diff != "" {
		t.Errorf("next free (-want +got):\n%s", diff)
	}
	for _, id := range []string{"none", "off"} {
		if _, _, err := c.call(b, "getListing", fmt.Sprintf(`{"listingId":%q}`, id)); !errors.Is(err, listing.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
