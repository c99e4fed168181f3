package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}

func client(s *stripetest.Server) *stripe.Client {
	return &stripe.Client{BaseURL: s.URL(), Key: key(stripetest.Key), HTTP: s.Client()}
}

func wanted(k string) stripe.Wanted {
	return stripe.Wanted{AmountMinor: 6500, Currency: "EUR", Description: "Harbour Grill KX72B4", Transaction: "tx-1", Market: "demo", Key: k}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	c, ctx := client(s), t.Context()
	first, err := c.Create(ctx, wanted("k1"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Create(ctx, wanted("k1"))
	if err != nil || again != first {
		t.Errorf("the same key: %+v, %v; want %+v", again, err, first)
	}
	other, err := c.Create(ctx, wanted("k2"))
	if err != nil || other.ID == first.ID {
		t.Errorf("another key: %+v, %v", other, err)
	}
	changed := wanted("k1")
	changed.AmountMinor = 1
	if _, err := c.Create(ctx, changed); !fault.Is(err, fault.Invalid) {
		t.Errorf("the same key with another amount: %v", err)
	}
	want := stripetest.Intent{
		ID: first.ID, Secret: first.ClientSecret, Status: "requires_payment_method", Currency: "eur", Amount: 6500, Description: "Harbour Grill KX72B4",
		Metadata: map[string]string{"transaction": "tx-1", "market": "demo"},
	}
	if got := s.Intents(); len(got) != 2 {
		t.Errorf("%d intents", len(got))
	} else if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Stripe counts some currencies in other units than ISO 4217, and takes not every amount of some.
func TestCurrenciesInOtherUnits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		currency    string
		minor, want int64 // in Stripe's units; 0 is refused
	}{
		{"EUR", 901, 901}, {"JPY", 901, 901}, {"ISK", 900, 90_000}, {"UGX", 900, 90_000}, {"ISK", math.MaxInt64 / 99, 0},
		{"MGA", 900_000, 9000}, {"MGA", 900_020, 0}, {"KWD", 5120, 5120}, {"KWD", 5124, 0}, {"TND", 5121, 0},
	} {
		s := stripetest.New(t, now)
		w := wanted("k1")
		w.AmountMinor, w.Currency = tt.minor, tt.currency
		i, err := client(s).Create(t.Context(), w)
		if tt.want == 0 {
			if _, field := fault.Public(err); field != "amount" || len(s.Calls()) != 0 {
				t.Errorf("%s %d: %v after %d requests", tt.currency, tt.minor, err, len(s.Calls()))
			}
			continue
		}
		if err != nil || i.AmountMinor != tt.minor || s.Intents()[0].Amount != tt.want {
			t.Errorf("%s %d: %+v, %v, %+v", tt.currency, tt.minor, i, err, s.Intents())
		}
	}
}

// A part that Stripe cannot give back is rounded up.
func TestRefundOfAPartInOtherUnits(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	w := wanted("k1")
	w.AmountMinor, w.Currency = 5120, "KWD"
	i, err := client(s).Create(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	s.Pay(i.ID)
	if _, err := client(s).Refund(t.Context(), stripe.Back{Intent: i.ID, AmountMinor: 1231, Currency: "KWD", Key: "r"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Intents()[0].Refunded; got != 1240 {
		t.Errorf("given back %d", got)
	}
}

func TestWantedChecked(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	for name, spoil := range map[string]func(*stripe.Wanted){
		"amount": func(w *stripe.Wanted) { w.AmountMinor = 0 }, "currency": func(w *stripe.Wanted) { w.Currency = "EURO" },
		"transaction": func(w *stripe.Wanted) { w.Transaction = "" }, "key": func(w *stripe.Wanted) { w.Key = strings.Repeat("k", 256) },
	} {
		w := wanted("k")
		spoil(&w)
		_, err := client(s).Create(t.Context(), w)
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestGetAndRefund(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	c, ctx := client(s), t.Context()
	made, err := c.Create(ctx, wanted("k1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Refund(ctx, stripe.Back{Intent: made.ID, Key: "r0"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a refund of what was not paid: %v", err)
	}
	s.Pay(made.ID)
	got, err := c.Get(ctx, made.ID)
	if err != nil || got.Status != stripe.Succeeded || got.ClientSecret != made.ClientSecret || got.Transaction != "tx-1" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, id := range []string{"pi_none", ""} {
		if _, err := c.Get(ctx, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, k := range []string{"r1", "r1", "r2"} { // the same again, and once more by another key
		if r, err := c.Refund(ctx, stripe.Back{Intent: made.ID, Key: k}); err != nil || !r.Done {
			t.Errorf("refund %s: %+v, %v", k, r, err)
		}
	}
	if i := s.Intents()[0]; i.Refunded != 6500 {
		t.Errorf("given back: %d", i.Refunded)
	}
}

// What is closed is paid no more; what was paid, or is being paid, cannot be closed.
func TestClose(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	c, ctx := client(s), t.Context()
	intents := map[string]string{}
	for _, name := range []string{"open", "paid", "processing"} {
		made, err := c.Create(ctx, wanted(name))
		if err != nil {
			t.Fatal(err)
		}
		intents[name] = made.ID
	}
	for range 2 { // the second time by another key, as after an answer that was lost
		if i, err := c.Close(ctx, intents["open"], fmt.Sprintf("c%d", len(s.Calls()))); err != nil || i.Status != stripe.Canceled || i.PaidMinor != 0 {
			t.Errorf("open: %+v, %v", i, err)
		}
	}
	if w := s.Pay(intents["open"]); w.Body != "" || s.Intents()[0].Received != 0 {
		t.Errorf("it was paid: %+v", s.Intents()[0])
	}
	s.Pay(intents["paid"])
	if i, err := c.Close(ctx, intents["paid"], "paid"); err != nil || i.Status != stripe.Succeeded || i.PaidMinor != 6500 {
		t.Errorf("paid: %+v, %v", i, err)
	}
	s.Process(intents["processing"])
	if i, err := c.Close(ctx, intents["processing"], "processing"); !fault.Is(err, fault.Invalid) || i != (stripe.Intent{}) {
		t.Errorf("processing: %+v, %v", i, err)
	}
	if _, err := c.Close(ctx, "pi_none", "none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("none: %v", err)
	}
	before := len(s.Calls())
	if _, err := c.Close(ctx, intents["processing"], ""); !fault.Is(err, fault.Invalid) || len(s.Calls()) != before {
		t.Errorf("without a key: %v", err)
	}
}

// Nothing counts as closed on an answer that does not say so.
func TestStrangeAnswersToAClose(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]string{
		"empty": `{}`, "open": `{"id":"pi_1","client_secret":"s","currency":"eur","status":"requires_payment_method"}`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			read := `{"id":"pi_1","client_secret":"s","currency":"eur","status":"requires_action"}`
			_, _ = w.Write([]byte(map[string]string{http.MethodGet: read, http.MethodPost: made}[r.Method]))
		}))
		c := &stripe.Client{BaseURL: server.URL, Key: key(stripetest.Key)}
		if i, err := c.Close(t.Context(), "pi_1", "k"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
		server.Close()
	}
}

// A part is given back once, whatever becomes of the answers and by whichever key; what was given
// back by others counts.
func TestRefundOfAPart(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	c, ctx := client(s), t.Context()
	made, err := c.Create(ctx, wanted("k1"))
	if err != nil {
		t.Fatal(err)
	}
	part := func(amount int64, key string) error {
		r, err := c.Refund(ctx, stripe.Back{Intent: made.ID, AmountMinor: amount, Currency: "EUR", Key: key})
		if err == nil && !r.Done {
			t.Errorf("%s is not done: %+v", key, r)
		}
		return err
	}
	if err := part(1000, "r0"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a part of what was not paid: %v", err)
	}
	if err := part(-1, "r0"); !fault.Is(err, fault.Invalid) {
		t.Errorf("less than nothing: %v", err)
	}
	s.Pay(made.ID)
	s.Add(0, stripetest.Lose, stripetest.Lose) // Stripe says what was given back, and the refund's answer is lost
	if err := part(1000, "r1"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a lost answer: %v", err)
	}
	for _, k := range []string{"r1", "r2"} {
		if err := part(1000, k); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if err := part(2500, "r3"); err != nil || s.Intents()[0].Refunded != 2500 {
		t.Errorf("%v, given back: %d", err, s.Intents()[0].Refunded)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault stripetest.Fault
		want  fault.Kind
		made  int
	}{
		{stripetest.HangUp, fault.Unavailable, 0}, {stripetest.Lose, fault.Unavailable, 1}, {stripetest.Away, fault.Unavailable, 0},
		{stripetest.Broken, fault.Unavailable, 1}, {stripetest.Limit, fault.Limited, 0}, {stripetest.Page, fault.Unavailable, 0},
		{stripetest.CutShort, fault.Unavailable, 1},
	}
	for _, tt := range tests {
		s := stripetest.New(t, now)
		s.Add(tt.fault)
		_, err := client(s).Create(t.Context(), wanted("k1"))
		if !fault.Is(err, tt.want) || len(s.Intents()) != tt.made {
			t.Errorf("fault %d: %v, %d made; want %s, %d", tt.fault, err, len(s.Intents()), tt.want, tt.made)
		}
		if err != nil && (strings.Contains(err.Error(), stripetest.Key) || strings.Contains(err.Error(), s.URL())) {
			t.Errorf("fault %d: the error tells too much: %v", tt.fault, err)
		}
		if tt.fault == stripetest.Broken { // which Stripe keeps for the key
			continue
		}
		if _, err := client(s).Create(t.Context(), wanted("k1")); err != nil || len(s.Intents()) != 1 {
			t.Errorf("after fault %d: %v, %d made", tt.fault, err, len(s.Intents()))
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t, now)
	away := errors.New("the secret store is away")
	for name, tt := range map[string]struct {
		key  func(context.Context) (string, error)
		want fault.Kind
	}{
		"none": {nil, fault.Unavailable}, "empty": {key(""), fault.Unavailable}, "another": {key("sk_test_other_not_real"), fault.Internal},
		"unknown": {func(context.Context) (string, error) { return "", fault.Wrap(away, fault.Unavailable, "away") }, fault.Unavailable},
	} {
		c := client(s)
		c.Key = tt.key
		_, err := c.Create(t.Context(), wanted("k"))
		if !fault.Is(err, tt.want) || strings.Contains(err.Error(), "not_real") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := client(s)
	c.Key = nil
	if _, err := c.Get(t.Context(), "pi_1"); !errors.Is(err, stripe.ErrOff) {
		t.Errorf("without a key: %v", err)
	}
	c = &stripe.Client{BaseURL: "stripe.test", Key: key("k")}
	if _, err := c.Get(t.Context(), "pi_1"); !fault.Is(err, fault.Internal) {
		t.Errorf("no address: %v", err)
	}
}

// Whatever answers, it is no payment unless it says so.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"empty": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) },
		"other amount": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"id":"pi_1","client_secret":"s","currency":"eur","amount":1}`))
		},
		"other currency": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"id":"pi_1","client_secret":"s","currency":"usd","amount":6500}`))
		},
		"a list":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[]`)) },
		"endless":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`"` + strings.Repeat("x", 2<<20))) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
	} {
		server := httptest.NewServer(h)
		c := &stripe.Client{BaseURL: server.URL, Key: key(stripetest.Key)}
		if i, err := c.Create(t.Context(), wanted("k")); err == nil || i != (stripe.Intent{}) && i.AmountMinor == 6500 && i.Currency == "EUR" {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
		server.Close()
	}
}

// An intent without one of its parts is none.
func TestIntentIsWhole(t *testing.T) {
	t.Parallel()
	const whole = `{"id":"pi_1","client_secret":"s","currency":"eur","amount":6500}`
	for _, part := range []string{"", "id", "client_secret", "currency"} {
		body := whole
		if part != "" {
			body = strings.Replace(whole, `"`+part+`"`, `"left_out"`, 1)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		c := &stripe.Client{BaseURL: server.URL, Key: key(stripetest.Key)}
		if i, err := c.Get(t.Context(), "pi_1"); (err != nil) != (part != "") || err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("without %q: %+v, %v", part, i, err)
		}
		server.Close()
	}
}

// Nothing counts as given back, nor as not yet given back, on an answer that says nothing.
func TestStrangeAnswersToARefund(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read, made string // answers to what was given back before, and to the refund
		asked      int
		want       bool
	}{
		"as it should be":              {`{"id":"pi_1"}`, `{"id":"re_1","status":"succeeded"}`, 2, true},
		"what was given back is empty": {`{}`, `{"id":"re_1","status":"succeeded"}`, 1, false},
		"the refund is empty":          {`{"id":"pi_1"}`, `{"status":"succeeded"}`, 2, false},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			_, _ = w.Write([]byte(map[string]string{http.MethodGet: tt.read, http.MethodPost: tt.made}[r.Method]))
		}))
		c := &stripe.Client{BaseURL: server.URL, Key: key(stripetest.Key)}
		r, err := c.Refund(t.Context(), stripe.Back{Intent: "pi_1", AmountMinor: 500, Currency: "EUR", Key: "r"})
		if (err == nil) != tt.want || r.Done != tt.want || err != nil && !fault.Is(err, fault.Unavailable) || int(asked.Load()) != tt.asked {
			t.Errorf("%s: %+v, %v after %d requests, want %d", name, r, err, asked.Load(), tt.asked)
		}
		server.Close()
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &stripe.Client{BaseURL: "http://" + l.Addr().String(), Key: key(stripetest.Key), Timeout: 20 * time.Millisecond}
	if _, err := c.Create(t.Context(), wanted("k")); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}
