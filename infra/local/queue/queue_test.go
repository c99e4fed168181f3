package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/base/fault"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
	"merve/internal/tenant/market"
)

var quiet = slog.New(slog.DiscardHandler)

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t *testing.T) queuetest.Fixture {
		c := newClock()
		o := Options{Name: "turns.fifo", FIFO: true, Visibility: 12 * time.Minute, Receives: 3, Now: c.Now, Log: quiet}
		q := New(o)
		t.Cleanup(q.Close)
		return queuetest.Fixture{
			Send: q.Send,
			Deliver: func(ctx context.Context, max int, invoke func(context.Context, []byte) ([]byte, error)) (int, error) {
				return q.Deliver(ctx, max, invoke)
			},
			Dead: func(context.Context) (bodies []string, err error) {
				for _, d := range q.Dead() {
					bodies = append(bodies, d.Body)
				}
				return bodies, nil
			},
			Redrive:    func(context.Context) error { q.Redrive(); return nil },
			Visibility: o.Visibility, Receives: o.Receives,
			Pass: c.Pass, Jumps: true,
		}
	})
}

// named is a message whose body is its name.
func named(group, id string) queue.Message {
	return queue.Message{Group: group, Dedupe: id, Body: id}
}

func send(t *testing.T, q *Queue, ms ...queue.Message) {
	t.Helper()
	for _, m := range ms {
		if err := q.Send(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// The event is the one that AWS makes, but for what names the account.
func TestEvent(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := New(Options{Name: "turns.fifo", FIFO: true, Visibility: time.Minute, Now: c.Now, NewID: func() string { return "id-1" }})
	send(t, q, queue.Message{Group: "g", Dedupe: "d", Body: "Message Body", Attributes: map[string]string{"kind": "turn"}})
	c.Pass(time.Second)
	var got events.SQSEvent
	if _, err := q.Deliver(context.Background(), 1, func(_ context.Context, payload []byte) ([]byte, error) {
		return nil, json.Unmarshal(payload, &got)
	}); err != nil {
		t.Fatal(err)
	}
	turn := "turn"
	want := events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "id-1", ReceiptHandle: "id-1#1", Body: "Message Body", Md5OfBody: "77a3cf88eba293be44f5fd5c61835a43",
		Attributes: map[string]string{
			"ApproximateReceiveCount": "1", "SentTimestamp": "1795255200000", "ApproximateFirstReceiveTimestamp": "1795255201000",
			"SenderId": "local", "MessageGroupId": "g", "MessageDeduplicationId": "d", "SequenceNumber": "00000000000000000001",
		},
		MessageAttributes: map[string]events.SQSMessageAttribute{
			"kind": {StringValue: &turn, DataType: "String", StringListValues: []string{}, BinaryListValues: [][]byte{}}},
		EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:us-east-1:000000000000:turns.fifo", AWSRegion: "us-east-1",
	}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// gather answers well to everything and keeps what it saw.
type gather struct {
	mu   sync.Mutex
	got  []string
	fail func(m trigger.Message) error
}

func (g *gather) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return trigger.Queue(func(_ context.Context, m trigger.Message) error {
		g.mu.Lock()
		g.got = append(g.got, m.Body)
		g.mu.Unlock()
		if g.fail != nil {
			return g.fail(m)
		}
		return nil
	}, trigger.Log(quiet)).Invoke(ctx, payload)
}

func (g *gather) group(prefix string) (out []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range g.got {
		if strings.HasPrefix(w, prefix) {
			out = append(out, w)
		}
	}
	return out
}

// Many groups, several workers, some failures: each group in its order, nothing lost.
func TestRunKeepsOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{FIFO: true, Visibility: time.Minute, Log: quiet})
		failed := map[string]bool{}
		g := &gather{}
		g.fail = func(m trigger.Message) error {
			<-time.After(time.Second) // the work that it does, in the time of the test
			g.mu.Lock()
			defer g.mu.Unlock()
			if strings.HasSuffix(m.Body, "3") && !failed[m.Body] {
				failed[m.Body] = true
				return errors.New("once")
			}
			return nil
		}
		go q.Run(t.Context(), 2, 4, g.Invoke)
		var want []string
		for i := range 8 {
			for group := range 5 {
				send(t, q, named(fmt.Sprint("g", group), fmt.Sprintf("g%d-%d", group, i)))
			}
			want = append(want, fmt.Sprint(i))
			if i == 3 {
				want = append(want, "3") // failed the first time
			}
		}
		if err := q.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for group := range 5 {
			prefix := fmt.Sprintf("g%d-", group)
			var got []string
			for _, w := range g.group(prefix) {
				got = append(got, strings.TrimPrefix(w, prefix))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("group %d: %s", group, d)
			}
		}
		q.Close()
	})
}

// A message comes back the moment its timeout is over, and not before: by a timer.
func TestRunWaitsForTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{FIFO: true, Visibility: 12 * time.Minute, Receives: 3, Log: quiet})
		start := time.Now()
		var at []time.Duration
		go q.Run(t.Context(), 10, 2, func(context.Context, []byte) ([]byte, error) {
			at = append(at, time.Since(start))
			return nil, errors.New("always")
		})
		send(t, q, named("g", "1"))
		if err := q.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]time.Duration{0, 12 * time.Minute, 24 * time.Minute}, at); d != "" {
			t.Errorf("deliveries: %s", d)
		}
		if gone := time.Since(start); gone != 36*time.Minute || len(q.Dead()) != 1 {
			t.Errorf("dead after %v, want after 36m: %v", gone, q.Dead())
		}
		q.Close()
	})
}

func TestCloseLetsTheLastOneFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		q := New(Options{FIFO: true, Visibility: time.Minute, Log: quiet})
		finished := false
		ran := make(chan error)
		go func() {
			ran <- q.Run(context.Background(), 1, 3, func(ctx context.Context, _ []byte) ([]byte, error) {
				<-time.After(5 * time.Second)
				finished = ctx.Err() == nil
				return nil, nil
			})
		}()
		send(t, q, named("g", "1"), named("g", "2"))
		synctest.Wait()
		go q.Close()
		q.Close()
		if err := <-ran; err != nil || !finished {
			t.Errorf("Run ended with %v, invocation finished: %v", err, finished)
		}
		if err := q.Send(context.Background(), named("g", "3")); !fault.Is(err, fault.Unavailable) {
			t.Errorf("send after close: %v", err)
		}
		if err := q.Run(context.Background(), 1, 1, nil); err != nil {
			t.Errorf("run after close: %v", err)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{FIFO: true, Visibility: time.Minute, Log: quiet})
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan error)
		go func() {
			ran <- q.Run(ctx, 1, 2, func(ctx context.Context, _ []byte) ([]byte, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}()
		send(t, q, named("g", "1"))
		synctest.Wait()
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		if err := q.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the message is gone: %v", err)
		}
	})
}

// A function that takes longer than the visibility timeout has its message delivered
// again meanwhile, and its late success deletes nothing: the second one may fail.
func TestSlowFunctionIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"out again when it ends": true, "out again later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			q := New(Options{FIFO: true, Visibility: time.Minute, Now: c.Now, Log: quiet})
			send(t, q, named("g", "1"))
			g := &gather{}
			deliver := func() {
				if _, err := q.Deliver(context.Background(), 1, g.Invoke); err != nil {
					t.Error(err)
				}
			}
			g.fail = func(m trigger.Message) error {
				switch m.ReceiveCount {
				case 1:
					c.Pass(2 * time.Minute)
					if meanwhile {
						deliver()
					}
				case 2:
					return errors.New("no")
				}
				return nil
			}
			for range 4 {
				deliver()
				c.Pass(time.Minute)
			}
			if d := cmp.Diff([]string{"1", "1", "1"}, g.got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A queue may hold every message back for a while, in order too.
func TestQueueThatHoldsBack(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := New(Options{FIFO: true, Delay: 2 * time.Second, Visibility: time.Minute, Now: c.Now, Log: quiet})
	send(t, q, named("g", "1"))
	for _, want := range []int{0, 0, 1} {
		if n, err := q.Deliver(context.Background(), 10, (&gather{}).Invoke); err != nil || n != want {
			t.Errorf("%d messages, %v; want %d", n, err, want)
		}
		c.Pass(time.Second)
	}
}

func TestQueueWithoutOrder(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := New(Options{Visibility: time.Minute, Now: c.Now, Log: quiet})
	for _, body := range []string{"a", "a", "b"} {
		send(t, q, queue.Message{Body: body})
	}
	send(t, q, queue.Message{Body: "later", Delay: 30 * time.Second})
	if err := q.Send(context.Background(), named("g", "1")); !fault.Is(err, fault.Invalid) {
		t.Errorf("group on a queue without order: %v", err)
	}
	g := &gather{fail: func(m trigger.Message) error {
		if m.Body == "b" && m.ReceiveCount == 1 {
			return errors.New("no")
		}
		return nil
	}}
	for _, want := range [][]string{{"a", "a", "b"}, {"later"}, {"b"}, nil} {
		g.got = nil
		if _, err := q.Deliver(context.Background(), 10, g.Invoke); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want, g.got) {
			t.Errorf("got %q, want %q", g.got, want)
		}
		c.Pass(30 * time.Second)
	}
}

func TestDeadKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	c := newClock()
	var told bytes.Buffer
	q := New(Options{Name: "turns", FIFO: true, Visibility: time.Minute, Receives: 1, Now: c.Now, NewID: func() string { return "id" }, Log: slog.New(slog.NewTextHandler(&told, nil))})
	m := queue.Message{Group: "g", Dedupe: "d", Body: "b", Attributes: map[string]string{"k": "v"}}
	send(t, q, m)
	fails := func(context.Context, []byte) ([]byte, error) { return nil, errors.New("no") }
	sent := c.Now()
	for range 2 {
		if _, err := q.Deliver(context.Background(), 1, fails); err != nil {
			t.Fatal(err)
		}
		c.Pass(time.Minute)
	}
	if d := cmp.Diff([]Dead{{Message: m, ID: "id", Receives: 1, SentAt: sent}}, q.Dead()); d != "" {
		t.Error(d)
	}
	if want := `level=ERROR msg="message given up" queue=turns group=g receives=1`; strings.Count(told.String(), want) != 1 {
		t.Errorf("told %s, want %s once", &told, want)
	}
	if n := q.Redrive(); n != 1 || len(q.Dead()) != 0 {
		t.Errorf("redrove %d, left %v", n, q.Dead())
	}
}

// An answer about what was not asked is not understood: nothing is deleted.
func TestForeignFailure(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := New(Options{FIFO: true, Visibility: time.Minute, Now: c.Now, Log: quiet})
	send(t, q, named("g", "1"))
	if _, err := q.Deliver(context.Background(), 1, func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"batchItemFailures":[{"itemIdentifier":"somebody-elses"}]}`), nil
	}); err != nil {
		t.Fatal(err)
	}
	c.Pass(time.Minute)
	g := &gather{}
	if n, err := q.Deliver(context.Background(), 1, g.Invoke); n != 1 || err != nil {
		t.Errorf("delivered %d, error %v; want it back", n, err)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	q := New(Options{})
	for _, batch := range []int{0, 11} {
		if _, err := q.Deliver(context.Background(), batch, nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("deliver %d: %v", batch, err)
		}
		if err := q.Run(context.Background(), batch, 1, nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("run %d: %v", batch, err)
		}
	}
	if err := q.Run(context.Background(), 1, 0, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("run without workers: %v", err)
	}
}

// A turn that takes as long as a market may allow runs once at a time, and is not dead.
func TestNobodyElseGetsATurnThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns wiring.Queue
		for _, w := range wiring.Queues() {
			if w.Name == "turns" {
				turns = w
			}
		}
		q := Wired(turns, time.Now, quiet)
		send(t, q, named("g", "1"))
		var atWork, most atomic.Int32
		go q.Run(t.Context(), 1, 16, func(context.Context, []byte) ([]byte, error) {
			most.Store(max(most.Load(), atWork.Add(1)))
			time.Sleep(market.MaxTurnSeconds * time.Second)
			atWork.Add(-1)
			return nil, nil
		})
		if err := q.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		q.Close()
		if most.Load() != 1 || len(q.Dead()) > 0 {
			t.Errorf("%d invocations at once of one group; %d dead", most.Load(), len(q.Dead()))
		}
	})
}

// A message that is hidden for a time of its own comes again after it, when it has failed; the
// receipt of an earlier delivery says nothing any more.
func TestHide(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := New(Options{Name: "turns", FIFO: true, Visibility: time.Minute, Now: c.Now, Log: quiet})
	send(t, q, named("g", "1"))
	var receipts []string
	deliver := func(answer error) int {
		n, err := q.Deliver(t.Context(), 1, func(_ context.Context, payload []byte) ([]byte, error) {
			var e events.SQSEvent
			if err := json.Unmarshal(payload, &e); err != nil {
				return nil, err
			}
			receipts = append(receipts, e.Records[0].ReceiptHandle)
			return nil, answer
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	hide := func(receipt string) {
		if err := q.Hide(t.Context(), receipt, 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	failed := errors.New("it failed")
	deliver(failed)
	hide(receipts[0])
	c.Pass(4 * time.Second)
	if deliver(failed) != 0 {
		t.Error("came before its time")
	}
	c.Pass(time.Second)
	if deliver(failed) != 1 {
		t.Fatal("did not come again")
	}
	hide(receipts[0]) // of the time before
	c.Pass(5 * time.Second)
	if deliver(failed) != 0 {
		t.Error("an old receipt has hidden it for a shorter time")
	}
	c.Pass(55 * time.Second)
	if deliver(nil) != 1 {
		t.Error("did not come a third time")
	}
}

// What is sent to a dead letter lies there, in order, until it is moved to a queue that somebody reads.
func TestADeadLetterIsNotRead(t *testing.T) {
	t.Parallel()
	c := newClock()
	dead := Wired(wiring.Queue{Name: "dead"}, c.Now, quiet)
	work := Wired(wiring.Queue{Name: "work", Visibility: 60, Receives: 1, DeadLetter: "dead"}, c.Now, quiet)
	send(t, dead, queue.Message{Body: "1"}, queue.Message{Body: "2"})
	if n, err := dead.Deliver(t.Context(), 10, nil); n != 0 || err != nil || dead.Len() != 0 {
		t.Errorf("%d delivered of %d, %v", n, dead.Len(), err)
	}
	var bodies []string
	for _, d := range dead.Dead() {
		bodies = append(bodies, d.Body)
	}
	if diff := cmp.Diff([]string{"1", "2"}, bodies); diff != "" {
		t.Error(diff)
	}
	send(t, work, queue.Message{Body: "0"})
	if n := dead.Move(work); n != 2 || len(dead.Dead()) != 0 {
		t.Errorf("%d moved, %d left", n, len(dead.Dead()))
	}
	bodies = nil
	h := trigger.Queue(func(_ context.Context, m trigger.Message) error {
		bodies = append(bodies, m.Body)
		return nil
	}, trigger.Log(quiet))
	if _, err := work.Deliver(t.Context(), 10, h.Invoke); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0", "1", "2"}, bodies); diff != "" {
		t.Error(diff)
	}
}
