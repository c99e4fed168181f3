package dynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// Ten thousand ids spread over the shards so evenly that the fullest holds at most 1.3
// times the mean, whether they are hashes, in order of time, or merely numbered.
func TestShardsAreEven(t *testing.T) {
	t.Parallel()
	r := seedtest.Rand(t)
	start := ulid.Timestamp(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	for name, id := range map[string]func(i int) string{
		"hash":    func(int) string { return fmt.Sprintf("th_%016x%016x", r.Uint64(), r.Uint64()) },
		"in time": func(i int) string { return "tx_" + ulid.MustNew(start+uint64(i), fixed(r.Uint64())).String() },
		"counted": func(i int) string { return fmt.Sprintf("id-%06d", i) },
		"places": func(i int) string {
			return fmt.Sprintf("biz-%d:offering:table:2026-11-%02dT%02d:00", i%40, i/40%28+1, i%24)
		},
	} {
		const n = 10_000
		held := map[string]int{}
		for i := range n {
			held[dynamo.DueShard("hold", id(i))]++
		}
		most := 0
		for _, k := range held {
			most = max(most, k)
		}
		skew := float64(most) * dynamo.DueShards / n
		t.Logf("%s: the fullest of %d shards has %.3f of the mean", name, len(held), skew)
		if len(held) != dynamo.DueShards || skew > 1.3 {
			t.Errorf("%s: skew %.3f over %d shards, want at most 1.3 over %d", name, skew, len(held), dynamo.DueShards)
		}
	}
	faulttest.Tried(t, 40_000)
}

// fixed is a source of entropy that gives one number.
type fixed uint64

func (f fixed) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f >> (i % 8 * 8))
	}
	return len(p), nil
}

// A look each minute finds every item at the first look after it is due, none before, and
// each once, oldest first, however small the pages: nothing waits longer than a minute.
func TestDueLag(t *testing.T) {
	t.Parallel()
	tbl, r := table(t), seedtest.Rand(t)
	kind, base := dynamotest.ID("lag"), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	due := map[string]time.Time{}
	var ws []dynamo.Write
	for i := range seedtest.Times(t, 60) {
		id := fmt.Sprint(i)
		due[id] = base.Add(time.Duration(r.IntN(4*60_000)) * time.Millisecond)
		ws = append(ws, tbl.Update(dynamo.Key{PK: kind, SK: id}, "SET dueShard = :s, dueAt = :at", dynamo.V{":s": dynamo.DueShard(kind, id), ":at": due[id]}))
	}
	if err := tbl.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	found := 0
	for now := base; now.Before(base.Add(5 * time.Minute)); now = now.Add(time.Minute) {
		for _, k := range lookFor(t, tbl, kind, now) {
			at := due[k.SK]
			if lag := now.Sub(at); lag < 0 || lag > time.Minute {
				t.Errorf("due at %v, found at %v", at, now)
			}
			found++
			if err := tbl.DB().Commit(t.Context(), tbl.Update(k, "REMOVE dueShard, dueAt", nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found != len(due) {
		t.Errorf("found %d of %d", found, len(due))
	}
	faulttest.Tried(t, found)
}

// lookFor pages through all shards of a kind, a few keys at a time.
func lookFor(t *testing.T, tbl dynamo.Table, kind string, now time.Time) []dynamo.Key {
	t.Helper()
	var all []dynamo.Key
	seen := map[string]bool{}
	for shard := range dynamo.DueShards {
		after, last := "", time.Time{}
		for {
			keys, next, err := tbl.Due(t.Context(), kind, shard, now, 7, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range keys {
				it, err := tbl.Get(t.Context(), k)
				if err != nil || it.Time("dueAt").Before(last) || seen[k.SK] {
					t.Fatalf("%s: due at %v after %v, %v", k.SK, it.Time("dueAt"), last, err)
				}
				last, seen[k.SK] = it.Time("dueAt"), true
			}
			all = append(all, keys...)
			if after = next; after == "" {
				break
			}
		}
	}
	return all
}
