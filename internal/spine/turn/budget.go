package turn

import (
	"context"
	"sync/atomic"
	"time"

	"merve/internal/base/actor"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// payer says whose share of the budget pays for a turn's models.
type payer struct {
	anonymous bool   // a session, which nobody can tell from another
	address   string // of the session, if it is known (see [bound.Address])
}

// budget knows what the turn may spend on models, and counts what it has spent.
type budget struct {
	*scene
	figures *Figures
	extra   atomic.Int64 // spent outside the conversation with the model, in millionths of a US dollar; also from other goroutines
}

func (b *budget) payer() payer {
	if b.tc.Actor.Kind != actor.Session {
		return payer{}
	}
	return payer{anonymous: true, address: b.tc.Address}
}

// exceeded refuses a turn when the day's budget is used up: the thread's, the market's, or the part of the market's that
// all sessions, or those of one address, may use. It costs 1 request for the first turn of a market's day in a process.
func (b *budget) exceeded(ctx context.Context) (reply, bool) {
	day, safety := dayOf(b.tc.Now), b.market.Safety
	if b.thread.Spend.On(day) >= safety.ThreadDayMicroUSD {
		return reply{text: b.say(wording.BudgetThread, nil), stopped: "thread budget"}, true
	}
	who, used := b.payer(), b.figures.used(ctx, b.market.ID, day)
	stopped := ""
	switch {
	case used.all >= safety.MarketDayMicroUSD:
		stopped = "market budget"
	case who.anonymous && used.anonymous >= safety.AnonymousDay():
		stopped = "budget of sessions"
	case who.address != "" && b.figures.usedAt(b.market.ID, who.address, day) >= safety.AddressDay():
		stopped = "budget of an address"
	default:
		return reply{}, false
	}
	return reply{text: b.say(wording.BudgetMarket, nil), stopped: stopped}, true
}

// spend counts what was spent on something other than the conversation with the model.
func (b *budget) spend(microUSD int64) { b.extra.Add(microUSD) }

// countFailed charges the market for a turn that failed. What its journal has kept is left out: the turn that takes it
// over counts that.
func (b *budget) countFailed(ctx context.Context, unkept int64) {
	if unkept > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
		defer cancel()
		b.figures.add(ctx, b.market, dayOf(b.now()), b.payer(), unkept, Volume{})
	}
}

// count charges the market for a turn that was committed on a day.
func (b *budget) count(ctx context.Context, day string, spent int64, t thread.Turn) {
	b.figures.add(ctx, b.market, day, b.payer(), spent, volumeOf(t))
}

// dayOf names the day of the budgets that a time falls in.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }
