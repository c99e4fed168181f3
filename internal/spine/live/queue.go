package live

import (
	"context"
	"encoding/json"

	"merve/internal/base/fault"
	"merve/internal/cloud/queue"
)

// Queued implements [Queue] by messages of a queue, one for each piece of work.
type Queued struct{ To queue.Queue }

// Work is the content of a message on the queue.
type Work struct {
	Thread string `json:"threadId"`
	Socket string `json:"socket,omitempty"` // the socket that gets what it missed; empty asks for a turn
	After  string `json:"after,omitempty"`  // the last frame that the socket has
}

// ReadWork reads the body of a message. A body without a thread is [fault.Invalid].
func ReadWork(body string) (Work, error) {
	var w Work
	if err := json.Unmarshal([]byte(body), &w); err != nil || w.Thread == "" {
		return Work{}, fault.New(fault.Invalid, "live work without a thread")
	}
	return w, nil
}

// Turn implements [Queue].
func (q Queued) Turn(ctx context.Context, thread string) error {
	return queue.SendJSON(ctx, q.To, queue.Message{}, Work{Thread: thread})
}

// Replay implements [Queue].
func (q Queued) Replay(ctx context.Context, thread, connection, after string) error {
	return queue.SendJSON(ctx, q.To, queue.Message{}, Work{thread, connection, after})
}
