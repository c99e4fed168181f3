package place

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/schedule"
)

var harbour = geo.Location{Lat: 35.3404, Lng: 33.3186}

func lantern() *Place {
	return &Place{
		ID: "lantern", Market: "m", Names: map[string]string{"en": "Lantern Pharmacy", "tr": "Fener Eczanesi"}, Descriptions: map[string]string{"en": "By the harbour."},
		Category: Pharmacy, Address: "Harbour Road 14", District: "Kyrenia", Phone: "+15550101201", Location: harbour,
		Hours:  map[string][]schedule.Span{"sat": {{From: "08:00", To: "13:00"}}},
		OnDuty: []string{"2026-11-21"}, DutyWeekdays: []string{"mon"}, Duty: &schedule.Span{From: "18:00", To: "08:00"},
		Tags: []string{"girne"}, Image: "https://example.test/lantern.jpg",
	}
}

// all is every item of the market, by its key.
func (c *corner) items(categories ...string) map[string]string {
	c.t.Helper()
	found := map[string]string{}
	for _, pk := range append([]string{"market#" + c.market, indexOf(c.market, "")}, categories...) {
		page, err := c.Table.Query(context.Background(), dynamo.Under(pk, ""))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, it := range page.Items {
			p := stored{}
			if err := it.Decode(&p); err != nil {
				c.t.Fatal(err)
			}
			k := strings.ReplaceAll(it.Key().PK+" "+it.Key().SK, c.market, "M")
			found[k] = fmt.Sprint(p.Category, " ", p.Cell, " ", p.Name("en"))
		}
	}
	return found
}

// A place and its copies change together, wherever it moves and whatever it becomes.
func TestPutMovesTheCopies(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	kinds := []string{indexOf(c.market, Pharmacy), indexOf(c.market, "museum")}
	hash, moved := geohash(harbour), geohash(geo.Location{Lat: -1, Lng: 179})
	for _, step := range []struct {
		change func(p *Place)
		cell   string
		kind   string
		name   string
	}{
		{func(*Place) {}, hash, Pharmacy, "Lantern Pharmacy"},
		{func(p *Place) { p.Names["en"] = "Lantern" }, hash, Pharmacy, "Lantern"},
		{func(p *Place) { p.Category, p.OnDuty, p.DutyWeekdays, p.Duty = "museum", nil, nil, nil }, hash, "museum", "Lantern Pharmacy"},
		{func(p *Place) { p.Location = geo.Location{Lat: -1, Lng: 179} }, moved, Pharmacy, "Lantern Pharmacy"},
	} {
		p := lantern()
		step.change(p)
		ctx, meter := telemetry.WithMeter(t.Context())
		p.Market = c.market
		if err := c.Put(ctx, p); err != nil {
			t.Fatal(err)
		}
		value := step.kind + " " + step.cell + " " + step.name
		want := map[string]string{
			"market#M place#lantern":                                    value,
			"places#M " + step.cell + "#lantern":                        value,
			"places#M#" + step.kind + " " + step.cell + "#" + "lantern": value,
		}
		if diff := cmp.Diff(want, c.items(kinds...)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := meter.Cost().Requests; n != 2 {
			t.Errorf("a put costs %d requests", n)
		}
		ctx, meter = telemetry.WithMeter(t.Context())
		got, err := c.Get(ctx, c.market, "lantern")
		if diff := cmp.Diff(p, got); err != nil || diff != "" || meter.Cost().Requests != 1 {
			t.Errorf("%v, %d requests (-want +got):\n%s", err, meter.Cost().Requests, diff)
		}
	}
	for range 2 {
		if err := c.Delete(t.Context(), c.market, "lantern"); err != nil {
			t.Fatal(err)
		}
	}
	if left := c.items(kinds...); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := c.Get(t.Context(), c.market, "lantern"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// Whatever call of a move or a deletion fails, in every way: the copies are those of the
// place, and no others.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(ctx context.Context, s *Store, market string) error{
		"put": func(ctx context.Context, s *Store, market string) error {
			p := at("new", "atm", harbour)
			p.Market = market
			return s.Put(ctx, p)
		},
		"move": func(ctx context.Context, s *Store, market string) error {
			p := at("lantern", "museum", geo.Location{Lat: 1, Lng: 1})
			p.Market = market
			return s.Put(ctx, p)
		},
		"delete": func(ctx context.Context, s *Store, market string) error { return s.Delete(ctx, market, "lantern") },
		"import": func(ctx context.Context, s *Store, market string) error {
			a, b := at("lantern", "atm", harbour), at("second", "atm", harbour)
			a.Market, b.Market = market, market
			return s.Import(ctx, market, []*Place{a, b})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) map[string]string {
				c := newCorner(t, lantern())
				db := dynamotest.Once(t, calls)
				faulty := &Store{Table: db.Table(dynamotest.TableName("catalog")), Now: c.Now}
				calls.Deliver(t, nil, func() error { return do(t.Context(), faulty, c.market) })
				return c.items(indexOf(c.market, Pharmacy), indexOf(c.market, "museum"), indexOf(c.market, "atm"))
			})
		})
	}
}

// An import stores what is new or changed, a transaction for twenty; the same again reads what is
// there, and no more.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	c := newCorner(t, at("a0", "beach", geo.Location{Lat: 1, Lng: 1}), at("other", "atm", harbour))
	file := func(change string) (all []*Place) {
		for n := range 41 {
			p := at(fmt.Sprint("a", n), "atm", harbour)
			if p.Market = c.market; p.ID == change {
				p.Category, p.Location = "museum", geo.Location{Lat: 2, Lng: 2}
			}
			all = append(all, p)
		}
		return all
	}
	for n, tt := range []struct {
		all      []*Place
		requests int
		version  map[string]int
	}{
		{file(""), 1 + 3, map[string]int{"a0": 2, "a1": 1, "other": 1}},
		{file(""), 1, map[string]int{"a0": 2, "a1": 1, "other": 1}},
		{file("a1"), 1 + 1, map[string]int{"a0": 2, "a1": 2, "other": 1}},
	} {
		ctx, meter := telemetry.WithMeter(t.Context())
		if err := c.Import(ctx, c.market, tt.all); err != nil || meter.Cost().Requests != tt.requests {
			t.Errorf("%d: %d requests, want %d; %v", n, meter.Cost().Requests, tt.requests, err)
		}
		for id, want := range tt.version {
			if p, err := c.Get(t.Context(), c.market, id); err != nil || p.Version != want {
				t.Errorf("%d: %+v, %v, want version %d", n, p, err, want)
			}
		}
	}
	if got := c.items(indexOf(c.market, "atm"), indexOf(c.market, "beach"), indexOf(c.market, "museum")); len(got) != 3*42 {
		t.Errorf("%d items, want each of 42 places thrice", len(got))
	}
}

// Of what others change during an import, the file has the last word.
func TestImportMeetsAnother(t *testing.T) {
	t.Parallel()
	c := newCorner(t, at("a", "atm", harbour))
	late := &Store{Now: c.Now, Table: dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.put(at("a", "museum", harbour)) })).Table(dynamotest.TableName("catalog"))}
	mine := at("a", "beach", harbour)
	mine.Market = c.market
	if err := late.Import(t.Context(), c.market, []*Place{mine}); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Get(t.Context(), c.market, "a"); err != nil || p.Category != "beach" || p.Version != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Of two changes at once, and of two who make a place, one sees the other: no copy stays where the
// place is not.
func TestPutMeetsAnother(t *testing.T) {
	t.Parallel()
	for _, before := range [][]*Place{{lantern()}, nil} {
		c := newCorner(t, before...)
		other := at("lantern", "museum", geo.Location{Lat: 2, Lng: 2})
		late := &Store{Now: c.Now, Table: dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.put(other) })).Table(dynamotest.TableName("catalog"))}
		mine := at("lantern", "atm", geo.Location{Lat: 3, Lng: 3})
		mine.Market = c.market
		if err := late.Put(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
		got := c.items(indexOf(c.market, Pharmacy), indexOf(c.market, "museum"), indexOf(c.market, "atm"))
		if p, err := c.Get(t.Context(), c.market, "lantern"); err != nil || p.Category != "atm" || len(got) != 3 {
			t.Errorf("%d before: %+v, %v: %v", len(before), p, err, got)
		}
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	good := func() []*Place {
		all := []*Place{at("a", "atm", harbour), at("b", "beach", harbour), lantern()}
		for _, p := range all {
			p.Market = c.market
		}
		return all
	}
	for field, spoil := range map[string]func(all []*Place){
		"id":       func(all []*Place) { all[2].ID = "a" },
		"marketId": func(all []*Place) { all[2].Market = "another" },
		"phone":    func(all []*Place) { all[2].Phone = "0548" },
	} {
		all := good()
		spoil(all)
		err := c.Import(t.Context(), c.market, all)
		if _, got := fault.Public(err); got != field || !strings.Contains(err.Error(), "places[2]") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if all, err := c.All(t.Context(), c.market); err != nil || len(all) != 0 {
		t.Errorf("half imported: %d, %v", len(all), err)
	}
	if err := c.Import(t.Context(), c.market, good()); err != nil {
		t.Fatal(err)
	}
	all, err := c.All(t.Context(), c.market)
	var got []string
	for _, p := range all {
		got = append(got, p.ID)
	}
	if err != nil || !slices.Equal(got, []string{"a", "b", "lantern"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCheckNamesTheField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ş", 121)
	for _, tt := range []struct {
		field string
		spoil func(p *Place)
	}{
		{"id", func(p *Place) { p.ID = "" }},
		{"id", func(p *Place) { p.ID = "a#b" }},
		{"marketId", func(p *Place) { p.Market = strings.Repeat("m", 81) }},
		{"names", func(p *Place) { p.Names = nil }},
		{"names", func(p *Place) { p.Names["xx"] = "no such language" }},
		{"names.tr", func(p *Place) { p.Names["tr"] = long }},
		{"descriptions.en", func(p *Place) { p.Descriptions["en"] = strings.Repeat("x", 601) }},
		{"category", func(p *Place) { p.Category = "Gas Station" }},
		{"category", func(p *Place) { p.Category = "" }},
		{"address", func(p *Place) { p.Address = long + long }},
		{"address", func(p *Place) { p.Address = "\xff" }},
		{"district", func(p *Place) { p.District = long }},
		{"phone", func(p *Place) { p.Phone = "+0123456" }},
		{"location", func(p *Place) { p.Location.Lat = 90.1 }},
		{"location.address", func(p *Place) { p.Location.Address = long + long }},
		{"hours", func(p *Place) { p.Hours["monday"] = nil }},
		{"hours.sat", func(p *Place) { p.Hours["sat"][0].To = "25:00" }},
		{"hours.sat", func(p *Place) { p.Hours["sat"][0].To = "08:00" }},
		{"hours.sat", func(p *Place) { p.Hours["sat"][0].From = "24:00" }},
		{"hours.sat", func(p *Place) { p.Hours["sat"] = slices.Repeat(p.Hours["sat"], 11) }},
		{"onDuty", func(p *Place) { p.OnDuty = []string{"21.11.2026"} }},
		{"onDuty", func(p *Place) { p.OnDuty = slices.Repeat(p.OnDuty, 401) }},
		{"onDuty", func(p *Place) { p.Category = "museum" }},
		{"dutyWeekdays", func(p *Place) { p.DutyWeekdays = []string{"Monday"} }},
		{"duty", func(p *Place) { p.Duty.From = "8" }},
		{"tags", func(p *Place) { p.Tags = []string{""} }},
		{"tags", func(p *Place) { p.Tags = slices.Repeat(p.Tags, 21) }},
		{"image", func(p *Place) { p.Image = "javascript:alert(1)" }},
	} {
		p := lantern()
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		tt.spoil(p)
		err := p.Check()
		if _, field := fault.Public(err); field != tt.field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%v names %q, want %q", err, field, tt.field)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	p := &Place{Names: map[string]string{"tr": "Liman", "de": "Hafen", "ru": ""}}
	for lang, want := range map[string]string{"tr": "Liman", "ru": "Hafen", "en": "Hafen"} {
		if got := p.Name(lang); got != want {
			t.Errorf("in %s %q, want %q", lang, got, want)
		}
	}
}

// A change that names the version it was made of is refused when somebody else's came first;
// one that names none replaces whatever is there.
func TestPutHoldsToTheVersion(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	p := &Place{ID: "p", Market: c.market, Names: map[string]string{"en": "P"}, Category: "beach"}
	for want := 1; want <= 3; want++ {
		if err := c.Put(t.Context(), p); err != nil || p.Version != want {
			t.Fatalf("version %d, want %d, %v", p.Version, want, err)
		}
	}
	old := *p
	old.Version = 2
	if err := c.Put(t.Context(), &old); !errors.Is(err, ErrChanged) {
		t.Errorf("over another's change: %v", err)
	}
	old.Version = 0
	if err := c.Put(t.Context(), &old); err != nil || old.Version != 4 {
		t.Errorf("version %d, %v", old.Version, err)
	}
	gone := *p
	gone.ID = "gone"
	if err := c.Put(t.Context(), &gone); !errors.Is(err, ErrChanged) {
		t.Errorf("of what is gone: %v", err)
	}
}
