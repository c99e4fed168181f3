package app_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/record/ledger/ledgertest"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
)

// A sweep queues every thread that it finds, each under a name of its own, and finds as many as may
// have been left behind in a bad minute.
func TestSweepQueuesEachThread(t *testing.T) {
	t.Parallel()
	if app.MostSwept < 500 {
		t.Errorf("a sweep looks at %d of a shard", app.MostSwept)
	}
	s := newStory(t)
	const stuck = 100 // in 16 shards
	for i := range stuck {
		in := channel.Inbound{
			Market: demo.Market, Channel: channel.App, ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: fmt.Sprint(i)},
			MessageID: "1", Text: "hi",
		}
		if _, err := s.base.Threads().Append(t.Context(), in, false); err != nil {
			t.Fatal(err)
		}
	}
	h, err := app.Sweep(s.base)
	if err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(2 * time.Minute)
	event, err := json.Marshal(map[string]any{"source": "aws.events", "detail-type": "Scheduled Event", "time": "2026-11-23T09:18:01Z", "detail": map[string]any{}})
	if err == nil {
		_, err = h.Invoke(t.Context(), event)
	}
	names := s.names()
	slices.Sort(names)
	if different := len(slices.Compact(slices.Clone(names))); err != nil || len(names) != stuck || different != stuck {
		t.Errorf("%v, %d queued under %d names", err, len(names), different)
	}
}

// Where a person has taken a thread over, the assistant is silent; what a business or a driver is
// told is nobody's turn to speak, and goes out.
func TestWhatGoesOutBesideAPerson(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.invoke(t, "whatsapp")
	box, to := s.base.Outbox(), threadOf(t, "turn")
	if err := app.Handovers(s.base).Take(t.Context(), to, actor.Actor{Kind: actor.Staff, ID: "desk"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]outbox.Status{"reply": outbox.Failed, "notice": outbox.Failed, "news": outbox.Sent, outbox.ToBusiness: outbox.Sent, outbox.ToDriver: outbox.Sent}
	for kind := range want {
		m := outbox.Message{Thread: to, ID: kind, Market: demo.Market, Channel: channel.WhatsApp, To: "+15551230001", Text: kind, Kind: kind, News: kind == "news"}
		if err := box.Table.DB().Commit(t.Context(), box.Put(m)); err != nil {
			t.Fatal(err)
		}
	}
	s.now = s.now.Add(2 * time.Minute)
	s.invoke(t, "sweep")
	for kind, status := range want {
		if m, err := box.Get(t.Context(), to, kind); err != nil || m.Status != status {
			t.Errorf("%s: %s (%s), %v; want %s", kind, m.Status, m.Error, err, status)
		}
	}
}

// Each alert is counted for the alarm that wakes somebody, whatever raises it.
func TestAlertsAreCounted(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*testing.T, *story){
		"a change that is given up": func(t *testing.T, s *story) {
			s.written(t, "notify", "tx#1", "event#hold", map[string]any{"type": true})
		},
		"a message that is given up": func(t *testing.T, s *story) {
			s.invoke(t, "whatsapp")
			box := s.base.Outbox()
			m := outbox.Message{Thread: threadOf(t, "turn"), ID: "late", Market: demo.Market, Channel: channel.WhatsApp, To: "+15551230001", Text: "late", Kind: "notice"}
			if err := box.Table.DB().Commit(t.Context(), box.Put(m)); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(25 * time.Hour)
			s.invoke(t, "sweep")
		},
		"what must never be": func(t *testing.T, s *story) {
			l, start := s.base.Ledger(), s.now.Truncate(time.Hour).Add(24*time.Hour)
			tx, err := l.Offer(t.Context(), ledger.Terms{
				Business: "biz", Listing: "grill", ListingName: "Grill", Offering: "table", OfferingName: "Table", Market: demo.Market,
				Owner: "session:ann", Thread: "th_1", Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "UTC", Party: 2, Currency: "EUR",
			}, 1, 10*time.Minute, "k")
			if err != nil {
				t.Fatal(err)
			}
			receipt := gate.Receipt{PendingID: "p_1", OfferHash: tx.OfferHash, MessageID: "m_1", Answer: "yes", Actor: tx.Owner, At: s.now}
			if _, err = ledgertest.Confirm(t.Context(), l, actor.Actor{Kind: actor.Session, ID: "ann"}, tx.ID, receipt, "yes"); err == nil {
				err = l.Table.DB().Commit(t.Context(), l.Table.Delete(dynamo.Key{PK: "tx#" + tx.ID, SK: "event#confirmed"}))
			}
			if err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(2 * time.Minute)
			s.invoke(t, "invariants")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.base.Log = telemetry.NewLogger(s.log, slog.LevelError)
			happens(t, s)
			found, _, err := s.base.Alerts().List(t.Context(), 10, "")
			if n := strings.Count(s.log.String(), `"Alerts":1`); err != nil || len(found) != 1 || n != 1 {
				t.Errorf("%v, alerts %+v, %d of them counted: %s", err, found, n, s.log)
			}
		})
	}
}
