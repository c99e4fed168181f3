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

	"merve/internal/faulttest"
	"merve/internal/ledger"
	"merve/internal/payment"
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
	Returned    int64
	Told        []string
}

func (d *till) outcome(tx ledger.Transaction) outcome {
	d.t.Helper()
	h, err := d.Ledger.History(context.Background(), d.tc.Actor, tx.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	p := d.payment(tx)
	out := outcome{Transaction: h.Transaction.State, Payment: p.Status, Events: d.events(tx), Returned: d.returned()}
	for _, e := range h.Events {
		out.Ledger = append(out.Ledger, string(e.Type))
	}
	if r := h.Receipt; r != nil {
		out.Receipt = fmt.Sprint(r.Answer, r.MessageID, r.OfferHash == tx.OfferHash, r.Payment == p.Intent)
	}
	for _, i := range d.stripe.Intents() {
		out.Charged += i.Received
	}
	for key := range d.told(tx) {
		out.Told = append(out.Told, key[len(tx.ID):])
	}
	slices.Sort(out.Told)
	return out
}

// errAgain means that the customer says YES again.
var errAgain = errors.New("say it again")

// Whatever call of a YES, of a webhook, of one that comes too late or of a cancellation fails, in
// every way, and however often it comes again: what is stored, charged and told is as without.
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
	scenes := map[string]struct {
		begin func(d *till, tx ledger.Transaction) payment.Report
		do    func(d *till, s *payment.Store, tx ledger.Transaction, r payment.Report) error
	}{
		"yes": {func(*till, ledger.Transaction) payment.Report { return payment.Report{} }, func(d *till, s *payment.Store, tx ledger.Transaction, _ payment.Report) error {
			return yes(d, s, tx)
		}},
		"webhook": {func(d *till, tx ledger.Transaction) payment.Report { return d.report(d.stripe.Pay(d.yes(tx).Intent)) },
			func(_ *till, s *payment.Store, _ ledger.Transaction, r payment.Report) error { return s.Take(ctx, r) }},
		"too late": {func(d *till, tx ledger.Transaction) payment.Report {
			r := d.report(d.stripe.Pay(d.yes(tx).Intent))
			d.pass(ledger.PayFor)
			return r
		}, func(_ *till, s *payment.Store, _ ledger.Transaction, r payment.Report) error { return s.Take(ctx, r) }},
		"cancelled": {func(d *till, tx ledger.Transaction) payment.Report {
			r := d.report(d.stripe.Pay(d.yes(tx).Intent))
			d.take(r)
			if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel"); err != nil {
				d.t.Fatal(err)
			}
			return r
		}, func(_ *till, s *payment.Store, tx ledger.Transaction, _ payment.Report) error {
			events, err := s.Ledger.Events(ctx, tx.ID)
			for _, e := range events {
				err = errors.Join(err, s.Ended(ctx, e))
			}
			return err
		}},
	}
	partly := func(t *ledger.Terms) { t.LateRefundMinor = 1000 }
	offers := map[string]func(*ledger.Terms){"cancelled late": partly, "nobody came": partly, "nobody came, taken back": partly}
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
		scene.begin = func(d *till, tx ledger.Transaction) payment.Report {
			d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
			d.pass(tx.Start.Sub(d.now()))
			if err := end(d, tx); err != nil {
				d.t.Fatal(err)
			}
			return payment.Report{}
		}
		scene.do = func(d *till, s *payment.Store, tx ledger.Transaction, r payment.Report) error {
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
				tx := d.offer(offers[name])
				r := scene.begin(d, tx)
				calls.Deliver(t, nil, func() error { return scene.do(d, d.through(calls), tx, r) })
				if err := scene.do(d, d.Store, tx, r); err != nil { // and once more
					t.Error(err)
				}
				for range 3 { // refunds that wait
					d.pass(10 * time.Hour)
					d.sweep(tx)
				}
				return d.outcome(tx)
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
				late.Now = func() time.Time { return d.now().Add(ledger.PayFor) }
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
				events, err := d.Ledger.Events(ctx, tx.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events { // a booking that was cancelled just then
					if err := d.Ended(ctx, e); err != nil {
						t.Fatal(err)
					}
				}
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
