package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// What operations cost: requests and the items that they write, which is what is paid for,
// two units for each item in a transaction up to a kilobyte.
func TestCostOfOperations(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	items := &counted{}
	c.Ledger = c.over(dynamotest.Look{See: items.see, Next: c.aside()}, 4)
	var tx, stay Transaction
	nights := c.terms(24)
	for i := range 5 {
		nights.Slots = append(nights.Slots[:i], nights.Start.AddDate(0, 0, i))
	}
	terms := c.terms(25)
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer tab.Flush()
	fmt.Fprintln(tab, "operation\trequests\titems written\tJSON of the largest")
	for _, s := range []struct {
		name            string
		requests, items int
		run             func(ctx context.Context) error
	}{
		{"draft", 1, 3, func(ctx context.Context) (err error) { tx, err = c.Draft(ctx, c.terms(24), "d"); return }},
		{"draft again", 1, 3, func(ctx context.Context) error { _, err := c.Draft(ctx, tx.Terms, "d"); return err }},
		{"hold", 3, 3, func(ctx context.Context) (err error) {
			tx, err = c.Hold(ctx, tx.ID, 1, c.Now().Add(time.Minute), "h")
			return
		}},
		{"offer", 2, 5, func(ctx context.Context) error { _, err := c.Offer(ctx, terms, 1, time.Minute, "o"); return err }},
		{"offer again", 3, 7, func(ctx context.Context) error { _, err := c.Offer(ctx, terms, 1, time.Minute, "o"); return err }},
		{"get", 1, 0, func(ctx context.Context) error { _, err := c.Get(ctx, c.owner, tx.ID); return err }},
		{"confirm", 2, 6, func(ctx context.Context) error {
			_, err := c.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "c")
			return err
		}},
		{"release", 2, 4, func(ctx context.Context) error { _, err := c.Release(ctx, c.owner, tx.ID, "x", "r"); return err }},
		{"offer, confirm and mark", 6, 15, func(ctx context.Context) (err error) {
			come, err := c.Offer(ctx, c.terms(1), 1, time.Minute, "come")
			if err == nil {
				_, err = c.Confirm(ctx, c.owner, come.ID, receiptFor(come), "c")
			}
			c.clock.Add(time.Hour)
			if err == nil {
				_, err = c.Mark(ctx, clerk, come.ID, "m")
			}
			return err
		}},
		{"draft of five nights", 1, 3, func(ctx context.Context) (err error) { stay, err = c.Draft(ctx, nights, "n"); return }},
		{"hold of five nights", 7, 7, func(ctx context.Context) (err error) {
			stay, err = c.Hold(ctx, stay.ID, 3, c.Now().Add(time.Minute), "h")
			return
		}},
		{"expire five nights", 2, 7, func(ctx context.Context) error {
			c.clock.Add(time.Minute)
			_, err := c.Expire(ctx, stay.ID)
			return err
		}},
		{"expire again", 1, 0, func(ctx context.Context) error { _, err := c.Expire(ctx, stay.ID); return err }},
		{"history", 1, 0, func(ctx context.Context) error { _, err := c.History(ctx, c.owner, tx.ID); return err }},
		{"taken", 1, 0, func(ctx context.Context) error {
			_, err := c.Taken(ctx, c.business, "table", noon.Add(-time.Hour), noon.Add(time.Hour), noon)
			return err
		}},
	} {
		ctx, meter := telemetry.WithMeter(context.Background())
		items.n, items.largest = 0, 0
		if err := s.run(ctx); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := meter.Cost().Requests; got != s.requests || items.n != s.items {
			t.Errorf("%s: %d requests, %d items; want %d, %d", s.name, got, items.n, s.requests, s.items)
		}
		fmt.Fprintf(tab, "%s\t%d\t%d\t%d\n", s.name, meter.Cost().Requests, items.n, items.largest)
	}
}

// dueAmong fills the corner with holds that are due, two hours of a table each, among so
// many bookings, as they are stored.
func (c *corner) dueAmong(due, others int) {
	c.t.Helper()
	work := make(chan []types.WriteRequest)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for batch := range work {
				if _, err := c.Table.DB().Client().BatchWriteItem(context.Background(), &dynamodb.BatchWriteItemInput{
					RequestItems: map[string][]types.WriteRequest{dynamotest.TableName("ledger"): batch},
				}); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	var batch []types.WriteRequest
	add := func(key dynamo.Key, v any, last bool) {
		it, err := dynamo.Encode(v)
		if err != nil {
			c.t.Fatal(err)
		}
		it["pk"], it["sk"] = &types.AttributeValueMemberS{Value: key.PK}, &types.AttributeValueMemberS{Value: key.SK}
		if batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}); len(batch) == 24 || last {
			work <- batch
			batch = nil
		}
	}
	for n := range due + others {
		t := c.terms(24 + n/1000)
		t.Offering = fmt.Sprint("table", n%1000)
		tx := Transaction{Terms: t, ID: c.NewID(), State: Hold, Version: 2, HoldExpiresAt: c.Now().Add(10 * time.Minute), CreatedAt: c.Now(), UpdatedAt: c.Now()}
		if n >= due {
			tx.State, tx.HoldExpiresAt, tx.UpdatedAt = Confirmed, c.Now().AddDate(0, 0, 1), c.Now().AddDate(0, 0, 1)
			add(txKey(tx.ID), itemOf(tx), n == due+others-1)
			continue
		}
		k := lockKey{t.Business, t.Offering, t.Start, 0}
		tx.Locks = []string{k.name(1)}
		add(k.item(), lock{Name: k.name(1), Tx: tx.ID, State: lockHeld, Until: tx.HoldExpiresAt}, false)
		add(txKey(tx.ID), itemOf(tx), n == due+others-1)
	}
	close(work)
	wg.Wait()
	c.clock.Add(10 * time.Minute)
}

func BenchmarkSweep(b *testing.B) {
	for _, size := range []struct{ due, others int }{{1000, 0}, {10_000, 0}, {1000, 99_000}} {
		b.Run(fmt.Sprintf("%d of %d", size.due, size.due+size.others), func(b *testing.B) {
			ctx, meter := telemetry.WithMeter(context.Background())
			for b.Loop() {
				b.StopTimer()
				c := newCorner(b)
				c.dueAmong(size.due, size.others)
				b.StartTimer()
				if r, err := c.Sweep(ctx, dynamo.Budget{Time: time.Hour}); err != nil || r.Expired != size.due {
					b.Fatalf("%+v, %v", r, err)
				}
			}
			holds := float64(size.due * b.N)
			b.ReportMetric(holds/b.Elapsed().Seconds(), "holds/s")
			b.ReportMetric(float64(meter.Cost().Requests)/holds, "requests/hold")
		})
	}
}

// Each operation on its own slot, one after the other.
func BenchmarkOperations(b *testing.B) {
	for name, op := range map[string]func(c *corner, n int) error{
		"offer": func(c *corner, n int) error {
			_, err := c.Offer(context.Background(), c.terms(24+n), 1, time.Minute, "k")
			return err
		},
		"draft and hold":    func(c *corner, n int) error { c.held(c.terms(24+n), 1); return nil },
		"offer and confirm": func(c *corner, n int) error { _, err := c.confirm(c.offered(c.terms(24+n), 1), "k"); return err },
	} {
		b.Run(name, func(b *testing.B) {
			c, n := newCorner(b), 0
			b.ReportAllocs()
			for b.Loop() {
				if err := op(c, n); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

// counted counts the writes that are sent.
type counted struct{ n, largest int }

func (c *counted) see(_ string, body []byte) ([]byte, error) {
	var request struct {
		TransactItems []map[string]struct{ Item json.RawMessage }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	c.n += len(request.TransactItems)
	for _, write := range request.TransactItems {
		for _, w := range write {
			c.largest = max(c.largest, len(w.Item))
		}
	}
	return body, nil
}
