package turn_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/llm"
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
