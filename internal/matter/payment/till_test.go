package payment_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// charged is Stripe as what takes payments.
type charged struct{ *stripe.Client }

func (c charged) Create(ctx context.Context, w payment.Wanted) (string, error) {
	i, err := c.Client.Create(ctx, stripe.Wanted(w))
	return i.ID, err
}

func (c charged) Secret(ctx context.Context, id string) (string, bool, error) {
	i, err := c.Get(ctx, id)
	return i.ClientSecret, i.Status == stripe.Succeeded, err
}

func (c charged) Close(ctx context.Context, id, key string) (payment.Closed, error) {
	i, err := c.Client.Close(ctx, id, key)
	return payment.Closed{Paid: i.Status == stripe.Succeeded, AmountMinor: i.PaidMinor, Currency: i.Currency}, err
}

func (c charged) Refund(ctx context.Context, b payment.Back) error {
	r, err := c.Client.Refund(ctx, stripe.Back(b))
	if err == nil && !r.Done {
		err = fault.New(fault.Unavailable, "the refund failed")
	}
	return err
}

// till is a ledger with one customer, who pays.
type till struct {
	t testing.TB
	*payment.Store
	stripe *stripetest.Server
	tc     tool.Context

	mu      sync.Mutex
	at      time.Time
	threads map[string]thread.Notice // by key
	queued  int
}

func newTill(t testing.TB) *till {
	t.Helper()
	d := &till{t: t, at: noon, threads: map[string]thread.Notice{}}
	d.stripe = stripetest.New(t, d.now)
	d.Store = d.over(dynamotest.Open(t), d.stripe.Client())
	m := market.Default(dynamotest.ID("market"))
	d.tc = tool.Context{
		Actor: actor.Actor{Kind: actor.User, ID: dynamotest.ID("user"), Name: "Deniz"}, Language: "en", Market: m, Thread: "th_" + dynamotest.ID(""),
		TimeZone: time.FixedZone("", 2*3600), Now: noon, TraceID: "trace-1",
	}
	return d
}

// over is the store of a process of its own.
func (d *till) over(db *dynamo.DB, client *http.Client) *payment.Store {
	table := db.Table(dynamotest.TableName("ledger"))
	l := &ledger.Ledger{Table: table, Now: d.now, NewID: func() string { return dynamotest.ID("t") }}
	return &payment.Store{
		Table: table, Ledger: l, Alerts: &alert.Store{Table: db.Table(dynamotest.TableName("alerts")), Now: d.now}, Release: booking.Confirm{Ledger: l}.Release,
		Provider: charged{&stripe.Client{
			BaseURL: d.stripe.URL(), Key: func(context.Context) (string, error) { return stripetest.Key, nil }, HTTP: client,
		}},
		PublicURL: "https://merve.test/", Now: d.now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Summary: booking.Summary, Card: booking.Card,
	}
}

// through is the store of a process whose calls, to the database and to Stripe, meet faults.
func (d *till) through(calls http.RoundTripper) *payment.Store {
	db := dynamotest.Once(d.t, calls)
	return d.over(db, &http.Client{Transport: calls})
}

func (d *till) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}

func (d *till) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = d.at.Add(by)
	d.tc.Now = d.at
}

// terms are those of a dive, a third of which is to be paid ahead.
func (d *till) terms() ledger.Terms {
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	return ledger.Terms{
		Business: dynamotest.ID("biz"), Listing: "reef", ListingName: "Reef Divers", Offering: "dive", OfferingName: "Dive", Market: d.tc.Market.ID,
		Owner: d.tc.Actor.Key(), Thread: d.tc.Thread, Start: at(25, 8), End: at(25, 10), Slots: []time.Time{at(25, 8)}, TimeZone: "Asia/Nicosia",
		Party: 2, PriceMinor: 9000, DueMinor: 3000, RefundUntil: at(24, 8), Currency: "EUR", Language: "en",
	}
}

// offer is held for half an hour.
func (d *till) offer(change func(*ledger.Terms)) ledger.Transaction {
	d.t.Helper()
	terms := d.terms()
	if change != nil {
		change(&terms)
	}
	tx, err := d.Ledger.Offer(context.Background(), terms, 1, booking.PayFor, dynamotest.ID("key"))
	if err != nil {
		d.t.Fatal(err)
	}
	return tx
}

func (d *till) pending(tx ledger.Transaction) thread.Pending {
	return thread.Pending{
		ID: "p_" + tx.ID, Kind: payment.Kind, Ref: tx.ID, Hash: tx.OfferHash, Summary: "S", Policy: 7, CreatedAt: d.now(), ExpiresAt: tx.HoldExpiresAt,
	}
}

func (d *till) consent(p thread.Pending) gate.Consent {
	return gate.Consent{Pending: p, MessageID: "m1", Actor: d.tc.Actor.Key(), At: d.now()}
}

// yes is a YES that is carried out, as the turn does it.
func (d *till) yes(tx ledger.Transaction) payment.Payment {
	d.t.Helper()
	s, err := payment.Pay{Store: d.Store}.Commit(context.Background(), d.tc, d.consent(d.pending(tx)))
	if err != nil || s.Keep {
		d.t.Fatalf("%v: %s", err, s.Text)
	}
	if err := d.Table.DB().Commit(context.Background(), s.Writes...); err != nil {
		d.t.Fatal(err)
	}
	return d.payment(tx)
}

// overdue is what a customer said YES to and has not paid in time.
func (d *till) overdue() (ledger.Transaction, payment.Payment) {
	d.t.Helper()
	tx := d.offer(nil)
	p := d.yes(tx)
	d.pass(booking.PayFor)
	return tx, p
}

func (d *till) payment(tx ledger.Transaction) payment.Payment {
	d.t.Helper()
	p, err := d.Get(context.Background(), d.tc.Actor, tx.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *till) state(tx ledger.Transaction) ledger.State {
	d.t.Helper()
	now, err := d.Ledger.Get(context.Background(), d.tc.Actor, tx.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return now.State
}

// nothingDue is what may be paid ahead, and need not be.
func nothingDue(t *ledger.Terms) { t.DueMinor = 0 }

// confirm confirms without a payment, as a YES in a linked chat may.
func (d *till) confirm(tx ledger.Transaction) {
	d.t.Helper()
	receipt := gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}
	if _, err := ledgertest.Confirm(context.Background(), d.Ledger, d.tc.Actor, tx.ID, receipt, "c"); err != nil {
		d.t.Fatal(err)
	}
}

// paid has the customer pay, and Stripe say so.
func (d *till) paid(tx ledger.Transaction) { d.take(d.report(d.stripe.Pay(d.payment(tx).Intent))) }

// release lets go, as somebody in a linked chat may.
func (d *till) release(tx ledger.Transaction) {
	d.t.Helper()
	if _, err := d.Ledger.Release(context.Background(), d.tc.Actor, tx.ID, "customer", "r"); err != nil {
		d.t.Fatal(err)
	}
}

// report is what Stripe tells of a payment.
func (d *till) report(w stripetest.Webhook) payment.Notification {
	d.t.Helper()
	e, err := stripe.Parse([]byte(w.Body))
	if err != nil {
		d.t.Fatal(err)
	}
	kinds := map[stripe.EventType]payment.Happened{
		stripe.PaymentSucceeded: payment.Succeeded, stripe.PaymentFailed: payment.Declined, stripe.ChargeRefunded: payment.GivenBack,
		stripe.RefundFailed: payment.Bounced, stripe.RefundUpdated: payment.Bounced,
	}
	return payment.Notification{Happened: kinds[e.Type], Transaction: e.Transaction, Intent: e.Intent, AmountMinor: e.AmountMinor, Currency: e.Currency, All: e.All, Refund: e.Refund}
}

func (d *till) take(r payment.Notification) {
	d.t.Helper()
	if err := d.Take(context.Background(), r); err != nil {
		d.t.Fatal(err)
	}
}

// free is what costs nothing.
func free(t *ledger.Terms) { t.DueMinor, t.PriceMinor = 0, 0 }

// ended is the stream of what has happened to a booking, from its beginning.
func (d *till) ended(tx ledger.Transaction) {
	d.t.Helper()
	events, err := ledgertest.Events(context.Background(), d.Ledger, tx.ID)
	for _, e := range events {
		err = errors.Join(err, d.Ended(context.Background(), e))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// sweep is the schedule, for one payment only: the table is others' too.
func (d *till) sweep(tx ledger.Transaction) {
	d.t.Helper()
	if _, err := d.Attend(context.Background(), tx.ID); err != nil {
		d.t.Fatal(err)
	}
}

// happened is what has happened to a payment.
func (d *till) happened(tx ledger.Transaction) []payment.Event {
	d.t.Helper()
	page, err := d.Table.Query(context.Background(), dynamo.Under("pay#"+tx.ID, "event#"))
	if err != nil {
		d.t.Fatal(err)
	}
	all := []payment.Event{}
	for _, it := range page.Items {
		e, ok, err := payment.Events.Read(it)
		if err != nil || !ok {
			d.t.Fatalf("%v: %v", it, err)
		}
		all = append(all, e)
	}
	return all
}

// events are the names of what has happened to a payment.
func (d *till) events(tx ledger.Transaction) []string {
	d.t.Helper()
	names := []string{}
	for _, e := range d.happened(tx) {
		names = append(names, fmt.Sprintf("%s from %s %s", e.Type, e.From, e.Reason))
	}
	slices.Sort(names)
	return names
}

// alerts are the messages of what was raised about a transaction.
func (d *till) alerts(tx string) []string {
	d.t.Helper()
	all := []string{}
	for after := ""; ; {
		found, next, err := d.Alerts.List(context.Background(), 100, after)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, a := range found {
			if a.Subject == tx {
				all = append(all, a.Message)
			}
		}
		if after = next; after == "" {
			return all
		}
	}
}

// returned is how much Stripe has given back.
func (d *till) returned() int64 {
	var sum int64
	for _, i := range d.stripe.Intents() {
		sum += i.Refunded
	}
	return sum
}

// Tell is the customer's thread.
func (d *till) Tell(_ context.Context, _, key string, n thread.Notice) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.threads[key] = n
	vars, known := market.Events()[n.Kind] // an approved template can say it in the place of its text
	for _, name := range vars {
		if n.Vars[name] == "" {
			d.t.Errorf("%s has no %s", n.Kind, name)
		}
	}
	if !known {
		d.t.Errorf("%s is no event", n.Kind)
	}
	d.queued++
	return nil
}

// theMarket is the customer's.
type theMarket struct{ *till }

func (m theMarket) Get(context.Context, string) (*market.Market, error) { return m.tc.Market, nil }

// told has the stream bring every event of a payment, each twice, and returns what the customer
// was told.
func (d *till) told(tx ledger.Transaction) map[string]thread.Notice {
	d.t.Helper()
	teller := &payment.Teller{Store: d.Store, Markets: theMarket{d}, Threads: d}
	for _, e := range d.happened(tx) {
		for range 2 {
			if err := teller.Tell(context.Background(), e); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	return d.threads
}
