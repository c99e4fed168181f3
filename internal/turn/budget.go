package turn

import (
	"context"
	"sync"
	"time"

	"merve/internal/dynamo"
	"merve/internal/market"
	"merve/internal/wording"
)

// budget knows what the models of a market have cost today. Each process adds up its
// own share and writes it when it is worth a hundredth of the limit, or a minute old,
// so that a turn costs no request; the limit may be overrun by a hundredth a process.
//
//	spend#{market}   {day}   (table records)
type budget struct {
	mu    sync.Mutex
	spend map[string]*daySpend // by market
}

type daySpend struct {
	day     string
	unsaved int64
	total   int64 // as last seen in the store
	seen    time.Time
}

const budgetEvery = time.Minute

// overBudget words the refusal when the thread's or the market's day is used up.
func (w *work) overBudget(ctx context.Context) (string, bool, error) {
	day := w.tc.Now.UTC().Format(time.DateOnly)
	if w.thread.Spend.On(day) >= w.market.Safety.ThreadDayMicroUSD {
		w.stopped = "thread budget"
		return w.say(wording.BudgetThread, nil), true, nil
	}
	if w.r.budget.used(w.market.ID, day) >= w.market.Safety.MarketDayMicroUSD {
		w.stopped = "market budget"
		return w.say(wording.BudgetMarket, nil), true, nil
	}
	return "", false, nil
}

func (b *budget) used(marketID, day string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.of(marketID, day)
	return s.total + s.unsaved
}

// of returns the market's spend of the day. Called with the lock held.
func (b *budget) of(marketID, day string) *daySpend {
	if b.spend == nil {
		b.spend = map[string]*daySpend{}
	}
	s := b.spend[marketID]
	if s == nil || s.day != day {
		s = &daySpend{day: day}
		b.spend[marketID] = s
	}
	return s
}

// spent adds the cost of a turn. A failure to save it is logged and made good next time.
func (b *budget) spent(ctx context.Context, r *Runner, m *market.Market, day string, cost int64) {
	if cost == 0 {
		return
	}
	now := r.Now()
	b.mu.Lock()
	s := b.of(m.ID, day)
	s.unsaved += cost
	save := s.unsaved
	if s.unsaved < m.Safety.MarketDayMicroUSD/100 && now.Sub(s.seen) < budgetEvery {
		b.mu.Unlock()
		return
	}
	s.unsaved, s.seen = 0, now
	b.mu.Unlock()
	after, err := r.Records.DB().Apply(ctx, r.Records.Update(dynamo.Key{PK: "spend#" + m.ID, SK: day},
		"SET #ttl = :ttl ADD microUsd :cost", dynamo.V{":cost": save, ":ttl": now.Add(auditFor).Unix()}))
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		s.unsaved += save
		r.Log.WarnContext(ctx, "market spend not saved", "market", m.ID, "error", err.Error())
		return
	}
	s.total = after.Int("microUsd")
}
