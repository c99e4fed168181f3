package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/infra/local/dynamodb"
	"merve/internal/app"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
	"merve/internal/record/ledger"
)

// terms are those of a booking over three slots, of its own business.
func terms(n int) ledger.Terms {
	start := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 10).Add(18 * time.Hour)
	return ledger.Terms{
		Business: fmt.Sprintf("biz-bench-%d", n), Listing: "bench", ListingName: "Harbour Sushi", Offering: "table", OfferingName: "Table",
		Market: "demo", Owner: fmt.Sprintf("session:bench-%d", n), Start: start, End: start.Add(90 * time.Minute),
		Slots:    []time.Time{start, start.Add(30 * time.Minute), start.Add(time.Hour)},
		TimeZone: "Asia/Nicosia", Party: 2, Currency: "EUR", Language: "en", Policy: 1,
	}
}

const (
	capacity = 3
	heldFor  = 10 * time.Minute
)

// holds measures a hold by itself: no turn, no draft.
func (b *bench) holds(ctx context.Context) ([]Row, error) {
	drafts, held, n := b.plain.Ledger(), b.base.Ledger(), 0
	return b.measure(ctx, scenario{history: -1, run: func(ctx context.Context, record func(string) *meter) error {
		n++
		tx, err := drafts.Draft(ctx, terms(n), "k")
		if err != nil {
			return err
		}
		return record(holdAlone).step(byCall, func() error {
			_, err := held.Hold(ctx, tx.ID, capacity, time.Now().Add(heldFor), "k")
			return err
		})
	}})
}

// schedules measures the expiry of many holds among many more transactions, the checkers
// after it, and all schedules when there is nothing to do.
func (b *bench) schedules(ctx context.Context) ([]Row, error) {
	if err := b.crowdLedger(ctx); err != nil {
		return nil, fmt.Errorf("fill the ledger: %w", err)
	}
	b.tell("ledger filled")
	later, err := b.later(heldFor + time.Minute)
	if err != nil {
		return nil, err
	}
	l := later.Ledger()
	expired := b.among(expiryOf + " %s holds")
	rows := make([]Row, 0, 8)
	add := func(name string, f func(n int) (done int, err error), before func(n int) error) error {
		r, err := b.bulk(name, f, before)
		rows = append(rows, r)
		return err
	}
	if err := add(expired, func(n int) (int, error) {
		report, err := l.Sweep(ctx, dynamo.Budget{Count: 2 * n})
		return report.Expired, err
	}, func(n int) error { return b.dueHolds(ctx, n) }); err != nil {
		return nil, err
	}
	b.tell("expiry")
	if later, err = b.later(heldFor + 5*time.Minute); err != nil {
		return nil, err
	}
	l = later.Ledger()
	if err := add(b.among(checkOf+" %s changed"), func(n int) (int, error) {
		audit, err := l.CheckInvariants(ctx, dynamo.Budget{Count: n})
		return audit.Looked, err
	}, func(int) error { return nil }); err != nil {
		return nil, err
	}
	idle, err := b.idle(ctx, later)
	return append(rows, idle...), err
}

// among names what is done to many transactions in a ledger of many more.
func (b *bench) among(what string) string {
	return fmt.Sprintf(what+" among %s transactions, in all", grouped(float64(b.Due)), grouped(float64(b.Transactions)))
}

// later is Merve after a while, on the counted store.
func (b *bench) later(d time.Duration) (*app.Base, error) {
	return b.newBase(b.traffic.through(dynamodb.Config(b.url)), func() time.Time { return time.Now().Add(d) }, nil)
}

// bulk measures a run that does many things: a tenth of them for the units that each
// takes, and then all for everything else. Its dollars are for a million of the things.
func (b *bench) bulk(name string, f func(n int) (int, error), before func(n int) error) (Row, error) {
	run := func(n int, auditing bool) (sample, float64, error) {
		if err := before(n); err != nil {
			return sample{}, 0, err
		}
		b.traffic.auditing.Store(auditing)
		defer func() { b.traffic.auditing.Store(false) }()
		m, done := &meter{b: b}, 0
		err := m.step(bySchedule, func() (err error) {
			done, err = f(n)
			return err
		})
		if err == nil && done < n {
			err = fmt.Errorf("%s: did %d of %d", name, done, n)
		}
		return m.sample, float64(done), err
	}
	tenth, few, err := run(b.Due/10, true)
	if err != nil {
		return Row{}, err
	}
	all, many, err := run(b.Due, false)
	if err != nil {
		return Row{}, err
	}
	c, each := &all.count, tenth.count
	c.Writes, c.Reads = each.Writes*many/few, each.Reads*many/few
	c.BilledWrites, c.BilledReads = each.BilledWrites*many/few, each.BilledReads*many/few
	return rowOf(name, -1, []sample{all}, []sample{all}, many), nil
}

// dueHolds makes holds that will be over in ten minutes.
func (b *bench) dueHolds(ctx context.Context, n int) error {
	l, first := b.plain.Ledger(), 1000+b.booked
	b.booked += n
	return atOnce(n, func(i int) error {
		tx, err := l.Draft(ctx, terms(first+i), "k")
		if err == nil {
			_, err = l.Hold(ctx, tx.ID, capacity, time.Now().Add(heldFor), "k")
		}
		return err
	})
}

// crowdLedger puts confirmed transactions into the ledger: copies of a held one.
func (b *bench) crowdLedger(ctx context.Context) error {
	l := b.plain.Ledger()
	tx, err := l.Draft(ctx, terms(0), ulid.Make().String())
	if err != nil {
		return err
	}
	if tx, err = l.Hold(ctx, tx.ID, capacity, time.Now().Add(heldFor), "k"); err != nil {
		return err
	}
	items, err := b.rows(ctx, "ledger", "tx#"+tx.ID, "tx", 1)
	if err != nil {
		return err
	}
	return b.fill(ctx, "ledger", b.Transactions, func(i int) dynamo.Item {
		c, id := maps.Clone(items[0]), ulid.Make().String()
		delete(c, "dueShard") // it has been looked at
		delete(c, "dueAt")
		c["pk"], c["id"], c["state"] = stringValue("tx#"+id), stringValue(id), stringValue(string(ledger.Confirmed))
		c["owner"], c["business"] = stringValue(fmt.Sprintf("session:bench-%d", i)), stringValue(fmt.Sprintf("biz-%d", i%100))
		return c
	})
}

// idle measures the schedules when there is nothing to do: a while later, when all is quiet.
func (b *bench) idle(ctx context.Context, later *app.Base) ([]Row, error) {
	tick, err := json.Marshal(map[string]any{"time": time.Now().UTC().Format(time.RFC3339), "detail-type": "Scheduled Event"})
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, s := range []struct {
		name  string
		base  *app.Base
		build func(*app.Base) (trigger.Handler, error)
	}{
		{"expiry, nothing due", later, app.Expiry}, {"invariants, nothing changed", later, app.Invariants}, {"sweep, nothing left", later, app.Sweep},
	} {
		h, err := s.build(s.base)
		if err != nil {
			return nil, err
		}
		for range 3 { // until what the others left is done
			if _, err := invoke(ctx, h, tick); err != nil {
				return nil, err
			}
		}
		more, err := b.measure(ctx, scenario{history: -1, runs: 5, run: func(ctx context.Context, record func(string) *meter) error {
			return record(s.name).step(bySchedule, func() error {
				_, err := invoke(ctx, h, tick)
				return err
			})
		}})
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
