package thread_test

import (
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	. "merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// A thread has the messages that came on it, and no other's.
func TestHeadWith(t *testing.T) {
	t.Parallel()
	s := &Store{Table: dynamotest.Open(t, nil).Table(dynamotest.TableName("conversations")), Now: time.Now, NewID: func() string { return dynamotest.ID("lease") }}
	in := channel.Inbound{
		Market: dynamotest.ID("m"), Channel: channel.App, ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: "ann"}, MessageID: "1", Text: "hi",
	}
	mine, err := s.Append(t.Context(), in, false)
	if err != nil {
		t.Fatal(err)
	}
	in.From.ID = "bob"
	other, err := s.Append(t.Context(), in, false)
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]bool{mine.Message: true, other.Message: false, "none": false, "r_1_0": false} {
		if h, got, err := s.HeadWith(t.Context(), mine.Thread, message); err != nil || got != want || h.ID != mine.Thread {
			t.Errorf("%s: %v, %v, head %q", message, got, err, h.ID)
		}
	}
}
