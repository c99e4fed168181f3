package event_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/event"
)

func TestMain(m *testing.M) {
	dynamotest.TakeAnything()
	m.Run()
}

type baked struct {
	Loaf  string    `dynamodbav:"loaf"`
	Trace string    `dynamodbav:"trace,omitempty"`
	At    time.Time `dynamodbav:"at"`
}

type sold struct {
	Price int `dynamodbav:"price"`
}

var (
	bakes = event.Kind[baked]{Name: "bake", Earlier: dynamo.Key{PK: "oven#", SK: "event#"}}
	sales = event.Kind[sold]{Name: "sale", Earlier: dynamo.Key{PK: "till#", SK: "event#sold#"}}
	noon  = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
)

// item is an item as a stream brings it.
func item(pk, sk string, attributes map[string]types.AttributeValue) dynamo.Item {
	it := dynamo.Item{"pk": text(pk), "sk": text(sk)}
	for name, v := range attributes {
		it[name] = v
	}
	return it
}

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// What is put is an item with the envelope, and is read as it was.
func TestPut(t *testing.T) {
	t.Parallel()
	table := dynamotest.Open(t).Table(dynamotest.TableName("records"))
	key := dynamo.Key{PK: dynamotest.ID("oven#"), SK: "event#1"}
	facts := baked{Loaf: "rye", Trace: "t", At: noon}
	if err := table.DB().Commit(t.Context(), bakes.Put(table, key, facts)); err != nil {
		t.Fatal(err)
	}
	it, err := table.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := event.Open(it); !ok || e != (event.Envelope{Kind: "bake", ID: "1", At: noon, Trace: "t"}) {
		t.Errorf("%+v, %v", e, ok)
	}
	if got, ok, err := bakes.Read(it); got != facts || !ok || err != nil {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
}

// An event is read by the kind that it names, wherever it lies, and one that names none by its keys.
func TestWhoseEventItIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		item dynamo.Item
		bake bool
		sale bool
	}{
		"a bake":                      {item("oven#1", "event#1", map[string]types.AttributeValue{"kind": text("bake")}), true, false},
		"a bake, elsewhere":           {item("till#1", "event#sold#1", map[string]types.AttributeValue{"kind": text("bake")}), true, false},
		"of another kind":             {item("oven#1", "event#1", map[string]types.AttributeValue{"kind": text("quote")}), false, false},
		"an earlier bake":             {item("oven#1", "event#1", nil), true, false},
		"an earlier sale":             {item("till#1", "event#sold#1", nil), false, true},
		"not an earlier sale":         {item("till#1", "event#opened#1", nil), false, false},
		"no event":                    {item("oven#1", "bread#1", nil), false, false},
		"no event, and called a bake": {item("oven#1", "bread#1", map[string]types.AttributeValue{"kind": text("bake")}), false, false},
	} {
		_, bake, err1 := bakes.Read(tt.item)
		_, sale, err2 := sales.Read(tt.item)
		if bake != tt.bake || sale != tt.sale || err1 != nil || err2 != nil {
			t.Errorf("%s: bake %v, sale %v, %v, %v", name, bake, sale, err1, err2)
		}
	}
}

// All who are to know of a kind are told, of no other kind, and whatever becomes of the others.
func TestRouter(t *testing.T) {
	t.Parallel()
	var told []string
	away := fault.New(fault.Unavailable, "away")
	r, err := event.NewRouter(dynamo.Table{},
		bakes.To(
			func(_ context.Context, b baked) error { told = append(told, "shop "+b.Loaf); return away },
			func(_ context.Context, b baked) error { told = append(told, "street "+b.Loaf); return nil },
		),
		sales.To(func(context.Context, sold) error { told = append(told, "books"); return nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		item dynamo.Item
		told []string
		err  error
	}{
		"a bake":              {item("x", "event#1", map[string]types.AttributeValue{"kind": text("bake"), "loaf": text("rye")}), []string{"shop rye", "street rye"}, away},
		"an earlier bake":     {item("oven#", "event#1", map[string]types.AttributeValue{"loaf": text("rye")}), []string{"shop rye", "street rye"}, away},
		"a sale":              {item("x", "event#1", map[string]types.AttributeValue{"kind": text("sale"), "price": number("3")}), []string{"books"}, nil},
		"not to be read":      {item("x", "event#1", map[string]types.AttributeValue{"kind": text("sale"), "price": text("three")}), nil, &fault.Error{Kind: fault.Invalid}},
		"a kind without one":  {item("oven#", "event#1", map[string]types.AttributeValue{"kind": text("quote")}), nil, &fault.Error{Kind: fault.Invalid}},
		"no kind, other keys": {item("x", "event#1", nil), nil, nil},
		"no event":            {item("oven#1", "bread#1", map[string]types.AttributeValue{"kind": text("quote")}), nil, nil},
	} {
		told = nil
		if err := r.Tell(t.Context(), tt.item); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) || !slices.Equal(told, tt.told) {
			t.Errorf("%s: told %q, %v", name, told, err)
		}
	}
}

// A kind stands in a table once.
func TestTwoRoutesOfAKind(t *testing.T) {
	t.Parallel()
	if r, err := event.NewRouter(dynamo.Table{}, bakes.To(), sales.To(), bakes.To()); err == nil {
		t.Errorf("%+v", r)
	}
}

// An event is due until somebody was told of it, and is sent again when that takes too long.
func TestDueUntilTold(t *testing.T) {
	t.Parallel()
	table := dynamotest.Open(t).Table(dynamotest.OwnTable(t, "records"))
	key := dynamo.Key{PK: dynamotest.ID("oven#"), SK: "event#1"}
	if err := table.DB().Commit(t.Context(), bakes.Put(table, key, baked{Loaf: "rye", At: noon})); err != nil {
		t.Fatal(err)
	}
	stored := func() dynamo.Item {
		t.Helper()
		it, err := table.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	resend := func(at time.Time, want int) {
		t.Helper()
		if n, err := event.Resend(t.Context(), table, at, dynamo.Budget{}); n != want || err != nil {
			t.Errorf("at %s: %d sent again, want %d: %v", at, n, want, err)
		}
	}
	away := true
	r, err := event.NewRouter(table, bakes.To(func(context.Context, baked) error {
		if away {
			return fault.New(fault.Unavailable, "away")
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	resend(noon.Add(event.Patience-time.Second), 0)
	if err := r.Tell(t.Context(), stored()); err == nil {
		t.Error("nobody was told, and it is no error")
	}
	resend(noon.Add(event.Patience), 1)
	resend(noon.Add(event.Patience), 0)
	away = false
	late := stored()
	for range 2 { // the stream may bring it twice
		if err := r.Tell(t.Context(), late); err != nil {
			t.Error(err)
		}
	}
	resend(noon.Add(24*time.Hour), 0)
	if got, _, err := bakes.Read(stored()); got.Loaf != "rye" || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if err := table.DB().Commit(t.Context(), table.Delete(key)); err != nil { // erased while somebody was told
		t.Fatal(err)
	}
	if err := r.Tell(t.Context(), late); err != nil || stored() != nil {
		t.Errorf("%v, %v", err, stored())
	}
}

// What readers make up for is not due.
func TestMadeUpFor(t *testing.T) {
	t.Parallel()
	table := dynamotest.Open(t).Table(dynamotest.TableName("records"))
	k, key := bakes, dynamo.Key{PK: dynamotest.ID("oven#"), SK: "event#1"}
	k.ReadersCatchUp = true
	if err := table.DB().Commit(t.Context(), k.Put(table, key, baked{Loaf: "rye", At: noon})); err != nil {
		t.Fatal(err)
	}
	if it, err := table.Get(t.Context(), key); err != nil || it.String("dueShard") != "" {
		t.Errorf("%v, %v", it, err)
	}
}

// Whatever fails on the way, an event is due or somebody was told of it.
func TestEveryFaultOfAnEvent(t *testing.T) {
	type state struct{ Told, Due bool }
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) state {
		ctx, own := context.Background(), dynamotest.OwnTable(t, "records")
		table, key := dynamotest.Once(t, calls).Table(own), dynamo.Key{PK: dynamotest.ID("oven#"), SK: "event#1"}
		sound := dynamotest.Open(t).Table(own)
		if err := sound.DB().Commit(ctx, bakes.Put(sound, key, baked{Loaf: "rye", At: noon})); err != nil {
			t.Fatal(err)
		}
		told := false
		r, err := event.NewRouter(table, bakes.To(func(context.Context, baked) error { told = true; return nil }))
		if err != nil {
			t.Fatal(err)
		}
		calls.Deliver(t, nil, func() error {
			_, err := event.Resend(ctx, table, noon.Add(time.Hour), dynamo.Budget{})
			return err
		})
		calls.Deliver(t, nil, func() error {
			it, err := sound.Get(ctx, key)
			if err != nil {
				return err
			}
			return r.Tell(ctx, it)
		})
		it, err := sound.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		due := it.String("dueShard") != ""
		if !told && !due {
			t.Error("nobody was told, and nobody will be")
		}
		return state{told, due}
	})
}
