package dynamo

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"sync"
	"time"
)

// DueIndex is the sparse index on (dueShard, dueAt) of the tables that hold work to be
// looked at by a schedule: an item is in it only while it has both attributes. Keys only.
const DueIndex = "due"

// DueShards is how many partitions each kind of due work is spread over, so that no
// single index partition takes all writes: 16 carry about 8,000 holds a second
// (1,000 writes a second each, two index writes a hold).
const DueShards = 16

// DueShard returns the value of dueShard for the item id of a kind ("hold", "thread").
func DueShard(kind, id string) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	return dueShard(kind, int(h.Sum32()%DueShards))
}

func dueShard(kind string, n int) string { return fmt.Sprintf("%s#%02d", kind, n) }

// PutDue writes an item that says no more than when what its key names is due, of a kind and by an
// id.
func (t Table) PutDue(key Key, kind, id string, at time.Time) Write {
	return t.Put(key, struct {
		DueShard string    `dynamodbav:"dueShard"`
		DueAt    time.Time `dynamodbav:"dueAt"`
	}{DueShard(kind, id), at})
}

// Due returns the keys of a kind that are due at or before now, oldest first, one
// shard's page: one request. The index is read eventually, so a key may be stale:
// whoever acts on it decides on the item itself.
func (t Table) Due(ctx context.Context, kind string, shard int, now time.Time, limit int, after string) ([]Key, string, error) {
	page, err := t.Query(ctx, Query{
		Index:  DueIndex,
		Where:  "dueShard = :shard AND dueAt <= :now",
		Values: V{":shard": dueShard(kind, shard), ":now": now},
		Limit:  limit,
		After:  after,
	})
	if err != nil {
		return nil, "", err
	}
	return page.Keys(), page.Next, nil
}

// EachDue hands do what is due, at most limit keys a shard, one after the other, until ctx is
// [Closing]. An error keeps nothing else waiting. 16 requests.
func (t Table) EachDue(ctx context.Context, kind string, now time.Time, limit int, do func(Key) error) error {
	var errs []error
	for shard := range Shards(ctx, now) {
		keys, _, err := t.Due(ctx, kind, shard, now, limit, "")
		errs = append(errs, err)
		for _, k := range keys {
			if Closing(ctx) {
				break
			}
			if err := do(k); err != nil {
				errs = append(errs, fmt.Errorf("due %s %s: %w", kind, k, err))
			}
		}
	}
	return errors.Join(errs...)
}

// lastCall is how long before the end of its time nothing new is begun: what is under way may
// take as long.
const lastCall = 5 * time.Second

// Closing reports whether so little of ctx's time is left that what is due is for the next time.
func Closing(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(end) < lastCall
}

// Shards goes through the shards of the due index, until ctx is [Closing]. Each minute begins with
// another, lest some be never come to.
func Shards(ctx context.Context, now time.Time) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := int(now.Unix() / 60 % DueShards)
		for n := range DueShards {
			if Closing(ctx) || !yield((first+n)%DueShards) {
				return
			}
		}
	}
}

// EachShard calls do for all shards of the due index, so many at a time. An error of one
// keeps no other from it.
func EachShard(workers int, do func(shard int) error) error {
	errs := make([]error, DueShards)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for shard := w; shard < DueShards; shard += workers {
				errs[shard] = do(shard)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
