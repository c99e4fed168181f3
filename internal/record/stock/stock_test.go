package stock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"merve/internal/base/fault"
	"merve/internal/base/seedtest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// pantry is a listing with counts of its own, and what its orders hold by their own account.
type pantry struct {
	t testing.TB
	*Store
	listing string
	mu      sync.Mutex
	orders  map[string]map[string]int
}

func newPantry(t testing.TB, table string) *pantry {
	t.Helper()
	s := &Store{Table: dynamotest.Open(t).Table(dynamotest.TableName(table)), Now: func() time.Time { return noon }}
	return &pantry{t: t, Store: s, listing: dynamotest.ID("grill"), orders: map[string]map[string]int{}}
}

func (p *pantry) item(id string) Item { return Item{"demo", p.listing, id} }

func (p *pantry) holding(order string, items map[string]int) Holding {
	return Holding{"demo", p.listing, order, "session:ann", items}
}

func (p *pantry) commit(ws ...dynamo.Write) {
	p.t.Helper()
	if err := p.Table.DB().Commit(context.Background(), ws...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pantry) take(order string, items map[string]int) error {
	err := p.Table.DB().Commit(context.Background(), p.Take(p.holding(order, items))...)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.orders[order] = items
	}
	return err
}

func (p *pantry) let(order string, ws func(Holding) []dynamo.Write) {
	p.t.Helper()
	p.commit(ws(p.holding(order, p.orders[order]))...)
	delete(p.orders, order)
}

// counts are "left/held/sold" of an item.
func (p *pantry) counts(id string) string {
	p.t.Helper()
	all, err := p.Of(context.Background(), "demo", p.listing)
	if err != nil {
		p.t.Fatal(err)
	}
	c := all[id]
	return fmt.Sprintf("%d/%d/%d", c.Left, c.Held, c.Sold)
}

func (p *pantry) Holding(_ context.Context, all []Holding) (map[string]map[string]int, error) {
	hold := map[string]map[string]int{}
	for _, h := range all {
		if items := p.orders[h.Order]; items != nil {
			hold[h.Order] = items
		}
	}
	return hold, nil
}

// drifted is what a look at the listing's counts tells of.
func (p *pantry) drifted() []string {
	p.t.Helper()
	found := []string{}
	_, err := p.look(context.Background(), shelf("demo", p.listing), nil, p, func(_ context.Context, d Drift) error {
		found = append(found, d.Subject[len("demo/"+p.listing+"/"):]+": "+d.Message)
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// Of whatever is set, taken, given back and sold in whatever order, the counts are those of a
// model, nothing is taken that is not there, and a check finds nothing.
func TestField15_CountsAddUp(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(rt *rapid.T) {
		p := newPantry(t, "records")
		left, kept, sold := map[string]int{}, map[string]int{}, map[string]int{}
		var open []string
		ids := []string{"soup", "fish"}
		for n := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			some := map[string]int{rapid.SampledFrom(ids).Draw(rt, "item"): rapid.IntRange(1, 3).Draw(rt, "n")}
			if rapid.Bool().Draw(rt, "both") {
				some = map[string]int{"soup": 1, "fish": 2}
			}
			switch step := rapid.SampledFrom([]string{"set", "take", "take", "return", "sell"}).Draw(rt, "step"); {
			case step == "set":
				for id, n := range some {
					p.commit(p.Set(p.item(id), n, "s"))
					left[id], sold[id] = n, 0
				}
			case step == "take":
				order, fits := fmt.Sprint("or_", n), true
				for id, n := range some {
					fits = fits && left[id] >= n
				}
				var few *Short
				if err := p.take(order, some); (err == nil) != fits || err != nil && (!errors.As(err, &few) || few.Left != left[few.Item]) {
					rt.Fatalf("take %v of %v: %v", some, left, err)
				}
				if fits {
					open = append(open, order)
					for id, n := range some {
						left[id], kept[id] = left[id]-n, kept[id]+n
					}
				}
			case len(open) > 0:
				back := step == "return"
				for id, n := range p.orders[open[0]] {
					kept[id] -= n
					if back {
						left[id] += n
					} else {
						sold[id] += n
					}
				}
				if back {
					p.let(open[0], p.Return)
				} else {
					p.let(open[0], p.Sell)
				}
				open = open[1:]
			}
		}
		for _, id := range ids {
			if got, want := p.counts(id), fmt.Sprintf("%d/%d/%d", left[id], kept[id], sold[id]); got != want {
				rt.Fatalf("%s is %s, want %s", id, got, want)
			}
		}
		if d := p.drifted(); len(d) > 0 {
			rt.Fatalf("drifted: %v", d)
		}
	})
}

// Of the last pieces, no more are taken than there are, however many want them at once, alone or
// with others beside.
func TestField15_ManyAtOnce(t *testing.T) {
	t.Parallel()
	p := newPantry(t, "records")
	p.Table.DB().Backoff = func(int) time.Duration { return time.Millisecond }
	p.commit(p.Set(p.item("soup"), 7, "s"), p.Set(p.item("fish"), 100, "s"))
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for {
				var few *Short
				err := p.take(fmt.Sprint("or_", i), map[string]int{"soup": 1, "fish": i % 2})
				if err == nil || errors.As(err, &few) && few.Item == "soup" && few.Left == 0 {
					return
				}
				if !fault.Is(err, fault.Unavailable) { // among too many others: again
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := p.counts("soup"); got != "0/7/0" || len(p.orders) != 7 {
		t.Errorf("%s, and %d orders", got, len(p.orders))
	}
	if d := p.drifted(); len(d) > 0 {
		t.Errorf("drifted: %v", d)
	}
}

// What is not as it must be is found, told once, and looked at again; what is right is not
// looked at twice. Of what nobody has set, nothing can be had.
func TestField15_DriftIsFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(p *pantry)
		want  []string
	}{
		"nothing": {func(*pantry) {}, []string{}},
		"more held than orders hold": {func(p *pantry) {
			p.commit(p.Table.Update(p.item("soup").key(), "ADD held :one, #total :one", dynamo.V{":one": 1}))
		}, []string{"soup: 3 are held, and open orders hold 2"}},
		"a piece lost": {func(p *pantry) {
			p.commit(p.Table.Update(p.item("soup").key(), "ADD #left :less", dynamo.V{":less": -1}))
		}, []string{"soup: 5 in all, and 2 left, 2 held, 0 sold"}},
		"below zero": {func(p *pantry) {
			p.commit(p.Table.Update(p.item("soup").key(), "ADD #left :less, #total :less", dynamo.V{":less": -4}))
		}, []string{"soup: below zero: -1 left, 2 held, 0 sold"}},
		"an order that is over": {func(p *pantry) { delete(p.orders, "or_1") }, []string{"or_1: holds map[soup:2], and by its order map[]"}},
		"an order that holds more": {func(p *pantry) { p.orders["or_1"] = map[string]int{"soup": 3} },
			[]string{"or_1: holds map[soup:2], and by its order map[soup:3]"}},
		"no count": {func(p *pantry) { p.commit(p.Table.Delete(p.item("soup").key())) }, []string{"soup: 2 are held, and there is no count"}},
		"no holding": {func(p *pantry) { p.commit(p.Table.Delete(p.holding("or_1", nil).key())) },
			[]string{"soup: 2 are held, and open orders hold 0"}},
	} {
		p := newPantry(t, "records")
		var few *Short
		if err := p.take("or_0", map[string]int{"soup": 1}); !errors.As(err, &few) || few.Left != 0 {
			t.Errorf("%s: of what was never counted: %v", name, err)
		}
		p.commit(p.Set(p.item("soup"), 5, "s"))
		if err := p.take("or_1", map[string]int{"soup": 2}); err != nil {
			t.Fatal(err)
		}
		tt.spoil(p)
		if d := cmp.Diff(tt.want, p.drifted()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A check looks at what has changed, once it has settled, and again only at what is wrong.
func TestField15_CheckLooksAtWhatChanged(t *testing.T) {
	t.Parallel()
	p := newPantry(t, "ledger") // where nothing else is counted
	now := noon
	p.Now = func() time.Time { return now }
	check := func() (Checked, int) {
		t.Helper()
		ctx, meter := telemetry.WithMeter(t.Context())
		did, err := p.Check(ctx, 100, p, func(context.Context, Drift) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return did, meter.Cost().Requests
	}
	p.commit(p.Set(p.item("soup"), 5, "s"), p.Set(p.item("fish"), 5, "s"))
	for _, step := range []struct {
		after    time.Duration
		do       func()
		did      Checked
		requests int
	}{
		{0, func() {}, Checked{}, 16},
		{time.Minute, func() {}, Checked{Looked: 2}, 16 + 1 + 2},
		{time.Minute, func() {}, Checked{}, 16},
		{time.Minute, func() {
			if err := p.take("or_1", map[string]int{"soup": 2}); err != nil {
				t.Fatal(err)
			}
		}, Checked{Looked: 0}, 16},
		{time.Minute, func() { p.commit(p.Table.Update(p.item("soup").key(), "ADD #left :one", dynamo.V{":one": 1})) }, Checked{Looked: 1, Drifted: 1}, 16 + 2 + 1},
		{time.Minute, func() {}, Checked{}, 16},
		{time.Hour, func() { p.commit(p.Table.Update(p.item("soup").key(), "ADD #left :less", dynamo.V{":less": -1})) }, Checked{Looked: 1}, 16 + 1 + 1},
		{time.Hour, func() {}, Checked{}, 16},
		{time.Minute, func() { // an order is wrong, and a count that is right has changed
			p.orders["or_1"] = map[string]int{"soup": 3}
			p.commit(p.Set(p.item("fish"), 6, "s"))
		}, Checked{}, 16},
		{time.Minute, func() {}, Checked{Looked: 1, Drifted: 1}, 16 + 2 + 1},
		{time.Minute, func() {}, Checked{}, 16},
		{time.Hour, func() {}, Checked{Looked: 1, Drifted: 1}, 16 + 2 + 1},
		{time.Hour, func() { p.orders["or_1"] = map[string]int{"soup": 2} }, Checked{Looked: 1}, 16 + 1 + 1},
		{time.Hour, func() {}, Checked{}, 16},
	} {
		now = now.Add(step.after)
		step.do()
		if did, requests := check(); did != step.did || requests != step.requests {
			t.Errorf("at %v: %+v with %d requests, want %+v with %d", now.Sub(noon), did, requests, step.did, step.requests)
		}
	}
}

// A count that changes after a check has looked at it is looked at again.
func TestField15_SaleAfterTheLook(t *testing.T) {
	t.Parallel()
	p := newPantry(t, "records")
	p.commit(p.Set(p.item("soup"), 5, "s"))
	late := *p.Store
	late.Table = dynamotest.Open(t, dynamotest.Before("UpdateItem", func() {
		if err := p.take("or_1", map[string]int{"soup": 1}); err != nil {
			t.Error(err)
		}
	})).Table(dynamotest.TableName("records"))
	key := p.item("soup").key()
	for _, due := range []bool{true, false} {
		if _, err := late.look(t.Context(), key.PK, []dynamo.Key{key}, p, func(context.Context, Drift) error { return nil }); err != nil {
			t.Fatal(err)
		}
		it, err := p.Table.Get(t.Context(), key)
		if err != nil || (it.String("dueShard") != "") != due {
			t.Errorf("due %q, want %v: %v", it.String("dueShard"), due, err)
		}
	}
}

// A sale between the two looks of a check is no drift.
func TestField15_SaleWhileChecked(t *testing.T) {
	t.Parallel()
	p := newPantry(t, "records")
	p.commit(p.Set(p.item("soup"), 5, "s"))
	if err := p.take("or_1", map[string]int{"soup": 1}); err != nil {
		t.Fatal(err)
	}
	n := 1
	sells := holders(func(ctx context.Context, all []Holding) (map[string]map[string]int, error) {
		n++
		if err := p.take(fmt.Sprint("or_", n), map[string]int{"soup": 1}); err != nil {
			return nil, err
		}
		delete(p.orders, fmt.Sprint("or_", n)) // its order is read later than its holding
		return p.Holding(ctx, all)
	})
	_, err := p.look(t.Context(), shelf("demo", p.listing), nil, sells, func(_ context.Context, d Drift) error {
		if d.Subject == "demo/"+p.listing+"/soup" {
			t.Errorf("told of %v", d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type holders func(ctx context.Context, all []Holding) (map[string]map[string]int, error)

func (f holders) Holding(ctx context.Context, all []Holding) (map[string]map[string]int, error) {
	return f(ctx, all)
}
