// Package stripetest is a stand-in for Stripe's payment intents, refunds and events over HTTP. A
// [Server] refuses what Stripe would refuse, keeps idempotency keys as Stripe does, has
// customers pay and banks decline when told to, signs the events of it, and fails when told to.
//
// It is written from Stripe's documentation and shares no code with package stripe, so that a
// mistake in one shows in the other. https://docs.stripe.com/api
package stripetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/provider/providertest"
)

// The keys that servers take and sign with.
const (
	Key           = "sk_test_not_real"
	WebhookSecret = "whsec_test_not_real"
)

// Fault is how a call goes wrong.
type Fault int

// The zero Fault is a call that goes well.
const (
	_        Fault = iota
	HangUp         // nothing arrives
	Lose           // it is done, and the answer is lost
	Away           // 503, and nothing is done
	Broken         // done, kept for its key, and answered with 500
	Limit          // 429
	Page           // something before Stripe answers
	CutShort       // it is done, and the answer breaks off
)

// Intent is a payment intent as the server has it.
type Intent struct {
	ID, Secret, Status, Currency, Description string
	Amount, Received, Refunded                int64
	Metadata                                  map[string]string
}

// Call is a request that was understood.
type Call struct{ Method, Path, Key string }

// Server is Stripe. Its methods may be called at the same time.
type Server struct {
	*providertest.Host
	providertest.Faults[Fault]
	Now func() time.Time

	mu      sync.Mutex
	intents []*Intent
	refunds []refund
	events  int
	kept    map[string]kept
	calls   []Call
	refuse  bool // refunds
	slow    bool // refunds
}

// refund is a refund as the server has it.
type refund struct {
	id       string
	intent   *Intent
	amount   int64
	status   string
	metadata map[string]string
}

// object is a refund in Stripe's form.
func (r refund) object() map[string]any {
	return map[string]any{
		"id": r.id, "object": "refund", "amount": r.amount, "currency": r.intent.Currency, "payment_intent": r.intent.ID,
		"charge": "ch_" + r.intent.ID, "status": r.status, "metadata": r.metadata,
	}
}

// kept is the answer that a key has.
type kept struct {
	asked  string
	status int
	body   any
}

// New starts a server that ends with the test.
func New(t testing.TB, now func() time.Time) *Server {
	t.Helper()
	s := Start(now)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server that [Server.Close] ends.
func Start(now func() time.Time) *Server {
	s := &Server{Now: now, kept: map[string]kept{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/payment_intents", s.post(s.create))
	mux.HandleFunc("GET /v1/payment_intents/{id}", s.get)
	mux.HandleFunc("POST /v1/payment_intents/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		s.post(func(form url.Values) answer { return s.cancel(r.PathValue("id"), form) })(w, r)
	})
	mux.HandleFunc("POST /v1/refunds", s.post(s.refund))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refusal(w, http.StatusBadRequest, "invalid_request_error", "", "Unrecognized request URL")
	})
	s.Host = providertest.Serve(s.checked(mux))
	return s
}

var version = regexp.MustCompile(`^20\d\d-\d\d-\d\d(\.[a-z]+)?$`)

// checked refuses what no request may lack.
func (s *Server) checked(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _, basic := r.BasicAuth()
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && !basic {
			key = bearer
		}
		switch {
		case key != Key:
			refusal(w, http.StatusUnauthorized, "invalid_request_error", "", "Invalid API Key provided: "+key)
		case !version.MatchString(r.Header.Get("Stripe-Version")):
			refusal(w, http.StatusBadRequest, "invalid_request_error", "", "Invalid Stripe API version")
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// answer is what a call gives.
type answer struct {
	status int
	body   any
}

func problem(status int, kind, code, message string) answer {
	body := map[string]any{"type": kind, "message": message}
	if code != "" {
		body["code"] = code
	}
	return answer{status, map[string]any{"error": body}}
}

func refusal(w http.ResponseWriter, status int, kind, code, message string) {
	a := problem(status, kind, code, message)
	providertest.JSON(w, "application/json", a.status, a.body)
}

// post is a call that changes something: once for each key. What was refused before anything
// was begun is not kept. https://docs.stripe.com/api/idempotent_requests
func (s *Server) post(do func(form url.Values) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		form, bad := url.ParseQuery(string(raw))
		if err != nil || bad != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
			refusal(w, http.StatusBadRequest, "invalid_request_error", "", "Invalid request")
			return
		}
		key := r.Header.Get("Idempotency-Key")
		fault := s.Next()
		if s.fails(w, fault) {
			return
		}
		a, replayed := s.once(key, r.URL.Path, form, fault, do)
		if replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		s.note(Call{r.Method, r.URL.Path, key})
		switch fault {
		case Lose:
			providertest.HangUp(w)
		case CutShort:
			providertest.Cut(w, http.StatusOK, `{"id":"pi_`)
		default:
			providertest.JSON(w, "application/json", a.status, a.body)
		}
	}
}

// fails answers a call that comes to nothing.
func (s *Server) fails(w http.ResponseWriter, fault Fault) bool {
	switch fault {
	case HangUp:
		providertest.HangUp(w)
	case Away:
		refusal(w, http.StatusServiceUnavailable, "api_error", "", "Away")
	case Limit:
		refusal(w, http.StatusTooManyRequests, "invalid_request_error", "rate_limit", "Too many requests")
	case Page:
		providertest.Page(w, http.StatusBadGateway)
	default:
		return false
	}
	return true
}

func (s *Server) once(key, path string, form url.Values, fault Fault, do func(url.Values) answer) (answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := path + "?" + form.Encode()
	switch before, known := s.kept[key]; {
	case key == "" || len(key) > 255:
		return problem(400, "invalid_request_error", "", "a stand-in wants an Idempotency-Key of 1 to 255 characters"), false
	case known && before.asked != asked:
		return problem(400, "idempotency_error", "idempotency_key_in_use", "Keys for idempotent requests can only be used with the same parameters they were first used with."), false
	case known:
		return answer{before.status, before.body}, true
	}
	a := do(form)
	if fault == Broken {
		a = problem(500, "api_error", "", "An unknown error occurred")
	}
	if a.status != http.StatusBadRequest {
		s.kept[key] = kept{asked, a.status, a.body}
	}
	return a, false
}

// only names a parameter that there is not.
func only(form url.Values, known ...string) string {
	for name := range form {
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "metadata[") {
			return name
		}
	}
	return ""
}

func metadata(form url.Values) map[string]string {
	m := map[string]string{}
	for name := range form {
		if key, ok := strings.CutPrefix(name, "metadata["); ok {
			m[strings.TrimSuffix(key, "]")] = form.Get(name)
		}
	}
	return m
}

// currencies are those that the server takes.
var currencies = []string{"eur", "usd", "gbp", "try", "jpy", "isk", "ugx", "mga", "kwd", "tnd"}

// threeDecimals are those of which the last decimal has to be 0.
var threeDecimals = []string{"kwd", "tnd"}

func (s *Server) create(form url.Values) answer {
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch name := only(form, "amount", "currency", "description", "automatic_payment_methods[enabled]"); {
	case name != "":
		return problem(400, "invalid_request_error", "parameter_unknown", "Received unknown parameter: "+name)
	case err != nil || amount < 1:
		return problem(400, "invalid_request_error", "parameter_invalid_integer", "Invalid integer")
	case amount < 50:
		return problem(400, "invalid_request_error", "amount_too_small", "Amount must be at least €0.50 eur")
	case amount > 99_999_999:
		return problem(400, "invalid_request_error", "amount_too_large", "Amount must be no more than €999,999.99")
	case !slices.Contains(currencies, form.Get("currency")):
		return problem(400, "invalid_request_error", "", "Invalid currency: "+form.Get("currency"))
	case slices.Contains(threeDecimals, form.Get("currency")) && amount%10 != 0:
		return problem(400, "invalid_request_error", "parameter_invalid_integer", "Invalid amount: the last decimal has to be 0")
	}
	i := &Intent{
		ID: fmt.Sprintf("pi_%08d", len(s.intents)+1), Status: "requires_payment_method", Amount: amount, Currency: form.Get("currency"),
		Description: form.Get("description"), Metadata: metadata(form),
	}
	i.Secret = i.ID + "_secret_not_real"
	s.intents = append(s.intents, i)
	return answer{200, i.object()}
}

// object is an intent in Stripe's form.
func (i *Intent) object() map[string]any {
	return map[string]any{
		"id": i.ID, "object": "payment_intent", "amount": i.Amount, "amount_received": i.Received, "currency": i.Currency, "status": i.Status,
		"client_secret": i.Secret, "description": i.Description, "metadata": i.Metadata, "livemode": false, "created": 1_795_000_000,
	}
}

func (s *Server) find(id string) *Intent {
	for _, i := range s.intents {
		if i.ID == id {
			return i
		}
	}
	return nil
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	fault := s.Next()
	if s.fails(w, fault) {
		return
	}
	s.note(Call{r.Method, r.URL.Path, ""})
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(r.PathValue("id"))
	switch {
	case fault == Lose:
		providertest.HangUp(w)
	case fault == CutShort:
		providertest.Cut(w, http.StatusOK, `{"id":"pi_`)
	case fault == Broken:
		refusal(w, http.StatusInternalServerError, "api_error", "", "An unknown error occurred")
	case i == nil:
		refusal(w, http.StatusNotFound, "invalid_request_error", "resource_missing", "No such payment_intent")
	default:
		o := i.object()
		if r.URL.Query().Get("expand[0]") == "latest_charge" && i.Received > 0 {
			o["latest_charge"] = map[string]any{"id": "ch_" + i.ID, "object": "charge", "amount": i.Received, "amount_refunded": i.Refunded}
		}
		providertest.JSON(w, "application/json", http.StatusOK, o)
	}
}

// reasons are those for which an intent can be cancelled.
var reasons = []string{"duplicate", "fraudulent", "requested_by_customer", "abandoned"}

func (s *Server) cancel(id string, form url.Values) answer {
	i := s.find(id)
	switch name := only(form, "cancellation_reason"); {
	case name != "":
		return problem(400, "invalid_request_error", "parameter_unknown", "Received unknown parameter: "+name)
	case form.Has("cancellation_reason") && !slices.Contains(reasons, form.Get("cancellation_reason")):
		return problem(400, "invalid_request_error", "", "Invalid cancellation_reason")
	case i == nil:
		return problem(404, "invalid_request_error", "resource_missing", "No such payment_intent")
	case slices.Contains([]string{"succeeded", "processing", "canceled"}, i.Status):
		return problem(400, "invalid_request_error", "payment_intent_unexpected_state", "You cannot cancel this PaymentIntent because it has a status of "+i.Status)
	}
	i.Status = "canceled"
	return answer{200, i.object()}
}

func (s *Server) refund(form url.Values) answer {
	i := s.find(form.Get("payment_intent"))
	amount, bad := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch name := only(form, "payment_intent", "amount"); {
	case name != "":
		return problem(400, "invalid_request_error", "parameter_unknown", "Received unknown parameter: "+name)
	case i == nil:
		return problem(404, "invalid_request_error", "resource_missing", "No such payment_intent")
	case s.refuse:
		return problem(400, "invalid_request_error", "charge_disputed", "The charge has been charged back")
	case i.Status != "succeeded":
		return problem(400, "invalid_request_error", "", "This PaymentIntent does not have a successful charge to refund.")
	case i.Refunded == i.Received:
		return problem(400, "invalid_request_error", "charge_already_refunded", "Charge has already been refunded.")
	case form.Has("amount") && (bad != nil || amount < 1):
		return problem(400, "invalid_request_error", "parameter_invalid_integer", "Invalid positive integer")
	case !form.Has("amount"):
		amount = i.Received - i.Refunded
	case amount > i.Received-i.Refunded:
		return problem(400, "invalid_request_error", "", "Refund amount is greater than unrefunded amount on charge")
	}
	return answer{200, s.giveBack(i, amount, metadata(form)).object()}
}

func (s *Server) giveBack(i *Intent, amount int64, metadata map[string]string) refund {
	i.Refunded += amount
	r := refund{fmt.Sprintf("re_%08d", len(s.refunds)+1), i, amount, "succeeded", metadata}
	if s.slow {
		r.status = "pending"
	}
	s.refunds = append(s.refunds, r)
	return r
}

func (s *Server) note(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
}

// RefuseRefunds has every refund refused from now on, or taken again.
func (s *Server) RefuseRefunds(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = is
}

// SlowRefunds has every refund take its time from now on: it is pending.
func (s *Server) SlowRefunds() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = true
}

// FailRefund has the last refund of an intent fail, and returns what Stripe tells of it, twice.
func (s *Server) FailRefund(id string) []Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.refunds) - 1; n >= 0; n-- {
		r := &s.refunds[n]
		if r.intent.ID != id {
			continue
		}
		r.status = "failed"
		r.intent.Refunded -= r.amount
		object := r.object()
		object["failure_reason"] = "lost_or_stolen_card"
		return []Webhook{
			s.sign(Event("evt_"+r.id+"_1", "refund.failed", object), s.Now()),
			s.sign(Event("evt_"+r.id+"_2", "charge.refund.updated", object), s.Now()),
		}
	}
	return nil
}

// Calls are the requests that were understood, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Intents are the intents that there are, as they stand, in the order in which they were made.
func (s *Server) Intents() []Intent {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Intent, len(s.intents))
	for n, i := range s.intents {
		all[n] = *i
	}
	return all
}

// Webhook is a signed event, as it arrives.
type Webhook struct{ Body, Signature string }

// Process has a customer pay an intent by a bank that takes its time: it is neither paid nor can
// it be cancelled.
func (s *Server) Process(id string) { s.change(id, "", func(i *Intent) { i.Status = "processing" }) }

// Pay has a customer pay an intent, and returns what Stripe tells of it: nothing, and nothing is
// paid, when the intent is cancelled.
func (s *Server) Pay(id string) Webhook {
	return s.change(id, "payment_intent.succeeded", func(i *Intent) { i.Status, i.Received = "succeeded", i.Amount })
}

// Decline has a customer's bank refuse to pay an intent.
func (s *Server) Decline(id string) Webhook {
	return s.change(id, "payment_intent.payment_failed", func(*Intent) {})
}

// GiveBack has somebody refund an intent at Stripe's own pages, and returns what Stripe tells of
// it; also of one that was refunded before.
func (s *Server) GiveBack(id string) Webhook {
	return s.change(id, "charge.refunded", func(i *Intent) {
		if left := i.Received - i.Refunded; left > 0 {
			s.giveBack(i, left, map[string]string{})
		}
	})
}

func (s *Server) change(id, typ string, change func(*Intent)) Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(id)
	if i == nil || i.Status == "canceled" {
		return Webhook{}
	}
	change(i)
	object := i.object()
	if typ == "charge.refunded" {
		object = map[string]any{
			"id": "ch_" + i.ID, "object": "charge", "amount": i.Amount, "amount_refunded": i.Refunded, "refunded": i.Refunded == i.Amount,
			"currency": i.Currency, "payment_intent": i.ID, "metadata": i.Metadata, "status": "succeeded",
		}
	}
	s.events++
	return s.sign(Event(fmt.Sprintf("evt_%s_%04d", i.ID, s.events), typ, object), s.Now())
}

// Event is the body of an event about an object.
func Event(id, typ string, object map[string]any) string {
	body, _ := json.Marshal(map[string]any{ // of strings and numbers, which always marshal
		"id": id, "object": "event", "api_version": "2026-03-25.dahlia", "created": 1_795_000_000, "livemode": false, "pending_webhooks": 1,
		"request": map[string]any{"id": nil, "idempotency_key": nil}, "type": typ, "data": map[string]any{"object": object},
	})
	return string(body)
}

// Sign signs a body, as Stripe does at a time.
func (s *Server) sign(body string, at time.Time) Webhook { return Webhook{body, Sign(body, at)} }

// Sign is the value of Stripe's signature header for a body that is sent at a time.
func Sign(body string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(WebhookSecret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	sum := hex.EncodeToString(mac.Sum(nil))
	return fmt.Sprintf("t=%d,v1=%s,v0=%s", at.Unix(), sum, strings.Repeat("0", 64))
}
