package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// Problem answers with err as a problem document. If the failure is ours, [Traced] logs it.
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

// RefuseMethod answers that a path takes the methods in allowed and not the request's.
func RefuseMethod(w http.ResponseWriter, r *http.Request, allowed []string) {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	writeProblem(w, fault.Problem{
		Type: "about:blank", Title: "method_not_allowed", Status: http.StatusMethodNotAllowed,
		Detail: "this path takes " + list, TraceID: telemetry.TraceID(r.Context()),
	})
}

// mediaError refuses a body for the media type it was sent as.
type mediaError struct {
	error
	accept string // the media types that are taken
}

func (e *mediaError) Unwrap() error { return e.error }

// WrongMedia is the error for a body that was not sent as one of the media types in accept.
func WrongMedia(accept, detail string) error {
	return &mediaError{error: fault.New(fault.Invalid, "%s", detail), accept: accept}
}

func writeProblem(w http.ResponseWriter, p fault.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has gone cannot be told
}
