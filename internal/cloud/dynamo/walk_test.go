package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

var walkNow = time.UnixMilli(1_700_000_000_000)

// nearing is a context with an hour left, and with a second when it is over.
type nearing struct {
	context.Context
	over func() bool
}

func (c nearing) Deadline() (time.Time, bool) {
	if c.over() {
		return time.Now().Add(time.Second), true
	}
	return time.Now().Add(time.Hour), true
}

// due puts n items of a new kind in the index, each due a second before the one after it, the last
// now. Those with equal ids by shardOf are in one shard.
func due(t *testing.T, tbl dynamo.Table, n int, shardOf func(i int) string) (kind string) {
	t.Helper()
	kind = dynamotest.ID("kind")
	var ws []dynamo.Write
	for i := range n {
		at := walkNow.Add(time.Duration(i-n+1) * time.Second)
		ws = append(ws, tbl.PutDue(dynamo.Key{PK: kind, SK: fmt.Sprintf("%03d", i)}, kind, shardOf(i), at))
	}
	if err := tbl.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	return kind
}

func together(int) string { return "one" }

// everyShard gives ids of all shards in turn.
func everyShard() func(int) string {
	ids := map[string]string{}
	for i := 0; len(ids) < dynamo.DueShards; i++ {
		ids[dynamo.DueShard("", fmt.Sprint(i))] = fmt.Sprint(i)
	}
	shards := make([]string, 0, len(ids))
	for n := range dynamo.DueShards {
		shards = append(shards, ids[fmt.Sprintf("#%02d", n)])
	}
	return func(i int) string { return shards[i%len(shards)] }
}

// What is due when there is no time left to do it is left for the next time, and each shard is the
// first of all some time.
func TestNothingIsBegunAtTheEnd(t *testing.T) {
	t.Parallel()
	tbl := table(t)
	kind := due(t, tbl, dynamo.DueShards, everyShard())
	first := map[string]bool{}
	for minute := range dynamo.DueShards {
		var came []string
		ctx := nearing{t.Context(), func() bool { return len(came) == 3 }}
		sum, err := tbl.EachDue(ctx, kind, walkNow.Add(time.Duration(minute)*time.Minute), dynamo.Budget{}, func(k dynamo.Key) (bool, error) {
			came = append(came, k.SK)
			return true, nil
		})
		if len(came) != 3 || sum.Looked != 3 || !sum.Left || err != nil {
			t.Fatalf("%v came, %+v, %v", came, sum, err)
		}
		first[came[0]] = true
	}
	if len(first) != dynamo.DueShards {
		t.Errorf("only %v are ever the first", first)
	}
}

// Only what is done counts, however much stands before it; what fails keeps nothing waiting.
func TestAWalkIsBoundedByWhatItDoes(t *testing.T) {
	t.Parallel()
	tbl := table(t)
	kind := due(t, tbl, 30, together)
	broken := errors.New("broken")
	var did []string
	do := func(k dynamo.Key) (bool, error) {
		switch {
		case k.SK < "010":
			return false, nil // nothing to do yet
		case k.SK < "015":
			return false, broken // as of an item that cannot be read
		case k.SK == "015":
			return true, broken // tried
		}
		did = append(did, k.SK)
		return true, nil
	}
	sum, err := tbl.EachDue(t.Context(), kind, walkNow, dynamo.Budget{Count: 4}, do)
	if diff := cmp.Diff([]string{"016", "017", "018"}, did); diff != "" || !errors.Is(err, broken) {
		t.Errorf("%v, %s", err, diff)
	}
	if want := (dynamo.Walked{Looked: 19, Done: 3, Failed: 6, Lag: 29 * time.Second, Left: true}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	sum, err = tbl.EachDue(t.Context(), kind, walkNow, dynamo.Budget{}, do)
	if sum.Done != 14 || sum.Left || !errors.Is(err, broken) {
		t.Errorf("without a bound %+v, %v", sum, err)
	}
	if sum, err = tbl.EachDue(t.Context(), kind, walkNow, dynamo.Budget{Time: time.Nanosecond}, do); sum.Looked != 0 || !sum.Left || err != nil {
		t.Errorf("without time %+v, %v", sum, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = tbl.EachDue(gone, kind, walkNow, dynamo.Budget{}, do); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The errors of a walk are few enough to be read.
func TestAWalkThatFailsThroughout(t *testing.T) {
	t.Parallel()
	tbl := table(t)
	kind := due(t, tbl, 50, together)
	sum, err := tbl.EachDue(t.Context(), kind, walkNow, dynamo.Budget{}, func(dynamo.Key) (bool, error) { return true, errors.New("away") })
	if sum.Failed != 50 || err == nil || strings.Count(err.Error(), "\n") != 20 || !strings.Contains(err.Error(), "30 more errors") {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Each form of the walk comes to all that is due, once, in as many requests as it says, by one worker or many.
func TestAWalkComesToAll(t *testing.T) {
	t.Parallel()
	const n = 230
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%03d", i)
	}
	tbl := table(t)
	kind := due(t, tbl, n, together)
	gone := dynamo.Key{PK: kind, SK: all[7]}
	if err := tbl.DB().Commit(t.Context(), tbl.Delete(gone)); err != nil {
		t.Fatal(err)
	}
	there := slices.Delete(slices.Clone(all), 7, 8)
	for name, tt := range map[string]struct {
		workers, requests int
		walk              func(ctx context.Context, b dynamo.Budget, see func(dynamo.Key)) (dynamo.Walked, error)
	}{
		"keys": {1, dynamo.DueShards, func(ctx context.Context, b dynamo.Budget, see func(dynamo.Key)) (dynamo.Walked, error) {
			return tbl.EachDue(ctx, kind, walkNow, b, func(k dynamo.Key) (bool, error) { see(k); return true, nil })
		}},
		"items": {1, dynamo.DueShards + 2 + 3, func(ctx context.Context, b dynamo.Budget, see func(dynamo.Key)) (dynamo.Walked, error) {
			return tbl.EachDueItem(ctx, kind, walkNow, b, func(it dynamo.Item) (bool, error) { see(it.Key()); return true, nil })
		}},
		"pages": {dynamo.DueShards, dynamo.DueShards + 2 + 3, func(ctx context.Context, b dynamo.Budget, see func(dynamo.Key)) (dynamo.Walked, error) {
			return tbl.EachDuePage(ctx, kind, walkNow, b, func(page iter.Seq[dynamo.Item]) error {
				for it := range page {
					see(it.Key())
				}
				return nil
			})
		}},
	} {
		var mu sync.Mutex
		var came []string
		ctx, meter := telemetry.WithMeter(t.Context())
		sum, err := tt.walk(ctx, dynamo.Budget{Workers: tt.workers}, func(k dynamo.Key) {
			mu.Lock()
			defer mu.Unlock()
			came = append(came, k.SK)
		})
		if diff := cmp.Diff(there, came); diff != "" || err != nil || sum.Done != len(there) || sum.Left {
			t.Errorf("%s: %+v, %v: %s", name, sum, err, diff)
		}
		if got := meter.Cost().Requests; got != tt.requests {
			t.Errorf("%s: %d requests, want %d", name, got, tt.requests)
		}
		if sum, err = tt.walk(t.Context(), dynamo.Budget{Count: 3, Workers: tt.workers}, func(dynamo.Key) {}); sum.Done != 3 || !sum.Left || err != nil {
			t.Errorf("%s, three: %+v, %v", name, sum, err)
		}
	}
}

// A page that cannot be read ends its shard, and keeps no other from its turn.
func TestAShardThatCannotBeRead(t *testing.T) {
	t.Parallel()
	kind := due(t, table(t), dynamo.DueShards, everyShard())
	away, reads := errors.New("away"), 0
	tbl := dynamotest.Once(t, dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "BatchGetItem" {
			if reads++; reads == 2 {
				return nil, away
			}
		}
		return body, nil
	}}).Table(dynamotest.TableName("records"))
	sum, err := tbl.EachDueItem(t.Context(), kind, walkNow, dynamo.Budget{}, func(dynamo.Item) (bool, error) { return true, nil })
	if sum.Done != dynamo.DueShards-1 || !errors.Is(err, away) {
		t.Errorf("%+v, %v", sum, err)
	}
}
