package quote

import (
	"context"
	"encoding/json"

	"merve/internal/base/fault"
	"merve/internal/cloud/queue"
)

// work is what a message of the queue of pictures asks for.
type work struct {
	Request string `json:"request"`
	Job     string `json:"job"`
}

// Queued has pictures read by messages of a queue, one for each picture.
type Queued struct{ To queue.Queue }

// Read queues the picture of a job.
func (q Queued) Read(ctx context.Context, request, job string) error {
	return queue.SendJSON(ctx, q.To, queue.Message{}, work{request, job})
}

// Work reads the picture that the body of a message names. A body without a picture is [fault.Invalid].
func (p *Pictures) Work(ctx context.Context, body string) error {
	var w work
	if err := json.Unmarshal([]byte(body), &w); err != nil || w.Request == "" || w.Job == "" {
		return fault.New(fault.Invalid, "a message without a picture")
	}
	return p.Run(ctx, w.Request, w.Job)
}
