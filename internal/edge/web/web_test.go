package web

import (
	"encoding/json"
	"io"
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
	response := recorder.Result()
	if response.Header.Get("Content-Type") == "application/problem+json" { // and nothing after it
		var problem struct{ Status int }
		if err := json.Unmarshal(recorder.Body.Bytes(), &problem); err != nil || problem.Status != response.StatusCode {
			t.Errorf("%s %s: %v, %d in a problem of %d", method, path, err, response.StatusCode, problem.Status)
		}
	}
	return response
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
		{"GET", "/static/log.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/words.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/texts.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/static/chat.css", 200, "text/css; charset=utf-8"},
		{"GET", "/static/merve.svg", 200, "image/svg+xml"},
		{"GET", "/static", 404, "application/problem+json"},
		{"GET", "/static/", 404, "application/problem+json"},
		{"GET", "/static/none.js", 404, "application/problem+json"},
		{"GET", "/static/../web.go", 404, "application/problem+json"},
		{"GET", "/static/%2e%2e/chat.html", 404, "application/problem+json"},
		{"GET", "/chat.html", 404, "application/problem+json"},
		{"GET", "/elsewhere", 404, "application/problem+json"},
		{"POST", "/elsewhere", 404, "application/problem+json"},
		{"OPTIONS", "/elsewhere", 404, "application/problem+json"},
		{"POST", "/", 405, "application/problem+json"},
		{"DELETE", "/static/chat.js", 405, "application/problem+json"},
	}
	for _, tt := range tests {
		response := get(t, chat, tt.method, tt.path, nil)
		if response.StatusCode != tt.status || response.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s %s: got %d %s, want %d %s", tt.method, tt.path,
				response.StatusCode, response.Header.Get("Content-Type"), tt.status, tt.kind)
		}
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' https: data: https://tile.openstreetmap.org", "frame-ancestors 'none'"} {
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

// What the chat page may reach is what it is configured with, and the page says so to its scripts.
func TestChatConfig(t *testing.T) {
	t.Parallel()
	handler := ChatWith(ChatConfig{
		Tiles: "http://tiles.example:8080/{z}/{x}/{y}.png?a=1&b=2", TilesCredit: `© "Us" & them`, TilesCreditURL: "https://us.example/",
		ImageOrigin: "https://photos.example",
	})
	response := get(t, handler, "GET", "/", nil)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := response.Header.Get("Content-Security-Policy")
	for _, want := range []string{"connect-src 'self' https://photos.example;", "img-src 'self' https: data: http://tiles.example:8080 https://photos.example"} {
		if !strings.Contains(got, want) {
			t.Errorf("policy %q lacks %q", got, want)
		}
	}
	if got := response.Header.Get("Permissions-Policy"); !strings.Contains(got, "geolocation=(self)") || !strings.Contains(got, "camera=()") {
		t.Errorf("Permissions-Policy %q, want the location and nothing else", got)
	}
	for _, want := range []string{
		`data-template="http://tiles.example:8080/{z}/{x}/{y}.png?a=1&amp;b=2"`, `data-credit="© &#34;Us&#34; &amp; them"`, `data-href="https://us.example/"`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	own := get(t, ChatWith(ChatConfig{Tiles: "/tiles/{z}/{x}/{y}.png"}), "GET", "/", nil)
	if got := directive(own, "img-src"); got != "img-src 'self' https: data:" {
		t.Errorf("with tiles of its own the page may show %q", got)
	}
	if response = get(t, Admin(AdminConfig{}), "GET", "/admin", nil); !strings.Contains(response.Header.Get("Permissions-Policy"), "geolocation=()") {
		t.Errorf("the controller's pages may ask for the location: %q", response.Header.Get("Permissions-Policy"))
	}
}

// A file that cannot be minified is an error, not half a file.
func TestMinified(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"a.js", "// what\nexport const a = \"x  // y\";  // why\n", `export const a="x  // y"`},
		{"a.css", "/* c */\na > b { color: red; }\n", "a>b{color:red}"},
		{"a.svg", "<svg> </svg>", "<svg> </svg>"},
	} {
		if got, err := minified(tt.name, []byte(tt.body)); err != nil || string(got) != tt.want {
			t.Errorf("%s became %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	if got, err := minified("a.js", []byte("const = ;")); err == nil {
		t.Errorf("what is no script became %q", got)
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
	for _, files := range []fs.FS{chatFiles, saraFiles, liveFiles, adminFiles, payFiles} {
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			body, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			switch {
			case strings.HasPrefix(path, "static/") && files != fs.FS(chatFiles):
				return nil // of the chat page as well
			case path == "sara/sara.js":
				body, err = widgetScript("/live")
			case path == "sara/live.js":
				body, err = minified(path, body)
			case chatFile("/"+path) != "", path == "chat.html":
				body, err = ChatConfig{}.shape(path, body)
			}
			if err != nil {
				return err
			}
			check(path, body)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if total := sizes["chat"] + sizes["static"]; total >= 110_000 {
		t.Errorf("the chat page has %d bytes, want less than 110,000", total)
	}
	for name, limit := range map[string]int{"sara": 50_000, "admin": 250_000, "live": 25_000, "report": 10_000} {
		if sizes[name] == 0 || sizes[name] >= limit {
			t.Errorf("%s has %d bytes, want less than %d", name, sizes[name], limit)
		}
	}
}
