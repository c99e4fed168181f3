package turn

import (
	"context"
	"time"

	"merve/internal/tenant/market"
)

// Empty reports whether what may be spent beside turns on a market's day is spent, as far as this process
// knows. That is the share of sessions: whoever asks there need not say who they are.
func (f *Figures) Empty(ctx context.Context, m *market.Market) bool {
	used := f.used(ctx, m.ID, f.Now().UTC().Format(time.DateOnly))
	return used.all >= m.Safety.MarketDayMicroUSD || used.anonymous >= m.Safety.AnonymousDay()
}

// Spend counts what a model has cost beside turns.
func (f *Figures) Spend(ctx context.Context, m *market.Market, microUSD int64) {
	f.add(ctx, m, f.Now().UTC().Format(time.DateOnly), payer{anonymous: true}, microUSD, Volume{})
}
