package desk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/people/desk"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

var clerk = actor.Actor{Kind: actor.Staff, ID: "clerk", Groups: []string{"admin"}}

// quiet is a queue of which nothing is wanted.
type quiet struct{}

func (quiet) Queue(context.Context, string, string) error { return nil }

// office is a desk with one customer's thread.
type office struct {
	*desk.Desk
	t       testing.TB
	threads *thread.Store
	now     time.Time
	thread  string
	market  string
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{t: t, now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), market: dynamotest.ID("m")}
	o.threads = &thread.Store{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")), Now: func() time.Time { return o.now }, NewID: func() string { return dynamotest.ID("lease") }}
	o.Desk = o.over(dynamotest.Open(t))
	o.thread = o.begin("ann").ID
	return o
}

// begin is the thread of a customer who has said hello.
func (o *office) begin(name string) thread.Head {
	o.t.Helper()
	ctx := context.Background()
	a, err := o.threads.Append(ctx, channel.Inbound{
		Market: o.market, Channel: channel.App, ThreadType: channel.General, MessageID: "m1", Text: "hello",
		From: actor.Actor{Kind: actor.Session, ID: dynamotest.ID(name), Name: name},
	}, false)
	if err != nil {
		o.t.Fatal(err)
	}
	h, err := o.threads.Head(ctx, a.Thread)
	if err != nil {
		o.t.Fatal(err)
	}
	return h
}

// over is the desk of a process of its own.
func (o *office) over(db *dynamo.DB) *desk.Desk {
	return &desk.Desk{Table: db.Table(dynamotest.TableName("records")), Threads: thread.Teller{Store: o.threads, Queue: quiet{}}, Now: func() time.Time { return o.now }}
}

// waits has the thread wait for a person, a while from now.
func (o *office) waits(in time.Duration) error {
	o.now = o.now.Add(in)
	h, err := o.threads.Head(o.t.Context(), o.thread)
	if err != nil {
		return err
	}
	return o.Table.DB().Commit(o.t.Context(), append(o.Wait(h, 1, "tr", "the bill", "", ""), o.threads.Assigned(o.thread, thread.ByPerson))...)
}

// told is what waits to be said on the thread, by kind.
func (o *office) told() string {
	o.t.Helper()
	h, err := o.threads.Head(context.Background(), o.thread)
	if err != nil {
		o.t.Fatal(err)
	}
	var kinds []string
	for _, m := range h.Inbox {
		if m.Notice != nil {
			kinds = append(kinds, m.Notice.Kind)
		}
	}
	return strings.Join(kinds, " ")
}

// taken are who has the threads of the market, by the desk and by the thread itself.
func (o *office) taken() string {
	o.t.Helper()
	cases, err := o.List(context.Background(), o.market)
	h, err2 := o.threads.Head(context.Background(), o.thread)
	if err != nil || err2 != nil {
		o.t.Fatal(err, err2)
	}
	var who []string
	for _, c := range cases {
		who = append(who, c.TakenBy)
	}
	return strings.Join(who, " ") + "|" + string(h.Handler)
}

func TestStaffWriteWhatCanBeRead(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), context.Background()
	if err := o.Write(ctx, o.thread, "hello", "k"); !fault.Is(err, fault.Conflict) {
		t.Errorf("before it is taken: %v", err)
	}
	if err := o.Take(ctx, o.thread, clerk); err != nil {
		t.Fatal(err)
	}
	for field, all := range map[string][][2]string{
		"text": {{"", "k"}, {" \n", "k"}, {"\xff", "k"}, {strings.Repeat("é", desk.MaxText+1), "k"}},
		"key":  {{"hello", ""}, {"hello", strings.Repeat("k", 129)}},
	} {
		for _, say := range all {
			var wrong *fault.Error
			if err := o.Write(ctx, o.thread, say[0], say[1]); !errors.As(err, &wrong) || wrong.Field != field {
				t.Errorf("%.20q by %.20q: %v", say[0], say[1], err)
			}
		}
	}
	for range 2 { // once
		if err := o.Write(ctx, o.thread, strings.Repeat("é", desk.MaxText), strings.Repeat("k", 128)); err != nil {
			t.Error(err)
		}
	}
	if got := o.told(); got != "handed_over "+thread.StaffReply {
		t.Errorf("told %s", got)
	}
}

// What begins to wait is one event, whatever else is written with it.
func TestWaitingIsAnEvent(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), t.Context()
	h, err := o.threads.Head(ctx, o.thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Table.DB().Commit(ctx, o.Wait(h, 3, "tr", "the bill", "a table", "trace")...); err != nil {
		t.Fatal(err)
	}
	page, err := o.Table.Query(ctx, dynamo.Under("desk#"+o.market, ""))
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("%v, %v", page.Items, err)
	}
	var events []desk.Event
	for _, it := range page.Items {
		e, ok, err := desk.Events.Read(it)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			events = append(events, e)
		}
	}
	want := []desk.Event{{Thread: o.thread, Market: o.market, Name: "ann", Reason: "the bill", LetGo: "a table", Turn: 3, Trace: "trace", At: o.now}}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Whoever has a thread sees what was let go of on it, and no case is made of one that nobody has.
func TestLetGo(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), t.Context()
	h, err := o.threads.Head(ctx, o.thread)
	if err != nil {
		t.Fatal(err)
	}
	nobody := errors.New("nobody has it")
	letGo := func() error { return o.Table.DB().Commit(ctx, o.LetGo(h, "a table").Else(nobody)) }
	if err := letGo(); !errors.Is(err, nobody) {
		t.Errorf("before it was taken: %v", err)
	}
	if err := errors.Join(o.Take(ctx, o.thread, clerk), letGo()); err != nil {
		t.Fatal(err)
	}
	cases, err := o.List(ctx, o.market)
	if err != nil || len(cases) != 1 || cases[0].LetGo != "a table" {
		t.Errorf("%+v, %v", cases, err)
	}
	if view, err := o.Of(ctx, o.thread); err != nil || view == nil || view.LetGo != "a table" {
		t.Errorf("exported %+v, %v", view, err)
	}
	if err := o.Return(ctx, o.thread); err != nil {
		t.Fatal(err)
	}
	if err := letGo(); !errors.Is(err, nobody) {
		t.Errorf("after it was given back: %v", err)
	}
}

// Who waits is before whom somebody has, and who has waited longest is first.
func TestList(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), t.Context()
	for _, name := range []string{"first", "second", "third", "fourth"} {
		h := o.begin(name)
		o.now = o.now.Add(time.Minute)
		if err := o.Table.DB().Commit(ctx, append(o.Wait(h, 1, "tr", "", "", ""), o.threads.Assigned(h.ID, thread.ByPerson))...); err != nil {
			t.Fatal(err)
		}
		if name == "first" || name == "third" {
			if err := o.Take(ctx, h.ID, clerk); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases, err := o.List(ctx, o.market)
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); err != nil || got != "second fourth first third" {
		t.Errorf("%s, %v", got, err)
	}
}

// Who takes a thread sees further why its customer asked for a person, and since when.
func TestTakenForItsReason(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), t.Context()
	h, err := o.threads.Head(ctx, o.thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Table.DB().Commit(ctx, append(o.Wait(h, 1, "tr", "the bill is wrong", "", ""), o.threads.Assigned(h.ID, thread.ByPerson))...); err != nil {
		t.Fatal(err)
	}
	since := o.now
	for range 2 {
		o.now = o.now.Add(time.Minute)
		if err := o.Take(ctx, o.thread, clerk); err != nil {
			t.Fatal(err)
		}
	}
	want := []desk.Case{{
		Thread: h.ID, Market: o.market, Type: channel.General, Channel: channel.App, Name: "ann", Language: "tr", Reason: "the bill is wrong", Since: since,
		TakenBy: clerk.Key(), TakenAt: since.Add(time.Minute),
	}}
	cases, err := o.List(ctx, o.market)
	if diff := cmp.Diff(want, cases); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := o.told(); got != "handed_over" {
		t.Errorf("told %s", got)
	}
}

// Of a customer who has all deleted the desk keeps that somebody has their thread, until it is
// given back, and neither who they are nor why they asked.
func TestErase(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), t.Context()
	if err := o.Erase(ctx, o.thread); err != nil {
		t.Fatal(err)
	}
	if kept, err := o.Of(ctx, o.thread); kept != nil || err != nil {
		t.Errorf("no case: %+v, %v", kept, err)
	}
	h, err := o.threads.Head(ctx, o.thread)
	if err != nil {
		t.Fatal(err)
	}
	ws := []dynamo.Write{o.threads.Assigned(o.thread, thread.ByPerson)}
	for turn := 1; turn <= 2; turn++ {
		if err := o.Table.DB().Commit(ctx, append(ws, o.Wait(h, turn, "tr", "my secret", "", "")...)...); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := o.Of(ctx, o.thread); err != nil || kept == nil || kept.Name != "ann" || kept.Reason != "my secret" || !kept.Since.Equal(o.now) {
		t.Errorf("told of it: %+v, %v", kept, err)
	}
	for range 2 {
		if err := o.Erase(ctx, o.thread); err != nil {
			t.Fatal(err)
		}
	}
	page, err := o.Table.Query(ctx, dynamo.Under("desk#"+o.market, ""))
	if err != nil || len(page.Items) != 1 || page.Items[0].String("name")+page.Items[0].String("reason") != "" {
		t.Errorf("kept %v, %v", page.Items, err)
	}
	if err := o.Take(ctx, o.thread, clerk); err != nil || o.taken() != clerk.Key()+"|person" {
		t.Errorf("%v, %s", err, o.taken())
	}
}

// A thread is given back once, and not at all when the assistant has it. The customer is told each
// time that it is taken, by the same one too, and each time that it is given back. Who takes it again
// while it is given back has it.
func TestReturn(t *testing.T) {
	t.Parallel()
	o, ctx := newOffice(t), context.Background()
	if err := o.Return(ctx, o.thread); err != nil || o.told() != "" {
		t.Errorf("nobody's: %v, told %s", err, o.told())
	}
	if err := o.Take(ctx, o.thread, clerk); err != nil || o.taken() != clerk.Key()+"|person" {
		t.Fatalf("%v, %s", err, o.taken())
	}
	for range 2 {
		if err := o.Return(ctx, o.thread); err != nil || o.taken() != "|" {
			t.Errorf("%v, %s", err, o.taken())
		}
	}
	if got := o.told(); got != "handed_over handed_back" {
		t.Errorf("told %s", got)
	}
	o.now = o.now.Add(time.Minute)
	if err := o.Take(ctx, o.thread, clerk); err != nil {
		t.Fatal(err)
	}
	if got := o.told(); got != "handed_over handed_back handed_over" {
		t.Errorf("told %s", got)
	}
	other := actor.Actor{Kind: actor.Staff, ID: "other", Groups: []string{"admin"}}
	late := o.over(dynamotest.Open(t, dynamotest.Before("DeleteItem", func() {
		o.now = o.now.Add(time.Minute)
		if err := o.Take(ctx, o.thread, other); err != nil {
			t.Error(err)
		}
	})))
	if err := late.Return(ctx, o.thread); err != nil || o.taken() != other.Key()+"|person" {
		t.Errorf("taken meanwhile: %v, %s", err, o.taken())
	}
	slow := o.over(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { // the same button twice
		o.now = o.now.Add(time.Minute)
		if err := errors.Join(o.Return(ctx, o.thread), o.Take(ctx, o.thread, clerk)); err != nil {
			t.Error(err)
		}
	})))
	if err := slow.Return(ctx, o.thread); !errors.Is(err, desk.ErrChanged) || o.taken() != clerk.Key()+"|person" {
		t.Errorf("given back and taken meanwhile: %v, %s", err, o.taken())
	}
	if got, want := o.told(), "handed_over"+strings.Repeat(" handed_back handed_over", 3); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

// A thread that waits for a person is given back without one, unless meanwhile somebody takes it, or
// it is given back and waits anew.
func TestReturnOfWhatWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(o *office) error
		want      error
		taken     string
	}{
		"nothing happens": {func(*office) error { return nil }, nil, "|"},
		"somebody takes it": {
			func(o *office) error { return o.Take(t.Context(), o.thread, clerk) },
			desk.ErrChanged, clerk.Key() + "|person",
		},
		"it waits anew": {
			func(o *office) error { return errors.Join(o.Return(t.Context(), o.thread), o.waits(time.Minute)) },
			desk.ErrChanged, "|person",
		},
	} {
		o := newOffice(t)
		if err := o.waits(0); err != nil || o.taken() != "|person" {
			t.Fatalf("%v, %s", err, o.taken())
		}
		slow := o.over(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
			if err := tt.meanwhile(o); err != nil {
				t.Error(err)
			}
		})))
		if err := slow.Return(t.Context(), o.thread); !errors.Is(err, tt.want) || o.taken() != tt.taken {
			t.Errorf("%s: %v, %s", name, err, o.taken())
		}
	}
}
