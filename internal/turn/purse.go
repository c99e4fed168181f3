package turn

import (
	"context"
	"time"

	"merve/internal/market"
)

// Empty reports whether a market's money for the day is spent, as far as this process knows, for those who
// ask models beside turns.
func (f *Figures) Empty(_ context.Context, m *market.Market) bool {
	return f.used(m.ID, f.Now().UTC().Format(time.DateOnly)) >= m.Safety.MarketDayMicroUSD
}

// Spend counts what a model has cost beside turns.
func (f *Figures) Spend(ctx context.Context, m *market.Market, microUSD int64) {
	f.add(ctx, m, f.Now().UTC().Format(time.DateOnly), microUSD, Volume{})
}
