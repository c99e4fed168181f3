package simulation

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"merve/infra/wiring"
	"merve/internal/app"
	messages "merve/internal/cloud/queue"
)

// Answer is what a function answered to a request; Status 0 is no answer.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// Request sends a request through the gateway to a function.
func (w *World) Request(function, method, target string, header map[string]string, body []byte) Answer {
	w.t.Helper()
	out, err := w.invoke(function, w.request(method, target, header, body))
	if err != nil {
		return Answer{}
	}
	return w.answer(out)
}

// request is the event that a gateway makes of a request.
func (w *World) request(method, target string, header map[string]string, body []byte) []byte {
	w.t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		w.t.Fatal(err)
	}
	lower := map[string]string{"host": "merve.test", "x-forwarded-proto": "https", "x-trace-id": fmt.Sprintf("%032x", len(w.trace)+1)}
	for name, v := range header {
		lower[strings.ToLower(name)] = v
	}
	return w.marshal(events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: u.Path, RawQueryString: u.RawQuery, Headers: lower,
		Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			Stage: "$default", RequestID: "request", DomainName: "merve.test",
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, Path: u.Path, SourceIP: "203.0.113.7"},
		},
	})
}

// answer reads what a function gives a gateway.
func (w *World) answer(out []byte) Answer {
	w.t.Helper()
	var res events.APIGatewayV2HTTPResponse
	err := json.Unmarshal(out, &res)
	if err == nil && res.IsBase64Encoded {
		var b []byte
		b, err = base64.StdEncoding.DecodeString(res.Body)
		res.Body = string(b)
	}
	if err != nil {
		w.t.Errorf("no answer for a gateway: %v: %s", err, out)
	}
	return Answer{Status: res.StatusCode, Header: res.Headers, Body: res.Body}
}

// Webhook sends a form as Twilio does, signed.
func (w *World) Webhook(target string, form url.Values) Answer {
	w.t.Helper()
	return w.Request("whatsapp", http.MethodPost, target, w.signed(target, form), []byte(form.Encode()))
}

// signed are the headers of a form from Twilio.
func (w *World) signed(target string, form url.Values) map[string]string {
	return map[string]string{
		"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8", "X-Twilio-Signature": w.twilio.Sign(publicURL+target, form),
	}
}

func (w *World) marshal(v any) []byte {
	w.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// Tick starts a scheduled function.
func (w *World) Tick(function string) error {
	w.t.Helper()
	_, err := w.invoke(function, w.marshal(map[string]any{
		"version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "time": w.Now().UTC().Truncate(time.Minute).Format(time.RFC3339), "detail": map[string]any{},
	}))
	return err
}

// queue is a queue: messages of a group one after the other, each at least once, equal
// names within five minutes once. A message that fails too often goes away, as into a
// dead-letter queue.
type queue struct {
	w        *World
	function string     // that reads it
	unnamed  bool       // it keeps no order, and its messages have no names
	mu       sync.Mutex // guards what Send does
	messages []*queued
	names    map[string]time.Time
	sent     int
}

type queued struct {
	messages.Message
	id       string
	receives int
	again    bool // delivered, and to be delivered again
	out      bool // being delivered
}

const (
	dedupeFor   = 5 * time.Minute
	maxReceives = 5
)

var errQueue = errors.New("the queue could not be reached")

// Send takes a message.
func (q *queue) Send(ctx context.Context, m messages.Message) error {
	m, err := messages.Prepare(ctx, m, !q.unnamed)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	lost := q.w.o.Faults && !q.w.calm
	if lost && q.w.chance(0.05) {
		return errQueue
	}
	if at, ok := q.names[m.Dedupe]; !ok || q.unnamed || q.w.Now().Sub(at) >= dedupeFor {
		q.names[m.Dedupe] = q.w.Now()
		q.sent++
		q.messages = append(q.messages, &queued{Message: m, id: fmt.Sprintf("message-%d", q.sent)})
	}
	if lost && q.w.chance(0.05) {
		return errQueue // taken all the same
	}
	return nil
}

// Hide does nothing: what failed comes again whenever the town has it come.
func (q *queue) Hide(context.Context, string, time.Duration) error { return nil }

// next picks a message that may go out: the first one of a group that has none out, if it is
// one that is meant.
func (q *queue) next(meant func(*queued) bool) *queued {
	var may []*queued
	groups := map[string]bool{}
	for _, m := range q.messages {
		if m.out {
			groups[m.Group] = true
		}
	}
	for _, m := range q.messages {
		if !groups[m.Group] {
			groups[m.Group] = true
			if meant == nil || meant(m) {
				may = append(may, m)
			}
		}
	}
	if len(may) == 0 {
		return nil
	}
	return oneOf(q.w, may)
}

// forget ends the time for which the messages of a group are hidden.
func (q *queue) forget(group string) {
	for _, m := range q.messages {
		m.out = m.out && m.Group != group
	}
}

// Deliver gives one message to its consumer. It reports whether there was one.
func (q *queue) Deliver() bool { return q.deliver(nil) }

func (q *queue) deliver(meant func(*queued) bool) bool {
	m := q.next(meant)
	if m == nil {
		return false
	}
	m.receives++
	m.out = true
	out, err := q.w.invoke(q.function, q.w.marshal(events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: m.id, Body: m.Body,
		Attributes: map[string]string{
			"MessageGroupId": m.Group, "ApproximateReceiveCount": strconv.Itoa(m.receives), "SentTimestamp": strconv.FormatInt(q.w.Now().UnixMilli(), 10),
		},
	}}}))
	m.out = false
	failed := err != nil || len(failures(q.w, out)) > 0
	q.w.note("%s of %s: failed %v", q.function, q.w.who(m.Group), failed)
	switch {
	case failed && (q.w.calm || m.receives < maxReceives), !failed && !m.again && !q.w.calm && q.w.chance(0.15):
		m.again = !failed
	default:
		q.messages = slices.DeleteFunc(q.messages, func(o *queued) bool { return o == m })
	}
	return true
}

// failures are the items that a function answered as failed.
func failures(w *World, out []byte) []string {
	var a struct {
		BatchItemFailures []struct {
			ItemIdentifier string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		w.t.Fatalf("no answer about a batch: %s", out)
	}
	var ids []string
	for _, f := range a.BatchItemFailures {
		ids = append(ids, f.ItemIdentifier)
	}
	return ids
}

// stream is the changes of a table that a function is told of: those of one partition in
// their order, each at least once.
type stream struct {
	function string
	table    string
	prefix   string // of the sort key
	records  []*record
	seen     int
	lossy    bool // some changes never come: they were given up
}

type record struct {
	partition string
	sequence  int
	event     map[string]any
	again     bool
}

// written tells the streams of the new items of a call that took effect.
func (w *World) written(target string, body []byte) {
	_, op, _ := strings.Cut(target, ".")
	type put struct {
		TableName string
		Item      map[string]json.RawMessage
	}
	var in struct {
		put
		TransactItems []struct{ Put *put }
	}
	if op != "PutItem" && op != "TransactWriteItems" {
		return
	}
	if err := json.Unmarshal(body, &in); err != nil {
		w.t.Errorf("a request that is no JSON: %v", err)
		return
	}
	puts := []put{in.put}
	for _, item := range in.TransactItems {
		if item.Put != nil {
			puts = append(puts, *item.Put)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range puts {
		var id struct{ S string }
		if json.Unmarshal(p.Item["id"], &id) == nil && p.TableName == w.prefix+"records" && !slices.Contains(w.seen, id.S) {
			w.seen = append(w.seen, id.S)
		}
		for _, s := range []*stream{&w.notify, &w.outbox, &w.records, &w.index} {
			if p.TableName == w.prefix+s.table {
				s.add(p.TableName, p.Item)
			}
		}
	}
}

func (s *stream) add(table string, item map[string]json.RawMessage) {
	key := func(name string) string {
		var v struct{ S string }
		if json.Unmarshal(item[name], &v) != nil {
			return ""
		}
		return v.S
	}
	if !strings.HasPrefix(key("sk"), s.prefix) {
		return
	}
	s.seen++
	s.records = append(s.records, &record{partition: key("pk"), sequence: s.seen, event: map[string]any{
		"eventID": strconv.Itoa(s.seen), "eventName": "INSERT", "eventSource": "aws:dynamodb",
		"eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/" + table + "/stream/2026-01-01T00:00:00.000",
		"dynamodb": map[string]any{
			"Keys": map[string]json.RawMessage{"pk": item["pk"], "sk": item["sk"]}, "NewImage": item,
			"SequenceNumber": strconv.Itoa(s.seen), "StreamViewType": "NEW_AND_OLD_IMAGES",
		},
	}})
}

// Flow delivers a batch of a stream: changes of some partitions, in each in order. What a
// function says failed comes again, with all behind it; what it did not may come again.
func (w *World) Flow(s *stream) bool {
	w.t.Helper()
	w.mu.Lock()
	var batch []*record
	for _, r := range s.records {
		// Partitions overtake each other; the changes of one do not.
		if held := slices.ContainsFunc(s.records, func(o *record) bool {
			return o.partition == r.partition && o.sequence < r.sequence && !slices.Contains(batch, o)
		}); !held && len(batch) < 10 && (w.calm || w.rand.Float64() < 0.6) {
			batch = append(batch, r)
		}
	}
	for _, r := range batch {
		s.records = slices.DeleteFunc(s.records, func(o *record) bool { return o == r })
	}
	w.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	if s.lossy && !w.calm && w.chance(0.1) {
		w.note("%s is never told of %d changes", s.function, len(batch))
		return true
	}
	var list []any
	for _, r := range batch {
		list = append(list, r.event)
	}
	out, err := w.invoke(s.function, w.marshal(map[string]any{"Records": list}))
	from := len(batch)
	if err != nil {
		from = 0
	} else if failed := failures(w, out); len(failed) > 0 {
		from = slices.IndexFunc(batch, func(r *record) bool { return strconv.Itoa(r.sequence) == failed[0] })
	}
	w.note("%s: %d changes, failed from %d", s.function, len(batch), from)
	again := batch[from:]
	for _, r := range batch[:from] {
		if !r.again && !w.calm && w.chance(0.2) {
			r.again = true
			again = append(again, r)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.records = append(s.records, again...)
	slices.SortStableFunc(s.records, func(a, b *record) int { return a.sequence - b.sequence })
	return true
}

// replay reads a request's body and puts it back.
func replay(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// aside calls a function in a process of its own, in parallel with everything else, for races
// that the steps of a run cannot make. It knows no faults.
func (w *World) aside(function string, event []byte) []byte {
	h, err := app.Constructors(wiring.Elsewhere())[function](w.healthy)
	var out []byte
	if err == nil {
		out, err = h.Invoke(w.t.Context(), event)
	}
	if err != nil {
		w.t.Errorf("%s: %v", function, err)
	}
	return out
}
