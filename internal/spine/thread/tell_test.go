package thread_test

import (
	"context"
	"slices"
	"testing"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
)

// queued keeps by which keys turns are queued.
type queued []string

func (q *queued) Queue(_ context.Context, _, dedupe string) error {
	*q = append(*q, dedupe)
	return nil
}

// A notice that is told again is queued by the same key; on a thread that is gone nobody is told.
func TestANoticeIsQueuedByItsKey(t *testing.T) {
	t.Parallel()
	s := newStore(t, newClock())
	id := mustAppend(t, s, message(dynamotest.ID("ann"), "1", "hi"), false).Thread
	var q queued
	teller := thread.Teller{Store: s, Queue: &q}
	for _, key := range []string{"a", "b", "a", "b"} {
		if err := teller.Tell(t.Context(), id, key, thread.Notice{Kind: "note", Text: key}); err != nil {
			t.Fatal(err)
		}
	}
	if len(q) != 4 || q[0] == q[1] || !slices.Equal(q[:2], q[2:]) {
		t.Errorf("keys %q", q)
	}
	if err := teller.Tell(t.Context(), dynamotest.ID("th"), "a", thread.Notice{Text: "a"}); err != nil || len(q) != 4 {
		t.Errorf("a thread that is gone: %v, keys %q", err, q)
	}
}
