package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/people/ops"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

type boss struct{}

func (boss) Read(context.Context, string, string) (roster.Roles, error) {
	return roster.Roles{{Role: roster.Business, ID: "tavern", Name: "biz"}}, nil
}

// A YES to a count that is carried out again, a minute later after a death, puts nothing back that
// was sold since; another YES to the same count does.
func TestField15_ACountIsSetOnce(t *testing.T) {
	t.Parallel()
	db, at := dynamotest.Open(t), noon
	now := func() time.Time { return at }
	counts := &stock.Store{Table: db.Table(dynamotest.TableName("records")), Now: now}
	listings := &listing.Store{Table: db.Table(dynamotest.TableName("catalog")), Stock: counts, Now: now}
	m := market.Default(dynamotest.ID("m"))
	l := &listing.Listing{
		ID: "tavern", Market: m.ID, Business: "biz", Names: map[string]string{"en": "Tavern"}, Domain: "food", Category: "restaurant",
		Items: []listing.Item{{ID: "soup", Kind: listing.MenuItems, Names: map[string]string{"en": "Soup"}, SoldOut: true}},
	}
	if err := listings.Put(t.Context(), l, "test"); err != nil {
		t.Fatal(err)
	}
	office := &ops.Office{Roster: boss{}, Listings: listings}
	tools := office.Tools()
	set := tools[slices.IndexFunc(tools, func(one tool.Tool) bool { return one.Name == "setStock" })]
	tc := tool.Context{Market: m, Actor: actor.Actor{Kind: actor.Person, ID: "whatsapp:+15550100", Phone: "+15550100"}, Language: "en", TimeZone: time.UTC}
	for n, step := range []struct {
		key      string
		left     int
		requests int
	}{{"yes-1", 5, 4}, {"yes-1", 3, 2}, {"yes-1", 1, 2}, {"yes-2", 5, 4}} {
		at = at.Add(time.Minute)
		tc.Key, tc.Now = step.key, at
		ctx, meter := telemetry.WithMeter(t.Context())
		if _, err := set.Run(ctx, tc, json.RawMessage(`{"listingId":"tavern","itemId":"soup","left":5}`)); err != nil {
			t.Fatal(err)
		}
		requests := meter.Cost().Requests
		l, err := listings.Get(t.Context(), m.ID, "tavern")
		if err == nil {
			err = listings.Count(t.Context(), l)
		}
		if err != nil || l.Left["soup"] != step.left || l.Items[0].SoldOut || requests != step.requests {
			t.Errorf("step %d: %v left, sold out %v, %d requests, %v", n, l.Left, l.Items[0].SoldOut, requests, err)
		}
		h := stock.Holding{Market: m.ID, Listing: "tavern", Order: fmt.Sprint("or_", n), Owner: "session:ann", Items: map[string]int{"soup": min(2, step.left)}}
		if err := db.Commit(t.Context(), counts.Take(h)...); err != nil {
			t.Fatal(err)
		}
	}
}
