package notify_test

import (
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/order"
)

// The customer is told what the business says is done, and nobody of what was only taken to be.
func TestWhoIsToldThatAnOrderIsDone(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]bool{"by its business": true, "by itself": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, now := newPlace(t), noon
			p.save()
			orders := &order.Store{Table: p.Outbox.Table.DB().Table(dynamotest.TableName("records")), Now: func() time.Time { return now }}
			p.Orders = orders
			customer := actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}
			a, err := p.threads.Append(t.Context(), channel.Inbound{
				Market: p.market.ID, Channel: channel.App, ThreadType: channel.General, From: customer, MessageID: "1", Text: "hi",
			}, false)
			if err != nil {
				t.Fatal(err)
			}
			o, err := orders.Propose(t.Context(), order.Order{
				Kind: order.Food, Owner: customer.Key(), Market: p.market.ID, Thread: a.Thread, Language: "en", Business: dynamotest.ID("biz"), Listing: "grill",
				ListingName: "Harbour Grill", Merchant: merchantPhone, TimeZone: "UTC", ExpiresAt: noon.Add(time.Minute),
			}, "1")
			if err != nil {
				t.Fatal(err)
			}
			business := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + merchantPhone}
			apply := func(typ order.EventType) {
				if o, err = orders.Apply(t.Context(), o, typ, order.By{Actor: business, Receipt: &order.Receipt{}}); err != nil {
					t.Fatal(err)
				}
			}
			apply(order.PlacedEvent)
			apply(order.AcceptedEvent)
			if says {
				apply(order.DoneEvent)
			} else {
				now = now.Add(24 * time.Hour)
				if typ, err := orders.Lapse(t.Context(), o); err != nil || typ != order.DoneEvent {
					t.Fatalf("%q, %v", typ, err)
				}
			}
			events, err := orders.Events(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Type != order.DoneEvent {
					continue
				}
				if err := p.TellOrder(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			h, err := p.threads.Head(t.Context(), a.Thread)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, m := range h.Inbox {
				if m.Notice != nil && m.Notice.Kind == "order_done" && m.Notice.Ref == o.ID {
					told++
				}
			}
			if told > 1 || (told == 1) != says || len(p.sent()) > 0 {
				t.Errorf("told the customer %d times, the business %v", told, p.sent())
			}
		})
	}
}
