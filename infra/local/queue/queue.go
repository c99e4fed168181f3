// Package queue is an SQS queue in process: what the cloud's queues do, on one machine and
// with a clock of its own. It gives batches to a function as the SQS events that Lambda
// would, and reads the function's answer as Lambda would.
//
// Messages of a group come in order, and none while an earlier one of the group is out. A
// message that failed comes again when its visibility timeout is over; one that was out
// too often is dead, and can be looked at and sent again. Everything is in memory.
package queue

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"merve/infra/wiring"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
)

// Options say how a queue works.
type Options struct {
	Name       string
	FIFO       bool             // keeps order and drops duplicates
	Delay      time.Duration    // a message is not given out before
	Visibility time.Duration    // how long a message that is out stays hidden
	Receives   int              // a message that was out this often without success is dead; 0: never
	Unread     bool             // a dead letter: nothing reads it, and every message sent to it is dead at once
	Now        func() time.Time // the system's clock when nil
	NewID      func() string    // random when nil
	Log        *slog.Logger     // tells of failed invocations, and of messages that are given up; slog's default when nil
}

// dedupeWindow is how long a message's name is remembered.
const dedupeWindow = 5 * time.Minute

// Queue is one queue. Safe for concurrent use.
type Queue struct {
	o Options

	mu       sync.Mutex
	messages []*message           // waiting and out, in order of arrival
	names    map[string]time.Time // until when a message of this name is a duplicate
	dead     []*message
	sequence uint64
	closed   bool
	changed  chan struct{} // closed, and replaced, when there may be something to do
	running  sync.WaitGroup
}

type message struct {
	queue.Message
	id       string
	sequence uint64
	sent     time.Time
	visible  time.Time // hidden before: out, or delayed
	firstOut time.Time
	receives int // how often it went out; also names the delivery that it is out with
}

// New returns an empty queue.
func New(o Options) *Queue {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = telemetry.NewTraceID
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Queue{o: o, names: map[string]time.Time{}, changed: make(chan struct{})}
}

// Wired returns the empty queue that the wiring describes.
func Wired(w wiring.Queue, now func() time.Time, log *slog.Logger) *Queue {
	return New(Options{
		Name: w.Name, FIFO: w.FIFO, Receives: w.Receives, Unread: w.DeadLetter == "", Now: now, Log: log,
		Delay: time.Duration(w.Delay) * time.Second, Visibility: time.Duration(w.Visibility) * time.Second,
	})
}

// Send puts m on the queue, unless one with its name was sent in the last five minutes.
func (q *Queue) Send(ctx context.Context, m queue.Message) error {
	m, err := queue.Prepare(ctx, m, q.o.FIFO)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	switch {
	case q.closed:
		return fault.New(fault.Unavailable, "the queue is closed")
	case q.isDuplicate(m.Dedupe, now):
		return nil
	}
	q.add(m, now)
	return nil
}

func (q *Queue) isDuplicate(name string, now time.Time) bool {
	if name == "" {
		return false
	}
	for n, until := range q.names {
		if !now.Before(until) {
			delete(q.names, n)
		}
	}
	_, dup := q.names[name]
	if !dup {
		q.names[name] = now.Add(dedupeWindow)
	}
	return dup
}

func (q *Queue) add(m queue.Message, now time.Time) {
	q.sequence++
	added := &message{
		Message: m, id: q.o.NewID(), sequence: q.sequence, sent: now, visible: now.Add(max(m.Delay, q.o.Delay)),
	}
	if q.o.Unread {
		q.dead = append(q.dead, added)
		return
	}
	q.messages = append(q.messages, added)
	q.wake()
}

// wake lets everyone who waits look again. The lock is held.
func (q *Queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// take returns at most max messages that may go out now, and marks them as out. Messages
// that were out too often die on the way. The lock is held.
func (q *Queue) take(max int) []*message {
	now := q.o.Now()
	var out []*message
	busy := map[string]bool{} // groups with a message that is out
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool {
		switch {
		case len(out) == max || q.o.FIFO && busy[m.Group]:
		case m.visible.After(now):
			busy[m.Group] = true
		case q.o.Receives > 0 && m.receives >= q.o.Receives:
			q.dead = append(q.dead, m)
			q.o.Log.Error("message given up", slog.String("queue", q.o.Name), slog.String("group", m.Group), slog.Int("receives", m.receives))
			q.wake()
			return true
		default:
			m.receives++
			m.visible = now.Add(q.o.Visibility)
			if m.receives == 1 {
				m.firstOut = now
			}
			out = append(out, m)
		}
		return false
	})
	return out
}

// settle deletes the messages of a delivery that are done. A message whose visibility timeout
// is over stays, as in SQS: it may be out again already.
func (q *Queue) settle(done []message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool {
		return m.visible.After(now) && slices.ContainsFunc(done, func(d message) bool {
			return d.id == m.id && d.receives == m.receives
		})
	})
	q.wake()
}

// Hide makes a message that is out come again after a time, if it fails; receipt names the
// delivery. If that delivery is over, it changes nothing.
func (q *Queue) Hide(_ context.Context, receipt string, after time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	for _, m := range q.messages {
		if m.receipt() == receipt && m.visible.After(now) {
			m.visible = now.Add(after)
			q.wake()
		}
	}
	return nil
}

// receipt names the delivery that a message is out with.
func (m *message) receipt() string { return m.id + "#" + strconv.Itoa(m.receives) }

// Len is how many messages are on the queue, out or waiting.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.messages)
}

// Dead is a message that was given up.
type Dead struct {
	queue.Message
	ID       string
	Receives int
	SentAt   time.Time
}

// Dead lists the messages that were given up, the oldest first.
func (q *Queue) Dead() []Dead {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]Dead, len(q.dead))
	for i, m := range q.dead {
		out[i] = Dead{Message: m.Message, ID: m.id, Receives: m.receives, SentAt: m.sent}
	}
	return out
}

// Redrive puts the messages that were given up back at the end of the queue, as new ones
// in their old order, and returns how many.
func (q *Queue) Redrive() int { return q.Move(q) }

// Move puts the messages that were given up at the end of another queue, which keeps order
// if this one does, as new ones in their old order. It returns how many.
func (q *Queue) Move(to *Queue) int {
	q.mu.Lock()
	dead := q.dead
	q.dead = nil
	q.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	now := to.o.Now()
	for _, m := range dead {
		to.add(m.Message, now)
	}
	return len(dead)
}

// Wait returns when no message is left on the queue, out or waiting, or with ctx's error.
func (q *Queue) Wait(ctx context.Context) error {
	for {
		q.mu.Lock()
		left, changed := len(q.messages), q.changed
		q.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends every Run once its messages are settled, and waits for that. After that nothing can
// be sent.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.wake()
	q.mu.Unlock()
	q.running.Wait()
}
