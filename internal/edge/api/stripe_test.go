package api_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/payment"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

const stripePath = "/webhooks/stripe"

// toPay is an offer to whose payment a customer has said yes, and that payment.
func (s *service) toPay(t *testing.T, length time.Duration) (ledger.Transaction, payment.Payment) {
	t.Helper()
	ctx, payments := t.Context(), s.Base.Payments()
	start := apitest.Now().Truncate(time.Hour).Add(100 * time.Hour)
	who := actor.Actor{Kind: actor.User, ID: dynamotest.ID("payer")}
	tx, err := s.Base.Ledger().Offer(ctx, ledger.Terms{
		Business: dynamotest.ID("biz"), Listing: "reef", ListingName: "Reef Divers", Offering: "dive", OfferingName: "Dive", Market: "demo", Owner: who.Key(),
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "UTC", Party: 2, PriceMinor: 9000, DueMinor: 3000, Currency: "EUR", Language: "en",
	}, 1, length, dynamotest.ID("key"))
	if err != nil {
		t.Fatal(err)
	}
	consent := gate.Consent{
		Pending:   thread.Pending{ID: "p_" + tx.ID, Kind: payment.Kind, Ref: tx.ID, Hash: tx.OfferHash, ExpiresAt: tx.HoldExpiresAt},
		MessageID: "m1", Actor: who.Key(), At: apitest.Now(),
	}
	settled, err := payment.Pay{Store: payments}.Commit(ctx, tool.Context{Actor: who, Language: "en", TimeZone: time.UTC, Now: apitest.Now()}, consent)
	if err == nil {
		err = payments.Table.DB().Commit(ctx, settled.Writes...)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := payments.Get(ctx, who, tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	return tx, p
}

// told sends a webhook of Stripe's.
func (s *service) told(t *testing.T, h http.Handler, w stripetest.Webhook) answer {
	t.Helper()
	return s.CallTo(t, h, "POST", stripePath, w.Body, stripe.SignatureHeader, w.Signature)
}

func (s *service) stateOf(t *testing.T, tx ledger.Transaction) ledger.State {
	t.Helper()
	got, err := s.Base.Ledger().Get(t.Context(), actor.Actor{Kind: actor.System}, tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got.State
}

func TestPayment(t *testing.T) {
	t.Parallel()
	s := start(t)
	tx, p := s.toPay(t, 30*time.Minute)
	page := "/pay/" + tx.ID + "/" + p.Token
	a := s.Call(t, "GET", page, nil).Wants(t, http.StatusOK, nil)
	if text := string(a.Body); !strings.Contains(text, "Reef Divers") || !strings.Contains(text, "€30.00") || strings.Contains(text, "secret") {
		t.Errorf("the page: %s", text)
	}
	if off := wording.Say("en", wording.PayOff, nil); !strings.Contains(html.UnescapeString(string(a.Body)), off) {
		t.Errorf("the page of what is to be paid, without a key for cards, does not say %q: %s", off, a.Body)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive"} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	var intent struct {
		Status       string
		Paid         bool
		ClientSecret string
	}
	a = s.Call(t, "GET", page+"/intent", nil).Wants(t, http.StatusOK, &intent)
	if intent.Status != "waiting" || intent.Paid || intent.ClientSecret != p.Intent+"_secret_not_real" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v", intent)
	}
	paid := s.Stripe.Pay(p.Intent)
	for name, w := range map[string]stripetest.Webhook{
		"unsigned": {Body: paid.Body}, "another's": {Body: paid.Body, Signature: stripetest.Sign("{}", apitest.Now())},
		"old": {Body: paid.Body, Signature: stripetest.Sign(paid.Body, apitest.Now().Add(-time.Hour))},
	} {
		s.told(t, nil, w).Wants(t, http.StatusForbidden, nil)
		if got := s.stateOf(t, tx); got != ledger.Hold {
			t.Fatalf("%s: it is %s", name, got)
		}
	}
	for range 2 {
		if a := s.told(t, nil, paid).Wants(t, http.StatusOK, nil); string(a.Body) != taken {
			t.Errorf("answer %q", a.Body)
		}
	}
	if got := s.stateOf(t, tx); got != ledger.Confirmed {
		t.Errorf("it is %s", got)
	}
	a = s.Call(t, "GET", page, nil).Wants(t, http.StatusOK, nil)
	if !strings.Contains(string(a.Body), "Paid.") {
		t.Errorf("the page: %s", a.Body)
	}
	intent.ClientSecret = ""
	s.Call(t, "GET", page+"/intent", nil).Wants(t, http.StatusOK, &intent)
	if intent.Status != "paid" || !intent.Paid || intent.ClientSecret != "" {
		t.Errorf("%+v", intent)
	}
}

func TestPaymentPageRefuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	tx, p := s.toPay(t, 30*time.Minute)
	for _, target := range []string{"/pay/" + tx.ID + "/" + strings.Repeat("A", len(p.Token)), "/pay/none/" + p.Token, "/pay/" + tx.ID + "/x"} {
		s.Call(t, "GET", target, nil).Wants(t, http.StatusNotFound, nil)
		s.Call(t, "GET", target+"/intent", nil).Wants(t, http.StatusNotFound, nil)
	}
	later := s.With(t, func(b *app.Process) { b.Now = func() time.Time { return apitest.Now().Add(time.Hour) } })
	page := "/pay/" + tx.ID + "/" + p.Token
	s.Stripe.Pay(p.Intent) // and nobody here has been told yet
	for lang, charged := range map[string]string{"en": "charged", "de": "abgebucht", "tr": "çekilmedi"} {
		a := s.CallTo(t, later, "GET", page, nil, "Accept-Language", lang).Wants(t, http.StatusGone, nil)
		if strings.Contains(string(a.Body), charged) {
			t.Errorf("%s: the page says what nobody knows: %s", lang, a.Body)
		}
	}
	s.CallTo(t, later, "GET", page+"/intent", nil).Wants(t, http.StatusGone, nil)
}

// Stripe is told to come again while the store or its own part is away, and when it has
// nothing to do here, that all is well.
func TestStripeWebhook(t *testing.T) {
	t.Parallel()
	s := start(t)
	signed := func(body string) stripetest.Webhook {
		return stripetest.Webhook{Body: body, Signature: stripetest.Sign(body, apitest.Now())}
	}
	s.told(t, nil, signed(stripetest.Event("evt_1", "invoice.paid", map[string]any{"object": "invoice"}))).Wants(t, http.StatusOK, nil)
	s.told(t, nil, signed(stripetest.Event("evt_2", "payment_intent.succeeded", map[string]any{"object": "payment_intent", "id": "pi_x", "currency": "eur"}))).Wants(t, http.StatusOK, nil)
	if got := s.alertsOf(t, ledger.Transaction{}); len(got) != 0 {
		t.Errorf("alerts of somebody else's payment: %q", got)
	}
	s.told(t, nil, signed("[]")).Wants(t, http.StatusBadRequest, nil)
	s.told(t, nil, signed(strings.Repeat("x", stripe.MaxWebhook+1))).Wants(t, http.StatusRequestEntityTooLarge, nil)
	dead := s.With(t, func(b *app.Process) { b.Config.TableLedger = "none" })
	body := stripetest.Event("evt_3", "payment_intent.succeeded", map[string]any{
		"object": "payment_intent", "id": "pi_x", "currency": "eur", "metadata": map[string]string{"transaction": "t"},
	})
	w := signed(body)
	if a, err := s.Send(t.Context(), dead, "POST", stripePath, w.Body, stripe.SignatureHeader, w.Signature); err != nil || a.Status < 500 {
		t.Errorf("%v, status %d without a store", err, a.Status)
	}
}

// alertsOf are the messages of what was raised about a transaction.
func (s *service) alertsOf(t *testing.T, tx ledger.Transaction) (found []string) {
	t.Helper()
	all, _, err := s.Base.Alerts().List(t.Context(), 100, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if a.Subject == tx.ID {
			found = append(found, a.Message)
		}
	}
	return found
}

// aboutRefund is an event about a refund.
func aboutRefund(typ, status, intent string, metadata map[string]string) stripetest.Webhook {
	body := stripetest.Event("evt_"+typ+status, typ, map[string]any{
		"object": "refund", "id": "re_1", "payment_intent": intent, "amount": 3000, "currency": "eur", "status": status, "metadata": metadata,
	})
	return stripetest.Webhook{Body: body, Signature: stripetest.Sign(body, apitest.Now())}
}

// A refund that failed is an alert; one that is under way, or somebody else's, is none.
func TestStripeTellsOfRefunds(t *testing.T) {
	t.Parallel()
	s := start(t)
	tx, p := s.toPay(t, 30*time.Minute)
	client := stripe.Client{BaseURL: s.Stripe.URL(), Key: func(context.Context) (string, error) { return stripetest.Key, nil }}
	other, err := client.Create(t.Context(), stripe.Wanted{AmountMinor: 3000, Currency: "EUR", Transaction: dynamotest.ID("t"), Key: dynamotest.ID("k")})
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{"transaction": tx.ID}
	for _, w := range []stripetest.Webhook{
		aboutRefund("charge.refund.updated", "succeeded", p.Intent, ours), aboutRefund("charge.refund.updated", "succeeded", p.Intent, nil),
		aboutRefund("refund.failed", "failed", "pi_none", nil), aboutRefund("refund.failed", "failed", "", nil), aboutRefund("refund.failed", "failed", other.ID, nil),
	} {
		s.told(t, nil, w).Wants(t, http.StatusOK, nil)
	}
	if got := s.alertsOf(t, tx); len(got) != 0 {
		t.Errorf("alerts %q", got)
	}
	for range 2 {
		s.told(t, nil, aboutRefund("refund.failed", "failed", p.Intent, ours)).Wants(t, http.StatusOK, nil)
		s.told(t, nil, aboutRefund("charge.refund.updated", "failed", p.Intent, nil)).Wants(t, http.StatusOK, nil)
	}
	if got := s.alertsOf(t, tx); len(got) != 1 || !strings.HasPrefix(got[0], "refund re_1 of 3000 EUR failed") {
		t.Errorf("alerts %q", got)
	}
}

// A refund that staff made at Stripe's own pages does not say what it is of: that it failed is an
// alert as well, and is told again while Stripe cannot be asked.
func TestARefundOfStaffsFails(t *testing.T) {
	t.Parallel()
	s := start(t)
	tx, p := s.toPay(t, 30*time.Minute)
	s.told(t, nil, s.Stripe.Pay(p.Intent)).Wants(t, http.StatusOK, nil)
	s.told(t, nil, s.Stripe.GiveBack(p.Intent)).Wants(t, http.StatusOK, nil)
	failed := s.Stripe.FailRefund(p.Intent)
	if len(failed) != 2 || strings.Contains(failed[0].Body, tx.ID) {
		t.Fatalf("%+v", failed)
	}
	away := stripetest.New(t, apitest.Now)
	away.Add(stripetest.Away)
	deaf := s.With(t, func(b *app.Process) { b.Config.StripeBaseURL = away.URL() })
	if a := s.told(t, deaf, failed[0]); a.Status < 500 || len(s.alertsOf(t, tx)) != 0 {
		t.Errorf("status %d, alerts %q without Stripe", a.Status, s.alertsOf(t, tx))
	}
	for _, w := range failed {
		s.told(t, nil, w).Wants(t, http.StatusOK, nil)
	}
	if got := s.alertsOf(t, tx); len(got) != 1 || !strings.Contains(got[0], "of 3000 EUR failed") {
		t.Errorf("alerts %q", got)
	}
}

// While there is no secret, webhooks of this machine need no signature, and others are refused.
func TestStripeUnsigned(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := stripetest.Event("evt_1", "invoice.paid", nil)
	open := func(loopback bool) func(b *app.Process) {
		return func(b *app.Process) {
			getenv := b.Getenv
			b.Config.UnsignedStripeFromLoopback = loopback
			b.Getenv = func(name string) string {
				if name == "STRIPE_WEBHOOK_SECRET" {
					return ""
				}
				return getenv(name)
			}
		}
	}
	for _, tt := range []struct {
		loopback bool
		from     string
		want     int
	}{{true, "127.0.0.1:5", 200}, {true, "198.51.100.7:5", 503}, {false, "127.0.0.1:5", 503}} {
		r, err := http.NewRequestWithContext(context.Background(), "POST", s.URL+stripePath, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr, r.RequestURI = tt.from, stripePath
		w := httptest.NewRecorder()
		s.With(t, open(tt.loopback)).ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("from %s, loopback %v: %d, want %d", tt.from, tt.loopback, w.Code, tt.want)
		}
	}
}
