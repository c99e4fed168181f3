package trigger

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"merve/internal/base/telemetry"
)

// HTTP serves h behind an API Gateway HTTP API (payload formats 2.0 and 1.0), an API
// Gateway REST API, or a function URL; the event's shape says which.
//
// The request is as the client sent it: body bytes, query as received, all values of
// headers and cookies, Host. URL.Path is the path that h routes by, below the stage;
// RequestURI is the client's own, with the stage where the client wrote one, and
// [ClientURL] is the whole address, for signatures. What a gateway takes away cannot
// be brought back: an HTTP API decodes the path (%2F is a slash then) and joins repeated
// headers with commas, as function URLs do; a REST API decodes the query.
//
// Every answer has an x-trace-id. A panic in h is answered with status 500.
func HTTP(h http.Handler, opts ...Option) Handler {
	o := with(opts)
	return handlerFunc(func(ctx context.Context, payload []byte) ([]byte, error) {
		var e httpEvent
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, fmt.Errorf("trigger: http event: %w", err)
		}
		r, err := e.request(ctx)
		if err != nil {
			return nil, fmt.Errorf("trigger: http event: %w", err)
		}
		r = r.WithContext(o.trace(r.Context(), traceOf(r.Header)))
		return o.serve(h, r).encode(e.formatTwo(), r.Method)
	})
}

// RequestInfo is what the gateway knows about a request besides the request itself.
type RequestInfo struct {
	Stage     string            // "$default" when the address has none
	SourceIP  string            // who connected to the gateway
	RequestID string            // the gateway's own, in its logs
	Claims    map[string]string // of the token that the gateway's authorizer let through
}

type infoKey struct{}

// Info returns what the gateway said of the request that ctx belongs to. It is zero
// outside of a gateway.
func Info(ctx context.Context) RequestInfo {
	info, _ := ctx.Value(infoKey{}).(RequestInfo)
	return info
}

// ClientURL returns the address that the client called, with scheme, host and query as
// the client wrote them. A custom domain whose mapping has a path of its own takes that
// path away from requests to an HTTP API; there only configuration can tell.
func ClientURL(r *http.Request) string {
	scheme, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	_, gateway := r.Context().Value(infoKey{}).(RequestInfo)
	switch scheme = strings.TrimSpace(scheme); {
	case scheme != "":
	case gateway, r.TLS != nil: // AWS's gateways speak nothing else
		scheme = "https"
	default:
		scheme = "http"
	}
	return scheme + "://" + r.Host + r.RequestURI
}

// httpEvent holds the fields of all shapes. Format 2.0 is also that of function URLs.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
type httpEvent struct {
	Version         string            `json:"version"` // absent in events of REST APIs
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`

	// Format 2.0.
	RawPath        string   `json:"rawPath"`
	RawQueryString string   `json:"rawQueryString"`
	Cookies        []string `json:"cookies"`

	// Format 1.0.
	HTTPMethod        string              `json:"httpMethod"`
	Path              string              `json:"path"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Query             query               `json:"queryStringParameters"`
	MultiValueQuery   query               `json:"multiValueQueryStringParameters"`

	RequestContext struct {
		Stage      string         `json:"stage"`
		RequestID  string         `json:"requestId"`
		DomainName string         `json:"domainName"`
		Path       string         `json:"path"` // format 1.0: as the client wrote it
		Authorizer map[string]any `json:"authorizer"`
		HTTP       struct {
			Method   string `json:"method"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
		Identity struct {
			SourceIP string `json:"sourceIp"`
		} `json:"identity"`
	} `json:"requestContext"`
}

func (e *httpEvent) formatTwo() bool { return e.HTTPMethod == "" }

func (e *httpEvent) request(ctx context.Context) (*http.Request, error) {
	method, query := e.HTTPMethod, e.query()
	if e.formatTwo() {
		method = e.RequestContext.HTTP.Method
	}
	if method == "" {
		return nil, errors.New("neither requestContext.http.method (format 2.0) nor httpMethod (format 1.0)")
	}
	body, err := e.body()
	if err != nil {
		return nil, err
	}
	header := e.header()
	host := header.Get("Host")
	if host == "" {
		host = e.RequestContext.DomainName
	}
	header.Del("Host") // as net/http has it
	below, sent := e.paths()
	r := &http.Request{
		Method: method,
		URL:    requestURL(below, query),
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          http.NoBody,
		ContentLength: int64(len(body)),
		Host:          host,
		RemoteAddr:    net.JoinHostPort(e.sourceIP(), "0"), // the port is not told
		RequestURI:    requestURL(sent, query).RequestURI(),
	}
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.WithContext(context.WithValue(ctx, infoKey{}, RequestInfo{
		Stage:     e.RequestContext.Stage,
		SourceIP:  e.sourceIP(),
		RequestID: e.RequestContext.RequestID,
		Claims:    claims(e.RequestContext.Authorizer),
	})), nil
}

func (e *httpEvent) body() ([]byte, error) {
	if !e.IsBase64Encoded {
		return []byte(e.Body), nil
	}
	body, err := base64.StdEncoding.DecodeString(e.Body)
	if err != nil {
		return nil, fmt.Errorf("body: isBase64Encoded is set, but: %w", err)
	}
	return body, nil
}

func (e *httpEvent) header() http.Header {
	h := make(http.Header, len(e.Headers)+2)
	for name, values := range e.MultiValueHeaders {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	if len(h) == 0 {
		for name, v := range e.Headers {
			h.Add(name, v)
		}
	}
	if len(e.Cookies) > 0 { // taken out of the headers by the gateway
		h.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return h
}

func (e *httpEvent) query() string {
	switch {
	case e.formatTwo():
		return e.RawQueryString
	case e.MultiValueQuery != "":
		return string(e.MultiValueQuery)
	}
	return string(e.Query)
}

func (e *httpEvent) sourceIP() string {
	if e.formatTwo() {
		return e.RequestContext.HTTP.SourceIP
	}
	return e.RequestContext.Identity.SourceIP
}

// paths returns the path below the stage, and the one that the client sent.
//
// An HTTP API puts the name of a stage before every path, whether the client wrote it
// (to the API's own domain) or not (to a custom domain). A REST API gives both paths.
func (e *httpEvent) paths() (below, sent string) {
	if e.Version == "" {
		if sent = e.RequestContext.Path; !strings.HasSuffix(sent, e.Path) {
			sent = e.Path
		}
		return e.Path, sent
	}
	sent = e.RawPath
	if !e.formatTwo() {
		sent = e.Path
	}
	if !strings.Contains(e.RequestContext.DomainName, ".lambda-url.") { // an HTTP API has decoded it, once
		sent = strings.ReplaceAll(sent, "%", "%25")
	}
	below = sent
	stage := "/" + e.RequestContext.Stage
	if rest, ok := strings.CutPrefix(sent, stage); ok && stage != "/" && (rest == "" || rest[0] == '/') {
		below = rest
		if !strings.Contains(e.RequestContext.DomainName, ".execute-api.") {
			sent = rest
		}
	}
	return below, sent
}

func requestURL(path, query string) *url.URL {
	escaped := escapePath(path)
	plain, _ := url.PathUnescape(escaped) // escapePath leaves no broken escape
	u := &url.URL{Path: plain, RawQuery: query}
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
	return u
}

// escapePath makes p a path as it stands in a request. REST APIs and function URLs give
// it so; HTTP APIs decode it. What no encoded path can hold is encoded, the rest stays.
func escapePath(p string) string {
	var b strings.Builder
	if !strings.HasPrefix(p, "/") {
		b.WriteByte('/')
	}
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '%' && i+2 < len(p) && isHex(p[i+1]) && isHex(p[i+2]),
			'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-._~!$&'()*+,;=:@/[]", c) >= 0: // RFC 3986, and [ ] as net/url has it
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// query is a query string put together from the parameters that a REST API decoded, in
// the order in which it gives them.
type query string

// UnmarshalJSON takes an object whose values are strings or lists of strings.
func (q *query) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil { // {, or null
		return err
	}
	var pairs []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return err
		}
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, v := range list {
			pairs = append(pairs, url.QueryEscape(plainText(name))+"="+url.QueryEscape(plainText(v)))
		}
	}
	*q = query(strings.Join(pairs, "&"))
	return nil
}

// claims finds what an authorizer said: a JWT's claims, or a function's own context.
func claims(authorizer map[string]any) map[string]string {
	found := authorizer
	if jwt, ok := authorizer["jwt"].(map[string]any); ok {
		found = jwt
	}
	if c, ok := found["claims"].(map[string]any); ok {
		found = c
	} else if c, ok := authorizer["lambda"].(map[string]any); ok {
		found = c
	}
	out := make(map[string]string, len(found))
	for name, v := range found {
		if s := plainText(v); s != "" {
			out[name] = s
		}
	}
	return out
}

// plainText is a JSON string, number or truth value as text; "" for anything else.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// traceOf returns the trace id that a request came with, or "". One that the client
// chose comes before the gateway's, which is always there.
func traceOf(h http.Header) string {
	if id := h.Get("X-Trace-Id"); id != "" && telemetry.CleanTraceID(id) == id {
		return id
	}
	return rootTrace(h.Get("X-Amzn-Trace-Id"))
}
