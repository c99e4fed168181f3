package gateway

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"merve/internal/cloud/trigger"
)

// FuzzEvent turns whatever is a request into an event and back: method, path, query, host
// and body arrive at the handler as they were sent, one value for each header, and the
// gateway itself never fails.
func FuzzEvent(f *testing.F) {
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST /a%2Fb/%C3%A7//x?a=1&a=2&b=%zz;c HTTP/1.1\r\nHost: h:80\r\nContent-Length: 2\r\n\r\n{}",
		"PUT /%00%ff HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-Many: 1\r\nx-many: 2\r\n\r\n3\r\n\xff\xfe\x00\r\n0\r\n\r\n",
		"GET http://evil.example/x HTTP/1.1\r\nHost: h\r\nCookie: a=1; b=2\r\nCookie: =;;\r\nX-Forwarded-For: 127.0.0.1\r\nX-Trace-Id: a b\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST / HTTP/1.0\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
		"GET /..//./%2e%2e?%00=%0d%0a HTTP/1.1\r\nHost: [::1]\r\nX-Amzn-Trace-Id: Root=x\r\n\r\n",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil || r.Method == "CONNECT" || r.RequestURI == "*" || !utf8.ValidString(r.Host) {
			return // no request, or one that net/http answers by itself
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // net/http hangs up
		}
		r.Body, r.RemoteAddr = io.NopCloser(strings.NewReader(string(body))), "198.51.100.7:4711"
		var event events.APIGatewayV2HTTPRequest
		var seen *http.Request
		inside := trigger.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = r
			b, _ := io.ReadAll(r.Body) // from memory
			_, _ = w.Write(b)
		}))
		keep := function(func(ctx context.Context, payload []byte) ([]byte, error) {
			if err := json.Unmarshal(payload, &event); err != nil {
				return nil, err
			}
			return inside.Invoke(ctx, payload)
		})
		g, err := New([]Route{{"ANY", "/", keep}, {"ANY", "/{rest+}", keep}}, Options{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code == http.StatusNotFound && event.Version == "" {
			return // "//", which no route has
		}
		if w.Code != http.StatusOK || w.Header().Get("X-Trace-Id") == "" {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		compare(t, r, seen, event, body)
		if got := w.Body.Bytes(); r.Method != http.MethodHead && string(got) != string(body) {
			t.Errorf("the body %q came back as %q", body, got)
		}
	})
}

func compare(t *testing.T, sent, seen *http.Request, event events.APIGatewayV2HTTPRequest, body []byte) {
	t.Helper()
	if seen == nil {
		t.Fatal("no handler was called")
	}
	if seen.Method != sent.Method || seen.Host != sent.Host && sent.Host != "" || seen.RemoteAddr != "198.51.100.7:0" {
		t.Errorf("sent %s to %q, seen %s to %q from %s", sent.Method, sent.Host, seen.Method, seen.Host, seen.RemoteAddr)
	}
	if want := cmp.Or(sent.URL.Path, "/"); utf8.ValidString(want) && !strings.Contains(want, "%") && seen.URL.Path != want {
		t.Errorf("path %q seen as %q", want, seen.URL.Path)
	}
	if utf8.ValidString(sent.URL.RawQuery) && seen.URL.RawQuery != sent.URL.RawQuery {
		t.Errorf("query %q seen as %q", sent.URL.RawQuery, seen.URL.RawQuery)
	}
	got := []byte(event.Body)
	if event.IsBase64Encoded {
		var err error
		if got, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
			t.Error(err)
		}
	}
	if string(got) != string(body) {
		t.Errorf("body %q in the event %q", body, got)
	}
	for name := range event.Headers {
		if name != strings.ToLower(name) {
			t.Errorf("header %q is not in lower case", name)
		}
	}
	forwarded := event.Headers["x-forwarded-for"]
	if !strings.HasSuffix(forwarded, "198.51.100.7") {
		t.Errorf("x-forwarded-for %q does not end with who connected", forwarded)
	}
}
