package api

import "net/http"

// Health says that the program is up, which release it is, and which model answers.
type Health struct {
	Version string
	Model   string
	Parts   map[string]string // part: "on", or why it is off
}

// Routes adds the health check to mux.
func (h Health) Routes(mux Router) {
	mux.Handle("GET /healthz", handler(func(w http.ResponseWriter, _ *http.Request) error {
		return writeJSON(w, http.StatusOK, map[string]any{"status": "ok", "version": h.Version, "model": h.Model, "parts": h.Parts})
	}))
}
