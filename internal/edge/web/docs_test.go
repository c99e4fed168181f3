package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/edge/api"
	"merve/internal/edge/web"
	"merve/internal/edge/web/docs"
)

// The documents are accessible in both colour schemes, and fit a phone.
func TestDocumentsShown(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	server := httptest.NewServer(web.Docs(docs.Files, docs.Shape(api.Document)))
	t.Cleanup(server.Close)
	for _, path := range []string{"/docs", "/docs/tour", "/docs/promises", "/docs/api"} {
		p := newTab(t, browser, server.URL+path, `document.querySelector('main h1')`, phone)
		p.visit()
		if wide := eval[bool](p, `document.documentElement.scrollWidth > innerWidth`); wide {
			t.Errorf("%s is wider than a phone", path)
		}
		p.prefer("light")
		p.inspectApart(path)
		p.prefer("dark")
		p.inspectApart(path + ", dark")
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	site := web.Docs(docs.Files, docs.Shape(api.Document))
	for path, want := range map[string]string{
		"/docs": "<title>About · Merve</title>", "/docs/tour": "A tour of what it does", "/docs/promises": "<table>",
		"/docs/api": "GET /openapi.yaml", "/docs/docs.css": "--ground",
		"/docs/": "", "/docs/index": "", "/docs/nothing": "", "/docs/tour.md": "", "/docs/a/b": "", "/docs/../tour": "",
	} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		switch body := w.Body.String(); {
		case want == "" && w.Code != http.StatusNotFound:
			t.Errorf("%s: %d, want 404", path, w.Code)
		case want != "" && (w.Code != http.StatusOK || !strings.Contains(body, want)):
			t.Errorf("%s: %d without %q: %.200s", path, w.Code, want, body)
		case want != "" && path != "/docs/docs.css" && w.Header().Get("Content-Type") != "text/html; charset=utf-8":
			t.Errorf("%s is %s", path, w.Header().Get("Content-Type"))
		}
	}
}
