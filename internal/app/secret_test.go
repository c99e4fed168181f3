package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// Keys outlive a secret store that is away, which is asked again soon but not at every call.
func TestSecretsOutliveTheirStore(t *testing.T) {
	t.Parallel()
	away, asked, value := true, 0, "first"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		fmt.Fprintf(w, `{"SecretString":"{\"KEY\":\"%s\"}"}`, value)
	}))
	t.Cleanup(server.Close)
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := &secrets{
		getenv: func(string) string { return "" }, id: "secret", now: func() time.Time { return now }, log: telemetry.NewLogger(t.Output(), 0),
		cfg: aws.Config{
			Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
		},
	}
	if _, err := s.get(t.Context(), "KEY"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without any key: %v", err)
	}
	for _, step := range []struct {
		after time.Duration
		away  bool
		asks  int
		want  string
	}{
		{0, false, 1, "first"},
		{time.Minute, true, 0, "first"},
		{10 * time.Minute, true, 1, "first"},
		{10 * time.Second, false, 0, "first"}, // not at every call
		{time.Minute, true, 1, "first"},
		{time.Minute, false, 1, "second"},
		{time.Minute, false, 0, "second"},
	} {
		now, away, asked = now.Add(step.after), step.away, 0
		got, err := s.get(t.Context(), "KEY")
		if got != step.want || err != nil || asked != step.asks {
			t.Errorf("%+v: %q, %v, asked %d times", step, got, err, asked)
		}
		if step.away {
			value = "second"
		}
	}
}

// A key that was pasted with the line break behind it is the key, wherever it is kept.
func TestField49_SecretsAreTrimmed(t *testing.T) {
	t.Parallel()
	env := map[string]string{"KEY": " test-key-not-real\r\n", "BLANK": " \n", "ADMIN_TOKEN": "token-not-real\n"}
	getenv := func(name string) string { return env[name] }
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := &secrets{getenv: getenv, now: func() time.Time { return now }, kept: map[string]string{"STORED": "test-key-not-real\n"}, until: now.Add(time.Hour)}
	if s.has("BLANK") || !s.has("KEY") {
		t.Error("a blank is a key, or a key is none")
	}
	s.id = "secret"
	for _, name := range []string{"KEY", "STORED"} {
		if got, err := s.get(t.Context(), name); got != "test-key-not-real" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if c, err := FromEnv(getenv); c.AdminToken != "token-not-real" || err != nil {
		t.Errorf("%q, %v", c.AdminToken, err)
	}
}
