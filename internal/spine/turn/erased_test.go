package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
)

// What comes again after its turn was erased is answered by nobody, and not waited for.
func TestARepeatOfWhatWasErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{Text: "I see."}, nil })
	in := w.from("ann", channel.Web, "m1", "hello")
	w.say(in)
	if err := w.threads.Erase(t.Context(), threadOf(in)); err != nil {
		t.Fatal(err)
	}
	w.runner.Wait = func(context.Context, time.Duration) error {
		t.Error("somebody waits")
		return context.DeadlineExceeded
	}
	if a, err := w.runner.Converse(t.Context(), in); !fault.Is(err, fault.Gone) {
		t.Errorf("%+v, %v", a, err)
	}
}

// A turn that runs while all is erased brings nothing of it back: neither in the digest that it
// carries, nor by a model that has been told of it.
func TestErasedWhileATurnRuns(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	says := func(n int) channel.Inbound {
		return w.from("ann", channel.Web, fmt.Sprint("m", n), fmt.Sprint("secret ", n))
	}
	id, erases := threadOf(says(0)), false
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		if erases {
			erases = false
			if _, err := w.sara.people.Erase(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
		var told []string
		for _, m := range req.Messages {
			if m.Role == llm.User {
				told = append(told, m.Text)
			}
		}
		return llm.Response{Text: "You said " + strings.Join(told, ", ")}, nil
	})
	const last = 7 // has a digest
	for n := range last {
		w.say(says(n))
	}
	erases = true
	w.say(says(last))
	turns := w.turnsOf(id)
	if len(turns) != 1 || !strings.Contains(textOf(turns[0]), fmt.Sprint("secret ", last)) {
		t.Fatalf("%d turns: %+v", len(turns), turns)
	}
	if tn := turns[0]; tn.Digest != "" || strings.Contains(textOf(tn), "secret 0") {
		t.Errorf("the digest is %q, said was %q", tn.Digest, textOf(tn))
	}
}
