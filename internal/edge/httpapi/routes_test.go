package httpapi_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/base/telemetry"
	"merve/internal/edge/httpapi"
)

// A path answers the methods that it has routes for, and says which those are to any other. That
// holds, too, for a path that a pattern beside it covers.
func TestRoutes(t *testing.T) {
	t.Parallel()
	says := func(text string) func(http.ResponseWriter, *http.Request) error {
		return func(w http.ResponseWriter, _ *http.Request) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	mux := http.NewServeMux()
	httpapi.Routes{"GET /things/{thing}": says("one"), "PUT /things/{thing}": says("saved"), "POST /things/import": says("imported")}.Register(mux)
	for _, tt := range []struct {
		request, body, allow string
		status               int
	}{
		{request: "GET /things/a", status: 200, body: "one"},
		{request: "HEAD /things/a", status: 200, body: "one"}, // the server drops the body
		{request: "PUT /things/a", status: 200, body: "saved"},
		{request: "POST /things/a", status: 405, allow: "GET, PUT"},
		{request: "POST /things/import", status: 200, body: "imported"},
		{request: "GET /things/import", status: 405, allow: "POST"},
		{request: "HEAD /things/import", status: 405, allow: "POST"},
		{request: "PATCH /things/import", status: 405, allow: "POST"},
		{request: "GET /things", status: 404},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != tt.status || w.Header().Get("Allow") != tt.allow || tt.body != "" && w.Body.String() != tt.body {
			t.Errorf("%s: %d, Allow %q: %s", tt.request, w.Code, w.Header().Get("Allow"), w.Body)
		}
	}
}

// A failure is logged with the route that it happened on, not with what the client put into it.
func TestFailureNamesItsRoute(t *testing.T) {
	t.Parallel()
	mux, log := http.NewServeMux(), &bytes.Buffer{}
	httpapi.Routes{"PUT /things/{thing}": func(http.ResponseWriter, *http.Request) error { return errors.New("the disk is full") }}.Register(mux)
	httpapi.Traced(mux, telemetry.NewLogger(log, slog.LevelInfo)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("PUT", "/things/a", nil))
	if !strings.Contains(log.String(), `"route":"PUT /things/{thing}"`) {
		t.Error(log)
	}
}
