package notify_test

import (
	"slices"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/order"
)

// Who makes things happen to orders.
var (
	business = actor.Actor{Kind: actor.Person, ID: "whatsapp:" + merchantPhone}
	customer = actor.Actor{Kind: actor.Session, ID: "ann"}
	nobody   = actor.Actor{Kind: actor.System} // time
)

// ordered is an order on a thread of its own to which all of this has happened, the last of it by
// somebody: the event of that.
func (p *place) ordered(by actor.Actor, all ...order.EventType) order.Event {
	p.t.Helper()
	ctx, last := p.t.Context(), all[len(all)-1]
	late := &order.Store{Table: p.orders.Table, Now: func() time.Time { return noon.Add(48 * time.Hour) }}
	o, err := p.orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: customer.Key(), Market: p.market.ID, Thread: p.writes(), Language: "en", Business: "biz", Listing: "grill",
		ListingName: "Harbour Grill", Merchant: merchantPhone, TimeZone: "UTC", ExpiresAt: noon.Add(time.Minute),
	}, dynamotest.ID("key"))
	for _, typ := range all {
		switch {
		case err != nil:
		case typ == last && by.Kind == actor.System:
			_, err = late.Lapse(ctx, o)
		default:
			o, err = p.orders.Apply(ctx, o, typ, order.By{Actor: by, Receipt: &order.Receipt{}})
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
	events, err := p.orders.Events(ctx, o)
	i := slices.IndexFunc(events, func(e order.Event) bool { return e.Type == last })
	if err != nil || i < 0 {
		p.t.Fatalf("%s is not among %v: %v", last, events, err)
	}
	return events[i]
}

// The customer is told what the business says is done, and nobody of what was only taken to be.
func TestWhoIsToldThatAnOrderIsDone(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]actor.Actor{"by its business": business, "by itself": nobody} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.save()
			e := p.ordered(by, order.PlacedEvent, order.AcceptedEvent, order.DoneEvent)
			if err := p.TellOrder(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			h, err := p.threads.Head(t.Context(), e.Thread)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, m := range h.Inbox {
				if m.Notice != nil && m.Notice.Kind == "order_done" && m.Notice.Ref == e.Order {
					told++
				}
			}
			if told > 1 || (told == 1) != (by.Key() == business.Key()) || len(p.sent()) > 0 {
				t.Errorf("told the customer %d times, the business %v", told, p.sent())
			}
		})
	}
}
