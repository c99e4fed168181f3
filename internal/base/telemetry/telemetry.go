// Package telemetry is how Merve is seen from outside: structured log lines with
// the trace id of the request that caused them, a meter that counts what a piece
// of work cost, and CloudWatch embedded metrics.
//
// Nothing here ever receives message text, phone numbers or keys; [Redact] gives
// a stable short name for an id that must not be logged as it is.
package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
)

type traceKey struct{}

// WithTrace returns a context that carries trace id.
func WithTrace(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// TraceID returns the trace id in ctx, or "".
func TraceID(ctx context.Context) string {
	id, _ := ctx.Value(traceKey{}).(string)
	return id
}

type callKey struct{}

// WithCall returns a context that carries the call session that a conversation is in, as its client names it.
func WithCall(ctx context.Context, session string) context.Context {
	return context.WithValue(ctx, callKey{}, session)
}

// CallSession returns the call session in ctx, or "".
func CallSession(ctx context.Context) string {
	session, _ := ctx.Value(callKey{}).(string)
	return session
}

// NewTraceID returns a fresh trace id: 32 hex digits (W3C Trace Context).
func NewTraceID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// CleanTraceID returns id if it is usable as a trace id (1 to 64 letters, digits,
// dots, dashes, underscores), else a fresh one: callers outside choose it freely.
func CleanTraceID(id string) string {
	if id == "" || len(id) > 64 {
		return NewTraceID()
	}
	for _, c := range id {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return NewTraceID()
		}
	}
	return id
}

// Redact names a personal id (a phone number, a user id) in logs: equal ids have
// equal names, and the name does not give the id away.
func Redact(id string) string {
	sum := sha256.Sum256([]byte("merve-log:" + id))
	return hex.EncodeToString(sum[:6])
}

// NewLogger returns a JSON logger to w whose lines carry the trace id and the call session of their context.
func NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := TraceID(ctx); id != "" {
		r.AddAttrs(slog.String("traceId", id))
	}
	if session := CallSession(ctx); session != "" {
		r.AddAttrs(slog.String("callSessionId", session))
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(as []slog.Attr) slog.Handler { return handler{h.Handler.WithAttrs(as)} }
func (h handler) WithGroup(name string) slog.Handler    { return handler{h.Handler.WithGroup(name)} }
