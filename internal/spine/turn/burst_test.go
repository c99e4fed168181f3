package turn_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// saidIn are the messages that each turn of a thread answers.
func (w *world) saidIn(id string) (all []string) {
	w.t.Helper()
	for _, t := range w.turnsOf(id) {
		var texts []string
		for _, m := range t.In {
			texts = append(texts, m.Text)
		}
		all = append(all, strings.Join(texts, "+"))
	}
	return all
}

// What is sent in several messages is answered once, when nothing more has come for a while; who
// looks on does not wait.
func TestABurstIsAnsweredTogether(t *testing.T) {
	t.Parallel()
	quiet := 2500 * time.Millisecond
	w := newWorld(t, func(m *market.Market) { m.QuietMS = int(quiet.Milliseconds()) })
	w.model = clerkModel()
	waits := 0
	w.runner.Wait = func(ctx context.Context, d time.Duration) error {
		if d == quiet {
			waits++
			w.comes(w.from("ann", channel.WhatsApp, "m2", "for two"))
			w.clock.add(quiet)
			return nil
		}
		return w.clock.wait(ctx, d)
	}
	first := w.from("ann", channel.WhatsApp, "m1", "a table")
	w.comes(first)
	w.work()
	if got := w.saidIn(threadOf(first)); fmt.Sprint(got) != "[a table+for two]" {
		t.Errorf("turns answer %q", got)
	}

	app := w.from("bob", channel.App, "m1", "hello")
	w.comes(app)
	if w.work(); waits != 1 || len(w.saidIn(threadOf(app))) != 1 {
		t.Errorf("%d waits, the app's turns answer %q", waits, w.saidIn(threadOf(app)))
	}
}

// A turn that meets a newer message with every commit comes to an end, and loses none of them.
func TestWordsThatKeepComing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = clerkModel()
	healthy := *w.threads
	commits := 0
	db := dynamotest.Open(t, dynamotest.Look{Next: wire, See: func(op string, body []byte) ([]byte, error) {
		if op != "TransactWriteItems" || !strings.Contains(string(body), `"turn#`) {
			return body, nil
		}
		if commits++; commits <= 30 {
			_, err := healthy.Append(context.Background(), w.from("ann", channel.WhatsApp, fmt.Sprint("more", commits), fmt.Sprint("more ", commits)), false)
			return body, err
		}
		return body, nil
	}})
	in := w.from("ann", channel.WhatsApp, "m1", "hello")
	w.comes(in)
	w.start(db)
	if err := w.runner.Work(t.Context(), threadOf(in)); !fault.Is(err, fault.Conflict) || commits != 12 {
		t.Errorf("%v after %d commits", err, commits)
	}
	w.restart()
	w.clock.add(thread.LeaseFor)
	w.queued = append(w.queued, threadOf(in))
	w.work()
	if got := strings.Join(w.saidIn(threadOf(in)), "+"); !strings.HasPrefix(got, "hello+more 1+") || !strings.HasSuffix(got, "+more 12") {
		t.Errorf("answered: %s", got)
	}
}

// What an app says is no STOP: there is nothing to be taken off.
func TestStopIsAWordToTheApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = clerkModel()
	in := w.from("ann", channel.App, "m1", "stop")
	w.comes(in)
	w.comes(w.from("ann", channel.App, "m2", "and a table"))
	w.work()
	if got := w.saidIn(threadOf(in)); fmt.Sprint(got) != "[stop+and a table]" {
		t.Errorf("turns answer %q", got)
	}
}

// A YES to what no part settles any more is an error, and waits for a version that does.
func TestAYesThatNobodySettles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	delete(w.runner.Commitments, booking.ConfirmKind)
	w.clock.add(time.Second)
	yes := w.from("ann", channel.App, "2", "yes")
	if a, err := w.runner.Converse(t.Context(), yes); !fault.Is(err, fault.Internal) {
		t.Errorf("%+v, %v", a, err)
	}
	w.restart()
	w.clock.add(thread.LeaseFor)
	if a := w.say(yes); !strings.Contains(textOf(a.Turn), "Your booking is confirmed.") {
		t.Errorf("told %q", textOf(a.Turn))
	}
}

// What the store does not take is not tried again by a turn, nor committed without what the YES
// was to do: it comes again.
func TestATurnThatTheStoreDoesNotTake(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	commits := 0
	w.start(dynamotest.Once(t, dynamotest.Look{Next: wire, See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" && strings.Contains(string(body), `"turn#`) {
			if commits++; commits == 1 {
				return nil, io.ErrUnexpectedEOF
			}
		}
		return body, nil
	}}))
	w.clock.add(time.Second)
	yes := w.from("ann", channel.App, "2", "yes")
	if a, err := w.runner.Converse(t.Context(), yes); err == nil || commits != 1 {
		t.Errorf("%q, %v after %d commits", textOf(a.Turn), err, commits)
	}
	w.restart()
	w.clock.add(thread.LeaseFor)
	if a := w.say(yes); !strings.Contains(textOf(a.Turn), "Your booking is confirmed.") {
		t.Errorf("told %q", textOf(a.Turn))
	}
}

// A photo says enough to be answered; a voice message, or nothing, is told that it cannot be read.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("A nice photo.")
	for kind, want := range map[string]string{
		"image/jpeg": "A nice photo.", "audio/ogg": wording.Say("en", wording.VoiceUnsupported, nil),
		"video/mp4": wording.Say("en", wording.MediaUnsupported, nil), "": wording.Say("en", wording.NoText, nil),
	} {
		in := w.from("ann", channel.WhatsApp, "m"+kind, "")
		if kind != "" {
			in.Media = []channel.Media{{URL: "https://api.twilio.com/media/1", Type: kind}}
		}
		w.comes(in)
		w.work()
		all := w.turnsOf(threadOf(in))
		if text := textOf(all[len(all)-1]); text != want {
			t.Errorf("%q: %q, want %q", kind, text, want)
		}
	}
}

// One reason is why a thread is handed to a person; where nobody is there, it is not.
func TestAHandOverIsOne(t *testing.T) {
	t.Parallel()
	for _, desk := range []bool{true, false} {
		w := newWorld(t, nil)
		w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
			if req.Messages[len(req.Messages)-1].Role == llm.ToolRole {
				return llm.Response{Text: "So be it.", Finish: "stop"}, nil
			}
			first, second := llm.Call{Name: "askForPerson", Args: []byte(`{"reason":"the first"}`)}, llm.Call{Name: "askForPerson", Args: []byte(`{"reason":"the second"}`)}
			return llm.Response{Calls: calls(first, second), Finish: "tool_calls"}, nil
		})
		if !desk {
			w.runner.Desk = nil
		}
		in := w.from("ann", channel.App, "1", "a person, please")
		a := w.say(in)
		c, err := w.concierge.people.Of(t.Context(), threadOf(in))
		switch {
		case err != nil:
			t.Fatal(err)
		case !desk && (c != nil || textOf(a.Turn) != "So be it."):
			t.Errorf("without a desk: %+v, %q", c, textOf(a.Turn))
		case desk && (c == nil || c.Reason != "the first"):
			t.Errorf("with a desk: %+v, %q", c, textOf(a.Turn))
		}
	}
}

// Who is handed to a person is told when one is there, as far as that is known.
func TestWhenAPersonIsThere(t *testing.T) {
	t.Parallel()
	soon := wording.Say("en", wording.PersonWillAnswer, nil)
	opens := time.Date(2026, 11, 24, 9, 0, 0, 0, schedule.Zone("Europe/Nicosia"))
	tomorrow := soon + " " + wording.Say("en", wording.PersonLater, wording.Vars{"when": wording.When("en", opens, opens)})
	on := func(day string, closed ...string) *schedule.Hours {
		return &schedule.Hours{TimeZone: "Europe/Nicosia", Days: map[string][]schedule.Span{day: {{From: "09:00", To: "17:00"}}}, Closed: closed}
	}
	for name, tt := range map[string]struct {
		hours *schedule.Hours
		want  string
	}{
		"at any time":    {nil, soon},
		"now":            {on("mon"), soon},
		"tomorrow":       {on("tue"), tomorrow},
		"not these days": {on("tue", "2026-11-24", "2026-12-01"), soon},
	} {
		w := newWorld(t, func(m *market.Market) { m.Desk.Hours = tt.hours })
		w.model = clerkModel()
		if text := textOf(w.say(w.from("ann", channel.App, "1", "person")).Turn); text != tt.want {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
}
