package payment_test

import (
	"context"
	"fmt"
	"testing"

	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
)

// stage is a payment in a status, and how it came to be there.
type stage struct {
	status payment.Status
	reach  func(d *till) (ledger.Transaction, payment.Payment)
}

// asked is what a customer said YES to, and what the provider has told of it.
func asked(told ...payment.Happened) func(d *till) (ledger.Transaction, payment.Payment) {
	return func(d *till) (ledger.Transaction, payment.Payment) {
		tx := d.offer(nil)
		p := d.yes(tx)
		for _, h := range told {
			d.take(word(p, h))
		}
		return tx, d.payment(tx)
	}
}

// word is a report of a payment as it was asked for.
func word(p payment.Payment, h payment.Happened) payment.Notification {
	return payment.Notification{
		Happened: h, Transaction: p.Transaction, Intent: p.Intent, AmountMinor: p.AmountMinor, Currency: p.Currency, All: true, Refund: "re_1",
	}
}

var stages = map[string]stage{
	"waiting": {payment.Waiting, asked()},
	"failed":  {payment.Failed, asked(payment.Declined)},
	"too late": {payment.Waiting, func(d *till) (ledger.Transaction, payment.Payment) {
		return d.overdue()
	}},
	"paid": {payment.Paid, asked(payment.Succeeded)},
	"refunding": {payment.Refunding, func(d *till) (ledger.Transaction, payment.Payment) {
		d.stripe.RefuseRefunds(true)
		tx, p := d.overdue()
		d.take(d.report(d.stripe.Pay(p.Intent)))
		return tx, d.payment(tx)
	}},
	"refunded": {payment.Refunded, asked(payment.Succeeded, payment.GivenBack)},
}

// Every word of a provider's is tried on a payment in every status: what it calls for happens, and what
// it cannot mean any more changes nothing.
func TestEveryReportInEveryStatus(t *testing.T) {
	t.Parallel()
	part := func(p payment.Payment) payment.Notification {
		r := word(p, payment.GivenBack)
		r.AmountMinor, r.All = 1, false
		return r
	}
	reports := map[string]func(p payment.Payment) payment.Notification{
		"succeeded":  func(p payment.Payment) payment.Notification { return word(p, payment.Succeeded) },
		"declined":   func(p payment.Payment) payment.Notification { return word(p, payment.Declined) },
		"given back": func(p payment.Payment) payment.Notification { return word(p, payment.GivenBack) },
		"a part":     part,
		"bounced":    func(p payment.Payment) payment.Notification { return word(p, payment.Bounced) },
	}
	leads := map[string]map[string]payment.Status{ // where nothing is said, it stays as it is
		"waiting":   {"succeeded": payment.Paid, "declined": payment.Failed, "given back": payment.Refunded},
		"failed":    {"succeeded": payment.Paid, "given back": payment.Refunded},
		"too late":  {"succeeded": payment.Refunding, "declined": payment.Failed, "given back": payment.Refunded},
		"paid":      {"given back": payment.Refunded},
		"refunding": {"given back": payment.Refunded},
	}
	for name, s := range stages {
		for told, report := range reports {
			t.Run(fmt.Sprintf("%s, %s", name, told), func(t *testing.T) {
				t.Parallel()
				d := newTill(t)
				tx, before := s.reach(d)
				d.stripe.RefuseRefunds(true)
				if before.Status != s.status {
					t.Fatalf("it is %s, want %s", before.Status, s.status)
				}
				want, changes := leads[name][told]
				if !changes {
					want = before.Status
				}
				booked := d.state(tx) == ledger.Confirmed || want == payment.Paid
				for range 2 { // and again
					if err := d.Take(context.Background(), report(before)); err != nil {
						t.Fatal(err)
					}
					after := d.payment(tx)
					if after.Status != want || !changes && after.Version != before.Version {
						t.Errorf("it is %s in version %d, was %s in version %d, want %s", after.Status, after.Version, before.Status, before.Version, want)
					}
					if got := d.state(tx) == ledger.Confirmed; got != booked {
						t.Errorf("booked %v, want %v", got, booked)
					}
				}
				if alerts := len(d.alerts(tx.ID)); alerts > 1 || (alerts == 1) != (told == "bounced") {
					t.Errorf("%d alerts: %q", alerts, d.alerts(tx.ID))
				}
			})
		}
	}
}
