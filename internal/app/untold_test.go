package app_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/infra/local/demo"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/order"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// A function that tells people was broken until its stream had gone on without an order. Once it is mended, the
// business is told of the order, and once.
func TestToldAfterAnOutage(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	must := func(more ...error) {
		t.Helper()
		if err := errors.Join(more...); err != nil {
			t.Fatal(err)
		}
	}
	l, err := s.base.Listings().Get(ctx, demo.Market, "sushi-harbour")
	must(err)
	orders := s.base.Orders()
	o, err := orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: saraOwner.Key(), Market: demo.Market, Thread: saraThread, Business: l.Business, Listing: l.ID, ListingName: "Sushi", Merchant: l.Merve.WhatsApp,
		Lines: []order.Line{{Item: "1", Name: "Maki", Quantity: 1}}, Delivery: &geo.Spot{Address: "Harbour Road 5"}, CustomerName: "Ann", CustomerPhone: "+15550142",
		TimeZone: "UTC", ExpiresAt: s.now.Add(time.Hour),
	}, "k")
	must(err)
	o, err = orders.Apply(ctx, o, order.PlacedEvent, order.By{Actor: saraOwner, Receipt: &gate.Receipt{PendingID: "1"}})
	must(err)
	records := app.RecordsTable(s.base)
	key := dynamo.Key{PK: "orders#" + saraOwner.Key(), SK: event.Prefix + o.ID + "#placed"}
	look := func() {
		t.Helper()
		h, err := app.Constructors(wiring.Elsewhere())["invariants"](s.as("invariants"))
		must(err)
		_, err = h.Invoke(ctx, sample(t, "invariants"))
		must(err)
	}
	stored := func() dynamo.Item {
		t.Helper()
		it, err := records.Get(ctx, key)
		must(err)
		return it
	}
	before := stored()
	if before.String("dueShard") == "" {
		t.Fatalf("the event is not due: %v", before)
	}
	look() // its time has not come
	if got := stored(); !got.Time("dueAt").Equal(before.Time("dueAt")) {
		t.Errorf("sent again after no time at all: %v", got)
	}
	s.now = s.now.Add(event.Patience)
	look()
	again := stored()
	if !again.Time("dueAt").After(before.Time("dueAt")) {
		t.Fatalf("was not sent again: %v", again)
	}
	alerts, _, err := s.base.Alerts().List(ctx, 10, "")
	must(err)
	if len(alerts) != 1 || alerts[0].Check != "untold" {
		t.Errorf("alerts %+v", alerts)
	}

	h, err := app.Constructors(wiring.Elsewhere())["records"](s.as("records"))
	must(err)
	batch, err := trigger.StreamEvent([]trigger.Record{{
		EventID: "1", Kind: trigger.Modify, Sequence: "1", TableName: "records", New: trigger.Item(again),
		Keys: trigger.Item{"pk": &types.AttributeValueMemberS{Value: key.PK}, "sk": &types.AttributeValueMemberS{Value: key.SK}},
	}})
	must(err)
	for range 2 {
		answer, err := h.Invoke(ctx, batch)
		must(err)
		if failed, err := trigger.Failures(answer); err != nil || len(failed) > 0 {
			t.Errorf("failed %q, %v: %s", failed, err, s.log)
		}
	}
	business := thread.ID(demo.Market, channel.Ops, "", channel.OfNumber(l.Merve.WhatsApp).Key())
	told, err := s.base.Outbox().List(ctx, business, 10)
	must(err)
	if len(told) != 1 {
		t.Errorf("the business was told %d times: %+v", len(told), told)
	}
	if got := stored(); got.String("dueShard") != "" {
		t.Errorf("it is due still: %v", got)
	}
}
