package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
)

// SignatureHeader is the header in which Stripe sends its signatures.
const SignatureHeader = "Stripe-Signature"

const (
	// MaxWebhook is the largest body that is read, in bytes: several times Stripe's own events.
	MaxWebhook = 256 << 10

	// Tolerance is how old, or early, a signature may be, so that nobody can replay an event they
	// have intercepted.
	Tolerance = 5 * time.Minute

	maxSignatures = 16 // several, while a secret is being changed
)

var (
	// ErrSignature means that Stripe did not sign the request, or not lately.
	ErrSignature = fault.New(fault.Forbidden, "the signature is not valid")

	// ErrNoSecret means that nothing can be checked: a fault of the configuration, not of the
	// request.
	ErrNoSecret = fault.New(fault.Unavailable, "STRIPE_WEBHOOK_SECRET is not set")
)

// Verify checks that Stripe signed a webhook's raw body.
// https://docs.stripe.com/webhooks#verify-manually
func Verify(secret string, body []byte, signature string, now time.Time) error {
	switch {
	case secret == "":
		return ErrNoSecret
	case len(body) > MaxWebhook:
		return fault.New(fault.TooLarge, "the body is larger than %d bytes", MaxWebhook)
	}
	at, signatures := parts(signature)
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return ErrSignature
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	ours, right := mac.Sum(nil), false
	for _, s := range signatures {
		theirs, err := hex.DecodeString(s)
		right = err == nil && hmac.Equal(ours, theirs) || right
	}
	if age := now.Sub(time.Unix(seconds, 0)); !right || age > Tolerance || age < -Tolerance {
		return ErrSignature
	}
	return nil
}

// parts are the time of a signature, as it is written, and the signatures of scheme v1.
func parts(header string) (at string, signatures []string) {
	for _, part := range strings.Split(header, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); {
		case name == "t" && at == "":
			at = value
		case name == "v1" && len(signatures) < maxSignatures:
			signatures = append(signatures, value)
		}
	}
	return at, signatures
}

// EventType is the kind of an event, in Stripe's words.
type EventType string

// The events that matter here. A refund that was taken can fail days later: that is told by both
// of the last two, by the second alone to endpoints of API versions before 2024-10-28.
// https://docs.stripe.com/refunds#failed-refunds,
// https://docs.stripe.com/changelog/acacia/2024-10-28/refund-webhook-update
const (
	PaymentSucceeded EventType = "payment_intent.succeeded"
	PaymentFailed    EventType = "payment_intent.payment_failed"
	ChargeRefunded   EventType = "charge.refunded"
	RefundFailed     EventType = "refund.failed"
	RefundUpdated    EventType = "charge.refund.updated"
)

// Event is a fact about a payment. Others than those above have an id and a type only.
type Event struct {
	ID          string
	Type        EventType
	Intent      string // the intent it belongs to; "" if there is no intent
	Transaction string // as it was given with the intent or the refund; "" if it is not ours, or was given back at Stripe's own pages
	AmountMinor int64  // received, given back, or that was to be given back
	Currency    string // ISO 4217, upper case
	All         bool   // of money given back: nothing is left
	Refund      string // the refund that failed or changed
	Failed      bool   // of a refund: it came to nothing
}

// Parse reads the body of a webhook.
func Parse(body []byte) (Event, error) {
	var told struct {
		ID   string    `json:"id"`
		Kind string    `json:"object"`
		Type EventType `json:"type"`
		Data struct {
			Object json.RawMessage `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return Event{}, fault.New(fault.Invalid, "the body must be one JSON object of the form of an event")
	}
	switch {
	case told.ID == "" || len(told.ID) > 255:
		return Event{}, fault.Field("id", "want an event's id")
	case told.Kind != "event":
		return Event{}, fault.Field("object", "want event")
	case told.Type == "" || len(told.Type) > 255:
		return Event{}, fault.Field("type", "want an event's type")
	}
	e := Event{ID: told.ID, Type: told.Type}
	switch e.Type {
	case PaymentSucceeded, PaymentFailed, ChargeRefunded, RefundFailed, RefundUpdated:
		return e, e.read(told.Data.Object)
	}
	return e, nil
}

// kind returns the kind of object that an event is about.
func (t EventType) kind() string {
	switch t {
	case ChargeRefunded:
		return "charge"
	case RefundFailed, RefundUpdated:
		return "refund"
	}
	return "payment_intent"
}

// read copies the fields that we use from an intent, a charge or a refund.
func (e *Event) read(object json.RawMessage) error {
	var o struct {
		ID             string            `json:"id"`
		Kind           string            `json:"object"`
		PaymentIntent  string            `json:"payment_intent"`
		Currency       string            `json:"currency"`
		Status         string            `json:"status"`
		Amount         int64             `json:"amount"`
		AmountReceived int64             `json:"amount_received"`
		AmountRefunded int64             `json:"amount_refunded"`
		Refunded       bool              `json:"refunded"`
		Metadata       map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(object, &o); err != nil {
		return fault.Field("data.object", "want a payment intent, a charge or a refund")
	}
	switch want := e.Type.kind(); {
	case o.Kind != want:
		return fault.Field("data.object.object", "want %s", want)
	case len(o.Currency) != 3:
		return fault.Field("data.object.currency", "want ISO 4217, lower case")
	case o.AmountReceived < 0 || o.AmountRefunded < 0 || o.Amount < 0:
		return fault.Field("data.object", "want amounts of at least 0")
	}
	e.Intent, e.Currency, e.Transaction = o.ID, strings.ToUpper(o.Currency), o.Metadata[metaTransaction]
	switch o.Kind {
	case "charge":
		e.Intent, e.AmountMinor, e.All = o.PaymentIntent, minor(o.AmountRefunded, e.Currency), o.Refunded
	case "refund":
		e.Intent, e.AmountMinor, e.Refund = o.PaymentIntent, minor(o.Amount, e.Currency), o.ID
		e.Failed = o.Status == "failed" || o.Status == "canceled"
	default:
		e.AmountMinor = minor(o.AmountReceived, e.Currency)
	}
	return nil
}
