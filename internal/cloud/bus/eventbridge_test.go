package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/bus/bustest"
)

func TestEventBridgeConformance(t *testing.T) {
	t.Parallel()
	bustest.Run(t, func(t *testing.T) bustest.Fixture {
		s := bustest.Serve(t, bustest.Rules(), bustest.Name, "another")
		return bustest.Fixture{
			Bus: s.Bus(bustest.Name), Refuse: s.Refuse,
			On: func(_ *testing.T, queue string, _ int) []string { return s.On(queue) },
		}
	})
}

func letter(detail string) bus.Event {
	return bus.Event{Source: "merve.test", Type: "Letter", Detail: json.RawMessage(detail)}
}

// request is a PutEvents as it goes over the wire.
type request struct{ Entries []map[string]any }

// scripted answers the requests of a bus one after the other, the last answer again and again, and
// returns them.
func scripted(t *testing.T, answers ...string) (*bus.EventBridge, func() []request) {
	t.Helper()
	var mu sync.Mutex
	var got []request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		target, kind := r.Header.Get("X-Amz-Target"), r.Header.Get("Content-Type")
		if target != "AWSEvents.PutEvents" || kind != "application/x-amz-json-1.1" {
			t.Errorf("operation %q as %q", target, kind)
		}
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		got = append(got, in)
		status, body, _ := strings.Cut(answers[min(len(got), len(answers))-1], " ")
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(map[string]int{"200": 200, "400": 400, "503": 503}[status])
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	b := bus.NewEventBridge(bustest.Config(server.URL), "events")
	b.Backoff = func(int) time.Duration { return 0 }
	return b, func() []request {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

// What goes over the wire, field by field.
func TestRequest(t *testing.T) {
	t.Parallel()
	b, sent := scripted(t, `200 {"FailedEntryCount":0,"Entries":[{"EventId":"1"},{"EventId":"2"}]}`)
	whole := letter(`{"a":1}`)
	whole.At, whole.Trace = time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC), "its-own"
	if err := b.Put(telemetry.WithTrace(t.Context(), "trace-1"), whole, letter(`{}`)); err != nil {
		t.Fatal(err)
	}
	want := []request{{Entries: []map[string]any{
		{
			"EventBusName": "events", "Source": "merve.test", "DetailType": "Letter", "Detail": `{"a":1}`,
			"Time": 1795687200.0, "Resources": []any{"trace/its-own"},
		},
		{"EventBusName": "events", "Source": "merve.test", "DetailType": "Letter", "Detail": `{}`, "Resources": []any{"trace/trace-1"}},
	}}}
	if diff := cmp.Diff(want, sent()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only what was turned away is put again, and no request has more than it may.
func TestPutsAgainByEntry(t *testing.T) {
	t.Parallel()
	b, sent := scripted(t,
		`200 {"FailedEntryCount":2,"Entries":[{"EventId":"1"},{"ErrorCode":"ThrottlingException"},{"ErrorCode":"InternalFailure"}]}`,
		`200 {"FailedEntryCount":1,"Entries":[{"ErrorCode":"InternalFailure"},{"EventId":"3"}]}`,
		`200 {"FailedEntryCount":0,"Entries":[{"EventId":"2"}]}`,
	)
	if err := b.Put(t.Context(), letter(`{"n":1}`), letter(`{"n":2}`), letter(`{"n":3}`)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range sent() {
		var details []string
		for _, e := range r.Entries {
			details = append(details, e["Detail"].(string))
		}
		got = append(got, strings.Join(details, " "))
	}
	if diff := cmp.Diff([]string{`{"n":1} {"n":2} {"n":3}`, `{"n":2} {"n":3}`, `{"n":2}`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A bus that turns something away for ever is asked five times.
func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	b, sent := scripted(t, `200 {"FailedEntryCount":1,"Entries":[{"ErrorCode":"ThrottlingException"}]}`)
	var waits []int
	b.Backoff = func(n int) time.Duration { waits = append(waits, n); return 0 }
	ctx, meter := telemetry.WithMeter(t.Context())
	if err := b.Put(ctx, letter(`{}`)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	if n := len(sent()); n != 5 || meter.Cost().Puts != 5 || meter.Cost().Requests != 0 || !slices.Equal(waits, []int{1, 2, 3, 4}) {
		t.Errorf("%d requests, %+v counted, waits %v", n, meter.Cost(), waits)
	}
	if meter.Cost().Time["bus"] <= 0 {
		t.Error("the time is not counted")
	}
}

// What is refused for good is asked about once.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]fault.Kind{"MalformedDetail": fault.Invalid, "AccessDeniedException": fault.Internal} {
		b, sent := scripted(t, `200 {"FailedEntryCount":1,"Entries":[{"ErrorCode":"`+code+`"}]}`)
		if err := b.Put(t.Context(), letter(`{}`)); !fault.Is(err, want) || !strings.Contains(err.Error(), code) {
			t.Errorf("%s: got %v", code, err)
		}
		if n := len(sent()); n != 1 {
			t.Errorf("%s: %d requests", code, n)
		}
	}
}

// A bus that is away, answers nonsense or refuses the whole request leaves every event to be put
// again, and says so.
func TestAway(t *testing.T) {
	t.Parallel()
	for answer, requests := range map[string]int{
		`503 {}`: 5,
		`400 {"__type":"ValidationException","message":"no"}`: 1,
		`200 {"FailedEntryCount":0,"Entries":[]}`:             1,
	} {
		b, sent := scripted(t, answer)
		err := b.Put(t.Context(), letter(`{}`), letter(`{}`))
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: got %v", answer, err)
		}
		for _, named := range []string{"event 0 (Letter)", "event 1 (Letter)"} {
			if !strings.Contains(err.Error(), named) {
				t.Errorf("%s: %v does not name %s", answer, err, named)
			}
		}
		if n := len(sent()); n != requests {
			t.Errorf("%s: %d requests, want %d", answer, n, requests)
		}
	}
}

// Who has no time left waits for nothing, and learns what is not on the bus.
func TestNoTimeLeft(t *testing.T) {
	t.Parallel()
	b, sent := scripted(t, `200 {"FailedEntryCount":1,"Entries":[{"EventId":"1"},{"ErrorCode":"ThrottlingException"}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	b.Backoff = func(int) time.Duration { cancel(); return time.Hour }
	err := b.Put(ctx, letter(`{}`), letter(`{}`))
	if !fault.Is(err, fault.Unavailable) || !strings.HasPrefix(err.Error(), "bus: 1 events were not put: event 1") || len(sent()) != 1 {
		t.Errorf("got %v after %d requests", err, len(sent()))
	}
}

// The waits between tries grow and are bounded.
func TestBackoff(t *testing.T) {
	t.Parallel()
	b := bus.NewEventBridge(bustest.Config("http://127.0.0.1:1"), "events")
	for n := range 20 {
		for range 100 {
			if d := b.Backoff(n + 1); d <= 0 || d > time.Second+time.Millisecond || n == 0 && d > 101*time.Millisecond {
				t.Fatalf("after try %d: %v", n+1, d)
			}
		}
	}
}
