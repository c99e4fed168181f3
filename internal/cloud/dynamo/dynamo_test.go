package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

func TestMain(m *testing.M) {
	dynamotest.TakeAnything()
	m.Run()
}

type note struct {
	Text    string         `dynamodbav:"text"`
	Count   int            `dynamodbav:"count"`
	At      time.Time      `dynamodbav:"at"`
	Never   time.Time      `dynamodbav:"never"`
	Tags    []string       `dynamodbav:"tags,omitempty"`
	Nested  map[string]any `dynamodbav:"nested,omitempty"`
	Pointer *note          `dynamodbav:"pointer,omitempty"`
}

func table(t *testing.T) dynamo.Table {
	return dynamotest.Open(t).Table(dynamotest.TableName("records"))
}

func TestItemsRoundTrip(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	key := dynamo.Key{PK: dynamotest.ID("note"), SK: "1"}
	want := note{Text: "a", Count: 2, At: time.UnixMilli(1_700_000_000_123).UTC(), Tags: []string{"x"}, Pointer: &note{Text: "b"}}
	if err := tbl.DB().Commit(ctx, tbl.Put(key, want).IfAbsent()); err != nil {
		t.Fatal(err)
	}
	it, err := tbl.Get(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	var got note
	if err := it.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, there := it["never"]; there || !it.Time("never").IsZero() || !it.Time("at").Equal(want.At) {
		t.Errorf("stored: %v", it)
	}
	if missing, err := tbl.Get(ctx, dynamo.Key{PK: key.PK, SK: "2"}); err != nil || missing != nil {
		t.Errorf("missing item: %v, %v", missing, err)
	}
}

// A key in an error names nobody, and the same one the same.
func TestKeysInErrorsNameNobody(t *testing.T) {
	t.Parallel()
	k := dynamo.Key{PK: "drivers#+15550309001", SK: "phone#+15550309001#9"}
	s := k.String()
	if strings.Contains(s, "15550309001") || !strings.Contains(s, " phone#") || !strings.HasSuffix(s, "#9") || s != k.String() {
		t.Errorf("%q", s)
	}
	if plain := (dynamo.Key{PK: "tx#1", SK: "event#1"}).String(); !strings.HasSuffix(plain, " event#1") {
		t.Errorf("%q", plain)
	}
}

// What is nearer to zero than DynamoDB keeps a number is zero, wherever it stands.
func TestTinyNumbers(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	key := dynamo.Key{PK: dynamotest.ID("note"), SK: "1"}
	for x, want := range map[float64]float64{
		1.0367219691582992e-237: 0, -9e-131: 0, 5e-324: 0, 1e-130: 1e-130, -1.25e-130: -1.25e-130, 1e-100: 1e-100, 35.3364: 35.3364, 1e125: 1e125,
	} {
		in := struct {
			X   float64            `dynamodbav:"x"`
			All []float64          `dynamodbav:"all"`
			By  map[string]float64 `dynamodbav:"by"`
		}{x, []float64{x}, map[string]float64{"x": x}}
		out := in
		change := tbl.Update(dynamo.Key{PK: key.PK, SK: "2"}, "SET x = :x", dynamo.V{":x": x})
		if err := tbl.DB().Commit(ctx, tbl.Put(key, in), change); err != nil {
			t.Errorf("%g: %v", x, err)
			continue
		}
		it, err := tbl.Get(ctx, key)
		if err == nil {
			err = it.Decode(&out)
		}
		if err != nil || out.X != want || out.All[0] != want || out.By["x"] != want {
			t.Errorf("%g: %v, %+v", x, err, out)
		}
	}
}

func TestFailedConditionsHaveMeaning(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	pk := dynamotest.ID("cond")
	a, b := dynamo.Key{PK: pk, SK: "a"}, dynamo.Key{PK: pk, SK: "b"}
	if err := tbl.DB().Commit(ctx, tbl.Put(a, note{Text: "old"})); err != nil {
		t.Fatal(err)
	}
	taken := fault.New(fault.Conflict, "taken")
	put := tbl.Put(a, note{Text: "new"}).IfAbsent().ElseOld(func(old dynamo.Item) error {
		if old.String("text") != "old" {
			t.Errorf("old item = %v", old)
		}
		return taken
	})
	for name, ws := range map[string][]dynamo.Write{
		"alone":         {put},
		"together":      {tbl.Put(b, note{}), put},
		"unnamed later": {put, tbl.Check(b, "attribute_exists(pk)", nil)},
		"checked":       {tbl.Put(b, note{}), tbl.Check(a, "attribute_not_exists(pk)", nil).ElseOld(func(dynamo.Item) error { return taken })},
	} {
		if err := tbl.DB().Commit(ctx, ws...); !errors.Is(err, taken) {
			t.Errorf("%s: err = %v, want %v", name, err, taken)
		}
	}
	if it, _ := tbl.Get(ctx, b); it != nil {
		t.Error("half a transaction happened")
	}
	if err := tbl.DB().Commit(ctx, tbl.Put(a, note{}).IfAbsent()); !errors.Is(err, dynamo.ErrCondition) {
		t.Errorf("err = %v, want ErrCondition", err)
	}
}

// unstorable cannot be encoded.
type unstorable struct{}

func (unstorable) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return nil, errors.New("not to be stored")
}

// A put may be made of several structs, unless they disagree about an attribute.
func TestPutBeside(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	key := dynamo.Key{PK: dynamotest.ID("beside"), SK: "a"}
	type more struct {
		Colour string `dynamodbav:"colour"`
	}
	put := tbl.Put(key, note{Text: "x"})
	if err := tbl.DB().Commit(ctx, put.Beside(more{"red"})); err != nil {
		t.Fatal(err)
	}
	if it, err := tbl.Get(ctx, key); err != nil || it.String("text") != "x" || it.String("colour") != "red" {
		t.Errorf("stored %v, %v", it, err)
	}
	for name, w := range map[string]dynamo.Write{
		"twice":             put.Beside(note{Text: "y"}),
		"what is no item":   tbl.Put(key, unstorable{}).Beside(more{"red"}),
		"beside is no item": put.Beside(unstorable{}),
		"in place of a key": put.Beside(struct {
			PK string `dynamodbav:"pk"`
		}{"other"}),
		"beside what failed": put.Beside(note{Text: "y"}).Beside(more{"red"}),
	} {
		if err := tbl.DB().Commit(ctx, w); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	if it, _ := tbl.Get(ctx, key); it.String("text") != "x" {
		t.Errorf("stored %v", it)
	}
}

func TestNamesAndConditionsAdd(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	key := dynamo.Key{PK: dynamotest.ID("name"), SK: "a"}
	w := tbl.Update(key, "SET #count = :n, #text = :t", dynamo.V{":n": 1, ":t": "x"}).
		If("attribute_not_exists(#count)", nil).If("attribute_not_exists(#text) OR #text = :t", nil)
	after, err := tbl.DB().Apply(ctx, w)
	if err != nil || after.Int("count") != 1 {
		t.Fatalf("after = %v, err = %v", after, err)
	}
	if _, err := tbl.DB().Apply(ctx, w); !errors.Is(err, dynamo.ErrCondition) {
		t.Errorf("second time: %v, want ErrCondition", err)
	}
}

func TestQueryPages(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	pk := dynamotest.ID("page")
	for i := range 5 {
		if err := tbl.DB().Commit(ctx, tbl.Put(dynamo.Key{PK: pk, SK: fmt.Sprint(i)}, note{})); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	q := dynamo.Query{Where: "pk = :pk", Values: dynamo.V{":pk": pk}, Limit: 2, Backward: true}
	err := tbl.Each(ctx, q, func(it dynamo.Item) error {
		got = append(got, it.Key().SK)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"4", "3", "2", "1", "0"}, got); d != "" {
		t.Error(d)
	}
	for _, forged := range []string{"not a cursor", "eyJhIjoiYiJ9", "eyJwayI6InBrIn0"} {
		q.After = forged
		if _, err := tbl.Query(ctx, q); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %s: %v", forged, err)
		}
	}
}

// What an index leads to is read in its order, without what has gone since.
func TestBehindAnIndex(t *testing.T) {
	t.Parallel()
	ctx, tbl := context.Background(), dynamotest.Open(t).Table(dynamotest.TableName("records"))
	listed := dynamotest.ID("list")
	for i := range 4 {
		it := map[string]any{"listed": listed, "listedAt": fmt.Sprint(9 - i)}
		if err := tbl.DB().Commit(ctx, tbl.Put(dynamo.Key{PK: listed, SK: fmt.Sprint(i)}, it)); err != nil {
			t.Fatal(err)
		}
	}
	page, err := tbl.Query(ctx, dynamo.Query{Index: "listed", Where: "listed = :listed", Values: dynamo.V{":listed": listed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tbl.DB().Commit(ctx, tbl.Delete(dynamo.Key{PK: listed, SK: "1"})); err != nil {
		t.Fatal(err)
	}
	items, err := tbl.BatchGet(ctx, page.Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range items {
		got = append(got, it.Key().SK)
	}
	if d := cmp.Diff([]string{"3", "2", "0"}, got); d != "" {
		t.Error(d)
	}
	if items, err := tbl.BatchGet(ctx); err != nil || len(items) != 0 {
		t.Errorf("of no keys: %v, %v", items, err)
	}
}

// Items of several tables are read in one request.
func TestBatchGetOfTables(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t)
	records, ledger := db.Table(dynamotest.TableName("records")), db.Table(dynamotest.TableName("ledger"))
	key, missing := dynamo.Key{PK: dynamotest.ID("note"), SK: "1"}, dynamo.Key{PK: dynamotest.ID("note"), SK: "2"}
	if err := db.Commit(t.Context(), records.Put(key, note{Text: "a record"}), ledger.Put(key, note{Text: "an entry"})); err != nil {
		t.Fatal(err)
	}
	ctx, meter := telemetry.WithMeter(t.Context())
	items, err := db.BatchGet(ctx, dynamo.Place{Table: ledger, Key: key}, dynamo.Place{Table: records, Key: missing}, dynamo.Place{Table: records, Key: key})
	if err != nil || len(items) != 3 || items[0].String("text") != "an entry" || items[1] != nil || items[2].String("text") != "a record" || meter.Cost().Requests != 1 {
		t.Errorf("%v, %v in %d requests", items, err, meter.Cost().Requests)
	}
	if twice, err := records.BatchGet(ctx, key, missing, key); err != nil || len(twice) != 2 || twice[1].String("text") != "a record" {
		t.Errorf("one key twice: %v, %v", twice, err)
	}
}

func TestDueIndex(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	kind, now := dynamotest.ID("kind"), time.Now().UTC().Truncate(time.Millisecond)
	for i, at := range []time.Time{now.Add(-time.Minute), now, now.Add(time.Minute)} {
		id := fmt.Sprint(i)
		w := tbl.Update(dynamo.Key{PK: kind, SK: id}, "SET dueShard = :s, dueAt = :at", dynamo.V{":s": dynamo.DueShard(kind, "same"), ":at": at})
		if err := tbl.DB().Commit(ctx, w); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for shard := range dynamo.DueShards {
		keys, _, err := tbl.Due(ctx, kind, shard, now, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			got = append(got, k.SK)
		}
	}
	if d := cmp.Diff([]string{"0", "1"}, got); d != "" {
		t.Error(d)
	}
}

func TestEveryRequestIsCounted(t *testing.T) {
	t.Parallel()
	tbl := table(t)
	ctx, meter := telemetry.WithMeter(context.Background())
	pk := dynamotest.ID("count")
	if err := tbl.DB().Commit(ctx, tbl.Put(dynamo.Key{PK: pk, SK: "1"}, note{}), tbl.Put(dynamo.Key{PK: pk, SK: "2"}, note{})); err != nil {
		t.Fatal(err)
	}
	if _, err := tbl.Get(ctx, dynamo.Key{PK: pk, SK: "1"}); err != nil {
		t.Fatal(err)
	}
	c := meter.Cost()
	if c.Requests != 2 || c.WriteUnits != 4 || c.ReadUnits != 1 || c.Bytes == 0 {
		t.Errorf("cost = %+v, want 2 requests, 4 write units, 1 read unit", c)
	}
	for name, tt := range map[string]struct {
		writes   []dynamo.Write
		requests int
		units    float64
	}{
		"nothing":           {nil, 0, 0},
		"one, by itself":    {[]dynamo.Write{tbl.Put(dynamo.Key{PK: pk, SK: "3"}, note{})}, 1, 1},
		"one, with a check": {[]dynamo.Write{tbl.Put(dynamo.Key{PK: pk, SK: "3"}, note{}), tbl.Check(dynamo.Key{PK: pk, SK: "1"}, "attribute_exists(pk)", nil)}, 1, 4},
	} {
		ctx, meter := telemetry.WithMeter(t.Context())
		if err := tbl.DB().Commit(ctx, tt.writes...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c := meter.Cost(); c.Requests != tt.requests || c.WriteUnits != tt.units {
			t.Errorf("%s: cost = %+v", name, c)
		}
	}
}

// Reads see what was written before they began: each is billed as a strongly consistent one, which
// is a unit where others are a half. DynamoDB Local gives all of them the latest.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html
func TestReadsAreStronglyConsistent(t *testing.T) {
	t.Parallel()
	tbl, pk := table(t), dynamotest.ID("strong")
	if err := tbl.DB().Commit(t.Context(), tbl.Put(dynamo.Key{PK: pk, SK: "a"}, note{}), tbl.Put(dynamo.Key{PK: pk, SK: "b"}, note{})); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"GetItem": 1, "BatchGetItem": 2, "Query": 1} {
		ctx, meter := telemetry.WithMeter(t.Context())
		if err := operations()[name](ctx, tbl, pk); err != nil {
			t.Fatal(err)
		}
		if got := meter.Cost().ReadUnits; got != want {
			t.Errorf("%s: %v read units, want %v", name, got, want)
		}
	}
}

// More writes than fit into a request are made in several; those after one that fails are not.
func TestCommitAllInHundreds(t *testing.T) {
	t.Parallel()
	tbl := table(t)
	ctx, meter := telemetry.WithMeter(t.Context())
	pk := dynamotest.ID("many")
	ws := make([]dynamo.Write, 250)
	for i := range ws {
		ws[i] = tbl.Put(dynamo.Key{PK: pk, SK: fmt.Sprintf("%03d", i)}, note{Count: i}).IfAbsent()
	}
	if err := tbl.DB().CommitAll(ctx, ws[120]); err != nil {
		t.Fatal(err)
	}
	stored := func() int {
		t.Helper()
		its, err := dynamo.Collect[note](t.Context(), tbl, dynamo.Under(pk, ""))
		if err != nil {
			t.Fatal(err)
		}
		return len(its)
	}
	if err := tbl.DB().CommitAll(ctx, ws...); !errors.Is(err, dynamo.ErrCondition) || stored() != 101 {
		t.Errorf("the second hundred cannot be written: %d are stored, %v", stored(), err)
	}
	if err := tbl.DB().CommitAll(ctx, ws[100:120]...); err != nil {
		t.Fatal(err)
	}
	if err := tbl.DB().CommitAll(ctx, ws[121:]...); err != nil || stored() != 250 || meter.Cost().Requests != 6 {
		t.Errorf("%d are stored in %d requests, %v", stored(), meter.Cost().Requests, err)
	}
}

func TestManyWritersOneWinner(t *testing.T) {
	t.Parallel()
	tbl, ctx := table(t), context.Background()
	pk := dynamotest.ID("race")
	var wg sync.WaitGroup
	var mu sync.Mutex
	wins := 0
	for i := range 16 {
		wg.Go(func() {
			err := tbl.DB().Commit(ctx,
				tbl.Put(dynamo.Key{PK: pk, SK: "lock"}, note{Count: i}).IfAbsent(),
				tbl.Put(dynamo.Key{PK: pk, SK: fmt.Sprint("w", i)}, note{}))
			if err == nil {
				mu.Lock()
				wins++
				mu.Unlock()
			} else if !errors.Is(err, dynamo.ErrCondition) {
				t.Errorf("loser: %v", err)
			}
		})
	}
	wg.Wait()
	if wins != 1 {
		t.Errorf("%d winners", wins)
	}
}
