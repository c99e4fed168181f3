package runner

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"merve/infra/wiring"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/bus/bustest"
	"merve/internal/cloud/trigger"
)

// received keeps what the functions of queues got.
type received struct {
	mu     sync.Mutex
	bodies map[string][]string
}

func (r *received) function(queue string) func(context.Context, []byte) ([]byte, error) {
	return trigger.Queue(func(_ context.Context, m trigger.Message) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies[queue] = append(r.bodies[queue], m.Body)
		return nil
	}, trigger.Log(quiet)).Invoke
}

func (r *received) on(queue string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.bodies[queue]...)
}

// What functions put on a bus of this machine reaches the functions that the rules' queues start.
func TestBusConformance(t *testing.T) {
	t.Parallel()
	bustest.Run(t, func(t *testing.T) bustest.Fixture {
		var wired []wiring.Queue
		var functions []wiring.Function
		for _, name := range []string{"letters", "math"} {
			wired = append(wired, wiring.Queue{Name: name, Visibility: 60, Receives: 3, DeadLetter: "dead"})
			functions = append(functions, wiring.Function{Name: name, Queue: &wiring.QueueTrigger{Queue: name, Batch: 10, PartialFailures: true}})
		}
		qs := newQueues(wired, functions, time.Now, quiet)
		got := &received{bodies: map[string][]string{}}
		for name, q := range qs {
			go q.run(t.Context(), got.function(name))
		}
		names := map[string]string{bustest.Name: "real-" + bustest.Name, "another": "real-another"}
		server := httptest.NewServer(newBuses(names, bustest.Rules(), qs, time.Now, quiet))
		t.Cleanup(func() {
			server.Close()
			qs.close()
		})
		return bustest.Fixture{
			Bus: buses(bustest.Config("http://127.0.0.1:1"), server.URL, names)(bustest.Name),
			On: func(t *testing.T, queue string, n int) []string {
				pausetest.Until(t, "the messages on "+queue, func() bool { return len(got.on(queue)) >= n })
				if err := qs[queue].Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				return got.on(queue)
			},
		}
	})
}
