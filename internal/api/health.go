package api

import (
	"context"
	"maps"
	"net/http"

	"merve/internal/httpapi"
)

// Health says that the program is up, which release it is, and which model answers.
type Health struct {
	Version string
	Model   string
	Parts   map[string]string // part: "on", or why it is off
	Live    string            // where pages connect to live conversations: a path of this address, or another one
	// Answers says of the model's part what can only be said now.
	Answers func(ctx context.Context) string
}

// Routes is the health check.
func (h Health) Routes() httpapi.Routes {
	return httpapi.Routes{"GET /healthz": h.report}
}

// report is of what is up; that nothing can be answered does not make a balancer or a restart mend it.
func (h Health) report(w http.ResponseWriter, r *http.Request) error {
	parts, status := maps.Clone(h.Parts), "ok"
	if parts["model"] = h.Answers(r.Context()); parts["model"] != "on" {
		status = "degraded"
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"status": status, "version": h.Version, "model": h.Model, "parts": parts, "live": h.Live})
}
