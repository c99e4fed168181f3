package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/tenant/market"
)

// noNetwork fails the test at any request.
type noNetwork struct{ t *testing.T }

func (n noNetwork) Do(r *http.Request) (*http.Response, error) { return n.RoundTrip(r) }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("a request before the first event: %s %s", r.Method, r.URL)
	return nil, http.ErrHandlerTimeout
}

func TestStartMakesNoRequest(t *testing.T) {
	t.Parallel()
	nowhere := "https://nowhere.invalid"
	b := app.NewBase(app.Process{
		Config: app.Config{
			OpenAIBaseURL: nowhere, OpenAIModel: "m", TwilioAccountSID: "AC0", TwilioBaseURL: nowhere, SecretID: "secret", QueueURLs: map[string]string{"turns": nowhere}, LiveEndpoint: nowhere,
			AuthIssuer: nowhere, AuthAudience: "a", AuthJWKSURL: nowhere,
		},
		AWS:    aws.Config{Region: "us-east-1", HTTPClient: noNetwork{t}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")},
		Getenv: func(string) string { return "" }, Log: telemetry.NewLogger(t.Output(), 0),
	})
	for name, build := range app.Constructors(wiring.Elsewhere()) {
		if _, err := build(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One program serves every kind of worker that carries nothing of its own: it is the worker whose queue it is told of.
func TestAWorkerIsTheOneWhoseQueueItHas(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"WORKER_WEATHER_QUEUE_URL": "", "WORKER_GENERAL_CHAT_QUEUE_URL": "", "WORKER_RAG_QUEUE_URL": "WORKER_MATH_QUEUE_URL", "": "WORKER_MATH_QUEUE_URL",
	} {
		getenv := func(name string) string { return map[string]string{env: "https://nowhere.invalid"}[name] }
		c, err := app.FromEnv(getenv)
		if err != nil {
			t.Fatal(err)
		}
		_, err = app.Worker(app.NewBase(app.Process{
			Config: c, AWS: aws.Config{Region: "us-east-1", HTTPClient: noNetwork{t}}, Getenv: getenv, Log: telemetry.NewLogger(t.Output(), 0), Now: time.Now,
		}))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", env, err, want)
		}
	}
}

// Every tool's schema is one that arguments can be checked against, which is seen at a call only.
func TestEveryToolChecksArguments(t *testing.T) {
	t.Parallel()
	tools, err := app.NewBase(app.Process{AWS: aws.Config{HTTPClient: noNetwork{t}}, Getenv: func(string) string { return "" }}).Tools()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tools.Names() {
		called, _ := tools.Get(name)
		if _, err := called.Canonical(json.RawMessage(`{"noSuchArgument":1}`)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A turn that takes as long as a market may allow is over before its function is stopped.
func TestTurnFitsItsFunction(t *testing.T) {
	t.Parallel()
	const stores = 10 // seconds for what is stored before and after
	longest := market.MaxTurnSeconds + market.MaxQuietMS/1000 + stores
	for _, f := range wiring.Functions() {
		if f.Name == "turn" && int(f.Timeout) < longest {
			t.Errorf("the function has %d s, a turn may take %d", f.Timeout, longest)
		}
	}
}

// timed notes until when each call to the store may take.
type timed struct {
	mu   sync.Mutex
	ends []time.Time
}

func (c *timed) Do(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end, ok := r.Context().Deadline(); ok && !slices.Contains(c.ends, end) {
		c.ends = append(c.ends, end)
	}
	return faulttest.Transport.RoundTrip(r)
}

// The parts of a function on a schedule share its time: however long one may take, the next ones
// have theirs, and the last is over before the function is stopped.
func TestSchedulesFitTheirFunctions(t *testing.T) {
	t.Parallel()
	const least = 5 * time.Second // for what has begun, and as much to begin it in
	parts := map[string]int{"expiry": 5, "invariants": 3, "sweep": 2, "collection": 1, "outreach": 4}
	for _, f := range wiring.Functions() {
		if f.Schedule == nil {
			continue
		}
		s, calls := newStory(t), &timed{}
		b := *s.base.Process
		b.AWS.HTTPClient = calls
		h, err := app.Constructors(wiring.Elsewhere())[f.Name](app.NewBase(b))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		all := time.Duration(f.Timeout) * time.Second
		ctx, cancel := context.WithDeadline(t.Context(), start.Add(all))
		if _, err := h.Invoke(ctx, sample(t, f.Name)); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		cancel()
		n := parts[f.Name]
		if len(calls.ends) != n || calls.ends[0].After(start.Add(all/time.Duration(n)+time.Second)) || calls.ends[n-1].After(start.Add(all)) {
			t.Errorf("%s: of %v, its parts may take until %v", f.Name, all, calls.ends)
		}
		if share := all / time.Duration(n); share < 2*least {
			t.Errorf("%s: %v for each part of it", f.Name, share)
		}
	}
}

// The same from the environment of a Lambda, where every address that there is leads to
// a server that nobody may call.
func TestStartFromTheEnvironmentMakesNoRequest(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	for _, name := range []string{
		"AWS_ENDPOINT_URL", "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "OPENAI_BASE_URL", "TWILIO_BASE_URL",
		"AUTH_ISSUER", "AUTH_JWKS_URL", "TURN_QUEUE_URL", "LIVE_ENDPOINT", "PUBLIC_URL",
	} {
		t.Setenv(name, server.URL)
	}
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "test-session-not-real", "SECRET_ID": "secret", "AUTH_AUDIENCE": "a",
		"TWILIO_ACCOUNT_SID": "AC0", "TWILIO_AUTH_TOKEN": "", "OPENAI_API_KEY": "", "GATEWAY_TIMEOUT": "25s", "LOG_LEVEL": "error",
	} {
		t.Setenv(name, value)
	}
	if _, err := app.FromLambda(); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "test-key-not-real")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test-secret-not-real")
	b, err := app.FromLambda()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := b.AWS.Credentials.Retrieve(t.Context())
	if err != nil || creds.SessionToken != "test-session-not-real" || b.AWS.Region != "us-east-1" {
		t.Errorf("%+v, %v", creds.Source, err)
	}
	for name, build := range app.Constructors(wiring.Elsewhere()) {
		if _, err := build(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests before the first event", n)
	}
	if _, err := b.Threads().Head(t.Context(), "th_0"); err == nil || requests.Load() != 1 {
		t.Errorf("%v, %d requests: the store is not where the environment says", err, requests.Load())
	}
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	if b, err = app.FromLambda(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Threads().Head(t.Context(), "th_0"); err == nil || requests.Load() != 2 {
		t.Errorf("%v, %d requests: the store is not where the environment says that this one service is", err, requests.Load())
	}
	for name, value := range map[string]string{"AWS_RETRY_MODE": "often", "AWS_MAX_ATTEMPTS": "0"} {
		t.Setenv(name, value)
		if _, err := app.FromLambda(); err == nil || !strings.HasPrefix(err.Error(), name+":") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
		t.Setenv(name, "")
	}
	t.Setenv("AWS_RETRY_MODE", "adaptive")
	t.Setenv("AWS_MAX_ATTEMPTS", "7")
	if b, err = app.FromLambda(); err != nil || b.AWS.RetryMode != aws.RetryModeAdaptive || b.AWS.RetryMaxAttempts != 7 {
		t.Errorf("%v: %q, %d attempts", err, b.AWS.RetryMode, b.AWS.RetryMaxAttempts)
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	from := func(set map[string]string) (app.Config, error) {
		return app.FromEnv(func(name string) string { return set[name] })
	}
	c, err := from(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Patience.Seconds() != 45 || c.LivePatience.Seconds() != 8 || c.DefaultMarket != "demo" || c.TwilioBaseURL != "https://api.twilio.com" || !strings.HasSuffix(c.OpenAIBaseURL, "/v1") || c.AdminToken != "" || c.AddressMessages != 600 {
		t.Errorf("without any setting: %+v", c)
	}
	if c, err = from(map[string]string{"MERVE_VERSION": "v1-2-gabc"}); err != nil || c.Version != "v1-2-gabc" {
		t.Errorf("%v: version %q", err, c.Version)
	}
	for _, issuer := range []string{"https://issuer.example", "https://issuer.example/"} {
		c, err = from(map[string]string{"AUTH_ISSUER": issuer, "AUTH_AUDIENCE": "a"})
		if err != nil || c.AuthJWKSURL != "https://issuer.example/.well-known/jwks.json" || c.AuthIssuer != issuer {
			t.Errorf("%v: keys of %q at %q", err, c.AuthIssuer, c.AuthJWKSURL)
		}
	}
	for _, engine := range []string{"tesseract", "textract", "none"} {
		if c, err := from(map[string]string{"OCR_ENGINE": engine}); err != nil || c.OCREngine != engine {
			t.Errorf("OCR_ENGINE=%s is taken as %q: %v", engine, c.OCREngine, err)
		}
	}
	for name, value := range map[string]string{
		"OCR_ENGINE": "eyes", "LIVE_PATIENCE": "soon",
		"GATEWAY_TIMEOUT": "soon", "LOG_LEVEL": "loud", "PUBLIC_URL": "merve", "OPENAI_BASE_URL": "/v1", "TWILIO_BASE_URL": "::", "AUTH_JWKS_URL": "keys", "AUTH_ISSUER": "https://issuer.example",
	} {
		want := name
		if name == "AUTH_ISSUER" {
			want = "AUTH_AUDIENCE" // missing beside it
		}
		if _, err := from(map[string]string{name: value}); err == nil || !strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	for _, origins := range []string{
		"*", "https://*.example", "http://pool.example", "https://pool.example/oauth2", "https://a.example;img-src", "https://a.example,", "https://a@b.example", "loopback",
	} {
		if _, err := from(map[string]string{"AUTH_SIGN_IN_ORIGINS": origins}); err == nil || !strings.HasPrefix(err.Error(), "AUTH_SIGN_IN_ORIGINS:") {
			t.Errorf("AUTH_SIGN_IN_ORIGINS=%s: %v", origins, err)
		}
	}
	for _, name := range []string{"GATEWAY_TIMEOUT", "LIVE_PATIENCE"} {
		for _, tooShort := range []string{"0s", "-5s", "999ms"} {
			if _, err := from(map[string]string{name: tooShort}); err == nil {
				t.Errorf("%s=%s is taken", name, tooShort)
			}
		}
	}
	if c, err = from(map[string]string{"LIVE_PATIENCE": "3s"}); err != nil || c.LivePatience.Seconds() != 3 {
		t.Errorf("LIVE_PATIENCE=3s is taken as %v: %v", c.LivePatience, err)
	}
}

// The pages may sign in where the environment says that the issuer's endpoints are.
func TestSignInOrigins(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"AUTH_ISSUER": "https://issuer.example", "AUTH_AUDIENCE": "a", "AUTH_SIGN_IN_ORIGINS": "https://pool.example, https://other.example:8443",
	}
	c, err := app.FromEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	h, err := app.Admin(app.NewBase(app.Process{
		Config: c, AWS: aws.Config{Region: "us-east-1", HTTPClient: noNetwork{t}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")},
		Getenv: func(string) string { return "" }, Log: telemetry.NewLogger(t.Output(), 0),
	}))
	if err != nil {
		t.Fatal(err)
	}
	a := page(t, h, "/admin")
	policy := a.Headers["Content-Security-Policy"]
	if want := "connect-src 'self' https://issuer.example https://pool.example https://other.example:8443"; a.StatusCode != 200 || !strings.Contains(policy, want) {
		t.Errorf("status %d, policy %q, want %q in it", a.StatusCode, policy, want)
	}
}
