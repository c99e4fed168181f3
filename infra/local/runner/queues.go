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
	"merve/internal/base/fault"
	messages "merve/internal/cloud/queue"
)

// workers is how many invocations for one queue this machine runs at a time, where the wiring sets no bound.
const workers = 16

// queues holds the queues that functions of the wiring read or leave failed messages in, in process
// and by their names.
type queues map[string]*wiredQueue

type wiredQueue struct {
	*queue.Queue
	wiring.QueueTrigger
	wired wiring.Queue
}

// newQueues makes every queue that has a reader, and every dead letter that functions send to.
// The other dead letters are part of the queues they belong to.
func newQueues(wired []wiring.Queue, functions []wiring.Function, now func() time.Time, log *slog.Logger) queues {
	all := queues{}
	for _, q := range wired {
		if q.DeadLetter == "" && q.Env != "" {
			all[q.Name] = &wiredQueue{queue.Wired(q, now, log), wiring.QueueTrigger{}, q}
		}
		for _, f := range functions {
			if f.Queue != nil && f.Queue.Queue == q.Name {
				all[q.Name] = &wiredQueue{queue.Wired(q, now, log), *f.Queue, q}
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

// noQueue refuses messages to a queue that nothing reads.
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

// QueueState is the content of a queue.
type QueueState struct {
	Name       string       `json:"name"`
	Waiting    int          `json:"waiting"`    // for its reader, or for the reader's answer
	DeadLetter string       `json:"deadLetter"` // "" for a dead letter
	Dead       []DeadLetter `json:"dead"`       // the oldest first
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
		state := QueueState{Name: name, Waiting: q.Len(), DeadLetter: q.wired.DeadLetter, Dead: []DeadLetter{}}
		for _, d := range q.Dead() {
			state.Dead = append(state.Dead, DeadLetter{d.ID, d.Group, d.Body, d.Receives, d.SentAt})
		}
		all = append(all, state)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"queues": all}) // a reader that has gone cannot be told
}

// Redriven is the outcome of redriving a dead letter's messages.
type Redriven struct {
	Moved int `json:"moved"`
	Left  int `json:"left"` // sent there by a function: only a queue that is named can have them
}

// redrive puts the messages of a dead letter back on the queues that they came from, or all of
// them on the queue that is named: POST /dev/queues/{name}/redrive?to=.
func (qs queues) redrive(w http.ResponseWriter, r *http.Request) {
	done, err := qs.redriveTo(r.PathValue("name"), r.FormValue("to"))
	if err != nil {
		http.Error(w, err.Error(), fault.HTTPStatus(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(done) // a reader that has gone cannot be told
}

func (qs queues) redriveTo(name, to string) (done Redriven, err error) {
	from := qs.leaving(name)
	if len(from) == 0 {
		return done, fault.New(fault.NotFound, "no queue leaves what failed in %q", name)
	}
	if to == "" {
		for _, q := range from {
			if q.wired.DeadLetter == "" {
				done.Left += len(q.Dead())
			} else {
				done.Moved += q.Redrive()
			}
		}
		return done, nil
	}
	target := qs[to]
	if target == nil || target.wired.DeadLetter == "" || target.wired.FIFO != from[0].wired.FIFO {
		return done, fault.Field("to", "want a queue that a function reads, in order if %s is", name)
	}
	for _, q := range from {
		done.Moved += q.Move(target.Queue)
	}
	return done, nil
}

// leaving returns the queues whose messages end in a dead letter, and the dead letter if it is a queue of its own.
func (qs queues) leaving(deadLetter string) (all []*wiredQueue) {
	for _, name := range slices.Sorted(maps.Keys(qs)) {
		if q := qs[name]; name == deadLetter && q.wired.DeadLetter == "" || q.wired.DeadLetter == deadLetter {
			all = append(all, q)
		}
	}
	return all
}
