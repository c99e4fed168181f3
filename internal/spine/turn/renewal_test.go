package turn_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// overtaken is a transport that gives the answer to a turn's commit only when a renewal of its lease has failed, as
// it does once the turn is committed.
type overtaken struct {
	clock  *clock
	failed chan struct{} // closed by fail
	fail   func()
}

// RoundTrip implements [http.RoundTripper].
func (o *overtaken) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	there := r.Clone(r.Context())
	there.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := wire.RoundTrip(there)
	switch op := r.Header.Get("X-Amz-Target"); {
	case err != nil:
	case strings.HasSuffix(op, "UpdateItem") && resp.StatusCode != http.StatusOK:
		o.fail()
	case strings.HasSuffix(op, "TransactWriteItems") && bytes.Contains(body, []byte("turn#0")):
		o.clock.add(thread.LeaseFor / 3)
		<-o.failed
		select { // a commit that goes by the lease is given up any moment now
		case <-r.Context().Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return resp, cmp.Or(err, r.Context().Err())
}

// A renewal that meets the commit of its turn finds the lease gone. The turn is committed, and says so.
func TestARenewalMeetsTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: "The sea is warm.", Finish: "stop"}, nil
	})
	w.comes(w.from("ann", channel.App, "m1", "how is the sea?"))
	failed := make(chan struct{})
	w.start(dynamotest.Open(t, &overtaken{w.clock, failed, sync.OnceFunc(func() { close(failed) })}))
	w.work()
}
