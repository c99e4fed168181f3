package turn

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"merve/internal/dynamo"
	"merve/internal/market"
	"merve/internal/thread"
)

// Figures count what the turns of a market were on each day, and what their models cost. Each
// process adds up its own share and writes it when it is worth a hundredth of the market's limit, or
// a minute old, so that a turn costs no request; what is left of a day is written with the next day's
// first turn. The limit may therefore be overrun by a hundredth for each process, and the last
// minute of a process that ends is not counted.
//
//	spend#{market}   {day}   (table records)
type Figures struct {
	Records dynamo.Table
	Now     func() time.Time
	Log     *slog.Logger

	mu   sync.Mutex
	days map[dynamo.Key]*tally // by market and day
}

// tally is one market's day.
type tally struct {
	unsaved int64
	counted Volume // not saved yet
	total   int64  // as last seen in the store
	seen    time.Time
}

const saveEvery = time.Minute

func spendKey(marketID, day string) dynamo.Key {
	return dynamo.Key{PK: "spend#" + marketID, SK: day}
}

// used is what a market's models have cost on a day, as far as this process knows.
func (f *Figures) used(marketID, day string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.of(marketID, day)
	return t.total + t.unsaved
}

// of returns the market's tally of the day. Called with the lock held.
func (f *Figures) of(marketID, day string) *tally {
	if f.days == nil {
		f.days = map[dynamo.Key]*tally{}
	}
	key := spendKey(marketID, day)
	if f.days[key] == nil {
		f.days[key] = &tally{}
	}
	return f.days[key]
}

// add counts the cost of a turn and what it was made of.
func (f *Figures) add(ctx context.Context, m *market.Market, day string, cost int64, v Volume) {
	now := f.Now()
	f.mu.Lock()
	t := f.of(m.ID, day)
	t.unsaved += cost
	t.counted = t.counted.plus(v)
	due := map[dynamo.Key]*tally{}
	for key, one := range f.days {
		if key.PK == spendKey(m.ID, "").PK && key.SK < day {
			due[key] = one
		}
	}
	if t.unsaved >= max(m.Safety.MarketDayMicroUSD/100, 1) || now.Sub(t.seen) >= saveEvery {
		t.seen = now
		due[spendKey(m.ID, day)] = t
	}
	f.mu.Unlock()
	for key, one := range due {
		if err := f.save(ctx, key, one, key.SK < day); err != nil {
			f.Log.WarnContext(ctx, "market spend not saved", "market", m.ID, "error", err.Error())
		}
	}
}

// save writes what is not saved of a day, and forgets the day when it is over. What cannot be
// saved is kept for the next try.
func (f *Figures) save(ctx context.Context, key dynamo.Key, t *tally, over bool) error {
	f.mu.Lock()
	unsaved, counted := t.unsaved, t.counted
	t.unsaved, t.counted = 0, Volume{}
	f.mu.Unlock()
	var after dynamo.Item
	var err error
	if unsaved != 0 || counted != (Volume{}) {
		after, err = f.Records.DB().Apply(ctx, f.Records.Update(key,
			"SET #ttl = :ttl ADD microUsd :cost, turns :turns, inbound :in, outbound :out", dynamo.V{
				":cost": unsaved, ":ttl": f.Now().Add(auditFor).Unix(), ":turns": counted.Turns, ":in": counted.Inbound, ":out": counted.Outbound,
			}))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		t.unsaved += unsaved
		t.counted = t.counted.plus(counted)
		return err
	case over && t.unsaved == 0 && t.counted == (Volume{}): // no turn was late meanwhile
		delete(f.days, key)
	case after != nil:
		t.total = after.Int("microUsd")
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
// are left out. One request.
func (f *Figures) Days(ctx context.Context, marketID string, from, to time.Time) ([]Day, error) {
	page, err := f.Records.Query(ctx, dynamo.Query{Where: "pk = :pk AND sk BETWEEN :from AND :to", Values: dynamo.V{
		":pk": spendKey(marketID, "").PK, ":from": from.UTC().Format(time.DateOnly), ":to": to.UTC().Format(time.DateOnly),
	}})
	if err != nil {
		return nil, fmt.Errorf("days of market %s: %w", marketID, err)
	}
	return dynamo.Decode[Day](page.Items)
}
