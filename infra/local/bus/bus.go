// Package bus is EventBridge in process: PutEvents over HTTP, as the SDK speaks it, and the
// rules of the wiring, which put events on queues in the envelope that the cloud's have.
//
// It differs from EventBridge in these ways. A request is answered when its events are on their
// queues, in the order in which they came and once each. A request must be signed,
// but the signature is not checked. An event that a queue rejects is logged and lost.
package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"

	"merve/infra/wiring"
	"merve/internal/base/telemetry"
)

// Options say how the buses work.
type Options struct {
	Buses map[string]string                                       // real names, and the names in the wiring
	Rules []wiring.Rule                                           // of these buses
	Send  func(ctx context.Context, queue, envelope string) error // puts on a queue, by its name in the wiring

	Refuse func(detailType string) (code string) // turns entries away, for tests; nil takes all
	Now    func() time.Time                      // the system's clock when nil
	NewID  func() string                         // random when nil
	Log    *slog.Logger                          // slog's default when nil
}

// Server answers PutEvents. Safe for concurrent use.
type Server struct{ o Options }

// New returns the buses.
func New(o Options) *Server {
	if o.Refuse == nil {
		o.Refuse = func(string) string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = telemetry.NewTraceID
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Server{o}
}

// EventBridge's bounds of one request.
const (
	maxEntries = 10
	maxBytes   = 256 << 10
	maxBody    = 4 << 20 // of a body, where every character of the entries may be escaped
)

// entry is one event of a request.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html
type entry struct {
	EventBusName string
	Source       string
	DetailType   string
	Detail       string
	Resources    []string
	Time         *float64 // seconds since 1970
}

// answer is the result of one entry.
type answer struct {
	EventID      string `json:"EventId,omitempty"`
	ErrorCode    string `json:",omitempty"`
	ErrorMessage string `json:",omitempty"`
}

// envelope is an event as targets get it.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
type envelope struct {
	Version    string          `json:"version"`
	ID         string          `json:"id"`
	DetailType string          `json:"detail-type"`
	Source     string          `json:"source"`
	Account    string          `json:"account"`
	Time       string          `json:"time"`
	Region     string          `json:"region"`
	Resources  []string        `json:"resources"`
	Detail     json.RawMessage `json:"detail"`
}

// refused is a request that is wrong as a whole.
type refused struct {
	Type    string `json:"__type"`
	Message string `json:"message"`
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entries, wrong := read(r)
	if wrong != nil {
		write(w, http.StatusBadRequest, wrong)
		return
	}
	var out struct {
		FailedEntryCount int
		Entries          []answer
	}
	for _, e := range entries {
		a := s.take(r.Context(), e)
		if a.ErrorCode != "" {
			out.FailedEntryCount++
		}
		out.Entries = append(out.Entries, a)
	}
	write(w, http.StatusOK, out)
}

const contentType = "application/x-amz-json-1.1"

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a reader that has gone cannot be told
}

// read returns the entries of a request, or the reason to refuse it.
func read(r *http.Request) ([]entry, *refused) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/":
		return nil, &refused{"UnknownOperationException", "want POST /"}
	case r.Header.Get("X-Amz-Target") != "AWSEvents.PutEvents":
		return nil, &refused{"UnknownOperationException", "want AWSEvents.PutEvents"}
	case r.Header.Get("Content-Type") != contentType:
		return nil, &refused{"SerializationException", "want " + contentType}
	case !strings.Contains(r.Header.Get("Authorization"), "/events/aws4_request"):
		return nil, &refused{"MissingAuthenticationTokenException", "the request is not signed for events"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	var in struct{ Entries []entry }
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	size := 0
	for _, e := range in.Entries {
		size += e.size()
	}
	switch {
	case err != nil:
		return nil, &refused{"SerializationException", err.Error()}
	case len(in.Entries) < 1 || len(in.Entries) > maxEntries:
		return nil, &refused{"ValidationException", fmt.Sprintf("%d entries, want 1 to %d", len(in.Entries), maxEntries)}
	case size > maxBytes:
		return nil, &refused{"ValidationException", "Total size of the entries in the request is over the limit."}
	}
	return in.Entries, nil
}

// size is how many bytes e counts for in a request.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html
func (e entry) size() int {
	n := len(e.Source) + len(e.DetailType) + len(e.Detail)
	for _, r := range e.Resources {
		n += len(r)
	}
	if e.Time != nil {
		n += 14
	}
	return n
}

// take gives an entry to the rules of its bus, unless something is wrong with it.
func (s *Server) take(ctx context.Context, e entry) answer {
	bus, ok := s.o.Buses[e.EventBusName]
	if !ok {
		return answer{ErrorCode: "ResourceNotFoundException", ErrorMessage: "there is no bus " + e.EventBusName}
	}
	if a := e.check(); a.ErrorCode != "" {
		return a
	}
	if code := s.o.Refuse(e.DetailType); code != "" {
		return answer{ErrorCode: code, ErrorMessage: "as the test wants it"}
	}
	id := s.o.NewID()
	event, err := json.Marshal(s.envelope(id, e))
	if err != nil {
		return answer{ErrorCode: "InternalFailure", ErrorMessage: err.Error()}
	}
	for _, rule := range s.o.Rules {
		if rule.Bus != bus || !rule.Takes(e.DetailType, e.tool()) {
			continue
		}
		if err := s.o.Send(ctx, rule.Queue, string(event)); err != nil {
			s.o.Log.ErrorContext(ctx, "event lost", "bus", bus, "rule", rule.Name, "queue", rule.Queue, "error", err.Error())
		}
	}
	return answer{EventID: id}
}

// check returns the fault of an entry, in EventBridge's words.
func (e entry) check() answer {
	for name, value := range map[string]string{"Source": e.Source, "DetailType": e.DetailType, "Detail": e.Detail} {
		if value == "" {
			return answer{ErrorCode: "InvalidArgument", ErrorMessage: name + " is a required argument."}
		}
	}
	switch {
	case !json.Valid([]byte(e.Detail)) || !strings.HasPrefix(strings.TrimSpace(e.Detail), "{"):
		return answer{ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed."}
	case strings.HasPrefix(e.Source, "aws."):
		return answer{ErrorCode: "NotAuthorizedForSourceException", ErrorMessage: "Not authorized for the source."}
	}
	return answer{}
}

// tool is the name in detail.payload.toolName, which rules may choose by.
func (e entry) tool() string {
	var detail struct {
		Payload struct {
			ToolName any `json:"toolName"`
		} `json:"payload"`
	}
	if json.Unmarshal([]byte(e.Detail), &detail) != nil {
		return "" // a payload of another form has none
	}
	name, _ := detail.Payload.ToolName.(string)
	return name
}

func (s *Server) envelope(id string, e entry) envelope {
	at := s.o.Now()
	if e.Time != nil {
		whole, part := math.Modf(*e.Time)
		at = time.Unix(int64(whole), int64(part*1e9))
	}
	if e.Resources == nil {
		e.Resources = []string{}
	}
	return envelope{
		Version: "0", ID: id, DetailType: e.DetailType, Source: e.Source, Account: "000000000000",
		Time: at.UTC().Format(time.RFC3339), Region: "us-east-1", Resources: e.Resources, Detail: json.RawMessage(e.Detail),
	}
}
