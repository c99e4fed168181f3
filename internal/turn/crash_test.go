package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/thread"
)

// fuse is a way to the database that breaks for good at its n-th request, before the
// request has left or after it took effect: what a process that dies there leaves.
type fuse struct {
	mu    sync.Mutex
	left  int  // requests until it breaks; negative never does
	lost  bool // the last request takes effect, and its answer is lost
	count int
}

var errDied = errors.New("the process has died")

func (f *fuse) Do(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.count++
	n := f.count
	f.mu.Unlock()
	switch {
	case f.left < 0 || n < f.left:
		return http.DefaultClient.Do(r)
	case n == f.left && f.lost:
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			err = resp.Body.Close()
		}
		return nil, errors.Join(errDied, err)
	}
	return nil, errDied
}

// bookingModel answers by what was said last, and so the same whenever it is asked.
func bookingModel() llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		switch last := req.Messages[len(req.Messages)-1]; {
		case last.Role == llm.ToolRole:
			return llm.Response{Text: "There it is.", Finish: "stop"}, nil
		case strings.Contains(last.Text, "book"):
			return llm.Response{Calls: []llm.Call{bookAt("meze", 19)}, Finish: "tool_calls"}, nil
		}
		return llm.Response{Text: "Hello!", Finish: "stop"}, nil
	})
}

func bookAt(listing string, hour int) llm.Call {
	return llm.Call{ID: fmt.Sprintf("call_%d", hour), Name: "initiateBooking", Args: json.RawMessage(fmt.Sprintf(
		`{"listingId":%q,"offeringId":null,"date":"2026-11-24","time":"%d:00","endDate":null,"partySize":2,"note":null}`, listing, hour))}
}

// state is everything that a conversation leaves, without ids and times.
type state struct {
	Turns, Ledger, Outbox, Sent, Notes []string
	Pending                            string
	Waiting                            int
	Leased                             bool
}

func (w *world) state(id string) state {
	w.t.Helper()
	h := w.head(id)
	s := state{Waiting: len(h.Inbox), Leased: h.LeaseUntil.After(w.clock.now())}
	s.Notes = w.left
	if h.Pending != nil {
		s.Pending = h.Pending.Kind + " " + h.Pending.Summary
	}
	anonymous := func(text string) string { return text }
	for _, tx := range w.transactions() {
		var events []string
		for _, e := range w.events(tx.ID) {
			events = append(events, string(e.Type))
		}
		s.Ledger = append(s.Ledger, fmt.Sprintf("%s %s %v", tx.Start.Format(time.DateTime), tx.State, events))
		next := anonymous
		anonymous = func(text string) string { return strings.ReplaceAll(next(text), tx.Code, "CODE") }
	}
	for _, t := range w.turnsOf(id) {
		var in []string
		for _, m := range t.In {
			in = append(in, m.Text)
		}
		s.Turns = append(s.Turns, fmt.Sprintf("%d %q %q %v", t.N, in, anonymous(textOf(t)), t.Calls))
	}
	for _, m := range w.outgoing() {
		s.Outbox = append(s.Outbox, anonymous(fmt.Sprintf("%s %s %q", m.Kind, m.Status, m.Text)))
	}
	for _, m := range w.sent {
		s.Sent = append(s.Sent, anonymous(m.Text))
	}
	return s
}

// arrive is a message that comes in, as its channel brings it: on pages the client waits
// for the turn, on webhooks the queue runs it.
func (w *world) arrive(ctx context.Context, in channel.Inbound) error {
	if !in.Channel.Pushes() {
		_, err := w.runner.Converse(ctx, in)
		return err
	}
	a, err := w.runner.ProcessInbound(ctx, in)
	if err != nil {
		return err
	}
	return w.runner.Work(ctx, a.Thread)
}

// TestField25_KilledAtEveryStep lets the process die at every request of a turn, before
// the request and after it, has the queue and the client come again, and wants the state
// that a turn without faults leaves.
func TestField25_KilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before []string // said without faults
		said   string
	}{
		{"plain", nil, "hi"},
		{"proposal", nil, "book a table"},
		{"yes", []string{"book a table"}, "yes"},
		{"no", []string{"book a table"}, "no"},
		{"note", []string{"note"}, "yes"},
	} {
		for _, ch := range []channel.Channel{channel.App, channel.WhatsApp} {
			t.Run(c.name+"/"+string(ch), func(t *testing.T) {
				t.Parallel()
				killAtEveryStep(t, ch, c.before, c.said)
			})
		}
	}
}

func killAtEveryStep(t *testing.T, ch channel.Channel, before []string, said string) {
	whole := &fuse{left: -1}
	want := killed(t, ch, before, said, whole)
	if whole.count < 3 || whole.count > 30 {
		t.Fatalf("a turn made %d requests", whole.count)
	}
	t.Logf("%d requests", whole.count)
	for n := 1; n <= whole.count; n++ {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d,lost=%v", n, lost), func(t *testing.T) {
				got := killed(t, ch, before, said, &fuse{left: n, lost: lost})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("without faults (-), and so (+):\n%s", diff)
				}
			})
		}
	}
}

// killed runs a conversation whose last message meets the fuse, and what comes after.
func killed(t *testing.T, ch channel.Channel, before []string, said string, f *fuse) state {
	t.Helper()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = bookingModel()
	if slices.Contains(before, "note") {
		w.model = noteModel()
	}
	for i, text := range before {
		w.clock.add(time.Second)
		if err := w.arrive(t.Context(), w.from("ann", ch, fmt.Sprint("before", i), text)); err != nil {
			t.Fatal(err)
		}
		w.settle()
	}
	w.clock.add(time.Second)
	in := w.from("ann", ch, "last", said)
	w.start(over(t, f))
	err := w.arrive(t.Context(), in)
	if f.left < 0 && err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.clock.add(thread.LeaseFor + time.Second)
	if err := w.arrive(t.Context(), in); err != nil {
		t.Fatalf("the client comes again: %v", err)
	}
	if err := w.runner.Work(t.Context(), threadOf(in)); err != nil {
		t.Fatalf("the queue comes again: %v", err)
	}
	w.settle()
	return w.state(threadOf(in))
}

func noteModel() llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
			return llm.Response{Text: "Shall I?", Finish: "stop"}, nil
		}
		return llm.Response{Calls: []llm.Call{{ID: "1", Name: "leaveNote", Args: json.RawMessage(`{"text":"late"}`)}}, Finish: "tool_calls"}, nil
	})
}

// TestKilledWithAFickleModel has the model choose another time when it is asked again
// after a crash: there is one offer in the end all the same, the one that is pending.
func TestKilledWithAFickleModel(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 12; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stock(nil)
			hour := 18
			w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
				if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
					return llm.Response{Text: "There it is.", Finish: "stop"}, nil
				}
				hour++
				return llm.Response{Calls: []llm.Call{bookAt("meze", hour)}, Finish: "tool_calls"}, nil
			})
			in := w.from("ann", channel.App, "last", "book")
			w.start(over(t, &fuse{left: n, lost: true}))
			if err := w.arrive(t.Context(), in); err == nil && n < 8 {
				t.Fatal("nothing broke")
			}
			w.restart()
			w.clock.add(thread.LeaseFor + time.Second)
			if err := w.arrive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			w.settle()
			s := w.state(threadOf(in))
			txs := w.transactions()
			if len(txs) != 1 || w.head(threadOf(in)).Pending == nil || w.head(threadOf(in)).Pending.Ref != txs[0].ID {
				t.Errorf("want one transaction, pending: %+v", s)
			}
		})
	}
}
