package api_test

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
	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/local/gateway"
	"merve/infra/local/queue"
	"merve/infra/local/streams"
	"merve/infra/rulemodel"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/fault"
	"merve/internal/media/mediatest"
	"merve/internal/pause"
	"merve/internal/provider/meta/metatest"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/telemetry"
	"merve/internal/trigger"
)

const (
	adminToken = "admin-token-not-real"
	shop       = "https://shop.example" // a site that embeds the web chat
)

// service is Merve as the local runner puts it together, with tables of its own: real
// DynamoDB and its streams, the queue, the gateway, the bucket; a rule-based model that can
// be held up, and stand-ins for Twilio, Meta and for who signs people in.
type service struct {
	url    string
	front  http.Handler
	cfg    aws.Config
	base   *app.Base
	turns  *queue.Queue
	model  *heldModel
	twilio *twiliotest.Server
	meta   *metatest.Server
	stripe *stripetest.Server
	bucket string // its address
	issuer *issuer
	stop   func()
}

var (
	once    sync.Once
	running *service
	broken  error
)

// start returns the one service of this package's tests.
func start(t *testing.T) *service {
	t.Helper()
	cfg := dynamotest.Config(t)
	once.Do(func() { running, broken = newService(cfg) })
	if broken != nil {
		t.Fatal(broken)
	}
	return running
}

func TestMain(m *testing.M) {
	code := m.Run()
	if running != nil {
		running.stop()
	}
	os.Exit(code)
}

// now is a Saturday morning at the start of the tests, and goes on from there.
var now = func() func() time.Time {
	began, epoch := time.Now(), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return func() time.Time { return epoch.Add(time.Since(began)) }
}()

func newID() string { return ulid.Make().String() }

func newService(cfg aws.Config) (*service, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &service{
		cfg: cfg, twilio: twiliotest.Start(twiliotest.Config{Now: now}), meta: metatest.Start(metatest.Config{Now: now}), stripe: stripetest.Start(now),
		model: &heldModel{next: rulemodel.New(now)}, issuer: newIssuer(),
	}
	photos, err := bucket.Start(ctx, bucket.Options{Buckets: []string{mediatest.Bucket}})
	if err != nil {
		cancel()
		return nil, err
	}
	s.bucket = photos.URL
	prefix := dynamotest.ID("api") + "-"
	if err := dynamodb.CreateTables(ctx, cfg, wiring.Tables(), func(logical string) string { return prefix + logical }); err != nil {
		cancel()
		return nil, err
	}
	model, server := httptest.NewServer(s.model), httptest.NewUnstartedServer(nil)
	s.url = "http://" + server.Listener.Addr().String()
	s.turns = queue.New(queue.Options{Name: "turns", FIFO: true, Receives: 5, Now: now, Visibility: 30 * time.Second})
	s.base = s.newBase(prefix, model.URL+"/v1")
	if err := s.loadMarket(ctx); err != nil {
		cancel()
		return nil, err
	}
	handlers, err := build(s.base)
	if err != nil {
		cancel()
		return nil, err
	}
	if s.front, err = front(handlers); err != nil {
		cancel()
		return nil, err
	}
	server.Config.Handler = s.front
	server.Start()
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.turns.Run(ctx, 1, 16, handlers["turn"].Invoke) })
	for _, f := range wiring.Functions() {
		if f.Stream != nil {
			follower := &streams.Follower{Config: cfg, Table: prefix + f.Stream.Table, Trigger: *f.Stream, Invoke: handlers[f.Name].Invoke, Log: s.base.Log, Now: time.Now, Wait: pause.For}
			wg.Go(func() { _ = follower.Run(ctx) })
		}
	}
	s.stop = func() {
		s.model.letAllGo()
		server.Close()
		cancel()
		s.turns.Close()
		wg.Wait()
		model.Close()
		s.issuer.server.Close()
		s.twilio.Close()
		s.meta.Close()
		s.stripe.Close()
		_ = photos.Stop() // nobody is left to tell
	}
	return s, nil
}

// loadMarket loads the demo market, with little patience for bursts.
func (s *service) loadMarket(ctx context.Context) error {
	if err := demo.Load(ctx, s.base.Markets(), s.base.Listings()); err != nil {
		return err
	}
	m, err := s.base.Markets().Read(ctx, demo.Market)
	if err != nil {
		return err
	}
	m.QuietMS = 20
	_, err = s.base.Markets().Save(ctx, *m, "test")
	return err
}

func (s *service) newBase(prefix, modelURL string) *app.Base {
	return app.NewBase(app.Base{
		Config: app.Config{
			PublicURL: s.url, SiteURL: s.url, DefaultMarket: demo.Market, Patience: 40 * time.Second,
			TableConversations: prefix + "conversations", TableLedger: prefix + "ledger", TableCatalog: prefix + "catalog", TableRecords: prefix + "records",
			OpenAIBaseURL: modelURL, OpenAIModel: rulemodel.Model,
			TwilioAccountSID: twiliotest.AccountSID, TwilioFrom: twiliotest.From, TwilioBaseURL: s.twilio.URL(),
			Version: "test", AuthIssuer: s.issuer.server.URL, AuthAudience: audience, AuthJWKSURL: s.issuer.server.URL + "/jwks.json",
			StripeBaseURL: s.stripe.URL(), MetaBaseURL: s.meta.URL(), SaraModel: rulemodel.Model, MediaBucket: mediatest.Bucket, AllowedOrigins: []string{shop}, PrivateMedia: true,
			AdminToken: adminToken,
		},
		AWS: s.cfg, Now: now, NewID: newID, Wait: pause.For, Queue: app.TurnQueue{To: s.turns},
		Log: telemetry.NewLogger(io.Discard, slog.LevelInfo),
		Getenv: func(name string) string {
			return map[string]string{
				"OPENAI_API_KEY": "test-key-not-real", "TWILIO_AUTH_TOKEN": twiliotest.AuthToken, "META_APP_SECRET": metatest.AppSecret,
				"STRIPE_SECRET_KEY": stripetest.Key, "STRIPE_WEBHOOK_SECRET": stripetest.WebhookSecret,
				"META_VERIFY_TOKEN": verifyToken, "META_PAGE_ACCESS_TOKEN": metatest.Token, "AWS_ENDPOINT_URL_S3": s.bucket,
			}[name]
		},
	})
}

// with builds the functions again with another configuration, on the same data.
func (s *service) with(t *testing.T, change func(*app.Base)) http.Handler {
	t.Helper()
	b := *s.base
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

func build(b *app.Base) (map[string]trigger.Handler, error) {
	handlers := map[string]trigger.Handler{}
	for name, f := range map[string]func(*app.Base) (trigger.Handler, error){
		"chat": app.Chat(wiring.Elsewhere()), "sara": app.Sara, "whatsapp": app.WhatsApp, "messenger": app.Messenger, "turn": app.Turn,
		"notify": app.Notify, "records": app.Records, "index": app.Index, "stripe": app.Stripe, "sender": app.Sender, "admin": app.Admin,
	} {
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
	return gateway.New(routes, gateway.Options{Timeout: time.Minute, Now: now, Log: telemetry.NewLogger(io.Discard, slog.LevelInfo)})
}

// heldModel is a model that answers, for messages with a certain word in them, only when
// it is let go.
type heldModel struct {
	next  http.Handler
	mu    sync.Mutex
	holds map[string]*hold
}

type hold struct {
	asked, free chan struct{}
	ask, let    sync.Once
}

// hold holds the model up for messages with word in them.
func (m *heldModel) hold(word string) *hold {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holds == nil {
		m.holds = map[string]*hold{}
	}
	h := &hold{asked: make(chan struct{}), free: make(chan struct{})}
	m.holds[word] = h
	return h
}

func (h *hold) letGo() { h.let.Do(func() { close(h.free) }) }

func (m *heldModel) letAllGo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.holds {
		h.letGo()
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
		held.ask.Do(func() { close(held.asked) })
		select {
		case <-held.free:
		case <-r.Context().Done():
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.next.ServeHTTP(w, r)
}

// answer is an answer that the document describes.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request and checks the answer against the document. A body that is not a
// string is sent as JSON; header holds names and values.
func (s *service) call(t *testing.T, method, target string, body any, header ...string) answer {
	t.Helper()
	return s.callTo(t, nil, method, target, body, header...)
}

// callTo is call to another front of the service; nil is its own, by the network.
func (s *service) callTo(t *testing.T, h http.Handler, method, target string, body any, header ...string) answer {
	t.Helper()
	a, err := s.send(t.Context(), h, method, target, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	document(t).check(t, method, target, a)
	return a
}

func (s *service) send(ctx context.Context, h http.Handler, method, target string, body any, header ...string) (answer, error) {
	text, ok := body.(string)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		text = string(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+target, strings.NewReader(text))
	if err != nil {
		return answer{}, err
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
		return answer{w.Code, w.Header(), w.Body.Bytes()}, nil
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, b}, err
}

// wants checks the status and reads the body.
func (a answer) wants(t *testing.T, status int, out any) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if out != nil {
		if err := json.Unmarshal(a.body, out); err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
	}
	return a
}

// refuses checks that the answer is a problem with this status that names this field.
func (a answer) refuses(t *testing.T, status int, field string) fault.Problem {
	t.Helper()
	var p fault.Problem
	a.wants(t, status, &p)
	if p.Field != field {
		t.Errorf("names the field %q, want %q: %s", p.Field, field, a.body)
	}
	if p.TraceID != a.header.Get("x-trace-id") {
		t.Errorf("traceId %q, x-trace-id %q", p.TraceID, a.header.Get("x-trace-id"))
	}
	return p
}

// session makes a session id.
func session() string { return dynamotest.ID("session-not-real") }

func admin() []string { return []string{"Authorization", "Bearer " + adminToken} }
