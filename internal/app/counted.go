package app

import (
	"bytes"
	"context"
	"net/http"

	"merve/internal/cloud/trigger"
)

// counted counts a function's failed items and its calls of providers. Lambda has no error metric for a batch with
// some failed items, nor for a provider that is away.
type counted struct {
	trigger.Handler
	name string
	b    *Process
}

// Invoke implements [trigger.Handler].
func (c counted) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	answer, err := c.Handler.Invoke(ctx, payload)
	if bytes.HasPrefix(answer, []byte(`{"batchItemFailures"`)) {
		failed, _ := trigger.Failures(answer) // which we have just written
		if len(failed) > 0 {
			c.b.counts.Add("FailedItems", float64(len(failed)), "function", c.name)
		}
	}
	c.b.counts.Emit(ctx, c.b.Log, c.b.Now())
	return answer, err
}

// client returns a provider's client, which counts the answers.
func (b *Process) client(provider string) *http.Client {
	return &http.Client{Transport: counting{provider: provider, b: b}}
}

// counting sends requests by Go's own transport, and counts their outcomes.
type counting struct {
	provider string
	b        *Process
}

// RoundTrip implements [http.RoundTripper].
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	outcome := "ok"
	switch {
	case err != nil && r.Context().Err() != nil:
		outcome = "given up" // by who asked, for being too slow or not wanted any more
	case err != nil || resp.StatusCode >= http.StatusInternalServerError:
		outcome = "failed"
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		outcome = "refused" // the key, most likely
	case resp.StatusCode == http.StatusTooManyRequests:
		outcome = "limited"
	case resp.StatusCode >= http.StatusBadRequest:
		outcome = "rejected" // this one request
	}
	c.b.counts.Add("ProviderCalls", 1, "provider", c.provider, "outcome", outcome)
	return resp, err
}
