package market_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/market"
)

func store(t *testing.T, now *time.Time) *market.Store {
	return &market.Store{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("catalog")),
		Now:   func() time.Time { return *now },
	}
}

func TestSaveCountsVersions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, ctx := store(t, &now), context.Background()
	first, err := s.Save(ctx, *market.Default(dynamotest.ID("m")), "ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(ctx, *market.Default(first.ID), "bob"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second first version: %v", err)
	}
	first.QuietMS = 500
	second, err := s.Save(ctx, *first, "bob")
	if err != nil || second.Version != 2 || second.UpdatedBy != "bob" {
		t.Fatalf("second = %+v, %v", second, err)
	}
	if _, err := s.Save(ctx, *first, "carl"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a stale save: %v", err)
	}
	got, err := s.Read(ctx, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(second, got); d != "" {
		t.Error(d)
	}
	versions, err := s.Versions(ctx, first.ID, 10)
	if err != nil || len(versions) != 2 || versions[1].QuietMS != 1200 {
		t.Errorf("versions = %+v, %v", versions, err)
	}
}

func TestCacheIsShort(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	writer, reader := store(t, &now), store(t, &now)
	ctx, meter := telemetry.WithMeter(context.Background())
	m, err := writer.Save(context.Background(), *market.Default(dynamotest.ID("m")), "ann")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := reader.Get(ctx, m.ID); err != nil {
			t.Fatal(err)
		}
	}
	if n := meter.Cost().Requests; n != 1 {
		t.Errorf("%d requests for three reads, want 1", n)
	}
	m.Name = "New"
	if _, err := writer.Save(context.Background(), *m, "ann"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(31 * time.Second)
	if got, err := reader.Get(ctx, m.ID); err != nil || got.Name != "New" {
		t.Errorf("after half a minute: %+v, %v", got, err)
	}
	if _, err := reader.Get(ctx, dynamotest.ID("none")); !errors.Is(err, market.ErrUnknown) {
		t.Errorf("unknown market: %v", err)
	}
}

func TestANumberIsOneMarkets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, ctx := store(t, &now), context.Background()
	number := fmt.Sprintf("+1555%09d", rand.Int64N(1e9))
	mine := market.Default(dynamotest.ID("m"))
	mine.WhatsApp.From = number
	if _, err := s.Save(ctx, *mine, "ann"); err != nil {
		t.Fatal(err)
	}
	if id, err := s.ByNumber(ctx, number); err != nil || id != mine.ID {
		t.Errorf("by number: %q, %v", id, err)
	}
	if id, err := s.ByNumber(ctx, "+15550000"); err != nil || id != "" {
		t.Errorf("nobody's number: %q, %v", id, err)
	}
	other := market.Default(dynamotest.ID("m"))
	other.WhatsApp.From = number
	_, err := s.Save(ctx, *other, "bob")
	if _, field := fault.Public(err); field != "whatsapp.from" {
		t.Errorf("a second owner: %v", err)
	}
}

func TestCheckNamesTheField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		field  string
		change func(*market.Market)
	}{
		{"", func(*market.Market) {}},
		{"id", func(m *market.Market) { m.ID = "Not Legal" }},
		{"name", func(m *market.Market) { m.Name = "" }},
		{"language", func(m *market.Market) { m.Language = "xx" }},
		{"languages[1]", func(m *market.Market) { m.Languages = []string{"en", "EN"} }},
		{"languages", func(m *market.Market) { m.Languages = []string{"tr"} }},
		{"currency", func(m *market.Market) { m.Currency = "€" }},
		{"timeZone", func(m *market.Market) { m.TimeZone = "Cyprus/Nowhere" }},
		{"gate", func(m *market.Market) { m.Gate = "open" }},
		{"quietMs", func(m *market.Market) { m.QuietMS = -1 }},
		{"safety.maxRounds", func(m *market.Market) { m.Safety.MaxRounds = 0 }},
		{"safety.turnSeconds", func(m *market.Market) { m.Safety.TurnSeconds = 101 }},
		{"safety.holdSeconds", func(m *market.Market) { m.Safety.HoldSeconds = 5 }},
		{"templates.merchant_booking_confirmed", func(m *market.Market) {
			m.Templates = map[string]string{"merchant_booking_confirmed": "Hello {nobody}"}
		}},
		{"tools.requestTaxi.template", func(m *market.Market) { m.Tools["requestTaxi"] = market.ToolPolicy{Template: "To {nobody}"} }},
		{"tools.orderFood.template", func(m *market.Market) { m.Tools["orderFood"] = market.ToolPolicy{Template: "{attempt}"} }},
		{"tools.getListing.template", func(m *market.Market) { m.Tools["getListing"] = market.ToolPolicy{Template: "Look"} }},
		{"", func(m *market.Market) {
			m.Tools["getListing"], m.Tools["requestTaxi"] = market.ToolPolicy{AllowedTags: []string{"x"}}, market.ToolPolicy{Template: "From {pickup_map}, try {attempt}"}
		}},
		{"bounds", func(m *market.Market) { m.Bounds = &geo.Box{West: 33, East: 32, South: 35, North: 36} }},
		{"bounds", func(m *market.Market) { m.Bounds = &geo.Box{West: 32, East: 34, South: 35, North: 91} }},
		{"desk.numbers", func(m *market.Market) { m.Desk.Numbers = []string{"+905331234567", "0533"} }},
		{"desk.phone", func(m *market.Market) { m.Desk.Phone = "0533 123 45 67" }},
		{"desk.numbers", func(m *market.Market) {
			m.Desk.Numbers = slices.Repeat([]string{"+905331234567"}, market.MaxDeskNumbers+1)
		}},
		{"templates.elsewhere", func(m *market.Market) { m.Templates = map[string]string{"elsewhere": "x"} }},
		{"whatsapp.from", func(m *market.Market) { m.WhatsApp.From = "0533" }},
		{"whatsapp.templates.elsewhere", func(m *market.Market) {
			m.WhatsApp.Templates = map[string]market.Approved{"elsewhere": {ContentSID: "HX1"}}
		}},
		{"whatsapp.templates.taxi_taken.contentSid", func(m *market.Market) {
			m.WhatsApp.Templates = map[string]market.Approved{"taxi_taken": {Params: []string{"code"}}}
		}},
		{"whatsapp.templates.taxi_taken.params", func(m *market.Market) {
			m.WhatsApp.Templates = map[string]market.Approved{"taxi_taken": {ContentSID: "HX1", Params: []string{"code", "nobody"}}}
		}},
	}
	for _, tt := range tests {
		m := market.Default("demo")
		tt.change(m)
		err := m.Check()
		_, field := fault.Public(err)
		if tt.field == "" && err != nil || tt.field != "" && field != tt.field {
			t.Errorf("%q: %v", tt.field, err)
		}
	}
}
