// Package httpapi is the shared part of Merve's HTTP APIs: who sends a request, how to read its body and query,
// which methods a path accepts, and how to write answers and errors.
//
// Errors are RFC 9457 problem documents with the trace id that every answer carries in x-trace-id.
// Bodies, paths and queries have limits, and an error in one names the field.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/trigger"
)

// Handler answers a request or returns an error, which becomes a problem document.
type Handler func(w http.ResponseWriter, r *http.Request) error

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		Problem(w, r, err)
	}
}

// failureKey finds, in a request's context, where [Problem] notes a failure for the log.
type failureKey struct{}

// Traced gives each request a trace id, which the answer carries: the caller's own id if it sent a
// usable one. Our own failures are logged to log, with their cause.
func Traced(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := telemetry.TraceID(r.Context())
		if asked := r.Header.Get("x-trace-id"); asked != "" || id == "" {
			id = telemetry.CleanTraceID(asked)
		}
		w.Header().Set("x-trace-id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if strings.HasPrefix(trigger.ClientURL(r), "https:") { // as everything in the cloud
			w.Header().Set("Strict-Transport-Security", "max-age=63072000")
		}
		var failure error
		r = r.WithContext(context.WithValue(telemetry.WithTrace(r.Context(), id), failureKey{}, &failure))
		if err := checkTarget(r); err != nil {
			Problem(w, r, err)
			return
		}
		h.ServeHTTP(w, r)
		if failure != nil {
			log.ErrorContext(r.Context(), "request failed", "route", r.Pattern, "error", failure.Error())
		}
	})
}

// maxTarget is the longest path and the longest query taken, in bytes. Parts of them become keys of
// the store, and keys have limits.
const maxTarget = 900

// checkTarget refuses addresses that our clients never send: a mux would redirect them (".." and
// "//"), or the store could not look them up.
func checkTarget(r *http.Request) error {
	switch p, clean := r.URL.Path, path.Clean(r.URL.Path); {
	case len(p) > maxTarget, p != clean && (clean == "/" || p != clean+"/"):
		return actor.ErrNotFound
	case len(r.URL.RawQuery) > maxTarget:
		return fault.New(fault.Invalid, "the query is longer than %d bytes", maxTarget)
	}
	return nil
}
