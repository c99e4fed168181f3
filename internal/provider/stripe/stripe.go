// Package stripe takes card payments through Stripe's API: payment intents, which the customer pays on one of
// our pages, refunds, and the events that report their outcome.
// https://docs.stripe.com/api/payment_intents, https://docs.stripe.com/api/refunds
//
// Without a secret key every call is [ErrOff]. Each request is tried once. The caller decides whether to try
// again and names the request by a key, so that Stripe carries it out once.
// https://docs.stripe.com/api/idempotent_requests
package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

const (
	// DefaultBaseURL is Stripe.
	DefaultBaseURL = sdk.APIURL

	// maxKey is the longest idempotency key, in bytes.
	maxKey = 255

	defaultTimeout = 6 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
)

// ErrOff is every call's error while there is no key.
var ErrOff = fault.New(fault.Unavailable, "card payments are off: STRIPE_SECRET_KEY is not set")

// Client asks Stripe. Its methods may be called at the same time.
type Client struct {
	BaseURL string                                    // "" is [DefaultBaseURL]
	Key     func(ctx context.Context) (string, error) // secret key; "" or nil is [ErrOff]
	HTTP    *http.Client                              // nil is one with Go's defaults
	Timeout time.Duration                             // of one call; 0 is 6 s
}

// Status is where a payment intent stands, by Stripe's word.
// https://docs.stripe.com/payments/paymentintents/lifecycle
type Status string

// The states that matter here. In all others the customer, or their bank, has something to do.
const (
	Succeeded Status = "succeeded"
	Canceled  Status = "canceled"
)

// Intent is a payment that somebody is asked to make.
type Intent struct {
	ID           string
	ClientSecret string // lets its holder pay, and nothing else: for the payer's page only
	Status       Status
	AmountMinor  int64
	PaidMinor    int64  // how much of the amount was paid
	Currency     string // ISO 4217, upper case
	Transaction  string // as it was given with it; "" if the intent is not ours
}

// Wanted says what the customer is to pay.
type Wanted struct {
	AmountMinor int64
	Currency    string // ISO 4217
	Description string // on the receipt
	Transaction string // comes back with every event
	Market      string
	Key         string // equal keys with equal wants are one intent
}

// Create makes a payment intent. It charges nobody.
func (c *Client) Create(ctx context.Context, w Wanted) (Intent, error) {
	if err := w.check(); err != nil {
		return Intent{}, err
	}
	amount, ok := units(w.AmountMinor, w.Currency)
	if !ok {
		return Intent{}, fault.Field("amount", "no such amount of %s can be paid by card: want 0 for its last decimals", w.Currency)
	}
	params := &sdk.PaymentIntentCreateParams{
		Amount: sdk.Int64(amount), Currency: sdk.String(strings.ToLower(w.Currency)),
		AutomaticPaymentMethods: &sdk.PaymentIntentCreateAutomaticPaymentMethodsParams{Enabled: sdk.Bool(true)},
		Metadata:                map[string]string{metaTransaction: w.Transaction, metaMarket: w.Market},
	}
	if w.Description != "" {
		params.Description = sdk.String(w.Description)
	}
	params.SetIdempotencyKey(w.Key)
	var got *sdk.PaymentIntent
	err := c.do(ctx, func(ctx context.Context, api *sdk.Client) (err error) {
		got, err = api.V1PaymentIntents.Create(ctx, params)
		return err
	})
	if err != nil {
		return Intent{}, fmt.Errorf("stripe: create intent: %w", err)
	}
	i, err := intentOf(got)
	if err == nil && (i.AmountMinor != w.AmountMinor || i.Currency != strings.ToUpper(w.Currency)) {
		err = errAnswer
	}
	return i, err
}

// Metadata keys of an intent, which lead its events back to our transaction.
const (
	metaTransaction = "transaction"
	metaMarket      = "market"
)

func (w Wanted) check() error {
	switch {
	case w.AmountMinor < 1:
		return fault.Field("amount", "want minor units, at least 1")
	case len(w.Currency) != 3:
		return fault.Field("currency", "want ISO 4217, such as EUR")
	case w.Transaction == "" || len(w.Transaction) > 500:
		return fault.Field("transaction", "want 1 to 500 bytes")
	}
	return checkKey(w.Key)
}

func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fault.Field("key", "want an idempotency key of 1 to %d bytes", maxKey)
	}
	return nil
}

// Get reads an intent. One that Stripe does not know is [fault.NotFound].
func (c *Client) Get(ctx context.Context, id string) (Intent, error) {
	if id == "" {
		return Intent{}, fault.New(fault.NotFound, "no such payment")
	}
	var got *sdk.PaymentIntent
	err := c.do(ctx, func(ctx context.Context, api *sdk.Client) (err error) {
		got, err = api.V1PaymentIntents.Retrieve(ctx, id, &sdk.PaymentIntentRetrieveParams{})
		return err
	})
	if err != nil {
		return Intent{}, fmt.Errorf("stripe: intent %s: %w", id, err)
	}
	return intentOf(got)
}

// Close has an intent paid no more, and returns it as it stands then: succeeded or canceled. One
// that a bank has not decided on cannot be closed, and is an error. 1 request when it was paid or
// canceled before, else 2.
// https://docs.stripe.com/api/payment_intents/cancel
func (c *Client) Close(ctx context.Context, id, key string) (Intent, error) {
	if err := checkKey(key); err != nil {
		return Intent{}, err
	}
	i, err := c.Get(ctx, id)
	if err != nil || i.Status == Succeeded || i.Status == Canceled {
		return i, err
	}
	params := &sdk.PaymentIntentCancelParams{CancellationReason: sdk.String(string(sdk.PaymentIntentCancellationReasonAbandoned))}
	params.SetIdempotencyKey(key)
	var got *sdk.PaymentIntent
	err = c.do(ctx, func(ctx context.Context, api *sdk.Client) (err error) {
		got, err = api.V1PaymentIntents.Cancel(ctx, id, params)
		return err
	})
	if err != nil {
		return Intent{}, fmt.Errorf("stripe: cancel intent %s: %w", id, err)
	}
	i, err = intentOf(got)
	if err == nil && i.Status != Canceled {
		err = errAnswer
	}
	return i, err
}

// Refund is money on its way back.
type Refund struct {
	ID   string
	Done bool // or under way: should it fail yet, an event tells; else it failed
}

// Back says how much of a paid intent to give back.
type Back struct {
	Intent      string
	AmountMinor int64  // in all, including earlier refunds; more, where Stripe has no such amount; 0: all that was paid
	Currency    string // ISO 4217, of an amount
	Transaction string // comes back with every event of the refund
	Key         string // equal keys with equal wants are one refund
}

// Refund gives back money paid by an intent, once for its key. It does not repeat earlier refunds:
// before a partial one it asks Stripe how much was given back, so that a refund whose
// answer was lost is not made again under another key. 1 request, 2 for a part.
func (c *Client) Refund(ctx context.Context, b Back) (Refund, error) {
	if err := checkKey(b.Key); err != nil {
		return Refund{}, err
	}
	params := &sdk.RefundCreateParams{PaymentIntent: sdk.String(b.Intent), Metadata: map[string]string{metaTransaction: b.Transaction}}
	params.SetIdempotencyKey(b.Key)
	if b.AmountMinor != 0 {
		before, err := c.refunded(ctx, b.Intent)
		left := atLeast(b.AmountMinor, b.Currency) - before
		switch {
		case b.AmountMinor < 0:
			return Refund{}, fault.Field("amount", "want minor units, at least 1, or 0 for all")
		case err != nil:
			return Refund{}, err
		case left <= 0:
			return Refund{Done: true}, nil
		}
		params.Amount = sdk.Int64(left)
	}
	intent := b.Intent
	var got *sdk.Refund
	err := c.do(ctx, func(ctx context.Context, api *sdk.Client) (err error) {
		got, err = api.V1Refunds.Create(ctx, params)
		return err
	})
	var told *sdk.Error
	switch {
	case errors.As(err, &told) && told.Code == sdk.ErrorCodeChargeAlreadyRefunded:
		return Refund{Done: true}, nil
	case err != nil:
		return Refund{}, fmt.Errorf("stripe: refund %s: %w", intent, err)
	case got.ID == "":
		return Refund{}, errAnswer
	}
	return Refund{ID: got.ID, Done: got.Status == sdk.RefundStatusSucceeded || got.Status == sdk.RefundStatusPending}, nil
}

// refunded is how much of an intent has been given back, in Stripe's units.
func (c *Client) refunded(ctx context.Context, intent string) (int64, error) {
	params := &sdk.PaymentIntentRetrieveParams{}
	params.AddExpand("latest_charge")
	var got *sdk.PaymentIntent
	err := c.do(ctx, func(ctx context.Context, api *sdk.Client) (err error) {
		got, err = api.V1PaymentIntents.Retrieve(ctx, intent, params)
		return err
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("stripe: intent %s: %w", intent, err)
	case got == nil || got.ID == "":
		return 0, errAnswer
	case got.LatestCharge == nil: // nothing was paid, as Stripe will say
		return 0, nil
	}
	return got.LatestCharge.AmountRefunded, nil
}

var errAnswer = fault.New(fault.Unavailable, "the payment service's answer cannot be read")

func intentOf(got *sdk.PaymentIntent) (Intent, error) {
	if got == nil || got.ID == "" || got.ClientSecret == "" || got.Currency == "" {
		return Intent{}, errAnswer
	}
	currency := strings.ToUpper(string(got.Currency))
	return Intent{
		ID: got.ID, ClientSecret: got.ClientSecret, Status: Status(got.Status), AmountMinor: minor(got.Amount, currency), Currency: currency,
		PaidMinor: minor(got.AmountReceived, currency), Transaction: got.Metadata[metaTransaction],
	}, nil
}

// units is an amount in Stripe's units, which are the minor units of ISO 4217 except for a few
// currencies; ok is false for an amount that Stripe cannot process. The krona and the shilling no longer have a minor
// unit, and are still counted in hundredths; the ariary has one, and is counted
// without it; and the last of the three decimals of dinars and rials has to be 0.
// https://docs.stripe.com/currencies#special-cases,
// https://docs.stripe.com/currencies#zero-decimal, https://docs.stripe.com/currencies#three-decimal
func units(amount int64, currency string) (n int64, ok bool) {
	switch strings.ToUpper(currency) {
	case "ISK", "UGX":
		return amount * 100, amount <= math.MaxInt64/100
	case "MGA":
		return amount / 100, amount%100 == 0
	case "BHD", "JOD", "KWD", "OMR", "TND":
		return amount, amount%10 == 0
	}
	return amount, true
}

// minor is an amount of Stripe's in minor units.
func minor(amount int64, currency string) int64 {
	switch strings.ToUpper(currency) {
	case "ISK", "UGX":
		return amount / 100
	case "MGA":
		return min(amount, math.MaxInt64/100) * 100
	}
	return amount
}

// atLeast returns the smallest amount in Stripe's units that is not below a number of minor units.
func atLeast(amount int64, currency string) int64 {
	for more := range int64(100) {
		if n, ok := units(amount+more, currency); ok {
			return n
		}
	}
	return math.MaxInt64 // more than was ever paid, as Stripe will say
}

// do makes one call with a client of its own, since the key may change.
func (c *Client) do(ctx context.Context, call func(ctx context.Context, api *sdk.Client) error) error {
	key, err := c.key(ctx)
	if err != nil {
		return err
	}
	base := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
	if !exchange.IsURL(base) {
		return fault.New(fault.Internal, "STRIPE_BASE_URL is not an address")
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	api := sdk.NewClient(key, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{
		URL: sdk.String(base), HTTPClient: c.http(), MaxNetworkRetries: sdk.Int64(0), EnableTelemetry: sdk.Bool(false),
		LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
	})))
	return refusal(call(ctx, api))
}

func (c *Client) key(ctx context.Context) (string, error) {
	if c.Key == nil {
		return "", ErrOff
	}
	key, err := c.Key(ctx)
	if err == nil && key == "" {
		err = ErrOff
	}
	return key, err
}

// http is the client's own, which follows no redirect and reads no more than it must.
func (c *Client) http() *http.Client {
	hc := http.Client{}
	if c.HTTP != nil {
		hc = *c.HTTP
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if hc.Transport == nil {
		hc.Transport = http.DefaultTransport
	}
	hc.Transport = bounded{hc.Transport}
	return &hc
}

// bounded cuts answers off that are too long, which then cannot be read.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// refusal classifies an error. It drops Stripe's own words, because they quote the request.
// https://docs.stripe.com/error-codes
func refusal(err error) error {
	var told *sdk.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &told):
		return fault.Wrap(exchange.WithoutURL(err), fault.Unavailable, "the payment service does not answer")
	}
	cause := &refused{told}
	switch status := told.HTTPStatusCode; {
	case status == http.StatusTooManyRequests:
		return fault.Wrap(cause, fault.Limited, "the payment service is asked too often")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Wrap(cause, fault.Internal, "the payment service refuses the key")
	case status == http.StatusNotFound:
		return fault.Wrap(cause, fault.NotFound, "no such payment")
	case status == http.StatusConflict, status >= 500: // another request with the same key runs
		return fault.Wrap(cause, fault.Unavailable, "the payment service is away")
	case status >= 400:
		return fault.Wrap(cause, fault.Invalid, "the payment service cannot take this payment")
	}
	return fault.Wrap(cause, fault.Unavailable, "the payment service gave no answer")
}

// refused is Stripe's refusal without the quotes in it.
type refused struct{ told *sdk.Error }

func (r *refused) Error() string {
	return fmt.Sprintf("HTTP %d: %s %s, request %s", r.told.HTTPStatusCode, r.told.Type, r.told.Code, r.told.RequestID)
}

func (r *refused) Unwrap() error { return r.told }
