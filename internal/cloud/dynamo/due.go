package dynamo

import (
	"context"
	"fmt"
	"hash/fnv"
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

// Due returns the keys of a kind that are due at or before now, oldest first, one shard's page: one request. The
// index is eventually consistent, so a key may be stale. Callers must decide on the item itself.
func (t Table) Due(ctx context.Context, kind string, shard int, now time.Time, limit int, after string) ([]Key, string, error) {
	page, err := t.duePage(ctx, kind, shard, now, limit, after)
	return page.Keys(), page.Next, err
}

func (t Table) duePage(ctx context.Context, kind string, shard int, now time.Time, limit int, after string) (Page, error) {
	return t.Query(ctx, Query{
		Index:  DueIndex,
		Where:  "dueShard = :shard AND dueAt <= :now",
		Values: V{":shard": dueShard(kind, shard), ":now": now},
		Limit:  limit,
		After:  after,
	})
}
