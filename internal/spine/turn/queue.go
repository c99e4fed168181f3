package turn

import (
	"context"
	"encoding/json"

	"merve/internal/cloud/queue"
)

// Queued implements [Queue] by messages of a queue that keeps those of a thread in their order.
type Queued struct{ To queue.Queue }

type queued struct {
	ThreadID string `json:"threadId"`
}

// Queue implements [Queue].
func (q Queued) Queue(ctx context.Context, threadID, dedupe string) error {
	return queue.SendJSON(ctx, q.To, queue.Message{Group: threadID, Dedupe: dedupe}, queued{threadID})
}

// ReadQueued returns the thread that the body of a message names; ok is false for a body that names none.
func ReadQueued(body string) (threadID string, ok bool) {
	var q queued
	err := json.Unmarshal([]byte(body), &q)
	return q.ThreadID, err == nil && q.ThreadID != ""
}
