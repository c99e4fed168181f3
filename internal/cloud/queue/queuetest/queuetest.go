// Package queuetest is what every queue has to pass: what callers and functions of Merve
// build on, checked from a message sent to the event that a function gets.
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
)

// Fixture is an empty queue with order, its dead-letter queue, and its surroundings.
type Fixture struct {
	Send func(context.Context, queue.Message) error

	// Deliver gives at most max messages that may go out now to invoke, as Lambda would,
	// and returns how many. It waits for none.
	Deliver func(ctx context.Context, max int, invoke func(context.Context, []byte) ([]byte, error)) (int, error)

	// Dead lists the bodies of dead letters, the oldest first.
	Dead func(context.Context) ([]string, error)

	// Redrive sends dead letters again; nil if the server cannot.
	Redrive func(context.Context) error

	Visibility time.Duration
	Receives   int // a message that was out this often is dead

	// Pass lets time pass. Jumps says that it costs none.
	Pass  func(time.Duration)
	Jumps bool
}

// Run checks queues. Each test gets a new one.
func Run(t *testing.T, newQueue func(*testing.T) Fixture) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"message arrives whole", testMessage},
		{"order within a group", testOrder},
		{"batch size", testBatch},
		{"groups side by side", testGroups},
		{"one delivery of a group at a time", testInFlight},
		{"duplicates", testDuplicates},
		{"name free after five minutes", testWindow},
		{"visibility timeout", testVisibility},
		{"partial failure", testPartial},
		{"answers that are not understood", testAnswers},
		{"dead letters", testDead},
		{"wrong messages", testWrong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test(t, &bench{T: t, Fixture: newQueue(t), ctx: context.Background()})
		})
	}
}

// bench is a queue under test.
type bench struct {
	*testing.T
	Fixture
	ctx context.Context
}

// send puts "A1 A2 B1" on the queue: the letter is the group.
func (b *bench) send(words string) {
	b.Helper()
	for w := range strings.FieldsSeq(words) {
		if err := b.Send(b.ctx, queue.Message{Group: w[:1], Dedupe: w, Body: w}); err != nil {
			b.Fatalf("send %s: %v", w, err)
		}
	}
}

// deliver makes one delivery. The function fails for the words given and for nothing else;
// inside, if any, runs while the first message is out. It returns what came.
func (b *bench) deliver(max int, fails string, inside ...func()) string {
	b.Helper()
	var got []string
	h := trigger.Queue(func(_ context.Context, m trigger.Message) error {
		got = append(got, m.Body)
		for _, f := range inside {
			f()
		}
		inside = nil
		if slices.Contains(strings.Fields(fails), m.Body) {
			return errors.New("as the test wants it")
		}
		return nil
	}, trigger.Log(telemetry.NewLogger(b.Output(), slog.LevelInfo)))
	if _, err := b.Deliver(b.ctx, max, h.Invoke); err != nil {
		b.Fatalf("deliver: %v", err)
	}
	return strings.Join(got, " ")
}

func (b *bench) want(what, want, got string) {
	b.Helper()
	if want != got {
		b.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// later lets messages that are out come back.
func (b *bench) later() { b.Pass(b.Visibility + b.Visibility/10) }

func testMessage(t *testing.T, b *bench) {
	ctx := telemetry.WithTrace(b.ctx, "trace-1")
	body := `{"text":"çay <&> ☕","n":1}` + "\n"
	if err := b.Send(ctx, queue.Message{Group: "market/thread:1", Dedupe: "in#1", Body: body, Attributes: map[string]string{"kind": "turn"}}); err != nil {
		t.Fatal(err)
	}
	var got trigger.Message
	var trace string
	h := trigger.Queue(func(ctx context.Context, m trigger.Message) error {
		got, trace = m, telemetry.TraceID(ctx)
		return nil
	})
	if n, err := b.Deliver(b.ctx, 10, h.Invoke); n != 1 || err != nil {
		t.Fatalf("delivered %d, error %v", n, err)
	}
	if got.ID == "" || got.Receipt == "" || got.SentAt.Year() < 2000 {
		t.Errorf("id %q, receipt %q, sent at %v", got.ID, got.Receipt, got.SentAt)
	}
	got.ID, got.Receipt, got.SentAt = "", "", time.Time{}
	want := trigger.Message{
		Group: "market/thread:1", Body: body, ReceiveCount: 1,
		Attributes: map[string]string{"kind": "turn", "trace-id": "trace-1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if trace != "trace-1" {
		t.Errorf("trace id %q does not travel", trace)
	}
	b.want("once done", "", b.deliver(10, ""))
}

func testOrder(t *testing.T, b *bench) {
	b.send("A1 A2 B1 A3 B2 A4 A5")
	var a, other []string
	for range 7 {
		for w := range strings.FieldsSeq(b.deliver(2, "")) {
			if w[0] == 'A' {
				a = append(a, w)
			} else {
				other = append(other, w)
			}
		}
	}
	b.want("group A", "A1 A2 A3 A4 A5", strings.Join(a, " "))
	b.want("group B", "B1 B2", strings.Join(other, " "))
}

func testBatch(t *testing.T, b *bench) {
	b.send("A1 A2 A3 A4 A5 A6 A7 A8 A9 Aa Ab Ac")
	b.want("one", "A1", b.deliver(1, ""))
	b.want("ten", "A2 A3 A4 A5 A6 A7 A8 A9 Aa Ab", b.deliver(10, ""))
	b.want("the rest", "Ac", b.deliver(10, ""))
}

func testGroups(t *testing.T, b *bench) {
	b.send("A1 B1 C1")
	b.deliver(1, "", func() {
		b.want("while A is out", "B1", b.deliver(1, "", func() {
			b.want("while A and B are out", "C1", b.deliver(1, ""))
		}))
	})
}

func testInFlight(t *testing.T, b *bench) {
	b.send("A1 A2")
	b.want("first", "A1", b.deliver(1, "", func() {
		b.want("while A1 is out", "", b.deliver(10, ""))
		b.send("A3")
		b.want("while A1 is out, with a new message", "", b.deliver(10, ""))
	}))
	b.want("when A1 is done", "A2 A3", b.deliver(10, ""))
}

func testDuplicates(t *testing.T, b *bench) {
	for _, m := range []queue.Message{
		{Group: "A", Dedupe: "x", Body: "first"},
		{Group: "A", Dedupe: "x", Body: "again"},
		{Group: "B", Dedupe: "x", Body: "other group"},
		{Group: "A", Dedupe: "y", Body: "second"},
	} {
		if err := b.Send(b.ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	b.want("duplicates", "first second", b.deliver(10, ""))
	if err := b.Send(b.ctx, queue.Message{Group: "A", Dedupe: "x", Body: "after it was done"}); err != nil {
		t.Fatal(err)
	}
	b.want("duplicate of a message that is gone", "", b.deliver(10, ""))
}

func testWindow(t *testing.T, b *bench) {
	if !b.Jumps {
		t.Skip("LEFT OUT: this queue's clock cannot be moved, and nobody waits five minutes")
	}
	b.send("A1")
	b.want("first", "A1", b.deliver(10, ""))
	b.Pass(5*time.Minute - time.Second)
	b.send("A1")
	b.want("within five minutes", "", b.deliver(10, ""))
	b.Pass(2 * time.Second)
	b.send("A1")
	b.want("after five minutes", "A1", b.deliver(10, ""))
}

func testVisibility(t *testing.T, b *bench) {
	b.send("A1 A2 B1")
	b.want("first", "A1", b.deliver(1, "A1"))
	b.want("A1 is hidden, and its group with it", "B1", b.deliver(10, ""))
	b.later()
	count := 0
	h := trigger.Queue(func(_ context.Context, m trigger.Message) error {
		count = m.ReceiveCount
		return nil
	})
	if n, err := b.Deliver(b.ctx, 1, h.Invoke); n != 1 || count != 2 || err != nil {
		t.Errorf("after the timeout: delivered %d, receive count %d, error %v; want A1 for the second time", n, count, err)
	}
	b.want("then", "A2", b.deliver(10, ""))
}

func testPartial(t *testing.T, b *bench) {
	b.send("A1 A2 A3 B1")
	b.want("A3 must not overtake A2", "A1 A2 B1", b.deliver(10, "A2"))
	b.want("hidden", "", b.deliver(10, ""))
	b.later()
	b.want("only what failed, in order", "A2 A3", b.deliver(10, ""))
	b.later()
	b.want("all done", "", b.deliver(10, ""))
}

func testAnswers(t *testing.T, b *bench) {
	answers := []func(context.Context, []byte) ([]byte, error){
		func(context.Context, []byte) ([]byte, error) { return nil, errors.New("the function crashed") },
		func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"batchItemFailures":[{"itemIdentifier":""}]}`), nil
		},
	}
	b.send("A1 B1")
	for i, answer := range answers {
		if n, err := b.Deliver(b.ctx, 10, answer); n != 2 || err != nil {
			t.Fatalf("answer %d: delivered %d, error %v", i, n, err)
		}
		b.want(fmt.Sprintf("answer %d: hidden", i), "", b.deliver(10, ""))
		b.later()
	}
	b.want("everything comes back", "A1 B1", b.deliver(10, ""))
}

func testDead(t *testing.T, b *bench) {
	b.send("A1 A2")
	for i := range b.Receives {
		b.want(fmt.Sprintf("try %d", i+1), "A1", b.deliver(1, "A1"))
		b.later()
	}
	b.want("the group goes on without A1", "A2", b.deliver(10, ""))
	dead, err := b.Dead(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"A1"}, dead); d != "" {
		t.Errorf("dead letters: %s", d)
	}
	t.Run("sent again", func(t *testing.T) { testRedrive(t, &bench{T: t, Fixture: b.Fixture, ctx: b.ctx}) })
}

func testRedrive(t *testing.T, b *bench) {
	if b.Redrive == nil {
		t.Skip("LEFT OUT: this server cannot send dead letters again")
	}
	if err := b.Redrive(b.ctx); err != nil {
		t.Fatal(err)
	}
	for i := range b.Receives {
		b.want(fmt.Sprintf("try %d", i+1), "A1", b.deliver(1, "A1"))
		b.later()
	}
	b.want("dead again", "", b.deliver(1, ""))
}

func testWrong(t *testing.T, b *bench) {
	right := queue.Message{Group: "A", Dedupe: "1", Body: "b"}
	for field, change := range map[string]func(*queue.Message){
		"group":       func(m *queue.Message) { m.Group = "" },
		"group ":      func(m *queue.Message) { m.Group = "a b" },
		"group  ":     func(m *queue.Message) { m.Group = "ç" },
		"group   ":    func(m *queue.Message) { m.Group = strings.Repeat("g", 129) },
		"dedupe":      func(m *queue.Message) { m.Dedupe = "" },
		"delay":       func(m *queue.Message) { m.Delay = time.Second },
		"body":        func(m *queue.Message) { m.Body = "" },
		"body ":       func(m *queue.Message) { m.Body = "a\x00b" },
		"body  ":      func(m *queue.Message) { m.Body = "a\xffb" },
		"attributes":  func(m *queue.Message) { m.Attributes = map[string]string{"a": ""} },
		"attributes ": func(m *queue.Message) { m.Attributes = map[string]string{"a b": "c"} },
		"attributes  ": func(m *queue.Message) {
			m.Attributes = map[string]string{}
			for i := range 11 {
				m.Attributes[fmt.Sprint(i)] = "v"
			}
		},
	} {
		m := right
		change(&m)
		err := b.Send(b.ctx, m)
		if _, got := fault.Public(err); !fault.Is(err, fault.Invalid) || got != strings.TrimSpace(field) {
			t.Errorf("%s: got %v (field %q)", field, err, got)
		}
	}
	big := right
	big.Body = strings.Repeat("b", 256<<10+1)
	if err := b.Send(b.ctx, big); !fault.Is(err, fault.TooLarge) {
		t.Errorf("body of 256 KiB and one byte: got %v", err)
	}
	b.want("none of them is on the queue", "", b.deliver(10, ""))
	big.Body = strings.Repeat("b", 256<<10)
	if err := b.Send(b.ctx, big); err != nil {
		t.Errorf("body of 256 KiB: %v", err)
	}
}
