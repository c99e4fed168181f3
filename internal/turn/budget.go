package turn

import (
	"context"
	"time"

	"merve/internal/wording"
)

// overBudget words the refusal when the thread's or the market's day is used up.
func (w *work) overBudget() (reply, bool) {
	day := w.tc.Now.UTC().Format(time.DateOnly)
	if w.thread.Spend.On(day) >= w.market.Safety.ThreadDayMicroUSD {
		return reply{text: w.say(wording.BudgetThread, nil), stopped: "thread budget"}, true
	}
	if w.r.Figures.used(w.market.ID, day) >= w.market.Safety.MarketDayMicroUSD {
		return reply{text: w.say(wording.BudgetMarket, nil), stopped: "market budget"}, true
	}
	return reply{}, false
}

// spentForNothing counts what a turn that came to no end has cost the market, beside what its journal
// has: that is counted by the turn that takes it over.
func (w *work) spentForNothing(ctx context.Context) {
	if cost := w.model.Unkept(); cost > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
		defer cancel()
		w.r.Figures.add(ctx, w.market, w.r.Now().UTC().Format(time.DateOnly), cost, Volume{})
	}
}
