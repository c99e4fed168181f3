package dynamo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// over returns a table behind a transport; attempts is how often the SDK makes a call.
func over(t *testing.T, transport http.RoundTripper, attempts int) dynamo.Table {
	db := dynamo.Open(dynamotest.Config(t), func(o *dynamodb.Options) {
		o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: transport}, attempts
	})
	db.Backoff = func(int) time.Duration { return time.Microsecond }
	return db.Table(dynamotest.TableName("records"))
}

// operations are the calls that there are, by DynamoDB's names. Those that write count in
// item "a" how often they took effect.
func operations() map[string]operation {
	return map[string]operation{
		"TransactWriteItems": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			return tbl.DB().Commit(ctx, count(tbl, pk), tbl.Put(dynamo.Key{PK: pk, SK: "b"}, note{}).IfAbsent())
		},
		"UpdateItem": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			_, err := tbl.DB().Apply(ctx, count(tbl, pk))
			return err
		},
		"PutItem": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			return tbl.DB().Commit(ctx, tbl.Put(dynamo.Key{PK: pk, SK: "a"}, note{Count: 1}))
		},
		"DeleteItem": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			return tbl.DB().Commit(ctx, tbl.Delete(dynamo.Key{PK: pk, SK: "a"}))
		},
		"GetItem": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			_, err := tbl.Get(ctx, dynamo.Key{PK: pk, SK: "a"})
			return err
		},
		"BatchGetItem": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			_, err := tbl.BatchGet(ctx, dynamo.Key{PK: pk, SK: "a"}, dynamo.Key{PK: pk, SK: "b"})
			return err
		},
		"Query": func(ctx context.Context, tbl dynamo.Table, pk string) error {
			_, err := tbl.Query(ctx, dynamo.Under(pk, ""))
			return err
		},
	}
}

type operation = func(ctx context.Context, tbl dynamo.Table, pk string) error

func count(tbl dynamo.Table, pk string) dynamo.Write {
	return tbl.Update(dynamo.Key{PK: pk, SK: "a"}, "ADD #count :one", dynamo.V{":one": 1})
}

func counted(t *testing.T, pk string) int64 {
	t.Helper()
	it, err := table(t).Get(t.Context(), dynamo.Key{PK: pk, SK: "a"})
	if err != nil {
		t.Fatal(err)
	}
	return it.Int("count")
}

// Every fault of every operation surfaces as the kind of error that says what to do about
// it, after a bounded number of calls, each of which is counted.
func TestEveryFaultHasItsKind(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, op := range slices.Sorted(maps.Keys(operations())) {
		for _, attempts := range []int{1, 4} {
			for _, f := range faulttest.Faults {
				if !f.Can(op) {
					continue
				}
				tried++
				t.Run(fmt.Sprintf("%s, %d attempts, %s", op, attempts, f), func(t *testing.T) {
					t.Parallel()
					meet(t, op, attempts, f)
				})
			}
		}
	}
	faulttest.Tried(t, tried)
}

func meet(t *testing.T, op string, attempts int, f faulttest.Fault) {
	calls := faulttest.With(faulttest.At{N: 1, Fault: f})
	ctx, meter := telemetry.WithMeter(t.Context())
	pk := dynamotest.ID("fault")
	err := operations()[op](ctx, over(t, calls, attempts), pk)
	made, kind := wants(f, attempts)
	if kind == "" && err != nil || kind != "" && !fault.Is(err, kind) {
		t.Errorf("got %v (%s), want %q", err, fault.KindOf(err), kind)
	}
	if message, _ := fault.Public(err); strings.Contains(message, "dynamo") {
		t.Errorf("a client would see %q", message)
	}
	if calls.Dead() { // the calls of a dead process are none
		return
	}
	if got := meter.Cost().Requests; got != made || len(calls.Names()) != made {
		t.Errorf("%d requests, %d counted; want %d", len(calls.Names()), got, made)
	}
	if n := counted(t, pk); n > 1 && op == "TransactWriteItems" {
		t.Errorf("took effect %d times", n)
	}
}

// wants is the number of calls, by the SDK or again with a new token, and the kind of the
// error of a call whose first attempt meets a fault.
func wants(f faulttest.Fault, attempts int) (calls int, kind fault.Kind) {
	switch f {
	case faulttest.Invalid, faulttest.OtherPayload: // wrong for ever
		return 1, fault.Internal
	case faulttest.Conflict, faulttest.Cancelled, faulttest.Exceeded: // cancelled for certain
		return 2, ""
	case faulttest.DiesBefore, faulttest.DiesAfter:
		return 0, fault.Unavailable
	}
	if attempts == 1 {
		return 1, fault.Unavailable
	}
	return 2, ""
}

// A transaction whose answer is lost is repeated with its token, and the server gives the
// answer of the first time: no condition fails that the transaction itself has changed, also when
// the repeat met another transaction. Without the SDK's repeats the caller is told that nobody knows.
func TestALostAnswerOfATransaction(t *testing.T) {
	t.Parallel()
	lost := []faulttest.Fault{faulttest.AnswerLost, faulttest.TimeOut, faulttest.ErrorAfter}
	again := append(slices.Clone(lost), faulttest.Conflict)
	for _, first := range lost {
		for _, second := range again {
			calls := faulttest.With(faulttest.At{N: 1, Fault: first}, faulttest.At{N: 2, Fault: second})
			tokens := &tokens{next: calls}
			pk := dynamotest.ID("lost")
			if err := operations()["TransactWriteItems"](t.Context(), over(t, tokens, 4), pk); err != nil {
				t.Errorf("%s, %s: %v", first, second, err)
			}
			if n := counted(t, pk); n != 1 || len(tokens.seen) != 3 || tokens.different() != 1 {
				t.Errorf("%s, %s: took effect %d times, tokens %v", first, second, n, tokens.seen)
			}
		}
	}
	faulttest.Tried(t, len(lost)*len(again))
}

// A cancelled transaction is tried again under a new token, a bounded number of times, with
// a wait in between.
func TestContentionIsBounded(t *testing.T) {
	t.Parallel()
	for _, f := range []faulttest.Fault{faulttest.Conflict, faulttest.Cancelled, faulttest.Exceeded} {
		for _, op := range []string{"TransactWriteItems", "UpdateItem"} {
			if !f.Can(op) {
				continue
			}
			var at []faulttest.At
			for n := range 100 {
				at = append(at, faulttest.At{N: n + 1, Fault: f})
			}
			tokens, waits := &tokens{next: faulttest.With(at...)}, []int{}
			tbl := over(t, tokens, 4)
			tbl.DB().Backoff = func(n int) time.Duration { waits = append(waits, n); return 0 }
			pk := dynamotest.ID("busy")
			err := operations()[op](t.Context(), tbl, pk)
			if !fault.Is(err, fault.Unavailable) || !fault.Retryable(err) || counted(t, pk) != 0 {
				t.Errorf("%s of %s: %v", f, op, err)
			}
			const tries = dynamo.MaxTries
			if len(tokens.seen) != tries || len(waits) != tries-1 || waits[tries-2] != tries-1 || op == "TransactWriteItems" && tokens.different() != tries {
				t.Errorf("%s of %s: tokens %v, waits %v", f, op, tokens.seen, waits)
			}
		}
	}
}

// tokens notes the client token of every call.
type tokens struct {
	next http.RoundTripper
	seen []string
}

func (c *tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	var body struct{ ClientRequestToken string }
	if err := rewrite(r, func(b []byte) ([]byte, error) { return b, json.Unmarshal(b, &body) }); err != nil {
		return nil, err
	}
	c.seen = append(c.seen, body.ClientRequestToken)
	return c.next.RoundTrip(r)
}

func (c *tokens) different() int { return len(slices.Compact(slices.Clone(c.seen))) }

func rewrite(r *http.Request, change func([]byte) ([]byte, error)) error {
	b, err := io.ReadAll(r.Body)
	if err == nil {
		b, err = change(b)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return err
}

// A wait ends with its context, and the error is the context's.
func TestNobodyWaitsForAGoneCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tbl := over(t, faulttest.With(faulttest.At{N: 1, Fault: faulttest.Conflict}), 4)
	tbl.DB().Backoff = func(int) time.Duration { cancel(); return time.Hour }
	if err := operations()["TransactWriteItems"](ctx, tbl, dynamotest.ID("gone")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// By default waits grow, are spread, and stay below half a second.
func TestBackoff(t *testing.T) {
	t.Parallel()
	db := dynamo.Open(dynamotest.Config(t))
	for n := 1; n <= 70; n++ {
		different := map[time.Duration]bool{}
		for range 50 {
			d := db.Backoff(n)
			different[d] = true
			if d <= 0 || d > 401*time.Millisecond || n == 1 && d > 25*time.Millisecond {
				t.Fatalf("try %d: waits %v", n, d)
			}
		}
		if len(different) < 10 {
			t.Errorf("try %d: only %d different waits in 50", n, len(different))
		}
	}
}

// A condition that fails for certain is not hidden by a conflict beside it, and what is
// wrong for ever is not tried again.
func TestReasonsOfACancelledTransaction(t *testing.T) {
	t.Parallel()
	taken := fault.New(fault.Conflict, "taken")
	for name, tt := range map[string]struct {
		reasons string
		wants   func(error) bool
		calls   int
	}{
		"condition":               {`{"Code":"None"},{"Code":"ConditionalCheckFailed"}`, func(err error) bool { return errors.Is(err, taken) }, 1},
		"conflict and condition":  {`{"Code":"TransactionConflict"},{"Code":"ConditionalCheckFailed"}`, func(err error) bool { return errors.Is(err, taken) }, 1},
		"no reason at all":        {``, func(err error) bool { return fault.Is(err, fault.Internal) }, 1},
		"more reasons than items": {`{},{},{"Code":"ConditionalCheckFailed"}`, func(err error) bool { return fault.Is(err, fault.Internal) }, 1},
		"too large": {`{"Code":"ValidationError","Message":"Item size to update has exceeded the maximum allowed size"}`,
			func(err error) bool { return fault.Is(err, fault.TooLarge) && !fault.Retryable(err) }, 1},
		"conflicts": {`{"Code":"None"},{"Code":"TransactionConflict"}`, func(err error) bool { return fault.Is(err, fault.Unavailable) }, dynamo.MaxTries},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			tbl := over(t, answers(func(r *http.Request) *http.Response {
				calls++
				return cancelled(tt.reasons)
			}), 4)
			pk := dynamotest.ID("reasons")
			err := tbl.DB().Commit(t.Context(), count(tbl, pk), tbl.Put(dynamo.Key{PK: pk, SK: "b"}, note{}).IfAbsent().Else(taken))
			if !tt.wants(err) || calls != tt.calls {
				t.Errorf("%d calls, %v (%s)", calls, err, fault.KindOf(err))
			}
		})
	}
}

// answers is a server.
type answers func(r *http.Request) *http.Response

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func cancelled(reasons string) *http.Response {
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[` + reasons + `]}`
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// An item that is too large, alone or in a transaction, is the caller's to make smaller.
func TestAnItemIsTooLarge(t *testing.T) {
	t.Parallel()
	tbl, pk := table(t), dynamotest.ID("large")
	large := tbl.Put(dynamo.Key{PK: pk, SK: "large"}, note{Text: strings.Repeat("x", 401<<10)})
	for _, ws := range [][]dynamo.Write{{large}, {count(tbl, pk), large}} {
		if err := tbl.DB().Commit(t.Context(), ws...); !fault.Is(err, fault.TooLarge) || fault.Retryable(err) {
			t.Errorf("%d writes: %v (%s)", len(ws), err, fault.KindOf(err))
		}
	}
	many := make([]dynamo.Write, dynamo.MaxWrites+1)
	for i := range many {
		many[i] = tbl.Put(dynamo.Key{PK: pk, SK: fmt.Sprint(i)}, note{})
	}
	if err := tbl.DB().Commit(t.Context(), many...); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%d writes: %v", len(many), err)
	}
}

// sparing is a server that answers for only a few keys of a batch at a time.
type sparing struct{ keys, calls int }

func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	var asked, rest map[string]map[string]any
	err := rewrite(r, func(b []byte) ([]byte, error) {
		var body map[string]any
		if err := json.Unmarshal(b, &body); err != nil {
			return nil, err
		}
		err := errors.Join(again(body["RequestItems"], &asked), again(body["RequestItems"], &rest))
		for name, q := range asked {
			keys := q["Keys"].([]any)
			q["Keys"], rest[name]["Keys"] = keys[:min(s.keys, len(keys))], keys[min(s.keys, len(keys)):]
			if len(keys) <= s.keys {
				delete(rest, name)
			}
		}
		body["RequestItems"] = asked
		changed, err2 := json.Marshal(body)
		return changed, errors.Join(err, err2)
	})
	if err != nil {
		return nil, err
	}
	resp, err := faulttest.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, err
	}
	answer["UnprocessedKeys"] = rest
	b, err := json.Marshal(answer)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp.Header.Del("X-Amz-Crc32")
	return resp, err
}

// again copies a value by way of JSON.
func again(from, to any) error {
	b, err := json.Marshal(from)
	return errors.Join(err, json.Unmarshal(b, to))
}

// What the server holds back of a batch is asked for again: everything comes once, and a
// server that holds back for ever is given up.
func TestABatchInPieces(t *testing.T) {
	t.Parallel()
	pk := dynamotest.ID("batch")
	var keys []dynamo.Key
	for i := range 120 {
		keys = append(keys, dynamo.Key{PK: pk, SK: fmt.Sprintf("%03d", i)})
		if err := table(t).DB().Commit(t.Context(), table(t).Put(keys[i], note{Count: i})); err != nil {
			t.Fatal(err)
		}
	}
	for each, calls := range map[int]int{100: 2, 50: 3, 30: 5} {
		server := &sparing{keys: each}
		ctx, meter := telemetry.WithMeter(t.Context())
		items, err := over(t, server, 4).BatchGet(ctx, keys...)
		var got []dynamo.Key
		for _, it := range items {
			got = append(got, it.Key())
		}
		if err != nil || !slices.Equal(got, keys) || items[113].Int("count") != 113 || server.calls != calls || meter.Cost().Requests != calls {
			t.Errorf("%d at a time: %d items in %d calls, %d counted, %v", each, len(got), server.calls, meter.Cost().Requests, err)
		}
	}
	if _, err := over(t, &sparing{keys: 1}, 4).BatchGet(t.Context(), keys...); !fault.Is(err, fault.Unavailable) {
		t.Errorf("one at a time: %v", err)
	}
}

// Requests and units are counted once each, whatever repeats; a meter further up counts
// too.
func TestRetriesAreCounted(t *testing.T) {
	t.Parallel()
	outer, all := telemetry.WithMeter(t.Context())
	ctx, meter := telemetry.WithMeter(outer)
	calls := faulttest.With(faulttest.At{N: 1, Fault: faulttest.Throttled}, faulttest.At{N: 2, Fault: faulttest.Conflict}, faulttest.At{N: 3, Fault: faulttest.ServerError})
	if err := operations()["TransactWriteItems"](ctx, over(t, calls, 4), dynamotest.ID("retries")); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*telemetry.Meter{meter, all} {
		if c := m.Cost(); c.Requests != 4 || c.WriteUnits != 4 || c.Bytes%4 != 0 {
			t.Errorf("cost %+v, want 4 requests and 4 write units", c)
		}
	}
}

// What the SDK is configured to try, is tried; else a call that is told "later" is made four times.
func TestHowOftenACallIsMade(t *testing.T) {
	t.Parallel()
	for configured, want := range map[int]int{0: 4, 1: 1, 2: 2} {
		calls := 0
		cfg := dynamotest.Config(t)
		cfg.RetryMaxAttempts = configured
		cfg.HTTPClient = &http.Client{Transport: dynamotest.Look{See: func(string, []byte) ([]byte, error) { calls++; return nil, io.ErrUnexpectedEOF }}}
		db := dynamo.Open(cfg)
		db.Backoff = func(int) time.Duration { return 0 }
		_, err := db.Table(dynamotest.TableName("records")).Get(t.Context(), dynamo.Key{PK: "a", SK: "a"})
		if err == nil || calls != want {
			t.Errorf("configured to %d: %d calls, want %d; %v", configured, calls, want, err)
		}
	}
}
