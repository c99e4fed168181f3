package booking

import (
	"context"

	"merve/internal/record/ledger"
	"merve/internal/tenant/market"
)

// OfferTo is offerTo, for tests of what follows it.
func (w *Waitlist) OfferTo(
	ctx context.Context, m *market.Market, next Wish, linked ...string,
) (held ledger.Transaction, made bool, err error) {
	return w.offerTo(ctx, m, next, linked...)
}
