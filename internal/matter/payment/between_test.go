package payment_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
)

// Staff give money back at the provider's own pages right before something else is written of
// the payment, by whoever has read it before: what they did stays.
func TestGivenBackMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tt := range map[string]struct {
		op  string
		end func(d *till, tx ledger.Transaction) (ledger.Transaction, error)
		do  func(late *payment.Store, tx ledger.Transaction, events []ledger.Event) error
	}{
		"cancelled": {"TransactWriteItems", func(d *till, tx ledger.Transaction) (ledger.Transaction, error) {
			return d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel")
		}, func(late *payment.Store, _ ledger.Transaction, events []ledger.Event) error {
			return late.Ended(ctx, events[len(events)-1])
		}},
		"nobody came": {"PutItem", func(d *till, tx ledger.Transaction) (ledger.Transaction, error) {
			d.pass(tx.Start.Sub(d.now()))
			return d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
		}, func(late *payment.Store, _ ledger.Transaction, events []ledger.Event) error {
			return late.Ended(ctx, events[len(events)-1])
		}},
		"forgotten": {"TransactWriteItems", func(d *till, tx ledger.Transaction) (ledger.Transaction, error) {
			d.pass(tx.End.Sub(d.now()))
			return d.Ledger.Get(ctx, d.tc.Actor, tx.ID)
		}, func(late *payment.Store, tx ledger.Transaction, _ []ledger.Event) error {
			if err := late.Forget(ctx, []ledger.Transaction{tx}); err == nil {
				return errors.New("it was forgotten as it was read")
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(func(t *ledger.Terms) { t.LateRefundMinor = 1000 })
			p := d.yes(tx)
			d.take(d.report(d.stripe.Pay(p.Intent)))
			tx, err := tt.end(d, tx)
			if err != nil {
				t.Fatal(err)
			}
			var events []ledger.Event
			all, err := ledgertest.Events(ctx, d.Ledger, tx.ID)
			for _, e := range all {
				if e.Type == ledger.Cancelled || e.Type == ledger.NoShow {
					events = append(events, e)
				}
			}
			staff := dynamotest.Before(tt.op, func() { d.take(d.report(d.stripe.GiveBack(p.Intent))) })
			if err := errors.Join(err, tt.do(d.over(dynamotest.Open(t, staff), d.stripe.Client()), tx, events)); err != nil {
				t.Fatal(err)
			}
			if got := d.payment(tx); got.Status != payment.Refunded || got.Reason != payment.ReasonStaff {
				t.Errorf("%+v", got)
			}
			for range 2 {
				d.pass(ledger.TakeBackFor)
				d.sweep(tx)
			}
			if d.returned() != 3000 || d.payment(tx).Status != payment.Refunded {
				t.Errorf("%d returned, %+v", d.returned(), d.payment(tx))
			}
		})
	}
}

// A customer's data is deleted right before what they paid is written as to be given back: it is
// given back all the same.
func TestForgottenWhileItEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tt := range map[string]struct {
		op   string
		end  func(d *till, tx ledger.Transaction) (ledger.Transaction, error)
		back int64
	}{
		"cancelled": {"TransactWriteItems", func(d *till, tx ledger.Transaction) (ledger.Transaction, error) {
			return d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel")
		}, 3000},
		"nobody came": {"PutItem", func(d *till, tx ledger.Transaction) (ledger.Transaction, error) {
			d.pass(tx.Start.Sub(d.now()))
			return d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
		}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(func(t *ledger.Terms) { t.LateRefundMinor = 1000 })
			d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
			tx, err := tt.end(d, tx)
			if err != nil {
				t.Fatal(err)
			}
			events, err := ledgertest.Events(ctx, d.Ledger, tx.ID)
			if err != nil {
				t.Fatal(err)
			}
			late := d.over(dynamotest.Open(t, dynamotest.Before(tt.op, func() {
				if err := d.Forget(ctx, []ledger.Transaction{tx}); err != nil {
					t.Error(err)
				}
			})), d.stripe.Client())
			if err := late.Ended(ctx, events[len(events)-1]); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				d.pass(ledger.TakeBackFor)
				d.sweep(tx)
			}
			if p, err := d.Get(ctx, clerk, tx.ID); err != nil || p.Status != payment.Refunded || p.Owner != "" || d.returned() != tt.back {
				t.Errorf("%+v, %d returned, want %d: %v", p, d.returned(), tt.back, err)
			}
		})
	}
}

// That nobody came is taken back, by a clock that is behind, right before the part that is given back
// for it is written: they came, and nothing is given back.
func TestTakenBackAtTheLastMoment(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newTill(t)
	tx := d.offer(func(t *ledger.Terms) { t.LateRefundMinor = 1000 })
	d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
	d.pass(tx.Start.Sub(d.now()))
	tx, err := d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
	if err != nil {
		t.Fatal(err)
	}
	events, err := ledgertest.Events(ctx, d.Ledger, tx.ID)
	if err == nil {
		err = d.Ended(ctx, events[len(events)-1])
	}
	if err != nil {
		t.Fatal(err)
	}
	d.pass(ledger.TakeBackFor)
	behind := *d.Ledger
	behind.Now = func() time.Time { return d.now().Add(-time.Second) }
	late := d.over(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		if _, err := behind.TakeBack(ctx, clerk, tx.ID, "back"); err != nil {
			t.Error(err)
		}
	})), d.stripe.Client())
	if _, err := late.Attend(ctx, tx.ID); err != nil {
		t.Error(err)
	}
	for range 2 {
		d.sweep(tx)
		d.pass(ledger.TakeBackFor)
	}
	if got := d.payment(tx); got.Status != payment.Paid || d.returned() != 0 {
		t.Errorf("%+v, %d returned", got, d.returned())
	}
}

// What was booked without a payment is cancelled right before its payment is written: the money
// goes back.
func TestPaidOfWhatIsJustCancelled(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(func(t *ledger.Terms) { t.DueMinor = 0 })
	p := d.yes(tx)
	if _, err := ledgertest.Confirm(ctx, d.Ledger, d.tc.Actor, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}, "k"); err != nil {
		t.Fatal(err)
	}
	late := d.over(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel"); err != nil {
			t.Error(err)
		}
		d.ended(tx)
	})), d.stripe.Client())
	if err := late.Take(ctx, d.report(d.stripe.Pay(p.Intent))); err != nil {
		t.Fatal(err)
	}
	if got := d.payment(tx); d.state(tx) != ledger.Cancelled || got.Status != payment.Refunded || d.returned() != 9000 {
		t.Errorf("it is %s, the payment %s, %d returned", d.state(tx), got.Status, d.returned())
	}
}

// What is paid, and told of, right before it is written as closed or as looked at in vain, stays
// as it was told.
func TestPaidWhileItIsClosed(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]bool{"found": false, "Stripe is away": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx, p := d.overdue()
			paid := d.report(d.stripe.Pay(p.Intent))
			d.pass(time.Hour)
			if away {
				d.stripe.Add(stripetest.Away)
			}
			late := d.over(dynamotest.Open(t, dynamotest.Before("PutItem", func() { d.take(paid) })), d.stripe.Client())
			if _, err := late.Attend(context.Background(), tx.ID); err != nil {
				t.Fatal(err)
			}
			if got := d.payment(tx); got.Status != payment.Refunded || got.Looks != 0 || d.returned() != 3000 {
				t.Errorf("%+v, %d returned", got, d.returned())
			}
		})
	}
}

// A refund that fails, which has meanwhile been made by staff, is not tried again.
func TestRefundFailsMeanwhile(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	d.stripe.RefuseRefunds(true)
	late := d.over(dynamotest.Open(t, dynamotest.Before("PutItem", func() {
		d.stripe.RefuseRefunds(false)
		d.take(d.report(d.stripe.GiveBack(p.Intent)))
	})), d.stripe.Client())
	if err := late.Take(context.Background(), d.report(d.stripe.Pay(p.Intent))); err != nil {
		t.Fatal(err)
	}
	if got := d.payment(tx); got.Status != payment.Refunded || got.Tries != 0 {
		t.Errorf("%+v", got)
	}
}

// While whoever was told of a late payment gives it back, the schedule leaves it alone.
func TestALatePaymentIsGivenBackByOne(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx, p := d.overdue()
	var asked int
	d.Provider = refunding{d.Provider, func(payment.Back) {
		if asked++; asked == 1 {
			d.sweep(tx)
		}
	}}
	d.take(d.report(d.stripe.Pay(p.Intent)))
	if asked != 1 || d.returned() != 3000 {
		t.Errorf("asked %d times, %d returned", asked, d.returned())
	}
}

// Two that give a part of a payment back at once ask the provider under one key, so that it gives it
// back once: unlike all of a payment, a part of it can be given back twice.
func TestAPartIsGivenBackByTwoAtOnce(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(func(t *ledger.Terms) { t.LateRefundMinor = 1000 })
	d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
	d.pass(tx.Start.Sub(d.now()))
	if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel"); err != nil {
		t.Fatal(err)
	}
	d.ended(tx)
	attend := func() {
		if _, err := d.Attend(ctx, tx.ID); err != nil {
			t.Error(err)
		}
	}
	var keys []string
	d.Provider = refunding{d.Provider, func(b payment.Back) {
		if keys = append(keys, b.Key); len(keys) == 1 {
			attend()
		}
	}}
	attend()
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("asked with the keys %q, want the same twice", keys)
	}
	if p := d.payment(tx); d.returned() != 1000 || p.Status != payment.Refunded {
		t.Errorf("%d returned, want 1000: %+v", d.returned(), p)
	}
}

// refunding is a provider that is asked to give money back when something else happens.
type refunding struct {
	payment.Provider
	meanwhile func(payment.Back)
}

func (r refunding) Refund(ctx context.Context, b payment.Back) error {
	r.meanwhile(b)
	return r.Provider.Refund(ctx, b)
}

// Of two YES that are carried out at once, one asks for the money.
func TestTwoYesAtOnce(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	consent := d.consent(d.pending(tx))
	first, err := payment.Pay{Store: d.Store}.Commit(ctx, d.tc, consent)
	consent.MessageID = "m2"
	second, err2 := payment.Pay{Store: d.Store}.Commit(ctx, d.tc, consent)
	if err := errors.Join(err, err2, d.Table.DB().Commit(ctx, first.Writes...)); err != nil {
		t.Fatal(err)
	}
	p := d.payment(tx)
	err = d.Table.DB().Commit(ctx, second.Writes...)
	if _, ok := second.Refused(err); err == nil || !ok {
		t.Errorf("the second YES: %v", err)
	}
	if got := d.payment(tx); got.Token != p.Token || got.Intent != p.Intent {
		t.Errorf("%+v, want %+v", got, p)
	}
}

// A store that does not answer is no payment that is not due.
func TestAttendWithoutTheStore(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	away := d.through(faulttest.With(faulttest.At{N: 1, Fault: faulttest.ServerError}))
	if _, err := away.Attend(context.Background(), "tx"); err == nil {
		t.Error("no error")
	}
	if done, err := d.Attend(context.Background(), dynamotest.ID("tx")); done || err != nil {
		t.Errorf("of no payment: %v, %v", done, err)
	}
}

// Of what the ledger's stream brings, payments' events are theirs and nothing else is.
func TestEventsAreToldApart(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx := d.offer(nil)
	d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
	for pk, want := range map[string]int{"pay#" + tx.ID: 1, "tx#" + tx.ID: 0} {
		n := 0
		err := d.Table.Each(ctx, dynamo.Under(pk, ""), func(it dynamo.Item) error {
			_, ok, err := payment.Events.Read(it)
			if ok {
				n++
			}
			return err
		})
		if err != nil || n != want {
			t.Errorf("%d events in %s, want %d: %v", n, pk, want, err)
		}
	}
}
