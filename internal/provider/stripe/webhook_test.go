package stripe_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	body := `{"id":"evt_1","object":"event"}`
	good := stripetest.Sign(body, noon)
	stamp, sum := fmt.Sprintf("t=%d", noon.Unix()), good[strings.Index(good, "v1="):strings.Index(good, ",v0=")]
	zeros := strings.Repeat("0", 64)
	tests := []struct {
		name, secret, body, header string
		now                        time.Time
		want                       error
	}{
		{"as sent", stripetest.WebhookSecret, body, good, noon, nil},
		{"with a secret being changed", stripetest.WebhookSecret, body, stamp + ",v1=" + zeros + "," + sum, noon, nil},
		{"in another order, with spaces", stripetest.WebhookSecret, body, sum + ", " + stamp, noon, nil},
		{"five minutes late", stripetest.WebhookSecret, body, good, noon.Add(stripe.Tolerance), nil},
		{"later", stripetest.WebhookSecret, body, good, noon.Add(stripe.Tolerance + time.Second), stripe.ErrSignature},
		{"from the future", stripetest.WebhookSecret, body, good, noon.Add(-stripe.Tolerance - time.Second), stripe.ErrSignature},
		{"another body", stripetest.WebhookSecret, body + " ", good, noon, stripe.ErrSignature},
		{"another secret", "whsec_other_not_real", body, good, noon, stripe.ErrSignature},
		{"another time", stripetest.WebhookSecret, body, strings.Replace(good, stamp, fmt.Sprintf("t=%d", noon.Unix()+1), 1), noon, stripe.ErrSignature},
		{"two times", stripetest.WebhookSecret, body, fmt.Sprintf("t=%d,%s", noon.Unix()+1, good), noon, stripe.ErrSignature},
		{"the old scheme only", stripetest.WebhookSecret, body, stamp + ",v0=" + sum[3:], noon, stripe.ErrSignature},
		{"no time", stripetest.WebhookSecret, body, sum, noon, stripe.ErrSignature},
		{"no digits", stripetest.WebhookSecret, body, "t=noon," + sum, noon, stripe.ErrSignature},
		{"too many", stripetest.WebhookSecret, body, stamp + strings.Repeat(",v1="+zeros, 16) + "," + sum, noon, stripe.ErrSignature},
		{"nothing", stripetest.WebhookSecret, body, "", noon, stripe.ErrSignature},
		{"not hex", stripetest.WebhookSecret, body, stamp + ",v1=zz", noon, stripe.ErrSignature},
		{"no secret", "", body, good, noon, stripe.ErrNoSecret},
	}
	for _, tt := range tests {
		if err := stripe.Verify(tt.secret, []byte(tt.body), tt.header, tt.now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	long := strings.Repeat("x", stripe.MaxWebhook+1)
	if err := stripe.Verify(stripetest.WebhookSecret, []byte(long), stripetest.Sign(long, noon), noon); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too long: %v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	i, err := client(s).Create(t.Context(), wanted("k"))
	if err != nil {
		t.Fatal(err)
	}
	declined, paid := s.Decline(i.ID), s.Pay(i.ID)
	if _, err := client(s).Refund(t.Context(), stripe.Back{Intent: i.ID, AmountMinor: 500, Currency: "EUR", Transaction: "tx-1", Key: "r"}); err != nil {
		t.Fatal(err)
	}
	bounced := s.FailRefund(i.ID)
	tests := []struct {
		body string
		want stripe.Event
	}{
		{declined.Body, stripe.Event{Type: stripe.PaymentFailed, Intent: i.ID, Transaction: "tx-1", Currency: "EUR"}},
		{paid.Body, stripe.Event{Type: stripe.PaymentSucceeded, Intent: i.ID, Transaction: "tx-1", Currency: "EUR", AmountMinor: 6500}},
		{s.GiveBack(i.ID).Body, stripe.Event{Type: stripe.ChargeRefunded, Intent: i.ID, Transaction: "tx-1", Currency: "EUR", AmountMinor: 6500, All: true}},
		{bounced[0].Body, stripe.Event{Type: stripe.RefundFailed, Intent: i.ID, Transaction: "tx-1", Currency: "EUR", AmountMinor: 500, Refund: "re_00000001", Failed: true}},
		{bounced[1].Body, stripe.Event{Type: stripe.RefundUpdated, Intent: i.ID, Transaction: "tx-1", Currency: "EUR", AmountMinor: 500, Refund: "re_00000001", Failed: true}},
		{strings.ReplaceAll(bounced[1].Body, `"failed"`, `"succeeded"`), stripe.Event{Type: stripe.RefundUpdated, Intent: i.ID, Transaction: "tx-1", Currency: "EUR", AmountMinor: 500, Refund: "re_00000001"}},
		{stripetest.Event("evt_1", "invoice.paid", nil), stripe.Event{Type: "invoice.paid"}},
	}
	for _, tt := range tests {
		got, err := stripe.Parse([]byte(tt.body))
		if got.ID == "" {
			t.Errorf("no id in %+v", got)
		}
		got.ID = ""
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	object := func(o map[string]any) string { return stripetest.Event("evt_1", "payment_intent.succeeded", o) }
	for name, body := range map[string]string{
		"nothing": "", "a list": "[]", "null": "null", "no id": stripetest.Event("", "invoice.paid", nil), "no type": stripetest.Event("evt_1", "", nil),
		"no event": `{"id":"evt_1","object":"list","type":"invoice.paid"}`, "no object": object(nil),
		"a charge": object(map[string]any{"object": "charge", "currency": "eur"}), "no currency": object(map[string]any{"object": "payment_intent"}),
		"no refund": stripetest.Event("evt_1", "refund.failed", map[string]any{"object": "charge", "currency": "eur"}),
		"a debt":    object(map[string]any{"object": "payment_intent", "currency": "eur", "amount_received": -1}),
		"a number":  object(map[string]any{"object": 7}), "half a cent": object(map[string]any{"object": "payment_intent", "currency": "eur", "amount_received": 0.5}),
	} {
		if e, err := stripe.Parse([]byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stripetest.Event("evt_1", "payment_intent.succeeded", map[string]any{"object": "payment_intent", "currency": "eur", "amount_received": 1})))
	f.Add([]byte(`{"id":"evt_1","object":"event","type":"charge.refunded","data":{"object":{"object":"charge","currency":"isk","amount_refunded":9}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := stripe.Parse(body)
		if err == nil && (e.ID == "" || e.Type == "" || e.AmountMinor < 0) {
			t.Errorf("%q: %+v", body, e)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", body, err)
		}
	})
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte("{}"), "t=1,v1=00")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		if stripe.Verify("whsec_another_not_real", body, header, noon) == nil {
			t.Errorf("%q signs %q", header, body)
		}
	})
}
