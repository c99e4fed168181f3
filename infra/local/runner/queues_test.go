package runner

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/fault"
	messages "merve/internal/queue"
	"merve/internal/trigger"
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
