package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/order"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// What an earlier version stored is read by this one: a thread with what waits on it and a turn
// that was not finished, and what it was about. testdata/older.json stays as it is: a change
// that it does not survive needs a way from the old form to the new one.
func TestField27_ItemsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/older.json")
	if err != nil {
		t.Fatal(err)
	}
	var items map[string]map[string]any
	if err := json.Unmarshal(b, &items); err != nil {
		t.Fatal(err)
	}
	w, ctx := newWorld(t, nil), t.Context()
	text := func(item, name string) string { s, _ := items[item][name].(string); return s }
	owner := text("head", "owner")
	id := thread.ID(text("head", "market"), channel.General, "", owner)
	put := func(table dynamo.Table, key dynamo.Key, item string) {
		if err := table.DB().Commit(ctx, table.Put(key, items[item])); err != nil {
			t.Fatal(err)
		}
	}
	put(w.threads.Table, dynamo.Key{PK: id, SK: "~"}, "head")
	put(w.threads.Table, dynamo.Key{PK: id, SK: "journal#00000002#0000"}, "journal")
	put(w.ledger.Table, dynamo.Key{PK: "tx#" + text("transaction", "id"), SK: "tx"}, "transaction")
	put(w.orders.Table, dynamo.Key{PK: "orders#" + text("order", "owner"), SK: "order#" + text("order", "id")}, "order")

	head, err := w.threads.Head(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]any{"head": head}
	w.clock.set(head.LeaseUntil.Add(time.Second)) // whoever had the turn has died
	a, err := w.threads.Append(ctx, channel.Inbound{
		Market: head.Market, Channel: channel.App, ThreadType: channel.General, From: actor.OfKey(owner), MessageID: "yes", Text: "yes",
	}, true)
	if err != nil || a.Thread != id {
		t.Fatalf("on %s, %v", a.Thread, err)
	}
	th, err := w.threads.Open(ctx, a.Lease)
	if err != nil || len(th.Journal) != 1 {
		t.Fatalf("journal %v, %v", th.Journal, err)
	}
	read["journal"] = th.Journal[0]
	if got := gate.Decide(th.Pending, gate.Books, th.Inbox, nil, head.Pending.CreatedAt); got != gate.Confirmed {
		t.Errorf("a YES to what waits is %v", got)
	}
	tx, err := w.ledger.Get(ctx, actor.OfKey(owner), th.Pending.Ref)
	if err != nil || tx.State != ledger.Hold || tx.OfferHash != th.Pending.Hash {
		t.Errorf("%+v, %v", tx, err)
	}
	read["transaction"] = tx
	o, err := w.orders.Get(ctx, actor.OfKey(text("order", "owner")), text("order", "market"), text("order", "id"))
	if err != nil || o.Status != order.Accepted || o.Receipt == nil || o.Receipt.OfferHash != o.Hash() {
		t.Errorf("%+v, %v", o, err)
	}
	read["order"] = o
	for name, v := range read {
		wantAllOf(t, name, items[name], v)
	}
}

// wantAllOf wants that nothing of a stored item is lost in what was read of it, but for what is
// there for indexes.
func wantAllOf(t *testing.T, name string, stored map[string]any, read any) {
	t.Helper()
	it, err := dynamo.Encode(read)
	if err != nil {
		t.Fatal(err)
	}
	var again map[string]any
	if err := attributevalue.UnmarshalMap(it, &again); err != nil {
		t.Fatal(err)
	}
	index := map[string]bool{"dueAt": true, "dueShard": true, "listed": true, "listedAt": true, "created": true, "since": true, "locks": true, "version": true}
	for field, want := range stored {
		if diff := cmp.Diff(want, again[field]); diff != "" && !index[field] {
			t.Errorf("%s, %s (-stored +read):\n%s", name, field, diff)
		}
	}
}

// A step of a turn that was begun is done again; one of a kind that this version does not know is
// passed over, and one that cannot be read is an error and no other step.
func TestField27_StepsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		step thread.Entry
		want fault.Kind
	}{
		"of another kind": {thread.Entry{Step: 5, Kind: "dreamt", Data: "of sheep"}, ""},
		"empty":           {thread.Entry{Kind: "decision", Data: "[]"}, fault.Internal},
		"of another form": {thread.Entry{Kind: "decision", Data: `{"text":"hi"}`}, fault.Internal},
	} {
		w := newWorld(t, nil)
		asked := 0
		w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
			asked++
			return llm.Response{Text: "Hello.", Finish: "stop"}, nil
		})
		in := w.from("ann", channel.App, "1", "hi")
		w.comes(in)
		_, _, err := w.threads.Take(t.Context(), threadOf(in))
		_, err2 := w.threads.Record(t.Context(), threadOf(in), 1, tt.step)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		w.clock.add(thread.LeaseFor + time.Second) // and whoever did that died
		err = w.runner.Work(t.Context(), threadOf(in))
		if tt.want == "" && (err != nil || asked != 1) || tt.want != "" && (!fault.Is(err, tt.want) || asked != 0) {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
	}
}
