// Package providertest has what stand-ins of providers over HTTP have in common: a server
// that owes nobody an answer once it is closed, and the ways in which connections break. What
// a provider takes, refuses and says is each stand-in's own.
package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Host is a server on a free port of this machine.
type Host struct {
	server *httptest.Server
	closed chan struct{}
	end    sync.Once
}

// Serve starts one.
func Serve(h http.Handler) *Host {
	return &Host{server: httptest.NewServer(h), closed: make(chan struct{})}
}

// Strict starts one that ends with the test, which fails when anything but the routes is asked for.
func Strict(t testing.TB, routes map[string]http.HandlerFunc) *Host {
	mux := http.NewServeMux()
	for pattern, h := range routes {
		mux.HandleFunc(pattern, h)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("no such route: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	})
	h := Serve(mux)
	t.Cleanup(h.Close)
	return h
}

// Requests are what a stand-in was asked.
type Requests struct {
	Private []string // no request may hold any of these, in whatever case

	mu     sync.Mutex
	bodies []string
}

// Take keeps the body of a request to who, and has the test fail when it holds something private.
func (r *Requests) Take(t testing.TB, who string, body []byte) {
	for _, word := range r.Private {
		if strings.Contains(strings.ToLower(string(body)), strings.ToLower(word)) {
			t.Errorf("%s: %q has left in %s", who, word, body)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, string(body))
}

// Asked are the bodies of all requests.
func (r *Requests) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodies)
}

// Close ends the server and every answer that it still owes. A second call does nothing.
func (h *Host) Close() {
	h.end.Do(func() {
		close(h.closed)
		h.server.CloseClientConnections()
		h.server.Close()
	})
}

// URL is the address that takes the place of the provider's.
func (h *Host) URL() string { return h.server.URL }

// Client returns an HTTP client of the server's own, so that its connections end with it.
func (h *Host) Client() *http.Client { return h.server.Client() }

// Hold keeps an answer back until a channel is closed, the client goes away, or the server is
// closed; nil keeps nothing back.
func (h *Host) Hold(r *http.Request, until <-chan struct{}) {
	if until == nil {
		return
	}
	select {
	case <-until:
	case <-r.Context().Done():
	case <-h.closed:
	}
}

// HangUp ends the connection as it is.
func HangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's own way to end a connection
	}
	_ = conn.Close() // it is to be broken, in whatever state
}

// Cut begins an answer and ends the connection in the middle of it.
func Cut(w http.ResponseWriter, status int, begin string) {
	w.Header().Set("Content-Length", "1000")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(begin)) // the client sees the end of it
	_ = http.NewResponseController(w).Flush()
	HangUp(w)
}

// Page answers with what no provider wrote, but something before it.
func Page(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<html><body>" + http.StatusText(status) + "</body></html>"))
}

// JSON answers with v, called kind.
func JSON(w http.ResponseWriter, kind string, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is the test's own doing
}

// Faults are how the next calls go wrong, in order. The zero value has none, and the zero F
// is a call that goes well.
type Faults[F any] struct {
	mu   sync.Mutex
	next []F
}

// Add has more calls go wrong.
func (f *Faults[F]) Add(faults ...F) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, faults...)
}

// Next is how this call goes.
func (f *Faults[F]) Next() (fault F) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.next) > 0 {
		fault, f.next = f.next[0], f.next[1:]
	}
	return fault
}

// Await returns what was taken once it is at least n messages. Look gives what was taken so
// far, and a channel that is closed when there is more.
func Await[M any](ctx context.Context, n int, look func() ([]M, <-chan struct{})) ([]M, error) {
	for {
		messages, more := look()
		if len(messages) >= n {
			return messages, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return messages, fmt.Errorf("waiting for %d messages, %d taken: %w", n, len(messages), ctx.Err())
		}
	}
}
