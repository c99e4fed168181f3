package app

import (
	"context"
	"crypto/rand"
	"net/http"

	"merve/internal/base/fault"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/web"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe"
)

// Stripe takes in Stripe's webhooks, and serves the pages on which is paid.
func Stripe(b *Base) (trigger.Handler, error) {
	h := &api.Stripe{
		Payments: b.Payments(), Intents: b.stripe(), Markets: b.Markets(), PublishableKey: b.Config.StripePublishableKey,
		WebhookSecret:        func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "STRIPE_WEBHOOK_SECRET") },
		UnsignedFromLoopback: b.Config.UnsignedStripeFromLoopback, Now: b.Now, Log: b.Log,
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	mux.Handle("GET /pay/static/{file}", web.PayFiles())
	return b.http(mux), nil
}

// Payments returns the store of payments.
func (b *Base) Payments() *payment.Store {
	return &payment.Store{
		Table: b.ledgerTable(), Ledger: b.Ledger(), Alerts: b.Alerts(), Provider: charged{b.stripe()}, PublicURL: b.Config.SiteURL, Now: b.Now, Random: rand.Reader, Log: b.Log,
		Alerted: func(ctx context.Context) { b.countAlerts(ctx, 1) }, Release: booking.Confirm{Ledger: b.Ledger()}.Release, Summary: booking.Summary, Card: booking.Card,
	}
}

func (b *Base) stripe() *stripe.Client {
	return &stripe.Client{
		HTTP: b.client("stripe"), BaseURL: b.Config.StripeBaseURL, Key: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "STRIPE_SECRET_KEY") },
	}
}

// payer has the tools by which customers pay.
func (b *Base) payer() *payment.Payer { return &payment.Payer{Store: b.Payments()} }

func (b *Base) paymentTeller() *payment.Teller {
	return &payment.Teller{Store: b.Payments(), Markets: b.Markets(), Threads: b.teller()}
}

// charged is Stripe as what takes payments.
type charged struct{ client *stripe.Client }

func (c charged) Create(ctx context.Context, w payment.Wanted) (string, error) {
	i, err := c.client.Create(ctx, stripe.Wanted{
		AmountMinor: w.AmountMinor, Currency: w.Currency, Description: w.Description, Transaction: w.Transaction, Market: w.Market, Key: w.Key,
	})
	return i.ID, err
}

func (c charged) Secret(ctx context.Context, id string) (string, bool, error) {
	i, err := c.client.Get(ctx, id)
	return i.ClientSecret, i.Status == stripe.Succeeded, err
}

func (c charged) Close(ctx context.Context, id, key string) (payment.Closed, error) {
	i, err := c.client.Close(ctx, id, key)
	return payment.Closed{Paid: i.Status == stripe.Succeeded, AmountMinor: i.PaidMinor, Currency: i.Currency}, err
}

func (c charged) Refund(ctx context.Context, b payment.Back) error {
	r, err := c.client.Refund(ctx, stripe.Back(b))
	if err == nil && !r.Done {
		err = fault.New(fault.Unavailable, "the refund failed")
	}
	return err
}
