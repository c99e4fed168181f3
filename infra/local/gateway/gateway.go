// Package gateway is an API Gateway HTTP API on one machine: it turns real requests into the events that AWS
// would make of them (payload format 2.0), passes these to functions, and writes
// the functions' answers.
//
// It drops what AWS drops, so that nothing works here that fails in the cloud:
// paths come decoded, header names in lower case, repeated headers joined, cookies apart. A request that
// matches no route goes to the default one, and without one gets AWS's own answer. A request that is too large or
// takes too long is refused as AWS refuses it, but with a document that says why.
package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// Function is a Lambda function: an event in, its answer out, both as JSON.
type Function interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Route says which function answers a method and path.
type Route struct {
	Method   string // "ANY" is every method
	Path     string // {name} is one segment, {name+} the rest of the path, or Default
	Function Function
}

// Default is the path of the route, for ANY method, that gets requests no other route matches.
const Default = "$default"

// Options say how the gateway works.
type Options struct {
	Stage   string           // named by every event; "$default" when empty
	Timeout time.Duration    // how long it waits for a function; 30 s when 0, as AWS
	MaxBody int64            // bytes of a request's body; 10 MB when 0, as AWS
	Now     func() time.Time // the system's clock when nil
	NewID   func() string    // request and trace ids, 32 hex digits; random when nil
	Log     *slog.Logger     // where failed invocations are told; slog's default when nil
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const (
	awsTimeout = 30 * time.Second
	awsMaxBody = 10 << 20
)

// awsMaxPayload is the most bytes of an event, base64 and all, and of an answer.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const awsMaxPayload = 6 << 20

type gateway struct {
	o      Options
	routes []route
}

// New returns the gateway of these routes. It fails for a route that cannot be read or is
// there twice.
func New(routes []Route, o Options) (http.Handler, error) {
	g := &gateway{o: o.filled()}
	for _, r := range routes {
		parsed, err := parseRoute(r)
		if err != nil {
			return nil, fmt.Errorf("gateway: route %s %s: %w", r.Method, r.Path, err)
		}
		for _, other := range g.routes {
			if other.shape == parsed.shape && other.Method == r.Method {
				return nil, fmt.Errorf("gateway: route %s %s matches the same as %s", r.Method, r.Path, other.Path)
			}
		}
		g.routes = append(g.routes, parsed)
	}
	return g, nil
}

func (o Options) filled() Options {
	if o.Stage == "" {
		o.Stage = "$default"
	}
	if o.Timeout == 0 {
		o.Timeout = awsTimeout
	}
	if o.MaxBody == 0 {
		o.MaxBody = awsMaxBody
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
	return o
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	trace := g.trace(r)
	r = r.WithContext(telemetry.WithTrace(r.Context(), trace))
	answer, err := g.serve(w, r, trace)
	if err == nil {
		err = writeAnswer(w, answer)
	}
	switch {
	case errors.Is(err, errNoRoute):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"Not Found"}`) // the client may have left
	case err != nil:
		g.refuse(w, r, err)
	}
}

// trace is the trace id of a request: the client's own, or the root of an
// X-Amzn-Trace-Id, which the event then carries.
func (g *gateway) trace(r *http.Request) string {
	if id := r.Header.Get("X-Trace-Id"); id != "" && telemetry.CleanTraceID(id) == id {
		return id
	}
	return g.o.NewID()
}

func (g *gateway) serve(w http.ResponseWriter, r *http.Request, trace string) ([]byte, error) {
	route, params, err := g.find(r.Method, r.URL.Path)
	if err != nil {
		return nil, err
	}
	most := min(g.o.MaxBody, awsMaxPayload) // no event can hold more
	tooLarge := fault.New(fault.TooLarge, "the body is larger than %d bytes", most)
	if r.ContentLength > most {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the body could not be read")
	}
	var payload bytes.Buffer
	enc := json.NewEncoder(&payload)
	enc.SetEscapeHTML(false) // each byte counts
	if err := enc.Encode(g.event(r, route, params, body, trace)); err != nil {
		return nil, fmt.Errorf("gateway: event: %w", err)
	}
	if payload.Len() > awsMaxPayload {
		return nil, fault.New(fault.TooLarge, "the request makes an event larger than %d bytes", awsMaxPayload)
	}
	answer, err := g.invoke(r.Context(), route.Function, payload.Bytes())
	if err == nil && len(answer) > awsMaxPayload {
		err = fmt.Errorf("gateway: the function's answer has %d bytes, more than %d", len(answer), awsMaxPayload)
	}
	return answer, err
}

var errTimeout = fault.New(fault.Unavailable, "the function took too long")

// invoke runs f. A function that takes too long goes on, as in the cloud, but nobody
// waits for it. It does not end when the client leaves, either.
func (g *gateway) invoke(ctx context.Context, f Function, payload []byte) ([]byte, error) {
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("gateway: the function panicked with a value of type %T", p)
			}
			done <- r
		}()
		r.answer, r.err = f.Invoke(context.WithoutCancel(ctx), payload)
	}()
	timer := time.NewTimer(g.o.Timeout)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-timer.C:
		return nil, errTimeout
	}
}

// refuse answers with a problem document what no function answered.
func (g *gateway) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := fault.ProblemOf(err, telemetry.TraceID(r.Context()))
	if p.Status >= 500 {
		g.o.Log.ErrorContext(r.Context(), "invocation failed", slog.String("method", r.Method), slog.Any("error", err))
	}
	body, _ := json.Marshal(p) // strings and a number always marshal
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Trace-Id", p.TraceID)
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may have left
}
