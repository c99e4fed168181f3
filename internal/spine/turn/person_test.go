package turn_test

import (
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
)

// TestField30_TakenWhileAPersonIsAskedFor has staff take a thread while its customer, to whom something is offered, asks for
// a person: the offer is let go of once, the customer is told, and the desk sees it.
func TestField30_TakenWhileAPersonIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	in := w.from("ann", channel.App, "1", "book")
	w.say(in)
	w.last, w.model = in, w.takenAtTheDesk()
	said := textOf(w.say(w.from("ann", channel.App, "2", "person")).Turn)
	if !strings.HasPrefix(said, "This no longer waits for your answer:\nMeze House") || !strings.HasSuffix(said, "the slot is free again.") {
		t.Errorf("the customer is told %q", said)
	}
	if txs := w.transactions(); len(txs) != 1 || txs[0].State != ledger.Cancelled {
		t.Errorf("left %+v", txs)
	}
	cases, err := w.concierge.people.List(t.Context(), w.market)
	if err != nil || len(cases) != 1 || !strings.Contains(cases[0].LetGo, "Meze House") {
		t.Errorf("the desk sees %+v, %v", cases, err)
	}
	if h := w.head(threadOf(in)); h.Handler != thread.ByPerson || h.Pending != nil {
		t.Errorf("left %+v", h)
	}
}

// TestField30_BookedBeforeItIsLetGo has the offer booked by somebody else's hand while its customer asks for a person: what
// is said of it is that it stands, not that it was let go of, and the person comes all the same.
func TestField30_BookedBeforeItIsLetGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	tx := w.transactions()[0]
	w.runner.Desk = handovers{w.runner.Desk, func() {
		by := actor.OfKey(tx.Owner)
		yes := gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Actor: by.Key(), At: w.clock.now()}
		ws, _, err := w.ledger.ConfirmWrites(t.Context(), by, tx.ID, tx.OfferHash, yes, "linked")
		if err == nil {
			err = w.ledger.Table.DB().Commit(t.Context(), ws...)
		}
		if err != nil && !strings.Contains(err.Error(), "confirmed") {
			t.Error(err)
		}
	}}
	said := textOf(w.say(w.from("ann", channel.App, "2", "person")).Turn)
	comes := strings.HasSuffix(said, "A person from our team will answer you here as soon as possible.")
	if strings.Contains(said, "free again") || !strings.Contains(said, "already confirmed") || !comes {
		t.Errorf("the customer is told %q", said)
	}
	if txs := w.transactions(); len(txs) != 1 || txs[0].State != ledger.Confirmed {
		t.Errorf("left %+v", txs)
	}
}

// handovers has something happen before a thread is handed over.
type handovers struct {
	turn.Handovers
	before func()
}

func (h handovers) Wait(head thread.Head, n int, lang, reason, letGo, trace string) []dynamo.Write {
	h.before()
	return h.Handovers.Wait(head, n, lang, reason, letGo, trace)
}

// TestLive_APersonIsAskedForWhileAnOfferWaits asks for a person in a call.
func TestLive_APersonIsAskedForWhileAnOfferWaits(t *testing.T) {
	t.Parallel()
	c := offered(t)
	c.say("m2", "person")
	c.work()
	c.wantWhole("s1")
	c.clock.add(time.Second)
	c.say("m3", "yes")
	c.work()
	c.wantWhole("s1")
	turns := c.turns()
	handed, late := turns[len(turns)-2].Out[0].Text, turns[len(turns)-1].Out[0].Text
	told := strings.HasPrefix(handed, "This no longer waits for your answer:\nMeze House") && strings.Contains(handed, "A person from our team")
	if !told || strings.Contains(handed, "Reply YES") {
		t.Errorf("said %q", handed)
	}
	if !strings.HasPrefix(late, "Nothing is waiting for your YES or NO any more. A person from our team") {
		t.Errorf("after YES: %q", late)
	}
	if txs := c.transactions(); len(txs) != 1 || txs[0].State != ledger.Cancelled {
		t.Errorf("left %+v", txs)
	}
}
