package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/tenant/market"
)

type args struct {
	Query string  `json:"query" jsonschema:"what to look for"`
	Limit *int    `json:"limit" jsonschema:"at most this many"`
	Price []price `json:"price"`
}

type price struct {
	Minor int `json:"minor"`
}

func search() Tool {
	return New("search", "finds", Read, func(_ context.Context, _ Context, a args) (Result, error) {
		return Result{Data: a}, nil
	})
}

func TestSchemaIsStrict(t *testing.T) {
	t.Parallel()
	got := string(search().Schema)
	for _, want := range []string{
		`"required":["query","limit","price"]`, `"additionalProperties":false`, `"required":["minor"]`,
		`"description":"what to look for"`, `"type":["null","integer"]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("schema lacks %s:\n%s", want, got)
		}
	}
	if n := strings.Count(got, `"additionalProperties":false`); n != 2 {
		t.Errorf("%d closed objects, want 2", n)
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	tool := search()
	tests := []struct{ raw, want string }{
		{`{"query":"a","limit":null,"price":[]}`, `{"limit":null,"price":[],"query":"a"}`},
		{` { "price":[], "limit":3,  "query":"a"}`, `{"limit":3,"price":[],"query":"a"}`},
		{`{"query":"a"}`, `{"limit":null,"price":null,"query":"a"}`},
		{`{"limit":3}`, ""},
		{`{"query":"a"} {"query":"b"}`, ""},
		{`{"query":"a","limit":null,"price":[],"admin":true}`, ""},
		{`{"query":1,"limit":null,"price":[]}`, ""},
		{`[]`, ""}, {`"x"`, ""}, {`{`, ""}, {``, ""}, {`{} {}`, ""},
		{`{"query":"` + strings.Repeat("x", MaxArgs) + `","limit":null,"price":[]}`, ""},
	}
	for _, tt := range tests {
		got, err := tool.Canonical(json.RawMessage(tt.raw))
		if string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Canonical(%.60s) = %s, %v", tt.raw, got, err)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("Canonical(%.60s): kind of %v", tt.raw, err)
		}
	}
}

// Who is asked to confirm a call is told what it would do in its tool's own words, else what is given,
// and never JSON.
func TestDescribe(t *testing.T) {
	t.Parallel()
	plain, worded, sending := search(), search(), search()
	sending.Effect = Commit
	worded.Summary = SummaryOf(func(_ context.Context, _ Context, a args) (string, error) {
		if a.Query == "" {
			return "", fault.Field("query", "want one")
		}
		return fmt.Sprint("Look for ", a.Query, ", ", Value(a.Limit), " of them"), nil
	})
	for _, tt := range []struct {
		tool      Tool
		raw, want string
		field     string
	}{
		{plain, `{"limit":2,"query":"tea","price":[{"minor":500}]}`, `Look this up for you · 2 · 500 · “tea”`, ""},
		{plain, `{"limit":null,"query":" two\nlines ","price":[]}`, `Look this up for you · “two lines”`, ""},
		{plain, `{"limit":null,"query":"","price":[]}`, `Look this up for you`, ""},
		{sending, `{"limit":null,"query":"tea"}`, `search · “tea”`, ""},
		{sending, `{}`, `search`, ""},
		{worded, `{"limit":2,"query":"tea"}`, "Look for tea, 2 of them", ""},
		{worded, `{"limit":null,"query":"tea"}`, "Look for tea, 0 of them", ""},
		{worded, `{"limit":null,"query":""}`, "", "query"},
		{worded, `{"limit":"two"}`, "", "arguments"},
	} {
		got, err := tt.tool.Describe(t.Context(), Context{Language: "en"}, json.RawMessage(tt.raw))
		if _, field := fault.Public(err); got != tt.want || err != nil && field != tt.field || (err == nil) != (tt.field == "") {
			t.Errorf("%s: %q, %v; want %q", tt.raw, got, err, tt.want)
		}
	}
}

func TestKeyIsWhatTheEffectIs(t *testing.T) {
	t.Parallel()
	a := json.RawMessage(`{"a":1}`)
	if again := json.RawMessage(`{"a":1}`); Key("t/1", "x", a, 1) != Key("t/1", "x", again, 1) {
		t.Error("the same effect has two keys")
	}
	seen := map[string]bool{Key("t/1", "x", a, 1): true}
	for _, k := range []string{Key("t/2", "x", a, 1), Key("t/1", "y", a, 1), Key("t/1", "x", json.RawMessage(`{"a":2}`), 1), Key("t/1", "x", a, 2)} {
		if seen[k] {
			t.Error("two effects share a key")
		}
		seen[k] = true
	}
}

func TestField17_MayIsOneAnswer(t *testing.T) {
	t.Parallel()
	read, propose, commit := search(), Tool{Name: "book", Effect: Propose}, Tool{Name: "send", Effect: Commit}
	draft := Tool{Name: "note", Effect: Propose, Draft: true}
	off, on := false, true
	set := []string{"search", "book", "send", "note"}
	tests := []struct {
		name   string
		tool   Tool
		change func(*market.Market, *Situation)
		want   Verdict
	}{
		{"read by default", read, nil, Allow},
		{"propose by default", propose, nil, Allow},
		{"commit never by itself", commit, nil, Confirm},
		{"commit, although the market says no confirmation", commit, func(m *market.Market, _ *Situation) {
			m.Tools["send"] = market.ToolPolicy{RequireConfirmation: &off}
		}, Confirm},
		{"not the assistant's", read, func(_ *market.Market, s *Situation) { s.Set = nil }, Deny},
		{"not in this state", read, func(_ *market.Market, s *Situation) { s.Access = Access{Only: []string{"book"}, Why: "later"} }, Deny},
		{"in this state", propose, func(_ *market.Market, s *Situation) { s.Access = Access{Only: []string{"book"}, Why: "later"} }, Allow},
		{"nothing in this state", read, func(_ *market.Market, s *Situation) { s.Access = Access{Only: []string{}, Why: "never"} }, Deny},
		{"opened, but not the assistant's", read, func(_ *market.Market, s *Situation) { s.Set, s.Access.Only = nil, []string{"search"} }, Deny},
		{"switched off", read, func(m *market.Market, _ *Situation) { m.Tools["search"] = market.ToolPolicy{Enabled: &off} }, Deny},
		{"market off", read, func(m *market.Market, _ *Situation) { m.Enabled = false }, Deny},
		{"required by name", read, func(m *market.Market, _ *Situation) { m.Safety.RequireConfirmFor = []string{"search"} }, Confirm},
		{"required by tool", read, func(m *market.Market, _ *Situation) {
			m.Tools["search"] = market.ToolPolicy{RequireConfirmation: &on}
		}, Confirm},
		{"a proposal is its own question", propose, func(m *market.Market, _ *Situation) { m.Safety.RequireConfirmFor = []string{"book"} }, Allow},
		{"a draft by default", draft, nil, Allow},
		{"a draft that the market wants confirmed", draft, func(m *market.Market, _ *Situation) { m.Safety.RequireConfirmFor = []string{"note"} }, Confirm},
		{"a draft after STOP", draft, func(_ *market.Market, s *Situation) { s.ReadOnly = true }, Deny},
		{"a proposal after STOP", propose, func(_ *market.Market, s *Situation) { s.ReadOnly = true }, Deny},
		{"reading after STOP", read, func(_ *market.Market, s *Situation) { s.ReadOnly = true }, Allow},
		{"a proposal while something is pending", propose, func(_ *market.Market, s *Situation) { s.Waits = true }, Allow},
		{"what touches the world while something is pending", commit, func(_ *market.Market, s *Situation) { s.Waits = true }, Deny},
		{"reading while something is pending", read, func(_ *market.Market, s *Situation) { s.Waits = true }, Allow},
	}
	for _, tt := range tests {
		m := market.Default("demo")
		s := Situation{Set: set, Market: m}
		if tt.change != nil {
			tt.change(m, &s)
		}
		if got, reason := May(tt.tool, s); got != tt.want || got != Allow && reason == "" {
			t.Errorf("%s: %s (%s), want %s", tt.name, got, reason, tt.want)
		}
	}
}

func TestRegistryRefuses(t *testing.T) {
	t.Parallel()
	good := search()
	type bad struct{ C chan int }
	unschema := New("x", "d", Read, func(context.Context, Context, bad) (Result, error) { return Result{}, nil })
	for name, ts := range map[string][]Tool{
		"twice":          {good, good},
		"illegal name":   {{Name: "a b", Description: "d", Effect: Read}},
		"no description": {{Name: "a", Effect: Read}},
		"no effect":      {{Name: "a", Description: "d"}},
		"no schema":      {unschema},
	} {
		if _, err := NewRegistry(ts...); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	r, err := NewRegistry(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Get("search"); !ok {
		t.Error("the tool is not there")
	}
}

// Models take no dots in a name, so a dotted tool has another one on the wire; no two share either.
func TestWireNames(t *testing.T) {
	t.Parallel()
	named := func(names ...string) []Tool {
		var all []Tool
		for _, name := range names {
			one := search()
			one.Name = name
			all = append(all, one)
		}
		return all
	}
	r, err := NewRegistry(named("marketplace.search_vendors", "crm.verifyAccount", "search")...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"marketplace.search_vendors": "marketplace.search_vendors", "marketplace_search_vendors": "marketplace.search_vendors",
		"crm_verifyAccount": "crm.verifyAccount", "search": "search", "crm": "",
	} {
		if got, ok := r.Get(name); got.Name != want || ok != (want != "") {
			t.Errorf("%s is %q", name, got.Name)
		}
	}
	if dotted, _ := r.Get("crm.verifyAccount"); dotted.Spec().Name != "crm_verifyAccount" {
		t.Errorf("a model is told of %s", dotted.Spec().Name)
	}
	if want := []string{"marketplace.search_vendors", "crm.verifyAccount", "search"}; !slices.Equal(r.Names(), want) {
		t.Errorf("names are %v", r.Names())
	}
	for _, bad := range [][]string{{"a.b", "a_b"}, {"a_b", "a.b"}, {"a.b", "a.b"}, {"a.b.c", "a_b.c"}, {"a..b"}, {".a"}, {"a."}, {"a b"}, {""}, {strings.Repeat("a", 65)}} {
		if _, err := NewRegistry(named(bad...)...); err == nil {
			t.Errorf("%q were taken", bad)
		}
	}
}
