package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
)

// A turn is queued in its thread's order, under the name that makes it one.
func TestTurnQueue(t *testing.T) {
	t.Parallel()
	q := &queuetest.Kept{}
	if err := (turn.Queued{To: q}).Queue(t.Context(), "th_1", "m_1"); err != nil {
		t.Fatal(err)
	}
	if m := q.Sent()[0]; m.Group != "th_1" || m.Dedupe != "m_1" || m.Body != `{"threadId":"th_1"}` {
		t.Errorf("%+v", m)
	}
}

// turn gives the function of turns a message that it receives for the n-th time, and returns
// whether it failed.
func (s *story) turn(t *testing.T, body string, n int) (failed bool) {
	t.Helper()
	event, err := json.Marshal(events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "m", ReceiptHandle: fmt.Sprint("r", n), Body: body,
		Attributes: map[string]string{"MessageGroupId": "g", "ApproximateReceiveCount": fmt.Sprint(n)},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	turns, err := app.Turn(s.base)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := turns.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := trigger.Failures(answer)
	if err != nil {
		t.Fatal(err)
	}
	return len(ids) == 1
}

// A turn that failed comes again soon, so that its thread does not wait for as long as a turn may take.
func TestFailedTurnComesAgainSoon(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	tooLong := `{"threadId":"` + strings.Repeat("x", 3000) + `"}` // for a key
	if !s.turn(t, tooLong, 1) || s.turn(t, `{"threadId":"th_none"}`, 2) {
		t.Error("a turn that failed has not, or the other way round")
	}
	if diff := cmp.Diff([]string{"r1 5s"}, s.queue.Hidden()); diff != "" {
		t.Error(diff)
	}
}

// The address of each queue is in the variable that the wiring has for it.
func TestQueuesAreWhereTheWiringSays(t *testing.T) {
	t.Parallel()
	c, err := app.FromEnv(func(name string) string {
		if strings.HasSuffix(name, "_QUEUE_URL") {
			return "https://sqs.invalid/" + name
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, q := range wiring.Queues() {
		if q.Env != "" {
			want[q.Name] = "https://sqs.invalid/" + q.Env
		}
	}
	if diff := cmp.Diff(want, c.QueueURLs); diff != "" {
		t.Errorf("(-wiring +app):\n%s", diff)
	}
}

// The name of each bus is in the variable that the wiring has for it; without it, it is the wiring's.
func TestBusesAreWhereTheWiringSays(t *testing.T) {
	t.Parallel()
	set, err := app.FromEnv(func(name string) string {
		if strings.HasPrefix(name, "BUS_") {
			return "merve-prod-" + name
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	unset, err := app.FromEnv(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	real, wired := map[string]string{}, map[string]string{}
	for _, b := range wiring.Buses() {
		real[b.Name], wired[b.Name] = "merve-prod-"+b.Env, b.Name
	}
	if diff := cmp.Diff(real, set.BusNames); diff != "" {
		t.Errorf("(-wiring +app):\n%s", diff)
	}
	if diff := cmp.Diff(wired, unset.BusNames); diff != "" {
		t.Errorf("without variables (-wiring +app):\n%s", diff)
	}
}

// What names no thread will never be a turn: it does not come again, and is told on the log.
func TestATurnWithoutAThreadIsGivenUp(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	for _, body := range []string{"", "{", "[]", "{}", `{"threadId":""}`, `{"threadId":7}`} {
		s.log.Reset()
		if s.turn(t, body, 1) || !strings.Contains(s.log.String(), "without a thread") {
			t.Errorf("%q came again, or nobody knows: %s", body, s.log)
		}
	}
}

// names are those under which turns are queued.
func (s *story) names() (all []string) {
	for _, m := range s.queue.Sent() {
		all = append(all, m.Dedupe)
	}
	return all
}

// Two sweeps of one minute queue a thread under one name, and so once; the next minute's
// queues it again.
func TestSweepQueuesOnceAMinute(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	in := channel.Inbound{
		Market: "demo", Channel: channel.App, ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: "1"},
		MessageID: "1", Text: "hi",
	}
	if _, err := s.base.Threads().Append(t.Context(), in, false); err != nil {
		t.Fatal(err)
	}
	h, err := app.Sweep(s.base)
	if err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(2 * time.Minute)
	for _, at := range []string{"2026-11-23T09:18:01Z", "2026-11-23T09:18:59Z", "2026-11-23T09:19:00Z"} {
		event, err := json.Marshal(map[string]any{"source": "aws.events", "detail-type": "Scheduled Event", "time": at, "detail": map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Invoke(t.Context(), event); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.names(); len(n) != 3 || n[0] != n[1] || n[1] == n[2] {
		t.Errorf("queued as %q", n)
	}
}
