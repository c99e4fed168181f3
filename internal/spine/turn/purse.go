package turn

import (
	"context"

	"merve/internal/tenant/market"
)

// Empty reports whether the budget for what models do outside turns is spent for today, to the knowledge of this process. It
// is the budget of sessions, because anybody may ask there without saying who they are.
func (f *Figures) Empty(ctx context.Context, m *market.Market) bool {
	used := f.used(ctx, m.ID, dayOf(f.Now()))
	return used.all >= m.Safety.MarketDayMicroUSD || used.anonymous >= m.Safety.AnonymousDay()
}

// Spend counts what a model has cost outside turns.
func (f *Figures) Spend(ctx context.Context, m *market.Market, microUSD int64) {
	f.add(ctx, m, dayOf(f.Now()), payer{anonymous: true}, microUSD, Volume{})
}
