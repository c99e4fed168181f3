package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// event turns a request into the event that AWS would make of it.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func (g *gateway) event(r *http.Request, route *route, params map[string]string, body []byte, trace string) events.APIGatewayV2HTTPRequest {
	now, key := g.o.Now().UTC(), route.key()
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: key,
		RawPath: r.URL.Path, RawQueryString: r.URL.RawQuery, // the path decoded, the query not: so does AWS
		Cookies: cookies(r), Headers: g.headers(r, len(body), trace),
		QueryStringParameters: map[string]string{}, PathParameters: params,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: key, AccountID: "000000000000", Stage: g.o.Stage, RequestID: g.o.NewID(), APIID: "local",
			DomainName: r.Host, DomainPrefix: "local",
			Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, SourceIP: sourceIP(r), UserAgent: r.UserAgent(),
			},
		},
	}
	for name, values := range r.URL.Query() {
		e.QueryStringParameters[name] = strings.Join(values, ",")
	}
	if e.Body = string(body); isBinary(r, body) {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return e
}

// headers returns the headers of a request, and those that the gateway adds.
func (g *gateway) headers(r *http.Request, length int, trace string) map[string]string {
	h := make(map[string]string, len(r.Header)+6)
	for name, values := range r.Header {
		h[strings.ToLower(name)] = strings.Join(values, ",")
	}
	for _, hop := range []string{"cookie", "connection", "keep-alive", "te", "trailer", "upgrade"} {
		delete(h, hop)
	}
	h["host"] = r.Host
	if length > 0 {
		h["content-length"] = strconv.Itoa(length)
	}
	h["x-forwarded-for"] = forwardedFor(r)
	h["x-forwarded-proto"], h["x-forwarded-port"] = "http", "80"
	if r.TLS != nil {
		h["x-forwarded-proto"], h["x-forwarded-port"] = "https", "443"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		h["x-forwarded-port"] = port
	}
	h["x-amzn-trace-id"] = amznTrace(trace, g.o.NewID)
	return h
}

// amznTrace writes a trace id as X-Ray does; one of another form gets a root of its own.
func amznTrace(id string, newID func() string) string {
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		id = newID()
	}
	n := min(8, len(id))
	return "Root=1-" + id[:n] + "-" + id[n:]
}

func cookies(r *http.Request) (out []string) {
	for _, line := range r.Header.Values("Cookie") {
		for c := range strings.SplitSeq(line, ";") {
			out = append(out, strings.TrimSpace(c))
		}
	}
	return out
}

// forwardedFor returns the X-Forwarded-For header as the gateways write it: the client is its last entry.
func forwardedFor(r *http.Request) string {
	return strings.Join(append(slices.Clip(r.Header.Values("X-Forwarded-For")), sourceIP(r)), ", ")
}

func sourceIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// isBinary reports whether AWS passes a body as base64: it does unless the body is text, JSON, XML or
// JavaScript. A form counts as binary.
func isBinary(r *http.Request, body []byte) bool {
	if len(body) == 0 {
		return false
	}
	kind, _, _ := strings.Cut(strings.ToLower(r.Header.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	text := strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml" || kind == "application/javascript"
	return !text || r.Header.Get("Content-Encoding") != "" || !utf8.Valid(body)
}

// writeAnswer writes what a function answered. An answer without a status is a body: AWS
// takes it for JSON.
func writeAnswer(w http.ResponseWriter, answer []byte) error {
	var res events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(answer, &res); err != nil || res.StatusCode == 0 {
		if !json.Valid(answer) {
			return fmt.Errorf("gateway: the function's answer is no JSON")
		}
		res = events.APIGatewayV2HTTPResponse{
			StatusCode: http.StatusOK, Headers: map[string]string{"Content-Type": "application/json"}, Body: string(answer),
		}
	}
	if res.StatusCode < 200 || res.StatusCode > 599 {
		return fmt.Errorf("gateway: the function's answer has status %d", res.StatusCode)
	}
	body := []byte(res.Body)
	if res.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(res.Body); err != nil {
			return fmt.Errorf("gateway: the body of the function's answer: %w", err)
		}
	}
	for name, v := range res.Headers {
		w.Header().Set(name, v)
	}
	for _, own := range []string{"Content-Length", "Connection", "Transfer-Encoding"} {
		w.Header().Del(own)
	}
	for _, c := range res.Cookies {
		w.Header().Add("Set-Cookie", c)
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(body) // the client may have left
	return nil
}
