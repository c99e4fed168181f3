package thread_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

func conversations(t *testing.T, op string, do func()) dynamo.Table {
	return dynamotest.Open(t, dynamotest.Before(op, do)).Table(dynamotest.TableName("conversations"))
}

func open(t *testing.T, s *thread.Store, l *thread.Lease) *thread.Thread {
	t.Helper()
	th, err := s.Open(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func ending(th *thread.Thread, now time.Time) thread.Outcome {
	return thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, At: now}}
}

// Who gave the lease back commits nothing any more, although nobody else has taken it.
func TestField05_AfterTheLeaseWasGivenBack(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	a := mustAppend(t, s, message(who, "1", "hi"), true)
	th := open(t, s, a.Lease)
	if err := s.Release(t.Context(), a.Lease); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), a.Lease, th, ending(th, c.now())); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("commit: %v", err)
	}
	if err := s.Release(t.Context(), a.Lease); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("given back twice: %v", err)
	}
	if _, err := s.Open(t.Context(), a.Lease); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("open: %v", err)
	}
	if err := s.Refresh(t.Context(), a.Lease, th); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("refresh: %v", err)
	}
	if _, _, err := s.Take(t.Context(), a.Thread); err != nil {
		t.Errorf("it is free, and %v", err)
	}
}

// What a turn is about to do is not noted when its lease has gone: who has it now may have done
// otherwise.
func TestField05_NothingIsBegunWithoutTheLease(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newStore(t, c)
	id := mustAppend(t, s, message(dynamotest.ID("ann"), "1", "yes"), false).Thread
	mine, _, err := s.Take(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	e := thread.Entry{Step: 1, Kind: "yes", Data: "1"}
	c.add(thread.LeaseFor + time.Second)
	theirs, _, err := s.Take(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(t.Context(), id, 1, e, s.Held(mine)); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("without the lease: %v", err)
	}
	if got, err := s.Record(t.Context(), id, 1, e, s.Held(theirs)); err != nil || !got.At.Equal(c.now()) {
		t.Errorf("with it: %+v, %v", got, err)
	}
}

// What was read under an earlier lease is not committed under a later one: its epoch has
// gone by.
func TestField05_WhatAnEarlierLeaseRead(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	a := mustAppend(t, s, message(who, "1", "hi"), true)
	stale := open(t, s, a.Lease)
	c.add(thread.LeaseFor + time.Second)
	l, _, err := s.Take(t.Context(), a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), l, stale, ending(stale, c.now())); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("commit: %v", err)
	}
	if err := s.Refresh(t.Context(), l, stale); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), l, stale, ending(stale, c.now())); err != nil {
		t.Errorf("read again: %v", err)
	}
}

// A doubt about what waits that comes while a turn runs is not lost with its commit: the turn has to
// look again. About what waits no more there is none.
func TestField17_DoubtWhileATurnRuns(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	commit := func(l *thread.Lease, th *thread.Thread, p *thread.Pending) error {
		o := ending(th, c.now())
		o.Pending = p
		return s.Commit(t.Context(), l, th, o)
	}
	a := mustAppend(t, s, message(who, "1", "hi"), true)
	if err := commit(a.Lease, open(t, s, a.Lease), &thread.Pending{ID: "p1"}); err != nil {
		t.Fatal(err)
	}
	a = mustAppend(t, s, message(who, "2", "yes"), true)
	th := open(t, s, a.Lease)
	for id, waits := range map[string]bool{"p2": false, "p1": true, "": true} {
		if err := s.Table.DB().Commit(t.Context(), s.Doubt(a.Thread, id)); (err == nil) != waits {
			t.Errorf("doubt about %s: %v", id, err)
		}
	}
	if err := commit(a.Lease, th, nil); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("commit: %v", err)
	}
	if err := s.Refresh(t.Context(), a.Lease, th); err != nil || !th.Pending.Doubt {
		t.Fatalf("%+v, %v", th.Pending, err)
	}
	if err := commit(a.Lease, th, nil); err != nil {
		t.Errorf("read again: %v", err)
	}
	for _, id := range []string{"p1", ""} {
		if err := s.Table.DB().Commit(t.Context(), s.Doubt(a.Thread, id)); err == nil {
			t.Errorf("doubt about %q, and nothing waits", id)
		}
	}
}

// assign gives a thread to somebody, as the desk does.
func assign(ctx context.Context, s *thread.Store, id string, to thread.Handler) error {
	return s.Table.DB().Commit(ctx, s.Assigned(id, to))
}

// Whoever takes a thread over, or gives it back, while a turn runs is not overruled by
// its commit: the turn has to look again, and leaves the thread in their hands.
func TestField11_ChangesHandsWhileATurnRuns(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	for i, to := range []thread.Handler{thread.ByPerson, thread.ByAssistant} {
		a := mustAppend(t, s, message(who, fmt.Sprint(i), "hi"), true)
		th := open(t, s, a.Lease)
		if err := assign(t.Context(), s, a.Thread, to); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), a.Lease, th, ending(th, c.now())); !errors.Is(err, thread.ErrNewer) {
			t.Errorf("commit, given to the %s meanwhile: %v", to, err)
		}
		if err := s.Refresh(t.Context(), a.Lease, th); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), a.Lease, th, ending(th, c.now())); err != nil {
			t.Fatal(err)
		}
		head, err := s.Head(t.Context(), a.Thread)
		if err != nil {
			t.Fatal(err)
		}
		if byPerson := head.Handler == thread.ByPerson; byPerson != (to == thread.ByPerson) {
			t.Errorf("after the turn the thread is with %q, want the %s", head.Handler, to)
		}
	}
	if err := assign(t.Context(), s, dynamotest.ID("th"), thread.ByPerson); !errors.Is(err, thread.ErrNoThread) {
		t.Errorf("no such thread: %v", err)
	}
}

// A finished turn is never written over.
func TestField05_AFinishedTurnStands(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	first := mustAppend(t, s, message(who, "1", "hi"), true)
	commit(t, s, first.Lease, "the first")
	second := mustAppend(t, s, message(who, "2", "hi again"), true)
	th := open(t, s, second.Lease)
	o := ending(th, c.now())
	o.Turn.N = 1
	if err := s.Commit(t.Context(), second.Lease, th, o); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("commit: %v", err)
	}
	if th := open(t, s, second.Lease); th.Recent[0].Out[0].Text != "the first" || len(th.Inbox) != 1 {
		t.Errorf("afterwards %+v", th)
	}
}

// A lease that is held is taken neither with a message nor without one, to the millisecond.
func TestField05_ALeaseLastsUntilItEnds(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	a := mustAppend(t, s, message(who, "1", "hi"), true)
	c.add(thread.LeaseFor - time.Millisecond)
	if b := mustAppend(t, s, message(who, "2", "and"), true); b.Lease != nil {
		t.Error("a second lease with a message")
	}
	if _, _, err := s.Take(t.Context(), a.Thread); !errors.Is(err, thread.ErrBusy) {
		t.Errorf("take: %v", err)
	}
	c.add(time.Millisecond)
	if b := mustAppend(t, s, message(who, "3", "so"), true); b.Lease == nil {
		t.Error("the lease has ended, and nobody gets it")
	}
}

// A notice needs somebody who has written: it makes no thread.
func TestANoticeMakesNoThread(t *testing.T) {
	t.Parallel()
	s, id := newStore(t, newClock()), dynamotest.ID("th")
	if _, err := s.Notify(t.Context(), id, "event", thread.Notice{Text: "gone"}); !errors.Is(err, thread.ErrNoThread) {
		t.Errorf("notify: %v", err)
	}
	if _, _, err := s.Take(t.Context(), id); !errors.Is(err, thread.ErrNoThread) {
		t.Errorf("take: %v", err)
	}
	if _, owner, err := s.Activity(t.Context(), id); !errors.Is(err, thread.ErrNoThread) || owner != "" {
		t.Errorf("activity: of %q, %v", owner, err)
	}
	if _, err := s.Open(t.Context(), &thread.Lease{Thread: id, By: "nobody"}); !errors.Is(err, thread.ErrNoThread) {
		t.Errorf("open: %v", err)
	}
	page, err := s.Table.Query(t.Context(), dynamo.Under(id, ""))
	if err != nil || len(page.Items) != 0 {
		t.Errorf("left behind: %v, %v", page.Items, err)
	}
}

// The inbox is bounded, with the lease and without, and what does not fit leaves nothing:
// the same message fits when there is room.
func TestTheInboxIsBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	a := mustAppend(t, s, message(who, "0", "hi"), false)
	fill := make([]thread.Message, 199)
	for i := range fill {
		fill[i] = thread.Message{ID: fmt.Sprint("m", i), Text: "more", At: c.now()}
	}
	w := s.Table.Update(dynamo.Key{PK: a.Thread, SK: "~"}, "SET inbox = list_append(inbox, :more)", dynamo.V{":more": fill})
	if err := s.Table.DB().Commit(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	for _, lease := range []bool{false, true} {
		if _, err := s.Append(t.Context(), message(who, "one too many", "?"), lease); !errors.Is(err, thread.ErrFull) {
			t.Errorf("lease %v: %v", lease, err)
		}
	}
	l, head, err := s.Take(t.Context(), a.Thread)
	if err != nil || len(head.Inbox) != 200 {
		t.Fatalf("%d wait, %v", len(head.Inbox), err)
	}
	commit(t, s, l, "answer")
	if a := mustAppend(t, s, message(who, "one too many", "?"), true); a.Duplicate || a.Lease == nil {
		t.Errorf("afterwards %+v", a)
	}
}

// A sweep does not take a thread out of the index on which a message has just come in.
func TestField06_AMessageComesWhileTheSweepLooks(t *testing.T) {
	t.Parallel()
	c := newClock()
	table, who := dynamotest.OwnTable(t, "conversations"), dynamotest.ID("who")
	s := newStore(t, c)
	s.Table = s.Table.DB().Table(table)
	commit(t, s, mustAppend(t, s, message(who, "1", "hi"), true).Lease, "answer")
	c.add(time.Hour)
	sweeper := newStore(t, c)
	sweeper.Table = conversations(t, "UpdateItem", func() { mustAppend(t, s, message(who, "2", "are you there?"), false) }).DB().Table(table)
	if sum, err := sweeper.Sweep(t.Context(), 10, nil); err != nil || sum.Quiet != 0 || sum.Looked != 1 {
		t.Fatalf("swept %+v, %v", sum, err)
	}
	c.add(2 * time.Minute)
	if sum, err := s.Sweep(t.Context(), 10, func(context.Context, string) error { return nil }); err != nil || sum.Queued != 1 {
		t.Errorf("the message is lost: %+v, %v", sum, err)
	}
}

// However many threads of a shard are lively, what waits behind them is found; of that no more is done at
// once than may be.
func TestField06_WhatWaitsBehindLivelyThreads(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newStore(t, c)
	s.Table = s.Table.DB().Table(dynamotest.OwnTable(t, "conversations"))
	shard := ""
	next := func() channel.Inbound { // on a thread of the same shard
		for {
			in := message(dynamotest.ID("who"), "1", "hi")
			if of := dynamo.DueShard("thread", thread.Of(in)); shard == "" || of == shard {
				shard = of
				return in
			}
		}
	}
	for range 3 {
		commit(t, s, mustAppend(t, s, next(), true).Lease, "answer")
	}
	c.add(time.Second)
	for range 3 {
		mustAppend(t, s, next(), false)
	}
	c.add(5 * time.Minute)
	for _, fails := range []error{nil, errors.New("no queue")} {
		asked := 0
		_, err := s.Sweep(t.Context(), 2, func(context.Context, string) error { asked++; return fails })
		if asked != 2 || !errors.Is(err, fails) {
			t.Errorf("%d queued, %v; want 2, %v", asked, err, fails)
		}
	}
}

// A lively thread stays in the index, and a message on it has a minute until somebody else
// looks after it; a turn that runs is left alone.
func TestField06_ALivelyThread(t *testing.T) {
	t.Parallel()
	c := newClock()
	table, who := dynamotest.OwnTable(t, "conversations"), dynamotest.ID("who")
	s, writes := newStore(t, c), 0
	s.Table = s.Table.DB().Table(table)
	sweeps := func(want thread.Swept) {
		t.Helper()
		sweeper := newStore(t, c)
		sweeper.Table = conversations(t, "UpdateItem", func() { writes++ }).DB().Table(table)
		got, err := sweeper.Sweep(t.Context(), 10, func(context.Context, string) error { return nil })
		if err != nil || got != want || writes != want.Quiet {
			t.Errorf("swept %+v with %d writes, %v; want %+v", got, writes, err, want)
		}
	}
	commit(t, s, mustAppend(t, s, message(who, "1", "hi"), true).Lease, "answer")
	c.add(2 * time.Minute)
	sweeps(thread.Swept{Looked: 1})
	a := mustAppend(t, s, message(who, "2", "and"), false)
	c.add(59 * time.Second)
	sweeps(thread.Swept{Looked: 1})
	c.add(2 * time.Second)
	sweeps(thread.Swept{Looked: 1, Queued: 1})
	l, _, err := s.Take(t.Context(), a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	c.add(time.Hour)
	if err := s.Renew(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	sweeps(thread.Swept{Looked: 1})
	commit(t, s, l, "answer")
	sweeps(thread.Swept{Looked: 1, Quiet: 1})
	writes = 0
	sweeps(thread.Swept{})
}

// A thread that cannot be queued, and one that is not there any more, keep no other from
// being queued.
func TestField06_OneThreadDoesNotStopTheSweep(t *testing.T) {
	t.Parallel()
	c := newClock()
	table := dynamotest.OwnTable(t, "conversations")
	s := newStore(t, c)
	s.Table = s.Table.DB().Table(table)
	for range 12 {
		mustAppend(t, s, message(dynamotest.ID("who"), "1", "hi"), false)
	}
	c.add(2 * time.Minute)
	asked, broken := 0, errors.New("the queue is away")
	sum, err := s.Sweep(t.Context(), 100, func(context.Context, string) error {
		if asked++; asked%3 == 1 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || asked != 12 || sum.Queued != 8 {
		t.Errorf("asked for %d, %+v, %v", asked, sum, err)
	}
}

// Who may be written to, when: each of the three rules by itself, and what each is for.
func TestField11_WhoMayBeWrittenTo(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newStore(t, c)
	with := func(o thread.Outcome) string {
		a := mustAppend(t, s, message(dynamotest.ID("who"), "1", "hi"), true)
		th := open(t, s, a.Lease)
		o.Turn = ending(th, c.now()).Turn
		if err := s.Commit(t.Context(), a.Lease, th, o); err != nil {
			t.Fatal(err)
		}
		return a.Thread
	}
	assigned := func(id string) string {
		if err := assign(t.Context(), s, id, thread.ByPerson); err != nil {
			t.Fatal(err)
		}
		return id
	}
	plain, out, taken := with(thread.Outcome{}), with(thread.Outcome{OptedOut: true}), assigned(with(thread.Outcome{}))
	asks, doubted := with(thread.Outcome{Pending: &thread.Pending{ID: "p1"}}), with(thread.Outcome{Pending: &thread.Pending{ID: "p1", Doubt: true}})
	both, nobody := assigned(with(thread.Outcome{OptedOut: true})), dynamotest.ID("th")
	stopped, before, after := with(thread.Outcome{StoppedAt: c.now()}), c.now().Add(-time.Second), c.now().Add(time.Second)
	const window = 24 * time.Hour
	free, windowed := thread.Reach{}, thread.Reach{Window: window}
	for _, tt := range []struct {
		name  string
		id    string
		later time.Duration
		r     thread.Reach
		want  thread.Why
	}{
		{"anybody", plain, 0, free, ""},
		{"nobody we know, by template", nobody, 0, free, ""},
		{"nobody we know, in a window", nobody, 0, windowed, thread.WindowClosed},
		{"opted out", out, 0, free, thread.OptedOut},
		{"the answer to STOP", out, 0, thread.Reach{Essential: true}, ""},
		{"the answer to STOP, too late", out, window, thread.Reach{Essential: true, Window: window}, thread.WindowClosed},
		{"opted out, by a person", out, 0, thread.Reach{Beside: true}, thread.OptedOut},
		{"taken over", taken, 0, free, thread.TakenOver},
		{"taken over, by the person", taken, 0, thread.Reach{Beside: true}, ""},
		{"taken over, the answer to STOP", taken, 0, thread.Reach{Essential: true}, thread.TakenOver},
		{"opted out and taken over", both, 0, free, thread.OptedOut},
		{"opted out and taken over, all is right", both, 0, thread.Reach{Essential: true, Beside: true}, ""},
		{"nobody we know, all is right", nobody, 0, thread.Reach{Essential: true, Beside: true}, ""},
		{"in the window's last moment", plain, window - time.Millisecond, windowed, ""},
		{"as the window closes", plain, window, windowed, thread.WindowClosed},
		{"by template after it", plain, 30 * window, free, ""},
		{"what waits", asks, 0, thread.Reach{Asks: "p1", Window: window}, ""},
		{"what waits, too late", asks, window, thread.Reach{Asks: "p1", Window: window}, thread.WindowClosed},
		{"something else waits", asks, 0, thread.Reach{Asks: "p2", Window: window}, thread.Unasked},
		{"nothing waits", plain, window, thread.Reach{Asks: "p1", Window: window}, thread.Unasked},
		{"nobody we know, for an answer", nobody, 0, thread.Reach{Asks: "p1"}, thread.Unasked},
		{"apart from what waits", asks, 0, thread.Reach{Apart: true}, thread.Undoubted},
		{"apart from what is in doubt", doubted, 0, thread.Reach{Apart: true}, ""},
		{"apart from what is in doubt, too late", doubted, window, thread.Reach{Apart: true, Window: window}, thread.WindowClosed},
		{"apart from nothing", plain, 0, thread.Reach{Apart: true}, ""},
		{"apart from nothing, too late", plain, window, thread.Reach{Apart: true, Window: window}, thread.WindowClosed},
		{"apart from nothing, nobody we know", nobody, 0, thread.Reach{Apart: true}, ""},
		{"for an answer, opted out", out, 0, thread.Reach{Asks: "p1"}, thread.OptedOut},
		{"a STOP since, taken back", stopped, 0, thread.Reach{UnstoppedSince: before}, thread.OptedOut},
		{"a STOP before, taken back", stopped, 0, thread.Reach{UnstoppedSince: after}, ""},
		{"no STOP since", plain, 0, thread.Reach{UnstoppedSince: before}, ""},
		{"no STOP since, nobody we know", nobody, 0, thread.Reach{UnstoppedSince: before}, ""},
	} {
		later := newStore(t, c)
		later.Now = func() time.Time { return c.now().Add(tt.later) }
		var got thread.Why
		err := s.Table.DB().Commit(t.Context(), later.MayWrite(tt.id, tt.r, func(why thread.Why) error { got = why; return errors.New(string(why)) }))
		if got != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// The window is 24 hours of time, not of the wall: clocks that change within it move nothing.
func TestField34_TheWindowAcrossAChangeOfClocks(t *testing.T) {
	t.Parallel()
	for _, wrote := range []time.Time{
		time.Date(2026, 10, 24, 20, 0, 0, 0, time.UTC), // Berlin and Nicosia, an hour back
		time.Date(2027, 3, 27, 20, 0, 0, 0, time.UTC),  // an hour forward
		time.Date(2026, 10, 31, 20, 0, 0, 0, time.UTC), // New York
		time.Date(2027, 4, 3, 10, 0, 0, 0, time.UTC),   // Lord Howe, half an hour back
	} {
		c := newClock()
		c.ms.Store(wrote.UnixMilli())
		s := newStore(t, c)
		a := mustAppend(t, s, message(dynamotest.ID("who"), "1", "hi"), false)
		for _, tt := range []struct {
			after time.Duration
			open  bool
		}{{24*time.Hour - time.Second, true}, {24 * time.Hour, false}, {25 * time.Hour, false}} {
			c.ms.Store(wrote.Add(tt.after).UnixMilli())
			err := s.Table.DB().Commit(t.Context(), s.MayWrite(a.Thread, thread.Reach{Window: channel.WhatsApp.Window(false)}, func(why thread.Why) error { return errors.New(string(why)) }))
			if (err == nil) != tt.open {
				t.Errorf("written at %v, %v later: %v", wrote, tt.after, err)
			}
		}
	}
}

// A burst of long messages is answered in one turn, although they are more than one item
// can hold, and all that was said can be read afterwards.
func TestField33_ABurstOfLongMessages(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	var last thread.Appended
	var want []string
	for i := range 60 {
		text := fmt.Sprintf("%02d ", i) + strings.Repeat("ş", channel.MaxText-3)
		last = mustAppend(t, s, message(who, fmt.Sprint(i), text), false)
		want = append(want, text)
	}
	lines := func(want []string) {
		t.Helper()
		forward, _, err := s.Lines(t.Context(), last.Thread, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		backward, _, err := s.LinesBefore(t.Context(), last.Thread, thread.Latest, 100)
		if err != nil || len(forward) != len(want) || len(backward) != len(want) {
			t.Fatalf("%d and %d lines, want %d: %v", len(forward), len(backward), len(want), err)
		}
		for i := range want {
			if forward[i].Text != want[i] || backward[i].Text != want[i] {
				t.Fatalf("line %d is %.10q and %.10q, want %.10q", i, forward[i].Text, backward[i].Text, want[i])
			}
		}
	}
	lines(want)
	l, _, err := s.Take(t.Context(), last.Thread)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, l, "I have read all that.")
	lines(append(want, "I have read all that."))
	next := mustAppend(t, s, message(who, "next", "thanks"), true)
	if th := open(t, s, next.Lease); th.Recent[0].In[59].Text != want[59] {
		t.Error("the next turn does not know what was said")
	}
	it, err := s.Table.Get(t.Context(), dynamo.Key{PK: last.Thread, SK: "seen#" + last.Message})
	if err != nil || it["ttl"] != nil || it.String("text") != want[59] {
		t.Errorf("the last text goes away: %v, %v", it["ttl"], err)
	}
}

// The answer to any message is found, at a cost that hardly grows with the thread.
func TestField01_AnOldMessageComesAgain(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	var id string
	var ws []dynamo.Write
	const turns = 300
	for n := 1; n <= turns; n++ {
		c.add(time.Duration(n%7) * time.Second) // some at the same time
		if n == 1 {
			id = mustAppend(t, s, message(who, "1", "hi"), false).Thread
		}
		came := c.now().Add(time.Duration(n%2*4) * time.Second) // some by a clock that is ahead of the answer's
		msg := thread.Message{ID: thread.MessageID(id, channel.App, fmt.Sprint(n)), Text: "hi", At: came}
		ws = append(ws, s.Table.Put(dynamo.Key{PK: id, SK: "seen#" + msg.ID}, map[string]any{"at": came}),
			s.Table.Put(dynamo.Key{PK: id, SK: fmt.Sprintf("turn#%08d", n)}, thread.Turn{N: n, In: []thread.Message{msg}, At: c.now()}))
	}
	ws = append(ws, s.Table.Update(dynamo.Key{PK: id, SK: "~"}, "SET turns = :n REMOVE inbox", dynamo.V{":n": turns}))
	if err := s.Table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, 8, 150, 279, 280, 281, 299, 300} {
		ctx, meter := telemetry.WithMeter(t.Context())
		turn, _, ok, err := s.Answer(ctx, id, thread.MessageID(id, channel.App, fmt.Sprint(n)))
		if err != nil || !ok || turn.N != n || meter.Cost().Requests > 13 || n > 281 && meter.Cost().Requests != 1 {
			t.Errorf("message %d: turn %d, %v, %v, %d requests", n, turn.N, ok, err, meter.Cost().Requests)
		}
	}
	ctx, meter := telemetry.WithMeter(t.Context())
	if _, _, ok, err := s.Answer(ctx, id, thread.MessageID(id, channel.App, "never")); ok || err != nil || meter.Cost().Requests != 2 {
		t.Errorf("what never came: %v, %v, %d requests", ok, err, meter.Cost().Requests)
	}
	lost := thread.MessageID(id, channel.App, "lost")
	if err := s.Table.DB().Commit(t.Context(), s.Table.Put(dynamo.Key{PK: id, SK: "seen#" + lost}, map[string]any{"at": c.now().Add(-time.Hour)})); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := s.Answer(t.Context(), id, lost); ok || err != nil {
		t.Errorf("what came and is in no turn: %v, %v", ok, err)
	}
	waits := mustAppend(t, s, message(who, "waits", "hi"), false)
	ctx, meter = telemetry.WithMeter(t.Context())
	if _, _, ok, err := s.Answer(ctx, id, waits.Message); ok || err != nil || meter.Cost().Requests != 1 {
		t.Errorf("what waits for its answer: %v, %v, %d requests", ok, err, meter.Cost().Requests)
	}
	faulttest.Tried(t, 12)
}

// Turns in which nobody said anything end no list.
func TestSilentTurns(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	a := mustAppend(t, s, message(who, "1", "hi"), true)
	commit(t, s, a.Lease, "hello")
	for i := range 6 {
		if _, err := s.Notify(t.Context(), a.Thread, fmt.Sprint(i), thread.Notice{Text: "not shown"}); err != nil {
			t.Fatal(err)
		}
		l, _, err := s.Take(t.Context(), a.Thread)
		if err != nil {
			t.Fatal(err)
		}
		th := open(t, s, l)
		if err := s.Commit(t.Context(), l, th, ending(th, c.now())); err != nil {
			t.Fatal(err)
		}
	}
	back, err := pages(thread.Latest, func(before string) ([]thread.Line, string, error) {
		return s.LinesBefore(t.Context(), a.Thread, before, 1)
	})
	if got := slices.Concat(back...); err != nil || fmt.Sprint(got) != "[hello hi]" {
		t.Errorf("listed %v, %v", got, err)
	}
	commit(t, s, mustAppend(t, s, message(who, "2", "and"), true).Lease, "then")
	forth, err := pages("", func(after string) ([]thread.Line, string, error) { return s.Lines(t.Context(), a.Thread, after, 1) })
	if got := slices.Concat(forth...); err != nil || fmt.Sprint(got) != "[hi hello and then]" {
		t.Errorf("listed forward %v, %v", got, err)
	}
}

// A step that was journalled with nothing in it stands, too.
func TestAnEmptyStepStands(t *testing.T) {
	t.Parallel()
	s := newStore(t, newClock())
	a := mustAppend(t, s, message(dynamotest.ID("who"), "1", "hi"), false)
	for _, data := range []string{"", "second"} {
		if e, err := s.Record(t.Context(), a.Thread, 1, thread.Entry{Step: 1, Kind: "note", Data: data}); err != nil || e.Data != "" {
			t.Errorf("%q: %+v, %v", data, e, err)
		}
	}
}
