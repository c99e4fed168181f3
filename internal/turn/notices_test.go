package turn_test

import (
	"fmt"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/ledger"
	"merve/internal/thread"
)

// What the backend has to say puts one offer at a time, which waits until it is over or answered,
// and none that is over or that a person would have to answer.
func TestNoticesAndWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	now := w.clock.now()
	offer := func(ref string, until time.Duration) thread.Notice {
		return thread.Notice{Kind: "free", Text: "A place is free.", Offer: &thread.Pending{Kind: ledger.ConfirmKind, Ref: ref, Summary: ref, ExpiresAt: now.Add(until)}}
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
		"while another waits":      {told: []thread.Notice{a, offer("B", time.Hour)}, waits: "A"},
		"it is over":               {told: []thread.Notice{a, over("A")}},
		"something else is over":   {told: []thread.Notice{a, over("B")}, waits: "A"},
		"over, and a new one":      {told: []thread.Notice{a, over("A"), offer("B", time.Hour)}, waits: "B"},
		"told of something":        {told: []thread.Notice{a, plain}, waits: "A"},
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
			for n, notice := range tt.told {
				if err := (thread.Teller{Store: w.threads, Queue: w}).Tell(t.Context(), id, fmt.Sprint(n), notice); err != nil {
					t.Fatal(err)
				}
				if !atOnce {
					w.work()
				}
			}
			w.work()
			h := w.head(id)
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

// The same offer has the same name whenever it is made, so that a button below the older question
// answers the newer one.
func TestTheSameOfferKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	id := w.say(w.from("ann", channel.App, "1", "hi")).Thread
	offer := &thread.Pending{Kind: ledger.ConfirmKind, Ref: "A", Summary: "A", ExpiresAt: w.clock.now().Add(time.Hour)}
	var names []string
	for n, notice := range []thread.Notice{{Kind: "free", Text: "It is free.", Offer: offer}, {Kind: "over", Ref: "A", Text: "It is not."}, {Kind: "free", Text: "It is.", Offer: offer}} {
		if err := (thread.Teller{Store: w.threads, Queue: w}).Tell(t.Context(), id, fmt.Sprint(n), notice); err != nil {
			t.Fatal(err)
		}
		w.work()
		if p := w.head(id).Pending; p != nil {
			names = append(names, p.ID)
		}
	}
	if len(names) != 2 || names[0] != names[1] {
		t.Errorf("names %q", names)
	}
}
