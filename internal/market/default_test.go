package market_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/market"
)

// What an operator gets who sets nothing is written down here once more: a default that changes changes
// every market that has not set it.
func TestDefault(t *testing.T) {
	t.Parallel()
	want := &market.Market{
		ID: "m", Name: "m", Version: 0, Enabled: true, Language: "en", Languages: []string{"en"}, Currency: "EUR", TimeZone: "UTC",
		Gate: "remind", QuietMS: 1_200,
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
			HoldSeconds:           600,
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
