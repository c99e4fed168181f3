package turn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// TestThreadsFollowTheModel lets everything happen to a thread, in any order: messages,
// repeats and messages at once, one worker and two, processes that die and leases that are
// lost in the middle of a turn, time that passes and holds that expire. After each step
// [machine.check] says what must be so.
func TestThreadsFollowTheModel(t *testing.T) {
	t.Parallel()
	histories := seedtest.Times(t, 4) // of the checks that rapid would like to do
	tried, met := 0, faulttest.Tally{}
	seedtest.Check(t, func(rt *rapid.T) {
		if tried == histories {
			return
		}
		tried++
		runMachine(t, rt, met)
	})
	met.Want(t, faulttest.AnyFault)
	faulttest.Tried(t, tried)
}

// machine is a thread to which things happen, and what is known of it without looking.
type machine struct {
	*world
	rt       *rapid.T
	id       string
	sends    int
	accepted []channel.Inbound // in order of arrival
	met      faulttest.Tally
}

func runMachine(t *testing.T, rt *rapid.T, met faulttest.Tally) {
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	w.last = w.from("ann", channel.WhatsApp, "", "")
	m := &machine{world: w, rt: rt, id: threadOf(w.last), met: met}
	rt.Repeat(map[string]func(*rapid.T){
		"say":       func(t *rapid.T) { m.say(m.draw(t)) },
		"book":      func(t *rapid.T) { m.say(m.new("book")); m.run(nil) },
		"send":      func(*rapid.T) { m.world.sends(m.id) },
		"be asked":  func(*rapid.T) { m.say(m.new("book")); m.run(nil); m.world.sends(m.id) },
		"yes":       func(t *rapid.T) { m.say(m.new("yes")); m.run(nil) },
		"repeat":    m.again,
		"at once":   m.atOnce,
		"work":      func(*rapid.T) { m.run(nil) },
		"two work":  func(*rapid.T) { m.twoWork() },
		"die":       m.die,
		"die too":   m.die,
		"die again": m.die,
		"overtaken": func(*rapid.T) { m.overtaken() },
		"time":      func(t *rapid.T) { m.clock.add(time.Duration(rapid.IntRange(1, 300).Draw(t, "seconds")) * time.Second) },
		"expire":    func(*rapid.T) { m.expireDue() },
		"":          func(*rapid.T) { m.check() },
	})
	if len(m.accepted) == 0 {
		return
	}
	m.restart()
	m.clock.add(thread.LeaseFor + time.Second)
	m.run(nil)
	m.settle()
	m.check()
	if h := m.head(m.id); len(h.Inbox) != 0 || h.LeaseUntil.After(m.clock.now()) {
		rt.Fatalf("%d messages wait in the end", len(h.Inbox))
	}
}

func (m *machine) draw(t *rapid.T) channel.Inbound {
	return m.new(rapid.SampledFrom([]string{
		"hi", "book", "book twice", "note", "search", "yes", "evet", "no", "yes, but later", "STOP", "START",
	}).Draw(t, "text"))
}

func (m *machine) new(text string) channel.Inbound {
	m.sends++
	return m.from("ann", channel.WhatsApp, fmt.Sprint(m.sends), text)
}

// say is a webhook whose message is taken.
func (m *machine) say(in channel.Inbound) {
	m.clock.add(time.Second)
	if _, err := m.runner.ProcessInbound(context.Background(), in); err != nil {
		m.rt.Fatalf("say %q: %v", in.Text, err)
	}
	m.accepted = append(m.accepted, in)
}

func (m *machine) again(t *rapid.T) {
	if len(m.accepted) == 0 {
		t.Skip("nothing yet")
	}
	in := rapid.SampledFrom(m.accepted).Draw(t, "message")
	if a, err := m.runner.ProcessInbound(context.Background(), in); err != nil || !a.Duplicate {
		t.Fatalf("%q comes again: %+v, %v", in.Text, a, err)
	}
}

// atOnce brings two messages at the same time; the later one may be taken first.
func (m *machine) atOnce(t *rapid.T) {
	m.clock.add(time.Second)
	two := []channel.Inbound{m.draw(t), m.draw(t)}
	var wg sync.WaitGroup
	for _, in := range two {
		wg.Go(func() {
			if _, err := m.runner.ProcessInbound(context.Background(), in); err != nil {
				m.t.Errorf("at once: %v", err)
			}
		})
	}
	wg.Wait()
	inbox := m.head(m.id).Inbox
	if inbox[len(inbox)-1].ID == messageID(two[0]) {
		slices.Reverse(two)
	}
	m.accepted = append(m.accepted, two...)
}

func messageID(in channel.Inbound) string {
	return thread.MessageID(threadOf(in), in.Channel, in.MessageID)
}

// run is the queue, whose worker has the time to answer all that waits, even where another took a
// turn from it. With calls that meet faults it has time for one turn, and comes to whatever end it
// comes.
func (m *machine) run(calls *faulttest.Calls) {
	enough := 5 * time.Minute
	if calls != nil {
		enough = 20 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), enough)
	defer cancel()
	if err := m.runner.Work(ctx, m.id); err != nil && calls == nil {
		m.rt.Fatalf("work: %v", err)
	}
}

func (m *machine) twoWork() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := m.runner.Work(context.Background(), m.id); err != nil {
				m.t.Errorf("one of two workers: %v", err)
			}
		})
	}
	wg.Wait()
}

// die lets a worker meet a fault when there is something to do, and a new process begin when
// the lease has run out.
func (m *machine) die(t *rapid.T) {
	m.say(m.draw(t))
	at := faulttest.At{N: rapid.IntRange(1, 8).Draw(t, "call"), Fault: rapid.SampledFrom(faulttest.Faults).Draw(t, "fault")}
	calls := faulttest.With(at)
	m.over(calls)
	m.run(calls)
	m.met.Met(calls)
	m.restart()
	m.clock.add(thread.LeaseFor + time.Second)
}

// overtaken lets a turn's lease run out while the model thinks, and another worker answer
// meanwhile, unless the lease is renewed before that.
func (m *machine) overtaken() {
	once := false
	m.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		if !once {
			once = true
			m.clock.add(thread.LeaseFor + time.Second)
			if err := m.runner.Work(impatiently(context.Background()), m.id); err != nil && !errors.Is(err, errImpatient) {
				m.t.Errorf("the other worker: %v", err)
			}
		}
		return clerk(req), nil
	})
	m.run(nil)
	m.model = clerkModel()
}

// expireDue is the schedule, and what it has told to those who wait.
func (m *machine) expireDue() {
	for _, tx := range m.transactions() {
		if tx.State == ledger.Hold && !tx.HoldExpiresAt.After(m.clock.now()) {
			if _, err := m.ledger.Expire(context.Background(), tx.ID); err != nil && !fault.Is(err, fault.Conflict) {
				m.rt.Fatalf("expire: %v", err)
			}
		}
	}
}

// check holds the thread, its outbox and its transactions against what must be so.
func (m *machine) check() {
	if len(m.accepted) == 0 {
		return
	}
	s := m.stored(m.id)
	m.checkOrder(s)
	m.checkOutbox(s)
	m.checkCommitments(s)
}

// checkOrder: every message is answered once or waits, in the order of arrival.
func (m *machine) checkOrder(s stored) {
	var got, want []string
	for i, turn := range s.turns {
		if turn.N != i+1 || s.head.Turns != len(s.turns) {
			m.rt.Fatalf("turn %d has number %d of %d", i+1, turn.N, s.head.Turns)
		}
		got = append(got, idsOf(turn.In)...)
	}
	got = append(got, idsOf(s.head.Inbox)...)
	for _, in := range m.accepted {
		want = append(want, messageID(in))
	}
	if !slices.Equal(got, want) {
		m.rt.Fatalf("answered and waiting are %d messages %v, want %d %v", len(got), got, len(want), want)
	}
}

func idsOf(msgs []thread.Message) []string {
	var ids []string
	for _, msg := range msgs {
		ids = append(ids, msg.ID)
	}
	return ids
}

// checkOutbox: each reply is on the outbox once, in its parts, and nothing else is.
func (m *machine) checkOutbox(s stored) {
	put := map[string]outbox.Message{}
	for _, msg := range s.outbox {
		put[msg.ID] = msg
	}
	optedOut := false
	n := 0
	for _, turn := range s.turns {
		if len(turn.Out) != 1 {
			m.rt.Fatalf("turn %d has %d replies", turn.N, len(turn.Out))
		}
		before := optedOut
		switch gate.OptOut(turn.In[len(turn.In)-1].Text) {
		case gate.Stop:
			optedOut = true
		case gate.Start:
			optedOut = false
		}
		if before && optedOut {
			continue // nothing goes to who has opted out
		}
		for i, text := range outbox.Split(turn.Out[0].Whole(), 1600) {
			n++
			got := put[fmt.Sprintf("turn%08d-%d", turn.N, i)]
			if settled := strings.HasPrefix(text, got.Text) && got.Status == outbox.Sent && got.Pending == ""; got.Text != text && !settled {
				m.rt.Fatalf("turn %d, part %d: %q on the outbox, want %q", turn.N, i, got.Text, text)
			}
		}
	}
	if n != len(s.outbox) || optedOut != s.head.OptedOut {
		m.rt.Fatalf("%d messages on the outbox, want %d; opted out %v, want %v", len(s.outbox), n, s.head.OptedOut, optedOut)
	}
}

// offer is a pending action as the turns tell of it.
type offer struct {
	made    thread.Turn
	settled *thread.Turn
}

// checkCommitments: what is confirmed was said YES to, in time, after it was asked, by the turn that
// settled it, once; what is held is pending, or about to be; notes were left for a YES each.
func (m *machine) checkCommitments(s stored) {
	offers, open := map[string]*offer{}, ""
	for _, turn := range s.turns {
		if turn.Settled != "" && offers[turn.Settled] != nil {
			offers[turn.Settled].settled = &turn
			if open == turn.Settled {
				open = ""
			}
		}
		if turn.Pending != "" {
			offers[turn.Pending], open = &offer{made: turn}, turn.Pending
		}
	}
	switch {
	case s.head.Pending == nil && open != "", s.head.Pending != nil && open != s.head.Pending.ID:
		m.rt.Fatalf("pending is %+v, the turns say %q", s.head.Pending, open)
	}
	yeses := 0
	for _, o := range offers {
		if o.settled != nil && saysYes(*o.settled) {
			yeses++
		}
	}
	confirmed := 0
	for _, tx := range m.transactions() {
		receipts := m.receipts(tx.ID)
		switch {
		case tx.State == ledger.Confirmed:
			confirmed++
			m.checkReceipt(tx, receipts, offers)
			if !askedBefore(s, receipts[0]) {
				m.rt.Fatalf("%s was confirmed by a YES of %v, and nobody had been asked: %+v", tx.ID, receipts[0].At, s.outbox)
			}
		case len(receipts) > 0:
			m.rt.Fatalf("%s is %s and has a receipt", tx.ID, tx.State)
		case tx.State == ledger.Hold && tx.HoldExpiresAt.After(m.clock.now()) && len(s.head.Inbox) == 0:
			if s.head.Pending == nil || s.head.Pending.Ref != tx.ID {
				m.rt.Fatalf("%s is held, and %+v is pending", tx.ID, s.head.Pending)
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := 0 // a frozen call may have run in a turn that has not ended
	if s.head.Pending != nil && s.head.Pending.Tool != "" && len(s.head.Inbox) > 0 {
		begun = 1
	}
	if confirmed+len(m.left) > yeses+begun {
		m.rt.Fatalf("%d confirmed and %d notes for %d times YES", confirmed, len(m.left), yeses)
	}
}

// receipts are those of a transaction.
func (m *machine) receipts(tx string) []gate.Receipt {
	page, err := m.ledger.Table.Query(context.Background(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :receipt)", Values: dynamo.V{":pk": "tx#" + tx, ":receipt": "receipt"}})
	all := make([]gate.Receipt, len(page.Items))
	for i, it := range page.Items {
		err = errors.Join(err, it.Decode(&all[i]))
	}
	if err != nil {
		m.rt.Fatalf("receipts: %v", err)
	}
	return all
}

func (m *machine) checkReceipt(tx ledger.Transaction, receipts []gate.Receipt, offers map[string]*offer) {
	if len(receipts) != 1 {
		m.rt.Fatalf("%s has %d receipts", tx.ID, len(receipts))
	}
	r := receipts[0]
	o := offers[r.PendingID]
	switch {
	case o == nil || o.settled == nil:
		m.rt.Fatalf("the receipt of %s is for %s, which was not settled", tx.ID, r.PendingID)
	case !saysYes(*o.settled) || !slices.Contains(idsOf(o.settled.In), r.MessageID):
		m.rt.Fatalf("%s was confirmed by %+v", tx.ID, o.settled.In)
	case !r.At.Before(tx.HoldExpiresAt.Add(-gate.Buffer)):
		m.rt.Fatalf("%s was confirmed at %v, its hold ended at %v", tx.ID, r.At, tx.HoldExpiresAt)
	case !o.settled.In[0].At.After(o.made.At), r.OfferHash != tx.OfferHash:
		m.rt.Fatalf("the YES to %s was to something else: %+v", tx.ID, r)
	}
}

// askedBefore reports whether the question had gone out that a receipt has the YES to.
func askedBefore(s stored, r gate.Receipt) bool {
	var said time.Time
	for _, turn := range s.turns {
		if i := slices.IndexFunc(turn.In, func(msg thread.Message) bool { return msg.ID == r.MessageID }); i >= 0 {
			said = turn.In[0].At
		}
	}
	return slices.ContainsFunc(s.outbox, func(msg outbox.Message) bool {
		return msg.Pending == r.PendingID && msg.ProviderID != "" && msg.SentAt.Before(said)
	})
}

func saysYes(t thread.Turn) bool {
	for _, msg := range t.In {
		if gate.Read(msg.Text) != gate.Yes {
			return false
		}
	}
	return len(t.In) > 0
}
