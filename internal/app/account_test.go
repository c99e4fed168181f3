package app_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/report"
	"merve/internal/matter/taxi"
	"merve/internal/record/ledger"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// A customer has all deleted while a link to pay waits for them: once the hold is over, the booking
// is without their name and note, and the payment without them.
func TestErasedOnceTheHoldIsOver(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	l, payments, start := s.base.Ledger(), s.base.Payments(), s.now.Truncate(time.Hour).Add(48*time.Hour)
	owner := actor.Actor{Kind: actor.Session, ID: "ann"}.Key()
	tx, err := l.Offer(ctx, ledger.Terms{
		Business: "harbour", Listing: "harbour", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: demo.Market, Owner: owner,
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2000, DueMinor: 500, Currency: "EUR",
		CustomerName: "Ann", Note: "a secret",
	}, 1, time.Hour, "k")
	if err != nil {
		t.Fatal(err)
	}
	asked := payments.Table.Put(dynamo.Key{PK: "pay#" + tx.ID, SK: "payment"}, payment.Payment{
		Transaction: tx.ID, Owner: owner, Market: demo.Market, Title: "Harbour Grill", AmountMinor: 500, Currency: "EUR", Status: payment.Waiting, Version: 1,
	})
	if err := payments.Table.DB().Commit(ctx, asked); err != nil {
		t.Fatal(err)
	}
	txs := []ledger.Transaction{tx}
	stay, err := ledger.HeldBookings{Ledger: l}.Forget(ctx, txs)
	if err != nil || len(stay) != 1 || stay[0] != tx.Code {
		t.Fatal(stay, err)
	}
	if err := payments.Forget(ctx, txs); err != nil {
		t.Fatal(err)
	}
	kept := func() bool {
		t.Helper()
		h, err := l.History(ctx, actor.Actor{Kind: actor.System}, tx.ID)
		p, err2 := payments.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		named := p.Owner != ""
		for _, e := range h.Events {
			if said := e.Transaction.CustomerName+e.Transaction.Note != ""; said != named {
				t.Errorf("event %s has it: %t, and the payment: %t", e.ID, said, named)
			}
		}
		return named
	}
	tick := func() {
		s.invoke(t, "expiry")
		s.now = s.now.Add(2 * time.Minute)
		s.invoke(t, "invariants")
	}
	if tick(); !kept() {
		t.Error("it went while it is held")
	}
	s.now = tx.HoldExpiresAt
	for range 2 {
		if tick(); kept() {
			t.Error("it stayed when the hold was over")
		}
	}
}

// What goes by another hand while all is deleted is no error.
func TestErasedMeanwhile(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	s.report(t)
	all, err := s.base.Reports().All(ctx, demo.Market, saraOwner.Key())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	b := *s.base.Process
	b.AWS.HTTPClient = &http.Client{Transport: dynamotest.Before("TransactWriteItems", func() {
		if err := s.base.Reports().Delete(ctx, report.By{Actor: saraOwner, Market: demo.Market, Key: "by hand"}, all[0].ID); err != nil {
			t.Error(err)
		}
	})}
	for _, h := range app.Customers(app.NewBase(b)).Holders {
		if _, err := h.Erase(ctx, person.Subject{Market: demo.Market, Owner: saraOwner.Key()}); err != nil {
			t.Errorf("%s: %v", h.Holds(), err)
		}
	}
	if all, err = s.base.Reports().All(ctx, demo.Market, saraOwner.Key()); err != nil || len(all) != 0 {
		t.Errorf("%v is left, %v", all, err)
	}
}

// What a turn that runs has done before what was said goes is deleted with the rest.
func TestErasedWhileATurnRuns(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	for _, h := range app.Customers(s.base).Holders {
		if h.Holds() == "messages" {
			s.report(t)
		}
		if _, err := h.Erase(ctx, person.Subject{Market: demo.Market, Owner: saraOwner.Key()}); err != nil {
			t.Errorf("%s: %v", h.Holds(), err)
		}
	}
	if all, err := s.base.Reports().All(ctx, demo.Market, saraOwner.Key()); err != nil || len(all) != 0 {
		t.Errorf("%v is left, %v", all, err)
	}
}

// What is kept of somebody in a market is given out and deleted there, and nowhere else.
func TestDataIsOfItsMarket(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	ann, start := actor.Actor{Kind: actor.Session, ID: "ann"}, s.now.Truncate(time.Hour).Add(48*time.Hour)
	terms := ledger.Terms{
		Business: "harbour", Listing: "harbour", Offering: "table", Market: "elsewhere", Owner: ann.Key(), Start: start, End: start.Add(time.Hour),
		Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2000, DueMinor: 500, Currency: "EUR", CustomerName: "Ann", Note: "a secret",
	}
	if _, err := s.base.Markets().Save(ctx, *market.Default("elsewhere"), "test"); err != nil {
		t.Fatal(err)
	}
	tx, err := s.base.Ledger().Offer(ctx, terms, 1, time.Hour, "k")
	if err == nil {
		err = booking.Wishes{Ledger: s.base.Ledger()}.Put(ctx, booking.Wish{ID: "w", Terms: terms, Since: s.now, TTL: start.Unix()})
	}
	if err == nil {
		payments := s.base.Payments()
		err = payments.Table.DB().Commit(ctx, payments.Table.Put(dynamo.Key{PK: "pay#" + tx.ID, SK: "payment"}, payment.Payment{
			Transaction: tx.ID, Owner: ann.Key(), Market: "elsewhere", AmountMinor: 500, Currency: "EUR", Status: payment.Waiting, Version: 1,
		}))
	}
	if err == nil {
		_, err = s.base.Orders().Propose(ctx, order.Order{Kind: order.Food, Owner: ann.Key(), Market: "elsewhere", Business: "grill", ExpiresAt: start}, "k")
	}
	if err == nil {
		_, err = s.base.Rides().Propose(ctx, ann, "k", taxi.Order{
			Market: "elsewhere", Pickup: geo.Spot{Address: "Harbour Road 5"}, Passengers: 1, Thread: "th", CustomerPhone: "+15550300", TimeZone: "UTC", Hold: time.Hour,
		})
	}
	if err == nil {
		_, err = s.base.Reports().Start(ctx, report.By{Actor: ann, Key: "k"}, report.Draft{Market: "elsewhere", Thread: "th"})
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := func(market string) map[string]any {
		t.Helper()
		all := map[string]any{}
		for _, h := range app.Customers(s.base).Holders {
			some, err := h.Export(ctx, person.Subject{Market: market, Owner: ann.Key()})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(some) != "[]" && some != nil {
				all[h.Holds()] = some
			}
		}
		return all
	}
	there := kept("elsewhere")
	if diff := cmp.Diff([]string{"bookings", "orders", "payments", "reports", "rides", "waiting"}, slices.Sorted(maps.Keys(there))); diff != "" {
		t.Fatal(diff)
	}
	if here := kept(demo.Market); len(here) != 0 {
		t.Errorf("given out: %v", here)
	}
	for _, h := range app.Customers(s.base).Holders {
		if stays, err := h.Erase(ctx, person.Subject{Market: demo.Market, Owner: ann.Key()}); err != nil || len(stays) != 0 {
			t.Errorf("%s: %v stay, %v", h.Holds(), stays, err)
		}
	}
	if diff := cmp.Diff(there, kept("elsewhere")); diff != "" {
		t.Error(diff)
	}
}

// However many bookings somebody has had, all are given out, and the oldest loses their name as well.
func TestDataOfManyBookings(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	l, c := s.base.Ledger(), person.Subject{Market: demo.Market, Owner: actor.Actor{Kind: actor.Session, ID: "ann"}.Key()}
	const had = 101 // one more than are read at once
	var ws []dynamo.Write
	for i := range had {
		id := fmt.Sprintf("tx-%03d", i)
		ws = append(ws, l.Table.Put(dynamo.Key{PK: "tx#" + id, SK: "tx"}, map[string]any{
			"id": id, "owner": c.Owner, "created": id, "market": c.Market, "state": ledger.Cancelled, "customerName": "Ann", "version": 1,
		}))
	}
	if err := l.Table.DB().CommitAll(ctx, ws...); err != nil {
		t.Fatal(err)
	}
	for _, h := range app.Customers(s.base).Holders {
		if h.Holds() != "bookings" {
			continue
		}
		all, err := h.Export(ctx, c)
		if txs, ok := all.([]ledger.Transaction); err != nil || !ok || len(txs) != had {
			t.Errorf("%v, %d given out", err, len(txs))
		}
		if _, err := h.Erase(ctx, c); err != nil {
			t.Error(err)
		}
	}
	if tx, err := l.Get(ctx, actor.Actor{Kind: actor.System}, "tx-000"); err != nil || tx.CustomerName != "" {
		t.Errorf("%v, kept %q", err, tx.CustomerName)
	}
}
