package web

import (
	"html"
	"io"
	"maps"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/spine/gate"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// read returns the headers and the body of what handler answers.
func read(t *testing.T, handler http.Handler, path string, header http.Header) (*http.Response, string) {
	t.Helper()
	response := get(t, handler, "GET", path, header)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// directive returns one directive of a response's policy.
func directive(r *http.Response, name string) string {
	for part := range strings.SplitSeq(r.Header.Get("Content-Security-Policy"), "; ") {
		if part == name || strings.HasPrefix(part, name+" ") {
			return part
		}
	}
	return ""
}

func TestSaraAnswers(t *testing.T) {
	t.Parallel()
	sara := Sara(SaraConfig{ImageOrigin: "https://photos.example"})
	tests := []struct {
		method, path  string
		status        int
		kind, sharing string
	}{
		{"GET", "/sara", 200, "text/html; charset=utf-8", "same-origin"},
		{"HEAD", "/sara", 200, "text/html; charset=utf-8", "same-origin"},
		{"GET", "/sara.js", 200, "text/javascript; charset=utf-8", "cross-origin"},
		{"GET", "/sara/live.js", 200, "text/javascript; charset=utf-8", "cross-origin"},
		{"GET", "/sara/socket.js", 200, "text/javascript; charset=utf-8", "cross-origin"},
		{"GET", "/sara/page.css", 200, "text/css; charset=utf-8", "same-origin"},
		{"GET", "/sara/sara.svg", 200, "image/svg+xml", "same-origin"},
		{"GET", "/sara/sara.js", 404, "application/problem+json", "same-origin"},
		{"GET", "/sara/none", 404, "application/problem+json", "same-origin"},
		{"GET", "/sara.html", 404, "application/problem+json", "same-origin"},
		{"GET", "/static/chat.js", 404, "application/problem+json", "same-origin"},
		{"POST", "/sara", 405, "application/problem+json", "same-origin"},
		{"POST", "/sara.js", 405, "application/problem+json", "same-origin"},
	}
	for _, tt := range tests {
		r := get(t, sara, tt.method, tt.path, nil)
		if r.StatusCode != tt.status || r.Header.Get("Content-Type") != tt.kind || r.Header.Get("Cross-Origin-Resource-Policy") != tt.sharing {
			t.Errorf("%s %s: got %d %s shared %s, want %d %s %s", tt.method, tt.path,
				r.StatusCode, r.Header.Get("Content-Type"), r.Header.Get("Cross-Origin-Resource-Policy"), tt.status, tt.kind, tt.sharing)
		}
		for name, want := range map[string]string{
			"default-src": "default-src 'none'", "script-src": "script-src 'self'", "connect-src": "connect-src 'self' https://photos.example",
			"img-src": "img-src 'self' https://photos.example", "require-trusted-types-for": "require-trusted-types-for 'script'",
		} {
			if got := directive(r, name); got != want {
				t.Errorf("%s %s: %q, want %q", tt.method, tt.path, got, want)
			}
		}
	}
	for _, path := range []string{"/sara", "/sara.js", "/sara/page.css"} {
		tag := get(t, sara, "GET", path, nil).Header.Get("ETag")
		if r := get(t, Sara(SaraConfig{}), "GET", path, http.Header{"If-None-Match": {tag}}); tag == "" || r.StatusCode != 304 {
			t.Errorf("%s unchanged: got %d, want 304", path, r.StatusCode)
		}
	}
}

func TestSaraPageLanguage(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, accept, tag, attributes string }{
		{"/sara", "", "en", ""},
		{"/sara", "xx, de;q=0.5, tr-TR;q=0.8, en;q=0", "tr", ""},
		{"/sara?language=he", "tr", "he", ""},
		{"/sara?language=xx", "iw", "he", ""},
		{"/sara?market=girne", "fr", "fr", ` data-market="girne"`},
		{`/sara?market=%22%3E%3Cscript%3E`, "fr", "fr", ""},
	}
	for _, tt := range tests {
		r, body := read(t, Sara(SaraConfig{}), tt.path, http.Header{"Accept-Language": {tt.accept}})
		w := wordsIn(tt.tag)
		tag := `<script src="/sara.js" async data-title="` + w.Report + `" data-language="` + tt.tag + `" data-color="#0e5a5e"` + tt.attributes + `></script>`
		for _, part := range []string{`<html lang="` + tt.tag + `" dir="` + w.Dir() + `">`, tag, "<noscript><p class=\"notice\">" + w.NoScript} {
			if !strings.Contains(body, part) {
				t.Errorf("%s for %q lacks %s", tt.path, tt.accept, part)
			}
		}
		if r.Header.Get("Vary") != "Accept-Language" || r.Header.Get("Content-Language") != tt.tag {
			t.Errorf("%s: Vary %q, Content-Language %q", tt.path, r.Header.Get("Vary"), r.Header.Get("Content-Language"))
		}
	}
}

func TestWidgetIsSmall(t *testing.T) {
	t.Parallel()
	_, body := read(t, Sara(SaraConfig{}), "/sara.js", nil)
	if len(body) >= 30_000 {
		t.Errorf("the widget has %d bytes, want less than 30,000", len(body))
	}
}

// The widget says the same things in every language, and its yes and no are understood.
func TestWidgetWords(t *testing.T) {
	t.Parallel()
	texts, err := textsOf[string](lang.Widget())
	if err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(texts["en"]))
	for tag, of := range texts {
		if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(of))); diff != "" {
			t.Errorf("%s (-English +%s):\n%s", tag, tag, diff)
		}
		for key, text := range of {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", tag, key)
			}
		}
		if gate.Read(of["yes"]) != gate.Yes || gate.Read(of["no"]) != gate.No {
			t.Errorf("%s: %q and %q are not understood as yes and no", tag, of["yes"], of["no"])
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(language.Supported())), slices.Sorted(maps.Keys(texts))); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
}

func TestWordsAreWhole(t *testing.T) {
	t.Parallel()
	var tags []string
	for _, w := range allWords() {
		tags = append(tags, w.Tag)
		for name, field := range reflect.ValueOf(w).Fields() {
			if field.IsZero() {
				t.Errorf("%s lacks %s", w.Tag, name.Name)
			}
		}
		if slices.Contains(w.Steps[:], "") {
			t.Errorf("%s lacks a step", w.Tag)
		}
	}
	if diff := cmp.Diff(language.Supported(), tags); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"":                          {""},
		"tr":                        {"tr"},
		"en;q=0.3, tr-TR, de;q=0.9": {"tr-TR", "de", "en"},
		"en;q=0, de;q=x, fr; q=0.5": {"fr"},
		strings.Repeat("xx,", 100):  slices.Repeat([]string{"xx"}, mostAccepted),
		"en;q=NaN, *;q=0.1":         {"*"},
	}
	for header, want := range tests {
		if diff := cmp.Diff(want, accepted(header)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
	}
}

// --- the report ---

func view() ReportView {
	lat, lng := 35.33812, 33.31734
	at := time.Date(2026, 3, 10, 9, 30, 0, 0, time.UTC)
	return ReportView{
		Title: "Roof", Status: "completed", Address: "Kordonboyu 12", Lat: &lat, Lng: &lng,
		Sections: []ReportSection{{"Damage", "It leaks."}, {"Cause", "Storm."}}, Photos: []ReportPhoto{{"https://photos.example/a?x=1&y=2", "The roof"}, {URL: "https://photos.example/b"}},
		Created: at, Updated: at, ExpiresAt: at.Add(24 * time.Hour), Language: "en", ImageOrigin: "https://photos.example",
	}
}

func reportOf(v ReportView) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Report(w, r, v) })
}

// Every page at a secret address tells nobody of it and is stored by nobody.
func TestReportHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		page   http.Handler
		status int
		images string
	}{
		{reportOf(view()), 200, "img-src 'self' https://photos.example"},
		{http.HandlerFunc(ReportGone), 410, "img-src 'self'"},
		{http.HandlerFunc(ReportMissing), 404, "img-src 'self'"},
	}
	for _, tt := range tests {
		r, body := read(t, tt.page, "/r/1/secret", http.Header{"Accept-Language": {"de"}})
		if r.StatusCode != tt.status {
			t.Errorf("got %d, want %d", r.StatusCode, tt.status)
		}
		for name, want := range map[string]string{
			"X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "ETag": "",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%d: %s %q, want %q", tt.status, name, got, want)
			}
		}
		for name, want := range map[string]string{"img-src": tt.images, "script-src": "", "connect-src": "", "default-src": "default-src 'none'", "style-src": "style-src 'self'"} {
			if got := directive(r, name); got != want {
				t.Errorf("%d: %q, want %q", tt.status, got, want)
			}
		}
		if strings.Contains(body, "<script") || !strings.Contains(body, `<meta name="robots" content="noindex, nofollow, noarchive">`) {
			t.Errorf("%d: the page has a script, or lets itself be listed:\n%s", tt.status, body)
		}
		if head := get(t, tt.page, "HEAD", "/r/1/secret", nil); head.ContentLength <= 0 {
			t.Errorf("HEAD: length %d", head.ContentLength)
		} else if rest, err := io.ReadAll(head.Body); err != nil || len(rest) != 0 {
			t.Errorf("HEAD: %d bytes, %v", len(rest), err)
		}
	}
}

func TestReportSays(t *testing.T) {
	t.Parallel()
	v := view()
	v.Language, v.Zone = "tr-TR", time.FixedZone("EET", 2*60*60)
	_, body := read(t, reportOf(v), "/", nil)
	at := -1
	for _, part := range []string{
		`<html lang="tr" dir="ltr">`, "Roof", "Tamamlandı", "Kordonboyu 12", "35.33812, 33.31734", "11:30", "Damage", "It leaks.", "Cause", "Storm.",
		`<img src="https://photos.example/a?x=1&amp;y=2" alt="The roof"`, `alt="Fotoğraf 2"`, "<svg", "33.317°", `href="https://www.openstreetmap.org/?mlat=35.33812&amp;mlon=33.31734#map=18/35.33812/33.31734"`, "11 Mar 2026",
	} {
		next := strings.Index(body[at+1:], part)
		if next < 0 {
			t.Fatalf("lacks %q behind what stands before it:\n%s", part, body)
		}
		at += next
	}
	_, body = read(t, reportOf(ReportView{Status: "odd", Language: "xx"}), "/", nil)
	for _, part := range []string{"<h1 dir=\"auto\">Damage report</h1>", "No address was given.", "There are no photos.", "odd"} {
		if !strings.Contains(body, part) {
			t.Errorf("an empty report lacks %q", part)
		}
	}
	if strings.Contains(body, "<svg") || strings.Contains(body, "0001") {
		t.Error("an empty report shows a place or a time")
	}
}

// Whatever a customer wrote is shown as it is.
func TestReportTextStaysText(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	v := ReportView{
		Title: attack, Status: attack, Address: attack, Language: attack, Sections: []ReportSection{{attack, attack}},
		Photos: []ReportPhoto{{"javascript:alert(1)", attack}, {attack, attack}}, ImageOrigin: "https://a.example; script-src *",
	}
	r, body := read(t, reportOf(v), "/", nil)
	if found := regexp.MustCompile(`(?i)<script|<img src=x|="javascript:|<[^>"]*\sonerror=`).FindString(body); found != "" {
		t.Errorf("the page has %q", found)
	}
	if got := r.Header.Get("Content-Security-Policy"); strings.Contains(got, "script-src") || strings.Contains(got, "a.example") {
		t.Errorf("policy: %s", got)
	}
}

// An address that is not of the web is no link and loads nothing; its photo still has its caption.
func TestReportLinks(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://photos.example/a?x=1&y=2#z", "http://127.0.0.1:9000/photos/a", "HTTPS://photos.example/a", "/photos/a?x=1",
	} {
		want := `<a href="` + html.EscapeString(address) + `" rel="noopener noreferrer nofollow"><img src="` + html.EscapeString(address) + `" alt="Roof"`
		if _, body := read(t, reportOf(ReportView{Photos: []ReportPhoto{{address, "Roof"}}}), "/", nil); !strings.Contains(body, want) {
			t.Errorf("%s: lacks %s", address, want)
		}
	}
	for _, address := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "\x01javascript:alert(1)", "javascript://photos.example/%0Aalert(1)",
		"data:text/html,<script>alert(1)</script>", "data:image/svg+xml;base64,PHN2Zz4=", "vbscript:x", "blob:https://photos.example/1", "file:///etc/passwd",
		"//other.example/a", "///other.example/a", `/\other.example/a`, `\\other.example\a`, "/\t/other.example/a", "https:other.example", "https:///other.example", "photos/a", "",
	} {
		_, body := read(t, reportOf(ReportView{Photos: []ReportPhoto{{address, "Roof"}}}), "/", nil)
		if strings.Contains(body, "<img") || strings.Contains(body, "<a ") || !strings.Contains(body, ">Roof</figcaption>") {
			t.Errorf("%q: shown as a link or a photo, or without its caption:\n%s", address, body)
		}
	}
}

func TestReportNone(t *testing.T) {
	t.Parallel()
	for _, w := range allWords() {
		header := http.Header{"Accept-Language": {w.Tag}}
		if _, body := read(t, http.HandlerFunc(ReportGone), "/", header); !strings.Contains(body, ">"+w.Gone+"<") || !strings.Contains(body, w.GoneText) || !strings.Contains(body, `dir="`+w.Dir()+`"`) {
			t.Errorf("%s: gone says %s", w.Tag, body)
		}
		if _, body := read(t, http.HandlerFunc(ReportMissing), "/", header); !strings.Contains(body, ">"+w.Missing+"<") || !strings.Contains(body, w.MissingText) {
			t.Errorf("%s: missing says %s", w.Tag, body)
		}
	}
}

func TestSketch(t *testing.T) {
	t.Parallel()
	for _, p := range []place{{35.33812, 33.31734}, {0, 0}, {-89.999, 179.999}, {90, -180}, {66.5, -0.0004}} {
		for name, lines := range map[string][]gridLine{"meridians": p.Meridians(), "parallels": p.Parallels()} {
			for _, l := range lines {
				if l.At < 0 || l.At > sketchWidth || math.IsNaN(l.At) {
					t.Errorf("%s of %v: a line at %v", name, p, l.At)
				}
			}
			if len(lines) > 6 || name == "parallels" && len(lines) < 1 {
				t.Errorf("%s of %v: %d lines", name, p, len(lines))
			}
		}
	}
	one := place{35.33812, 33.31734}
	if diff := cmp.Diff([]gridLine{{113.4, "35.338°"}, {2, ""}}, one.Parallels()); diff != "" {
		t.Errorf("parallels (-want +got):\n%s", diff)
	}
	bad := math.NaN()
	for _, v := range []ReportView{{Lat: &bad, Lng: &one.Lng}, {Lat: &one.Lat}, {Lat: &one.Lat, Lng: new(181.0)}} {
		if got := (reportPage{ReportView: v}).place(); got != nil {
			t.Errorf("place %v, want none", got)
		}
	}
}

func TestAdminAnswers(t *testing.T) {
	t.Parallel()
	admin := Admin(AdminConfig{
		Issuer: "https://issuer.example/pool", ClientID: "c1", SignInOrigins: []string{"https://pool.auth.example", "https://*.example", "nonsense"},
		ImageOrigin: "https://photos.example",
	})
	tests := []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/admin", 200, "text/html; charset=utf-8"},
		{"GET", "/admin/", 200, "text/html; charset=utf-8"},
		{"GET", "/admin/reports/r.1", 200, "text/html; charset=utf-8"},
		{"GET", "/admin/signed-in?code=1", 200, "text/html; charset=utf-8"},
		{"GET", "/admin/config.json", 200, "application/json"},
		{"GET", "/admin/static/admin.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/admin/static/admin.css", 200, "text/css; charset=utf-8"},
		{"GET", "/admin/static/none.js", 404, "application/problem+json"},
		{"GET", "/admin/static/../chat.html", 307, "text/html; charset=utf-8"}, // to the cleaned path, which is a page's
		{"GET", "/admin/api", 404, "application/problem+json"},
		{"GET", "/admin/api/", 404, "application/problem+json"},
		{"GET", "/admin/api/reports", 404, "application/problem+json"},
		{"GET", "/administrator", 404, "application/problem+json"},
		{"POST", "/admin", 405, "application/problem+json"},
		{"POST", "/admin/config.json", 405, "application/problem+json"},
	}
	for _, tt := range tests {
		r := get(t, admin, tt.method, tt.path, nil)
		if r.StatusCode != tt.status || r.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s %s: got %d %s, want %d %s", tt.method, tt.path, r.StatusCode, r.Header.Get("Content-Type"), tt.status, tt.kind)
		}
		if tt.status == 307 {
			continue
		}
		for name, want := range map[string]string{
			"script-src": "script-src 'self'", "connect-src": "connect-src 'self' https://issuer.example https://pool.auth.example", "img-src": "img-src 'self' https://photos.example",
		} {
			if got := directive(r, name); got != want {
				t.Errorf("%s %s: %q, want %q", tt.method, tt.path, got, want)
			}
		}
	}
	if _, body := read(t, admin, "/admin/config.json", nil); body != `{"issuer":"https://issuer.example/pool","clientId":"c1","local":false}` {
		t.Errorf("config: %s", body)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://a.example": "https://a.example", "https://a.example/path?q": "https://a.example", "http://127.0.0.1:8080/x": "http://127.0.0.1:8080", "http://[::1]:8080": "http://[::1]:8080",
		"": "", "a.example": "", "data:text/html": "", "https://*.example": "", "https://a.example;script-src": "", "https://a b": "", "ftp://a.example": "", "https://": "",
	} {
		if got := origin(address); got != want {
			t.Errorf("origin(%q) = %q, want %q", address, got, want)
		}
	}
}
