package payment_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

func say(key wording.Key, vars wording.Vars) string { return wording.Say("en", key, vars) }

// A YES gives a link and books nothing; the payment books it, by the receipt of that YES.
func TestPayment(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	pay, p := payment.Pay{Store: d.Store}, d.pending(tx)
	if ask := pay.Describe(d.tc, p); !strings.Contains(ask, "S") || !strings.Contains(ask, "14:29") || !strings.Contains(ask, "YES") {
		t.Errorf("it asks %q; want until half a minute before the end of the hold", ask)
	}
	s, err := pay.Commit(ctx, d.tc, d.consent(p))
	if err != nil || s.Keep {
		t.Fatalf("%+v, %v", s, err)
	}
	if d.state(tx) != ledger.Hold {
		t.Error("the YES alone booked it")
	}
	if err := d.Table.DB().Commit(ctx, s.Writes...); err != nil {
		t.Fatal(err)
	}
	got := d.payment(tx)
	if link := d.Link(got); !strings.Contains(s.Text, link) || !strings.HasPrefix(link, "https://merve.test/pay/"+tx.ID+"/") {
		t.Errorf("link %s in %q", link, s.Text)
	}
	want := tool.Card{
		"type": "payment", "id": tx.ID, "title": "Reef Divers", "price": map[string]any{"amount": int64(3000), "currency": "EUR"}, "url": d.Link(got), "status": "waiting",
	}
	if diff := cmp.Diff([]tool.Card{want}, s.Cards); diff != "" {
		t.Errorf("card (-want +got):\n%s", diff)
	}
	if i := d.stripe.Intents(); len(i) != 1 || i[0].Amount != 3000 || i[0].Currency != "eur" || i[0].Metadata["transaction"] != tx.ID || i[0].Metadata["market"] != tx.Market {
		t.Errorf("intents %+v", i)
	}
	if d.state(tx) != ledger.Hold {
		t.Error("the link alone booked it")
	}

	for range 2 {
		d.take(d.report(d.stripe.Pay(got.Intent)))
	}
	if d.state(tx) != ledger.Confirmed || d.payment(tx).Status != payment.Paid {
		t.Errorf("it is %s and %s", d.state(tx), d.payment(tx).Status)
	}
	h, err := d.Ledger.History(ctx, d.tc.Actor, tx.ID)
	if err != nil || h.Receipt == nil {
		t.Fatalf("receipt %v, %v", h.Receipt, err)
	}
	receipt := gate.Receipt{
		PendingID: p.ID, OfferHash: tx.OfferHash, MessageID: "m1", Answer: "yes", Actor: d.tc.Actor.Key(), At: noon, PolicyVersion: 7, Trace: "trace-1", Payment: got.Intent,
	}
	if diff := cmp.Diff(receipt, *h.Receipt); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"paid from waiting "}, d.events(tx)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	told := d.told(tx)
	n, ok := told[tx.ID+".payment.paid"]
	if !ok || len(told) != 1 || !strings.Contains(n.Text, tx.Code) || !strings.Contains(n.Text, "€30.00") || n.Ref != tx.ID {
		t.Errorf("told %+v", told)
	}
	if len(n.Cards) != 2 || n.Cards[0]["status"] != "confirmed" || n.Cards[1]["status"] != "paid" {
		t.Errorf("cards %+v", n.Cards)
	}
}

// What is to be paid ahead is confirmed by no receipt that has no payment.
func TestNothingUnpaidIsConfirmed(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	_, err := ledgertest.Confirm(ctx, d.Ledger, d.tc.Actor, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}, "k")
	if !errors.Is(err, ledger.ErrUnpaid) || d.state(tx) != ledger.Hold {
		t.Errorf("%v, %s", err, d.state(tx))
	}
}

func TestYesRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(d *till, tx ledger.Transaction, p *thread.Pending)
		want  wording.Key
	}{
		{"the hold has gone", func(d *till, _ ledger.Transaction, _ *thread.Pending) { d.pass(booking.PayFor) }, wording.HoldGone},
		{"it was let go", func(d *till, tx ledger.Transaction, _ *thread.Pending) {
			if _, err := d.Ledger.Release(context.Background(), d.tc.Actor, tx.ID, "test", "no"); err != nil {
				d.t.Fatal(err)
			}
		}, wording.HoldGone},
		{"another offer was shown", func(_ *till, _ ledger.Transaction, p *thread.Pending) { p.Hash = "other" }, wording.OfferChanged},
		{"no such transaction", func(_ *till, _ ledger.Transaction, p *thread.Pending) { p.Ref = "none" }, wording.HoldGone},
		{"somebody else's", func(d *till, _ ledger.Transaction, _ *thread.Pending) { d.tc.Actor.ID = dynamotest.ID("other") }, wording.HoldGone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(nil)
			p := d.pending(tx)
			tt.spoil(d, tx, &p)
			s, err := payment.Pay{Store: d.Store}.Commit(context.Background(), d.tc, d.consent(p))
			if err != nil || s.Text != say(tt.want, nil) || len(s.Writes)+len(s.Cards) != 0 || s.Keep {
				t.Errorf("%+v, %v; want only %q", s, err, say(tt.want, nil))
			}
			if n := len(d.stripe.Calls()); n != 0 {
				t.Errorf("Stripe was asked %d times", n)
			}
		})
	}
}

// A hold that goes between the YES and its writes takes the payment with it.
func TestYesTooLateByAMoment(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	s, err := payment.Pay{Store: d.Store}.Commit(ctx, d.tc, d.consent(d.pending(tx)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "no"); err != nil {
		t.Fatal(err)
	}
	text, ok := s.Refused(d.Table.DB().Commit(ctx, s.Writes...))
	if !ok || text != say(wording.HoldGone, nil) {
		t.Errorf("%q, %v", text, ok)
	}
	if _, err := d.Get(ctx, d.tc.Actor, tx.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("there is a payment: %v", err)
	}
	if _, ok := s.Refused(fault.New(fault.Unavailable, "away")); ok {
		t.Error("a fault of the surroundings counts as an answer")
	}
}

// Without Stripe nothing is done, and the customer may say YES again. The same YES, whichever
// invocation takes it up, is one payment.
func TestStripeAway(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	pay := payment.Pay{Store: d.Store}
	for _, f := range []stripetest.Fault{stripetest.Away, stripetest.HangUp, stripetest.Lose, stripetest.Limit, stripetest.Page} {
		d.stripe.Client().CloseIdleConnections() // net/http itself tries again what broke on a connection that it kept
		d.stripe.Add(f, f, f)
		d.tc.TraceID = fmt.Sprint("trace-", f)
		s, err := pay.Commit(ctx, d.tc, d.consent(d.pending(tx)))
		if err != nil || !s.Keep || len(s.Writes)+len(s.Cards) != 0 || !strings.Contains(s.Text, "YES") || !strings.Contains(s.Text, "14:30") {
			t.Errorf("fault %d: %+v, %v", f, s, err)
		}
	}
	if d.state(tx) != ledger.Hold {
		t.Errorf("it is %s", d.state(tx))
	}
	d.yes(tx)
	if n := len(d.stripe.Intents()); n != 1 { // the one whose answer was lost
		t.Errorf("%d intents", n)
	}
}

// An answer of 500 that Stripe keeps for a key is not the answer for ever: the next YES is
// another message.
func TestYesAgainAfterAKeptError(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	d.stripe.Add(stripetest.Broken)
	for _, message := range []string{"m1", "m1", "m2"} {
		c := d.consent(d.pending(tx))
		c.MessageID = message
		s, err := payment.Pay{Store: d.Store}.Commit(context.Background(), d.tc, c)
		if err != nil || s.Keep != (message == "m1") {
			t.Errorf("%s: %+v, %v", message, s, err)
		}
	}
}

// A moment's trouble is nobody's business.
func TestStripeAwayForAMoment(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	d.stripe.Add(stripetest.Lose, stripetest.Away)
	d.yes(tx)
	if n := len(d.stripe.Intents()); n != 1 {
		t.Errorf("%d intents", n)
	}
}

func TestSecondYes(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	first := d.yes(tx)
	again, err := payment.Pay{Store: d.Store}.Commit(ctx, d.tc, d.consent(d.pending(tx)))
	if err != nil || !strings.Contains(again.Text, d.Link(first)) || len(again.Writes) != 0 || len(d.stripe.Intents()) != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	d.take(d.report(d.stripe.Pay(first.Intent)))
	done, err := payment.Pay{Store: d.Store}.Commit(ctx, d.tc, d.consent(d.pending(tx)))
	if err != nil || !strings.Contains(done.Text, tx.Code) || len(done.Writes) != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestNo(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	s, err := payment.Pay{Store: d.Store}.Release(ctx, d.tc, d.pending(tx))
	if err != nil || s.Text != say(wording.BookingReleased, nil) {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := d.Table.DB().Commit(ctx, s.Writes...); err != nil || d.state(tx) != ledger.Cancelled {
		t.Errorf("%v, %s", err, d.state(tx))
	}
	if again, err := (payment.Pay{Store: d.Store}).Release(ctx, d.tc, d.pending(tx)); err != nil || len(again.Writes) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// A payment that comes when nothing is held goes back, once, and the customer is told.
func TestPaidTooLate(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *till, tx ledger.Transaction) error{
		"expired, not yet swept": func(d *till, _ ledger.Transaction) error { d.pass(booking.PayFor); return nil },
		"expired": func(d *till, tx ledger.Transaction) error {
			d.pass(booking.PayFor)
			_, err := d.Ledger.Expire(context.Background(), tx.ID)
			return err
		},
		"let go": func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Release(context.Background(), d.tc.Actor, tx.ID, "test", "no")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(nil)
			p := d.yes(tx)
			if err := end(d, tx); err != nil {
				t.Fatal(err)
			}
			paid := d.report(d.stripe.Pay(p.Intent))
			d.take(paid)
			d.take(paid)
			if got := d.payment(tx); got.Status != payment.Refunded || got.Reason != payment.ReasonHoldGone || d.returned() != 3000 {
				t.Errorf("%+v, %d returned", got, d.returned())
			}
			if s := d.state(tx); s == ledger.Confirmed {
				t.Errorf("it is %s", s)
			}
			d.take(d.report(d.stripe.GiveBack(p.Intent))) // Stripe tells of our own refund
			if diff := cmp.Diff([]string{"refunded from refunding hold_gone", "refunding from waiting hold_gone"}, d.events(tx)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			told := d.told(tx)
			if n := told[tx.ID+".payment.refunding"]; len(told) != 1 || !strings.Contains(n.Text, "€30.00") || n.Cards[0]["status"] != "refunded" {
				t.Errorf("told %+v", told)
			}
		})
	}
}

// A refund that fails is tried again, and raises an alert in the end.
func TestRefundFails(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	d.stripe.RefuseRefunds(true)
	d.take(d.report(d.stripe.Pay(p.Intent)))
	if got := d.payment(tx); got.Status != payment.Refunding || got.Tries != 1 || len(d.alerts(tx.ID)) != 0 {
		t.Errorf("%+v, alerts %v", got, d.alerts(tx.ID))
	}
	d.sweep(tx)
	if got := d.payment(tx); got.Tries != 1 {
		t.Errorf("it was tried again at once: %d", got.Tries)
	}
	for range 2 {
		d.pass(time.Hour)
		d.sweep(tx)
	}
	if got := d.payment(tx); got.Tries != 3 || len(d.alerts(tx.ID)) != 1 {
		t.Errorf("%d tries, alerts %v", got.Tries, d.alerts(tx.ID))
	}
	d.stripe.RefuseRefunds(false)
	d.pass(time.Hour)
	d.sweep(tx)
	if got := d.payment(tx); got.Status != payment.Refunded || d.returned() != 3000 {
		t.Errorf("%+v, %d returned", got, d.returned())
	}
}

// A refund that fails for days is still tried on the thirteenth.
func TestRefundFailsForDays(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	d.stripe.RefuseRefunds(true)
	d.take(d.report(d.stripe.Pay(p.Intent)))
	for range 12 * 24 / 3 {
		d.pass(3 * time.Hour)
		d.sweep(tx)
	}
	d.stripe.RefuseRefunds(false)
	d.pass(6 * time.Hour)
	d.sweep(tx)
	if got := d.payment(tx); got.Status != payment.Refunded || d.returned() != 3000 {
		t.Errorf("%+v, %d returned", got, d.returned())
	}
}

// A booking that was made in another chat of the payer's is moved by their payment.
func TestPaidMoveOfALinkedBooking(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	old := d.offer(func(terms *ledger.Terms) { terms.Owner, terms.DueMinor = "user:"+dynamotest.ID("linked"), 0 })
	before := actor.OfKey(old.Owner)
	if _, err := ledgertest.Confirm(t.Context(), d.Ledger, before, old.ID, gate.Receipt{PendingID: "p", OfferHash: old.OfferHash, Answer: "yes"}, "c"); err != nil {
		t.Fatal(err)
	}
	held := d.offer(func(terms *ledger.Terms) { terms.Replaces = old.ID })
	d.take(d.report(d.stripe.Pay(d.yes(held).Intent)))
	gone, err := d.Ledger.Get(t.Context(), before, old.ID)
	if err != nil || gone.State != ledger.Cancelled || d.state(held) != ledger.Confirmed || d.payment(held).Status != payment.Paid {
		t.Errorf("%s, %s, %s, %v", gone.State, d.state(held), d.payment(held).Status, err)
	}
}

// What is moved in the last moment in which that is for nothing gives all of it back, though that
// moment is over before all of it is read.
func TestPaidMoveInTheLastMoment(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	old := d.offer(nil)
	d.take(d.report(d.stripe.Pay(d.yes(old).Intent)))
	d.pass(old.RefundUntil.Sub(d.now()) - 10*time.Minute)
	terms := d.terms()
	terms.Replaces = old.ID
	held, err := d.Ledger.OfferUntil(ctx, ledger.Transaction{Terms: terms}, 1, booking.PayFor, old.FreeUntil(), dynamotest.ID("key"))
	if err != nil {
		t.Fatal(err)
	}
	paid := d.report(d.stripe.Pay(d.yes(held).Intent))
	d.pass(old.RefundUntil.Sub(d.now()) - time.Millisecond)
	late := d.over(dynamotest.Open(t, dynamotest.BeforeText("tx#"+old.ID, func() { d.pass(time.Millisecond) })), d.stripe.Client())
	if err := late.Take(ctx, paid); err != nil {
		t.Fatal(err)
	}
	d.ended(old)
	d.sweep(old)
	if d.state(held) != ledger.Confirmed || d.payment(old).Status != payment.Refunded || d.returned() != 3000 {
		t.Errorf("it is %s, the old payment %s, %d returned", d.state(held), d.payment(old).Status, d.returned())
	}
}

// What begins before half an hour is over is paid until then: a payment after that goes back.
func TestPaidAfterItHasBegun(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	in := d.offer(func(terms *ledger.Terms) { terms.Start = d.now().Add(10 * time.Minute) })
	late := d.offer(func(terms *ledger.Terms) { terms.Start = d.now().Add(10 * time.Minute) })
	p, q := d.yes(in), d.yes(late)
	d.pass(10*time.Minute - time.Millisecond)
	d.take(d.report(d.stripe.Pay(p.Intent)))
	d.pass(time.Millisecond)
	d.take(d.report(d.stripe.Pay(q.Intent)))
	if d.state(in) != ledger.Confirmed || d.payment(in).Status != payment.Paid {
		t.Errorf("paid before: %s, %s", d.state(in), d.payment(in).Status)
	}
	if d.state(late) == ledger.Confirmed || d.payment(late).Status != payment.Refunded || d.returned() != 3000 {
		t.Errorf("paid after: %s, %s, %d returned", d.state(late), d.payment(late).Status, d.returned())
	}
	if n := d.told(late)[late.ID+".payment.refunding"]; n.Kind != string(wording.PaymentTooLate) {
		t.Errorf("told %+v", n)
	}
}

// A refund that was taken and fails days later is left to people, once, however often it is told.
func TestRefundBounces(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	d.stripe.SlowRefunds()
	tx, p := d.overdue()
	d.take(d.report(d.stripe.Pay(p.Intent)))
	if got := d.payment(tx); got.Status != payment.Refunded || len(d.alerts(tx.ID)) != 0 {
		t.Fatalf("%+v, alerts %v", got, d.alerts(tx.ID))
	}
	d.pass(72 * time.Hour)
	for _, told := range d.stripe.FailRefund(p.Intent) {
		d.take(d.report(told))
	}
	want := []string{"refund re_00000001 of 3000 EUR failed at the provider after it was taken: it has to be given back in another way"}
	if diff := cmp.Diff(want, d.alerts(tx.ID)); diff != "" || d.payment(tx).Status != payment.Refunded || d.returned() != 0 {
		t.Errorf("%s%+v", diff, d.payment(tx))
	}
}

// The schedule finds what is due, and leaves alone what is not.
func TestSweep(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	d.Table = dynamotest.Open(t).Table(dynamotest.OwnTable(t, "ledger"))
	d.Ledger.Table = d.Table
	waits, late := d.offer(nil), d.offer(nil)
	d.yes(waits)
	p := d.yes(late)
	d.pass(booking.PayFor)
	d.stripe.RefuseRefunds(true)
	d.take(d.report(d.stripe.Pay(p.Intent)))
	d.stripe.RefuseRefunds(false)
	for _, want := range []payment.Swept{{}, {Looked: 2, Refunded: 1}, {}} {
		if did, err := d.Sweep(context.Background(), dynamo.Budget{Count: 500}); err != nil || did != want {
			t.Errorf("%+v, %v; want %+v", did, err, want)
		}
		d.pass(time.Hour)
	}
	if d.returned() != 3000 {
		t.Errorf("%d returned", d.returned())
	}
}

// What was not paid in time is closed, a little after the hold: a page that is still open pays
// nothing any more, and Stripe is not asked again.
func TestNotPaidInTime(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(d *till, p payment.Payment){
		"waiting": func(*till, payment.Payment) {},
		"failed":  func(d *till, p payment.Payment) { d.take(d.report(d.stripe.Decline(p.Intent))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(nil)
			p := d.yes(tx)
			begin(d, p)
			d.pass(booking.PayFor)
			d.sweep(tx)
			if i := d.stripe.Intents()[0]; i.Status == "canceled" {
				t.Error("closed with the hold, before the last payment can have been told of")
			}
			d.pass(5 * time.Minute)
			count := counting()
			s := d.through(count)
			for _, calls := range [][]string{{"GetItem", "GET /v1/payment_intents/" + p.Intent, "POST /v1/payment_intents/" + p.Intent + "/cancel", "PutItem"}, {"GetItem"}} {
				if done, err := s.Attend(t.Context(), tx.ID); done || err != nil {
					t.Errorf("%v, %v", done, err)
				}
				count.want(t, "closing", calls...)
				d.pass(time.Hour)
			}
			if w := d.stripe.Pay(p.Intent); w.Body != "" || d.stripe.Intents()[0].Received != 0 || len(d.alerts(tx.ID)) != 0 {
				t.Errorf("it was paid: %s, alerts %v", w.Body, d.alerts(tx.ID))
			}
		})
	}
}

// What was paid, and no webhook told of, goes back, once, and people learn that webhooks do not
// arrive.
func TestPaidAndNotToldOf(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	told := d.stripe.Pay(p.Intent)
	d.pass(time.Hour)
	d.sweep(tx)
	if got := d.payment(tx); got.Status != payment.Refunded || got.Reason != payment.ReasonHoldGone || d.returned() != 3000 || len(d.alerts(tx.ID)) != 1 {
		t.Errorf("%+v, %d returned, alerts %v", got, d.returned(), d.alerts(tx.ID))
	}
	d.take(d.report(told)) // days later
	if d.returned() != 3000 || len(d.alerts(tx.ID)) != 1 {
		t.Errorf("%d returned, alerts %v", d.returned(), d.alerts(tx.ID))
	}
}

// What is found paid in part confirms and gives back nothing: people are told, once, and Stripe
// is not asked again.
func TestPaidInPartAndNotToldOf(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	d.stripe.Pay(p.Intent)
	d.Provider = stingy{d.Provider}
	for range 3 {
		d.pass(time.Hour)
		d.sweep(tx)
	}
	asked := 0
	for _, c := range d.stripe.Calls() {
		if c.Method == "GET" {
			asked++
		}
	}
	if got := d.payment(tx); got.Status != payment.Waiting || len(d.alerts(tx.ID)) != 2 || asked != 1 {
		t.Errorf("%+v, alerts %v, asked %d times", got, d.alerts(tx.ID), asked)
	}
}

// stingy is a provider that was paid less than it was asked to have paid.
type stingy struct{ payment.Provider }

func (s stingy) Close(ctx context.Context, id, key string) (payment.Closed, error) {
	c, err := s.Provider.Close(ctx, id, key)
	c.AmountMinor--
	return c, err
}

// While a bank has not decided, it is looked at less and less often, and left to people in the
// end. Each try is by a key of its own: an error that Stripe keeps for one is no answer to the next.
func TestNotDecided(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	d.stripe.Process(p.Intent)
	d.pass(time.Hour)
	d.sweep(tx)
	d.sweep(tx) // at once
	if got := d.payment(tx); got.Looks != 1 || got.Status != payment.Waiting {
		t.Errorf("%+v", got)
	}
	for range 62 {
		if n := len(d.alerts(tx.ID)); n != 0 && d.payment(tx).Looks < 60 {
			t.Fatalf("%d alerts after %d looks", n, d.payment(tx).Looks)
		}
		d.pass(6 * time.Hour)
		d.sweep(tx)
	}
	if got := d.payment(tx); got.Looks != 60 || len(d.alerts(tx.ID)) != 1 {
		t.Errorf("%+v, alerts %v", got, d.alerts(tx.ID))
	}
	keys := map[string]bool{}
	for _, c := range d.stripe.Calls() {
		if strings.HasSuffix(c.Path, "/cancel") {
			keys[c.Key] = true
		}
	}
	if len(keys) != 60 {
		t.Errorf("it was tried by %d keys", len(keys))
	}
	d.take(d.report(d.stripe.Pay(p.Intent)))
	if got := d.payment(tx); got.Status != payment.Refunded || d.returned() != 3000 {
		t.Errorf("%+v, %d returned", got, d.returned())
	}
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	p := d.yes(tx)
	for range 3 {
		d.take(d.report(d.stripe.Decline(p.Intent)))
	}
	if got := d.payment(tx); got.Status != payment.Failed || d.state(tx) != ledger.Hold {
		t.Errorf("%+v, %s", got, d.state(tx))
	}
	told := d.told(tx)
	if n := told[tx.ID+".payment.failed"]; len(told) != 1 || !strings.Contains(n.Text, d.Link(p)) || n.Ref != "" || n.Cards[0]["status"] != "failed" {
		t.Errorf("told %+v", told)
	}
	declined := d.report(d.stripe.Decline(p.Intent))
	d.take(d.report(d.stripe.Pay(p.Intent)))
	d.take(declined) // late
	if got := d.payment(tx); got.Status != payment.Paid || d.state(tx) != ledger.Confirmed {
		t.Errorf("%+v, %s", got, d.state(tx))
	}
}

// A customer is told to try again only while they can.
func TestDeclinedWhenItIsOver(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]func(d *till, tx ledger.Transaction, p payment.Payment){
		"the hold is over": func(d *till, _ ledger.Transaction, _ payment.Payment) { d.pass(booking.PayFor) },
		"it was let go of": func(d *till, tx ledger.Transaction, _ payment.Payment) {
			_, err := d.Ledger.Release(context.Background(), d.tc.Actor, tx.ID, "no", "k")
			if err != nil {
				d.t.Fatal(err)
			}
		},
		"it was paid by another card":   func(d *till, _ ledger.Transaction, p payment.Payment) { d.take(d.report(d.stripe.Pay(p.Intent))) },
		"it was confirmed without that": func(d *till, tx ledger.Transaction, _ payment.Payment) { d.confirm(tx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(nothingDue)
			p := d.yes(tx)
			d.take(d.report(d.stripe.Decline(p.Intent)))
			since(d, tx, p)
			if n, ok := d.told(tx)[tx.ID+".payment.failed"]; ok {
				t.Errorf("told %q", n.Text)
			}
		})
	}
}

// What is told of another intent, amount or currency confirms nothing.
func TestReportsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*payment.Notification){
		"less": func(r *payment.Notification) { r.AmountMinor-- }, "more": func(r *payment.Notification) { r.AmountMinor++ }, "another currency": func(r *payment.Notification) { r.Currency = "TRY" },
		"another intent": func(r *payment.Notification) { r.Intent = "pi_other" },
	} {
		d := newTill(t)
		tx := d.offer(nil)
		p := d.yes(tx)
		r := d.report(d.stripe.Pay(p.Intent))
		spoil(&r)
		d.take(r)
		d.take(r)
		if d.state(tx) != ledger.Hold || d.payment(tx).Status != payment.Waiting || len(d.alerts(tx.ID)) != 1 {
			t.Errorf("%s: %s, %s, alerts %v", name, d.state(tx), d.payment(tx).Status, d.alerts(tx.ID))
		}
	}
	d := newTill(t)
	stray := payment.Notification{Happened: payment.Succeeded, Transaction: dynamotest.ID("t"), Intent: "pi_1", AmountMinor: 1, Currency: "EUR"}
	d.take(stray)
	if len(d.alerts(stray.Transaction)) != 1 {
		t.Errorf("alerts %v", d.alerts(stray.Transaction))
	}
	stray.Happened = payment.Declined
	stray.Transaction = dynamotest.ID("t")
	if d.take(stray); len(d.alerts(stray.Transaction)) != 0 {
		t.Error("an alert about nothing")
	}
}

// Whatever else is wrong with a payment is an alert beside the one that is open; the same told again is
// none.
func TestEachThingThatIsWrongIsAnAlert(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	p := d.yes(tx)
	wrong := []payment.Notification{
		{Happened: payment.Bounced, Intent: p.Intent, Refund: "re_1", AmountMinor: 1000, Currency: "EUR"},
		{Happened: payment.Bounced, Intent: p.Intent, Refund: "re_2", AmountMinor: 2000, Currency: "EUR"},
		{Happened: payment.Succeeded, Intent: "pi_other", AmountMinor: 3000, Currency: "EUR"},
		{Happened: payment.Succeeded, Intent: "pi_third", AmountMinor: 3000, Currency: "EUR"},
		{Happened: payment.Succeeded, Intent: p.Intent, AmountMinor: 1, Currency: "EUR"},
	}
	for range 2 {
		for _, r := range wrong {
			r.Transaction = tx.ID
			d.take(r)
		}
	}
	all := strings.Join(d.alerts(tx.ID), "\n")
	for _, want := range []string{"re_1 of 1000 EUR", "re_2 of 2000 EUR", "pi_other", "pi_third", "1 EUR were paid"} {
		if !strings.Contains(all, want) || strings.Count(all, "\n")+1 != len(wrong) {
			t.Errorf("no alert of %s, or others than one of each:\n%s", want, all)
		}
	}
}

// A booking that is cancelled in time gets its money back, however late the stream tells of it; too
// late, only when it was not the customer who cancelled.
func TestCancelled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		at    time.Time
		by    actor.Actor   // the customer when zero
		free  bool          // nothing had to be paid, and it was paid all the same
		late  time.Duration // the stream, after it was cancelled
		gives bool
	}{
		{"in time", noon.Add(time.Hour), actor.Actor{}, false, 0, true},
		{"in time, brought too late", noon.Add(time.Hour), actor.Actor{}, false, 4 * 24 * time.Hour, true},
		{"too late", time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), actor.Actor{}, false, 0, false},
		{"too late, by staff", time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), actor.Actor{Kind: actor.Staff, ID: "s", Groups: []string{"admin"}}, false, 0, true},
		{"without a rule, before the start", time.Date(2026, 11, 25, 7, 0, 0, 0, time.UTC), actor.Actor{}, true, 0, true},
		{"without a rule, after it", time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC), actor.Actor{}, true, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, ctx := newTill(t), context.Background()
			tx := d.offer(func(t *ledger.Terms) {
				if tt.free {
					t.DueMinor, t.RefundUntil = 0, time.Time{}
				}
			})
			p := d.yes(tx)
			d.take(d.report(d.stripe.Pay(p.Intent)))
			d.pass(tt.at.Sub(d.now()))
			by := tt.by
			if by.ID == "" {
				by = d.tc.Actor
			}
			if _, err := d.Ledger.Release(ctx, by, tx.ID, "test", "cancel"); err != nil {
				t.Fatal(err)
			}
			d.pass(tt.late)
			d.ended(tx)
			d.ended(tx)
			d.sweep(tx)
			d.sweep(tx)
			want, back := payment.Paid, int64(0)
			if tt.gives {
				want, back = payment.Refunded, p.AmountMinor
			}
			if got := d.payment(tx); got.Status != want || d.returned() != back {
				t.Errorf("%s, %d returned; want %s, %d", got.Status, d.returned(), want, back)
			}
			if _, told := d.told(tx)[tx.ID+".payment.refunding"]; told != tt.gives {
				t.Errorf("told %+v", d.threads)
			}
		})
	}
}

// Staff give money back at Stripe's own pages; the word on it may be the first one.
func TestGivenBackByStaff(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	p := d.yes(tx)
	paid := d.report(d.stripe.Pay(p.Intent))
	back := d.report(d.stripe.GiveBack(p.Intent))
	part := back
	part.All = false
	d.take(part)
	if got := d.payment(tx); got.Status != payment.Waiting {
		t.Errorf("a part given back: %s", got.Status)
	}
	d.take(back)
	d.take(paid)
	if got := d.payment(tx); got.Status != payment.Refunded || got.Reason != payment.ReasonStaff || d.state(tx) != ledger.Hold {
		t.Errorf("%+v, %s", got, d.state(tx))
	}
	if _, ok := d.told(tx)[tx.ID+".payment.refunded"]; !ok {
		t.Errorf("told %+v", d.threads)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	p := d.yes(tx)
	if page, err := d.Open(ctx, tx.ID, p.Token); err != nil || page.Payment.AmountMinor != 3000 || page.Transaction.ID != tx.ID {
		t.Errorf("%+v, %v", page, err)
	}
	if s, err := d.Secret(ctx, tx.ID, p.Token); err != nil || s.ClientSecret != p.Intent+"_secret_not_real" || s.Paid || s.Status != payment.Waiting {
		t.Errorf("%+v, %v", s, err)
	}
	other := d.yes(d.offer(nil))
	for name, token := range map[string]string{"another's": other.Token, "none": "", "short": p.Token[1:], "long": p.Token + "A", "made up": strings.Repeat("A", len(p.Token))} {
		if _, err := d.Open(ctx, tx.ID, token); !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if s, err := d.Secret(ctx, tx.ID, token); !errors.Is(err, actor.ErrNotFound) || s.ClientSecret != "" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := d.Open(ctx, "none", p.Token); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("no such transaction: %v", err)
	}
	paid := d.stripe.Pay(p.Intent)
	if s, err := d.Secret(ctx, tx.ID, p.Token); err != nil || !s.Paid || s.ClientSecret != "" {
		t.Errorf("paid, and not yet told: %+v, %v", s, err)
	}
	d.take(d.report(paid))
	if s, err := d.Secret(ctx, tx.ID, p.Token); err != nil || !s.Paid || s.Status != payment.Paid {
		t.Errorf("paid: %+v, %v", s, err)
	}
	d.pass(booking.PayFor)
	if _, err := d.Open(ctx, tx.ID, p.Token); err != nil {
		t.Errorf("what was paid has no page any more: %v", err)
	}
	if _, err := d.Secret(ctx, other.Transaction, other.Token); !errors.Is(err, payment.ErrGone) {
		t.Errorf("not held any more: %v", err)
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	d.yes(tx)
	stranger := actor.Actor{Kind: actor.User, ID: dynamotest.ID("other")}
	if _, err := d.Get(context.Background(), stranger, tx.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Error(err)
	}
}

// What a YES, a webhook and a page cost.
func TestRequests(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	ctx := context.Background()
	count := counting()
	s := d.through(count)
	settled, err := payment.Pay{Store: s}.Commit(ctx, d.tc, d.consent(d.pending(tx)))
	if err != nil {
		t.Fatal(err)
	}
	count.want(t, "YES", "GetItem", "GetItem", "POST /v1/payment_intents")
	if len(settled.Writes) != 2 {
		t.Errorf("%d writes join the turn", len(settled.Writes))
	}
	if err := d.Table.DB().Commit(ctx, settled.Writes...); err != nil {
		t.Fatal(err)
	}
	p := d.payment(tx)
	if _, err := s.Open(ctx, tx.ID, p.Token); err != nil {
		t.Fatal(err)
	}
	count.want(t, "page", "GetItem", "GetItem")
	if kind, err := s.LetGoOf(ctx, tx); err != nil || kind != payment.LetGoKind {
		t.Errorf("%q, %v", kind, err)
	}
	count.want(t, "whether it is to be let go", "GetItem")
	if _, err := (payment.LetGo{Store: s}).Commit(ctx, d.tc, d.consent(d.asked(tx))); err != nil {
		t.Error(err)
	}
	count.want(t, "YES to that", "GetItem")
	if _, err := (payment.LetGo{Store: s}).Release(ctx, d.tc, d.asked(tx)); err != nil {
		t.Error(err)
	}
	count.want(t, "NO to that", "GetItem", "GetItem")
	paid := d.report(d.stripe.Pay(p.Intent))
	if err := s.Take(ctx, paid); err != nil {
		t.Fatal(err)
	}
	count.want(t, "webhook", "GetItem", "GetItem", "TransactWriteItems")
	if err := s.Take(ctx, paid); err != nil {
		t.Fatal(err)
	}
	count.want(t, "the same again", "GetItem")
	if _, err := s.Open(ctx, tx.ID, "x"); err == nil {
		t.Error("no token opens it")
	}
	count.want(t, "no token")
	if secret, err := s.Secret(ctx, tx.ID, p.Token); err != nil || !secret.Paid {
		t.Errorf("%+v, %v", secret, err)
	}
	count.want(t, "the page of what is paid", "GetItem", "GetItem")
	gift := d.offer(free)
	if all, err := s.Of(ctx, []ledger.Transaction{gift}); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	count.want(t, "the payment of what is free")
	d.pass(tx.End.Sub(d.now()))
	if tx, err = d.Ledger.Get(ctx, d.tc.Actor, tx.ID); err != nil {
		t.Fatal(err)
	}
	for _, calls := range [][]string{{"Query", "TransactWriteItems"}, {"Query"}} {
		if err := s.Forget(ctx, []ledger.Transaction{tx}); err != nil {
			t.Error(err)
		}
		count.want(t, "forgetting", calls...)
	}
}

var clerk = actor.Actor{Kind: actor.Staff, ID: "clerk", Groups: []string{"admin"}}

// What a customer who cancels late gets back is a part, once, and told so; nobody coming gives
// the same part, when it can be taken back no more, and nothing when it was.
func TestPartOfItComesBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tt := range map[string]struct {
		end    func(d *till, tx ledger.Transaction) error
		soon   int64 // given back at once
		later  int64 // and when a day is over
		reason string
	}{
		"cancelled late": {func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel")
			return err
		}, 1000, 1000, payment.ReasonCancelled},
		"cancelled by staff": {func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Release(ctx, clerk, tx.ID, "test", "cancel")
			return err
		}, 3000, 3000, payment.ReasonCancelled},
		"nobody came": {func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
			return err
		}, 0, 1000, payment.ReasonNoShow},
		"taken back": {func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
			_, err2 := d.Ledger.TakeBack(ctx, clerk, tx.ID, "back")
			return errors.Join(err, err2)
		}, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(func(t *ledger.Terms) { t.LateRefundMinor = 1000 })
			d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
			d.pass(tx.Start.Sub(d.now()))
			if err := tt.end(d, tx); err != nil {
				t.Fatal(err)
			}
			settle := func() {
				d.ended(tx)
				d.ended(tx)
				for range 3 {
					d.sweep(tx)
				}
			}
			if settle(); d.returned() != tt.soon {
				t.Errorf("%d returned at once, want %d", d.returned(), tt.soon)
			}
			d.pass(ledger.TakeBackFor)
			if settle(); d.returned() != tt.later {
				t.Errorf("%d returned later, want %d", d.returned(), tt.later)
			}
			p, told := d.payment(tx), d.told(tx)
			if p.Reason != tt.reason || tt.later > 0 && (p.Status != payment.Refunded || p.Back() != tt.later) {
				t.Errorf("%+v", p)
			}
			n := told[tx.ID+".payment.refunding"]
			if part := strings.Contains(n.Text, "€10.00 is being returned to you and €20.00 is kept"); part != (tt.later == 1000) {
				t.Errorf("told %q", n.Text)
			}
		})
	}
}

// A customer's export tells of their payments; deleted, they are nobody's, and the books and a
// refund that is due stay.
func TestPaymentsWithoutTheCustomer(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx, open, gift := d.offer(nil), d.offer(nil), d.offer(free)
	d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
	d.yes(open)
	all := []ledger.Transaction{tx, open, gift}
	records, err := d.Of(ctx, all)
	if err != nil || len(records) != 2 || records[0].Status != payment.Paid || records[0].AmountMinor != 3000 || records[1].Transaction != open.ID {
		t.Fatalf("%+v, %v", records, err)
	}
	cancelled, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel")
	if err != nil {
		t.Fatal(err)
	}
	all[0] = cancelled
	d.ended(tx)
	for range 2 {
		if err := d.Forget(ctx, all); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Get(ctx, d.tc.Actor, tx.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("it is still theirs: %v", err)
	}
	page, err := d.Table.Query(ctx, dynamo.Under("pay#"+tx.ID, ""))
	for _, it := range page.Items {
		for name, v := range it {
			if text := fmt.Sprintf("%+v", v); strings.Contains(text, d.tc.Actor.ID) || strings.Contains(text, d.tc.Thread) {
				t.Errorf("%s of %s tells who it was: %s", name, it.Key(), text)
			}
		}
	}
	d.sweep(tx)
	p, err2 := d.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID)
	if err != nil || err2 != nil || p.Status != payment.Refunded || p.AmountMinor != 3000 || d.returned() != 3000 {
		t.Errorf("%+v, %v, %v, %d returned", p, err, err2, d.returned())
	}
	if got := d.payment(open); got.Owner == "" {
		t.Error("what can still be paid is nobody's")
	}
	if records, err := d.Of(ctx, all[:1]); err != nil || len(records) != 0 {
		t.Errorf("%+v, %v", records, err)
	}
}
