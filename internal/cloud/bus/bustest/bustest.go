// Package bustest holds what every [bus.Bus] must do, and gives tests an EventBridge of
// their own.
package bustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	localbus "merve/infra/local/bus"
	"merve/infra/wiring"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
)

// Name is the bus of [Rules].
const Name = "events"

// Rules take what the suite puts: Letter goes to the queue letters, Command by its tool to
// the queue math or to none.
func Rules() []wiring.Rule {
	return []wiring.Rule{
		{Name: "letters", Bus: Name, Types: []string{"Letter"}, Queue: "letters"},
		{Name: "math", Bus: Name, Types: []string{"Command"}, Tools: []string{"math"}, Queue: "math"},
		{Name: "other", Bus: "another", Types: []string{"Letter", "Command"}, Queue: "letters"},
	}
}

// Server is EventBridge over HTTP: it checks what it gets and keeps what the rules put on
// queues.
type Server struct {
	URL string

	mu       sync.Mutex
	queues   map[string][]string
	refusals map[string][]string
}

// Serve starts an EventBridge with the buses and rules given.
func Serve(t testing.TB, rules []wiring.Rule, buses ...string) *Server {
	t.Helper()
	s := &Server{queues: map[string][]string{}, refusals: map[string][]string{}}
	names := map[string]string{}
	for _, b := range buses {
		names[b] = b
	}
	server := httptest.NewServer(localbus.New(localbus.Options{Buses: names, Rules: rules, Send: s.send, Refuse: s.refuse}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Bus is a bus of s, as a function reaches it, without its waits.
func (s *Server) Bus(name string) *bus.EventBridge {
	b := bus.NewEventBridge(Config(s.URL), name)
	b.Backoff = func(int) time.Duration { return 0 }
	return b
}

// Config leads to the EventBridge at url. Any credentials will do.
func Config(url string) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &url,
		Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
	}
}

func (s *Server) send(_ context.Context, queue, envelope string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues[queue] = append(s.queues[queue], envelope)
	return nil
}

func (s *Server) refuse(detailType string) (code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := s.refusals[detailType]; len(left) > 0 {
		code, s.refusals[detailType] = left[0], left[1:]
	}
	return code
}

// Refuse has the next entries of a detail type turned away, each with the next code.
func (s *Server) Refuse(detailType string, codes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[detailType] = append(s.refusals[detailType], codes...)
}

// On lists what is on a queue, the oldest first.
func (s *Server) On(queue string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queues[queue])
}

// Fixture is a bus with [Rules], and its surroundings.
type Fixture struct {
	Bus bus.Bus

	// On waits for n messages on a queue and returns their bodies in any order, those of an
	// earlier call too.
	On func(t *testing.T, queue string, n int) []string

	// Refuse has the next entries of a detail type turned away; nil if the server cannot.
	Refuse func(detailType string, codes ...string)
}

// Run checks buses. Each test gets a new one.
func Run(t *testing.T, newBus func(*testing.T) Fixture) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, Fixture)
	}{
		{"event arrives whole", testEvent},
		{"envelope", testEnvelope},
		{"time of the put", testNow},
		{"rules choose", testRules},
		{"more than one request holds", testMany},
		{"wrong events", testWrong},
		{"turned away for a while", testAgain},
		{"turned away for good", testRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test(t, newBus(t))
		})
	}
}

var at = time.Date(2026, 11, 26, 10, 30, 15, 0, time.UTC)

func letter(text string) bus.Event {
	return bus.Event{Source: "merve.test", Type: "Letter", Detail: json.RawMessage(fmt.Sprintf(`{"text":%q}`, text)), At: at}
}

func command(tool string) bus.Event {
	return bus.Event{Source: "merve.test", Type: "Command", Detail: json.RawMessage(fmt.Sprintf(`{"payload":{"toolName":%q}}`, tool)), At: at}
}

// texts are those of the letters on a queue, sorted.
func texts(t *testing.T, bodies []string) (all []string) {
	t.Helper()
	for _, b := range bodies {
		e, err := bus.Read(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		var detail struct{ Text string }
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			t.Fatal(err)
		}
		all = append(all, detail.Text)
	}
	slices.Sort(all)
	return all
}

func wantTexts(t *testing.T, f Fixture, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(t, f.On(t, "letters", len(want)))); diff != "" {
		t.Errorf("letters (-want +got):\n%s", diff)
	}
}

func testEvent(t *testing.T, f Fixture) {
	sent := letter("çay <&> ☕ \"\u2028\n")
	if err := f.Bus.Put(telemetry.WithTrace(t.Context(), "trace-1"), sent); err != nil {
		t.Fatal(err)
	}
	got, err := bus.Read(f.On(t, "letters", 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, f, "çay <&> ☕ \"\u2028\n")
	got.Detail, sent.Detail, sent.Trace = nil, nil, "trace-1"
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
}

// The envelope has the cloud's format on either bus, because consumers outside read it without our code.
func testEnvelope(t *testing.T, f Fixture) {
	if err := f.Bus.Put(t.Context(), letter("one"), letter("two")); err != nil {
		t.Fatal(err)
	}
	ids := map[any]bool{}
	for _, body := range f.On(t, "letters", 2) {
		var got map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		ids[got["id"]] = true
		for _, name := range []string{"account", "region"} {
			if s, _ := got[name].(string); s == "" {
				t.Errorf("%s is %v", name, got[name])
			}
		}
		for _, name := range []string{"id", "account", "region", "detail"} {
			delete(got, name)
		}
		want := map[string]any{
			"version": "0", "detail-type": "Letter", "source": "merve.test", "time": "2026-11-26T10:30:15Z", "resources": []any{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if len(ids) != 2 || ids[nil] || ids[""] {
		t.Errorf("ids %v, want one of its own for each", ids)
	}
}

func testNow(t *testing.T, f Fixture) {
	e := letter("now")
	e.At = time.Time{}
	if err := f.Bus.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got, err := bus.Read(f.On(t, "letters", 1)[0])
	if err != nil || got.At.Year() < 2000 {
		t.Errorf("at %v, %v", got.At, err)
	}
}

func testRules(t *testing.T, f Fixture) {
	nothing := bus.Event{Source: "merve.test", Type: "Nothing", Detail: json.RawMessage(`{}`)}
	if err := f.Bus.Put(t.Context(), command("math"), command("weather"), letter("one"), command(""), nothing, command("math")); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, f, "one")
	for _, body := range f.On(t, "math", 2) {
		if e, err := bus.Read(body); err != nil || e.Type != "Command" || !strings.Contains(string(e.Detail), "math") {
			t.Errorf("on the queue of math: %s, %v", body, err)
		}
	}
}

func testMany(t *testing.T, f Fixture) {
	var events []bus.Event
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprintf("%02d", i))
		events = append(events, letter(want[i]))
	}
	big := "big " + strings.Repeat("x", 200<<10) // two of them are too much for one request
	events, want = append(events, letter(big), letter(big)), append(want, big, big)
	if err := f.Bus.Put(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, f, want...)
	if err := f.Bus.Put(t.Context()); err != nil {
		t.Errorf("no events: %v", err)
	}
}

// wantFailed wants an error that names the events of these indexes.
func wantFailed(t *testing.T, err error, want ...int) []bus.Failure {
	t.Helper()
	var e *bus.PutError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error that names events", err)
	}
	var got []int
	for _, f := range e.Failed {
		got = append(got, f.Index)
		if !strings.Contains(err.Error(), fmt.Sprintf("event %d (%s)", f.Index, f.Type)) {
			t.Errorf("%v: does not name event %d", err, f.Index)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	return e.Failed
}

func testWrong(t *testing.T, f Fixture) {
	for field, change := range map[string]func(*bus.Event){
		"source":   func(e *bus.Event) { e.Source = "" },
		"source ":  func(e *bus.Event) { e.Source = "aws.s3" },
		"source  ": func(e *bus.Event) { e.Source = strings.Repeat("s", 257) },
		"type":     func(e *bus.Event) { e.Type = "" },
		"type ":    func(e *bus.Event) { e.Type = strings.Repeat("t", 129) },
		"detail":   func(e *bus.Event) { e.Detail = nil },
		"detail ":  func(e *bus.Event) { e.Detail = json.RawMessage(`{"a":`) },
		"detail  ": func(e *bus.Event) { e.Detail = json.RawMessage(`[]`) },
		"detail   ": func(e *bus.Event) {
			e.Detail = json.RawMessage("{\"a\":\"\xff\"}")
		},
	} {
		wrong := letter("wrong")
		change(&wrong)
		failed := wantFailed(t, f.Bus.Put(t.Context(), wrong), 0)
		if _, got := fault.Public(failed[0].Err); !fault.Is(failed[0].Err, fault.Invalid) || got != strings.TrimSpace(field) {
			t.Errorf("%s: got %v", field, failed[0].Err)
		}
	}
	big := letter(strings.Repeat("b", 256<<10))
	err := f.Bus.Put(t.Context(), letter("before"), big, letter("after"))
	wantFailed(t, err, 1)
	if !fault.Is(err, fault.TooLarge) || fault.Retryable(err) {
		t.Errorf("an event of more than 256 KiB: got %v", err)
	}
	wantTexts(t, f, "after", "before") // what is wrong keeps nothing else from the bus
}

// What is turned away is put again, and what is on the bus is not.
func testAgain(t *testing.T, f Fixture) {
	if f.Refuse == nil {
		t.Skip("LEFT OUT: this server turns nothing away")
	}
	f.Refuse("Command", "ThrottlingException", "InternalFailure", "SomethingNew")
	if err := f.Bus.Put(t.Context(), letter("one"), command("math"), letter("two")); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, f, "one", "two")
	if got := f.On(t, "math", 1); len(got) != 1 {
		t.Errorf("the command came %d times", len(got))
	}
}

func testRefused(t *testing.T, f Fixture) {
	if f.Refuse == nil {
		t.Skip("LEFT OUT: this server turns nothing away")
	}
	f.Refuse("Command", slices.Repeat([]string{"ThrottlingException"}, 100)...)
	err := f.Bus.Put(t.Context(), letter("one"), command("math"), letter("two"))
	wantFailed(t, err, 1)
	if !fault.Retryable(err) || !strings.Contains(err.Error(), "ThrottlingException") {
		t.Errorf("throttled all the time: got %v", err)
	}
	f.Refuse("Letter", "MalformedDetail")
	err = f.Bus.Put(t.Context(), letter("three"), letter("four"))
	wantFailed(t, err, 0)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("malformed: got %v", err)
	}
	f.Refuse("Letter", "MalformedDetail")
	err = f.Bus.Put(t.Context(), letter("five"), command("math"))
	wantFailed(t, err, 0, 1)
	if !fault.Retryable(err) {
		t.Errorf("one of two may be mended by another try: got %v", err)
	}
	wantTexts(t, f, "four", "one", "two")
}
