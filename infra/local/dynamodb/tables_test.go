package dynamodb_test

import (
	"testing"

	"merve/infra/local/dynamodb"
	"merve/infra/wiring"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

func TestMain(m *testing.M) {
	dynamotest.TakeAnything()
	m.Run()
}

// A folder of data that is older than an index gets it, with what is there already.
func TestOlderTablesGetNewIndexes(t *testing.T) {
	t.Parallel()
	name := dynamotest.ID("older")
	as := func(string) string { return name }
	whole := wiring.Table{Name: "older", Indexes: []wiring.Index{{Name: "due", PK: "dueShard", SK: "dueAt", Number: true}, {Name: "listed", PK: "listed", SK: "listedAt"}}}
	for _, indexes := range []int{0, 1, 2, 2} {
		table := whole
		table.Indexes = whole.Indexes[:indexes]
		if err := dynamodb.CreateTables(t.Context(), dynamotest.Config(t), []wiring.Table{table}, as); err != nil {
			t.Fatalf("%d indexes: %v", indexes, err)
		}
		if indexes > 0 {
			continue
		}
		put := dynamotest.Open(t).Table(name).Put(dynamo.Key{PK: "a", SK: "b"}, map[string]string{"listed": "m", "listedAt": "2026"})
		if err := dynamotest.Open(t).Commit(t.Context(), put); err != nil {
			t.Fatal(err)
		}
	}
	page, err := dynamotest.Open(t).Table(name).Query(t.Context(), dynamo.Query{Index: "listed", Where: "listed = :m", Values: dynamo.V{":m": "m"}})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("%d items, %v", len(page.Items), err)
	}
}
