package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/web"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Stripe handles Stripe's webhooks, and shows the payment pages.
type Stripe struct {
	Payments       *payment.Store
	Intents        *stripe.Client // tells which intents are ours
	WebhookSecret  func(ctx context.Context) (string, error)
	Markets        *market.Store
	PublishableKey string // of the pages; "" shows that cards are off
	// UnsignedFromLoopback takes unsigned webhooks from this machine when there is no secret.
	UnsignedFromLoopback bool
	Now                  func() time.Time
	Log                  *slog.Logger
}

// Routes are the webhook's and the pages'.
func (h *Stripe) Routes() httpapi.Routes {
	return httpapi.Routes{
		"POST /webhooks/stripe":                 h.receive,
		"GET /pay/{transaction}/{token}":        h.page,
		"GET /pay/{transaction}/{token}/intent": h.intent,
	}
}

// happened says which events matter.
func happened(e stripe.Event) (payment.Happened, bool) {
	switch e.Type {
	case stripe.PaymentSucceeded:
		return payment.Succeeded, true
	case stripe.PaymentFailed:
		return payment.Declined, true
	case stripe.ChargeRefunded:
		return payment.GivenBack, true
	case stripe.RefundFailed, stripe.RefundUpdated:
		return payment.Bounced, e.Failed
	}
	return "", false
}

// receive handles an event. Stripe repeats an event for three days until it gets a
// 2xx; work that was done before is not done again.
// https://docs.stripe.com/webhooks#automatic-retries
func (h *Stripe) receive(w http.ResponseWriter, r *http.Request) error {
	body, err := h.signed(w, r)
	if err != nil {
		return err
	}
	e, err := stripe.Parse(body)
	if err != nil {
		return err
	}
	if what, known := happened(e); known {
		err = h.take(r.Context(), e, what)
	}
	if err != nil {
		return err
	}
	return writeText(w, "EVENT_RECEIVED")
}

func (h *Stripe) take(ctx context.Context, e stripe.Event, what payment.Happened) error {
	tx, err := h.transaction(ctx, e)
	switch {
	case err != nil:
		return err
	case tx == "": // another program's, on the same account
		h.Log.InfoContext(ctx, "payment of somebody else", "type", e.Type)
		return nil
	}
	return h.Payments.Take(ctx, payment.Notification{
		Happened: what, Transaction: tx, Intent: e.Intent, AmountMinor: e.AmountMinor, Currency: e.Currency, All: e.All, Refund: e.Refund,
	})
}

// transaction returns the transaction of an event; "" if the event is not ours. A refund that staff made at
// Stripe's own pages does not name one: its intent does, and we ask Stripe for that.
func (h *Stripe) transaction(ctx context.Context, e stripe.Event) (string, error) {
	if e.Transaction != "" || e.Refund == "" {
		return e.Transaction, nil
	}
	i, err := h.Intents.Get(ctx, e.Intent)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return i.Transaction, err
}

// signed returns the body of a webhook whose signature is right.
func (h *Stripe) signed(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := httpapi.ReadBody(w, r, stripe.MaxWebhook)
	if err != nil {
		return nil, err
	}
	secret, err := h.WebhookSecret(r.Context())
	if err != nil {
		return nil, err
	}
	if secret == "" && h.UnsignedFromLoopback && fromLoopback(r) {
		return body, nil
	}
	err = stripe.Verify(secret, body, r.Header.Get(stripe.SignatureHeader), h.Now())
	if errors.Is(err, stripe.ErrSignature) {
		h.Log.WarnContext(r.Context(), "webhook with a bad signature", "path", r.URL.Path)
	}
	return body, err
}

// page shows a payment to anybody who has its link.
func (h *Stripe) page(w http.ResponseWriter, r *http.Request) error {
	found, err := h.Payments.Open(r.Context(), r.PathValue("transaction"), r.PathValue("token"))
	switch {
	case fault.Is(err, fault.NotFound):
		web.PayMissing(w, r)
		return nil
	case fault.Is(err, fault.Gone):
		web.PayGone(w, r)
		return nil
	case err != nil:
		return err
	}
	m, err := h.Markets.Get(r.Context(), found.Payment.Market)
	if err != nil {
		return err
	}
	p, tx := found.Payment, found.Transaction
	web.Pay(w, r, web.PayView{
		Summary: h.Payments.Summary(p.Language, tx), Amount: wording.Money(p.Language, p.AmountMinor, p.Currency),
		Until: wording.Until(p.Language, tx.HoldExpiresAt.In(m.Location()), h.Now().In(m.Location())),
		State: payState(p), Language: p.Language, PublishableKey: h.PublishableKey,
	})
	return nil
}

func payState(p payment.Payment) web.PayState {
	switch {
	case p.Open():
		return web.PayOpen
	case p.Status == payment.Paid:
		return web.PayPaid
	}
	return web.PayReturned
}

// intent gives the page the secret that it pays with.
func (h *Stripe) intent(w http.ResponseWriter, r *http.Request) error {
	tx, token := r.PathValue("transaction"), r.PathValue("token")
	s, err := h.Payments.Secret(r.Context(), tx, token)
	if err != nil {
		return err
	}
	answer := map[string]any{"status": s.Status, "paid": s.Paid}
	if s.ClientSecret != "" {
		answer["clientSecret"] = s.ClientSecret
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}
