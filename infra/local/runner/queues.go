package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"merve/infra/local/queue"
	"merve/infra/wiring"
	"merve/internal/fault"
	messages "merve/internal/queue"
)

// workers is how many invocations for one queue this machine runs at a time, where the wiring sets no bound.
const workers = 16

// queues are those that functions of the wiring read, in process and by their names.
type queues map[string]*wiredQueue

type wiredQueue struct {
	*queue.Queue
	wiring.QueueTrigger
	reader string // the function
	failed string // the name of its dead letter
}

// newQueues makes every queue that has a reader.
func newQueues(wired []wiring.Queue, functions []wiring.Function, now func() time.Time, log *slog.Logger) queues {
	all := queues{}
	for _, f := range functions {
		for _, q := range wired {
			if f.Queue != nil && f.Queue.Queue == q.Name {
				all[q.Name] = &wiredQueue{queue.Wired(q, now, log), *f.Queue, f.Name, q.DeadLetter}
			}
		}
	}
	return all
}

// named is the queue of a name in the wiring.
func (qs queues) named(name string) messages.Queue {
	if q := qs[name]; q != nil {
		return q
	}
	return noQueue(name)
}

// noQueue refuses what is sent to a queue that nothing reads.
type noQueue string

func (n noQueue) refuse() error {
	return fault.New(fault.Internal, "no function reads a queue %q", string(n))
}

// Send implements [messages.Queue].
func (n noQueue) Send(context.Context, messages.Message) error { return n.refuse() }

// Hide implements [messages.Queue].
func (n noQueue) Hide(context.Context, string, time.Duration) error { return n.refuse() }

// run gives its messages to its reader until ctx is done or the queue is closed.
func (q *wiredQueue) run(ctx context.Context, invoke queue.Invoke) error {
	return q.Run(ctx, q.Batch, cmp.Or(q.Parallel, workers), invoke)
}

func (qs queues) close() {
	for _, q := range qs {
		q.Close()
	}
}

// QueueState is what a queue holds.
type QueueState struct {
	Name       string       `json:"name"`
	Waiting    int          `json:"waiting"` // for its reader, or for the reader's answer
	DeadLetter string       `json:"deadLetter"`
	Dead       []DeadLetter `json:"dead"` // the oldest first
}

// DeadLetter is a message that was received too often without success.
type DeadLetter struct {
	ID       string    `json:"id"`
	Group    string    `json:"group,omitempty"`
	Body     string    `json:"body"`
	Receives int       `json:"receives"`
	SentAt   time.Time `json:"sentAt"`
}

// ServeHTTP lists the queues with their dead letters.
func (qs queues) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	all := []QueueState{}
	for _, name := range slices.Sorted(maps.Keys(qs)) {
		q := qs[name]
		state := QueueState{Name: name, Waiting: q.Len(), DeadLetter: q.failed, Dead: []DeadLetter{}}
		for _, d := range q.Dead() {
			state.Dead = append(state.Dead, DeadLetter{d.ID, d.Group, d.Body, d.Receives, d.SentAt})
		}
		all = append(all, state)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"queues": all}) // a reader that has gone cannot be told
}
