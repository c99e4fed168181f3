package turn_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"merve/internal/agent/tool"
	"merve/internal/record/place"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// effects are all that turns can bring about: calls of tools that are more than looks, and the YES
// to each kind of pending action and the NO to each commitment; and which of them kinds of turn have.
type effects struct {
	t    *testing.T
	all  []string
	mu   sync.Mutex
	met  map[string]bool
	kind map[string]bool // that ran
}

func newEffects(t *testing.T) *effects {
	t.Helper()
	e := &effects{t: t, met: map[string]bool{}, kind: map[string]bool{}}
	looks, err := tool.NewRegistry((&place.Finder{}).Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	w := newSara(t, nil)
	for _, a := range append(otherAssistants(), assistant.Merve(), assistant.Sara(), assistant.PestCall()) {
		for _, name := range a.Tools {
			called, ok := w.runner.Tools.Get(name)
			if !ok {
				called, ok = looks.Get(name)
			}
			switch {
			case !ok:
				t.Errorf("%s of %s is not in the worlds of these tests", name, a.Name)
			case called.Effect != tool.Read:
				e.all = append(e.all, name)
			}
		}
	}
	for kind, c := range w.runner.Commitments {
		e.all = append(e.all, "yes to "+kind, fmt.Sprintf("no to %T", c.(noted).Commitment))
	}
	return e
}

// add notes what the turns of a kind have brought about.
func (e *effects) add(kind string, w *world) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kind[kind] = true
	for what := range w.brought {
		e.met[what] = true
	}
}

// wantAll wants every effect to have a kind of turn, when all kinds have run.
func (e *effects) wantAll() {
	if len(e.kind) < len(kinds()) {
		return // some were left out by -run
	}
	for _, what := range e.all {
		if !e.met[what] {
			e.t.Errorf("no kind of turn has %s: add one to the table", what)
		}
	}
}

// noted is a commitment of which the world notes how it is settled.
type noted struct {
	gate.Commitment
	w    *world
	kind string
}

func (n noted) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	n.w.note("yes to "+n.kind, c.Pending.Tool)
	return n.Commitment.Commit(ctx, tc, c)
}

func (n noted) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	n.w.note(fmt.Sprintf("no to %T", n.Commitment))
	return n.Commitment.Release(ctx, tc, p)
}

// note takes down what a turn brings about.
func (w *world) note(what ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range what {
		w.brought[one] = true
	}
}
