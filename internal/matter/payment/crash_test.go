package payment_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// counted are calls that are looked at one step after the other.
type counted struct {
	*faulttest.Calls
	seen int
}

func counting() *counted { return &counted{Calls: faulttest.With()} }

func (c *counted) want(t *testing.T, what string, want ...string) {
	t.Helper()
	got := c.Names()[c.seen:]
	c.seen += len(got)
	if diff := cmp.Diff(want, slices.Clone(got)); diff != "" && len(want)+len(got) > 0 {
		t.Errorf("%s makes other requests (-want +got):\n%s", what, diff)
	}
}

// outcome is everything that there is in the end.
type outcome struct {
	Transaction ledger.State
	Payment     payment.Status
	Events      []string
	Ledger      []string
	Receipt     string
	Charged     int64 // by Stripe
	Open        int   // at Stripe: what can be paid yet
	Returned    int64
	Alerts      int
	Told        []string
}

// String is what became of the booking and of the money.
func (o outcome) String() string {
	return fmt.Sprintf("%s, %s, %d of %d returned, %d alerts", o.Transaction, o.Payment, o.Returned, o.Charged, o.Alerts)
}

func (d *till) outcome(tx ledger.Transaction) outcome {
	d.t.Helper()
	h, err := d.Ledger.History(context.Background(), d.tc.Actor, tx.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := d.Get(context.Background(), actor.Actor{Kind: actor.System}, tx.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	out := outcome{Transaction: h.Transaction.State, Payment: p.Status, Events: d.events(tx), Returned: d.returned(), Alerts: len(d.alerts(tx.ID))}
	for _, e := range h.Events {
		out.Ledger = append(out.Ledger, string(e.Type))
	}
	if r := h.Receipt; r != nil {
		out.Receipt = fmt.Sprint(r.Answer, r.MessageID, r.OfferHash == tx.OfferHash, r.Payment == p.Intent)
	}
	for _, i := range d.stripe.Intents() {
		if out.Charged += i.Received; i.Status != "succeeded" && i.Status != "canceled" {
			out.Open++
		}
	}
	for key := range d.told(tx) {
		out.Told = append(out.Told, key[len(tx.ID):])
	}
	slices.Sort(out.Told)
	return out
}

// errAgain means that the customer says YES again.
var errAgain = errors.New("say it again")

// Whatever call of a YES, of a webhook, of one that comes too late, of a cancellation or of a
// closing fails, in every way, and however often it comes again: what is stored, charged and told is as without.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	yes := func(d *till, s *payment.Store, tx ledger.Transaction) error {
		settled, err := payment.Pay{Store: s}.Commit(ctx, d.tc, d.consent(d.pending(tx)))
		switch {
		case err != nil:
			return err
		case settled.Keep:
			return errAgain
		}
		err = s.Table.DB().Commit(ctx, settled.Writes...)
		if _, ok := settled.Refused(err); err != nil && ok {
			return nil // the turn says so
		}
		return err
	}
	take := func(_ *till, s *payment.Store, _ ledger.Transaction, r payment.Notification) error {
		return s.Take(ctx, r)
	}
	attend := func(_ *till, s *payment.Store, tx ledger.Transaction, _ payment.Notification) error {
		_, err := s.Attend(ctx, tx.ID)
		return err
	}
	paid := func(d *till, tx ledger.Transaction) payment.Notification {
		d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
		return payment.Notification{}
	}
	scenes := map[string]struct {
		begin func(d *till, tx ledger.Transaction) payment.Notification
		do    func(d *till, s *payment.Store, tx ledger.Transaction, r payment.Notification) error
	}{
		"yes": {func(*till, ledger.Transaction) payment.Notification { return payment.Notification{} }, func(d *till, s *payment.Store, tx ledger.Transaction, _ payment.Notification) error {
			return yes(d, s, tx)
		}},
		"webhook": {func(d *till, tx ledger.Transaction) payment.Notification {
			return d.report(d.stripe.Pay(d.yes(tx).Intent))
		}, take},
		"webhook of a move": {func(d *till, tx ledger.Transaction) payment.Notification {
			return d.report(d.stripe.Pay(d.yes(tx).Intent))
		}, take},
		"declined": {func(d *till, tx ledger.Transaction) payment.Notification {
			return d.report(d.stripe.Decline(d.yes(tx).Intent))
		}, take},
		"given back by staff": {func(d *till, tx ledger.Transaction) payment.Notification {
			paid(d, tx)
			return d.report(d.stripe.GiveBack(d.payment(tx).Intent))
		}, take},
		"a refund bounces": {func(d *till, tx ledger.Transaction) payment.Notification {
			d.stripe.SlowRefunds()
			p := d.yes(tx)
			d.pass(booking.PayFor)
			d.take(d.report(d.stripe.Pay(p.Intent)))
			return d.report(d.stripe.FailRefund(p.Intent)[0])
		}, take},
		"forgotten": {func(d *till, tx ledger.Transaction) payment.Notification {
			paid(d, tx)
			d.pass(tx.End.Sub(d.now()))
			return payment.Notification{}
		}, func(d *till, s *payment.Store, tx ledger.Transaction, _ payment.Notification) error {
			now, err := d.Ledger.Get(ctx, d.tc.Actor, tx.ID)
			return errors.Join(err, s.Forget(ctx, []ledger.Transaction{now}))
		}},
		"not paid": {func(d *till, tx ledger.Transaction) payment.Notification {
			d.yes(tx)
			d.pass(booking.PayFor + time.Hour)
			return payment.Notification{}
		}, attend},
		"paid and not told of": {func(d *till, tx ledger.Transaction) payment.Notification {
			d.stripe.Pay(d.yes(tx).Intent)
			d.pass(booking.PayFor + time.Hour)
			return payment.Notification{}
		}, attend},
		"too late": {func(d *till, tx ledger.Transaction) payment.Notification {
			r := d.report(d.stripe.Pay(d.yes(tx).Intent))
			d.pass(booking.PayFor)
			return r
		}, take},
		"cancelled": {func(d *till, tx ledger.Transaction) payment.Notification {
			r := d.report(d.stripe.Pay(d.yes(tx).Intent))
			d.take(r)
			if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel"); err != nil {
				d.t.Fatal(err)
			}
			return r
		}, func(_ *till, s *payment.Store, tx ledger.Transaction, _ payment.Notification) error {
			events, err := ledgertest.Events(ctx, s.Ledger, tx.ID)
			for _, e := range events {
				err = errors.Join(err, s.Ended(ctx, e))
			}
			return err
		}},
	}
	partly := func(t *ledger.Terms) { t.LateRefundMinor = 1000 }
	offers := map[string]func(*ledger.Terms){"cancelled late": partly, "nobody came": partly, "nobody came, taken back": partly}
	wants := map[string]string{
		"yes": "hold, waiting, 0 of 0 returned, 0 alerts", "declined": "hold, failed, 0 of 0 returned, 0 alerts",
		"not paid": "hold, waiting, 0 of 0 returned, 0 alerts", "paid and not told of": "hold, refunded, 3000 of 3000 returned, 1 alerts",
		"webhook": "confirmed, paid, 0 of 3000 returned, 0 alerts", "webhook of a move": "confirmed, paid, 0 of 3000 returned, 0 alerts",
		"forgotten": "confirmed, paid, 0 of 3000 returned, 0 alerts", "nobody came, taken back": "confirmed, paid, 0 of 3000 returned, 0 alerts",
		"too late": "hold, refunded, 3000 of 3000 returned, 0 alerts", "cancelled": "cancelled, refunded, 3000 of 3000 returned, 0 alerts",
		"cancelled late": "cancelled, refunded, 1000 of 3000 returned, 0 alerts", "nobody came": "no_show, refunded, 1000 of 3000 returned, 0 alerts",
		"given back by staff": "confirmed, refunded, 3000 of 3000 returned, 0 alerts", "a refund bounces": "hold, refunded, 0 of 3000 returned, 1 alerts",
	}
	ended := scenes["cancelled"].do
	for name, end := range map[string]func(d *till, tx ledger.Transaction) error{
		"cancelled late": func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel")
			return err
		},
		"nobody came": func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
			return err
		},
		"nobody came, taken back": func(d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Mark(ctx, clerk, tx.ID, "mark")
			_, err2 := d.Ledger.TakeBack(ctx, clerk, tx.ID, "back")
			return errors.Join(err, err2)
		},
	} {
		scene := scenes["cancelled"]
		scene.begin = func(d *till, tx ledger.Transaction) payment.Notification {
			d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
			d.pass(tx.Start.Sub(d.now()))
			if err := end(d, tx); err != nil {
				d.t.Fatal(err)
			}
			return payment.Notification{}
		}
		scene.do = func(d *till, s *payment.Store, tx ledger.Transaction, r payment.Notification) error {
			err := ended(d, s, tx, r)
			d.pass(10 * time.Hour)
			_, err2 := s.Attend(ctx, tx.ID) // a refund, as far as it is due
			return errors.Join(err, err2)
		}
		scenes[name] = scene
	}
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) outcome {
				d := newTill(t)
				old := d.booked(name == "webhook of a move")
				tx := d.offer(func(t *ledger.Terms) {
					if t.Replaces = old; offers[name] != nil {
						offers[name](t)
					}
				})
				r := scene.begin(d, tx)
				calls.Deliver(t, nil, func() error { return scene.do(d, d.through(calls), tx, r) })
				if err := scene.do(d, d.Store, tx, r); err != nil { // and once more
					t.Error(err)
				}
				for range 3 { // refunds that wait
					d.pass(10 * time.Hour)
					d.sweep(tx)
				}
				out := d.outcome(tx)
				if out.String() != wants[name] || out.Open != 0 {
					t.Errorf("it comes to %s, %d open, want %s", out, out.Open, wants[name])
				}
				if old != "" {
					gone, err := d.Ledger.Get(ctx, d.tc.Actor, old)
					if err != nil || gone.State != ledger.Cancelled {
						t.Errorf("what it replaces is %s, %v", gone.State, err)
					}
				}
				if kept, err := d.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID); err != nil || (kept.Owner == "") != (name == "forgotten") {
					t.Errorf("it is %q's, %v", kept.Owner, err)
				}
				return out
			})
		})
	}
}

// booked is the id of another booking of the customer's, for nothing; "" when none is wanted.
func (d *till) booked(wanted bool) string {
	d.t.Helper()
	if !wanted {
		return ""
	}
	tx := d.offer(func(t *ledger.Terms) { t.DueMinor = 0 })
	if _, err := ledgertest.Confirm(context.Background(), d.Ledger, d.tc.Actor, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}, "c"); err != nil {
		d.t.Fatal(err)
	}
	return tx.ID
}

// A sweep that dies after any call leaves no refund undone, and makes none twice.
func TestCrashAnywhereInASweep(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, []faulttest.Fault{faulttest.DiesAfter}, func(t *testing.T, calls *faulttest.Calls) outcome {
		d := newTill(t)
		calls.Next = dynamotest.Aside(dynamotest.ID(""), `payment#\d\d`)
		d.Store = d.over(dynamotest.Once(t, calls.Next), d.stripe.Client())
		d.Ledger.NewID = dynamotest.SameShard
		d.stripe.RefuseRefunds(true)
		tx, p := d.overdue()
		d.take(d.report(d.stripe.Pay(p.Intent)))
		d.stripe.RefuseRefunds(false)
		d.pass(time.Hour)
		calls.Deliver(t, nil, func() error {
			_, err := d.through(calls).Sweep(context.Background(), dynamo.Budget{Count: 10})
			return err
		})
		d.pass(10 * time.Hour)
		if did, err := d.Sweep(context.Background(), dynamo.Budget{Count: 10}); err != nil || did.Looked != 0 {
			t.Errorf("%+v is left, %v", did, err)
		}
		out := d.outcome(tx)
		if want := "hold, refunded, 3000 of 3000 returned, 0 alerts"; out.String() != want {
			t.Errorf("it comes to %s, want %s", out, want)
		}
		return out
	})
}

// Telling a customer what became of a payment, with every fault at every call: once.
func TestCrashAnywhereInTelling(t *testing.T) {
	t.Parallel()
	paid := func(d *till, tx ledger.Transaction) { d.take(d.report(d.stripe.Pay(d.yes(tx).Intent))) }
	for name, tt := range map[string]struct {
		arrange func(d *till, tx ledger.Transaction)
		want    []string // kinds of notices
	}{
		"paid":     {paid, []string{"payment_paid"}},
		"declined": {func(d *till, tx ledger.Transaction) { d.take(d.report(d.stripe.Decline(d.yes(tx).Intent))) }, []string{"payment_failed"}},
		"too late": {func(d *till, tx ledger.Transaction) {
			p := d.yes(tx)
			d.pass(booking.PayFor)
			d.take(d.report(d.stripe.Pay(p.Intent)))
		}, []string{"payment_too_late"}},
		"given back by staff": {func(d *till, tx ledger.Transaction) {
			paid(d, tx)
			d.take(d.report(d.stripe.GiveBack(d.payment(tx).Intent)))
		}, []string{"payment_paid", "payment_returned"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
				d := newTill(t)
				threads := func(db *dynamo.DB) *thread.Store {
					return &thread.Store{Table: db.Table(dynamotest.TableName("conversations")), Now: d.now, NewID: func() string { return dynamotest.ID("lease") }}
				}
				sound := threads(dynamotest.Open(t))
				a, err := sound.Append(t.Context(), channel.Inbound{
					Market: d.tc.Market.ID, Channel: channel.App, ThreadType: channel.General, From: d.tc.Actor, MessageID: "1", Text: "a dive",
				}, false)
				if err != nil {
					t.Fatal(err)
				}
				d.tc.Thread = a.Thread
				tx := d.offer(nil)
				tt.arrange(d, tx)
				turns := map[string]bool{}
				queue := faulttest.NewQueue(t, calls, func(_ context.Context, threadID, dedupe string) error {
					turns[threadID+" "+dedupe] = true
					return nil
				})
				teller := &payment.Teller{Store: d.through(calls), Markets: theMarket{d}, Threads: thread.Teller{Store: threads(dynamotest.Once(t, calls)), Queue: queue}}
				for _, e := range d.happened(tx) {
					for range 2 { // the stream is read again
						calls.Deliver(t, nil, func() error { return teller.Tell(t.Context(), e) })
					}
				}
				h, err := sound.Head(t.Context(), a.Thread)
				if err != nil {
					t.Fatal(err)
				}
				var told []string
				for _, m := range h.Inbox {
					if m.Notice != nil {
						told = append(told, m.Notice.Kind)
					}
				}
				if slices.Sort(told); !slices.Equal(told, tt.want) || len(turns) != len(tt.want) {
					t.Errorf("told %v by %d turns, want %v", told, len(turns), tt.want)
				}
				return told
			})
		})
	}
}

// The webhook, twice, and the end of the hold at once: what is paid is booked or goes back,
// and nothing in between.
func TestRaces(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, end := range map[string]func(late *ledger.Ledger, d *till, tx ledger.Transaction) error{
		"expiry": func(late *ledger.Ledger, _ *till, tx ledger.Transaction) error {
			_, err := late.Expire(ctx, tx.ID)
			return err
		},
		"cancel": func(_ *ledger.Ledger, d *till, tx ledger.Transaction) error {
			_, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "no")
			return err
		},
		"nothing": func(*ledger.Ledger, *till, ledger.Transaction) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 12 {
				d := newTill(t)
				tx := d.offer(nil)
				r := d.report(d.stripe.Pay(d.yes(tx).Intent))
				late := *d.Ledger // by whose clock the hold is over
				late.Now = func() time.Time { return d.now().Add(booking.PayFor) }
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						if err := d.Take(ctx, r); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Go(func() {
					if err := end(&late, d, tx); err != nil && !ledger.Refused(err) {
						t.Error(err)
					}
				})
				wg.Wait()
				d.take(r)
				d.pass(time.Hour)
				d.ended(tx) // a booking that was cancelled just then
				d.sweep(tx)
				state, p, back := d.state(tx), d.payment(tx), d.returned()
				booked := state == ledger.Confirmed && p.Status == payment.Paid && back == 0
				gone := (state == ledger.Expired || state == ledger.Cancelled) && p.Status == payment.Refunded && back == p.AmountMinor
				if !booked && !gone || name == "nothing" && !booked {
					t.Errorf("it is %s, the payment %s, %d returned", state, p.Status, back)
				}
			}
		})
	}
}
