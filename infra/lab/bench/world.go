package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/oklog/ulid/v2"

	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/pause"
	"merve/internal/cloud/dynamo"
	messages "merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/httpapi"
	"merve/internal/model/llm"
	"merve/internal/spine/outbox"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
)

// bench is Merve as it is measured: its handlers, in this process, on a store whose
// traffic is counted. Model, queue and provider are stand-ins that answer at once.
type bench struct {
	Options
	url     string
	traffic *traffic
	model   *script
	queue   *queue
	quiet   atomic.Int64 // time that turns would have waited for a burst to end
	base    *app.Base
	plain   *app.Base  // the same store, uncounted
	store   *dynamo.DB // too
	process            // the one that has been running for a while
	booked  int        // offers made so far
	began   time.Time
}

// tell says how far the bench has come.
func (b *bench) tell(format string, args ...any) {
	fmt.Fprintf(b.Log, "bench: %3.0f s: %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

// process is what one process is made of. A new one has cold caches.
type process struct {
	runner                                      *turn.Runner
	chat, whatsapp, messenger, notifier, sender trigger.Handler
}

func tableName(logical string) string { return "merve-" + logical }

func newBench(ctx context.Context, url string, o Options) (*bench, error) {
	b := &bench{Options: o, url: url, traffic: newTraffic(tableName), model: &script{}, queue: &queue{}, began: time.Now()}
	cfg := dynamodb.Config(url)
	if err := dynamodb.CreateTables(ctx, cfg, dynamodb.Streamless(wiring.Tables()), tableName); err != nil {
		return nil, err
	}
	var err error
	now := slow(b.began)
	if b.plain, err = b.newBase(cfg, now, nil); err != nil {
		return nil, err
	}
	b.store = dynamo.Open(cfg)
	if b.base, err = b.newBase(b.traffic.through(cfg), now, nil); err != nil {
		return nil, err
	}
	if err := demo.Load(ctx, b.plain.Markets(), b.plain.Listings()); err != nil {
		return nil, err
	}
	b.process, err = b.start()
	return b, err
}

// slow is a clock that goes at a hundredth of the speed, and is read as another millisecond each
// time: what Merve keeps for a minute is kept for the whole of a run, so that a busy machine
// makes no request more.
func slow(began time.Time) func() time.Time {
	var mu sync.Mutex
	last := began
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		last = last.Add(time.Millisecond)
		if at := began.Add(time.Since(began) / 100); at.After(last) {
			last = at
		}
		return last
	}
}

// newBase is what functions are made from, with other parts where it is changed.
func (b *bench) newBase(cfg aws.Config, now func() time.Time, change func(*app.Process)) (*app.Base, error) {
	c, err := app.FromEnv(func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	c.UnsignedFromLoopback, c.UnsignedMetaFromLoopback = true, true
	base := app.Process{
		Config: c, AWS: cfg, Getenv: func(string) string { return "" }, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: now, NewID: func() string { return ulid.Make().String() }, Wait: b.wait, Queues: func(string) messages.Queue { return b.queue },
		Provider: func(channel.Channel, outbox.Provider) outbox.Provider { return provider{} },
	}
	if change != nil {
		change(&base)
	}
	return app.NewBase(base), nil
}

// start puts a process together.
func (b *bench) start() (process, error) {
	var p process
	var err error
	if p.runner, err = b.base.Runner(llm.Whole(b.model.complete)); err != nil {
		return p, err
	}
	mux := http.NewServeMux()
	chat := &api.Chat{
		Runner: p.runner, Threads: p.runner.Threads, Assistants: p.runner.Assistants, Market: demo.Market,
		Patience: time.Minute, NewID: b.base.NewID,
	}
	chat.Routes().Register(mux)
	p.chat = trigger.HTTP(httpapi.Traced(mux, b.base.Log), trigger.Log(b.base.Log))
	if p.whatsapp, err = app.WhatsApp(b.base); err != nil {
		return p, err
	}
	if p.messenger, err = app.Messenger(b.base); err != nil {
		return p, err
	}
	if p.notifier, err = app.Notify(b.base); err != nil {
		return p, err
	}
	p.sender, err = app.Sender(b.base)
	return p, err
}

// wait only adds up short waits, which are there for bursts; long ones really wait, and end with
// the work they accompany.
func (b *bench) wait(ctx context.Context, d time.Duration) error {
	if d > 2*time.Second {
		return pause.For(ctx, d)
	}
	b.quiet.Add(int64(max(0, d-turnsDelay())))
	return ctx.Err()
}

// turnsDelay is how long a turn waits on the queue, where nobody is paid for it.
func turnsDelay() (d time.Duration) {
	for _, q := range wiring.Queues() {
		if q.Name == "turns" {
			d = time.Duration(q.Delay) * time.Second
		}
	}
	return d
}

// queue counts the turns that are queued, and runs none.
type queue struct {
	mu   sync.Mutex
	n    int
	last string
}

func (q *queue) Send(_ context.Context, m messages.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n++
	q.last = m.Group
	return nil
}

func (q *queue) Hide(context.Context, string, time.Duration) error { return nil }

func (q *queue) sum() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// provider takes every message at once.
type provider struct{}

func (provider) Send(_ context.Context, m outbox.Message) (string, error) {
	return "SM" + ulid.Make().String(), nil
}

func (provider) Find(context.Context, outbox.Message, time.Time) ([]outbox.Found, error) {
	return nil, nil
}

// script is a model that answers each message of a customer in the same way: with rounds
// of calls, and then with text.
type script struct {
	mu     sync.Mutex
	rounds [][]llm.Call
	text   func(said string) string
	heard  string // the last result of a tool
	asked  int
}

const plainAnswer = "There are three places by the harbour that may suit you; the quietest is Meze House, open from six."

// play sets what the model does from now on.
func (s *script) play(rounds ...[]llm.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rounds, s.text = rounds, nil
}

func (s *script) sum() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// complete answers.
func (s *script) complete(_ context.Context, req llm.Request) (llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	round, said := 0, ""
	for _, m := range req.Messages {
		switch {
		case m.Role == llm.User:
			round, said = 0, m.Text
		case len(m.Calls) > 0:
			round++
		case m.Role == llm.ToolRole:
			s.heard = m.Text
		}
	}
	resp := llm.Response{Usage: llm.Usage{Input: 1500, Cached: 1000, Output: 40}, Model: "gpt-5-mini", Finish: "stop"}
	switch {
	case round < len(s.rounds):
		resp.Calls, resp.Finish = s.rounds[round], "tool_calls"
	case s.text != nil:
		resp.Text = s.text(said)
	default:
		resp.Text = plainAnswer
	}
	return resp, nil
}

func search(id, query string) llm.Call {
	return llm.Call{ID: id, Name: "searchMarketplace", Args: fmt.Appendf(nil,
		`{"query":%q,"domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`, query)}
}

// initiate asks for a table that nobody has asked for before.
func (b *bench) initiate() llm.Call {
	times := []string{"12:00", "13:30", "18:00", "19:30", "21:00"}
	date := time.Now().AddDate(0, 0, 2+b.booked/len(times))
	at := times[b.booked%len(times)]
	b.booked++
	return llm.Call{ID: "c1", Name: "initiateBooking", Args: fmt.Appendf(nil,
		`{"listingId":"sushi-harbour","offeringId":"table","date":%q,"time":%q,"endDate":null,"partySize":2,"note":null}`, date.Format(time.DateOnly), at)}
}

// event is a request as the HTTP API gives it to a function (payload format 2.0).
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func event(method, path, query, contentType, body string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"version": "2.0", "routeKey": method + " " + path, "rawPath": path, "rawQueryString": query,
		"headers": map[string]string{"content-type": contentType, "host": "bench.example", "user-agent": "bench", "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1"},
		"requestContext": map[string]any{
			"domainName": "bench.example", "requestId": "bench", "stage": "$default",
			"http": map[string]string{"method": method, "path": path, "sourceIp": "127.0.0.1"},
		},
		"body": body, "isBase64Encoded": false,
	})
}

func chatEvent(session, text string) ([]byte, error) {
	body, err := json.Marshal(map[string]string{"message": text, "sessionId": session, "clientMessageId": ulid.Make().String()})
	if err != nil {
		return nil, err
	}
	return event(http.MethodPost, "/chat/message", "", "application/json", string(body))
}

func whatsAppEvent(phone, sid, text string) ([]byte, error) {
	form := url.Values{
		"MessageSid": {sid}, "SmsMessageSid": {sid}, "AccountSid": {"AC00000000000000000000000000000000"}, "NumMedia": {"0"},
		"From": {"whatsapp:" + phone}, "To": {"whatsapp:+15550100"}, "Body": {text}, "ProfileName": {"Bench"}, "WaId": {phone[1:]},
	}
	return event(http.MethodPost, "/webhooks/whatsapp", "", "application/x-www-form-urlencoded", form.Encode())
}

func messengerEvent(psid, mid, text string) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"object": "page", "entry": []any{map[string]any{
		"id": "100000000000001", "time": time.Now().UnixMilli(), "messaging": []any{map[string]any{
			"sender": map[string]string{"id": psid}, "recipient": map[string]string{"id": "100000000000001"}, "timestamp": time.Now().UnixMilli(),
			"message": map[string]string{"mid": mid, "text": text},
		}},
	}}})
	if err != nil {
		return nil, err
	}
	return event(http.MethodPost, "/webhooks/messenger", "", "application/json", string(body))
}

func statusEvent(m outbox.Message) ([]byte, error) {
	u, err := url.Parse(api.StatusURL("https://bench.example", m))
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"MessageSid": {m.ProviderID}, "MessageStatus": {"delivered"}, "SmsSid": {m.ProviderID}, "SmsStatus": {"delivered"},
		"AccountSid": {"AC00000000000000000000000000000000"}, "To": {"whatsapp:" + m.To}, "From": {"whatsapp:+15550100"},
	}
	return event(http.MethodPost, u.Path, u.RawQuery, "application/x-www-form-urlencoded", form.Encode())
}

// invoke gives an event to a handler and wants success.
func invoke(ctx context.Context, h trigger.Handler, payload []byte) ([]byte, error) {
	got, err := h.Invoke(ctx, payload)
	if err != nil {
		return nil, err
	}
	var answer struct {
		StatusCode        int              `json:"statusCode"`
		Body              string           `json:"body"`
		BatchItemFailures []map[string]any `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(got, &answer); err != nil {
		return got, nil // a schedule answers nothing of interest
	}
	if answer.StatusCode >= 300 || len(answer.BatchItemFailures) > 0 {
		return nil, fmt.Errorf("the handler failed: %s", got)
	}
	return []byte(answer.Body), nil
}

// inserted is the stream's event of new items.
func inserted(table string, items ...dynamo.Item) ([]byte, error) {
	records := make([]trigger.Record, len(items))
	for i, it := range items {
		records[i] = trigger.Record{
			EventID: fmt.Sprint(i), Kind: trigger.Insert, Sequence: fmt.Sprint(i + 1), TableName: tableName(table),
			Keys: trigger.Item{"pk": it["pk"], "sk": it["sk"]}, New: trigger.Item(it),
		}
	}
	return trigger.StreamEvent(records)
}

// rows reads the items of a partition whose sort keys begin with prefix, newest last.
func (b *bench) rows(ctx context.Context, table, pk, prefix string, limit int) ([]dynamo.Item, error) {
	page, err := b.store.Table(tableName(table)).Query(ctx, dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :prefix)", Values: dynamo.V{":pk": pk, ":prefix": prefix}, Backward: true, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	for i, j := 0, len(page.Items)-1; i < j; i, j = i+1, j-1 {
		page.Items[i], page.Items[j] = page.Items[j], page.Items[i]
	}
	return page.Items, nil
}
