package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

func get(t *testing.T, handler http.Handler, method, path string, header http.Header) *http.Response {
	t.Helper()
	request := httptest.NewRequest(method, path, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	chat := Chat()
	tests := []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/static/chat.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/conversation.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/words.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/chat.css", 200, "text/css; charset=utf-8"},
		{"GET", "/static/merve.svg", 200, "image/svg+xml"},
		{"GET", "/static", 404, "application/problem+json"},
		{"GET", "/static/", 404, "application/problem+json"},
		{"GET", "/static/none.js", 404, "application/problem+json"},
		{"GET", "/static/../web.go", 404, "application/problem+json"},
		{"GET", "/static/%2e%2e/chat.html", 404, "application/problem+json"},
		{"GET", "/chat.html", 404, "application/problem+json"},
		{"GET", "/elsewhere", 404, "application/problem+json"},
		{"POST", "/", 405, "application/problem+json"},
		{"DELETE", "/static/chat.js", 405, "application/problem+json"},
	}
	for _, tt := range tests {
		response := get(t, chat, tt.method, tt.path, nil)
		if response.StatusCode != tt.status || response.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s %s: got %d %s, want %d %s", tt.method, tt.path,
				response.StatusCode, response.Header.Get("Content-Type"), tt.status, tt.kind)
		}
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' https: data:", "frame-ancestors 'none'"} {
			if got := response.Header.Get("Content-Security-Policy"); !strings.Contains(got, part) {
				t.Errorf("%s %s: policy %q lacks %q", tt.method, tt.path, got, part)
			}
		}
		if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s %s: X-Content-Type-Options %q", tt.method, tt.path, got)
		}
		if got := response.Header.Get("Referrer-Policy"); got != "no-referrer" {
			t.Errorf("%s %s: Referrer-Policy %q", tt.method, tt.path, got)
		}
		if got := response.Header.Get("Allow"); (tt.status == 405) != (got == "GET, HEAD") {
			t.Errorf("%s %s: Allow %q", tt.method, tt.path, got)
		}
	}
}

func TestUnchangedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	chat, other := Chat(), Chat()
	seen := map[string]string{}
	for _, path := range []string{"/", "/static/chat.js", "/static/chat.css"} {
		first := get(t, chat, "GET", path, nil)
		tag := first.Header.Get("ETag")
		if !regexp.MustCompile(`^"[\w-]{22}"$`).MatchString(tag) {
			t.Errorf("%s: ETag %q", path, tag)
		}
		if before, ok := seen[tag]; ok {
			t.Errorf("%s has the ETag of %s", path, before)
		}
		seen[tag] = path
		if got := first.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		// Another process with the same files knows the validator too.
		again := get(t, other, "GET", path, http.Header{"If-None-Match": {tag}})
		if again.StatusCode != 304 || again.ContentLength > 0 {
			t.Errorf("%s unchanged: got %d with %d bytes, want 304 with none", path, again.StatusCode, again.ContentLength)
		}
		if changed := get(t, chat, "GET", path, http.Header{"If-None-Match": {`"old"`}}); changed.StatusCode != 200 {
			t.Errorf("%s changed: got %d, want 200", path, changed.StatusCode)
		}
	}
}

// The pages are small, and whatever they load is their own.
func TestPagesStandAlone(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{} // by page
	foreign := regexp.MustCompile(`(?:src|href|url|import|from)\s*[=(]?\s*["'(]?\s*(?:https?:)?//[^\s"')]+`)
	inline := regexp.MustCompile(`(?i)\son\w+\s*=\s*"|<style|\sstyle\s*=\s*"|<script(?:\s[^>]*)?>[^<]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(`)
	check := func(path string, body []byte) {
		name, _, _ := strings.Cut(strings.TrimSuffix(path, ".html"), "/")
		sizes[name] += len(body)
		if found := foreign.Find(body); found != nil {
			t.Errorf("%s loads %s", path, found)
		}
		if found := inline.Find(body); found != nil {
			t.Errorf("%s has %s, which the policy forbids", path, found)
		}
	}
	_, body := read(t, Sara(SaraConfig{}), "/sara?market=girne", nil)
	check("sara.html", []byte(body))
	_, body = read(t, reportOf(ReportView{Title: "Roof", Sections: []ReportSection{{"Damage", "It leaks."}}, Created: time.Now()}), "/", nil)
	check("report.html", []byte(body))
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		if path == "sara/sara.js" {
			body = lean(body)
		}
		check(path, body)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total := sizes["chat"] + sizes["static"]; total >= 100_000 {
		t.Errorf("the chat page has %d bytes, want less than 100,000", total)
	}
	for name, limit := range map[string]int{"sara": 50_000, "admin": 60_000, "report": 10_000} {
		if sizes[name] == 0 || sizes[name] >= limit {
			t.Errorf("%s has %d bytes, want less than %d", name, sizes[name], limit)
		}
	}
}
