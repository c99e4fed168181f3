package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

// Health reports that the program is up, which release it is, and which model answers. On request it also checks that the
// services it needs answer.
type Health struct {
	Version string
	Model   string
	Live    string                                      // where pages connect to live conversations: a path of this address, or another one
	Parts   func(ctx context.Context) map[string]string // part: "on", or why it is off; "model" is one
	Needs   map[string]func(ctx context.Context) error  // by what is asked
	// Failed is told why something that is needed does not answer: that is for no stranger.
	Failed func(ctx context.Context, need string, err error)
}

// Routes are the health check, which a balancer may ask each second, and the check of needed services, which sends a
// request to each of them.
func (h Health) Routes() httpapi.Routes {
	return httpapi.Routes{"GET /healthz": h.report, "GET /readyz": h.ready}
}

// report covers only what runs here: if a needed service is down, neither a balancer nor a restart can fix that.
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
	var away []string
	needs := map[string]string{}
	for need, ask := range h.Needs {
		needs[need] = "ok"
		asking.Go(func() {
			if err := ask(ctx); err != nil {
				h.Failed(r.Context(), need, err)
				mu.Lock()
				defer mu.Unlock()
				away = append(away, need)
			}
		})
	}
	asking.Wait()
	if len(away) > 0 {
		slices.Sort(away)
		return fault.New(fault.Unavailable, "not ready: no answer from the %s", strings.Join(away, ", the "))
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"status": "ready", "needs": needs})
}
