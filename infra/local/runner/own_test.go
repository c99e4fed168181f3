package runner

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// What only this machine may see is shown to its programs that call it by its own name, and to nobody else.
func TestOwnMachine(t *testing.T) {
	t.Parallel()
	h := ownMachine(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, tt := range []struct {
		name, from, host, forwarded string
		want                        int
	}{
		{"loopback", "127.0.0.1:4711", "localhost:8080", "", http.StatusOK},
		{"by its number", "127.0.0.1:4711", "127.0.0.1:8080", "", http.StatusOK},
		{"IPv6", "[::1]:4711", "[::1]:8080", "", http.StatusOK},
		{"another machine", "192.0.2.7:4711", "localhost:8080", "", http.StatusForbidden},
		{"a name that was led here", "127.0.0.1:4711", "evil.example:8080", "", http.StatusForbidden},
		{"a name that begins like ours", "127.0.0.1:4711", "localhost.evil.example", "", http.StatusForbidden},
		{"a tunnel", "127.0.0.1:4711", "localhost:8080", "203.0.113.7", http.StatusForbidden},
		{"no host", "127.0.0.1:4711", "", "", http.StatusForbidden},
	} {
		r := httptest.NewRequest("GET", "/dev/outbox", nil)
		r.RemoteAddr, r.Host = tt.from, tt.host
		if tt.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, w.Code, tt.want)
		}
	}
}
