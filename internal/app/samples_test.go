package app_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/google/go-cmp/cmp"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/report"
	"merve/internal/record/ledger"
	"merve/internal/spine/outbox"
)

// threadOf is the thread that the sample of a turn is about.
func threadOf(t *testing.T, name string) string {
	t.Helper()
	var e events.SQSEvent
	if err := json.Unmarshal(sample(t, name), &e); err != nil {
		t.Fatal(err)
	}
	return e.Records[0].Attributes["MessageGroupId"]
}

// image is the new item in the sample of a stream's event.
func image(t *testing.T, name string) dynamo.Item {
	t.Helper()
	var it dynamo.Item
	h := trigger.Stream(func(_ context.Context, r trigger.Record) error {
		it = dynamo.Item(r.New)
		return nil
	})
	if _, err := h.Invoke(t.Context(), sample(t, name)); err != nil || it == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return it
}

// bookedIn is the transaction that the sample of a ledger event is about.
func bookedIn(t *testing.T) ledger.Transaction {
	t.Helper()
	e, _, err := ledger.Events.Read(image(t, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	return e.Transaction
}

// The items in the samples are such as are really stored: what is read from them, written
// again, is the same.
func TestSampleItemsAreReal(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(dynamo.Item) (any, error){
		"notify":  func(it dynamo.Item) (any, error) { e, _, err := ledger.Events.Read(it); return e, err },
		"records": func(it dynamo.Item) (any, error) { e, _, err := report.Events.Read(it); return e, err },
		"sender":  func(it dynamo.Item) (any, error) { return outbox.FromStream(it) },
	} {
		it := image(t, name)
		v, err := read(it)
		if err != nil {
			t.Fatal(err)
		}
		again, err := dynamo.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		want := dynamo.Item{}
		for k, v := range it {
			if again[k] != nil || name != "sender" && k != "pk" && k != "sk" && k != "kind" {
				want[k] = v
			}
		}
		if diff := cmp.Diff(plain(t, want), plain(t, again)); diff != "" {
			t.Errorf("%s: in the sample (-) and as it would be stored (+):\n%s", name, diff)
		}
	}
}

func plain(t *testing.T, it dynamo.Item) map[string]any {
	t.Helper()
	var m map[string]any
	if err := attributevalue.UnmarshalMap(it, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
