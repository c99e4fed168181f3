package thread_test

import (
	"slices"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// A conversation that its client has named is found by its owner, its name and its call session, in its market only,
// and still is when it was erased. To make it costs a request more, and what comes after costs as much as without a name.
func TestNamedConversations(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t, newClock()), t.Context()
	ann, bob := actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}, actor.Actor{Kind: actor.Session, ID: dynamotest.ID("bob")}
	name, call := dynamotest.ID("trip"), dynamotest.ID("call")
	in := func(who actor.Actor, market, talk, id string) channel.Inbound {
		return channel.Inbound{Market: market, Channel: channel.Live, ThreadType: channel.General, From: who, Talk: talk, MessageID: id, Text: "hi"}
	}
	write := func(in channel.Inbound, lease bool) telemetry.Cost {
		t.Helper()
		ctx, meter := telemetry.WithMeter(ctx)
		if _, err := s.Append(ctx, in, lease); err != nil {
			t.Fatal(err)
		}
		return meter.Cost()
	}
	write(in(bob, "demo", "", "1"), false)
	first := write(in(ann, "demo", name, "1"), false)
	later, next := write(in(bob, "demo", "", "2"), false), write(in(ann, "demo", name, "2"), false)
	if first.Requests != 2 || next.Requests != 1 || next.WriteUnits != later.WriteUnits {
		t.Errorf("first %+v, next %+v, without a name %+v", first, next, later)
	}
	write(in(ann, "demo", name+"-2", "1"), true)
	write(in(ann, "other", name, "1"), true)
	write(in(bob, "demo", name, "1"), true)
	if _, err := s.Begin(ctx, in(bob, "demo", name, "2"), thread.Notice{Kind: "session", Session: &thread.Session{ID: call}},
		s.FindCall(thread.Of(in(bob, "demo", name, "")), "demo", call)); err != nil {
		t.Fatal(err)
	}
	kinds := thread.Kinds{{Type: channel.General}}
	trip := thread.Of(in(ann, "demo", name, ""))
	want := []string{thread.Of(in(ann, "demo", "", "")), trip, thread.Of(in(ann, "demo", name+"-2", "")), thread.Of(in(bob, "demo", "", "")), thread.Of(in(bob, "demo", name, ""))}
	look := func() {
		t.Helper()
		got, err := s.All(ctx, kinds, "demo", ann.Key(), bob.Key())
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("all: %v, %v, want %v", got, err, want)
		}
		called, err := s.Called(ctx, "demo", name)
		if err != nil || len(called) != 2 || !slices.ContainsFunc(called, func(h thread.Head) bool { return h.ID == trip }) {
			t.Errorf("called: %+v, %v", called, err)
		}
		if in, err := s.InCall(ctx, "demo", call); err != nil || len(in) != 1 || in[0].Owner != bob.Key() {
			t.Errorf("in the call: %+v, %v", in, err)
		}
	}
	look()
	if err := s.Erase(ctx, trip); err != nil {
		t.Fatal(err)
	}
	look()
	if none, err := s.InCall(ctx, "other", call); err != nil || len(none) > 0 {
		t.Errorf("in another market: %+v, %v", none, err)
	}
}
