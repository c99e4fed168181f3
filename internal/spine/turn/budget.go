package turn

import (
	"context"
	"time"

	"merve/internal/base/actor"
	"merve/internal/words/wording"
)

// payer is for whom a turn's models are paid.
type payer struct {
	anonymous bool   // a session: nobody can tell it from another
	address   string // where it is, if that is known (see [bound.Address])
}

func (w *work) payer() payer {
	if w.tc.Actor.Kind != actor.Session {
		return payer{}
	}
	return payer{anonymous: true, address: w.tc.Address}
}

// overBudget words the refusal when the thread's or the market's day is used up, or what of it sessions
// may use, all of them or those of one address. 1 request for the first turn of a market's day in a process.
func (w *work) overBudget(ctx context.Context) (reply, bool) {
	day, safety := w.tc.Now.UTC().Format(time.DateOnly), w.market.Safety
	if w.thread.Spend.On(day) >= safety.ThreadDayMicroUSD {
		return reply{text: w.say(wording.BudgetThread, nil), stopped: "thread budget"}, true
	}
	who, used := w.payer(), w.r.Figures.used(ctx, w.market.ID, day)
	stopped := ""
	switch {
	case used.all >= safety.MarketDayMicroUSD:
		stopped = "market budget"
	case who.anonymous && used.anonymous >= safety.AnonymousDay():
		stopped = "budget of sessions"
	case who.address != "" && w.r.Figures.usedAt(w.market.ID, who.address, day) >= safety.AddressDay():
		stopped = "budget of an address"
	default:
		return reply{}, false
	}
	return reply{text: w.say(wording.BudgetMarket, nil), stopped: stopped}, true
}

// spentForNothing counts what a turn that came to no end has cost the market, beside what its journal
// has: that is counted by the turn that takes it over.
func (w *work) spentForNothing(ctx context.Context) {
	if cost := w.model.Unkept(); cost > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
		defer cancel()
		w.r.Figures.add(ctx, w.market, w.now().UTC().Format(time.DateOnly), w.payer(), cost, Volume{})
	}
}
