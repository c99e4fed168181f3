package exchange_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/internal/cloud/exchange"
)

func get(t *testing.T, address string, left *exchange.Departure) (exchange.Answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(left.Watch(t.Context()), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exchange.Do(nil, req, 5)
}

func TestDo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/other", http.StatusFound)
		case "/other":
			t.Error("it followed")
		default:
			_, _ = w.Write([]byte(strings.TrimPrefix(r.URL.Path, "/")))
		}
	}))
	t.Cleanup(server.Close)
	for path, want := range map[string]struct {
		status int
		body   string
		failed bool
	}{
		"/12345": {200, "12345", false}, "/123456": {200, "", true}, "/away": {302, "", true}, // the body of a redirect is longer
	} {
		var left exchange.Departure
		got, err := get(t, server.URL+path, &left)
		if got.Status != want.status || string(got.Body) != want.body || (err != nil) != want.failed || left.Never() {
			t.Errorf("%s: %d %q, %v, never left: %v", path, got.Status, got.Body, err, left.Never())
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String() + "/?key=secret"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var left exchange.Departure
	if _, err := get(t, address, &left); err == nil || !left.Never() || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, never left: %v", err, left.Never())
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-3": 0, "3": 3 * time.Second, "9999999": exchange.MaxWait,
		"Mon, 23 Nov 2026 10:00:07 GMT": 7 * time.Second, "Mon, 23 Nov 2026 09:00:00 GMT": 0, "Mon, 23 Nov 2099 10:00:00 GMT": exchange.MaxWait,
	} {
		if got := exchange.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestIsURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://a.test": true, "http://127.0.0.1:1/x?y": true, "": false, "a.test": false, "/x": false, "ftp://a.test": false, "https:///x": false, "::": false,
	} {
		if exchange.IsURL(address) != want {
			t.Errorf("%q: %v", address, !want)
		}
	}
}
