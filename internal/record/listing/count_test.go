package listing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// tavern has soup, of which there are some, and bread, unless that is sold out.
func tavern(soup *listing.Stock, bread bool) *listing.Listing {
	l := plain("tavern", "restaurant", 0)
	l.Items = []listing.Item{
		{ID: "soup", Kind: listing.MenuItems, Names: map[string]string{"en": "Soup"}, Stock: soup},
		{ID: "bread", Kind: listing.MenuItems, Names: map[string]string{"en": "Bread"}, SoldOut: !bread},
	}
	return l
}

// sell takes some soup.
func (c *catalog) sell(n int, order string) {
	c.t.Helper()
	h := stock.Holding{Market: c.market, Listing: "tavern", Order: order, Owner: "session:ann", Items: map[string]int{"soup": n}}
	if err := c.db.Commit(c.t.Context(), c.Stock.Take(h)...); err != nil {
		c.t.Fatal(err)
	}
}

// left is the version of the tavern, and how much soup is left; -1 is not counted.
func (c *catalog) left() (version, left int) {
	c.t.Helper()
	l, err := c.Get(c.t.Context(), c.market, "tavern")
	if err == nil {
		err = c.Count(c.t.Context(), l)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if n, counted := l.Left["soup"]; counted {
		return l.Version, n
	}
	return l.Version, -1
}

// A sale changes what is left and no listing; saving a listing changes what is left where it
// says another count, or the same of another batch, and never puts back what is sold.
func TestField15_SavingPutsNothingBack(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	save := func(s *listing.Stock, price int64) func() {
		return func() {
			l := tavern(s, true)
			l.Items[1].PriceMinor = price
			c.put(l)
		}
	}
	five := &listing.Stock{Count: 5}
	for n, step := range []struct {
		do            func()
		version, left int
	}{
		{save(nil, 0), 1, -1},
		{save(five, 0), 2, 5},
		{func() { c.sell(2, "or_1") }, 2, 3},
		{save(five, 0), 2, 3},  // by who has loaded it before the sale
		{save(five, 10), 3, 3}, // and has changed something else
		{save(&listing.Stock{Count: 5, Batch: "tuesday"}, 10), 4, 5},
		{func() { c.sell(5, "or_2") }, 4, 0},
		{save(&listing.Stock{Count: 6, Batch: "tuesday"}, 10), 5, 6},
		{func() { c.sell(1, "or_3") }, 5, 5},
		{save(nil, 10), 6, -1},
		{save(&listing.Stock{Count: 6, Batch: "tuesday"}, 10), 7, 5}, // as it was
		{func() {
			if _, err := c.Change(t.Context(), c.market, "tavern", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
				t.Fatal(err)
			}
			save(&listing.Stock{Count: 6, Batch: "tuesday"}, 10)() // undone
		}, 9, 5},
		{save(&listing.Stock{Count: 0}, 10), 10, 0},
	} {
		step.do()
		if version, left := c.left(); version != step.version || left != step.left {
			t.Errorf("step %d: version %d, %d left, want %d, %d", n, version, left, step.version, step.left)
		}
	}
}

// A catalogue that is brought in sets counts, once: brought in again, it puts nothing back. What
// is left goes out with no catalogue, and comes in with none.
func TestField15_CataloguesSayCounts(t *testing.T) {
	t.Parallel()
	for _, f := range listing.Formats() {
		c := newCatalog(t)
		l := tavern(&listing.Stock{Count: 5, Batch: "monday"}, true)
		l.Left = map[string]int{"soup": 1}
		var file bytes.Buffer
		if err := f.Write(&file, []*listing.Listing{l}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(file.String(), "left") {
			t.Errorf("%s: %s", f.Name, file.String())
		}
		for n, want := range []int{5, 3, 1} {
			all, wrong := f.Read(bytes.NewReader(file.Bytes()), c.market)
			if len(wrong) > 0 {
				t.Fatal(f.Name, wrong)
			}
			if _, err := c.Import(t.Context(), all, "test"); err != nil {
				t.Fatal(err)
			}
			if _, left := c.left(); left != want {
				t.Errorf("%s: %d left after import %d, want %d", f.Name, left, n, want)
			}
			c.sell(min(2, want), fmt.Sprint("or_", n))
		}
	}
	const line = `{"id":"tavern","businessId":"biz","names":{"en":"Tavern"},"domain":"food","category":"restaurant","left":{"soup":9}}`
	if _, wrong := format(t, "jsonl").Read(strings.NewReader(line), "m"); len(wrong) != 1 || wrong[0].Field != "left" {
		t.Errorf("what is left, brought in: %v", wrong)
	}
}

func TestField15_CountsAreChecked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(l *listing.Listing)
		field  string
	}{
		"fine":           {func(*listing.Listing) {}, ""},
		"below zero":     {func(l *listing.Listing) { l.Items[0].Stock.Count = -1 }, "items[0].stock.count"},
		"too many":       {func(l *listing.Listing) { l.Items[0].Stock.Count = 1_000_001 }, "items[0].stock.count"},
		"a long batch":   {func(l *listing.Listing) { l.Items[0].Stock.Batch = strings.Repeat("x", 81) }, "items[0].stock.batch"},
		"what is booked": {func(l *listing.Listing) { l.Items[0].OfferingID = "table" }, "items[0].stock"},
		"too many items": {func(l *listing.Listing) {
			for n := range 50 {
				i := l.Items[0]
				i.ID = fmt.Sprint("soup", n)
				l.Items = append(l.Items, i)
			}
		}, "items[51].stock"},
	} {
		l := tavern(&listing.Stock{Count: 5}, true)
		l.Market = "m"
		tt.change(l)
		if _, field := fault.Public(l.Check()); field != tt.field {
			t.Errorf("%s: %v", name, l.Check())
		}
	}
}

// nobodyBooks has everything free.
type nobodyBooks struct{}

func (nobodyBooks) Taken(context.Context, string, string, time.Time, time.Time) (schedule.Taken, error) {
	return nil, nil
}

// What the model is told of what is left, and what that costs: nothing where nothing is counted,
// one request where something is.
func TestField15_ModelsAreToldWhatIsLeft(t *testing.T) {
	t.Parallel()
	search, get, menu := `{"query":"tavern","domain":null,"category":null,"subCategory":null,"action":null,"minPrice":null,"maxPrice":null,"openNow":null,"nearMe":null,"limit":null}`,
		`{"listingId":"tavern"}`, `{"listingId":"tavern","query":null}`
	const none, item, all = `"soldOut"`, `"soldOutItems":["soup"]`, `"soldOut":true,"soldOutItems":["soup"]`
	for _, tt := range []struct {
		soup   *listing.Stock
		bread  bool
		baked  *listing.Stock // of the bread
		lacks  string
		has    string
		menu   string
		counts int // requests
	}{
		{nil, true, nil, none, ``, `"id":"soup","name":"Soup","kind":"menuItems","price":{"amount":0,"currency":"EUR"}}`, 0},
		{&listing.Stock{Count: 2}, true, nil, none, ``, `"left":2`, 1},
		{&listing.Stock{Count: 0}, true, nil, `"soldOut":true`, item, `"soldOut":true,"left":0`, 1},
		{&listing.Stock{Count: 0}, false, nil, `"x"`, all, `"soldOut":true,"left":0`, 1},
		{&listing.Stock{Count: 0}, false, &listing.Stock{Count: 5}, `"x"`, all, `"soldOut":true,"left":0`, 1}, // whatever the count says
	} {
		l := tavern(tt.soup, tt.bread)
		l.Items[1].Stock = tt.baked
		c := newCatalog(t, l)
		tc := tool.Context{Market: market.Default(c.market), Language: "en", Now: noon, TimeZone: time.UTC}
		for name, ask := range map[string]struct {
			args     string
			requests int
		}{"searchMarketplace": {search, 0}, "getListing": {get, 1}, "getMenu": {menu, 1}} {
			tools := c.Tools(nobodyBooks{})
			i := slices.IndexFunc(tools, func(one tool.Tool) bool { return one.Name == name })
			if _, err := c.Search(t.Context(), c.market, listing.Query{Text: "tavern"}); err != nil { // the index is made
				t.Fatal(err)
			}
			ctx, meter := telemetry.WithMeter(t.Context())
			res, err := tools[i].Run(ctx, tc, json.RawMessage(ask.args))
			if err != nil {
				t.Fatal(name, err)
			}
			if n := meter.Cost().Requests; n != ask.requests+tt.counts {
				t.Errorf("%s of %+v: %d requests", name, tt.soup, n)
			}
			data, err := json.Marshal(res.Data)
			if err != nil {
				t.Fatal(err)
			}
			told := string(data)
			switch {
			case name == "getMenu" && !strings.Contains(told, tt.menu):
				t.Errorf("%s of %+v: want %s in %s", name, tt.soup, tt.menu, told)
			case name != "getMenu" && (!strings.Contains(told, tt.has) || strings.Contains(told, tt.lacks)):
				t.Errorf("%s of %+v: want %s and no %s in %s", name, tt.soup, tt.has, tt.lacks, told)
			}
		}
	}
}

// Without what keeps counts, nothing can be counted, and all else goes on.
func TestCountsWantAKeeper(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, plain("bar", "bar", 0))
	bare := &listing.Store{Table: c.Table, Now: c.now}
	tc := tool.Context{Market: market.Default(c.market), Language: "en", Now: noon, TimeZone: time.UTC}
	search := func() error {
		_, err := bare.Tools(nobodyBooks{})[0].Run(t.Context(), tc, json.RawMessage(`{"query":""}`))
		return err
	}
	put := func(soup *listing.Stock) error {
		l := tavern(soup, true)
		l.Market = c.market
		return bare.Put(t.Context(), l, "test")
	}
	for name, err := range map[string]error{
		"uncounted": put(nil), "searched": search(), "counted by nobody": bare.Count(t.Context(), tavern(nil, true)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	counted := tavern(&listing.Stock{Count: 5}, true)
	c.put(counted)
	c.later.Store(60)
	for name, err := range map[string]error{
		"put": put(&listing.Stock{Count: 6}), "read": bare.Count(t.Context(), counted), "searched": search(),
	} {
		if !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
