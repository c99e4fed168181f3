package ledger

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

func TestSweepExpiresEachOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var ids []string
	for i := range 30 {
		ids = append(ids, c.offered(c.terms(24+i), 1).ID)
	}
	kept := c.held(c.terms(200), 1)
	if _, err := c.confirm(kept, "yes"); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(10*time.Minute - time.Millisecond)
	if r, err := c.Sweep(ctx, dynamo.Budget{}); err != nil || r.Expired != 0 {
		t.Fatalf("before the time: %+v, %v", r, err)
	}
	c.clock.Add(time.Millisecond)
	reports := make([]Swept, 3)
	var wg sync.WaitGroup
	for i := range reports { // workers that overlap
		wg.Go(func() {
			var err error
			if reports[i], err = c.open().Sweep(ctx, dynamo.Budget{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := reports[0].Expired + reports[1].Expired + reports[2].Expired; n != len(ids) {
		t.Errorf("%d holds were expired %d times: %+v", len(ids), n, reports)
	}
	for _, id := range ids {
		h, err := c.reader().history(ctx, id)
		if err != nil || h.Transaction.State != Expired || len(h.Events) != 3 {
			t.Errorf("%s: %s, %d events, %v", id, h.Transaction.State, len(h.Events), err)
		}
	}
	if now, _ := c.Get(ctx, c.owner, kept.ID); now.State != Confirmed {
		t.Errorf("a confirmed booking is %s", now.State)
	}
	if r, err := c.Sweep(ctx, dynamo.Budget{}); err != nil || r.Looked != 0 {
		t.Errorf("after: %+v, %v", r, err)
	}
	taken, err := c.Taken(ctx, c.business, "table", noon, noon.AddDate(0, 0, 12), c.Now())
	if err != nil || len(taken) != 1 {
		t.Errorf("taken = %v, %v", taken, err)
	}
}

func TestSweepKeepsToItsBounds(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	for i := range 12 {
		c.held(c.terms(24+i), 1)
	}
	c.clock.Add(time.Hour)
	r, err := c.Sweep(ctx, dynamo.Budget{Count: 5})
	if err != nil || r.Looked != 5 || !r.Left {
		t.Errorf("by count: %+v, %v", r, err)
	}
	if r, err = c.Sweep(ctx, dynamo.Budget{Time: time.Nanosecond}); err != nil || r.Looked != 0 || !r.Left {
		t.Errorf("by time: %+v, %v", r, err)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if r, err = c.Sweep(short, dynamo.Budget{}); err != nil || r.Looked != 0 || !r.Left {
		t.Errorf("by the time of whoever calls: %+v, %v", r, err)
	}
	if r, err = c.Sweep(ctx, dynamo.Budget{}); err != nil || r.Expired != 7 || r.Left {
		t.Errorf("the rest: %+v, %v", r, err)
	}
	idle, meter := telemetry.WithMeter(ctx)
	if _, err := c.Sweep(idle, dynamo.Budget{}); err != nil || meter.Cost().Requests != dynamo.DueShards {
		t.Errorf("an idle sweep costs %d requests, want one a shard; %v", meter.Cost().Requests, err)
	}
}

// What is due at once expires in few transactions; beside one that is confirmed just then, each hold
// in one of its own.
func TestHoldsExpireTogether(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		slots    int // of each hold
		confirms bool
		commits  int
		want     Swept
	}{
		"undisturbed":  {1, false, 2, Swept{Looked: 60, Expired: 60}},
		"one is taken": {1, true, 2 + 33, Swept{Looked: 60, Expired: 59, Raced: 1}},
		"many slots":   {4, false, 4, Swept{Looked: 60, Expired: 60}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ctx := newCorner(t), t.Context()
			c.NewID = dynamotest.SameShard
			var first Transaction
			for i := range 60 {
				terms := c.terms(24 + tt.slots*i)
				terms.Slots = hours(terms.Start, tt.slots)
				terms.End = terms.Start.Add(time.Duration(tt.slots) * time.Hour)
				if tx := c.offered(terms, 1); i == 0 {
					first = tx // to be due
					c.clock.Add(time.Second)
				}
			}
			early := c.open() // by a clock that is behind
			early.Now = func() time.Time { return first.CreatedAt }
			c.clock.Add(10 * time.Minute)
			commits := 0
			sweeper := c.over(dynamotest.Look{Next: c.aside(), See: func(op string, body []byte) ([]byte, error) {
				if op != "TransactWriteItems" {
					return body, nil
				}
				if commits++; commits == 1 && tt.confirms {
					_, err := early.Confirm(ctx, c.owner, first.ID, receiptFor(first), "yes")
					return body, err
				}
				return body, nil
			}}, 1)
			got, err := sweeper.Sweep(ctx, dynamo.Budget{Workers: 1})
			if got.Lag = 0; err != nil || got != tt.want || commits != tt.commits {
				t.Errorf("%+v in %d transactions, want %+v in %d; %v", got, commits, tt.want, tt.commits, err)
			}
			if left, err := c.Sweep(ctx, dynamo.Budget{}); err != nil || left.Looked != 0 {
				t.Errorf("left: %+v, %v", left, err)
			}
		})
	}
}

// One transaction that cannot be expired does not keep the others.
func TestSweepGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	broken := c.held(c.terms(24), 1)
	fine := c.held(c.terms(25), 1)
	c.breakLocks(broken.ID, []string{"no lock's name"})
	c.clock.Add(time.Hour)
	r, err := c.Sweep(ctx, dynamo.Budget{})
	if err == nil || !strings.Contains(err.Error(), broken.ID) || r.Expired != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if now, _ := c.Get(ctx, c.owner, fine.ID); now.State != Expired {
		t.Errorf("the other is %s", now.State)
	}
	c.breakLocks(broken.ID, broken.Locks)
	if r, err := c.Sweep(ctx, dynamo.Budget{}); err != nil || r.Expired != 1 {
		t.Errorf("mended: %+v, %v", r, err)
	}
}

func (c *corner) breakLocks(txID string, locks []string) {
	c.t.Helper()
	w := c.Table.Update(txKey(txID), "SET #locks = :locks", dynamo.V{":locks": locks})
	if err := c.Table.DB().Commit(context.Background(), w); err != nil {
		c.t.Fatal(err)
	}
}

// Holds by the ids that transactions have are spread evenly, also those of one moment.
func TestHoldsAreSpreadOverShards(t *testing.T) {
	t.Parallel()
	const n = 10_000
	for name, id := range map[string]func() string{
		"made one after the other": func() string { return ulid.Make().String() },
		"at any time":              func() string { return dynamotest.ID("t") },
	} {
		shards := map[string]int{}
		for range n {
			shards[dynamo.DueShard(dueHold, id())]++
		}
		fullest, mean := slices.Max(slices.Collect(maps.Values(shards))), float64(n)/dynamo.DueShards
		t.Logf("%s: %d in the fullest shard, mean %.0f", name, fullest, mean)
		if float64(fullest)/mean > 1.3 || len(shards) != dynamo.DueShards {
			t.Errorf("%s: fullest of %d shards has %d, mean %.0f", name, len(shards), fullest, mean)
		}
	}
}
