package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/trigger"
)

var quiet = slog.New(slog.DiscardHandler)

// function is a Go function as a Lambda function.
type function func(context.Context, []byte) ([]byte, error)

func (f function) Invoke(ctx context.Context, payload []byte) ([]byte, error) { return f(ctx, payload) }

func gatewayOf(t *testing.T, o Options, routes ...Route) http.Handler {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	g, err := New(routes, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// seen is what a handler can see of a request.
type seen struct {
	Method, Path, RequestURI, Host, Query string
	Header                                http.Header
	Cookies                               []string
	Form                                  string
	Body                                  string
	Length                                int64
}

// spy answers every request in the same way and keeps what it saw.
type spy struct {
	mu  sync.Mutex
	saw seen
}

func (s *spy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	saw := seen{
		Method: r.Method, Path: r.URL.Path, RequestURI: r.RequestURI, Host: r.Host, Query: r.URL.RawQuery,
		Header: http.Header{}, Body: string(body), Length: r.ContentLength,
	}
	for name, v := range r.Header {
		switch name {
		case "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Amzn-Trace-Id", "Content-Length", "Cookie", "Connection":
		default:
			saw.Header.Set(name, strings.Join(v, ","))
		}
	}
	for _, c := range r.Cookies() {
		saw.Cookies = append(saw.Cookies, c.String())
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err := r.ParseForm(); err == nil {
		saw.Form = r.Form.Encode()
	}
	s.mu.Lock()
	s.saw = saw
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
	http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Path: "/"})
	w.Header().Set("X-Answer", "yes")
	w.WriteHeader(http.StatusCreated)
	w.Write(body)
}

// exchange sends raw bytes to a server of h and returns its answer.
func exchange(t *testing.T, h http.Handler, raw string) *http.Response {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(raw, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res
}

// A request through gateway and trigger arrives as one that is sent directly, and so does
// the answer.
func TestSameAsDirect(t *testing.T) {
	t.Parallel()
	chunked := "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	for name, raw := range map[string]string{
		"plain":           "GET /healthz HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		"root":            "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		"unicode path":    "GET /listings/%C3%A7i%C4%9Fdem%20evi HTTP/1.1\r\nHost: h\r\n\r\n",
		"percent in path": "GET /sale/100%25 HTTP/1.1\r\nHost: h\r\n\r\n",
		"double slash":    "GET //a//b/ HTTP/1.1\r\nHost: h\r\n\r\n",
		"query spelling":  "GET /q?a=x+y&b=x%20y&c=%2B&d=%C3%A7&e&f=&g=1%2F2&h=a;b HTTP/1.1\r\nHost: h\r\n\r\n",
		"repeated query":  "GET /q?b=2&a=1&b=1&a=1 HTTP/1.1\r\nHost: h\r\n\r\n",
		"headers":         "GET /h HTTP/1.1\r\nHost: h:8080\r\nX-Many: a\r\nX-Many: b, c\r\nAccept: */*\r\nAuthorization: Bearer test-token-not-real\r\n\r\n",
		"cookies":         "GET /c HTTP/1.1\r\nHost: h\r\nCookie: a=1; b=x=y\r\nCookie: c=3\r\n\r\n",
		"form":            "POST /f?x=1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\nBody=hi+there%21&From=%2B4912",
		"json":            "POST /j HTTP/1.1\r\nHost: h\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 17\r\n\r\n{\"message\":\"\xc3\xa7\"} ",
		"broken text":     "POST /j HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na\xffb",
		"binary":          "PUT /photo HTTP/1.1\r\nHost: h\r\nContent-Type: image/png\r\nContent-Length: 6\r\n\r\n\x89PNG\x00\xff",
		"no type":         "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
		"chunked":         "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n" + chunked,
		"HEAD":            "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n",
		"DELETE":          "DELETE /x HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct, behind := &spy{}, &spy{}
			h := trigger.HTTP(behind)
			want := exchange(t, direct, raw)
			got := exchange(t, gatewayOf(t, Options{}, Route{"ANY", "/{proxy+}", h}, Route{"ANY", "/", h}), raw)
			if name == "chunked" {
				direct.saw.Length = int64(len(direct.saw.Body)) // the gateway has it whole
			}
			if d := cmp.Diff(direct.saw, behind.saw); d != "" {
				t.Errorf("request: %s", d)
			}
			if got.Header.Get("X-Trace-Id") == "" {
				t.Error("the answer has no x-trace-id")
			}
			for _, own := range []string{"X-Trace-Id", "Date"} {
				want.Header.Del(own)
				got.Header.Del(own)
			}
			if d := cmp.Diff(want.Header, got.Header); d != "" || want.StatusCode != got.StatusCode {
				t.Errorf("status %d, want %d; headers: %s", got.StatusCode, want.StatusCode, d)
			}
			if d := cmp.Diff(text(t, want), text(t, got)); d != "" {
				t.Errorf("answer: %s", d)
			}
		})
	}
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// As in the cloud, an encoded slash is a slash behind the gateway.
func TestEncodedSlashIsASlash(t *testing.T) {
	t.Parallel()
	s := &spy{}
	g := gatewayOf(t, Options{}, Route{"GET", "/threads/{id}", trigger.HTTP(s)}, Route{"GET", "/threads/{id}/{rest}", trigger.HTTP(s)})
	if res := exchange(t, g, "GET /threads/a%2Fb HTTP/1.1\r\nHost: h\r\n\r\n"); res.StatusCode != http.StatusCreated || s.saw.RequestURI != "/threads/a/b" {
		t.Errorf("status %d, RequestURI %q", res.StatusCode, s.saw.RequestURI)
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	var got events.APIGatewayV2HTTPRequest
	f := function(func(_ context.Context, payload []byte) ([]byte, error) {
		return []byte(`{"statusCode":204}`), json.Unmarshal(payload, &got)
	})
	g := gatewayOf(t, Options{
		Now:   func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) },
		NewID: func() string { return "0123456789abcdef0123456789abcdef" },
	}, Route{"POST", "/chat/{id}/{rest+}", f})
	r := httptest.NewRequest("POST", "/chat/t%201/a/b?x=1&x=2&y=%C3%A7", strings.NewReader("Body=hi"))
	r.Host = "localhost:8080"
	r.Header = http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {"a=1; b=2"}, "X-Many": {"1", "2"},
		"X-Forwarded-For": {"198.51.100.1"}, "User-Agent": {"test"}, "Connection": {"close"},
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	if w.Code != 204 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	want := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "POST /chat/{id}/{rest+}", RawPath: "/chat/t 1/a/b", RawQueryString: "x=1&x=2&y=%C3%A7",
		Cookies: []string{"a=1", "b=2"},
		Headers: map[string]string{
			"content-type": "application/x-www-form-urlencoded", "content-length": "7", "host": "localhost:8080", "user-agent": "test",
			"x-many": "1,2", "x-forwarded-for": "198.51.100.1, 192.0.2.1", "x-forwarded-proto": "http", "x-forwarded-port": "8080",
			"x-amzn-trace-id": "Root=1-01234567-89abcdef0123456789abcdef",
		},
		QueryStringParameters: map[string]string{"x": "1,2", "y": "ç"},
		PathParameters:        map[string]string{"id": "t 1", "rest": "a/b"},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "POST /chat/{id}/{rest+}", AccountID: "000000000000", Stage: "$default", RequestID: "0123456789abcdef0123456789abcdef",
			APIID: "local", DomainName: "localhost:8080", DomainPrefix: "local", Time: "21/Nov/2026:10:00:00 +0000", TimeEpoch: 1795255200000,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "POST", Path: "/chat/t 1/a/b", Protocol: "HTTP/1.1", SourceIP: "192.0.2.1", UserAgent: "test"},
		},
		Body: "Qm9keT1oaQ==", IsBase64Encoded: true,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	named := func(name string) Function {
		return function(func(_ context.Context, payload []byte) ([]byte, error) {
			var e events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal(payload, &e); err != nil {
				return nil, err
			}
			return json.Marshal(map[string]any{"statusCode": 200, "body": fmt.Sprint(name, " ", e.PathParameters)})
		})
	}
	g := gatewayOf(t, Options{},
		Route{"GET", "/", named("root")},
		Route{"GET", "/static/{file+}", named("static")},
		Route{"GET", "/chat/threads/{threadId}/messages", named("messages")},
		Route{"GET", "/chat/threads/latest/messages", named("latest")},
		Route{"POST", "/chat/message", named("message")},
		Route{"ANY", "/admin/api/{proxy+}", named("admin")},
		Route{"GET", "/admin/api/{proxy+}", named("admin read")},
		Route{"ANY", "$default", named("default")},
	)
	for request, want := range map[string]string{
		"GET /":                             "root map[]",
		"GET /static/a/b.css":               "static map[file:a/b.css]",
		"GET /static/":                      "default map[]",
		"GET /static":                       "default map[]",
		"GET /chat/threads/t1/messages":     "messages map[threadId:t1]",
		"GET /chat/threads//messages":       "default map[]",
		"GET /chat/threads/latest/messages": "latest map[]",
		"GET /chat/threads/t1/messages/":    "default map[]",
		"GET /chat/threads/t1":              "default map[]",
		"POST /chat/message":                "message map[]",
		"GET /chat/message":                 "default map[]",
		"HEAD /":                            "default map[]",
		"POST /":                            "default map[]",
		"GET /admin/api/markets/1":          "admin read map[proxy:markets/1]",
		"PUT /admin/api/markets/1":          "admin map[proxy:markets/1]",
		"GET /admin/api/":                   "default map[]",
		"GET /nowhere":                      "default map[]",
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if got := w.Body.String(); w.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d %s, want %s", request, w.Code, got, want)
		}
	}
}

// The event of a request that no other route takes says so, and has its path and method.
func TestDefaultRoute(t *testing.T) {
	t.Parallel()
	var got events.APIGatewayV2HTTPRequest
	g := gatewayOf(t, Options{}, Route{"GET", "/a/{b}", function(nil)}, Route{"ANY", "$default", function(func(_ context.Context, payload []byte) ([]byte, error) {
		return []byte(`{"statusCode":204}`), json.Unmarshal(payload, &got)
	})})
	g.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("PUT", "/a/b", nil))
	if got.RouteKey != "$default" || got.RequestContext.RouteKey != "$default" || got.RawPath != "/a/b" || got.RequestContext.HTTP.Method != "PUT" || len(got.PathParameters) > 0 {
		t.Errorf("%+v", got)
	}
}

// Without a default route the gateway answers by itself, as AWS does: it knows no problem document
// and no trace id.
func TestNoRoute(t *testing.T) {
	t.Parallel()
	g := gatewayOf(t, Options{}, Route{"GET", "/a", function(nil)})
	for _, request := range []string{"GET /b", "POST /a", "HEAD /a"} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" || w.Body.String() != `{"message":"Not Found"}` || w.Header().Get("X-Trace-Id") != "" {
			t.Errorf("%s: %d %s %v", request, w.Code, w.Body, w.Header())
		}
	}
}

// isProblem checks that an answer is a problem document with the trace id of its header.
func isProblem(t *testing.T, w *httptest.ResponseRecorder, status int) {
	t.Helper()
	var p fault.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Errorf("%v in %s", err, w.Body)
	}
	if ct := w.Header().Get("Content-Type"); w.Code != status || p.Status != status || ct != "application/problem+json" {
		t.Errorf("status %d (in the document %d), content type %s; want %d", w.Code, p.Status, ct, status)
	}
	if p.TraceID == "" || p.TraceID != w.Header().Get("X-Trace-Id") || p.Title == "" {
		t.Errorf("document %+v, x-trace-id %q", p, w.Header().Get("X-Trace-Id"))
	}
}

func TestWrongRoutes(t *testing.T) {
	t.Parallel()
	f := function(nil)
	for name, routes := range map[string][]Route{
		"twice":                {{"GET", "/a/{x}", f}, {"GET", "/a/{y}", f}},
		"relative":             {{"GET", "a", f}},
		"no method":            {{"", "/a", f}},
		"default of a method":  {{"GET", "$default", f}},
		"two defaults":         {{"ANY", "$default", f}, {"ANY", "$default", f}},
		"lower case":           {{"get", "/a", f}},
		"greedy in the middle": {{"GET", "/{a+}/b", f}},
		"half a parameter":     {{"GET", "/{a", f}},
		"empty parameter":      {{"GET", "/{}", f}},
		"no function":          {{"GET", "/a", nil}},
	} {
		if _, err := New(routes, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit int64
		size  int
		want  int
	}{
		{1000, 1000, http.StatusCreated},
		{1000, 1001, http.StatusRequestEntityTooLarge},
		{0, 10<<20 + 1, http.StatusRequestEntityTooLarge},
	} {
		g := gatewayOf(t, Options{MaxBody: tt.limit}, Route{"POST", "/", trigger.HTTP(&spy{})})
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, tt.size))))
		if w.Code != tt.want {
			t.Errorf("%d bytes: status %d, want %d", tt.size, w.Code, tt.want)
		}
		if tt.want != http.StatusCreated {
			isProblem(t, w, tt.want)
		}
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a body that is too large was read")
	return 0, io.EOF
}

// What says that it is too large is refused before it takes memory.
func TestALargeBodyIsNotRead(t *testing.T) {
	t.Parallel()
	g := gatewayOf(t, Options{}, Route{"POST", "/", trigger.HTTP(&spy{})})
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", unread{t})
	r.ContentLength = 7 << 20
	g.ServeHTTP(w, r)
	isProblem(t, w, http.StatusRequestEntityTooLarge)
}

// Lambda takes events and answers of 6 MB: a body that is given as base64 fills one with 4.5 MB.
func TestPayloadLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind string
		size int
		want int
	}{
		{"text/csv", 5 << 20, http.StatusCreated},
		{"text/csv", 6 << 20, http.StatusRequestEntityTooLarge},
		{"application/x-ndjson", 4 << 20, http.StatusCreated},
		{"application/x-ndjson", 5 << 20, http.StatusRequestEntityTooLarge},
	} {
		g := gatewayOf(t, Options{}, Route{"POST", "/", trigger.HTTP(&spy{})})
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("<", tt.size)))
		r.Header.Set("Content-Type", tt.kind)
		g.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s of %d bytes: status %d, want %d", tt.kind, tt.size, w.Code, tt.want)
		}
	}
}

// A function that thinks for a minute does not keep the caller waiting: the gateway
// answers at its time-out, and the function goes on.
func TestField07_SlowFunctionIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		finished := make(chan error, 1)
		g := gatewayOf(t, Options{}, Route{"POST", "/", function(func(ctx context.Context, _ []byte) ([]byte, error) {
			<-time.After(60 * time.Second)
			finished <- ctx.Err()
			return nil, nil
		})})
		ctx, leave := context.WithCancel(t.Context())
		start := time.Now()
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/", nil))
		if waited := time.Since(start); waited != 30*time.Second {
			t.Errorf("answered after %v, want 30s", waited)
		}
		isProblem(t, w, http.StatusServiceUnavailable)
		leave()
		if err := <-finished; err != nil {
			t.Errorf("the function was stopped: %v", err)
		}
	})
}

func TestFunctionFails(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]function{
		"error":       func(context.Context, []byte) ([]byte, error) { return nil, errors.New("no") },
		"panic":       func(context.Context, []byte) ([]byte, error) { panic("call me at +4917612345678") },
		"nothing":     func(context.Context, []byte) ([]byte, error) { return nil, nil },
		"no JSON":     func(context.Context, []byte) ([]byte, error) { return []byte("<p>"), nil },
		"bad status":  func(context.Context, []byte) ([]byte, error) { return []byte(`{"statusCode":99}`), nil },
		"info status": func(context.Context, []byte) ([]byte, error) { return []byte(`{"statusCode":101}`), nil },
		"too much": func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"statusCode":200,"body":"` + strings.Repeat("x", 6<<20) + `"}`), nil
		},
		"bad base64": func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"statusCode":200,"body":"%","isBase64Encoded":true}`), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			g := gatewayOf(t, Options{Log: telemetry.NewLogger(&log, slog.LevelInfo)}, Route{"GET", "/", f})
			w := httptest.NewRecorder()
			g.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			isProblem(t, w, http.StatusInternalServerError)
			if !strings.Contains(log.String(), w.Header().Get("X-Trace-Id")) || strings.Contains(log.String(), "+49176") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestAnswerWithoutStatusIsABody(t *testing.T) {
	t.Parallel()
	g := gatewayOf(t, Options{}, Route{"GET", "/", function(func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"message":"hi"}`), nil
	})})
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Body.String() != `{"message":"hi"}` {
		t.Errorf("status %d, headers %v, body %s", w.Code, w.Header(), w.Body)
	}
}

// The trace id is one from the client to the handler and back.
func TestTraceID(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"": "0123456789abcdef0123456789abcdef", "mine-1": "mine-1", "not usable": "0123456789abcdef0123456789abcdef"} {
		var inside string
		g := gatewayOf(t, Options{NewID: func() string { return "0123456789abcdef0123456789abcdef" }},
			Route{"GET", "/", trigger.HTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = telemetry.TraceID(r.Context()) }))})
		r := httptest.NewRequest("GET", "/", nil)
		if sent != "" {
			r.Header.Set("X-Trace-Id", sent)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if got := w.Header().Get("X-Trace-Id"); got != want {
			t.Errorf("with %q: answered %q, want %q", sent, got, want)
		}
		if inside != want {
			t.Errorf("inside with %q: %q, want %q", sent, inside, want)
		}
	}
}
