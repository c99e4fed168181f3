package market_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/tenant/market"
)

// What an operator gets who sets nothing is written down here once more: a default that changes changes
// every market that has not set it.
func TestDefault(t *testing.T) {
	t.Parallel()
	want := &market.Market{
		ID: "m", Name: "m", Version: 0, Enabled: true, Language: "en", Languages: []string{"en"}, Currency: "EUR", TimeZone: "UTC",
		Gate: "converse", QuietMS: 1_200,
		Safety: market.Safety{
			RequireConfirmFor:     nil,
			MaxOutboundPerInbound: 3,
			MaxRounds:             8,
			MaxCalls:              16,
			MaxSameCall:           3,
			TurnSeconds:           90,
			TurnTokens:            120_000,
			TurnMicroUSD:          250_000,     // 25 cents
			ThreadDayMicroUSD:     2_000_000,   // 2 dollars
			MarketDayMicroUSD:     200_000_000, // 200 dollars
			IdentifiedPercent:     25,
			HoldSeconds:           600,
			MaxBookings:           8,
			MaxOrdersDay:          20,
			MaxRidesDay:           12,
			MaxMessagesDay:        20,
			AddressTimes:          20,
		},
		Tools: map[string]market.ToolPolicy{}, Templates: map[string]string{},
	}
	if diff := cmp.Diff(want, market.Default("m")); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// Every bound has a default: one that was added and left at 0 would stop everything, or nothing.
func TestEveryBoundHasADefault(t *testing.T) {
	t.Parallel()
	safety := reflect.ValueOf(market.Default("m").Safety)
	for i := range safety.NumField() {
		if f := safety.Field(i); f.CanInt() && f.Int() <= 0 {
			t.Errorf("%s is %d", safety.Type().Field(i).Name, f.Int())
		}
	}
	if err := market.Default("m").Check(); err != nil {
		t.Errorf("the defaults cannot be saved: %v", err)
	}
}

// Each bound is taken at both of its ends, and refused beyond them by its name.
func TestBoundsOfTheBounds(t *testing.T) {
	t.Parallel()
	for field, of := range map[string]struct {
		low, high int64
		at        func(s *market.Safety, n int64)
	}{
		"maxOutboundPerInbound": {1, 20, func(s *market.Safety, n int64) { s.MaxOutboundPerInbound = int(n) }},
		"maxRounds":             {1, 30, func(s *market.Safety, n int64) { s.MaxRounds = int(n) }},
		"maxCalls":              {1, 100, func(s *market.Safety, n int64) { s.MaxCalls = int(n) }},
		"maxSameCall":           {1, 10, func(s *market.Safety, n int64) { s.MaxSameCall = int(n) }},
		"turnSeconds":           {5, market.MaxTurnSeconds, func(s *market.Safety, n int64) { s.TurnSeconds = int(n) }},
		"turnTokens":            {1000, 2_000_000, func(s *market.Safety, n int64) { s.TurnTokens = int(n) }},
		"turnMicroUsd":          {1000, 100_000_000, func(s *market.Safety, n int64) { s.TurnMicroUSD = n }},
		"threadDayMicroUsd":     {1000, 1_000_000_000, func(s *market.Safety, n int64) { s.ThreadDayMicroUSD = n }},
		"marketDayMicroUsd":     {1000, 1_000_000_000_000, func(s *market.Safety, n int64) { s.MarketDayMicroUSD = n }},
		"holdSeconds":           {60, 24 * 3600, func(s *market.Safety, n int64) { s.HoldSeconds = int(n) }},
	} {
		for n, want := range map[int64]string{of.low - 1: "safety." + field, of.low: "", of.high: "", of.high + 1: "safety." + field} {
			m := market.Default("m")
			of.at(&m.Safety, n)
			if _, got := fault.Public(m.Check()); got != want {
				t.Errorf("%s of %d: names %q, want %q", field, n, got, want)
			}
		}
	}
}
