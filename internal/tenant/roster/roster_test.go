package roster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/roster"
)

// A number's roles are those that it has joined and not left, in its own market only; they
// are looked up once a minute.
func TestRoles(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	table := dynamotest.Open(t).Table(dynamotest.TableName("catalog"))
	book := &roster.Book{Table: table, Now: func() time.Time { return now }}
	market, number := dynamotest.ID("demo"), "+15550100"
	entries := []roster.Entry{
		{Role: roster.Business, ID: "tapas", Name: "biz-b"}, {Role: roster.Business, ID: "sushi", Name: "biz-a"},
		{Role: roster.Business, ID: "bar", Name: "biz-a"}, {Role: roster.Driver, ID: "d1"},
	}
	ctx, meter := telemetry.WithMeter(t.Context())
	read := func(m string) roster.Roles {
		t.Helper()
		r, err := book.Of(ctx, m, number)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := read(market); len(r) != 0 {
		t.Errorf("before: %v", r)
	}
	for _, e := range entries {
		if err := table.DB().Commit(t.Context(), roster.Join(table, market, number, e)); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Minute)
	r := read(market)
	driver, drives := r.Drives()
	if d := cmp.Diff([]string{"biz-a", "biz-b"}, r.Businesses()); d != "" || driver != "d1" || !drives {
		t.Errorf("%s driver %q", d, driver)
	}
	if d := cmp.Diff([]string{"bar", "sushi", "tapas"}, r.Listings()); d != "" {
		t.Error(d)
	}
	if r.ThreadType() != channel.Ops || r[:1].ThreadType() != channel.Dispatch { // the driver's entry comes first
		t.Errorf("at work %s, as a driver alone %s", r.ThreadType(), r[:1].ThreadType())
	}
	if n := meter.Cost().Requests; n != 2 {
		t.Errorf("%d requests for two looks, want 2", n)
	}
	if read(market); meter.Cost().Requests != 2 {
		t.Error("looked up again within the minute")
	}
	if r := read(dynamotest.ID("other")); len(r) != 0 {
		t.Errorf("in another market: %v", r)
	}
	if r, err := book.Read(ctx, market, ""); err != nil || len(r) != 0 || meter.Cost().Requests != 3 {
		t.Errorf("without a number: %v, %v", r, err)
	}
	if err := table.DB().Commit(t.Context(), roster.Leave(table, market, number, entries[3])); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, drives := read(market).Drives(); drives {
		t.Error("still drives")
	}
}
