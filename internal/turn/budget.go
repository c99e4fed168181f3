package turn

import (
	"context"
	"fmt"
	"sync"
	"time"

	"merve/internal/dynamo"
	"merve/internal/market"
	"merve/internal/thread"
	"merve/internal/wording"
)

// budget knows what the models of a market have cost today, and counts its turns and the
// messages that came and went in them. Each process adds up its own share and writes it when
// it is worth a hundredth of the limit, or a minute old, so that a turn costs no request, and what
// is left of a day with the next day's first turn; the limit may be overrun by a hundredth a process,
// and of a process that ends its last minute is not counted.
//
//	spend#{market}   {day}   (table records)
type budget struct {
	mu    sync.Mutex
	spend map[dynamo.Key]*daySpend // by market and day
}

type daySpend struct {
	unsaved int64
	counted Volume // not saved yet
	total   int64  // as last seen in the store
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

// spentForNothing counts what a turn that came to no end has cost the market, beside what its journal
// has: that is counted by the turn that takes it over.
func (w *work) spentForNothing(ctx context.Context) {
	cost := int64(0)
	for _, d := range w.model.reads {
		cost += d.MicroUSD
	}
	if cost > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
		defer cancel()
		w.r.budget.spent(ctx, w.r, w.market, w.r.Now().UTC().Format(time.DateOnly), cost, Volume{})
	}
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
		b.spend = map[dynamo.Key]*daySpend{}
	}
	key := spendKey(marketID, day)
	if b.spend[key] == nil {
		b.spend[key] = &daySpend{}
	}
	return b.spend[key]
}

func spendKey(marketID, day string) dynamo.Key {
	return dynamo.Key{PK: "spend#" + marketID, SK: day}
}

// spent adds the cost of a turn and what it was made of.
func (b *budget) spent(ctx context.Context, r *Runner, m *market.Market, day string, cost int64, v Volume) {
	now := r.Now()
	b.mu.Lock()
	s := b.of(m.ID, day)
	s.unsaved += cost
	s.counted = s.counted.plus(v)
	due := map[dynamo.Key]*daySpend{}
	for key, one := range b.spend {
		if key.PK == spendKey(m.ID, "").PK && key.SK < day {
			due[key] = one
		}
	}
	if s.unsaved >= max(m.Safety.MarketDayMicroUSD/100, 1) || now.Sub(s.seen) >= budgetEvery {
		s.seen = now
		due[spendKey(m.ID, day)] = s
	}
	b.mu.Unlock()
	for key, one := range due {
		if err := b.save(ctx, r, key, one, key.SK < day); err != nil {
			r.Log.WarnContext(ctx, "market spend not saved", "market", m.ID, "error", err.Error())
		}
	}
}

// save writes what is not saved of a day, and forgets the day when it is over. What cannot be saved is
// made good next time.
func (b *budget) save(ctx context.Context, r *Runner, key dynamo.Key, s *daySpend, over bool) error {
	b.mu.Lock()
	unsaved, counted := s.unsaved, s.counted
	s.unsaved, s.counted = 0, Volume{}
	b.mu.Unlock()
	var after dynamo.Item
	var err error
	if unsaved != 0 || counted != (Volume{}) {
		after, err = r.Records.DB().Apply(ctx, r.Records.Update(key,
			"SET #ttl = :ttl ADD microUsd :cost, turns :turns, inbound :in, outbound :out", dynamo.V{
				":cost": unsaved, ":ttl": r.Now().Add(auditFor).Unix(), ":turns": counted.Turns, ":in": counted.Inbound, ":out": counted.Outbound,
			}))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		s.unsaved += unsaved
		s.counted = s.counted.plus(counted)
		return err
	case over && s.unsaved == 0 && s.counted == (Volume{}): // no turn was late meanwhile
		delete(b.spend, key)
	case after != nil:
		s.total = after.Int("microUsd")
	}
	return nil
}

// Volume is how much was said.
type Volume struct {
	Turns    int64 `dynamodbav:"turns" json:"turns"`
	Inbound  int64 `dynamodbav:"inbound" json:"inbound"`   // messages of customers
	Outbound int64 `dynamodbav:"outbound" json:"outbound"` // replies and notices
}

func (v Volume) plus(o Volume) Volume {
	return Volume{v.Turns + o.Turns, v.Inbound + o.Inbound, v.Outbound + o.Outbound}
}

// volumeOf counts a turn.
func volumeOf(t thread.Turn) Volume {
	v := Volume{Turns: 1, Outbound: int64(len(t.Out))}
	for _, m := range t.In {
		if m.Notice == nil {
			v.Inbound++
		}
	}
	return v
}

// Day is what a market's turns of a day (UTC) were and cost.
type Day struct {
	Day      string `dynamodbav:"sk" json:"day"`
	MicroUSD int64  `dynamodbav:"microUsd" json:"microUsd"`
	Volume
}

// Days lists a market's days from one to another, in order; those on which nothing was counted
// are left out. 1 request.
func (r *Runner) Days(ctx context.Context, marketID string, from, to time.Time) ([]Day, error) {
	page, err := r.Records.Query(ctx, dynamo.Query{Where: "pk = :pk AND sk BETWEEN :from AND :to", Values: dynamo.V{
		":pk": spendKey(marketID, "").PK, ":from": from.UTC().Format(time.DateOnly), ":to": to.UTC().Format(time.DateOnly),
	}})
	if err != nil {
		return nil, fmt.Errorf("days of market %s: %w", marketID, err)
	}
	return dynamo.Decode[Day](page.Items)
}
