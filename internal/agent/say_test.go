package agent_test

import (
	"context"
	"strings"
	"testing"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/model/llm"
)

// speaker streams a bench's answers in pieces of a few bytes.
type speaker struct{ *bench }

func (s speaker) Stream(ctx context.Context, req llm.Request, say func(string) error) (llm.Response, error) {
	resp, err := s.Complete(ctx, req)
	for rest := resp.Text; rest != "" && err == nil; {
		if err = context.Cause(ctx); err != nil {
			break
		}
		n := min(3, len(rest))
		err = say(rest[:n])
		rest = rest[n:]
	}
	return resp, err
}

// spoken is a task whose text is said while it comes. No clause with "booked" in it is accepted.
func (b *bench) spoken() agent.Task {
	task := b.task()
	task.Model = speaker{b}
	task.Took = nil
	task.Sink.Say = func(_ context.Context, piece string) error { b.note("says %q", piece); return nil }
	task.Accept = func(d agent.Draft) agent.Verdict {
		switch {
		case !strings.Contains(d.Text, "booked"):
			return agent.Verdict{Text: strings.TrimSpace(d.Text)}
		case d.Again == 0:
			return agent.Verdict{Text: d.Text, Again: "It is not."}
		}
		return agent.Verdict{Text: "Nothing was done.", Withheld: "a claim"}
	}
	return task
}

// Text is said clause by clause, also beside calls, and what was said joined is the answer.
func TestATextIsSaidWhileItComes(t *testing.T) {
	t.Parallel()
	first := asks("look tea")
	first.Text = "Let me look."
	b := newBench(t, first, says("There is tea. It is hot!"))
	task := b.spoken()
	task.Before = "Hello."
	o := b.run(task)
	b.want(`says "\n\nLet me look."`, "look tea en", `says "\n\nThere is tea."`, `says " It is hot!"`)
	if want := "Hello.\n\nLet me look.\n\nThere is tea. It is hot!"; o.Text != want || o.Said != want || o.End != agent.Answered || o.Why != "" {
		t.Errorf("%+v", o)
	}
}

// A clause that is refused before anything was said is written again. After something was said it ends what the
// model says, and what replaces it is for the caller to say.
func TestAClauseThatIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("I have booked it. Bye."), says("There is tea. I have booked it. Bye."), says("never asked"))
	o := b.run(b.spoken())
	b.want(`says "There is tea."`)
	if want := "There is tea.\n\nNothing was done."; o.Text != want || o.Said != "There is tea." || o.Why != "a claim" || len(b.asked) != 2 {
		t.Errorf("asked %d times: %+v", len(b.asked), o)
	}
	if last := b.asked[1].Messages; last[len(last)-1].Text != "It is not." {
		t.Errorf("the model was told %+v", last)
	}
}

// Once nobody listens the model is not heard any more; tools that were begun come to their end.
func TestHushed(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("There is tea. It is hot! Bye."))
	task := b.spoken()
	task.Sink.Say = func(_ context.Context, piece string) error {
		if strings.Contains(piece, "hot") {
			return agent.ErrHushed
		}
		return nil
	}
	if o := b.run(task); o.End != agent.Hushed || o.Text != "There is tea." || o.Said != o.Text {
		t.Errorf("%+v", o)
	}

	b = newBench(t, asks("look tea"), says("never heard"))
	task = b.spoken()
	hushed, hush := context.WithCancelCause(t.Context())
	b.tools[0] = b.tool("look", tool.Read, func(string) (tool.Result, error) {
		hush(agent.ErrHushed)
		return tool.Result{Data: "tea"}, nil
	})
	task.Tools = b.registry()
	task.Sink.Listening = func(context.Context) (context.Context, context.CancelFunc) { return hushed, func() {} }
	if o := b.run(task); o.End != agent.Hushed || o.Text != "" || statuses(o) != "look ok" || len(b.asked) != 1 {
		t.Errorf("asked %d times: %+v", len(b.asked), o)
	}
}
