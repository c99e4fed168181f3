package turn

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// Figures count the turns of each market and day, and what their models cost: in all, for sessions, and for the sessions of
// each network address. A process reads a market's day when it first needs it. Then it adds up its own share and writes it
// when it is worth a hundredth of the limit or a minute old, so that a turn costs no request. The remainder of a day is
// written with the next day's first turn. What an address has used is learnt with the first write for it, and written only
// when it is worth that much. So each process may overrun a limit by a hundredth, and the last minute of a process that
// ends is not counted.
//
//	spend#{market}             {day}   (table records)
//	spend#{market}#{address}   {day}   what the sessions of an address cost
type Figures struct {
	Records dynamo.Table
	Now     func() time.Time
	Log     *slog.Logger

	mu   sync.Mutex
	days map[dynamo.Key]*tally // by market, or address, and day
}

// money is what models cost, in millionths of a US dollar.
type money struct{ all, anonymous int64 }

func (m money) plus(o money) money { return money{m.all + o.all, m.anonymous + o.anonymous} }

// tally is one day of a market, or of an address.
type tally struct {
	unsaved money
	counted Volume // not saved yet
	total   money  // as last seen in the store
	seen    time.Time
	read    bool // an attempt counts
}

const saveEvery = time.Minute

func spendKey(marketID, day string) dynamo.Key {
	return dynamo.Key{PK: "spend#" + marketID, SK: day}
}

func addressKey(marketID, address, day string) dynamo.Key {
	return spendKey(marketID+"#"+address, day)
}

// used is what this process knows of the cost of a market's models on a day.
func (f *Figures) used(ctx context.Context, marketID, day string) money {
	key := spendKey(marketID, day)
	f.mu.Lock()
	t := f.of(key)
	first := !t.read
	t.read = true
	f.mu.Unlock()
	if first {
		f.learn(ctx, key, t)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return t.total.plus(t.unsaved)
}

// learn reads what other processes have spent on a day. A budget that cannot be read stops nobody.
func (f *Figures) learn(ctx context.Context, key dynamo.Key, t *tally) {
	it, err := f.Records.Get(ctx, key)
	if err != nil {
		f.Log.WarnContext(ctx, "market spend not read", "day", key.String(), "error", err.Error())
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if spent := spentOf(it); spent.all > t.total.all {
		t.total = spent
	}
}

func spentOf(it dynamo.Item) money { return money{it.Int("microUsd"), it.Int("anonymousMicroUsd")} }

// usedAt is what this process knows of the cost of an address's sessions to a market on a day.
func (f *Figures) usedAt(marketID, address, day string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.of(addressKey(marketID, address, day))
	return t.total.all + t.unsaved.all
}

// of returns the tally of a day. Called with the lock held.
func (f *Figures) of(key dynamo.Key) *tally {
	if f.days == nil {
		f.days = map[dynamo.Key]*tally{}
	}
	if f.days[key] == nil {
		f.days[key] = &tally{}
	}
	return f.days[key]
}

// add counts the cost of a turn and what it was made of.
func (f *Figures) add(ctx context.Context, m *market.Market, day string, who payer, cost int64, v Volume) {
	now, spent := f.Now(), money{all: cost}
	if who.anonymous {
		spent.anonymous = cost
	}
	key := spendKey(m.ID, day)
	f.mu.Lock()
	t := f.of(key)
	t.unsaved, t.counted = t.unsaved.plus(spent), t.counted.plus(v)
	due := f.former(m.ID, day)
	if worth(t, m.Safety.MarketDayMicroUSD) || now.Sub(t.seen) >= saveEvery {
		t.seen = now
		due[key] = t
	}
	if who.address != "" && cost > 0 {
		key := addressKey(m.ID, who.address, day)
		t := f.of(key)
		if t.unsaved = t.unsaved.plus(money{all: cost}); worth(t, m.Safety.AddressDay()) {
			due[key] = t
		}
	}
	f.mu.Unlock()
	for key, one := range due {
		if err := f.save(ctx, key, one, key.SK < day); err != nil {
			f.Log.WarnContext(ctx, "market spend not saved", "market", m.ID, "error", err.Error())
		}
	}
}

// worth reports whether what is not saved is a hundredth of a limit.
func worth(t *tally, limit int64) bool { return t.unsaved.all >= max(limit/100, 1) }

// former returns the tallies of a market's earlier days, and forgets those of addresses. Called with the lock held.
func (f *Figures) former(marketID, day string) map[dynamo.Key]*tally {
	due, own := map[dynamo.Key]*tally{}, spendKey(marketID, "").PK
	for key, one := range f.days {
		switch {
		case key.SK >= day:
		case key.PK == own:
			due[key] = one
		case strings.HasPrefix(key.PK, own+"#"):
			delete(f.days, key)
		}
	}
	return due
}

// save writes what is not saved of a day, and forgets the day when it is over. If that fails, the next save tries again.
func (f *Figures) save(ctx context.Context, key dynamo.Key, t *tally, over bool) error {
	f.mu.Lock()
	unsaved, counted := t.unsaved, t.counted
	t.unsaved, t.counted = money{}, Volume{}
	f.mu.Unlock()
	var after dynamo.Item
	var err error
	if unsaved != (money{}) || counted != (Volume{}) {
		after, err = f.Records.DB().Apply(ctx, f.Records.Update(key,
			"SET #ttl = :ttl ADD microUsd :cost, anonymousMicroUsd :anonymous, turns :turns, inbound :in, outbound :out", dynamo.V{
				":cost": unsaved.all, ":anonymous": unsaved.anonymous, ":ttl": f.Now().Add(auditFor).Unix(),
				":turns": counted.Turns, ":in": counted.Inbound, ":out": counted.Outbound,
			}))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		t.unsaved = t.unsaved.plus(unsaved)
		t.counted = t.counted.plus(counted)
		return err
	case over && t.unsaved == (money{}) && t.counted == (Volume{}): // no turn was late meanwhile
		delete(f.days, key)
	case after != nil:
		t.total = spentOf(after)
	}
	return nil
}

// Volume is the number of turns and messages.
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

// Day is the turns of a market on a day (UTC), and their cost.
type Day struct {
	Day      string `dynamodbav:"sk" json:"day"`
	MicroUSD int64  `dynamodbav:"microUsd" json:"microUsd"`
	Volume
}

// Days lists a market's days from one to another, in order, without those on which nothing was counted. One request.
func (f *Figures) Days(ctx context.Context, marketID string, from, to time.Time) ([]Day, error) {
	page, err := f.Records.Query(ctx, dynamo.Query{Where: "pk = :pk AND sk BETWEEN :from AND :to", Values: dynamo.V{
		":pk": spendKey(marketID, "").PK, ":from": from.UTC().Format(time.DateOnly), ":to": to.UTC().Format(time.DateOnly),
	}})
	if err != nil {
		return nil, fmt.Errorf("days of market %s: %w", marketID, err)
	}
	return dynamo.Decode[Day](page.Items)
}
