package thread_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// The threads of a market are listed by when they became lively last, in two requests for each
// hundred looked at. One that is erased is on no list until its customer writes again.
func TestList(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, market := newStore(t, c), dynamotest.ID("m")
	s.Table = dynamotest.Open(t).Table(dynamotest.OwnTable(t, "conversations")) // which is swept
	writes := func(who string, ch channel.Channel) string {
		t.Helper()
		in := message(who, dynamotest.ID("id"), "hi")
		in.Market, in.Channel = market, ch
		a := mustAppend(t, s, in, true)
		commit(t, s, a.Lease, "hello")
		return a.Thread
	}
	list := func(requests int, l thread.Listing) (ids []string, next string) {
		t.Helper()
		l.Market = market
		ctx, meter := telemetry.WithMeter(t.Context())
		heads, next, err := s.List(ctx, l)
		if got := meter.Cost().Requests; err != nil || got != requests {
			t.Fatalf("%d requests, want %d, %v", got, requests, err)
		}
		ids = []string{}
		for _, h := range heads {
			ids = append(ids, h.ID)
		}
		return ids, next
	}
	lists := func(what string, want []string, requests int, l thread.Listing) (next string) {
		t.Helper()
		got, next := list(requests, l)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		return next
	}
	first := writes("ann", channel.App)
	c.add(time.Minute)
	second := writes("bob", channel.Web)
	c.add(time.Minute)
	writes("ann", channel.App) // is in a conversation: stays where it is
	lists("lively", []string{second, first}, 2, thread.Listing{Limit: 10})

	c.add(time.Hour)
	for range 2 { // there is nothing left to do
		if _, err := s.Sweep(t.Context(), 1000, func(context.Context, string) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	lists("quiet", []string{second, first}, 2, thread.Listing{Limit: 10})
	writes("ann", channel.App)
	lists("lively again", []string{first, second}, 2, thread.Listing{Limit: 10})
	next := lists("a page", []string{first}, 2, thread.Listing{Limit: 1})
	next = lists("the next", []string{second}, 2, thread.Listing{Limit: 1, After: next})
	if next != "" {
		lists("behind the end", []string{}, 1, thread.Listing{Limit: 1, After: next})
	}

	if err := s.Erase(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	lists("erased", []string{second}, 2, thread.Listing{Limit: 10})
	writes("ann", channel.App)
	lists("back", []string{first, second}, 2, thread.Listing{Limit: 10})

	// What is looked for is found in what is looked at, and the next page goes on behind it.
	var web []string
	for i := range 150 {
		c.add(time.Second)
		id := writes(fmt.Sprint("w", i), []channel.Channel{channel.Web, channel.App}[i%2])
		if i%2 == 0 {
			web = append([]string{id}, web...)
		}
	}
	only := thread.Listing{Limit: 60, Keep: thread.Wanted(channel.Web, "", c.now())}
	only.After = lists("web", web[:60], 4, only)
	lists("the rest of web", append(web[60:], second), 2, only)
	only.After, only.Keep = "", thread.Wanted("", thread.AwaitingConfirmation, c.now())
	if next := lists("none", []string{}, 4, only); next != "" {
		t.Errorf("after all %q", next)
	}
	for _, limit := range []int{0, 101} {
		if _, _, err := s.List(t.Context(), thread.Listing{Market: market, Limit: limit}); !fault.Is(err, fault.Invalid) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// A thread that a person has is nowhere else.
func TestWanted(t *testing.T) {
	t.Parallel()
	now := newClock().now()
	pending, over := &thread.Pending{ID: "p", ExpiresAt: now.Add(1)}, &thread.Pending{ID: "p", ExpiresAt: now}
	for _, tt := range []struct {
		h    thread.Head
		want thread.State
	}{
		{thread.Head{}, thread.Idle},
		{thread.Head{Pending: pending}, thread.AwaitingConfirmation},
		{thread.Head{Pending: over}, thread.Idle}, // until the next turn it is there still
		{thread.Head{Inbox: []thread.Message{{}}, Pending: pending}, thread.Executing},
		{thread.Head{Handler: thread.ByPerson, Pending: pending}, thread.WithPerson},
	} {
		h, want := tt.h, tt.want
		for _, state := range []thread.State{thread.Idle, thread.AwaitingConfirmation, thread.Executing, thread.WithPerson} {
			if got := thread.Wanted("", state, now)(h); got != (state == want) {
				t.Errorf("%s looked for as %s: %v", want, state, got)
			}
		}
		if !thread.Wanted("", "", now)(h) || thread.Wanted(channel.App, "", now)(h) {
			t.Errorf("%s by channel", want)
		}
	}
}
