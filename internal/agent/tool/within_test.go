package tool

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/tenant/market"
)

type lookArgs struct {
	Category     *string `json:"category"`
	RadiusMeters *int    `json:"radiusMeters"`
}

type tableArgs struct {
	PartySize *int    `json:"partySize"`
	MinPrice  *int64  `json:"minPrice"`
	MaxPrice  *int64  `json:"maxPrice"`
	Category  *string `json:"category"`
}

// bounding are a tool that looks around, one that finds listings, and one that takes nothing.
func bounding() (around, table, bare Tool) {
	none := func(context.Context, Context, struct{}) (Result, error) { return Result{}, nil }
	around = New("around", "looks around", Read, func(context.Context, Context, lookArgs) (Result, error) { return Result{}, nil })
	table = New("table", "finds a table", Read, func(context.Context, Context, tableArgs) (Result, error) { return Result{}, nil })
	table.Listings = true
	return around, table, New("bare", "takes nothing", Read, none)
}

func TestWithin(t *testing.T) {
	t.Parallel()
	around, table, bare := bounding()
	m := market.Default("demo")
	bounds := market.ToolBounds{Categories: []string{"Restaurant", "pharmacy"}, MaxPriceMinor: 5000, MaxRadiusMeters: 2000, MaxPeople: 6}
	for _, name := range []string{"around", "table", "bare"} {
		m.Tools[name] = market.ToolPolicy{Bounds: &bounds}
	}
	for _, tt := range []struct {
		tool  Tool
		args  string
		field string
	}{
		{around, `{"category":"pharmacy","radiusMeters":2000}`, ""},
		{around, `{"category":"PHARMACY","radiusMeters":1}`, ""},
		{around, `{"category":"bar","radiusMeters":1}`, "category"},
		{around, `{"category":null,"radiusMeters":1}`, "category"},
		{around, `{"category":"pharmacy","radiusMeters":2001}`, "radiusMeters"},
		{around, `{"category":"pharmacy","radiusMeters":null}`, "radiusMeters"},
		{table, `{"category":null,"maxPrice":null,"minPrice":null,"partySize":null}`, ""},
		{table, `{"category":"restaurant","maxPrice":5000,"minPrice":5000,"partySize":6}`, ""},
		{table, `{"category":"boat","maxPrice":null,"minPrice":null,"partySize":null}`, "category"},
		{table, `{"category":null,"maxPrice":5001,"minPrice":null,"partySize":null}`, "maxPrice"},
		{table, `{"category":null,"maxPrice":null,"minPrice":6000,"partySize":null}`, "minPrice"},
		{table, `{"category":null,"maxPrice":null,"minPrice":null,"partySize":7}`, "partySize"},
		{bare, `{}`, ""},
	} {
		err := tt.tool.Within(m, json.RawMessage(tt.args))
		if _, field := fault.Public(err); field != tt.field || (err == nil) != (tt.field == "") {
			t.Errorf("%s %s: %v on %q, want %q", tt.tool.Name, tt.args, err, field, tt.field)
		}
		if err := tt.tool.Within(market.Default("free"), json.RawMessage(tt.args)); err != nil {
			t.Errorf("%s %s without bounds: %v", tt.tool.Name, tt.args, err)
		}
	}
}

// A market cannot set of a tool what the tool has not: it would mean nothing, and look as if it did.
func TestCheckPolicies(t *testing.T) {
	t.Parallel()
	around, table, bare := bounding()
	r, err := NewRegistry(around, table, bare)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Bounds(); !slices.Equal(got, []string{"categories", "maxPriceMinor", "maxRadiusMeters", "maxPeople"}) {
		t.Errorf("bounds of table: %v", got)
	}
	tags := market.ToolPolicy{AllowedTags: []string{"sea"}}
	bounds := func(b market.ToolBounds) market.ToolPolicy { return market.ToolPolicy{Bounds: &b} }
	for _, tt := range []struct {
		tool   string
		policy market.ToolPolicy
		field  string
	}{
		{"table", tags, ""},
		{"around", tags, "tools.around.allowedTags"},
		{"bare", tags, "tools.bare.allowedTags"},
		{"table", bounds(market.ToolBounds{Categories: []string{"a"}, MaxPriceMinor: 1, MaxRadiusMeters: 1, MaxPeople: 1}), ""},
		{"around", bounds(market.ToolBounds{Categories: []string{"a"}, MaxRadiusMeters: 1}), ""},
		{"around", bounds(market.ToolBounds{MaxPriceMinor: 1}), "tools.around.bounds.maxPriceMinor"},
		{"bare", bounds(market.ToolBounds{MaxPeople: 1}), "tools.bare.bounds.maxPeople"},
		{"bare", bounds(market.ToolBounds{}), ""},
		{"bare", market.ToolPolicy{}, ""},
	} {
		m := market.Default("demo")
		m.Tools[tt.tool] = tt.policy
		err := r.CheckPolicies(m)
		if _, field := fault.Public(err); field != tt.field || (err == nil) != (tt.field == "") {
			t.Errorf("%s: %v on %q, want %q", tt.tool, err, field, tt.field)
		}
	}
}
