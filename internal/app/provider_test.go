package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/internal/app"
	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/spine/outbox"
)

// bare is a Merve that has nothing but what the environment says.
func bare(t *testing.T, c app.Config, env map[string]string) *app.Base {
	t.Helper()
	return app.NewBase(app.Process{
		Config: c, AWS: aws.Config{Region: "us-east-1", HTTPClient: noNetwork{t}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")},
		Getenv: func(name string) string { return env[name] }, Now: time.Now, Log: telemetry.NewLogger(t.Output(), 0),
	})
}

// Twilio's key goes with what is asked of our own account's messages, and with nothing else: who
// writes to us chooses the addresses that we fetch photos from.
func TestTwiliosKeyIsForItsPhotos(t *testing.T) {
	t.Parallel()
	const sid = "AC00000000000001"
	b := bare(t, app.Config{TwilioAccountSID: sid, TwilioBaseURL: "https://api.twilio.com"}, map[string]string{"TWILIO_AUTH_TOKEN": "test-token-not-real"})
	for path, want := range map[string]bool{
		"/2010-04-01/Accounts/" + sid + "/Messages/MM1/Media/ME1":           true,
		"/2010-04-01/Accounts/AC00000000000002/Messages/MM1/Media/ME1":      false,
		"/2010-04-01/Accounts/" + sid + "/Messages.json":                    false,
		"/2010-04-01/Accounts/" + sid + "/IncomingPhoneNumbers":             false,
		"/elsewhere/2010-04-01/Accounts/" + sid + "/Messages/MM1/Media/ME1": false,
		"/": false,
	} {
		r := httptest.NewRequest("GET", "https://api.twilio.com"+path, nil)
		app.AsTwilioWants(b, r)
		if user, token, ok := r.BasicAuth(); ok != want || ok && (user != sid || token != "test-token-not-real") {
			t.Errorf("%s: %v, %s", path, ok, user)
		}
	}
}

// A channel without an account has no provider, and what is to go out on it is given up at once.
func TestChannelsWithoutAnAccount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config              app.Config
		env                 map[string]string
		whatsApp, messenger bool
	}{
		"nothing":           {},
		"Twilio":            {config: app.Config{TwilioAccountSID: "AC0"}, env: map[string]string{"TWILIO_AUTH_TOKEN": "test-token-not-real"}, whatsApp: true},
		"no token":          {config: app.Config{TwilioAccountSID: "AC0"}},
		"Twilio's in there": {config: app.Config{TwilioAccountSID: "AC0", SecretID: "secret"}, whatsApp: true, messenger: true},
		"Meta":              {env: map[string]string{"META_PAGE_ACCESS_TOKEN": "test-token-not-real"}, messenger: true},
		"Meta, other names": {env: map[string]string{"FB_PAGE_ACCESS_TOKEN": "test-token-not-real"}, messenger: true},
		"a secret, with it": {config: app.Config{SecretID: "secret"}, messenger: true},
	} {
		b := bare(t, tt.config, tt.env)
		if got := app.WhatsAppProvider(b); (got != nil) != tt.whatsApp {
			t.Errorf("%s: for WhatsApp %v", name, got)
		}
		if got := app.MessengerProvider(b); (got != nil) != tt.messenger {
			t.Errorf("%s: for Messenger %v", name, got)
		}
	}
}

// secretStore is Secrets Manager with one secret, whose keys may change.
func secretStore(t *testing.T, kept map[string]string) aws.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(kept)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		fmt.Fprintf(w, `{"SecretString":%q}`, text)
	}))
	t.Cleanup(server.Close)
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
	}
}

// A page's token that is in no secret is missing for good: nothing is asked of Meta, and it is not
// tried again.
func TestMessengerWithoutAToken(t *testing.T) {
	t.Parallel()
	b := bare(t, app.Config{SecretID: "secret", MetaBaseURL: "http://127.0.0.1:1"}, nil)
	b.AWS = secretStore(t, map[string]string{"META_APP_SECRET": "test-secret-not-real"})
	_, err := app.MessengerProvider(app.NewBase(*b.Process)).Send(t.Context(), outbox.Message{To: "1", Text: "hi"})
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Outcome != outbox.Permanent || !strings.Contains(failed.Reason, "META_PAGE_ACCESS_TOKEN") {
		t.Errorf("%v", err)
	}
}

// While the secret store is away nobody knows the page's token: what goes out on Messenger is tried
// again later, and not given up.
func TestMessengerWhileTheSecretStoreIsAway(t *testing.T) {
	t.Parallel()
	b := bare(t, app.Config{SecretID: "secret", MetaBaseURL: "http://127.0.0.1:1"}, nil)
	b.AWS = secretStore(t, nil)
	b.AWS.BaseEndpoint = aws.String("http://127.0.0.1:1")
	_, err := app.MessengerProvider(app.NewBase(*b.Process)).Send(t.Context(), outbox.Message{To: "1", Text: "hi"})
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Outcome != outbox.Retry {
		t.Errorf("%v", err)
	}
}

// Without a key the model is not asked, which no patience mends. A key that is changed in the secret
// is the one that is asked with, as soon as the secret is read anew.
func TestModelsKey(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	secret, clock := map[string]string{}, time.Now()
	b := bare(t, app.Config{OpenAIBaseURL: server.URL, OpenAIModel: "m", SecretID: "secret"}, nil)
	b.AWS, b.Now = secretStore(t, secret), func() time.Time { return clock }
	m := app.Model(app.NewBase(*b.Process))
	complete := func() error {
		_, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hi"}}})
		return err
	}
	if err := complete(); llm.MeaningOf(err) != llm.Refused || !strings.Contains(err.Error(), "OPENAI_API_KEY") || len(keys) != 0 {
		t.Errorf("without a key: %v, asked with %v", err, keys)
	}
	for _, key := range []string{"test-key-not-real", "test-other-not-real"} {
		secret["OPENAI_API_KEY"] = key
		for _, later := range []time.Duration{0, 5*time.Minute + time.Second} {
			clock = clock.Add(later)
			if err := complete(); llm.MeaningOf(err) != llm.Refused {
				t.Errorf("%v", err)
			}
		}
	}
	want := []string{"Bearer test-key-not-real", "Bearer test-key-not-real", "Bearer test-other-not-real"}
	if !slices.Equal(keys, want) {
		t.Errorf("asked with %v, want %v", keys, want)
	}
}

// unreachable is a network on which nobody answers.
type unreachable struct{}

func (unreachable) Do(*http.Request) (*http.Response, error) { return nil, http.ErrHandlerTimeout }

// The health check says which parts are on, and why others are not.
func TestHealth(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config app.Config
		env    map[string]string
		on     []string
	}{
		"nothing":  {},
		"no token": {config: app.Config{TwilioAccountSID: "AC0"}},
		"all": {
			config: app.Config{TwilioAccountSID: "AC0", AuthIssuer: "https://issuer.example", AuthAudience: "a"},
			env:    map[string]string{"STRIPE_SECRET_KEY": "test-key-not-real", "TWILIO_AUTH_TOKEN": "test-token-not-real"}, on: []string{"payments", "signIn", "whatsapp"},
		},
		"a secret that cannot be read": {config: app.Config{SecretID: "secret", TwilioAccountSID: "AC0"}},
	} {
		b := app.NewBase(app.Process{
			Config: tt.config, AWS: aws.Config{Region: "us-east-1", HTTPClient: unreachable{}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")},
			Getenv: func(name string) string { return tt.env[name] }, Now: time.Now, Log: telemetry.NewLogger(t.Output(), 0),
		})
		h, err := app.Chat(nil)(b)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Parts map[string]string }
		if err := json.Unmarshal([]byte(page(t, h, "/healthz").Body), &got); err != nil || len(got.Parts) != 4 {
			t.Fatalf("%s: %v: %+v", name, err, got)
		}
		r := page(t, h, "/readyz")
		if r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(r.Body, "store") || strings.Contains(r.Body, "secret") != (tt.config.SecretID != "") {
			t.Errorf("%s: ready: %d %s", name, r.StatusCode, r.Body)
		}
		delete(got.Parts, "model") // of which the store tells
		for part, says := range got.Parts {
			if on := slices.Contains(tt.on, part); (says == "on") != on || !on && !strings.HasPrefix(says, "off: ") {
				t.Errorf("%s: %s is %q", name, part, says)
			}
		}
	}
}
