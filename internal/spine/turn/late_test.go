package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// busy is a provider that takes no text with certain words for now.
type busy struct {
	*world
	words string
}

func (b *busy) Send(ctx context.Context, m outbox.Message) (string, error) {
	if b.words != "" && strings.Contains(m.Text, b.words) {
		return "", &outbox.SendError{Outcome: outbox.Retry, Reason: "20429"}
	}
	return b.world.Send(ctx, m)
}

// sends brings everything of a thread's outbox one step further, oldest first.
func (w *world) sends(id string) {
	w.t.Helper()
	for _, m := range w.outboxesOf([]string{id}) {
		if err := w.sender.Deliver(w.t.Context(), m); err != nil {
			w.t.Fatal(err)
		}
	}
}

// writes has a customer write, and their turn run; what it says is delivered with the next
// [world.sends].
func (w *world) writes(id, text string) string {
	w.t.Helper()
	w.clock.add(time.Second)
	in := w.from("ann", channel.WhatsApp, id, text)
	w.comes(in)
	w.work()
	return threadOf(in)
}

func (w *world) texts() string {
	var all []string
	for _, m := range w.sent {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n---\n")
}

// newReminded is a thread that was offered a booking and reminded of it, by messages of which those
// with the words are late.
func newReminded(t *testing.T, words string) (*world, *busy, string) {
	w, provider := newBusy(t, words)
	id := w.writes("m1", "book")
	w.sends(id)
	w.writes("m2", "is it nice?")
	w.sends(id)
	return w, provider, id
}

func newBusy(t *testing.T, words string) (*world, *busy) {
	w := newWorld(t, func(m *market.Market) { m.Gate = market.Converse })
	w.stock(nil)
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		r := clerk(req)
		switch { // nothing that asks, or names an answer, which has no place beside a question
		case strings.Contains(r.Text, "nice"):
			r.Text = "It is nice there."
		case r.Text != "":
			r.Text = "Here you are."
		}
		return r, nil
	})
	b := &busy{world: w, words: words}
	w.sender.Providers[channel.WhatsApp] = b
	return w, b
}

// A question that the provider would not take comes too late below a newer one: a bare YES
// would confirm the newer, which was not asked last.
func TestAnOlderQuestionNeverFollowsANewer(t *testing.T) {
	t.Parallel()
	w, provider := newBusy(t, "19:00")
	id := w.writes("m1", "book")
	w.sends(id)
	w.writes("m2", "no")
	w.writes("m3", "book again")
	newest := w.outboxesOf([]string{id})[2]
	if err := w.sender.Deliver(t.Context(), newest); err != nil || !strings.Contains(w.texts(), "20:00") {
		t.Fatalf("%v; sent: %s", err, w.texts())
	}
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	if got := w.texts(); strings.Contains(got, "19:00 for") || strings.Count(got, "YES") != 1 {
		t.Errorf("sent: %s", got)
	}
	older := w.outboxesOf([]string{id})[0]
	if older.Status != outbox.Failed || older.Error != string(thread.Unasked) || !strings.HasPrefix(older.DueShard, "dead#") {
		t.Errorf("the older question: %+v", older)
	}
}

// A bare YES to what was never asked, because it could not be sent, settles nothing before it was asked
// about.
func TestField17_YesToWhatNeverWentOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	id := w.writes("m1", "hi")
	w.clock.add(25 * time.Hour)
	offer := &thread.Pending{Kind: booking.ConfirmKind, Ref: "A", Summary: "place A", ExpiresAt: w.clock.now().Add(30 * time.Minute)}
	if err := w.teller().Tell(t.Context(), id, "1", thread.Notice{Kind: "free", Text: "A place is free.", Offer: offer}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if m := w.outboxesOf([]string{id})[1]; m.Status != outbox.Failed || m.Pending == "" {
		t.Fatalf("the offer: %+v", m)
	}
	for n, settles := range []bool{false, true} {
		w.writes(fmt.Sprint("yes", n), "yes")
		turns := w.turnsOf(id)
		if last := turns[len(turns)-1]; (last.Settled != "") != settles || !settles && !strings.Contains(textOf(last), "place A") {
			t.Errorf("YES %d settles %q: %s", n+1, last.Settled, textOf(last))
		}
		w.settle() // they are asked about it, and can be
		w.clock.add(time.Second)
	}
}

// What is still waited for is asked, however late, and by a reminder too.
func TestAQuestionThatWaitsIsAskedLate(t *testing.T) {
	t.Parallel()
	w, provider, id := newReminded(t, "19:00")
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	if got := w.texts(); len(w.sent) != 2 || strings.Count(got, "YES") != 2 {
		t.Errorf("%d sent: %s", len(w.sent), got)
	}
}

// Of an answer that reminds of what was settled meanwhile, all but the reminder is said.
func TestAReminderOfWhatIsOver(t *testing.T) {
	t.Parallel()
	w, provider, id := newReminded(t, "nice")
	w.writes("m3", "yes")
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	late := w.outboxesOf([]string{id})[1]
	if late.Status != outbox.Sent || late.Text != "It is nice there." || late.Pending != "" {
		t.Errorf("late: %+v", late)
	}
	if last := w.turnsOf(id)[2]; last.Settled == "" {
		t.Errorf("the YES: %+v", last)
	}
}

// wantsHeld wants that nothing was settled, and that the last turn asks again.
func (w *world) wantsHeld(id string) {
	w.t.Helper()
	for _, tx := range w.transactions() {
		if tx.State == ledger.Confirmed {
			w.t.Errorf("%s was booked by a YES to what nobody had been asked", tx.Code)
		}
	}
	turns := w.turnsOf(id)
	last := turns[len(turns)-1]
	if p := w.head(id).Pending; p == nil || last.Settled != "" || !strings.Contains(textOf(last), "still waiting") {
		w.t.Errorf("%+v waits, and what was said last is %q, which settled %q", p, textOf(last), last.Settled)
	}
}

// wantsBooked wants that the last turn has booked what it settled.
func (w *world) wantsBooked(id string) {
	w.t.Helper()
	turns := w.turnsOf(id)
	if last := turns[len(turns)-1]; last.Settled == "" || !strings.Contains(textOf(last), "Your booking is confirmed") {
		w.t.Errorf("said was %q, which settled %q", textOf(last), last.Settled)
	}
}

// A customer whom the question has not reached has said YES to something else. It is asked anew, and
// the YES to that counts.
func TestPromise1_AYesToAQuestionThatHasNotGoneOut(t *testing.T) {
	t.Parallel()
	for _, yes := range []string{"ok", "yes", "👍"} {
		w, provider := newBusy(t, "19:00")
		id := w.writes("m1", "book")
		w.sends(id)
		w.writes("m2", yes)
		w.wantsHeld(id)
		provider.words = ""
		w.clock.add(time.Minute)
		w.sends(id)
		w.writes("m3", "yes")
		w.wantsBooked(id)
	}
}

// A YES that was written before the question was sent is none to it, although its turn runs later.
func TestPromise1_AYesThatCrossesItsQuestion(t *testing.T) {
	t.Parallel()
	w, _ := newBusy(t, "")
	id := w.writes("m1", "book")
	w.clock.add(time.Second)
	w.comes(w.from("ann", channel.WhatsApp, "m2", "yes"))
	w.sends(id) // in the same moment
	w.work()
	w.wantsHeld(id)
	w.comes(w.from("ann", channel.WhatsApp, "m3", "ok"))
	w.clock.add(time.Second)
	w.sends(id) // the reminder, after it; the question has gone out by now
	w.comes(w.from("ann", channel.WhatsApp, "m4", "yes"))
	w.work()
	w.wantsHeld(id)
	w.writes("m5", "yes")
	w.wantsBooked(id)
}

// Who is asked which of two their YES was for has not answered that with what they wrote before.
func TestPromise1_AYesBeforeWhichOfTwo(t *testing.T) {
	t.Parallel()
	w, _ := newBusy(t, "")
	id := w.say(w.from("ann", channel.App, "m1", "book")).Thread
	quoted := thread.Notice{Kind: "said", Text: "> at the gate?", Quote: &thread.Quote{Text: "at the gate?"}}
	if err := w.teller().Tell(t.Context(), id, "quoted", quoted); err != nil {
		t.Fatal(err)
	}
	w.work()
	w.clock.add(time.Second)
	w.comes(w.from("ann", channel.App, "m2", "yes"))
	yeses, threads := 0, w.threads
	w.over(&faulttest.Calls{Next: dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" && yeses < 3 { // as often as a turn decides
			yeses++
			if _, err := threads.Append(t.Context(), w.from("ann", channel.App, fmt.Sprint("more", yeses), "yes"), false); err != nil {
				t.Error(err)
			}
		}
		return body, nil
	}}})
	w.work()
	w.restart()
	w.wantsHeld(id)
	w.say(w.from("ann", channel.App, "m3", "yes"))
	w.wantsBooked(id)
}

// The only question on the screen is the one that a YES answers, and not a newer one on its way.
func TestPromise1_AYesToTheQuestionBefore(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(w *world){
		"its time was over": func(w *world) { w.clock.add(11 * time.Minute); w.writes("m2", "book again") },
		"it was replaced":   func(w *world) { w.writes("m2", "no"); w.writes("m3", "book again") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, provider := newBusy(t, "20:00")
			id := w.writes("m1", "book")
			w.sends(id)
			next(w)
			w.sends(id)
			w.writes("yes", "yes")
			w.wantsHeld(id)
			provider.words = ""
			w.clock.add(time.Minute)
			w.sends(id)
			w.writes("yes again", "yes")
			w.wantsBooked(id)
		})
	}
}

// Who said NO and is asked the same again has not been asked again before that goes out.
func TestPromise1_AYesToTheSameAskedAgain(t *testing.T) {
	t.Parallel()
	w, provider := newBusy(t, "")
	id := w.writes("m1", "book")
	w.sends(id)
	w.writes("m2", "yes")
	w.wantsBooked(id)
	w.writes("m3", "cancel it")
	w.sends(id)
	first := w.head(id).Pending.ID
	w.writes("m4", "no")
	w.sends(id)
	provider.words = "be cancelled"
	w.writes("m5", "cancel it")
	w.sends(id)
	if again := w.head(id).Pending.ID; again != first {
		t.Errorf("asked about %s, and then about %s", first, again)
	}
	w.writes("m6", "yes")
	if tx := w.transactions()[0]; tx.State != ledger.Confirmed || w.head(id).Pending == nil {
		t.Errorf("%s by a YES to a question that was answered", tx.State)
	}
}

// The question may have come by a reminder only, or the reminder not at all: one of them is enough.
// A question of which the provider says that it did not arrive, or of which nothing is known, is none.
func TestPromise1_WhetherAQuestionWasAsked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		question, reminder outbox.Status // "" is that it went to nobody
		booked             bool
	}{
		"both":               {outbox.Sent, outbox.Sent, true},
		"the question":       {outbox.Delivered, outbox.Queued, true},
		"the reminder":       {outbox.Failed, outbox.Read, true},
		"neither":            {outbox.Failed, outbox.Queued, false},
		"nobody knows":       {outbox.Sending, outbox.Sending, false},
		"both are forgotten": {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, "")
			id := w.writes("m1", "book")
			w.writes("m2", "is it nice?")
			for i, status := range []outbox.Status{tt.question, tt.reminder} {
				key := dynamo.Key{PK: id, SK: "outbox#" + w.outboxesOf([]string{id})[i].ID}
				write := w.threads.Table.Update(key, "SET #status = :status, sentAt = :now", dynamo.V{":status": status, ":now": w.clock.now()})
				if err := w.db.Commit(t.Context(), write); err != nil {
					t.Fatal(err)
				}
			}
			if tt.question == "" {
				for _, m := range w.outboxesOf([]string{id}) {
					if err := w.db.Commit(t.Context(), w.threads.Table.Delete(dynamo.Key{PK: id, SK: "outbox#" + m.ID})); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.writes("m3", "yes")
			if tt.booked {
				w.wantsBooked(id)
			} else {
				w.wantsHeld(id)
			}
		})
	}
}

// chatty is the clerk with so many words that they go out in several messages.
func chatty(_ context.Context, req llm.Request) (llm.Response, error) {
	r := clerk(req)
	if len(r.Calls) == 0 {
		r.Text = strings.Repeat("The old harbour has many places. ", 60)
	}
	return r, nil
}

// A question of several messages is asked with the last of them, below which it stands.
func TestPromise1_AYesToTheBeginningOfAQuestion(t *testing.T) {
	t.Parallel()
	w, provider := newBusy(t, "Reply YES")
	w.model = modelFunc(chatty)
	id := w.writes("m1", "book")
	w.sends(id)
	if len(w.sent) == 0 {
		t.Fatal("nothing has gone out")
	}
	w.writes("m2", "yes")
	w.wantsHeld(id)
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	w.writes("m3", "yes")
	w.wantsBooked(id)
}

// A YES below the beginning of a question of several messages is to that question, once the whole of it has
// gone out; below what was said before a reminder it is to none.
func TestAYesBelowTheBeginningOfAQuestion(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]string{"all of it": "", "without its end": "Reply YES"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, late)
			w.model = modelFunc(chatty)
			id := w.writes("m1", "book")
			w.sends(id)
			yes := func(n int) {
				w.clock.add(time.Second)
				in := w.from("ann", channel.WhatsApp, fmt.Sprint("yes", n), "yes")
				in.ReplyTo = w.outboxesOf([]string{id})[n].ProviderID
				w.comes(in)
				w.work()
			}
			if late == "" {
				w.writes("m2", "is it nice?")
				w.sends(id)
				yes(2)
				w.wantsHeld(id)
			}
			yes(0)
			if late == "" {
				w.wantsBooked(id)
			} else {
				w.wantsHeld(id)
			}
		})
	}
}

// Which of two is meant is a question of its own: until it has gone out, a YES may be meant for who was
// quoted, as before.
func TestPromise1_AYesBeforeItIsAskedWhatIsMeant(t *testing.T) {
	t.Parallel()
	w, provider := newBusy(t, "")
	id := w.writes("m1", "book")
	w.sends(id)
	if err := w.teller().Tell(t.Context(), id, "quoted", thread.Notice{Kind: "said", Text: "> at the gate?", Quote: &thread.Quote{Text: "at the gate?"}}); err != nil {
		t.Fatal(err)
	}
	w.work()
	w.sends(id)
	provider.words = "19:00"
	w.writes("m2", "yes")
	w.writes("m3", "yes please")
	w.wantsHeld(id)
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	w.writes("m4", "yes")
	w.wantsBooked(id)
}

// A YES that its channel brings late, as Meta does what could not be taken at first, is none to what was
// asked since it was written.
func TestPromise1_AYesThatCameLate(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"before it was offered": -time.Second, "before it was asked": time.Second, "no sooner than it was asked": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, "")
			said := func(id, text string, at time.Time) string {
				in := w.from("ann", channel.Messenger, id, text)
				in.SentAt = at
				w.comes(in)
				w.work()
				return threadOf(in)
			}
			offered := w.clock.now()
			id := said("m1", "book", offered)
			w.clock.add(2 * time.Second)
			w.sends(id)
			w.clock.add(time.Minute)
			said("m2", "yes", offered.Add(after))
			w.wantsHeld(id)
			said("m3", "yes", offered.Add(3*time.Second))
			w.wantsBooked(id)
		})
	}
}

// A START that its channel brings late undoes no STOP that was written after it, whichever STOP came last.
func TestAStartThatCameLate(t *testing.T) {
	t.Parallel()
	type said struct {
		text  string
		wrote time.Duration // after noon
	}
	for name, tt := range map[string]struct {
		said []said
		out  bool
	}{
		"in order":                     {[]said{{"STOP", 1}, {"START", 2}}, false},
		"before the STOP":              {[]said{{"STOP", 2}, {"START", 1}}, true},
		"before one STOP of two":       {[]said{{"STOP", 3}, {"STOP", 1}, {"START", 2}}, true},
		"before the STOP, and another": {[]said{{"STOP", 2}, {"START", 1}, {"START", 3}}, false},
		"with what is said since":      {[]said{{"STOP", 2}, {"hello", 4}, {"START", 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, "")
			noon := w.clock.now()
			w.clock.add(time.Hour)
			var id string
			for i, s := range tt.said {
				in := w.from("ann", channel.Messenger, fmt.Sprint("m", i), s.text)
				in.SentAt = noon.Add(s.wrote * time.Minute)
				w.comes(in)
				w.work()
				id = threadOf(in)
			}
			if got := w.head(id).OptedOut; got != tt.out {
				t.Errorf("opted out: %v", got)
			}
		})
	}
}

// What names its question needs no look at whether that has gone out: nobody else could know it.
func TestAnAnswerThatNamesItsQuestion(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]func(w *world, in *channel.Inbound){
		"button": func(w *world, in *channel.Inbound) { in.Button = "yes:" + w.head(threadOf(*in)).Pending.ID },
		"reply": func(w *world, in *channel.Inbound) {
			w.sends(threadOf(*in))
			in.ReplyTo = w.outboxesOf([]string{threadOf(*in)})[0].ProviderID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, "")
			id := w.writes("m1", "book")
			in := w.from("ann", channel.WhatsApp, "m2", "yes")
			answers(w, &in)
			w.clock.add(time.Second)
			w.comes(in)
			w.work()
			w.wantsBooked(id)
		})
	}
}

// What was done is told although a person has taken the thread over since; what the assistant said, or asks,
// is not.
func TestWhatWasDoneIsToldBesideAPerson(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before []string // said and answered before
		last   string
		want   outbox.Status
	}{
		"the reply to a YES":    {[]string{"book"}, "yes", outbox.Sent},
		"the reply to a NO":     {[]string{"book"}, "no", outbox.Sent},
		"the assistant's words": {nil, "is it nice?", outbox.Failed},
		"its question":          {nil, "book", outbox.Failed},
		"a reminder of it":      {[]string{"book"}, "is it nice?", outbox.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newBusy(t, "")
			n := 0
			say := func(text string) string { n++; return w.writes(fmt.Sprint("m", n), text) }
			for _, text := range tt.before {
				w.sends(say(text))
			}
			id := say(tt.last)
			w.handOver(id)
			w.sends(id)
			if last := w.outboxesOf([]string{id})[len(tt.before)]; last.Status != tt.want {
				t.Errorf("%s (%s), want %s: %q", last.Status, last.Error, tt.want, last.Text)
			}
		})
	}
}
