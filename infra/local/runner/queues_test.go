package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/base/fault"
	messages "merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
)

var quiet = slog.New(slog.DiscardHandler)

// commands are two queues, one with order and one without, each with its reader.
func commands(bound int) ([]wiring.Queue, []wiring.Function) {
	return []wiring.Queue{
			{Name: "letters", FIFO: true, Visibility: 60, Receives: 3, DeadLetter: "letters-failed"},
			{Name: "letters-failed", FIFO: true},
			{Name: "commands", Delay: 3, Visibility: 10, Receives: 2, DeadLetter: "commands-failed"},
			{Name: "commands-failed"},
		}, []wiring.Function{
			{Name: "post", Queue: &wiring.QueueTrigger{Queue: "letters", Batch: 1, PartialFailures: true}},
			{Name: "worker", Queue: &wiring.QueueTrigger{Queue: "commands", Batch: 1, Parallel: bound, PartialFailures: true}},
			{Name: "clock", Schedule: &wiring.Schedule{Every: 60}},
		}
}

// Each queue is as the wiring has it, and gives its messages to its own reader. What is received too often
// lies in its dead letter, where it can be looked at.
func TestEveryQueueHasItsReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		wired, functions := commands(2)
		qs := newQueues(wired, functions, time.Now, quiet)
		var mu sync.Mutex
		var got []string
		note := func(reader string, err error) func(context.Context, []byte) ([]byte, error) {
			return trigger.Queue(func(_ context.Context, m trigger.Message) error {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, reader+" "+m.Group+m.Body+" "+time.Since(start).String())
				return err
			}, trigger.Log(quiet)).Invoke
		}
		go qs["letters"].run(t.Context(), note("post", nil))
		go qs["commands"].run(t.Context(), note("worker", errors.New("always")))
		if err := errors.Join(
			qs.named("letters").Send(t.Context(), messages.Message{Group: "g", Dedupe: "1", Body: "!"}),
			qs.named("commands").Send(t.Context(), messages.Message{Body: "?"}),
		); err != nil {
			t.Fatal(err)
		}
		for _, q := range qs {
			if err := q.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{"post g! 0s", "worker ? 3s", "worker ? 13s"}, got); diff != "" {
			t.Error(diff)
		}
		page := httptest.NewRecorder()
		qs.ServeHTTP(page, nil)
		var shown struct{ Queues []QueueState }
		if err := json.Unmarshal(page.Body.Bytes(), &shown); err != nil {
			t.Fatal(err)
		}
		for i := range shown.Queues {
			for j := range shown.Queues[i].Dead {
				shown.Queues[i].Dead[j].ID = ""
			}
		}
		want := []QueueState{
			{Name: "commands", DeadLetter: "commands-failed", Dead: []DeadLetter{{Body: "?", Receives: 2, SentAt: start}}},
			{Name: "letters", DeadLetter: "letters-failed", Dead: []DeadLetter{}},
		}
		if diff := cmp.Diff(want, shown.Queues); diff != "" {
			t.Error(diff)
		}
		qs.close()
	})
}

// As many invocations run at a time as the wiring allows, else as many as this machine does.
func TestInvocationsAtATime(t *testing.T) {
	t.Parallel()
	for bound, want := range map[int]int32{2: 2, 0: workers} {
		synctest.Test(t, func(t *testing.T) {
			wired, functions := commands(bound)
			q := newQueues(wired, functions, time.Now, quiet)["commands"]
			var running, most atomic.Int32
			go q.run(t.Context(), func(context.Context, []byte) ([]byte, error) {
				most.Store(max(most.Load(), running.Add(1)))
				<-time.After(time.Second) // the work that it does, in the time of the test
				running.Add(-1)
				return nil, nil
			})
			for range 3 * workers {
				if err := q.Send(t.Context(), messages.Message{Body: "?"}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			<-time.After(3500 * time.Millisecond) // past the delay, in the midst of the first ones' work
			synctest.Wait()
			if got := running.Load(); got != want {
				t.Errorf("bound %d: %d at a time, want %d", bound, got, want)
			}
			if err := q.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := most.Load(); got != want {
				t.Errorf("bound %d: up to %d at a time, want %d", bound, got, want)
			}
			q.Close()
		})
	}
}

// Nothing is sent to where nobody reads.
func TestAQueueWithoutAReader(t *testing.T) {
	t.Parallel()
	wired, functions := commands(0)
	qs := newQueues(wired, functions, time.Now, quiet)
	for _, name := range []string{"commands-failed", "none"} {
		q := qs.named(name)
		if err := q.Send(t.Context(), messages.Message{Body: "?"}); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: sent, %v", name, err)
		}
		if err := q.Hide(t.Context(), "r", time.Second); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: hidden, %v", name, err)
		}
	}
	if len(qs) != 2 {
		t.Errorf("%d queues, want those that are read", len(qs))
	}
}

// dead has the reader of each queue fail until its messages are given up.
func dead(t *testing.T, q *wiredQueue, bodies ...string) {
	t.Helper()
	for i, body := range bodies {
		m := messages.Message{Body: body}
		if q.wired.FIFO {
			m.Group, m.Dedupe = "g", fmt.Sprint(i)
		}
		if err := q.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	go q.run(t.Context(), func(context.Context, []byte) ([]byte, error) { return nil, errors.New("always") })
	if err := q.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	q.Close()
}

// What was given up goes back to the queue that it came from. What a function has put in a dead letter
// itself stays there until somebody says where it belongs.
func TestRedrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wired := []wiring.Queue{
			{Name: "a", Visibility: 10, Receives: 1, DeadLetter: "dead"},
			{Name: "b", Visibility: 10, Receives: 1, DeadLetter: "dead"},
			{Name: "c", FIFO: true, Visibility: 10, Receives: 1, DeadLetter: "dead-fifo"},
			{Name: "dead", Env: "DEAD_URL"},
			{Name: "dead-fifo", FIFO: true},
		}
		var functions []wiring.Function
		for _, q := range wired[:3] {
			functions = append(functions, wiring.Function{Name: q.Name, Queue: &wiring.QueueTrigger{Queue: q.Name, Batch: 1}})
		}
		qs := newQueues(wired, functions, time.Now, quiet)
		dead(t, qs["a"], "a1", "a2")
		dead(t, qs["b"], "b1")
		dead(t, qs["c"], "c1")
		if err := qs.named("dead").Send(t.Context(), messages.Message{Body: "d1"}); err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /dev/queues/{name}/redrive", qs.redrive)
		for _, tt := range []struct {
			path   string
			status int
			want   Redriven
		}{
			{"none/redrive", http.StatusNotFound, Redriven{}},
			{"a/redrive", http.StatusNotFound, Redriven{}},
			{"dead/redrive?to=none", http.StatusBadRequest, Redriven{}},
			{"dead/redrive?to=c", http.StatusBadRequest, Redriven{}},
			{"dead/redrive?to=dead", http.StatusBadRequest, Redriven{}},
			{"dead/redrive", http.StatusOK, Redriven{Moved: 3, Left: 1}},
			{"dead/redrive?to=b", http.StatusOK, Redriven{Moved: 1}},
			{"dead-fifo/redrive", http.StatusOK, Redriven{Moved: 1}},
			{"dead-fifo/redrive", http.StatusOK, Redriven{}},
		} {
			page := httptest.NewRecorder()
			mux.ServeHTTP(page, httptest.NewRequest("POST", "/dev/queues/"+tt.path, nil))
			var got Redriven
			if page.Code == http.StatusOK {
				if err := json.Unmarshal(page.Body.Bytes(), &got); err != nil {
					t.Fatal(err)
				}
			}
			if page.Code != tt.status || got != tt.want {
				t.Errorf("%s: %d %+v, want %d %+v", tt.path, page.Code, got, tt.status, tt.want)
			}
		}
		for name, want := range map[string]int{"a": 2, "b": 2, "c": 1, "dead": 0} {
			if got := qs[name].Len(); got != want || len(qs[name].Dead()) > 0 {
				t.Errorf("%s holds %d, want %d", name, got, want)
			}
		}
	})
}
