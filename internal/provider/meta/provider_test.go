package meta_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

func text(body string) outbox.Message {
	return outbox.Message{Thread: "th_1", ID: "turn00000001-0", Channel: channel.Messenger, To: psid, Text: body, Kind: "reply", Attempts: 1}
}

func outcome(t *testing.T, err error) *outbox.SendError {
	t.Helper()
	var failed *outbox.SendError
	if !errors.As(err, &failed) {
		t.Fatalf("Send = %v, want an *outbox.SendError", err)
	}
	keepsQuiet(t, failed)
	return failed
}

func TestProviderSends(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	s.Heard(psid, "m_in", "hello")
	p := &meta.Provider{Client: client(s)}
	m := text("Shall I?")
	m.Buttons = []outbox.Button{
		{Title: "Yes, that is the one", Payload: "yes:p1"}, {Title: " Hayır, bunu hiç istemiyorum ", Payload: "no:p1"},
		{Title: "too much", Payload: strings.Repeat("x", 1001)}, {Title: " ", Payload: "blank"}, {Title: "nothing"},
	}
	for i := range 20 {
		m.Buttons = append(m.Buttons, outbox.Button{Title: fmt.Sprint(i), Payload: "p"})
	}
	id, err := p.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Messages()[0]
	if got.ID != id || got.Type != "RESPONSE" || got.Metadata != "th_1/turn00000001-0" || len(got.QuickReplies) != 13 {
		t.Errorf("%q: %+v", id, got)
	}
	want := []metatest.QuickReply{{Type: "text", Title: "Yes, that is the one", Payload: "yes:p1"}, {Type: "text", Title: "Hayır, bunu hiç iste", Payload: "no:p1"}}
	if diff := cmp.Diff(want, got.QuickReplies[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for thread, name := range map[string]string{"": "a message of no thread", strings.Repeat("t", 1000): "one of a long name"} {
		unnamed := text("x")
		unnamed.Thread = thread
		if _, err := p.Send(t.Context(), unnamed); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if all := s.Messages(); all[len(all)-1].Metadata != "" {
			t.Errorf("%s has metadata %q", name, all[len(all)-1].Metadata)
		}
	}
	before := s.Requests()
	template := text("x")
	template.Template = &outbox.Template{ContentSID: "HX1"}
	_, err = p.Send(t.Context(), template)
	if failed := outcome(t, err); failed.Outcome != outbox.Permanent || s.Requests() != before {
		t.Errorf("a template: %v, %d requests", failed, s.Requests()-before)
	}
}

// Outside the 24 hours a message goes if a human has written it, for seven days.
func TestHumanAgent(t *testing.T) {
	t.Parallel()
	c := &clock{now: noon}
	s := metatest.New(t, metatest.Config{Now: c.Now})
	s.Heard(psid, "m_in", "hello")
	p := &meta.Provider{Client: client(s)}
	byHand := text("We are on our way.")
	byHand.ByPerson = true
	if _, err := p.Send(t.Context(), byHand); err != nil {
		t.Fatal(err)
	}
	c.Forward(3 * 24 * time.Hour)
	_, err := p.Send(t.Context(), text("very private words"))
	if failed := outcome(t, err); failed.Outcome != outbox.Permanent || !strings.HasPrefix(failed.Reason, "10/2018278") {
		t.Errorf("by the assistant: %v", failed)
	}
	if _, err := p.Send(t.Context(), byHand); err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, m := range s.Messages() {
		tags = append(tags, m.Type+" "+m.Tag)
	}
	if diff := cmp.Diff([]string{"RESPONSE ", "MESSAGE_TAG HUMAN_AGENT"}, tags); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.Forward(5 * 24 * time.Hour)
	_, err = p.Send(t.Context(), byHand)
	if failed := outcome(t, err); failed.Outcome != outbox.Permanent {
		t.Errorf("after eight days: %v", failed)
	}
}

// A token that was replaced a moment ago is not the end of a message; one that stays wrong is.
func TestTokenIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	p := &meta.Provider{Client: client(s)}
	p.Client.Token = "another-token-not-real"
	m := text("very private words")
	_, err := p.Send(t.Context(), m)
	if failed := outcome(t, err); failed.Outcome != outbox.Retry || failed.After < 5*time.Minute {
		t.Errorf("at first: %v, after %s", failed, failed.After)
	}
	m.Attempts = 2
	_, err = p.Send(t.Context(), m)
	if failed := outcome(t, err); failed.Outcome != outbox.Permanent || !strings.Contains(failed.Reason, "access token") {
		t.Errorf("then: %v", failed)
	}
}

func TestProviderFinds(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	s.Heard(psid, "m_in", "evet")
	p, since := &meta.Provider{Client: client(s)}, noon.Add(-10*time.Second)
	lost, never := text(" evet\n"), text("hayır")
	s.FailSends(metatest.After(), metatest.Before())
	for _, m := range []outbox.Message{lost, never} {
		_, err := p.Send(t.Context(), m)
		if failed := outcome(t, err); failed.Outcome != outbox.Unclear {
			t.Fatal(failed)
		}
	}
	found, err := p.Find(t.Context(), lost, since)
	want := []outbox.Found{{ProviderID: s.Messages()[0].ID, Text: lost.Text, Status: outbox.Sent}}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if found, err := p.Find(t.Context(), never, since); err != nil || len(found) != 0 {
		t.Errorf("what was never taken: %v, %+v", err, found)
	}
}

func TestSent(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string][2]string{
		"th_1/turn00000001-0": {"th_1", "turn00000001-0"}, "th_1/notice/2": {"th_1", "notice/2"},
		"": {}, "th_1": {}, "/x": {}, "th_1/": {}, strings.Repeat("x", 1000) + "/y": {},
	} {
		e := meta.Event{Kind: meta.Echo, Metadata: metadata}
		if thread, id, ok := e.Sent(); ok != (want[0] != "") || ok && (thread != want[0] || id != want[1]) {
			t.Errorf("%q: %q, %q, %v", metadata, thread, id, ok)
		}
		e.Kind = meta.Message
		if _, _, ok := e.Sent(); ok {
			t.Errorf("%q of somebody else", metadata)
		}
	}
}

// post is the real outbox with a sender to one person of the page.
type post struct {
	t testing.TB
	*outbox.Box
	clock  *clock
	meta   *metatest.Server
	sender *outbox.Sender
	thread string
}

func newPost(t testing.TB) *post {
	t.Helper()
	p := &post{t: t, clock: &clock{now: noon}, thread: dynamotest.ID("th")}
	p.meta = metatest.New(t, metatest.Config{Now: p.clock.Now})
	p.meta.Heard(psid, "m_in", "hello")
	p.over(dynamotest.Open(t), p.meta.Client())
	return p
}

// anybody may be written to.
type anybody struct{ table dynamo.Table }

func (a anybody) MayWrite(id string, _ thread.Reach, _ func(thread.Why) error) dynamo.Write {
	return a.table.Check(dynamo.Key{PK: id, SK: "~"}, "attribute_not_exists(pk)", nil)
}

func (a anybody) Doubt(id, _ string) dynamo.Write {
	return a.table.Check(dynamo.Key{PK: id, SK: "~"}, "attribute_exists(pk)", nil)
}

// over makes the sender that of another process.
func (p *post) over(db *dynamo.DB, toMeta *http.Client) {
	table, c := db.Table(dynamotest.TableName("conversations")), client(p.meta)
	c.HTTP, c.Now = toMeta, p.clock.Now
	p.Box = &outbox.Box{Table: table, Now: p.clock.Now}
	p.sender = &outbox.Sender{
		Box: p.Box, Providers: map[channel.Channel]outbox.Provider{channel.Messenger: &meta.Provider{Client: c}},
		Threads: anybody{table},
		Alert:   func(context.Context, outbox.Message) error { return nil },
		Log:     slog.New(slog.DiscardHandler),
	}
}

// puts has messages on the outbox, each after the one before it.
func (p *post) puts(ms ...outbox.Message) {
	p.t.Helper()
	for i, m := range ms {
		if m.Thread, m.ID = p.thread, fmt.Sprint(i); i > 0 {
			m.After = fmt.Sprint(i - 1)
		}
		if err := p.Table.DB().Commit(p.t.Context(), p.Put(m)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// stored are the messages as they are now, oldest first.
func (p *post) stored() []outbox.Message {
	p.t.Helper()
	box := outbox.Box{Table: dynamotest.Open(p.t).Table(dynamotest.TableName("conversations")), Now: p.clock.Now}
	ms, err := box.List(p.t.Context(), p.thread, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Reverse(ms)
	return ms
}

// settles has the sender come by until there is nothing more to do.
func (p *post) settles(calls *faulttest.Calls) {
	p.t.Helper()
	for range 10 {
		for _, m := range p.stored() {
			calls.Deliver(p.t, func() { p.clock.Forward(2 * time.Minute) }, func() error {
				return p.sender.Deliver(p.t.Context(), m)
			})
		}
		p.clock.Forward(10 * time.Minute)
	}
}

// With the real outbox, every fault at every call, to the store and to Meta, comes to the same:
// nothing is lost, nothing is said twice, and the order is kept.
func TestField09_EveryFaultOfASend(t *testing.T) {
	t.Parallel()
	byHand := text("We are on our way.")
	byHand.ByPerson = true
	for name, tt := range map[string]struct {
		after time.Duration // since the person has written
		ms    []outbox.Message
		want  string
	}{
		"a text":                    {0, []outbox.Message{text("merhaba")}, "sent merhaba; taken merhaba"},
		"one after another":         {0, []outbox.Message{text("one"), text("two")}, "sent one, sent two; taken one, two"},
		"the same twice":            {0, []outbox.Message{text("ok"), text("ok")}, "sent ok, sent ok; taken ok, ok"},
		"a person, days later":      {72 * time.Hour, []outbox.Message{byHand}, "sent We are on our way.; taken We are on our way."},
		"nobody's, days later":      {72 * time.Hour, []outbox.Message{text("merhaba")}, "failed merhaba; taken "},
		"after one that is refused": {0, []outbox.Message{text(strings.Repeat("x", 3000)), text("two")}, "failed , sent two; taken two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				p := newPost(t)
				p.clock.Forward(tt.after)
				p.puts(tt.ms...)
				p.over(dynamotest.Once(t, calls), &http.Client{Transport: calls})
				p.settles(calls)
				var stored, taken []string
				for _, m := range p.stored() {
					stored = append(stored, string(m.Status)+" "+strings.TrimLeft(m.Text, "x"))
				}
				for _, m := range p.meta.Messages() {
					taken = append(taken, m.Text)
				}
				got := strings.Join(stored, ", ") + "; taken " + strings.Join(taken, ", ")
				if got != tt.want {
					t.Errorf("it comes to %s, want %s", got, tt.want)
				}
				return got
			})
		})
	}
}

// With the real outbox, a message whose answer was lost reaches the person once.
func TestLostAnswerIsSettled(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]metatest.Fault{"taken": metatest.After(), "not taken": metatest.Before(), "Meta failed": metatest.Broken(true)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t)
			p.meta.FailSends(lost)
			p.puts(text("merhaba"))
			for range 2 {
				if err := p.sender.Deliver(t.Context(), p.stored()[0]); err != nil {
					t.Fatal(err)
				}
				p.clock.Forward(2 * time.Minute)
			}
			got, taken := p.stored()[0], p.meta.Messages()
			if len(taken) != 1 || got.Status != outbox.Sent || got.ProviderID != taken[0].ID {
				t.Errorf("%+v; taken %+v", got, taken)
			}
		})
	}
}
