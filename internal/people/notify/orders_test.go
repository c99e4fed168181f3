package notify_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
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
		Kind: order.Food, Owner: customer.Key(), Market: p.market.ID, Thread: p.writes(), Language: "en", Business: p.listing.Business, Listing: "grill",
		ListingName: "Harbour Grill", Merchant: merchantPhone, TimeZone: "UTC", ExpiresAt: noon.Add(time.Minute),
	}, dynamotest.ID("key"))
	for _, typ := range all {
		switch {
		case err != nil:
		case typ == last && by.Kind == actor.System:
			_, err = late.Lapse(ctx, o)
		default:
			o, err = p.orders.Apply(ctx, o, typ, order.By{Actor: by, Receipt: &gate.Receipt{}})
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

// What a business or staff did with an order is told as what a person did, who may write later and
// whoever has the thread; what time did is not.
func TestWhatIsToldOfAnOrderAsByAPerson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind     string
		by       actor.Actor
		all      []order.EventType
		byPerson bool
	}{
		{"order_accepted", business, []order.EventType{order.PlacedEvent, order.AcceptedEvent}, true},
		{"order_cancelled_by_business", business, []order.EventType{order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent}, true},
		{"order_unanswered", nobody, []order.EventType{order.PlacedEvent, order.UnansweredEvent}, false},
		{"order_expired", nobody, []order.EventType{order.ExpiredEvent}, false},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.save()
			e := p.ordered(tt.by, tt.all...)
			if err := p.TellOrder(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			h, err := p.threads.Head(t.Context(), e.Thread)
			if err != nil || len(h.Inbox) != 2 || h.Inbox[1].Notice == nil {
				t.Fatalf("%+v, %v", h.Inbox, err)
			}
			if n := h.Inbox[1].Notice; n.Kind != tt.kind || n.ByPerson != tt.byPerson {
				t.Errorf("%s: by a person %v, want %s: %v", n.Kind, n.ByPerson, tt.kind, tt.byPerson)
			}
		})
	}
}

// The customer takes an order back and has all deleted before anybody is told: the business is told
// all the same.
func TestTakenBackAndDeleted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	e := p.ordered(customer, order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent)
	if _, err := p.orders.Erase(t.Context(), p.market.ID, e.Owner); err != nil {
		t.Fatal(err)
	}
	if err := p.TellOrder(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if told := p.sent(); len(told) != 1 {
		t.Errorf("the business was told %v", told)
	}
}

// An order of many lines reaches its business whole, in messages of a size that WhatsApp takes, each
// after the one before it and about the order, however often it is told of.
func TestALargeOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	ctx := t.Context()
	var lines []order.Line
	for i := range 20 {
		lines = append(lines, order.Line{
			Item: fmt.Sprint("i", i), Name: fmt.Sprintf("Grilled halloumi %c with mint", 'A'+i), Options: []string{"large portion", "extra bread"},
			Quantity: 2, TotalMinor: 1000, Note: "no onions please",
		})
	}
	o, err := p.orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: customer.Key(), Market: p.market.ID, Thread: p.writes(), Language: "en", Business: p.listing.Business, Listing: "grill",
		Lines: lines, TotalMinor: 20000, Currency: "EUR", ListingName: "Harbour Grill", Merchant: merchantPhone, TimeZone: "UTC", ExpiresAt: noon.Add(time.Minute),
	}, dynamotest.ID("key"))
	if err != nil {
		t.Fatal(err)
	}
	if o, err = p.orders.Apply(ctx, o, order.PlacedEvent, order.By{Actor: customer, Receipt: &gate.Receipt{}}); err != nil {
		t.Fatal(err)
	}
	events, err := p.orders.Events(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, e := range events {
			if err := p.TellOrder(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	told := p.sent()
	slices.Reverse(told)
	if len(told) != 2 || told[0].After != "" || told[1].After != told[0].ID || told[1].ID != told[0].ID+"-1" {
		t.Fatalf("%+v", told)
	}
	all := ""
	for _, m := range told {
		if n := utf8.RuneCountInString(m.Text); n > channel.WhatsApp.MaxPiece() || m.About != o.Code {
			t.Errorf("%d characters about %q", n, m.About)
		}
		all += m.Text
	}
	for _, l := range lines {
		if !strings.Contains(all, l.Name) {
			t.Errorf("%s is missing", l.Name)
		}
	}
}

// A business is told of an order in the transaction that places it, or it cannot be placed. Its event tells nobody again.
func TestField37_ToldWithTheYes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.listing.Merve.Actions = []listing.Action{{Type: listing.FoodAction, Enabled: true}}
	p.save()
	o := order.Order{
		ID: dynamotest.ID("or"), Kind: order.Food, Code: "K7P2", Owner: customer.Key(), Market: p.market.ID, Thread: p.writes(), Listing: "grill", ListingName: "Harbour Grill",
		Merchant: "+15550109999", TimeZone: "UTC", When: noon.Add(time.Hour), Note: "nut allergy",
	}
	ws, number, err := p.TellPlaced(t.Context(), o, "trace")
	if err == nil {
		err = p.Outbox.Table.DB().Commit(t.Context(), ws...)
	}
	if err != nil || number != merchantPhone {
		t.Fatalf("told at %q: %v", number, err)
	}
	for _, part := range []string{"New order: K7P2", "Note: “nut allergy”", "Reply ACCEPT K7P2, or REFUSE K7P2 and why."} {
		if ms := p.sent(); len(ms) != 1 || !strings.Contains(ms[0].Text, part) || ms[0].About != "K7P2" || ms[0].Customer != o.Thread {
			t.Errorf("no %q in %+v", part, ms)
		}
	}
	placed := p.ordered(customer, order.PlacedEvent)
	for i, told := range []string{merchantPhone, ""} { // as this release has it, and a former one
		w := p.orders.Table.Update(dynamo.Key{PK: "orders#" + placed.Owner, SK: "order#" + placed.Order}, "SET told = :told", dynamo.V{":told": told})
		if err := p.orders.Table.DB().Commit(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		if err := p.TellOrder(t.Context(), placed); err != nil || len(p.sent()) != 1+i {
			t.Errorf("told at %q: %d messages in all, %v", told, len(p.sent()), err)
		}
	}

	stopped := p.orders.Table.DB().Table(dynamotest.TableName("conversations")).Update(
		dynamo.Key{PK: p.merchantThread(), SK: "~"}, "SET optOut = :yes", dynamo.V{":yes": true})
	if err := p.Outbox.Table.DB().Commit(t.Context(), stopped); err != nil {
		t.Fatal(err)
	}
	o.ID = dynamotest.ID("or")
	if ws, _, err = p.TellPlaced(t.Context(), o, "trace"); err != nil {
		t.Fatal(err)
	}
	if err := p.Outbox.Table.DB().Commit(t.Context(), ws...); !errors.Is(err, order.ErrUnreachable) {
		t.Errorf("who has opted out is told: %v", err)
	}
	for name, change := range map[string]func(){
		"no number":  func() { p.listing.Merve.WhatsApp = "" },
		"no listing": func() { o.Listing = "none" },
	} {
		change()
		p.save()
		if ws, _, err := p.TellPlaced(t.Context(), o, "trace"); !errors.Is(err, order.ErrUnreachable) || len(ws) > 0 {
			t.Errorf("%s: %d writes, %v", name, len(ws), err)
		}
	}
}

// Of what a business cannot be told the customer and the operators are, once.
func TestField37_WhatCannotBeToldIsSaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.listing.Merve.WhatsApp = ""
	p.save()
	e := p.event(ledger.Confirmed, ledger.Hold)
	e.Transaction.Thread = p.writes()
	for range 2 {
		p.tell(e)
	}
	if len(p.sent()) > 0 || len(p.alerts) == 0 || p.alerts[0] != "KX72B4: the business has no number" {
		t.Errorf("sent %v, alerts %v", p.sent(), p.alerts)
	}
	want := []string{"business_untold: " + wording.Say("en", wording.BusinessUntold, wording.Vars{"code": "KX72B4"})}
	if got := p.onThread(e.Transaction.Thread).Customer; !slices.Equal(got, want) {
		t.Errorf("the customer is told %q, want %q", got, want)
	}
	talk := p.writes()
	for _, m := range []outbox.Message{{ID: "m", About: "K7P25", Customer: talk}, {ID: "m-1", After: "m", About: "K7P25", Customer: talk}, {ID: "x", Customer: dynamotest.ID("gone")}, {ID: "y"}} {
		if err := p.TellUntold(t.Context(), m); err != nil {
			t.Error(err)
		}
	}
	want = []string{"business_untold: " + wording.Say("en", wording.BusinessUntold, nil)}
	if got := p.onThread(talk).Customer; !slices.Equal(got, want) {
		t.Errorf("of a talk the customer is told %q, want %q", got, want)
	}
}
