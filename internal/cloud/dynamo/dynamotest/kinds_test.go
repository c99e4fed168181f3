package dynamotest_test

import (
	"strings"
	"testing"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// What is of no kind is not written, however it is, and the error says where to declare it.
func TestUndeclaredIsRefused(t *testing.T) {
	t.Parallel()
	table := dynamotest.Open(t).Table(dynamotest.TableName("records"))
	known, unknown := dynamo.Key{PK: "test#" + dynamotest.ID("known"), SK: "1"}, dynamo.Key{PK: "secrets#of-ann", SK: "1"}
	for name, ws := range map[string][]dynamo.Write{
		"put":         {table.Put(unknown, struct{}{})},
		"update":      {table.Update(unknown, "SET a = :a", dynamo.V{":a": 1})},
		"transaction": {table.Put(known, struct{}{}), table.Put(unknown, struct{}{})},
		"updates":     {table.Put(known, struct{}{}), table.Update(unknown, "SET a = :a", dynamo.V{":a": 1})},
	} {
		err := table.DB().Commit(t.Context(), ws...)
		if err == nil || !strings.Contains(err.Error(), "secrets#of-ann") || !strings.Contains(err.Error(), "dynamotest/kinds.go") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if it, err := table.Get(t.Context(), known); err != nil || it != nil {
		t.Errorf("written: %v, %v", it, err)
	}
	if err := table.DB().Commit(t.Context(), table.Put(known, struct{}{})); err != nil {
		t.Error(err)
	}
}

// Each kind stands once, and says whose it is: who erases it, or why nobody has to.
func TestKindsSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	stands := map[string]bool{}
	for _, k := range dynamotest.Kinds {
		form := k.PK + " " + k.SK
		if stands[form] || k.Package == "" || len(k.Holders) == 0 && k.Why == "" {
			t.Errorf("%+v", k)
		}
		stands[form] = true
	}
	for key, want := range map[dynamo.Key]string{
		{PK: "th_0123", SK: "turn#00000001"}:                       "thread",
		{PK: "th_0123", SK: "live#000000000001"}:                   "live",
		{PK: "code#0123", SK: "code"}:                              "thread",
		{PK: "code#grill", SK: "DF4S"}:                             "order",
		{PK: "talk#0123", SK: "th_0123"}:                           "thread",
		{PK: "talk#demo#grill", SK: "K7"}:                          "relay",
		{PK: "request#rq_1", SK: "~outreach#ou_1"}:                 "marketplace",
		{PK: "grill:offering:a:2026-11-25", SK: "09:00:token:001"}: "ledger",
	} {
		if k, ok := dynamotest.KindOf(key); !ok || k.Package != want {
			t.Errorf("%v is of %+v", key, k)
		}
	}
	for _, key := range []dynamo.Key{{PK: "th_0123", SK: "secret#1"}, {PK: "th_0123#more", SK: "turn#00000001"}, {PK: "", SK: ""}} {
		if k, ok := dynamotest.KindOf(key); ok {
			t.Errorf("%v is of %+v", key, k)
		}
	}
}
