package notify_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// desk is staff.
var desk = actor.Actor{Kind: actor.Staff, ID: "desk", Groups: []string{"admin"}}

// filed is a completed report, and its owner's thread.
type filed struct {
	reports *report.Store
	owner   actor.Actor
	id      string
}

func (p *place) filed(t testing.TB) filed {
	t.Helper()
	f := filed{
		reports: &report.Store{Table: dynamotest.Open(t).Table(dynamotest.TableName("records")), Now: func() time.Time { return noon }},
		owner:   actor.Actor{Kind: actor.Session, ID: dynamotest.ID("who")},
	}
	a, err := p.threads.Append(t.Context(), channel.Inbound{
		Market: p.market.ID, Channel: channel.Web, ThreadType: channel.General, Assistant: "sara", From: f.owner, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.reports.Start(t.Context(), f.by(f.owner, "start"), report.Draft{
		Market: p.market.ID, Thread: a.Thread, Spot: geo.Spot{Address: "Mill Lane 3"}})
	if err == nil {
		f.id = r.ID
		_, err = f.reports.SetPhotos(t.Context(), f.by(f.owner, "photos"), r.ID, nil, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f filed) by(a actor.Actor, key string) report.By { return report.By{Actor: a, Key: key} }

// resolved is the event of somebody's resolving it.
func (f filed) resolved(t testing.TB, a actor.Actor) report.Event {
	t.Helper()
	if _, err := f.reports.Resolve(t.Context(), f.by(a, "resolve"), f.id); err != nil {
		t.Fatal(err)
	}
	return f.event(t, report.ResolvedEvent)
}

func (f filed) event(t testing.TB, typ report.EventType) report.Event {
	t.Helper()
	events, err := f.reports.Events(t.Context(), f.by(desk, ""), f.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == typ {
			return e
		}
	}
	t.Fatalf("no event %s", typ)
	return report.Event{}
}

// Only what staff resolve is told, once, to an owner who still has it.
func TestTellReport(t *testing.T) {
	t.Parallel()
	once := told{Turns: []string{"a turn"}, Customer: []string{
		"report_resolved: Your damage report about “Mill Lane 3” has been dealt with and is now marked as resolved. Write to me here if something is still not right."}}
	nothing := told{}
	p := newPlace(t)
	for name, tt := range map[string]struct {
		event func(t *testing.T, f filed) report.Event
		want  told
	}{
		"resolved by staff":     {func(t *testing.T, f filed) report.Event { return f.resolved(t, desk) }, once},
		"resolved by the owner": {func(t *testing.T, f filed) report.Event { return f.resolved(t, f.owner) }, nothing},
		"completed":             {func(t *testing.T, f filed) report.Event { return f.event(t, report.CompletedEvent) }, nothing},
		"deleted since": {func(t *testing.T, f filed) report.Event {
			e := f.resolved(t, desk)
			if err := f.reports.Delete(t.Context(), f.by(f.owner, "delete"), f.id); err != nil {
				t.Fatal(err)
			}
			return e
		}, nothing},
		"of no thread": {func(t *testing.T, f filed) report.Event {
			e := f.resolved(t, desk)
			e.Thread = ""
			return e
		}, nothing},
		"of a thread that has gone": {func(t *testing.T, f filed) report.Event {
			e := f.resolved(t, desk)
			e.Thread = dynamotest.ID("gone")
			return e
		}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := tt.event(t, p.filed(t))
			ctx, meter := telemetry.WithMeter(t.Context())
			for range 3 {
				if err := p.TellReport(ctx, e); err != nil {
					t.Fatal(err)
				}
			}
			if got := meter.Cost().Requests; got > 9 {
				t.Errorf("%d requests, want 3 each time", got)
			}
			if diff := cmp.Diff(tt.want, p.onThread(e.Thread)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The owner is told in their language.
func TestTellReportInTheirLanguage(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.filed(t)
	e := f.resolved(t, desk)
	l, _, err := p.threads.Take(t.Context(), e.Thread)
	if err != nil {
		t.Fatal(err)
	}
	th, err := p.threads.Open(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	o := thread.Outcome{Turn: thread.Turn{N: 1, In: th.Inbox, At: noon}, Language: "de"}
	if err := p.threads.Commit(t.Context(), l, th, o); err != nil {
		t.Fatal(err)
	}
	if err := p.TellReport(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	want := []string{"report_resolved: " + wording.Say("de", wording.ReportResolved, wording.Vars{"address": wording.Quote("de", "Mill Lane 3")})}
	if diff := cmp.Diff(want, p.onThread(e.Thread).Customer); diff != "" {
		t.Error(diff)
	}
}

// What cannot be queued now is told again by the stream.
func TestTellReportWithoutAQueue(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.filed(t)
	e := f.resolved(t, desk)
	n := *p.Notifier
	n.Threads = thread.Teller{Store: p.threads, Queue: faulttest.NewQueue(t, faulttest.With(faulttest.At{N: 1, Fault: faulttest.CallLost}), p.Queue)}
	if err := n.TellReport(t.Context(), e); !fault.Is(err, fault.Unavailable) || !fault.Retryable(err) {
		t.Errorf("%v", err)
	}
	if err := p.TellReport(t.Context(), e); err != nil || len(p.onThread(e.Thread).Customer) != 1 {
		t.Errorf("again: %v, %q", err, p.onThread(e.Thread).Customer)
	}
}
