package thread_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// clock is a time that tests move.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}
func (c *clock) now() time.Time      { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func newStore(t *testing.T, c *clock) *thread.Store {
	return &thread.Store{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")),
		Now:   c.now,
		NewID: func() string { return dynamotest.ID("lease") },
	}
}

func message(who, id, text string) channel.Inbound {
	return channel.Inbound{
		Market: "demo", Channel: channel.App, ThreadType: channel.General,
		From: actor.Actor{Kind: actor.Session, ID: who}, MessageID: id, Text: text,
	}
}

func mustAppend(t *testing.T, s *thread.Store, in channel.Inbound, lease bool) thread.Appended {
	t.Helper()
	a, err := s.Append(context.Background(), in, lease)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func commit(t *testing.T, s *thread.Store, l *thread.Lease, reply string) {
	t.Helper()
	ctx := context.Background()
	th, err := s.Open(ctx, l)
	if err != nil {
		t.Fatal(err)
	}
	o := thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, Out: []thread.Reply{{Text: reply}}, At: s.Now()}, Language: "en"}
	if err := s.Commit(ctx, l, th, o); err != nil {
		t.Fatal(err)
	}
}

func TestField01_SameMessageManyTimes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	var wg sync.WaitGroup
	var fresh, leases atomic.Int32
	for range 50 {
		wg.Go(func() {
			a, err := s.Append(context.Background(), message(who, "SM1", "hi"), true)
			if err != nil {
				t.Error(err)
				return
			}
			if !a.Duplicate {
				fresh.Add(1)
			}
			if a.Lease != nil {
				leases.Add(1)
			}
		})
	}
	wg.Wait()
	if fresh.Load() != 1 || leases.Load() != 1 {
		t.Errorf("%d appended, %d leases; want 1 and 1", fresh.Load(), leases.Load())
	}
	c.add(7 * 24 * time.Hour)
	dynamotest.Lapse(t, dynamotest.TableName("conversations"), mustAppend(t, s, message(who, "SM1", "hi"), true).Thread, c.now())
	if a := mustAppend(t, s, message(who, "SM1", "hi"), true); !a.Duplicate {
		t.Error("a week later it counted as new")
	}
}

// When a message was written is known where its channel tells, and never later than it came.
func TestWhenAMessageWasWritten(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, now := newStore(t, c), c.now()
	for sent, want := range map[time.Time]time.Time{
		{}: now, now: now, now.Add(time.Minute): now, now.Add(-time.Millisecond): now.Add(-time.Millisecond), now.Add(-36 * time.Hour): now.Add(-36 * time.Hour),
	} {
		in := message(dynamotest.ID("who"), "1", "ok")
		in.SentAt = sent
		h, err := s.Head(t.Context(), mustAppend(t, s, in, false).Thread)
		if err != nil {
			t.Fatal(err)
		}
		if m := h.Inbox[0]; !m.Written().Equal(want) || !m.At.Equal(now) || !h.LastIn.Equal(now) {
			t.Errorf("sent at %s: written at %s, came at %s", sent, m.Written(), m.At)
		}
	}
}

// Where a customer said to be, however late that came, is where they are for an hour.
func TestWhereACustomerIs(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, now := newStore(t, c), c.now()
	for late, until := range map[time.Duration]time.Time{0: now.Add(time.Hour), 40 * time.Minute: now.Add(20 * time.Minute)} {
		in := message(dynamotest.ID("who"), "1", "here")
		in.Location, in.SentAt = &geo.Location{Lat: 35, Lng: 33}, now.Add(-late)
		mustAppend(t, s, in, false)
		more := message(in.From.ID, "2", "hello")
		h, err := s.Head(t.Context(), mustAppend(t, s, more, false).Thread)
		if err != nil || h.Where(until.Add(-time.Millisecond)) == nil || h.Where(until) != nil {
			t.Errorf("%v late: %v at %s, %v", late, h.Location, h.LocatedAt, err)
		}
	}
}

func TestField03_FirstContactInParallel(t *testing.T) {
	t.Parallel()
	s, who := newStore(t, newClock()), dynamotest.ID("who")
	var wg sync.WaitGroup
	ids := make([]string, 5)
	for i := range ids {
		wg.Go(func() {
			a, err := s.Append(context.Background(), message(who, fmt.Sprint(i), fmt.Sprint(i)), false)
			if err != nil {
				t.Error(err)
			}
			ids[i] = a.Thread
		})
	}
	wg.Wait()
	l, _, err := s.Take(context.Background(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	th, err := s.Open(context.Background(), l)
	if err != nil || len(th.Inbox) != 5 {
		t.Fatalf("inbox %+v, %v", th, err)
	}
	said := map[string]bool{}
	for _, m := range th.Inbox {
		said[m.Text] = true
	}
	if len(said) != 5 {
		t.Errorf("inbox has %v", said)
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("two threads: %v", ids)
		}
	}
}

func TestField04_SecondMessageWaits(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who, ctx := newStore(t, c), dynamotest.ID("who"), context.Background()
	first := mustAppend(t, s, message(who, "1", "one"), true)
	th, err := s.Open(ctx, first.Lease)
	if err != nil {
		t.Fatal(err)
	}
	second := mustAppend(t, s, message(who, "2", "two"), true)
	if second.Lease != nil {
		t.Fatal("two leases at once")
	}
	turn := thread.Turn{N: 1, In: th.Inbox, At: c.now()}
	if err := s.Commit(ctx, first.Lease, th, thread.Outcome{Turn: turn}); !errors.Is(err, thread.ErrNewer) {
		t.Fatalf("commit over something newer: %v", err)
	}
	if err := s.Refresh(ctx, first.Lease, th); err != nil || len(th.Inbox) != 2 {
		t.Fatalf("refresh: %v, %d", err, len(th.Inbox))
	}
	if err := s.Commit(ctx, first.Lease, th, thread.Outcome{Turn: turn}); err != nil {
		t.Fatal(err)
	}
	l, head, err := s.Take(ctx, first.Thread)
	if err != nil || len(head.Inbox) != 1 || head.Inbox[0].Text != "two" {
		t.Fatalf("the second message is not there: %+v, %v", head, err)
	}
	commit(t, s, l, "answer")
	if _, _, err := s.Take(ctx, first.Thread); !errors.Is(err, thread.ErrNothing) {
		t.Errorf("after all is answered: %v", err)
	}
}

func TestField05_StaleWriterIsFenced(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who, ctx := newStore(t, c), dynamotest.ID("who"), context.Background()
	a := mustAppend(t, s, message(who, "1", "one"), true)
	stale, err := s.Open(ctx, a.Lease)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Take(ctx, a.Thread); !errors.Is(err, thread.ErrBusy) {
		t.Fatalf("taken while held: %v", err)
	}
	c.add(thread.LeaseFor + time.Second)
	l, _, err := s.Take(ctx, a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, l, "second holder")
	err = s.Commit(ctx, a.Lease, stale, thread.Outcome{Turn: thread.Turn{N: 1, In: stale.Inbox}})
	if !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("the stale holder committed: %v", err)
	}
	if err := s.Renew(ctx, a.Lease); !errors.Is(err, thread.ErrLeaseLost) {
		t.Errorf("the stale holder renewed: %v", err)
	}
}

func TestField06_SweepFindsWhatWasNeverRun(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, ctx := newStore(t, c), context.Background()
	a := mustAppend(t, s, message(dynamotest.ID("who"), "1", "one"), false)
	queued := func() (n int) {
		_, err := s.Sweep(ctx, 10_000, func(_ context.Context, id string) error {
			if id == a.Thread {
				n++
			}
			return nil
		})
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		return n
	}
	if queued() != 0 {
		t.Error("queued at once")
	}
	c.add(2 * time.Minute)
	if queued() != 1 {
		t.Error("not queued after two minutes")
	}
	l, _, err := s.Take(ctx, a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	if queued() != 0 {
		t.Error("queued while somebody is at work")
	}
	commit(t, s, l, "done")
	if queued() != 0 {
		t.Error("queued although answered")
	}
}

func TestField25_JournalOutlivesItsWriter(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, ctx := newStore(t, c), context.Background()
	a := mustAppend(t, s, message(dynamotest.ID("who"), "1", "one"), true)
	if _, err := s.Record(ctx, a.Thread, 1, thread.Entry{Step: 0, Kind: "decision", Data: `"first"`}); err != nil {
		t.Fatal(err)
	}
	stands, err := s.Record(ctx, a.Thread, 1, thread.Entry{Step: 0, Kind: "decision", Data: `"second"`})
	if err != nil || stands.Data != `"first"` {
		t.Errorf("what stands is %q, %v", stands.Data, err)
	}
	c.add(thread.LeaseFor + time.Second)
	dynamotest.Lapse(t, dynamotest.TableName("conversations"), a.Thread, c.now().Add(24*time.Hour)) // a dead letter may be sent again by hand
	l, _, err := s.Take(ctx, a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	th, err := s.Open(ctx, l)
	if err != nil || len(th.Journal) != 1 {
		t.Errorf("journal %+v, %v", th.Journal, err)
	}
}

func TestField33_LongTextsAndLongThreads(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who, ctx := newStore(t, c), dynamotest.ID("who"), context.Background()
	long := strings.Repeat("ş", channel.MaxText)
	var last thread.Appended
	for i := range 60 {
		last = mustAppend(t, s, message(who, fmt.Sprint(i), long), false)
	}
	far := channel.Media{URL: "https://example.com/" + strings.Repeat("x", 2000), Type: "image/jpeg"}
	for i := range 100 {
		in := message(who, fmt.Sprint("photo", i), "look")
		in.Media = []channel.Media{far, far}
		mustAppend(t, s, in, false)
	}
	l, head, err := s.Take(ctx, last.Thread)
	if err != nil {
		t.Fatal(err)
	}
	if head.Inbox[0].Text != "" || len(head.Inbox[60].Media) != 0 {
		t.Error("long texts or addresses are on the head")
	}
	th, err := s.Open(ctx, l)
	if err != nil || len(th.Inbox) != 160 || th.Inbox[59].Text != long || len(th.Inbox[159].Media) != 2 {
		t.Fatalf("long texts were not found again: %v", err)
	}
}

func TestCostDoesNotGrow(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who := newStore(t, c), dynamotest.ID("who")
	cost := func(i int) telemetry.Cost {
		ctx, meter := telemetry.WithMeter(context.Background())
		a, err := s.Append(ctx, message(who, fmt.Sprint(i), "is there a table for two tonight?"), true)
		if err != nil {
			t.Fatal(err)
		}
		th, err := s.Open(ctx, a.Lease)
		if err != nil {
			t.Fatal(err)
		}
		o := thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, Out: []thread.Reply{{Text: strings.Repeat("answer ", 20)}}, At: c.now()}, Language: "en"}
		if err := s.Commit(ctx, a.Lease, th, o); err != nil {
			t.Fatal(err)
		}
		return meter.Cost()
	}
	var costs []telemetry.Cost
	for i := range 40 {
		costs = append(costs, cost(i))
	}
	early, late := costs[20], costs[39]
	if early.Requests != 3 || early.WriteUnits > 8 || early.ReadUnits > 3 {
		t.Errorf("turn 20: %d requests, %v write and %v read units; want at most 3, 8 and 3", early.Requests, early.WriteUnits, early.ReadUnits)
	}
	if late.Requests != early.Requests || late.WriteUnits != early.WriteUnits || late.ReadUnits != early.ReadUnits {
		t.Errorf("turn 39 costs %+v, turn 20 %+v", late, early)
	}
}

// pages are the texts of all lines from a cursor on, page by page, as they are listed.
func pages(from string, list func(cursor string) (lines []thread.Line, next string, err error)) (all [][]string, err error) {
	for more := true; more; more = from != "" {
		lines, next, err := list(from)
		if err != nil {
			return nil, err
		}
		var page []string
		for _, l := range lines {
			page = append(page, l.Text)
		}
		all, from = append(all, page), next
	}
	return all, nil
}

func TestLines(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, who, ctx := newStore(t, c), dynamotest.ID("who"), context.Background()
	var id string
	for i := range 5 {
		a := mustAppend(t, s, message(who, fmt.Sprint(i), fmt.Sprint("q", i)), true)
		commit(t, s, a.Lease, fmt.Sprint("a", i))
		id = a.Thread
	}
	mustAppend(t, s, message(who, "last", "q5"), false)
	forward, err := pages("", func(after string) ([]thread.Line, string, error) { return s.Lines(ctx, id, after, 3) })
	if got := fmt.Sprint(forward); err != nil || got != "[[q0 a0 q1] [a1 q2 a2] [q3 a3 q4] [a4 q5]]" {
		t.Errorf("lines: %s, %v", got, err)
	}
	backward, err := pages(thread.Latest, func(before string) ([]thread.Line, string, error) { return s.LinesBefore(ctx, id, before, 4) })
	if got := fmt.Sprint(backward); err != nil || got != "[[a3 q4 a4 q5] [a1 q2 a2 q3] [q0 a0 q1]]" {
		t.Errorf("lines backward: %s, %v", got, err)
	}
	if _, _, err := s.Lines(ctx, id, "zzz", 3); !fault.Is(err, fault.Invalid) {
		t.Errorf("bad cursor: %v", err)
	}
	turn, _, ok, err := s.Answer(ctx, id, thread.MessageID(id, channel.App, "0"))
	if err != nil || !ok || turn.Out[0].Text != "a0" {
		t.Errorf("answer to the first message: %+v %v %v", turn, ok, err)
	}
	if _, _, ok, err := s.Answer(ctx, "th_none", "m_none"); err != nil || ok {
		t.Errorf("answer on no thread: %v, %v", ok, err)
	}
	if _, _, ok, err := s.Answer(ctx, id, thread.MessageID(id, channel.App, "last")); err != nil || ok {
		t.Errorf("answer to the waiting message: %v %v", ok, err)
	}
}

// Pages of messages that wait leave out and repeat nothing, however many turns answer them before the
// next page is read. Those that go back have what was said before the first.
func TestLinesOfWhatWaits(t *testing.T) {
	t.Parallel()
	for limit := 1; limit <= 3; limit++ {
		for _, from := range []string{"", thread.Latest} {
			c := newClock()
			s, who := newStore(t, c), dynamotest.ID("who")
			a := mustAppend(t, s, message(who, "A", "A"), true)
			if _, err := s.Notify(t.Context(), a.Thread, "n", thread.Notice{Text: "not shown"}); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"B", "C", "D"} {
				mustAppend(t, s, message(who, text, text), false)
			}
			answers := func(n int) {
				l, _, err := s.Take(t.Context(), a.Thread)
				if err != nil {
					t.Fatal(err)
				}
				th := open(t, s, l)
				o := ending(th, c.now())
				o.Turn.In, o.Turn.Out = th.Inbox[:n], []thread.Reply{{Text: fmt.Sprint("R", th.Number())}}
				if err := s.Commit(t.Context(), l, th, o); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Release(t.Context(), a.Lease); err != nil {
				t.Fatal(err)
			}
			list := s.Lines
			if from == thread.Latest {
				list = s.LinesBefore
			}
			turns := []int{1, 1, 2, 1} // A, the notice, B with C, D
			all, err := pages(from, func(cursor string) ([]thread.Line, string, error) {
				lines, next, err := list(t.Context(), a.Thread, cursor, limit)
				for ; cursor == from && len(turns) > 0; turns = turns[1:] { // behind the first page
					answers(turns[0])
				}
				return lines, next, err
			})
			first := []string{"A", "B", "C"}[:limit]
			want := slices.DeleteFunc([]string{"A", "R1", "R2", "B", "C", "R3", "D", "R4"}, func(s string) bool { return slices.Contains(first, s) })
			want = append(first, want...)
			if from == thread.Latest {
				slices.Reverse(all)
				want = []string{"A", "B", "C", "D"}
			}
			if got := slices.Concat(all...); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("from %q, %d a page: %v, %v", from, limit, got, err)
			}
		}
	}
}

// lossy carries requests out and loses every answer.
type lossy struct{}

func (lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := faulttest.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return nil, errors.New("the answer was lost")
}

func TestField02_DyingBetweenDedupeAndWrite(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, dying, who := newStore(t, c), newStore(t, c), dynamotest.ID("who")
	dying.Table = dynamotest.Open(t, lossy{}).Table(dynamotest.TableName("conversations"))
	if _, err := dying.Append(context.Background(), message(who, "SM1", "hi"), false); err == nil {
		t.Fatal("the answer was not lost")
	}
	a := mustAppend(t, s, message(who, "SM1", "hi"), false)
	l, head, err := s.Take(context.Background(), a.Thread)
	if err != nil || !a.Duplicate || len(head.Inbox) != 1 {
		t.Fatalf("duplicate %v, inbox %+v, %v", a.Duplicate, head.Inbox, err)
	}
	commit(t, s, l, "answer")
}
