package app_test

import (
	"strings"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

// Each message that is given up is a finding of its own, also where another of its thread was given
// up before.
func TestEachMessageGivenUpIsAnAlert(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.invoke(t, "whatsapp")
	ctx, box, to := t.Context(), s.base.Outbox(), threadOf(t, "turn")
	for _, id := range []string{"first", "second"} {
		m := outbox.Message{Thread: to, ID: id, Market: demo.Market, Channel: channel.WhatsApp, To: "+15551230001", Text: id, Kind: "notice"}
		if err := box.Table.DB().Commit(ctx, box.Put(m)); err != nil {
			t.Fatal(err)
		}
	}
	s.now = s.now.Add(25 * time.Hour)
	s.invoke(t, "sweep")
	alerts, _, err := s.base.Alerts().List(ctx, 10, "")
	if err != nil || len(alerts) != 2 || alerts[0].Seen != 1 || alerts[1].Seen != 1 {
		t.Errorf("%v, alerts %+v", err, alerts)
	}
}

// Whose words cannot be delivered is told so, however often the sweep comes by. Somebody has to
// look into it unless it is as their recipient wanted.
func TestWhoseWordsAreGivenUpIsTold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		happens func(t *testing.T, s *story, to string)
		alerts  int
		asks    string // the pending action that the message reminds of
	}{
		"the window closes": {func(_ *testing.T, s *story, _ string) { s.now = s.now.Add(25 * time.Hour) }, 1, ""},
		"a person takes over": {func(t *testing.T, s *story, to string) {
			if err := app.Handovers(s.base).Take(t.Context(), to, actor.Actor{Kind: actor.Staff, ID: "desk"}); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(time.Minute)
		}, 0, ""},
		"somebody else has the number": {func(t *testing.T, s *story, _ string) {
			for _, user := range []string{"US.1", "US.2"} {
				who := person.Sender{Channel: channel.WhatsApp, UserID: user, Phone: "+15551230001"}
				if _, err := (&person.Book{Table: s.base.Outbox().Table}).Identify(t.Context(), who); err != nil {
					t.Fatal(err)
				}
			}
			s.now = s.now.Add(time.Minute)
		}, 1, ""},
		"it asks no more": {func(_ *testing.T, s *story, _ string) { s.now = s.now.Add(time.Minute) }, 0, "p1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.invoke(t, "whatsapp")
			ctx, box, to, business := t.Context(), s.base.Outbox(), threadOf(t, "turn"), "th_of-a-business"
			quote := box.Put(outbox.Message{
				Thread: to, ID: "quote", Market: demo.Market, Channel: channel.WhatsApp, To: "+15551230001", Person: "whatsapp:+15551230001",
				Text: "> at the gate", Kind: "notice", Pending: tt.asks,
				Origin: &outbox.Origin{Thread: business, To: "+15551230009", Code: "K7Q2", Language: "en"},
			})
			if err := box.Table.DB().Commit(ctx, quote); err != nil {
				t.Fatal(err)
			}
			tt.happens(t, s, to)
			for range 2 {
				s.invoke(t, "sweep")
			}
			told, err := box.List(ctx, business, 10)
			if err != nil || len(told) != 1 || !strings.Contains(told[0].Text, "K7Q2") {
				t.Errorf("%v, told %+v", err, told)
			}
			if alerts, _, err := s.base.Alerts().List(ctx, 10, ""); err != nil || len(alerts) != tt.alerts {
				t.Errorf("%v, alerts %+v", err, alerts)
			}
		})
	}
}
