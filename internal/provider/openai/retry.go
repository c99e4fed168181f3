package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"merve/internal/base/pattern"
	"merve/internal/cloud/exchange"
	"merve/internal/model/llm"
)

// try asks until an attempt succeeds, fails for good, or attempts or context run out.
func (e *endpoint) try(ctx context.Context, ask func(ctx context.Context, alive func()) error) error {
	return e.config.Retry.Do(ctx, func(attempt context.Context, alive func()) error {
		state := new(attemptState)
		err := ask(context.WithValue(attempt, attemptKey{}, state), alive)
		if err == nil {
			return nil
		}
		failure := classify(ctx, err, state.retryAfter)
		if llm.IsFinal(err) {
			return llm.Final(failure)
		}
		return failure
	})
}

// classify turns err into our own error. The text leaves out the provider's words: they may
// quote the conversation or the key.
func classify(ctx context.Context, err error, retryAfter time.Duration) *llm.Error {
	var known *llm.Error
	var api *openai.APIError
	var request *openai.RequestError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return &llm.Error{Meaning: llm.Unavailable, Err: fmt.Errorf("asking: %w", ctx.Err())}
	case errors.As(err, &api):
		cause := fmt.Errorf("status %d, type %s, code %s, param %s", api.HTTPStatusCode,
			machineWord(api.Type), machineWord(fmt.Sprint(api.Code)), machineWord(deref(api.Param)))
		return &llm.Error{Meaning: meaning(api.HTTPStatusCode, api.Type), Account: account(api.HTTPStatusCode, api.Type), RetryAfter: retryAfter, Err: cause}
	case errors.As(err, &request):
		return &llm.Error{Meaning: meaning(request.HTTPStatusCode, ""), Account: account(request.HTTPStatusCode, ""), RetryAfter: retryAfter,
			Err: fmt.Errorf("status %d without OpenAI's error body", request.HTTPStatusCode)}
	case errors.As(err, &syntax), errors.As(err, &shape):
		return &llm.Error{Meaning: llm.Malformed, Err: errors.New("the answer is not OpenAI's JSON")}
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses), errors.Is(err, openai.ErrReasoningEffortUnsupported),
		errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return &llm.Error{Meaning: llm.Refused, Err: err}
	}
	return &llm.Error{Meaning: llm.Unavailable, Err: fmt.Errorf("asking: %w", err)} // the connection failed
}

// account reports whether a failure concerns the key or its budget, and so affects every request.
func account(status int, kind string) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || kind == "insufficient_quota"
}

// meaning of a status, or of an error type where a stream gives no status.
func meaning(status int, kind string) llm.Meaning {
	switch {
	case status == http.StatusTooManyRequests && kind == "insufficient_quota":
		return llm.Refused // no money left: waiting does not help
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		return llm.Unavailable
	case status == 0 && kind != "invalid_request_error":
		return llm.Unavailable
	}
	return llm.Refused
}

var notMachine = pattern.New(`[^a-zA-Z0-9_.\[\]-]`)

// machineWord lets through an identifier and nothing that could be a sentence.
func machineWord(s string) string {
	if s == "" || len(s) > 64 || notMachine.MatchString(s) {
		return "unknown"
	}
	return s
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// attemptState is what the transport learns about an attempt and go-openai does not pass on.
type attemptState struct{ retryAfter time.Duration }

type attemptKey struct{}

// doer sends requests for go-openai. It notes the Retry-After of an answer, bounds how much is
// read, and reads failures to their end, so that their connection can be used again.
type doer struct {
	client *http.Client
	now    func() time.Time
}

const (
	maxAnswer  = 8 << 20
	maxFailure = 1 << 16
)

func (d doer) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	if a, ok := req.Context().Value(attemptKey{}).(*attemptState); ok {
		a.retryAfter = retryAfter(resp.Header, d.now())
	}
	limit := int64(maxAnswer)
	if resp.StatusCode >= 400 {
		limit = maxFailure
	}
	resp.Body = bounded{io.LimitReader(resp.Body, limit), resp.Body, resp.StatusCode >= 400}
	return resp, nil
}

// bounded is a body that ends at its bound. One that closes itself at its end is for
// failures of streams, which go-openai reads and leaves open.
type bounded struct {
	io.Reader
	io.Closer
	closeAtEnd bool
}

func (b bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && b.closeAtEnd {
		b.Closer.Close()
	}
	return n, err
}

// retryAfter reads how long an answer asks to wait: OpenAI's milliseconds, else RFC 9110's
// seconds or date. Nonsense is no wish.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	return exchange.RetryAfter(h, now)
}
