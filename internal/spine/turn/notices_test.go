package turn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// What the backend has to say puts one offer at a time, which waits until it is over or answered,
// and none that is over or that a person would have to answer.
func TestNoticesAndWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	now := w.clock.now()
	offer := func(ref string, until time.Duration) thread.Notice {
		return thread.Notice{Kind: "free", Text: "A place is free.", Offer: &thread.Pending{Kind: booking.ConfirmKind, Ref: ref, Summary: ref, ExpiresAt: now.Add(until)}}
	}
	over := func(ref string) thread.Notice { return thread.Notice{Kind: "over", Ref: ref, Text: "It is over."} }
	plain := thread.Notice{Kind: "plain", Text: "We open at nine."}
	quoting := thread.Notice{Kind: "said", Text: "> at the gate", Quote: &thread.Quote{Text: "at the gate"}}
	a := offer("A", time.Hour)
	for name, tt := range map[string]struct {
		told   []thread.Notice
		person bool
		waits  string
		doubt  bool
	}{
		"nothing waits":            {told: []thread.Notice{plain, over("A"), quoting}},
		"an offer":                 {told: []thread.Notice{a}, waits: "A"},
		"an offer that is gone":    {told: []thread.Notice{offer("A", 0)}},
		"for a person":             {told: []thread.Notice{a}, person: true},
		"while another waits":      {told: []thread.Notice{a, offer("B", time.Hour)}, waits: "A", doubt: true},
		"gone, while another is":   {told: []thread.Notice{a, offer("B", 0)}, waits: "A", doubt: true},
		"it is over":               {told: []thread.Notice{a, over("A")}},
		"something else is over":   {told: []thread.Notice{a, over("B")}, waits: "A", doubt: true},
		"over, and a new one":      {told: []thread.Notice{a, over("A"), offer("B", time.Hour)}, waits: "B"},
		"told of something":        {told: []thread.Notice{a, plain}, waits: "A", doubt: true},
		"somebody is quoted":       {told: []thread.Notice{a, quoting}, waits: "A", doubt: true},
		"quoted, then an offer":    {told: []thread.Notice{quoting, a}, waits: "A"},
		"quoted, and then it ends": {told: []thread.Notice{a, quoting, over("A")}},
	} {
		for _, atOnce := range []bool{false, true} {
			in := w.from(fmt.Sprint(name, atOnce), channel.App, "1", "hi")
			id := w.say(in).Thread
			if tt.person {
				if err := w.concierge.people.Take(t.Context(), id, actor.Actor{Kind: actor.Staff, ID: "desk"}); err != nil {
					t.Fatal(err)
				}
			}
			w.work() // that a person has it is a notice too
			before := len(w.turnsOf(id))
			for n, notice := range tt.told {
				if err := w.teller().Tell(t.Context(), id, fmt.Sprint(n), notice); err != nil {
					t.Fatal(err)
				}
				if !atOnce {
					w.work()
				}
			}
			w.work()
			h := w.head(id)
			if turns := len(w.turnsOf(id)) - before; turns != len(tt.told) {
				t.Errorf("%s, at once %v: %d turns for %d notices", name, atOnce, turns, len(tt.told))
			}
			if len(h.Inbox) > 0 {
				t.Fatalf("%s: %d messages wait", name, len(h.Inbox))
			}
			if waits := ""; h.Pending != nil {
				if waits = h.Pending.Ref; waits != tt.waits || h.Pending.Doubt != tt.doubt {
					t.Errorf("%s, at once %v: %q waits, in doubt %v", name, atOnce, waits, h.Pending.Doubt)
				}
			} else if tt.waits != "" {
				t.Errorf("%s, at once %v: nothing waits", name, atOnce)
			}
		}
	}
}

// A market's own words for what customers are told of are what they hear, in as far as they say anything.
func TestNoticesInTheMarketsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(m *market.Market) {
		m.Templates = map[string]string{"order_accepted": "{listing} cooks for you. Be there at {eta}!", "order_done": "{reason}"}
	})
	w.model = says("Hello.")
	id := w.say(w.from("ann", channel.App, "1", "hi")).Thread
	vars := map[string]string{"listing": "Meze House", "eta": "19:30"}
	for n, tt := range []struct {
		notice thread.Notice
		want   string
	}{
		{thread.Notice{Kind: "order_accepted", Text: "It was accepted.", Vars: vars}, "Meze House cooks for you. Be there at 19:30!"},
		{thread.Notice{Kind: "order_accepted", Text: "It was accepted."}, "It was accepted."}, // kept from before it had variables
		{thread.Notice{Kind: "order_done", Text: "It is done.", Vars: vars}, "It is done."},
		{thread.Notice{Kind: "order_refused", Text: "It was refused.", Vars: vars}, "It was refused."},
	} {
		if err := w.teller().Tell(t.Context(), id, fmt.Sprint(n), tt.notice); err != nil {
			t.Fatal(err)
		}
		w.work()
		turns := w.turnsOf(id)
		if got := textOf(turns[len(turns)-1]); got != tt.want {
			t.Errorf("%+v: said was %q, want %q", tt.notice, got, tt.want)
		}
	}
}

// What waits when its time is over makes room for what is offered next, and is said to be over. Below
// what does not ask for the YES there is none to be given.
func TestWhatIsSaidBesideAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	in := w.from("ann", channel.Messenger, "1", "hi")
	w.comes(in)
	w.work()
	offer := func(ref string) thread.Notice {
		return thread.Notice{Kind: "free", Text: "A place is free.", Offer: &thread.Pending{
			Kind: booking.ConfirmKind, Ref: ref, Summary: "place " + ref, ExpiresAt: w.clock.now().Add(10 * time.Minute),
		}}
	}
	told := func(n thread.Notice) (string, outbox.Message) {
		t.Helper()
		w.clock.add(time.Second)
		if err := w.teller().Tell(t.Context(), threadOf(in), w.clock.now().String(), n); err != nil {
			t.Fatal(err)
		}
		w.work()
		turns := w.turnsOf(threadOf(in))
		last := turns[len(turns)-1]
		m, err := w.outbox.Get(t.Context(), threadOf(in), fmt.Sprintf("turn%08d-0", last.N))
		if err != nil {
			t.Fatal(err)
		}
		return textOf(last), m
	}
	asks := func(text string, m outbox.Message, ref string) {
		t.Helper()
		p := w.head(threadOf(in)).Pending
		if p == nil || p.Ref != ref || m.Pending != p.ID || len(m.Buttons) != 2 || !strings.Contains(text, "place "+ref) {
			t.Errorf("%q with %d buttons for %q; %+v waits", text, len(m.Buttons), m.Pending, p)
		}
	}
	text, m := told(offer("A"))
	asks(text, m, "A")
	if text, m = told(thread.Notice{Kind: "plain", Text: "We open at nine."}); m.Pending != "" || len(m.Buttons) > 0 {
		t.Errorf("%q has %d buttons for %q", text, len(m.Buttons), m.Pending)
	}
	text, m = told(offer("B"))
	asks(text, m, "A")
	w.clock.add(10 * time.Minute)
	text, m = told(offer("C"))
	asks(text, m, "C")
	if !strings.Contains(text, wording.Say("en", wording.HoldGone, nil)) {
		t.Errorf("nothing is said of A: %q", text)
	}
}

// What is told when the window has closed goes out by the market's approved template on WhatsApp, whose
// template it is, and nowhere else.
func TestATemplateIsForWhatsApp(t *testing.T) {
	t.Parallel()
	for _, ch := range []channel.Channel{channel.WhatsApp, channel.Messenger} {
		w := newWorld(t, nil)
		w.model = says("Hello.")
		in := w.from("ann", ch, "1", "hi")
		w.comes(in)
		w.work()
		told := func(after time.Duration, n thread.Notice) *outbox.Template {
			t.Helper()
			w.clock.add(after)
			n.Text = "It is over."
			if err := w.teller().Tell(t.Context(), threadOf(in), w.clock.now().String(), n); err != nil {
				t.Fatal(err)
			}
			w.work()
			return w.outboxesOf([]string{threadOf(in)})[len(w.turnsOf(threadOf(in)))-1].Template
		}
		approved := thread.Notice{Kind: "taxi_cancelled", Vars: map[string]string{"code": "K7P2"}}
		if early := told(time.Hour, approved); early != nil {
			t.Errorf("%s: within the window by %+v", ch, early)
		}
		if late := told(24*time.Hour, approved); (late != nil) != (ch == channel.WhatsApp) {
			t.Errorf("%s: after it by %+v", ch, late)
		}
		for _, other := range []thread.Notice{{Kind: "taxi_cancelled"}, {Kind: "other", Vars: approved.Vars}} {
			if by := told(time.Second, other); by != nil {
				t.Errorf("%s: %s with %d variables by %+v", ch, other.Kind, len(other.Vars), by)
			}
		}
	}
}

// What is offered to somebody who wants no messages is not shown to them, and waits for no YES.
func TestNoOfferToWhoHearsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	in := w.from("ann", channel.WhatsApp, "1", "STOP")
	w.comes(in)
	w.work()
	offer := &thread.Pending{Kind: booking.ConfirmKind, Ref: "A", Summary: "A", ExpiresAt: w.clock.now().Add(time.Hour)}
	if err := w.teller().Tell(t.Context(), threadOf(in), "1", thread.Notice{Kind: "free", Text: "It is free.", Offer: offer}); err != nil {
		t.Fatal(err)
	}
	w.work()
	if h := w.head(threadOf(in)); !h.OptedOut || h.Pending != nil {
		t.Errorf("opted out %v, waiting %+v", h.OptedOut, h.Pending)
	}
}

// A notice is told once although a message comes in while its turn ends.
func TestANoticeIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	id := w.say(w.from("ann", channel.App, "1", "hi")).Thread
	offer := &thread.Pending{Kind: booking.ConfirmKind, Ref: "A", Summary: "A", ExpiresAt: w.clock.now().Add(time.Hour)}
	if err := w.teller().Tell(t.Context(), id, "1", thread.Notice{Kind: "free", Text: "It is free.", Offer: offer}); err != nil {
		t.Fatal(err)
	}
	store := w.threads
	w.start(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		if _, err := store.Append(t.Context(), w.from("ann", channel.App, "2", "by the way"), false); err != nil {
			t.Error(err)
		}
	})))
	w.work()
	turns := w.turnsOf(id)
	if len(turns) != 3 || strings.Count(textOf(turns[1]), "It is free.") != 1 || w.head(id).Pending == nil {
		t.Errorf("%d turns, told %q", len(turns), textOf(turns[1]))
	}
}

// The same offer has the same name whenever it is made, so that a button below the older question
// answers the newer one; on other terms it has another.
func TestTheSameOfferKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	id := w.say(w.from("ann", channel.App, "1", "hi")).Thread
	offer := &thread.Pending{Kind: booking.ConfirmKind, Ref: "A", Hash: "1", Summary: "A", ExpiresAt: w.clock.now().Add(time.Hour)}
	dearer := *offer
	dearer.Hash = "2"
	over := thread.Notice{Kind: "over", Ref: "A", Text: "It is not."}
	var names []string
	for n, notice := range []thread.Notice{{Text: "It is free.", Offer: offer}, over, {Text: "It is.", Offer: offer}, over, {Text: "It is, for more.", Offer: &dearer}} {
		if err := w.teller().Tell(t.Context(), id, fmt.Sprint(n), notice); err != nil {
			t.Fatal(err)
		}
		w.work()
		if p := w.head(id).Pending; p != nil {
			names = append(names, p.ID)
		}
	}
	if len(names) != 3 || names[0] != names[1] || names[1] == names[2] {
		t.Errorf("names %q", names)
	}
}
