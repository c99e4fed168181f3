package faulttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Fault is what happens to one call.
type Fault string

// What happens to the process that makes the call.
const (
	DiesBefore Fault = "dies before" // it dies, and the call never left
	DiesAfter  Fault = "dies after"  // it dies when the call has taken effect
)

// What happens on the way, to a process that lives on.
const (
	CallLost   Fault = "call lost"   // refused on the way, nothing took effect
	AnswerLost Fault = "answer lost" // it took effect, and the connection broke
	TimeOut    Fault = "time-out"    // it took effect, and nobody knows yet
)

// What the other side answers.
const (
	Throttled    Fault = "throttled"    // too many calls; nothing took effect
	ServerError  Fault = "server error" // nothing took effect
	ErrorAfter   Fault = "error after"  // a server error although it took effect
	Conflict     Fault = "conflict"     // DynamoDB: a write met a transaction
	Cancelled    Fault = "cancelled: ThrottlingError"
	Exceeded     Fault = "cancelled: ProvisionedThroughputExceeded"
	Invalid      Fault = "cancelled: ValidationError"
	InProgress   Fault = "in progress"        // DynamoDB: a transaction with this token runs
	OtherPayload Fault = "parameter mismatch" // DynamoDB: the token belongs to another transaction
)

// Faults are all there are, in the order of this page.
var Faults = []Fault{
	DiesBefore, DiesAfter, CallLost, AnswerLost, TimeOut, Throttled, ServerError, ErrorAfter,
	Conflict, Cancelled, Exceeded, Invalid, InProgress, OtherPayload,
}

// Deaths are those that end a process.
var Deaths = []Fault{DiesBefore, DiesAfter}

// Can reports whether a fault can happen to a call of this name, which is DynamoDB's
// operation, or method and host of another provider.
func (f Fault) Can(call string) bool {
	switch f {
	case Conflict:
		return writes(call)
	case Cancelled, Exceeded, Invalid, InProgress, OtherPayload:
		return call == transaction
	}
	return true
}

const transaction = "TransactWriteItems"

func writes(call string) bool {
	switch call {
	case transaction, "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem":
		return true
	}
	return false
}

// nameOf names a call for a reader.
func nameOf(r *http.Request) string {
	if _, op, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		return op
	}
	return r.Method + " " + r.URL.Path
}

// reaches reports whether the call takes effect.
func (f Fault) reaches() bool {
	switch f {
	case DiesAfter, AnswerLost, TimeOut, ErrorAfter:
		return true
	}
	return false
}

// Errors of the transport, as net/http wraps them in a *url.Error.
var (
	ErrDied = errors.New("the process has died")
	errLost = errors.New("connection reset by peer")
)

// answer is what the caller gets.
func (f Fault) answer(r *http.Request) (*http.Response, error) {
	switch f {
	case DiesBefore, DiesAfter:
		return nil, ErrDied
	case CallLost, AnswerLost:
		return nil, errLost
	case TimeOut:
		return nil, fmt.Errorf("awaiting the answer: %w", os.ErrDeadlineExceeded)
	}
	if r.Header.Get("X-Amz-Target") == "" {
		return f.answerOfProvider(r), nil
	}
	return f.answerOfDynamoDB(r), nil
}

func (f Fault) answerOfProvider(r *http.Request) *http.Response {
	if f == Throttled {
		return Response(r, http.StatusTooManyRequests, "application/json", `{"code":20429,"message":"Too Many Requests","status":429}`)
	}
	return Response(r, http.StatusInternalServerError, "application/json", `{"code":20500,"message":"Internal Server Error","status":500}`)
}

// Errors of the API are listed at
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html#API_TransactWriteItems_Errors
func (f Fault) answerOfDynamoDB(r *http.Request) *http.Response {
	status, kind, more := http.StatusBadRequest, "", ""
	switch f {
	case Throttled:
		kind = "ProvisionedThroughputExceededException"
	case ServerError, ErrorAfter:
		status, kind = http.StatusInternalServerError, "InternalServerError"
	case Conflict:
		kind = "TransactionConflictException"
		if nameOf(r) == transaction {
			kind, more = "TransactionCanceledException", reasons("TransactionConflict")
		}
	case Cancelled, Exceeded, Invalid:
		_, reason, _ := strings.Cut(string(f), ": ")
		kind, more = "TransactionCanceledException", reasons(reason)
	case InProgress:
		kind = "TransactionInProgressException"
	case OtherPayload:
		kind = "IdempotentParameterMismatchException"
	}
	body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q%s}`, kind, "injected: "+string(f), more)
	return Response(r, status, "application/x-amz-json-1.0", body)
}

func reasons(code string) string {
	return fmt.Sprintf(`,"CancellationReasons":[{"Code":%q,"Message":"injected"}]`, code)
}

// Response is an answer to r, of a content type, as if a server had given it.
func Response(r *http.Request, status int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {kind}, "X-Amzn-Requestid": {"injected"}},
		Body:          io.NopCloser(bytes.NewReader([]byte(body))),
		ContentLength: int64(len(body)), Request: r,
	}
}
