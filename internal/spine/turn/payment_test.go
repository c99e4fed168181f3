package turn_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/spine/gate"
)

// cashier is what Merve's worlds have to take payments.
type cashier struct {
	stripe   *stripetest.Server
	payments *payment.Store
	payer    *payment.Teller
}

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

// zeros make every link end in the same token, so that worlds can be compared.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// startCashier puts its part of a process together, on a database.
func (w *world) startCashier(db *dynamo.DB, log *slog.Logger) []tool.Tool {
	if w.stripe == nil {
		w.stripe = stripetest.New(w.t, w.clock.now)
	}
	w.payments = &payment.Store{
		Table: db.Table(dynamotest.TableName("ledger")), Ledger: w.ledger, PublicURL: "https://merve.test", Now: w.clock.now, Random: zeros{}, Log: log,
		Release: booking.Confirm{Ledger: w.ledger}.Release, Summary: booking.Summary, Card: booking.Card,
		Provider: charged{&stripe.Client{
			BaseURL: w.stripe.URL(), Key: func(context.Context) (string, error) { return stripetest.Key, nil }, HTTP: &http.Client{Transport: w.transport},
		}},
	}
	w.payer = &payment.Teller{Store: w.payments, Markets: w.markets, Threads: w.teller()}
	return (&payment.Payer{Store: w.payments}).Tools()
}

// tellPayments has the stream of the ledger bring every event of a payment, each twice.
func (w *world) tellPayments() {
	w.t.Helper()
	for _, id := range w.given() {
		for _, e := range w.paymentEvents(w.payments, id) {
			name := id + ".payment." + string(e.Type)
			if w.told[name] {
				continue
			}
			w.told[name] = true
			for range 2 {
				if err := w.payer.Tell(w.t.Context(), e); err != nil {
					w.t.Fatalf("tell of payments: %v", err)
				}
			}
		}
	}
}

// paymentEvents are those of a transaction's payment.
func (w *world) paymentEvents(store *payment.Store, tx string) []payment.Event {
	w.t.Helper()
	page, err := store.Table.Query(w.t.Context(), dynamo.Under("pay#"+tx, ""))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []payment.Event
	for _, it := range page.Items {
		e, ok, err := payment.Events.Read(it)
		if err != nil {
			w.t.Fatal(err)
		}
		if ok {
			all = append(all, e)
		}
	}
	return all
}

// reportOf is what Stripe tells of a payment.
func (w *world) reportOf(hook stripetest.Webhook) payment.Notification {
	w.t.Helper()
	e, err := stripe.Parse([]byte(hook.Body))
	if err != nil {
		w.t.Fatal(err)
	}
	kinds := map[stripe.EventType]payment.Happened{
		stripe.PaymentSucceeded: payment.Succeeded, stripe.PaymentFailed: payment.Declined, stripe.ChargeRefunded: payment.GivenBack,
	}
	return payment.Notification{
		Happened: kinds[e.Type], Transaction: e.Transaction, Intent: e.Intent, AmountMinor: e.AmountMinor, Currency: e.Currency, All: e.All,
	}
}

// stripeTells has Stripe tell of a payment, twice.
func (p *play) stripeTells(hook stripetest.Webhook) {
	p.t.Helper()
	for range 2 {
		if err := p.payments.Take(p.t.Context(), p.reportOf(hook)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// atTheTill is what happens in a conversation about payments; ok is false for other lines.
func (p *play) atTheTill(l line) (ok bool) {
	p.t.Helper()
	latest := func() string {
		all := p.stripe.Intents()
		return nth(p.t, all, fmt.Sprint(len(all))).ID
	}
	switch l.verb {
	case "customer pays":
		p.stripeTells(p.stripe.Pay(latest()))
	case "the bank declines":
		p.stripeTells(p.stripe.Decline(latest()))
	case "stripe is away":
		p.stripe.Add(stripetest.Away, stripetest.Away, stripetest.Away)
		return true
	case "refunds run":
		for _, id := range p.given() {
			if _, err := p.payments.Attend(p.t.Context(), id); err != nil {
				p.t.Fatal(err)
			}
		}
	default:
		return false
	}
	p.reply = ""
	p.settle()
	p.look()
	return true
}

// valueOfPayments is what is in a conversation about payments.
func (p *play) valueOfPayments(of string) (string, bool) {
	p.t.Helper()
	switch of {
	case "payments":
		var all []string
		for _, id := range p.given() {
			found, err := p.payments.Get(p.t.Context(), actor.Actor{Kind: actor.System}, id)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				p.t.Fatal(err)
			}
			all = append(all, string(found.Status))
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "stripe":
		return p.asked(), true
	}
	return "", false
}

// asked is what Stripe was asked to take, took and gave back.
func (w *world) asked() string {
	var all []string
	for _, i := range w.stripe.Intents() {
		all = append(all, fmt.Sprintf("asked %d %s, got %d, gave back %d", i.Amount, i.Currency, i.Received, i.Refunded))
	}
	return cmp.Or(strings.Join(all, "; "), "nothing")
}

// A second question about the same transaction takes the place of the first without letting go
// of what is held.
func TestAQuestionAboutTheSameKeepsTheHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	p := &play{world: w, who: "ann", channel: "app", seen: map[string]int{}}
	p.run(linesOf(strings.Join([]string{
		`customer (app): A seat on the cruise tomorrow at seven, and I pay by card`,
		`model calls: initiateBooking {"listingId":"cruise","offeringId":"seat","date":"2026-11-24","time":"19:00","endDate":null,"partySize":1,"note":null}`,
		`model calls: createPaymentIntent {"transactionId":"{tx 1}"}`,
		`model: Here is what I can hold for you.`,
		`ledger: hold`, `events: draft, hold`, `pending contains: To pay now: €45.00`, `reply lacks: no longer stands`, `stripe: nothing`,
		`customer: yes`, `ledger: hold`, `payments: waiting`, `pending: none`, `reply contains: https://merve.test/pay/{tx 1}/`,
		`customer pays`, `ledger: confirmed`, `payments: paid`,
	}, "\n")))
}

// A commitment that could not be carried out for now keeps waiting for its YES.
func TestKeptCommitment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	away := keeping{booking.Confirm{Ledger: w.ledger}, new(int)}
	w.runner.Commitments[booking.ConfirmKind] = away
	p := &play{world: w, who: "ann", channel: "app", seen: map[string]int{}}
	p.run(linesOf(strings.Join([]string{
		`customer (app): A table for two tomorrow at seven`,
		`model calls: initiateBooking {"listingId":"meze","offeringId":"table","date":"2026-11-24","time":"19:00","endDate":null,"partySize":2,"note":null}`,
		`model: Here is what I can hold for you.`,
		`customer: yes`, `reply: Later, please.`, `state: awaiting_confirmation`, `ledger: hold`,
		`customer: yes`, `reply contains: Your booking is confirmed.`, `state: idle`, `ledger: confirmed`,
	}, "\n")))
}

// keeping cannot be carried out the first time.
type keeping struct {
	booking.Confirm
	asked *int
}

func (k keeping) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	if *k.asked++; *k.asked == 1 {
		return gate.Settled{Text: "Later, please.", Keep: true}, nil
	}
	return k.Confirm.Commit(ctx, tc, c)
}
