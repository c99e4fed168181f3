// Package api is Merve's HTTP surface: it says who asks, reads what they send, calls
// the one thing that does it, and writes the answer. It holds no rules of its own.
//
// Errors are RFC 9457 problem documents, every answer carries x-trace-id, and bodies
// have a limit. The OpenAPI document beside this file describes every answer.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/telemetry"
)

// maxBody is the largest JSON body taken, in bytes.
const maxBody = 64 << 10

// handler answers a request or returns an error, which becomes a problem document.
type handler func(w http.ResponseWriter, r *http.Request) error

// maxTarget is the longest path and the longest query taken, in bytes. What stands in
// them becomes keys, and keys have limits.
const maxTarget = 900

// failureKey finds, in a request's context, where its failure is noted for the log.
type failureKey struct{}

// Traced gives each request a trace id, the caller's if it sent a usable one, and
// tells it in the answer. Failures of our own go to log.
func Traced(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := telemetry.TraceID(r.Context())
		if asked := r.Header.Get("x-trace-id"); asked != "" || id == "" {
			id = telemetry.CleanTraceID(asked)
		}
		w.Header().Set("x-trace-id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
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

// checkTarget refuses addresses that no client of ours has made: a router would send them
// somewhere else (".." and "//"), or a store could not look them up.
func checkTarget(r *http.Request) error {
	switch p, clean := r.URL.Path, path.Clean(r.URL.Path); {
	case len(p) > maxTarget, p != clean && (clean == "/" || p != clean+"/"):
		return actor.ErrNotFound
	case len(r.URL.RawQuery) > maxTarget:
		return fault.New(fault.Invalid, "the query is longer than %d bytes", maxTarget)
	}
	return nil
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		Problem(w, r, err)
	}
}

// Problem answers with err as a problem document. A client that has gone cannot be told.
func Problem(w http.ResponseWriter, r *http.Request, err error) {
	p := fault.ProblemOf(err, telemetry.TraceID(r.Context()))
	if media, ok := errors.AsType[*mediaError](err); ok {
		p.Title, p.Status = "unsupported_media_type", http.StatusUnsupportedMediaType
		w.Header().Set("Accept", media.accept)
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110 §12.5.3
	}
	if noted, ok := r.Context().Value(failureKey{}).(*error); ok && p.Status >= http.StatusInternalServerError {
		*noted = err
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="merve"`)
	}
	writeProblem(w, p)
}

// NotFound answers that there is nothing at a path.
func NotFound(w http.ResponseWriter, r *http.Request) { Problem(w, r, actor.ErrNotFound) }

func writeProblem(w http.ResponseWriter, p fault.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	return writeBody(w, status, "application/json", body)
}

func writeBody(w http.ResponseWriter, status int, media string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that has gone cannot be told
	return nil
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.New(fault.TooLarge, "the body is larger than %d bytes", limit)
	case err != nil:
		return nil, fault.New(fault.Invalid, "the body could not be read")
	}
	return body, nil
}
