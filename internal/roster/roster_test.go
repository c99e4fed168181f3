package roster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/roster"
	"merve/internal/telemetry"
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
		if err := table.DB().Commit(t.Context(), roster.Join(table, market, number, e)...); err != nil {
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
	if err := table.DB().Commit(t.Context(), roster.Leave(table, market, number, entries[3])...); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, drives := read(market).Drives(); drives {
		t.Error("still drives")
	}
}

// The thread types of many numbers cost one request, and one more for each number with entries from before their ids
// were kept together.
func TestThreadTypes(t *testing.T) {
	t.Parallel()
	table := dynamotest.Open(t).Table(dynamotest.TableName("catalog"))
	book := &roster.Book{Table: table, Now: time.Now}
	market := dynamotest.ID("demo")
	vendor, driver := roster.Entry{Role: roster.Vendor, ID: "v1"}, roster.Entry{Role: roster.Driver, ID: "d1"}
	listing := roster.Entry{Role: roster.Business, ID: "tapas", Name: "biz"}
	commit := func(ws ...dynamo.Write) {
		t.Helper()
		if err := table.DB().Commit(t.Context(), ws...); err != nil {
			t.Fatal(err)
		}
	}
	complete := func(numbers ...string) {
		t.Helper()
		for _, n := range numbers {
			if err := roster.Complete(t.Context(), table, market, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	numbers := []string{"+1", "+2", "+3", "+4", "+5", "+1"}
	complete("+1", "+2", "+3", "+4")
	for n, entries := range map[string][]roster.Entry{"+1": {vendor}, "+2": {vendor, driver}, "+3": {vendor, listing}} {
		for _, e := range entries {
			commit(roster.Join(table, market, n, e)...)
		}
	}
	commit(table.Put(dynamo.Key{PK: "contact#" + market + "#+5", SK: "driver#d2"}, struct{}{})) // as it was stored before
	commit(roster.Join(table, market, "+5", vendor)...)
	want := []channel.ThreadType{channel.Vendor, channel.Dispatch, channel.Ops, channel.Dispatch, channel.Dispatch, channel.Vendor}
	holds := func(what string, requests int) {
		t.Helper()
		ctx, meter := telemetry.WithMeter(t.Context())
		got, err := book.ThreadTypes(ctx, market, numbers...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if n := meter.Cost().Requests; n != requests {
			t.Errorf("%s: %d requests, want %d", what, n, requests)
		}
		for i, n := range numbers {
			if roles, err := book.Read(t.Context(), market, n); err != nil || roles.ThreadType() != want[i] {
				t.Errorf("%s: %s reads as %v, %v", what, n, roles, err)
			}
		}
	}
	holds("before the old number is complete", 2)
	complete(numbers...)
	holds("complete", 1)
	commit(roster.Leave(table, market, "+3", listing)...)
	commit(roster.Leave(table, market, "+5", roster.Entry{Role: roster.Driver, ID: "d2"})...)
	want[2], want[4] = channel.Vendor, channel.Vendor
	holds("after two have left", 1)
}
