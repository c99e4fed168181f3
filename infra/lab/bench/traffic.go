package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go/middleware"

	"merve/infra/wiring"
)

// Count is what went to the store.
type Count struct {
	Requests     int     `json:"requests"`
	Bytes        int64   `json:"bytes"`        // of request bodies
	Writes       float64 `json:"writeUnits"`   // as DynamoDB Local counts them
	Reads        float64 `json:"readUnits"`    //
	BilledWrites float64 `json:"billedWrites"` // as AWS bills them
	BilledReads  float64 `json:"billedReads"`  //
}

func (c Count) minus(d Count) Count {
	return Count{
		c.Requests - d.Requests, c.Bytes - d.Bytes,
		c.Writes - d.Writes, c.Reads - d.Reads, c.BilledWrites - d.BilledWrites, c.BilledReads - d.BilledReads,
	}
}

// traffic is an HTTP client of the SDK that counts what it sends. While it audits, it
// also works out what AWS would bill: it reads every item that a request writes before
// and after it, so it lets one request through at a time, and its times mean nothing.
type traffic struct {
	next     aws.HTTPClient
	tables   map[string]wiring.Table // by their names in the store
	auditing atomic.Bool             // changed while nothing that is measured is under way

	serial sync.Mutex // of audited requests
	mu     sync.Mutex
	count  Count
	wire   away // while a request is under way
	call   away // while the SDK is at work on one: its encoding, signing and retries too
}

// away adds up the time while at least one of many is out.
type away struct {
	mu    sync.Mutex
	out   int
	since time.Time
	all   time.Duration
}

func (a *away) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.out++; a.out == 1 {
		a.since = time.Now()
	}
}

func (a *away) back() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.out--; a.out == 0 {
		a.all += time.Since(a.since)
	}
}

func (a *away) sum() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

func newTraffic(name func(logical string) string) *traffic {
	t := &traffic{next: awshttp.NewBuildableClient(), tables: map[string]wiring.Table{}}
	for _, table := range wiring.Tables() {
		t.tables[name(table.Name)] = table
	}
	return t
}

// Do sends a request.
func (t *traffic) Do(r *http.Request) (*http.Response, error) {
	if t.auditing.Load() {
		return t.audit(r)
	}
	t.leave(r.ContentLength)
	resp, err := t.next.Do(r)
	if err != nil {
		t.wire.back()
		return nil, err
	}
	resp.Body = &answer{ReadCloser: resp.Body, back: t.wire.back}
	return resp, nil
}

// answer ends a request when it has been read.
type answer struct {
	io.ReadCloser
	once sync.Once
	back func()
}

func (a *answer) Close() error {
	a.once.Do(a.back)
	return a.ReadCloser.Close()
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil {
		a.once.Do(a.back)
	}
	return n, err
}

func (t *traffic) leave(size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count.Requests++
	t.count.Bytes += max(size, 0)
	t.wire.leave()
}

// through makes a configuration's requests go this way.
func (t *traffic) through(cfg aws.Config) aws.Config {
	cfg.HTTPClient = t
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Away", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			t.call.leave()
			defer t.call.back()
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
	})
	return cfg
}

// sum is what has been counted so far.
func (t *traffic) sum() Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// audit sends a request and works out its price.
func (t *traffic) audit(r *http.Request) (*http.Response, error) {
	t.serial.Lock()
	defer t.serial.Unlock()
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	t.leave(int64(len(sent)))
	defer t.wire.back()
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var req request
	if err := json.Unmarshal(sent, &req); err != nil {
		return nil, fmt.Errorf("bench: %s: %w", op, err)
	}
	writes := req.writes(op)
	before, err := t.items(r, writes)
	if err != nil {
		return nil, err
	}
	status, header, body, err := t.send(r, op, sent)
	if err != nil {
		return nil, err
	}
	after, err := t.items(r, writes)
	if err != nil {
		return nil, err
	}
	var got reply
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, fmt.Errorf("bench: answer to %s: %w", op, err)
	}
	t.add(op, req, got, t.bill(op, status, writes, before, after), status)
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

// send sends a request of the same caller with another body.
func (t *traffic) send(r *http.Request, op string, body []byte) (int, http.Header, []byte, error) {
	c := r.Clone(r.Context())
	c.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
	c.Body, c.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp, err := t.next.Do(c)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, answer, err
}

// items reads the items that writes are about, each as it is now; nil for none.
func (t *traffic) items(r *http.Request, writes []write) ([]item, error) {
	if len(writes) == 0 {
		return nil, nil
	}
	type asked struct {
		Keys           []item
		ConsistentRead bool
	}
	ask := map[string]asked{}
	for _, w := range writes {
		ask[w.TableName] = asked{append(ask[w.TableName].Keys, w.key()), true}
	}
	body, err := json.Marshal(map[string]any{"RequestItems": ask})
	if err != nil {
		return nil, err
	}
	status, _, answer, err := t.send(r, "BatchGetItem", body)
	if err != nil {
		return nil, err
	}
	var got struct {
		Responses       map[string][]item
		UnprocessedKeys map[string]any
	}
	if err := json.Unmarshal(answer, &got); err != nil || status != http.StatusOK || len(got.UnprocessedKeys) > 0 {
		return nil, fmt.Errorf("bench: look at items: status %d: %w", status, err)
	}
	found := make([]item, len(writes))
	for i, w := range writes {
		for _, it := range got.Responses[w.TableName] {
			if reflect.DeepEqual(it["pk"], w.key()["pk"]) && reflect.DeepEqual(it["sk"], w.key()["sk"]) {
				found[i] = it
			}
		}
	}
	return found, nil
}

// bill is what the writes of a request cost.
func (t *traffic) bill(op string, status int, writes []write, before, after []item) float64 {
	units := 0.0
	transaction := op == "TransactWriteItems"
	for i, w := range writes {
		if status == http.StatusOK {
			units += billWrite(t.tables[w.TableName], before[i], after[i], transaction)
		} else {
			units += billFailed(before[i], w.Item, transaction)
		}
	}
	return units
}

func (t *traffic) add(op string, req request, got reply, billed float64, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if status != http.StatusOK {
		t.count.BilledWrites += billed
		return
	}
	switch op {
	case "GetItem", "Query", "BatchGetItem":
		t.count.Reads += got.units()
		t.count.BilledReads += billRead(op, req, got)
	default:
		t.count.Writes += got.units()
		t.count.BilledWrites += billed
	}
}

// request holds the fields of DynamoDB's requests that the bill depends on.
type request struct {
	write
	ConsistentRead bool
	RequestItems   map[string]struct {
		Keys           []item
		ConsistentRead bool
	}
	TransactItems []struct{ Put, Update, Delete, ConditionCheck *write }
}

// write is one write of a request.
type write struct {
	TableName string
	Key, Item item
}

func (w write) key() item {
	if w.Key != nil {
		return w.Key
	}
	return item{"pk": w.Item["pk"], "sk": w.Item["sk"]}
}

func (r request) writes(op string) []write {
	switch op {
	case "PutItem", "UpdateItem", "DeleteItem":
		return []write{r.write}
	}
	var ws []write
	for _, t := range r.TransactItems {
		for _, w := range []*write{t.Put, t.Update, t.Delete, t.ConditionCheck} {
			if w != nil {
				ws = append(ws, *w)
			}
		}
	}
	return ws
}

// reply holds the fields of the answers.
type reply struct {
	Item             item
	Items            []item
	Responses        map[string][]item
	ConsumedCapacity json.RawMessage // one, or a list
}

func (r reply) units() float64 {
	type consumed struct{ CapacityUnits float64 }
	var one consumed
	if json.Unmarshal(r.ConsumedCapacity, &one) == nil {
		return one.CapacityUnits
	}
	var many []consumed
	if json.Unmarshal(r.ConsumedCapacity, &many) != nil {
		return 0
	}
	sum := 0.0
	for _, c := range many {
		sum += c.CapacityUnits
	}
	return sum
}

// billRead is what a read costs.
func billRead(op string, req request, got reply) float64 {
	switch op {
	case "GetItem":
		return readUnitsOf(sizeOf(got.Item), req.ConsistentRead)
	case "Query":
		size := 0
		for _, it := range got.Items {
			size += sizeOf(it)
		}
		return readUnitsOf(size, req.ConsistentRead)
	}
	units := 0.0
	for table, asked := range req.RequestItems {
		for _, it := range got.Responses[table] {
			units += readUnitsOf(sizeOf(it), asked.ConsistentRead)
		}
		units += float64(len(asked.Keys)-len(got.Responses[table])) * readUnitsOf(0, asked.ConsistentRead)
	}
	return units
}
