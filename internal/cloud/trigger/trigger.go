// Package trigger is the border between AWS Lambda events and plain Go: requests, messages, changes and ticks come
// in, and what AWS wants to hear goes out.
//
// A [Handler] gets an event as JSON and answers with JSON, so that the cloud, the local runner and the tests run the
// very same thing. Everything it calls has a trace id in its context (package telemetry): the one that came with the
// event, else a new one.
//
// Promises: a request reaches its handler as the client sent it, except for what the gateway withholds. A batch
// answers exactly which items failed, in the form that AWS takes, or fails as a whole; items that have to stay in
// order are never overtaken. A panic is an error like any other, with a log line.
package trigger

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// Handler answers one event. Both sides are JSON.
type Handler interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Start serves h to the Lambda runtime. It does not return.
func Start(h Handler) { lambda.Start(h) }

// Option changes how a handler works.
type Option func(*options)

type options struct {
	log      *slog.Logger
	now      func() time.Time
	newTrace func() string
	giveUp   func(context.Context, Record, error) error
}

// Log sets where failures are told; slog's default when not given.
func Log(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// Clock sets what time it is for a tick that does not say.
func Clock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// GiveUp has tell say which changes of a stream can never be right, and why; they are done then.
// When tell fails they have failed.
func GiveUp(tell func(context.Context, Record, error) error) Option {
	return func(o *options) { o.giveUp = tell }
}

// traceIDs sets where new trace ids come from.
func traceIDs(newID func() string) Option { return func(o *options) { o.newTrace = newID } }

func with(opts []Option) *options {
	o := &options{log: slog.Default(), now: time.Now, newTrace: telemetry.NewTraceID}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

type handlerFunc func(context.Context, []byte) ([]byte, error)

func (f handlerFunc) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return f(ctx, payload)
}

// trace returns ctx with trace id, or with a new one when it is empty or unusable.
func (o *options) trace(ctx context.Context, id string) context.Context {
	if id == "" || telemetry.CleanTraceID(id) != id {
		id = o.newTrace()
	}
	return telemetry.WithTrace(ctx, id)
}

// rootTrace takes the trace id out of an X-Amzn-Trace-Id header, without X-Ray's
// version and dashes (W3C Trace Context has none), or returns "".
// https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
func rootTrace(header string) string {
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root=1-"); ok {
			return strings.ReplaceAll(root, "-", "")
		}
	}
	return ""
}

// guard runs f; a panic becomes an error.
func (o *options) guard(ctx context.Context, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			o.log.ErrorContext(ctx, "panic", slog.String("panic", panicText(p)), slog.String("stack", string(debug.Stack())))
			err = fault.New(fault.Internal, "a handler panicked: %s", panicText(p))
		}
	}()
	return f()
}

// panicText describes a panic without its value, which may hold anything, unless the
// value is the Go runtime's own.
func panicText(p any) string {
	if e, ok := p.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("of type %T", p)
}
