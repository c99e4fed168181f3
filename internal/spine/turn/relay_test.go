package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/people/relay"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// placed has ann order on a channel, and gives the business's words for it.
func placed(t *testing.T, ch channel.Channel) (w *world, business func(text string) string) {
	t.Helper()
	w = newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = clerkModel()
	w.last = w.from("ann", ch, "", "")
	for i, text := range []string{"order", "yes"} {
		w.clock.add(time.Second)
		w.arrive(nil, w.spoken(ch, fmt.Sprint("before", i), text))
		w.settle()
	}
	n := 0
	return w, func(text string) string {
		t.Helper()
		n++
		w.clock.add(time.Second)
		in := w.spoken(channel.WhatsApp, fmt.Sprint("business", n), "kebab: "+text)
		w.arrive(nil, in)
		w.settle()
		turns := w.turnsOf(threadOf(in))
		return textOf(turns[len(turns)-1])
	}
}

// A business passes on so much about one matter on a day, and no message longer than allowed.
func TestPassedOnWithinBounds(t *testing.T) {
	t.Parallel()
	w, business := placed(t, channel.App)
	long := "{order} " + strings.Repeat("é ", relay.MaxText/2+1)
	if said := business(long); !strings.Contains(said, "too long") {
		t.Errorf("too long: %q", said)
	}
	for i := range relay.MaxDay {
		if said := business(fmt.Sprint("{order} a remark, number ", i)); !strings.HasPrefix(said, "Passed on") {
			t.Fatalf("%d: %q", i, said)
		}
	}
	before := len(w.turnsOf(threadOf(w.last)))
	if said := business("{order} and one more"); !strings.Contains(said, "Nothing more can be passed on") {
		t.Errorf("beyond the limit: %q", said)
	}
	if after := len(w.turnsOf(threadOf(w.last))); after != before {
		t.Errorf("the customer was told all the same: %d turns, then %d", before, after)
	}
	w.clock.add(24 * time.Hour)
	if said := business("{order} a new day"); !strings.HasPrefix(said, "Passed on") {
		t.Errorf("on the next day: %q", said)
	}
}

// What is passed on costs the same number of requests however long the threads are, and telling
// it the customer no more than any notice.
func TestCostOfPassingOn(t *testing.T) {
	t.Parallel()
	w, business := placed(t, channel.App)
	for i := range 3 {
		in := w.spoken(channel.WhatsApp, fmt.Sprint("counted", i), fmt.Sprint("kebab: {order} at the gate ", i))
		if cost := w.cost(in); cost.Requests != 10 {
			t.Errorf("%d: %d requests to pass words on", i, cost.Requests)
		}
		business("{order} something else")
	}
	w.settle()
}

// outside is a customer who ordered on WhatsApp and has not written for a day.
func outside(t *testing.T, templates bool) (w *world, said string) {
	t.Helper()
	w, business := placed(t, channel.WhatsApp)
	if templates {
		m, err := w.markets.Get(t.Context(), w.market)
		if err != nil {
			t.Fatal(err)
		}
		m.WhatsApp.Templates[relay.Kind] = approvedWords
		if _, err := w.markets.Save(t.Context(), *m, "test"); err != nil {
			t.Fatal(err)
		}
		w.restart()
	}
	w.clock.add(25 * time.Hour)
	return w, business("{order} shall we keep it?\nOr not?")
}

// Outside the customer's window words go by an approved template, or not at all.
func TestPassedOnOutsideTheWindow(t *testing.T) {
	t.Parallel()
	if w, said := outside(t, false); !strings.Contains(said, "was not passed on") || len(w.turnsOf(threadOf(w.last))) != 2 {
		t.Errorf("without a template: %q", said)
	}
	w, said := outside(t, true)
	last := w.sent[len(w.sent)-1]
	for _, m := range w.sent {
		if m.To == w.last.ReplyAddr {
			last = m
		}
	}
	if !strings.HasPrefix(said, "Passed on") || last.Template == nil || last.Template.Vars["2"] != "“shall we keep it? Or not?”" {
		t.Errorf("with a template: %q, %+v", said, last)
	}
}

// What cannot be delivered after all is reported to the business, each time and once: the customer
// has opted out meanwhile, before the turn that tells it or before it is sent.
func TestUndeliveredIsReported(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		w, _ := placed(t, channel.WhatsApp)
		in := w.spoken(channel.WhatsApp, "late", "kebab: {order} at the gate")
		w.arrive(nil, in)
		w.arrive(nil, w.spoken(channel.WhatsApp, "later", "kebab: {order} at the gate still"))
		if late { // told, and not yet sent
			w.tellRelayed()
			w.work()
		}
		w.arrive(nil, w.spoken(channel.WhatsApp, "stop", "STOP"))
		for range 2 {
			w.settle()
		}
		told := 0
		for _, m := range w.sent {
			if strings.Contains(m.Text, "could not be delivered") && m.To == in.ReplyAddr {
				told++
			}
			if strings.Contains(m.Text, "> at the gate") {
				t.Error("it was sent all the same")
			}
		}
		if told != 2 {
			t.Errorf("late %v: the business was told %d times of 2 messages", late, told)
		}
	}
}

// Messages of a business are quoted with an origin, and nothing else is.
func TestOnlyQuotationsHaveAnOrigin(t *testing.T) {
	t.Parallel()
	w, business := placed(t, channel.WhatsApp)
	business("accept {order} 20")
	business("{order} at the gate")
	for _, m := range w.outgoing() {
		if quotes := strings.Contains(m.Text, "> at the gate"); quotes != (m.Origin != nil) || quotes && m.Status != outbox.Sent {
			t.Errorf("origin %v, %s: %q", m.Origin, m.Status, m.Text)
		}
	}
}

// Telling what was passed on, with every fault at every call and the stream read again: the
// customer has it once.
func TestField25_EveryFaultOfPassingOn(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		w, _ := placed(t, channel.App)
		w.arrive(nil, w.spoken(channel.WhatsApp, "said", "kebab: {order} at the gate"))
		events := w.relayed()
		if len(events) != 1 {
			t.Fatalf("%d events", len(events))
		}
		w.over(calls)
		for range 2 {
			w.deliver(calls, func(ctx context.Context) error { return w.post.Tell(ctx, events[0]) })
		}
		w.restart()
		w.settle()
		var told []string
		for _, turn := range w.turnsOf(threadOf(w.last))[2:] {
			told = append(told, strings.ReplaceAll(textOf(turn), events[0].Code, "CODE"))
		}
		return told
	})
}

// approvedWords is the approved template by which words are passed on.
var approvedWords = market.Approved{ContentSID: "HX00000000000000000000000000000050", Params: []string{"listing", "text", "code"}}
