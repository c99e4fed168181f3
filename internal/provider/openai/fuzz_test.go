package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/model/llm"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

// FuzzAnswer feeds whatever an endpoint may send to both ways of asking: the outcome
// is an answer that can go into a history, or an error with a meaning.
func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
	f.Add(200, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}},{"id":"a"}]}}]}`)
	f.Add(200, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-7,\"id\":\"a\",\"function\":{\"name\":\"f\"}},{\"function\":{\"arguments\":\"1\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add(200, "data: {\"error\":{\"message\":\"x\",\"type\":\"server_error\"}}\n\n")
	f.Add(200, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":-1}}\n\n: comment\n\nevent: x\n")
	f.Add(429, `{"error":{"message":["a","b"],"code":7,"type":null}}`)
	f.Add(400, `{"error":null}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		rt := roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {body}},
				Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		c, err := openai.New(openai.Config{BaseURL: "http://llm.test/v1", Key: openaitest.Key, Model: "gpt-4o-mini", Retry: llm.Retry{Attempts: 1},
			HTTP: &http.Client{Transport: rt}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Complete(context.Background(), hello())
		settled(t, got, err)
		var said strings.Builder
		got, err = c.Stream(context.Background(), hello(), write(&said))
		settled(t, got, err)
		if err != nil && said.String() != got.Text {
			t.Errorf("said %q, but the response holds %q", said.String(), got.Text)
		}
	})
}

func settled(t *testing.T, got llm.Response, err error) {
	t.Helper()
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) {
			t.Errorf("error without a meaning: %v", err)
		}
		return
	}
	history := append(hello().Messages, llm.Message{Role: llm.Assistant, Text: got.Text, Calls: got.Calls})
	for _, call := range got.Calls {
		history = append(history, llm.Message{Role: llm.ToolRole, CallID: call.ID, Text: "{}"})
	}
	if err := llm.Check(history); err != nil {
		t.Errorf("the answer does not fit a history: %v", err)
	}
}

// FuzzStreamInPieces cuts a stream where a network may: what is said and what comes out is
// the same, however it is cut.
func FuzzStreamInPieces(f *testing.F) {
	chunk := "data: {\"choices\":[{\"delta\":{\"content\":\"çay \"}}]}\n\n"
	f.Add(chunk+chunk+"data: [DONE]\n\n", uint8(1))
	f.Add(strings.ReplaceAll(chunk, "\n", "\r\n")+"data:[DONE]\n\n", uint8(3))
	f.Add(": ping\n\n"+chunk+"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n", uint8(7))
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n"+
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n", uint8(2))
	f.Add("data: {\"error\":{\"message\":\"x\"}}\n\n", uint8(5))
	f.Add("data: {", uint8(1))
	f.Fuzz(func(t *testing.T, body string, size uint8) {
		stream := func(r io.Reader) (said string, got llm.Response, failed bool) {
			rt := roundTrip(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(r), Request: req}, nil
			})
			c, err := openai.New(openai.Config{BaseURL: "http://llm.test/v1", Key: openaitest.Key, Model: "gpt-4o-mini", Retry: llm.Retry{Attempts: 1}, HTTP: &http.Client{Transport: rt}})
			if err != nil {
				t.Fatal(err)
			}
			got, err = c.Stream(context.Background(), hello(), func(d string) error { said += d; return nil })
			return said, got, err != nil
		}
		said, got, failed := stream(strings.NewReader(body))
		saidInPieces, gotInPieces, failedInPieces := stream(&pieces{body, int(size) + 1})
		if said != saidInPieces || failed != failedInPieces || cmp.Diff(got, gotInPieces) != "" {
			t.Errorf("said %q, failed %v, in pieces of %d %q, %v: %s", said, failed, int(size)+1, saidInPieces, failedInPieces, cmp.Diff(got, gotInPieces))
		}
	})
}

// pieces gives at most size bytes at a time.
type pieces struct {
	rest string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}
