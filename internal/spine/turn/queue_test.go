package turn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
)

// asked keeps by which keys turns are queued.
type asked struct {
	*world
	keys []string
}

func (a *asked) Queue(ctx context.Context, threadID, key string) error {
	a.keys = append(a.keys, key)
	return a.world.Queue(ctx, threadID, key)
}

// A message that comes again is queued by the same key, so that a queue which knows keys brings it
// once; what a client gives up waiting for has another one, as it was not queued before.
func TestField01_AMessageIsQueuedByItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	q := &asked{world: w}
	w.runner.Queue = q
	for range 2 {
		for _, id := range []string{"m1", "m2"} {
			w.comes(w.from("ann", channel.WhatsApp, id, "hello"))
		}
	}
	if len(q.keys) != 4 || q.keys[0] == q.keys[1] || !slices.Equal(q.keys[:2], q.keys[2:]) {
		t.Errorf("keys %q", q.keys)
	}
	q.keys = nil
	for _, id := range []string{"m1", "m1", "m2"} { // a client that gives up while the model thinks, and asks again
		ctx, giveUp := context.WithCancel(t.Context())
		w.model = modelFunc(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			giveUp()
			return llm.Response{}, llm.Fail(llm.Malformed, "nobody waits")
		})
		w.restart()
		w.runner.Queue = q
		a, err := w.runner.Converse(ctx, w.from("bob", channel.App, id, "hello"))
		if err != nil || !a.Later {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if len(q.keys) != 3 || q.keys[0] != q.keys[1] || q.keys[1] == q.keys[2] {
		t.Errorf("keys of one that is queued later: %q", q.keys)
	}
}

// A client that gives up just when whoever holds the lease has answered is given that answer: there
// is no place behind it to look for it.
func TestGivesUpWhenItIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{Text: "Here I am."}, nil })
	first, err := w.threads.Append(t.Context(), w.from("ann", channel.App, "m1", "hello"), true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	w.runner.Wait = func(ctx context.Context, _ time.Duration) error {
		w.runner.Wait = w.clock.wait
		if err := w.threads.Release(t.Context(), first.Lease); err != nil {
			t.Error(err)
		}
		if err := w.runner.Work(t.Context(), first.Thread); err != nil {
			t.Error(err)
		}
		giveUp()
		return ctx.Err()
	}
	a, err := w.runner.Converse(ctx, w.from("ann", channel.App, "m2", "are you there?"))
	if err != nil || a.Later || textOf(a.Turn) != "Here I am." {
		t.Errorf("%+v, %v", a, err)
	}
}

// What a long turn leaves is no longer the business of its invocation, which would be stopped in the
// middle of the next one: it gets one of its own, queued by a key of its own, or the queue would take
// what that one leaves for the same. With time enough it is answered at once.
func TestWhatIsLeftGetsItsOwnInvocation(t *testing.T) {
	t.Parallel()
	const all = "[m1+m2+m3 m4+m5+m6 m7]"
	for left, want := range map[time.Duration][]string{
		time.Hour:         {all, all},
		105 * time.Second: {"[m1+m2+m3]", "[m1+m2+m3 m4+m5+m6]"},
	} {
		w := newWorld(t, nil)
		q := &asked{world: w}
		came := 1
		w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
			if came++; came <= 7 {
				w.comes(w.from("ann", channel.App, fmt.Sprint("m", came), fmt.Sprint("m", came)))
			}
			return llm.Response{Text: "Here I am."}, nil
		})
		first := w.from("ann", channel.App, "m1", "m1")
		w.comes(first)
		w.restart()
		w.runner.Queue = q
		ctx, stop := context.WithTimeout(t.Context(), left)
		defer stop()
		for _, want := range want {
			if err := w.runner.Work(ctx, threadOf(first)); err != nil {
				t.Error(err)
			}
			if got := fmt.Sprint(w.saidIn(threadOf(first))); got != want {
				t.Errorf("with %v left: turns answer %s, want %s", left, got, want)
			}
		}
		rest := slices.DeleteFunc(slices.Clone(q.keys), func(key string) bool { return !strings.HasSuffix(key, ".rest") })
		if keys := len(slices.Compact(rest)); keys > 0 != (left < time.Hour) || keys == 1 || slices.Contains(rest, ".rest") {
			t.Errorf("with %v left: queued by %q", left, q.keys)
		}
		w.work()
		if got := fmt.Sprint(w.saidIn(threadOf(first))); got != all {
			t.Errorf("with %v left: in the end, turns answer %s", left, got)
		}
	}
}

// Who waits for a thread until there is no time for a turn any more comes again instead.
func TestWaitsWhileATurnFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a, err := w.threads.Append(t.Context(), w.from("ann", channel.App, "m1", "hello"), true) // which takes the lease
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 105*time.Second)
	defer stop()
	w.runner.Wait = func(context.Context, time.Duration) error {
		t.Error("waited")
		return errImpatient
	}
	if err := w.runner.Work(ctx, a.Thread); !fault.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
}
