package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/internal/base/telemetry"
)

// handler answers every event with what it is.
type handler string

func (h handler) Invoke(context.Context, []byte) ([]byte, error) { return []byte(h), nil }

// Items that failed, and what came of calls of providers, are numbers of the invocation's log, once.
func TestCounted(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[string]int{"/ok": 200, "/key": 401, "/away": 503, "/much": 429, "/wrong": 400}[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	b := NewBase(Process{Getenv: func(string) string { return "" }, Now: time.Now, Log: telemetry.NewLogger(&out, 0)})
	for _, path := range []string{"/ok", "/ok", "/key", "/away", "/much", "/wrong"} {
		resp, err := b.client("twilio").Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	if _, err := b.client("twilio").Get("http://127.0.0.1:1/"); err == nil {
		t.Error("nobody is there")
	}
	for _, answer := range []string{`{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"2"}]}`, `{"batchItemFailures":[]}`, `{"statusCode":200}`} {
		if got, err := (counted{handler(answer), "notify", b.Process}).Invoke(t.Context(), nil); string(got) != answer || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
	got := map[string]float64{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			Function, Provider, Outcome string
			FailedItems, ProviderCalls  float64
			AWS                         struct {
				CloudWatchMetrics []struct{ Dimensions [][]string }
			} `json:"_aws"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.AWS.CloudWatchMetrics) != 1 {
			t.Fatalf("%v: %s", err, line)
		}
		got[m.Function+m.Provider+" "+m.Outcome] += m.FailedItems + m.ProviderCalls
	}
	for what, n := range map[string]float64{"notify ": 2, "twilio ok": 2, "twilio refused": 1, "twilio failed": 2, "twilio limited": 1, "twilio rejected": 1} {
		if got[what] != n {
			t.Errorf("%q: %g, want %g", what, got[what], n)
		}
	}
}
