package trigger

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/telemetry"
)

// seen is what a handler can see of a request.
type seen struct {
	Method, Path, EscapedPath, RequestURI, Host string
	Query                                       string
	Values                                      url.Values
	Header                                      http.Header
	Cookies                                     []string
	Body                                        string
	Length                                      int64
}

func look(t testing.TB, r *http.Request) seen {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	s := seen{
		Method: r.Method, Path: r.URL.Path, EscapedPath: r.URL.EscapedPath(), RequestURI: r.RequestURI, Host: r.Host,
		Query: r.URL.RawQuery, Values: r.URL.Query(), Header: r.Header.Clone(), Body: string(body), Length: r.ContentLength,
	}
	for _, c := range r.Cookies() {
		s.Cookies = append(s.Cookies, c.Name+"="+c.Value)
	}
	s.Header.Del("Cookie")
	return s
}

// A request as a client puts it on the wire, and what becomes of it behind each kind of
// gateway.
var wire = map[string]string{
	"plain":           "GET /healthz HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"root":            "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"unicode path":    "GET /listings/%C3%A7i%C4%9Fdem%20evi HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"path characters": "GET /a:b@c/d!e$f&g'h(i)j*k+l,m;n=o~p HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"query spelling":  "GET /q?a=x+y&b=x%20y&c=%2B&d=%C3%A7&e&f=&g=1%2F2 HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"repeated query":  "GET /q?b=2&a=1&b=1&a=1 HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
	"repeated header": "GET /h HTTP/1.1\r\nHost: api.example.com\r\nX-Many: a\r\nX-Many: b, c\r\nAccept: */*\r\n\r\n",
	"cookies":         "GET /c HTTP/1.1\r\nHost: api.example.com\r\nCookie: a=1; b=x=y\r\n\r\n",
	"form": "POST /webhooks/whatsapp?x=1 HTTP/1.1\r\nHost: api.example.com\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
		"Content-Length: 29\r\n\r\nBody=hi+there%21&From=%2B4912",
	"json":   "POST /chat/message HTTP/1.1\r\nHost: api.example.com\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"message\":\"\xc3\xa7\"} ",
	"binary": "PUT /photo HTTP/1.1\r\nHost: api.example.com\r\nContent-Type: image/png\r\nContent-Length: 6\r\n\r\n\x89PNG\x00\xff",
}

func parse(t testing.TB, raw string) *http.Request {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// through sends an event to a handler and returns what the handler saw.
func through(t testing.TB, event any) (seen, *http.Request) {
	t.Helper()
	payload, ok := event.([]byte)
	if !ok {
		var err error
		if payload, err = json.Marshal(event); err != nil {
			t.Fatal(err)
		}
	}
	var got seen
	var req *http.Request
	h := HTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got, req = look(t, r), r }))
	if _, err := h.Invoke(context.Background(), payload); err != nil {
		t.Fatal(err)
	}
	return got, req
}

func joined(h http.Header) http.Header {
	out := http.Header{}
	for name, v := range h {
		out.Set(name, strings.Join(v, ","))
	}
	return out
}

// functionURLEvent, httpAPIEvent and restAPIEvent make the event that AWS makes of r.
func functionURLEvent(r *http.Request, body string) map[string]any {
	headers := map[string]string{"host": r.Host}
	for name, v := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(v, ",")
	}
	e := map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": r.URL.EscapedPath(), "rawQueryString": r.URL.RawQuery,
		"headers": headers, "isBase64Encoded": true, "body": base64.StdEncoding.EncodeToString([]byte(body)),
		"requestContext": map[string]any{
			"stage": "$default", "domainName": "cccccccccc.lambda-url.eu-west-1.on.aws",
			"http": map[string]any{"method": r.Method, "sourceIp": "203.0.113.7"},
		},
	}
	if c := r.Header.Get("Cookie"); c != "" {
		e["cookies"] = strings.Split(c, "; ")
	}
	return e
}

func httpAPIEvent(r *http.Request, body string) map[string]any {
	e := functionURLEvent(r, body)
	e["rawPath"] = r.URL.Path // decoded
	e["requestContext"].(map[string]any)["domainName"] = "api.example.com"
	delete(e["headers"].(map[string]string), "cookie")
	return e
}

func restAPIEvent(r *http.Request, body string) map[string]any {
	headers := map[string][]string(r.Header.Clone())
	headers["Host"] = []string{r.Host}
	return map[string]any{
		"resource": "/{proxy+}", "httpMethod": r.Method, "path": r.URL.EscapedPath(),
		"multiValueHeaders": headers, "multiValueQueryStringParameters": r.URL.Query(),
		"isBase64Encoded": true, "body": base64.StdEncoding.EncodeToString([]byte(body)),
		"requestContext": map[string]any{"stage": "prod", "path": r.URL.EscapedPath(), "identity": map[string]any{"sourceIp": "203.0.113.7"}},
	}
}

func TestRequestsArriveAsSent(t *testing.T) {
	t.Parallel()
	for name, raw := range wire {
		sent := parse(t, raw)
		direct := look(t, parse(t, raw))
		t.Run(name+"/function URL", func(t *testing.T) {
			t.Parallel()
			got, _ := through(t, functionURLEvent(sent, direct.Body))
			want := direct
			want.Header = joined(direct.Header)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
		t.Run(name+"/HTTP API", func(t *testing.T) {
			t.Parallel()
			got, _ := through(t, httpAPIEvent(sent, direct.Body))
			want := direct
			want.Header = joined(direct.Header)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
		t.Run(name+"/REST API", func(t *testing.T) {
			t.Parallel()
			got, _ := through(t, restAPIEvent(sent, direct.Body))
			want := direct
			want.Query, want.RequestURI = got.Query, got.RequestURI // decoded by the gateway: only the values are the same
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEncodedSlash(t *testing.T) {
	t.Parallel()
	sent := parse(t, "GET /threads/a%2Fb%25/x HTTP/1.1\r\nHost: h\r\n\r\n")
	for name, tt := range map[string]struct {
		event map[string]any
		want  [3]string
	}{
		"function URL": {functionURLEvent(sent, ""), [3]string{"/threads/a/b%/x", "/threads/a%2Fb%25/x", "/threads/a%2Fb%25/x"}},
		"REST API":     {restAPIEvent(sent, ""), [3]string{"/threads/a/b%/x", "/threads/a%2Fb%25/x", "/threads/a%2Fb%25/x"}},
		// The gateway has decoded it: the slash cannot be told any more, the percent sign can.
		"HTTP API": {httpAPIEvent(sent, ""), [3]string{"/threads/a/b%/x", "/threads/a/b%25/x", "/threads/a/b%25/x"}},
	} {
		got, _ := through(t, tt.event)
		if d := cmp.Diff(tt.want, [3]string{got.Path, got.EscapedPath, got.RequestURI}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A decoded path may hold what would end a path.
func TestDecodedPathStaysAPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a?b":     "/a%3Fb",
		"/a#b":     "/a%23b",
		"/a b":     "/a%20b",
		"/100%":    "/100%25",
		"/%zz":     "/%25zz",
		"/%2F":     "/%252F", // that of a name, and no slash
		"":         "/",
		"a":        "/a",
		"//evil/x": "//evil/x",
		"/ç\x00":   "/%C3%A7%00",
	} {
		e := httpAPIEvent(parse(t, wire["plain"]), "")
		e["rawPath"], e["rawQueryString"] = path, "q=1"
		got, _ := through(t, e)
		if got.EscapedPath != want || got.RequestURI != want+"?q=1" || got.Query != "q=1" {
			t.Errorf("%q: path %q, RequestURI %q, query %q; want path %q", path, got.EscapedPath, got.RequestURI, got.Query, want)
		}
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		url, query, trace string
		accept            []string
		info              RequestInfo
	}{
		"httpapi": {
			url:    "https://aaaaaaaaaa.execute-api.eu-west-1.amazonaws.com/webhooks/whatsapp?a=1&a=2&b=x%20y+z",
			query:  "a=1&a=2&b=x%20y+z",
			accept: []string{"*/*,text/html"},
			info: RequestInfo{Stage: "$default", SourceIP: "203.0.113.7", RequestID: "LV7fzho-PHcEJPw=",
				Claims: map[string]string{"sub": "user-1", "groups": "[admin staff]"}},
		},
		"restapi": {
			url:    "https://bbbbbbbbbb.execute-api.eu-west-1.amazonaws.com/prod/webhooks/whatsapp?b=x+y%2Bz&a=1&a=2",
			query:  "b=x+y%2Bz&a=1&a=2",
			accept: []string{"*/*", "text/html"},
			info: RequestInfo{Stage: "prod", SourceIP: "203.0.113.7", RequestID: "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
				Claims: map[string]string{"sub": "user-1", "groups": "[admin staff]"}},
		},
		"functionurl": {
			url:    "https://cccccccccc.lambda-url.eu-west-1.on.aws/webhooks/whatsapp?a=1&a=2&b=x%20y+z",
			query:  "a=1&a=2&b=x%20y+z",
			accept: []string{"*/*,text/html"},
			info: RequestInfo{Stage: "$default", SourceIP: "203.0.113.7", RequestID: "e1506fd5-9e7b-434f-bd42-4f8fa224b599",
				Claims: map[string]string{}},
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got, r := through(t, sample(t, file))
			if d := cmp.Diff(want.url, ClientURL(r)); d != "" {
				t.Error("ClientURL: " + d)
			}
			if d := cmp.Diff(want.info, Info(r.Context())); d != "" {
				t.Error("Info: " + d)
			}
			if d := cmp.Diff(want.accept, got.Header["Accept"]); d != "" {
				t.Error("Accept: " + d)
			}
			if got.Path != "/webhooks/whatsapp" || got.Query != want.query || got.Body != "Body=hi%21" || got.Length != 10 {
				t.Errorf("got path %q query %q body %q length %d", got.Path, got.Query, got.Body, got.Length)
			}
			if d := cmp.Diff([]string{"session=abc", "theme=dark"}, got.Cookies); d != "" {
				t.Error("cookies: " + d)
			}
			if r.RemoteAddr != "203.0.113.7:0" || got.Header.Get("Host") != "" {
				t.Errorf("RemoteAddr %q, Host header %q", r.RemoteAddr, got.Header.Get("Host"))
			}
			if id := telemetry.TraceID(r.Context()); id != "5e9f0c651de4d666d4dd26aced652b6c" {
				t.Errorf("trace id %q, want the X-Ray root's", id)
			}
		})
	}
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		version, stage, domain, path string
		below, client                string
	}{
		"no stage":                 {"2.0", "$default", "a.execute-api.eu-west-1.amazonaws.com", "/chat", "/chat", "/chat"},
		"stage in the address":     {"2.0", "prod", "a.execute-api.eu-west-1.amazonaws.com", "/prod/chat", "/chat", "/prod/chat"},
		"stage alone":              {"2.0", "prod", "a.execute-api.eu-west-1.amazonaws.com", "/prod", "/", "/prod"},
		"custom domain":            {"2.0", "prod", "api.example.com", "/prod/chat", "/chat", "/chat"},
		"path begins like a stage": {"2.0", "prod", "api.example.com", "/production/chat", "/production/chat", "/production/chat"},
		"format 1.0":               {"1.0", "prod", "a.execute-api.eu-west-1.amazonaws.com", "/prod/chat", "/chat", "/prod/chat"},
		"REST API, custom domain with the path as it is": {"", "chat", "api.example.com", "/chat/message", "/chat/message", "/chat/message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := map[string]any{
				"version": tt.version, "headers": map[string]string{"host": "h"},
				"requestContext": map[string]any{"stage": tt.stage, "domainName": tt.domain, "path": tt.path, "http": map[string]any{"method": "GET"}},
			}
			if tt.version == "2.0" {
				e["rawPath"] = tt.path
			} else {
				e["path"], e["httpMethod"] = tt.path, "GET"
			}
			got, r := through(t, e)
			if got.Path != tt.below || ClientURL(r) != "https://h"+tt.client {
				t.Errorf("path %q, address %q; want %q, https://h%s", got.Path, ClientURL(r), tt.below, tt.client)
			}
		})
	}
}

// twilioSignature signs as https://www.twilio.com/docs/usage/security says.
func twilioSignature(address string, form url.Values) string {
	mac := hmac.New(sha1.New, []byte("12345")) // Twilio's published example
	io.WriteString(mac, address)
	for _, name := range slices.Sorted(maps.Keys(form)) {
		io.WriteString(mac, name+form.Get(name))
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// What a signature is made over comes through every gateway: the address with stage and
// query, and each parameter of the form.
func TestField08_SignaturesHoldBehindEveryGateway(t *testing.T) {
	t.Parallel()
	const published = "RSOYDt4T1cUTdK1PDd93/VVr8B8=" // by Twilio, with its own libraries
	form := url.Values{"CallSid": {"CA1234567890ABCDE"}, "Caller": {"+14158675309"}, "Digits": {"1234"},
		"From": {"+14158675309"}, "To": {"+18005551212"}}
	raw := fmt.Sprintf("POST /myapp.php?foo=1&bar=2 HTTP/1.1\r\nHost: mycompany.com\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"X-Forwarded-Proto: https\r\nContent-Length: %d\r\n\r\n%s", len(form.Encode()), form.Encode())
	r := parse(t, raw)
	rest := restAPIEvent(r, form.Encode())
	rest["multiValueQueryStringParameters"] = json.RawMessage(`{"foo":["1"],"bar":["2"]}`)
	custom := httpAPIEvent(r, form.Encode())
	custom["rawPath"] = "/prod/myapp.php"
	custom["requestContext"].(map[string]any)["stage"] = "prod"
	custom["requestContext"].(map[string]any)["domainName"] = "mycompany.com"
	single := restAPIEvent(r, form.Encode())
	delete(single, "multiValueQueryStringParameters")
	single["queryStringParameters"] = json.RawMessage(`{"foo":"1","bar":"2"}`)
	plain := functionURLEvent(r, "")
	plain["body"], plain["isBase64Encoded"] = form.Encode(), false
	for name, event := range map[string]map[string]any{
		"HTTP API": httpAPIEvent(r, form.Encode()), "HTTP API, stage, custom domain": custom,
		"REST API": rest, "REST API, single values": single,
		"function URL": functionURLEvent(r, form.Encode()), "function URL, plain body": plain,
	} {
		got, req := through(t, event)
		gotForm, err := url.ParseQuery(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if s := twilioSignature(ClientURL(req), gotForm); s != published {
			t.Errorf("%s: signature over %s is %s, want %s", name, ClientURL(req), s, published)
		}
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		authorizer string
		want       map[string]string
	}{
		"none":             {`null`, map[string]string{}},
		"JWT":              {`{"jwt":{"claims":{"sub":"u"},"scopes":["a"]}}`, map[string]string{"sub": "u"}},
		"Cognito":          {`{"claims":{"sub":"u"}}`, map[string]string{"sub": "u"}},
		"function, v2":     {`{"lambda":{"user":"u","n":12,"ok":true}}`, map[string]string{"user": "u", "n": "12", "ok": "true"}},
		"function, REST":   {`{"principalId":"admin","clientId":1}`, map[string]string{"principalId": "admin", "clientId": "1"}},
		"IAM has no claim": {`{"iam":{"userId":"x"}}`, map[string]string{}},
	} {
		e := httpAPIEvent(parse(t, wire["plain"]), "")
		e["requestContext"].(map[string]any)["authorizer"] = json.RawMessage(tt.authorizer)
		_, r := through(t, e)
		if d := cmp.Diff(tt.want, Info(r.Context()).Claims); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if d := cmp.Diff(RequestInfo{}, Info(context.Background())); d != "" {
		t.Errorf("outside of a gateway: %s", d)
	}
}

func TestTraceID(t *testing.T) {
	t.Parallel()
	newID := func() string { return "fresh" }
	for name, tt := range map[string]struct {
		headers map[string]string
		want    string
	}{
		"none":                   {nil, "fresh"},
		"gateway's":              {map[string]string{"x-amzn-trace-id": "Self=1-1-1;Root=1-5e9f0c65-1de4d666d4dd26aced652b6c;Sampled=1"}, "5e9f0c651de4d666d4dd26aced652b6c"},
		"client's comes first":   {map[string]string{"x-trace-id": "mine-1", "x-amzn-trace-id": "Root=1-5e9f0c65-1de4d666d4dd26aced652b6c"}, "mine-1"},
		"client's is unusable":   {map[string]string{"x-trace-id": "a b\n", "x-amzn-trace-id": "Root=1-5e9f0c65-1de4d666d4dd26aced652b6c"}, "5e9f0c651de4d666d4dd26aced652b6c"},
		"gateway's is malformed": {map[string]string{"x-amzn-trace-id": "Root=1-<script>"}, "fresh"},
	} {
		e := httpAPIEvent(parse(t, wire["plain"]), "")
		e["headers"] = tt.headers
		payload, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var inside string
		out, err := HTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			inside = telemetry.TraceID(r.Context())
		}), traceIDs(newID)).Invoke(context.Background(), payload)
		if err != nil {
			t.Fatal(err)
		}
		if answered := decode(t, out).Headers["X-Trace-Id"]; inside != tt.want || answered != tt.want {
			t.Errorf("%s: in context %q, in the answer %q, want %q", name, inside, answered, tt.want)
		}
	}
}

func decode(t testing.TB, out []byte) response {
	t.Helper()
	var r response
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	two := httpAPIEvent(parse(t, wire["plain"]), "")
	one := restAPIEvent(parse(t, wire["plain"]), "")
	head := httpAPIEvent(parse(t, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"), "")
	for name, tt := range map[string]struct {
		event   map[string]any
		handler http.HandlerFunc
		want    response
	}{
		"nothing written": {two, func(http.ResponseWriter, *http.Request) {},
			response{StatusCode: 200, Headers: map[string]string{"X-Trace-Id": "t"}}},
		"page": {two, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>çay & simit</p>") },
			response{StatusCode: 200, Headers: map[string]string{"X-Trace-Id": "t", "Content-Type": "text/html; charset=utf-8"}, Body: "<p>çay & simit</p>"}},
		"status and headers": {two, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("Vary", "Origin")
			w.Header().Add("Vary", "Cookie")
			w.Header().Set("Location", "/x")
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(202)
			w.WriteHeader(500)
			w.Header().Set("Too", "late")
		}, response{StatusCode: 202, Headers: map[string]string{"X-Trace-Id": "t", "Vary": "Origin,Cookie", "Location": "/x"}}},
		"cookies, format 2.0": {two, func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
			http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", HttpOnly: true})
		}, response{StatusCode: 200, Headers: map[string]string{"X-Trace-Id": "t"}, Cookies: []string{"a=1", "b=2; HttpOnly"}}},
		"cookies, format 1.0": {one, func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
			http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
			w.Header().Add("Vary", "Origin")
			w.Header().Add("Vary", "Cookie")
		}, response{StatusCode: 200, MultiValueHeaders: map[string][]string{
			"X-Trace-Id": {"t"}, "Set-Cookie": {"a=1", "b=2"}, "Vary": {"Origin", "Cookie"}}}},
		"binary": {two, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("\x89PNG\r\n\x1a\n\xff")) },
			response{StatusCode: 200, Headers: map[string]string{"X-Trace-Id": "t", "Content-Type": "image/png"},
				Body: base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\xff")), IsBase64Encoded: true}},
		"HEAD": {head, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "body") },
			response{StatusCode: 200, Headers: map[string]string{"X-Trace-Id": "t"}}},
		"204": {two, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); io.WriteString(w, "x") },
			response{StatusCode: 204, Headers: map[string]string{"X-Trace-Id": "t"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			payload, err := json.Marshal(tt.event)
			if err != nil {
				t.Fatal(err)
			}
			out, err := HTTP(tt.handler, traceIDs(func() string { return "t" })).Invoke(context.Background(), payload)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, decode(t, out)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestPanicIsAnsweredAndLogged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		panic  func()
		logged string
	}{
		//lint:ignore SA5000 a runtime error is what is wanted
		"runtime error": {func() { var m map[string]int; m["a"] = 1 }, "assignment to entry in nil map"},
		"value":         {func() { panic("call me at +4917612345678") }, "of type string"},
		"abort":         {func() { panic(http.ErrAbortHandler) }, "of type *errors.errorString"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			h := HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "half a page")
				tt.panic()
			}), Log(telemetry.NewLogger(&log, slog.LevelInfo)), traceIDs(func() string { return "trace-1" }))
			payload, err := json.Marshal(httpAPIEvent(parse(t, wire["plain"]), ""))
			if err != nil {
				t.Fatal(err)
			}
			out, err := h.Invoke(context.Background(), payload)
			if err != nil {
				t.Fatal(err)
			}
			want := response{
				StatusCode: 500, Headers: map[string]string{"X-Trace-Id": "trace-1", "Content-Type": "application/problem+json"},
				Body: `{"type":"about:blank","title":"internal","status":500,"detail":"internal error","traceId":"trace-1"}`,
			}
			if d := cmp.Diff(want, decode(t, out)); d != "" {
				t.Error(d)
			}
			for _, s := range []string{tt.logged, `"traceId":"trace-1"`, "http_test.go"} {
				if !strings.Contains(log.String(), s) {
					t.Errorf("log has no %q: %s", s, log.String())
				}
			}
			if strings.Contains(log.String(), "+49176") {
				t.Errorf("the panic's value is in the log: %s", log.String())
			}
		})
	}
}

func TestWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		``, `null`, `{}`, `[]`, `{"version":"2.0"}`, `{"Records":[]}`,
		`{"httpMethod":"POST","path":"/","body":"%%%","isBase64Encoded":true}`,
	} {
		out, err := HTTP(http.NotFoundHandler()).Invoke(context.Background(), []byte(payload))
		if err == nil {
			t.Errorf("%s: answered with %s, want an error", payload, out)
		}
	}
}

func FuzzHTTPEvent(f *testing.F) {
	for _, name := range []string{"httpapi", "restapi", "functionurl"} {
		f.Add(sample(f, name))
	}
	f.Add([]byte(`{"version":"2.0","rawPath":"/%2","rawQueryString":"%","requestContext":{"stage":"a","http":{"method":"GET"}}}`))
	f.Add([]byte(`{"httpMethod":"GET","path":"//a","queryStringParameters":{"a":1,"b":null},"headers":{"":""}}`))
	h := HTTP(echo(f), quiet())
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := h.Invoke(context.Background(), payload)
		if err != nil {
			return
		}
		if a := decode(t, out); a.StatusCode != 200 {
			t.Errorf("status %d for %s", a.StatusCode, payload)
		}
	})
}

// echo answers with what it got, and checks that it is a request as net/http makes them.
func echo(t testing.TB) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || int64(len(body)) != r.ContentLength {
			t.Errorf("body of %d bytes, ContentLength %d, error %v", len(body), r.ContentLength, err)
		}
		if u, err := url.ParseRequestURI(r.URL.RequestURI()); err != nil && !strings.ContainsFunc(r.URL.RawQuery, isControl) {
			t.Errorf("request to %q: %v", r.URL.RequestURI(), err)
		} else if err == nil && u.Path != r.URL.Path {
			t.Errorf("path %q reads as %q", r.URL.Path, u.Path)
		}
		_ = ClientURL(r)
		w.Header().Set("X-Path", r.URL.Path)
		w.Write(body)
	})
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }
