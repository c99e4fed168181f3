package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"merve/internal/httpapi"
)

// Health says that the program is up, which release it is, and which model answers; and whether what it needs
// answers it.
type Health struct {
	Version string
	Model   string
	Live    string                                      // where pages connect to live conversations: a path of this address, or another one
	Parts   func(ctx context.Context) map[string]string // part: "on", or why it is off; "model" is one
	Needs   map[string]func(ctx context.Context) error  // by what is asked
	// Failed is told why something that is needed does not answer: that is for no stranger.
	Failed func(ctx context.Context, need string, err error)
}

// Routes are the health check, which a balancer may ask each second, and the check of what is needed, which goes out to
// all of it.
func (h Health) Routes() httpapi.Routes {
	return httpapi.Routes{"GET /healthz": h.report, "GET /readyz": h.ready}
}

// report is of what is up; that nothing can be answered does not make a balancer or a restart mend it.
func (h Health) report(w http.ResponseWriter, r *http.Request) error {
	parts, status := h.Parts(r.Context()), "ok"
	if parts["model"] != "on" {
		status = "degraded"
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"status": status, "version": h.Version, "model": h.Model, "parts": parts, "live": h.Live})
}

// patience is how long something that is needed may take to answer.
const patience = 3 * time.Second

// ready asks everything that is needed, at the same time.
func (h Health) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	var mu sync.Mutex
	var asking sync.WaitGroup
	needs, status, code := map[string]string{}, "ready", http.StatusOK
	for need, ask := range h.Needs {
		asking.Go(func() {
			err := ask(ctx)
			mu.Lock()
			defer mu.Unlock()
			if needs[need] = "ok"; err != nil {
				needs[need], status, code = "away", "not ready", http.StatusServiceUnavailable
				h.Failed(r.Context(), need, err)
			}
		})
	}
	asking.Wait()
	return httpapi.WriteJSON(w, code, map[string]any{"status": status, "needs": needs})
}
