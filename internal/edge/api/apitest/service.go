// Package apitest runs Merve's whole HTTP surface for the tests of the packages that answer on it, and
// checks every answer against the OpenAPI document.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/oklog/ulid/v2"

	"merve/infra/local/bucket"
	localbus "merve/infra/local/bus"
	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/local/gateway"
	"merve/infra/local/queue"
	"merve/infra/local/streams"
	"merve/infra/rulemodel"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/fault"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/bus/bustest"
	"merve/internal/cloud/dynamo/dynamotest"
	outward "merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/provider/meta/metatest"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media/mediatest"
)

const (
	AdminToken  = "admin-token-not-real"  // of staff
	VerifyToken = "verify-token-not-real" // of Messenger's webhook
	Shop        = "https://shop.example"  // a site that embeds the web chat
)

// Service is Merve as the local runner puts it together, with tables of its own. DynamoDB and its
// streams, the queue, the gateway and the bucket are those of the runner. The model is rule-based and
// can be held up. Twilio, Meta, Stripe and the issuer of tokens are stand-ins.
type Service struct {
	URL    string
	Front  http.Handler
	cfg    aws.Config
	Base   *app.Base
	turns  *queue.Queue
	plans  map[string]*queue.Queue // all others; nil when nothing runs by itself
	events string                  // where its buses are
	Model  *heldModel
	Twilio *twiliotest.Server
	Meta   *metatest.Server
	Stripe *stripetest.Server
	Bucket string // its address
	// Sockets are the connections of live conversations, where the service is reached by TCP.
	Sockets *gateway.Sockets
	Issuer  *issuer
	stop    func()
}

var (
	once    sync.Once
	running *Service
	broken  error
)

// Start returns the one service that all tests of a package share. [Main] stops it.
func Start(t *testing.T) *Service {
	t.Helper()
	cfg := dynamotest.Config(t)
	once.Do(func() { running, broken = newService(cfg) })
	if broken != nil {
		t.Fatal(broken)
	}
	return running
}

// Main runs a package's tests and stops their service.
func Main(m *testing.M) {
	code := m.Run()
	if running != nil {
		running.stop()
	}
	os.Exit(code)
}

// Now is a Saturday morning when the tests start, and goes on from there.
var Now = func() func() time.Time {
	began, epoch := time.Now(), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return func() time.Time { return epoch.Add(time.Since(began)) }
}()

// NewID makes an id.
func NewID() string { return ulid.Make().String() }

func newService(cfg aws.Config) (*Service, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{
		cfg: cfg, Twilio: twiliotest.Start(twiliotest.Config{Now: Now}), Meta: metatest.Start(metatest.Config{Now: Now}),
		Stripe: stripetest.Start(Now),
		Model:  &heldModel{next: rulemodel.New(Now)}, Issuer: newIssuer(),
	}
	photos, err := bucket.Start(ctx, bucket.Options{Buckets: []string{mediatest.Bucket}})
	if err != nil {
		cancel()
		return nil, err
	}
	s.Bucket = photos.URL
	prefix := dynamotest.ID("api") + "-"
	if err := dynamodb.CreateTables(ctx, cfg, wiring.Tables(), func(logical string) string { return prefix + logical }); err != nil {
		cancel()
		return nil, err
	}
	model, server := httptest.NewServer(s.Model), httptest.NewUnstartedServer(nil)
	s.URL = "http://" + server.Listener.Addr().String()
	s.turns = queue.New(queue.Options{Name: "turns", FIFO: true, Receives: 5, Now: Now, Visibility: 30 * time.Second})
	stopPlans := s.withPlans()
	s.Sockets = newSockets()
	s.Base = s.newBase(prefix, model.URL+"/v1")
	if err := s.loadMarket(ctx); err != nil {
		cancel()
		return nil, err
	}
	handlers, err := build(s.Base)
	if err != nil {
		cancel()
		return nil, err
	}
	if s.Front, err = front(handlers); err != nil {
		cancel()
		return nil, err
	}
	server.Config.Handler = s.withSockets(handlers)
	server.Start()
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.turns.Run(ctx, 1, 16, handlers["turn"].Invoke) })
	for _, f := range wiring.Functions() {
		if f.Queue != nil && s.plans[f.Queue.Queue] != nil {
			wg.Go(func() { _ = s.plans[f.Queue.Queue].Run(ctx, f.Queue.Batch, 16, handlers[f.Name].Invoke) })
		}
		if f.Stream != nil {
			follower := &streams.Follower{
				Config: cfg, Table: prefix + f.Stream.Table, Trigger: *f.Stream, Invoke: handlers[f.Name].Invoke,
				Log: s.Base.Log, Now: time.Now, Wait: pause.For,
			}
			wg.Go(func() { _ = follower.Run(ctx) })
		}
	}
	s.stop = func() {
		s.Model.letAllGo()
		server.Close()
		cancel()
		s.turns.Close()
		stopPlans()
		wg.Wait()
		model.Close()
		s.Issuer.server.Close()
		s.Twilio.Close()
		s.Meta.Close()
		s.Stripe.Close()
		_ = photos.Stop() // nobody is left to tell
	}
	return s, nil
}

// Quiet returns a service with nothing behind it that runs by itself, on tables of its own, so that
// a request makes every call to the store. The calls go through client.
func Quiet(t *testing.T, client aws.HTTPClient) *Service {
	t.Helper()
	cfg := dynamotest.Config(t)
	prefix := dynamotest.ID("quiet") + "-"
	if err := dynamotest.OwnTables(t.Context(), cfg, prefix); err != nil {
		t.Fatal(err)
	}
	cfg.HTTPClient = client
	model, server := httptest.NewServer(rulemodel.New(Now)), httptest.NewUnstartedServer(nil)
	s := &Service{
		cfg: cfg, URL: "http://" + server.Listener.Addr().String(),
		Twilio: twiliotest.New(t, twiliotest.Config{Now: Now}), Meta: metatest.New(t, metatest.Config{Now: Now}),
		Stripe: stripetest.New(t, Now), Bucket: mediatest.Endpoint(t), Issuer: newIssuer(),
	}
	s.turns = queue.New(queue.Options{Name: "turns", FIFO: true, Receives: 5, Now: Now})
	s.Sockets = newSockets()
	s.Base = s.newBase(prefix, model.URL+"/v1")
	t.Cleanup(func() {
		server.Close()
		s.turns.Close()
		model.Close()
		s.Issuer.server.Close()
	})
	if err := s.loadMarket(t.Context()); err != nil {
		t.Fatal(err)
	}
	handlers, err := build(s.Base)
	if err != nil {
		t.Fatal(err)
	}
	if s.Front, err = front(handlers); err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = s.withSockets(handlers)
	server.Start()
	return s
}

func newSockets() *gateway.Sockets {
	return &gateway.Sockets{Now: Now, NewID: NewID, Log: telemetry.NewLogger(io.Discard, slog.LevelInfo)}
}

// withSockets is the front with sockets beside it, as the runner has them.
func (s *Service) withSockets(handlers map[string]trigger.Handler) http.Handler {
	s.Sockets.Function = handlers["live"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == wiring.SocketPath && r.Header.Get("Upgrade") != "" {
			s.Sockets.ServeHTTP(w, r)
			return
		}
		s.Front.ServeHTTP(w, r)
	})
}

// loadMarket loads the demo market, with little patience for bursts.
func (s *Service) loadMarket(ctx context.Context) error {
	if err := demo.Load(ctx, s.Base.Markets(), s.Base.Listings()); err != nil {
		return err
	}
	m, err := s.Base.Markets().Read(ctx, demo.Market)
	if err != nil {
		return err
	}
	m.QuietMS = 20
	_, err = s.Base.Markets().Save(ctx, *m, "test")
	return err
}

func (s *Service) newBase(prefix, modelURL string) *app.Base {
	return app.NewBase(app.Process{
		Config: app.Config{
			PublicURL: s.URL, SiteURL: s.URL, DefaultMarket: demo.Market, Patience: 40 * time.Second, LivePatience: 8 * time.Second,
			TableConversations: prefix + "conversations", TableLedger: prefix + "ledger", TableAlerts: prefix + "alerts",
			TableCatalog: prefix + "catalog", TableRecords: prefix + "records",
			OpenAIBaseURL: modelURL, OpenAIModel: rulemodel.Model,
			TwilioAccountSID: twiliotest.AccountSID, TwilioFrom: twiliotest.From, TwilioBaseURL: s.Twilio.URL(),
			Version: "test", AuthIssuer: s.Issuer.server.URL, AuthAudience: audience, AuthJWKSURL: s.Issuer.server.URL + "/jwks.json",
			StripeBaseURL: s.Stripe.URL(), MetaBaseURL: s.Meta.URL(), SaraModel: rulemodel.Model, MediaBucket: mediatest.Bucket,
			AllowedOrigins: []string{Shop}, PrivateMedia: true,
			AdminToken: AdminToken,
		},
		AWS: s.cfg, Now: Now, NewID: NewID, Wait: pause.For, Queues: s.queueOf, Buses: s.busOf, Sockets: s.Sockets,
		Log: telemetry.NewLogger(io.Discard, slog.LevelInfo),
		Getenv: func(name string) string {
			return map[string]string{
				"OPENAI_API_KEY": "test-key-not-real", "TWILIO_AUTH_TOKEN": twiliotest.AuthToken, "META_APP_SECRET": metatest.AppSecret,
				"STRIPE_SECRET_KEY": stripetest.Key, "STRIPE_WEBHOOK_SECRET": stripetest.WebhookSecret,
				"META_VERIFY_TOKEN": VerifyToken, "META_PAGE_ACCESS_TOKEN": metatest.Token, "AWS_ENDPOINT_URL_S3": s.Bucket,
			}[name]
		},
	})
}

// withPlans gives the service the queues and buses of the plan engine.
func (s *Service) withPlans() (stop func()) {
	s.plans = map[string]*queue.Queue{}
	for _, q := range wiring.Queues() {
		if q.Name != "turns" && q.DeadLetter != "" {
			s.plans[q.Name] = queue.Wired(q, Now, telemetry.NewLogger(io.Discard, slog.LevelInfo))
		}
	}
	names := map[string]string{}
	for _, b := range wiring.Buses() {
		names[b.Name] = b.Name
	}
	events := httptest.NewServer(localbus.New(localbus.Options{
		Buses: names, Rules: wiring.Rules(), Now: Now,
		Send: func(ctx context.Context, queue, envelope string) error {
			return s.plans[queue].Send(ctx, outward.Message{Body: envelope})
		},
	}))
	s.events = events.URL
	return func() {
		events.Close()
		for _, q := range s.plans {
			q.Close()
		}
	}
}

func (s *Service) queueOf(name string) outward.Queue {
	switch q := s.plans[name]; {
	case name == "turns":
		return s.turns
	case q != nil:
		return q
	}
	return nowhere{}
}

func (s *Service) busOf(name string) bus.Bus {
	if s.events == "" {
		return nowhere{}
	}
	return bus.NewEventBridge(bustest.Config(s.events), name)
}

// nowhere takes whatever is sent, and nobody reads it.
type nowhere struct{}

func (nowhere) Send(context.Context, outward.Message) error       { return nil }
func (nowhere) Hide(context.Context, string, time.Duration) error { return nil }
func (nowhere) Put(context.Context, ...bus.Event) error           { return nil }

// With builds the functions again with another configuration, on the same data, and returns their front.
func (s *Service) With(t *testing.T, change func(*app.Process)) http.Handler {
	t.Helper()
	b := *s.Base.Process
	change(&b)
	handlers, err := build(app.NewBase(b))
	if err != nil {
		t.Fatal(err)
	}
	f, err := front(handlers)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// SocketsWith returns sockets of their own in front of the service, as those at an address reach it after a change.
func (s *Service) SocketsWith(t *testing.T, address string, change func(*app.Process)) (at string) {
	t.Helper()
	b, sockets := *s.Base.Process, newSockets()
	change(&b)
	b.Sockets = sockets
	handlers, err := build(app.NewBase(b))
	if err != nil {
		t.Fatal(err)
	}
	sockets.Function = handlers["live"]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = address
		sockets.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func build(b *app.Base) (map[string]trigger.Handler, error) {
	handlers := map[string]trigger.Handler{}
	for name, f := range app.Constructors(wiring.Elsewhere()) {
		h, err := f(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		handlers[name] = h
	}
	return handlers, nil
}

func front(handlers map[string]trigger.Handler) (http.Handler, error) {
	var routes []gateway.Route
	for _, f := range wiring.Functions() {
		for _, r := range f.Routes {
			routes = append(routes, gateway.Route{Method: r.Method, Path: r.Path, Function: handlers[f.Name]})
		}
	}
	return gateway.New(routes, gateway.Options{Timeout: time.Minute, Now: Now, Log: telemetry.NewLogger(io.Discard, slog.LevelInfo)})
}

// heldModel is a model that holds back its answers to messages with a certain word in them.
type heldModel struct {
	next  http.Handler
	mu    sync.Mutex
	holds map[string]*hold
}

// hold is what a [heldModel] holds back.
type hold struct {
	Asked, free chan struct{}
	ask, let    sync.Once
}

// Hold holds back the answers to messages with word in them.
func (m *heldModel) Hold(word string) *hold {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holds == nil {
		m.holds = map[string]*hold{}
	}
	h := &hold{Asked: make(chan struct{}), free: make(chan struct{})}
	m.holds[word] = h
	return h
}

// LetGo lets the answers go.
func (h *hold) LetGo() { h.let.Do(func() { close(h.free) }) }

func (m *heldModel) letAllGo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.holds {
		h.LetGo()
	}
}

func (m *heldModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	m.mu.Lock()
	var held *hold
	for word, h := range m.holds {
		if bytes.Contains(body, []byte(word)) {
			held = h
		}
	}
	m.mu.Unlock()
	if held != nil {
		held.ask.Do(func() { close(held.Asked) })
		select {
		case <-held.free:
		case <-r.Context().Done():
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.next.ServeHTTP(w, r)
}

// Answer is an answer of the service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a request and checks the answer against the document. A body that is not a string is
// sent as JSON. The header is given as names and values in turn.
func (s *Service) Call(t *testing.T, method, target string, body any, header ...string) Answer {
	t.Helper()
	return s.CallTo(t, nil, method, target, body, header...)
}

// CallTo is [Service.Call] to another front of the service; nil is its own, over the network.
func (s *Service) CallTo(t *testing.T, h http.Handler, method, target string, body any, header ...string) Answer {
	t.Helper()
	a, err := s.Send(t.Context(), h, method, target, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	OpenAPI(t).Check(t, method, target, a)
	return a
}

// Send is [Service.CallTo] without the check, for pages.
func (s *Service) Send(ctx context.Context, h http.Handler, method, target string, body any, header ...string) (Answer, error) {
	text, ok := body.(string)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		text = string(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.URL+target, strings.NewReader(text))
	if err != nil {
		return Answer{}, err
	}
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if h != nil {
		r.RemoteAddr, r.RequestURI = "198.51.100.7:4711", target
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return Answer{w.Code, w.Header(), w.Body.Bytes()}, nil
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, b}, err
}

// Wants checks the status, and reads the body into out unless that is nil.
func (a Answer) Wants(t *testing.T, status int, out any) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if out != nil {
		if err := json.Unmarshal(a.Body, out); err != nil {
			t.Fatalf("%v in %s", err, a.Body)
		}
	}
	return a
}

// Refuses checks that the answer is a problem with this status that names this field.
func (a Answer) Refuses(t *testing.T, status int, field string) fault.Problem {
	t.Helper()
	var p fault.Problem
	a.Wants(t, status, &p)
	if p.Field != field {
		t.Errorf("names the field %q, want %q: %s", p.Field, field, a.Body)
	}
	if p.TraceID != a.Header.Get("x-trace-id") {
		t.Errorf("traceId %q, x-trace-id %q", p.TraceID, a.Header.Get("x-trace-id"))
	}
	return p
}

// SessionID makes a session id.
func SessionID() string { return dynamotest.ID("session-not-real") }

// Staff returns the header of a request of staff.
func Staff() []string { return []string{"Authorization", "Bearer " + AdminToken} }

// NewMarket stores a market of its own, and returns its id and where it is.
func (s *Service) NewMarket(t *testing.T) (id, target string) {
	t.Helper()
	id = dynamotest.ID("m")
	if _, err := s.Base.Markets().Save(t.Context(), *market.Default(id), "staff:seed"); err != nil {
		t.Fatal(err)
	}
	return id, "/admin/api/markets/" + id
}
