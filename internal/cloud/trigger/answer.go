package trigger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// answer takes what a handler writes. It is whole before any of it goes out, so a
// handler that panics half way is answered with status 500.
type answer struct {
	header http.Header
	sent   http.Header // header when the status was written; later changes do not count
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status != 0 || status < 200 { // an informational one is not the answer
		return
	}
	a.status, a.sent = status, a.header.Clone()
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (o *options) serve(h http.Handler, r *http.Request) *answer {
	trace := telemetry.TraceID(r.Context())
	fresh := func() *answer { return &answer{header: http.Header{"X-Trace-Id": {trace}}} }
	a := fresh()
	if err := o.guard(r.Context(), func() error { h.ServeHTTP(a, r); return nil }); err != nil {
		a = fresh()
		writeProblem(a, fault.ProblemOf(err, trace))
	}
	a.WriteHeader(http.StatusOK)
	return a
}

func writeProblem(w http.ResponseWriter, p fault.Problem) {
	body, _ := json.Marshal(p) // strings and a number always marshal
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // into memory
}

// response is an answer in the form of both payload formats: 1.0 has all values of all
// headers, 2.0 one value each and the cookies apart.
type response struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers,omitempty"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"`
	Cookies           []string            `json:"cookies,omitempty"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`
}

func (a *answer) encode(formatTwo bool, method string) ([]byte, error) {
	body := a.body.Bytes()
	if method == http.MethodHead || a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		body = nil
	}
	if len(body) > 0 && a.sent.Get("Content-Type") == "" {
		a.sent.Set("Content-Type", http.DetectContentType(body)) // as net/http does; the gateway would say JSON
	}
	res := response{StatusCode: a.status, Body: string(body)}
	if !utf8.Valid(body) {
		res.Body, res.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	if formatTwo {
		res.Cookies = a.sent.Values("Set-Cookie")
		a.sent.Del("Set-Cookie")
		res.Headers = make(map[string]string, len(a.sent))
		for name, values := range a.sent {
			res.Headers[name] = strings.Join(values, ",")
		}
	} else {
		res.MultiValueHeaders = maps.Clone(map[string][]string(a.sent))
	}
	out, err := encodeJSON(res)
	if err != nil {
		return nil, fmt.Errorf("trigger: http answer: %w", err)
	}
	return out, nil
}

// encodeJSON leaves <, > and & as they are: an answer may be a page, and Lambda counts
// its bytes.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
