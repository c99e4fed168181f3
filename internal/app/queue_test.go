package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/internal/actor"
	"merve/internal/app"
	"merve/internal/channel"
	"merve/internal/queue"
	"merve/internal/trigger"
)

// outgoing notes what is put on a queue.
type outgoing struct{ sent []queue.Message }

func (o *outgoing) Send(_ context.Context, m queue.Message) error {
	o.sent = append(o.sent, m)
	return nil
}

// A turn is queued in its thread's order, under the name that makes it one.
func TestTurnQueue(t *testing.T) {
	t.Parallel()
	o := &outgoing{}
	if err := (app.TurnQueue{To: o}).Queue(t.Context(), "th_1", "m_1"); err != nil {
		t.Fatal(err)
	}
	if m := o.sent[0]; m.Group != "th_1" || m.Dedupe != "m_1" || m.Body != `{"threadId":"th_1"}` {
		t.Errorf("%+v", m)
	}
}

// hiding notes when what failed is to come again.
type hiding struct {
	outgoing
	hidden []string
}

func (h *hiding) Hide(_ context.Context, receipt string, after time.Duration) error {
	h.hidden = append(h.hidden, receipt+" "+after.String())
	return nil
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

// A turn that failed comes again in seconds, so that its thread does not wait for as long as a turn
// may take; one that fails again and again comes less often, and one that succeeds not at all.
func TestFailedTurnComesAgainSoon(t *testing.T) {
	t.Parallel()
	s, h := newStory(t), &hiding{}
	s.base.Queue = app.TurnQueue{To: h}
	tooLong := `{"threadId":"` + strings.Repeat("x", 3000) + `"}` // for a key
	for n, body := range map[int]string{1: tooLong, 2: tooLong, 3: tooLong, 4: `{"threadId":"th_none"}`} {
		if failed := s.turn(t, body, n); failed != (body == tooLong) {
			t.Errorf("receive %d: failed is %v", n, failed)
		}
	}
	slices.Sort(h.hidden)
	if diff := cmp.Diff([]string{"r1 5s", "r2 30s"}, h.hidden); diff != "" {
		t.Error(diff)
	}
	s.base.Queue = app.TurnQueue{To: &outgoing{}} // that cannot have it come sooner
	if !s.turn(t, tooLong, 1) || strings.Contains(s.log.String(), "panic") {
		t.Error(s.log)
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

// named notes the names under which turns are queued.
type named struct{ names []string }

func (n *named) Queue(_ context.Context, _, dedupe string) error {
	n.names = append(n.names, dedupe)
	return nil
}

// Two sweeps of one minute queue a thread under one name, and so once; the next minute's
// queues it again.
func TestSweepQueuesOnceAMinute(t *testing.T) {
	t.Parallel()
	s, n := newStory(t), &named{}
	s.base.Queue = n
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
	if len(n.names) != 3 || n.names[0] != n.names[1] || n.names[1] == n.names[2] {
		t.Errorf("queued as %q", n.names)
	}
}
