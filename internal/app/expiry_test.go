package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/demo"
	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/taxi"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
)

// One tick of the schedule does all that is due: a hold expires, an order lapses, a ride that was only
// proposed runs out, a reminder is sent, and a refund is made. Each of them is nobody else's to do.
func TestATickDoesAllThatIsDue(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	bank, client := s.takesCards(t)
	must := func(more ...error) {
		t.Helper()
		if err := errors.Join(more...); err != nil {
			t.Fatal(err)
		}
	}
	ann, system := actor.Actor{Kind: actor.Session, ID: "ann", Name: "Ann"}, actor.Actor{Kind: actor.System}
	in, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.Web, ThreadType: channel.General, From: ann, MessageID: "1",
	}, false)
	must(err)
	market, err := s.base.Markets().Read(ctx, demo.Market)
	must(err)
	l, orders, rides, payments := s.base.Ledger(), s.base.Orders(), s.base.Rides(), s.base.Payments()
	start := s.now.Truncate(time.Hour).Add(4 * time.Hour)
	offer := func(key string, change func(*ledger.Terms)) ledger.Transaction {
		t.Helper()
		terms := ledger.Terms{
			Business: "harbour", Listing: "harbour-" + key, ListingName: "Harbour Grill", Offering: key, OfferingName: "Table", Market: demo.Market,
			Owner: ann.Key(), Thread: in.Thread, Party: 2, PriceMinor: 2000, Currency: "EUR",
			Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia",
		}
		change(&terms)
		tx, err := l.Offer(ctx, terms, 1, 10*time.Minute, key)
		must(err)
		return tx
	}

	held := offer("held", func(*ledger.Terms) {})
	_, err = orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: ann.Key(), Market: demo.Market, Thread: in.Thread, Business: "harbour", Listing: "harbour",
		ListingName: "Harbour Grill", Lines: []order.Line{{Item: "1", Name: "Maki", Quantity: 1}}, TimeZone: "UTC",
		ExpiresAt: s.now.Add(10 * time.Minute),
	}, "k")
	must(err)
	ride, err := rides.Propose(ctx, ann, "k", taxi.Order{
		Market: demo.Market, Pickup: geo.Spot{Address: "Harbour Road 5"}, Passengers: 1, Thread: in.Thread, TimeZone: "UTC",
		Hold: 10 * time.Minute,
	})
	must(err)

	booked := offer("booked", func(*ledger.Terms) {})
	receipt := gate.Receipt{PendingID: "p", OfferHash: booked.OfferHash, Answer: "yes"}
	booked, err = ledgertest.Confirm(ctx, l, ann, booked.ID, receipt, "c")
	must(err)
	remind := (&booking.Reminders{Ledger: l}).Tools()[0]
	tc := tool.Context{Actor: ann, Market: market, Thread: in.Thread, Now: s.now, TimeZone: time.UTC, Language: "en", Key: "k"}
	_, err = remind.Run(ctx, tc, json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"hoursBefore":3}`, booked.ID)))
	must(err)

	paid := offer("paid", func(t *ledger.Terms) { t.DueMinor = 500 })
	intent, err := client.Create(ctx, stripe.Wanted{
		AmountMinor: 500, Currency: "EUR", Description: "Table", Transaction: paid.ID, Market: demo.Market, Key: "k",
	})
	must(err)
	bank.Pay(intent.ID)
	must(payments.Table.DB().Commit(ctx, payments.Table.Put(dynamo.Key{PK: "pay#" + paid.ID, SK: "payment"}, payment.Payment{
		Transaction: paid.ID, Owner: ann.Key(), Market: demo.Market, AmountMinor: 500, Currency: "EUR", Intent: intent.ID,
		Status: payment.Paid, Version: 1,
	})))
	paid.State = ledger.Cancelled
	must(payments.Ended(ctx, ledger.Event{
		ID: "cancelled", Type: ledger.Cancelled, From: ledger.Confirmed, At: s.now, Transaction: paid, Actor: "staff",
	}))

	type standing struct {
		Hold     ledger.State
		Orders   []order.Status
		Ride     taxi.Status
		Reminded int
		Payment  payment.Status
		Returned int64
	}
	stands := func() (now standing) {
		t.Helper()
		tx, err := l.Get(ctx, system, held.ID)
		must(err)
		all, err := orders.All(ctx, demo.Market, ann.Key())
		must(err)
		for _, o := range all {
			now.Orders = append(now.Orders, o.Status)
		}
		r, err := rides.Get(ctx, ann, demo.Market, ride.ID)
		must(err)
		head, err := s.base.Threads().Head(ctx, in.Thread)
		must(err)
		for _, m := range head.Inbox {
			if m.Notice != nil && m.Notice.Kind == "booking_reminder" {
				now.Reminded++
			}
		}
		p, err := payments.Get(ctx, system, paid.ID)
		must(err)
		now.Hold, now.Ride, now.Payment, now.Returned = tx.State, r.Status, p.Status, bank.Intents()[0].Refunded
		return now
	}
	want := standing{Hold: ledger.Hold, Orders: []order.Status{order.Proposed}, Ride: taxi.Proposed, Payment: payment.Refunding}
	if diff := cmp.Diff(want, stands()); diff != "" {
		t.Fatalf("before (-want +got):\n%s", diff)
	}
	s.now = start.Add(-2 * time.Hour)
	for range 2 { // and once
		s.invoke(t, "expiry")
		want = standing{ledger.Expired, []order.Status{order.Expired}, taxi.Expired, 1, payment.Refunded, 500}
		if diff := cmp.Diff(want, stands()); diff != "" {
			t.Errorf("after a tick (-want +got):\n%s", diff)
		}
	}
}

// takesCards gives the story a provider of payments, and a client of it.
func (s *story) takesCards(t *testing.T) (*stripetest.Server, *stripe.Client) {
	t.Helper()
	server := stripetest.New(t, func() time.Time { return s.now })
	b, getenv := *s.base.Process, s.base.Getenv
	b.Config.StripeBaseURL = server.URL()
	b.Getenv = func(name string) string {
		if name == "STRIPE_SECRET_KEY" {
			return stripetest.Key
		}
		return getenv(name)
	}
	s.base = app.NewBase(b)
	return server, &stripe.Client{
		BaseURL: server.URL(), Key: func(context.Context) (string, error) { return stripetest.Key, nil }, HTTP: server.Client(),
	}
}
