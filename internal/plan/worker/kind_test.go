package worker

import (
	"slices"
	"testing"

	"merve/internal/plan/worker/kind"
)

// Each kind of worker does something, and nothing is done of no kind.
func TestEveryKindRuns(t *testing.T) {
	t.Parallel()
	runs := (&Tools{}).runs()
	for _, k := range kind.All() {
		if runs[k.Tool] == nil {
			t.Errorf("%s does nothing", k.Tool)
		}
		delete(runs, k.Tool)
	}
	for name := range runs {
		t.Errorf("%s is of no kind", name)
	}
	if name := (kind.Kind{Tool: "general_chat"}); name.Name() != "worker-general-chat" || name.Env() != "WORKER_GENERAL_CHAT_QUEUE_URL" {
		t.Errorf("named %s, its queue %s", name.Name(), name.Env())
	}
	if !slices.ContainsFunc(kind.All(), func(k kind.Kind) bool { return k.Apart && k.Runner() == k.Name() }) {
		t.Error("no worker has a program of its own")
	}
}
