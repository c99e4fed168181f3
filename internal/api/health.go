package api

import (
	"net/http"

	"merve/internal/httpapi"
)

// Health says that the program is up, which release it is, and which model answers.
type Health struct {
	Version string
	Model   string
	Parts   map[string]string // part: "on", or why it is off
}

// Routes is the health check.
func (h Health) Routes() httpapi.Routes {
	return httpapi.Routes{"GET /healthz": h.report}
}

func (h Health) report(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"status": "ok", "version": h.Version, "model": h.Model, "parts": h.Parts})
}
