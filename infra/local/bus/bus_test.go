package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/bus"
	"merve/infra/wiring"
)

var quiet = slog.New(slog.DiscardHandler)

// server has one bus, whose events of type T are sent by send.
func server(send func(queue, envelope string) error) http.Handler {
	return bus.New(bus.Options{
		Buses: map[string]string{"real": "wired"},
		Rules: []wiring.Rule{{Name: "r", Bus: "wired", Types: []string{"T"}, Queue: "q"}},
		Send:  func(_ context.Context, queue, envelope string) error { return send(queue, envelope) },
		Now:   func() time.Time { return time.Date(2026, 11, 26, 10, 0, 0, 999, time.UTC) }, NewID: func() string { return "id-1" }, Log: quiet,
	})
}

// put asks h as the SDK does, but for what change changes.
func put(h http.Handler, body string, change func(*http.Request)) (status int, answer string) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "AWSEvents.PutEvents")
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x/20261126/us-east-1/events/aws4_request, SignedHeaders=host, Signature=0")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

const good = `{"EventBusName":"real","Source":"s","DetailType":"T","Detail":"{\"a\": 1}"}`

// What comes to the queue is the envelope of the cloud, byte for byte.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	var got []string
	h := server(func(queue, envelope string) error { got = append(got, queue+" "+envelope); return nil })
	timed := `{"EventBusName":"real","Source":"s","DetailType":"T","Detail":"{}","Time":1795687200.5,"Resources":["trace/1"]}`
	status, answer := put(h, `{"Entries":[`+good+`,`+timed+`]}`, nil)
	if status != 200 || answer != `{"FailedEntryCount":0,"Entries":[{"EventId":"id-1"},{"EventId":"id-1"}]}` {
		t.Errorf("%d %s", status, answer)
	}
	const start = `q {"version":"0","id":"id-1","detail-type":"T","source":"s","account":"000000000000",` +
		`"time":"2026-11-26T10:00:00Z","region":"us-east-1",`
	want := []string{start + `"resources":[],"detail":{"a":1}}`, start + `"resources":["trace/1"],"detail":{}}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What EventBridge refuses as a whole is refused as a whole.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	big := fmt.Sprintf(`{"EventBusName":"real","Source":"s","DetailType":"T","Detail":"{\"a\":\"%s\"}"}`, strings.Repeat("x", 130<<10))
	for _, tt := range []struct {
		name, body string
		change     func(*http.Request)
		want       string
	}{
		{"another operation", `{"Entries":[` + good + `]}`, header("X-Amz-Target", "AWSEvents.PutRule"), "UnknownOperationException"},
		{"another method", ``, func(r *http.Request) { r.Method = http.MethodGet }, "UnknownOperationException"},
		{"another protocol", `{"Entries":[` + good + `]}`, header("Content-Type", "application/json"), "SerializationException"},
		{"not signed", `{"Entries":[` + good + `]}`, header("Authorization", ""), "MissingAuthenticationTokenException"},
		{"signed for another service", `{"Entries":[` + good + `]}`, header("Authorization", "x/sqs/aws4_request"),
			"MissingAuthenticationTokenException"},
		{"no JSON", `{`, nil, "SerializationException"},
		{"no entries", `{}`, nil, "ValidationException"},
		{"eleven entries", `{"Entries":[` + strings.Repeat(good+",", 10) + good + `]}`, nil, "ValidationException"},
		{"too big", `{"Entries":[` + big + `,` + big + `]}`, nil, "ValidationException"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := server(func(string, string) error { t.Error("an event arrived"); return nil })
			status, answer := put(h, tt.body, tt.change)
			var got struct {
				Type string `json:"__type"`
			}
			if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 400 || got.Type != tt.want {
				t.Errorf("%d %s, %v; want %s", status, answer, err, tt.want)
			}
		})
	}
}

// An entry that is wrong is named, and keeps no other from its queue.
func TestRefusedEntries(t *testing.T) {
	t.Parallel()
	for wrong, want := range map[string]string{
		`{"EventBusName":"none","Source":"s","DetailType":"T","Detail":"{}"}`:      "ResourceNotFoundException",
		`{"EventBusName":"real","DetailType":"T","Detail":"{}"}`:                   "InvalidArgument",
		`{"EventBusName":"real","Source":"s","Detail":"{}"}`:                       "InvalidArgument",
		`{"EventBusName":"real","Source":"s","DetailType":"T"}`:                    "InvalidArgument",
		`{"EventBusName":"real","Source":"s","DetailType":"T","Detail":"{"}`:       "MalformedDetail",
		`{"EventBusName":"real","Source":"s","DetailType":"T","Detail":"[]"}`:      "MalformedDetail",
		`{"EventBusName":"real","Source":"aws.s3","DetailType":"T","Detail":"{}"}`: "NotAuthorizedForSourceException",
	} {
		arrived := 0
		h := server(func(string, string) error { arrived++; return nil })
		status, answer := put(h, `{"Entries":[`+wrong+`,`+good+`]}`, nil)
		var got struct {
			FailedEntryCount int
			Entries          []struct{ EventId, ErrorCode string }
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 {
			t.Fatal(status, answer, err)
		}
		if got.FailedEntryCount != 1 || len(got.Entries) != 2 || got.Entries[0].ErrorCode != want ||
			got.Entries[1].EventId == "" || arrived != 1 {
			t.Errorf("%s: %+v, %d arrived; want %s", wrong, got, arrived, want)
		}
	}
}

// A queue that does not take an event is told on the log; whoever put it is not kept waiting.
func TestLostEvent(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := bus.New(bus.Options{
		Buses: map[string]string{"real": "wired"}, Rules: []wiring.Rule{{Name: "r", Bus: "wired", Types: []string{"T"}, Queue: "q"}},
		Send: func(context.Context, string, string) error { return errors.New("closed") },
		Log:  slog.New(slog.NewTextHandler(io.Writer(&log), nil)),
	})
	status, answer := put(h, `{"Entries":[`+good+`]}`, nil)
	if status != 200 || !strings.Contains(answer, `"FailedEntryCount":0`) || !strings.Contains(log.String(), "event lost") {
		t.Errorf("%d %s, log %s", status, answer, &log)
	}
}
