package faulttest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// Queue is a queue of turns that is asked over HTTP, as the real one is, so that its calls fail,
// too.
type Queue struct {
	address string
	client  *http.Client
}

// NewQueue returns a queue that hands take what it is given, as [Queue.Queue] gets it.
func NewQueue(t testing.TB, calls *Calls, take func(ctx context.Context, threadID, dedupe string) error) Queue {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := take(r.Context(), r.PostFormValue("thread"), r.PostFormValue("name")); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return Queue{server.URL, &http.Client{Transport: calls}}
}

// Queue asks for a turn of a thread, once for a name.
func (q Queue) Queue(_ context.Context, threadID, dedupe string) error {
	resp, err := q.client.PostForm(q.address, url.Values{"thread": {threadID}, "name": {dedupe}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the queue answered with %d", resp.StatusCode)
	}
	return nil
}
