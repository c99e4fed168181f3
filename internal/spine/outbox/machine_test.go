package outbox_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/outbox"
)

// way is the way to the provider: one call of an action may meet a fault on it, or wait
// for its answer until a later action.
type way struct {
	mu      sync.Mutex
	calls   *faulttest.Calls
	met     faulttest.Tally
	reached chan struct{} // not nil: the next send waits, and tells so
	goOn    chan struct{}
}

func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	calls, reached, goOn := w.calls, w.reached, w.goOn
	if r.Method == http.MethodPost {
		w.reached = nil
	} else {
		reached = nil
	}
	w.mu.Unlock()
	resp, err := calls.RoundTrip(r)
	if reached != nil {
		close(reached)
		<-goOn
	}
	return resp, err
}

func (w *way) set(fault faulttest.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.met.Met(w.calls)
	w.calls, w.reached, w.goOn = faulttest.With(), nil, nil
	if fault != "" {
		w.calls = faulttest.With(faulttest.At{N: 1, Fault: fault})
	}
}

// statuses, in the order in which a message may move.
var statuses = []outbox.Status{outbox.Queued, outbox.Sending, outbox.Sent, outbox.Failed, outbox.Delivered, outbox.Read}

func rank(s outbox.Status) int { return slices.Index(statuses, s) }

// machine is an outbox under two senders, the provider's callbacks and an operator, and
// what is known of each message from without.
type machine struct {
	*corner
	way    *way
	put    []outbox.Message          // as the stream has them
	seen   map[string]outbox.Message // as last looked at
	again  map[string]int            // times that the operator sent it again
	silent bool                      // nothing may be written to the recipient
	late   []func()                  // senders that wait for an answer
}

// taken are the provider's messages with a text.
func (m *machine) taken(text string) (sids []string) {
	for _, t := range m.twilio.Messages() {
		if t.To == m.to && t.Body == text {
			sids = append(sids, t.SID)
		}
	}
	return sids
}

func (m *machine) one(t *rapid.T) outbox.Message {
	if len(m.put) == 0 {
		t.Skip("nothing is there")
	}
	return m.put[rapid.IntRange(0, len(m.put)-1).Draw(t, "message")]
}

// Put puts one to three parts of a reply on the outbox.
func (m *machine) Put(t *rapid.T) {
	before := ""
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		id := fmt.Sprintf("%03d", len(m.put))
		msg := m.text(id, "text "+id)
		msg.After, before = before, id
		m.put = append(m.put, m.corner.put(msg))
	}
}

var faultsOfProvider = []faulttest.Fault{
	"", "", "", faulttest.CallLost, faulttest.AnswerLost, faulttest.TimeOut, faulttest.Throttled, faulttest.ServerError, faulttest.ErrorAfter,
}

// Deliver has a sender bring a message on, as it is or as the stream once had it.
func (m *machine) Deliver(t *rapid.T) {
	msg := m.one(t)
	if rapid.Bool().Draw(t, "as it is") {
		msg = m.get(msg.ID)
	}
	m.way.set(rapid.SampledFrom(faultsOfProvider).Draw(t, "fault"))
	m.sends(t, msg)
}

func (m *machine) sends(t *rapid.T, msg outbox.Message) {
	taken := len(m.twilio.Messages())
	if err := m.sender.Deliver(context.Background(), msg); err != nil && !strings.Contains(err.Error(), "asking the provider") {
		t.Fatal(err)
	}
	if m.silent && len(m.twilio.Messages()) != taken {
		t.Fatalf("%s was sent although a person has the thread", msg.ID)
	}
}

// DeliverSlowly has a sender that gets its answer only when [machine.Answer] comes.
func (m *machine) DeliverSlowly(t *rapid.T) {
	msg := m.get(m.one(t).ID)
	m.way.set("")
	reached, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	m.way.reached, m.way.goOn = reached, goOn
	go func() { done <- m.sender.Deliver(context.Background(), msg) }()
	select {
	case err := <-done: // it had nothing to send
		if err != nil {
			t.Fatal(err)
		}
	case <-reached:
		m.late = append(m.late, func() {
			close(goOn)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Answer lets the sender go on that has waited the longest.
func (m *machine) Answer(t *rapid.T) {
	if len(m.late) == 0 {
		t.Skip("nobody waits")
	}
	m.late[0]()
	m.late = m.late[1:]
}

// Sweep brings on what is due, in its order.
func (m *machine) Sweep(t *rapid.T) {
	m.way.set(rapid.SampledFrom(faultsOfProvider).Draw(t, "fault"))
	m.sweepMine(t)
}

func (m *machine) sweepMine(t *rapid.T) {
	for _, msg := range m.stored() {
		if strings.HasPrefix(msg.DueShard, "outbox#") && !msg.DueAt.After(m.clock.now()) {
			m.sends(t, msg)
		}
	}
}

func (m *machine) TimePasses(t *rapid.T) {
	m.clock.add(rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, over, 2 * time.Minute, 10 * time.Minute}).Draw(t, "time"))
}

// Callback is any word of the provider's on any of its messages.
func (m *machine) Callback(t *rapid.T) {
	var sids []string
	msg := m.one(t)
	if sids = m.taken(msg.Text); len(sids) == 0 {
		t.Skip("the provider does not have it")
	}
	sid := rapid.SampledFrom(sids).Draw(t, "sid")
	word := rapid.SampledFrom([]string{"queued", "sent", "delivered", "read", "undelivered", "failed"}).Draw(t, "status")
	status, code := outbox.Status(word), 0
	switch word {
	case "queued":
		status = outbox.Sent
	case "undelivered", "failed":
		status, code = outbox.Failed, rapid.SampledFrom([]int{63003, 63016, 0}).Draw(t, "code")
	}
	before := m.get(msg.ID)
	if err := m.twilio.DeliverError(context.Background(), sid, word, code); err != nil {
		t.Fatal(err)
	}
	after, want := m.get(msg.ID), before.Status
	counts := (before.ProviderID == "" || before.ProviderID == sid) && !slices.Contains(before.Former, sid)
	if counts && rank(status) > rank(before.Status) {
		want = status
	}
	switch {
	case after.Status != want:
		t.Fatalf("%s was %s, is %s after %q, want %s", msg.ID, before.Status, after.Status, word, want)
	case counts && status == outbox.Failed && after.Error == "" && after.ProviderID == sid:
		t.Fatalf("%s: the failure is not visible", msg.ID)
	case !counts && after.Error != before.Error:
		t.Fatalf("%s: an error of another send: %q", msg.ID, after.Error)
	}
}

// SendAgain is the operator's.
func (m *machine) SendAgain(t *rapid.T) {
	msg := m.get(m.one(t).ID)
	err := m.Box.SendAgain(context.Background(), m.thread, msg.ID)
	if (err == nil) != (msg.Status == outbox.Failed) {
		t.Fatalf("%s was %s: %v", msg.ID, msg.Status, err)
	}
	if err == nil {
		m.again[msg.ID]++
		m.seen[msg.ID] = m.get(msg.ID)
	}
}

// TakeOver has a person take the thread, or give it back.
func (m *machine) TakeOver(*rapid.T) {
	if m.silent = !m.silent; m.silent {
		m.mark("handler", "person")
		return
	}
	m.unmark("handler")
}

// Check wants what always holds, after each action.
func (m *machine) Check(t *rapid.T) {
	owner := map[string]string{}
	for _, now := range m.stored() {
		was, known := m.seen[now.ID]
		sids := m.taken(now.Text)
		switch back := known && rank(now.Status) < rank(was.Status); {
		case back && !(was.Status == outbox.Sending && now.Status == outbox.Queued):
			t.Fatalf("%s went from %s to %s", now.ID, was.Status, now.Status)
		case was.Error != "" && rank(was.Status) >= rank(outbox.Failed) && now.Error == "":
			t.Fatalf("%s: the failure %q is no longer visible", now.ID, was.Error)
		case now.Status == outbox.Failed && now.Error == "":
			t.Fatalf("%s failed for no reason", now.ID)
		case len(sids) > 1+m.again[now.ID]:
			t.Fatalf("%s was said %d times, %d times by an operator", now.ID, len(sids), m.again[now.ID])
		case now.ProviderID != "" && !slices.Contains(sids, now.ProviderID):
			t.Fatalf("%s has id %s, the provider knows it by %v", now.ID, now.ProviderID, sids)
		case now.ProviderID != "" && owner[now.ProviderID] != "":
			t.Fatalf("%s and %s are both %s", now.ID, owner[now.ProviderID], now.ProviderID)
		}
		owner[now.ProviderID] = now.ID
		m.seen[now.ID] = now
	}
	m.order(t)
}

// order wants every part to go behind the one before it, if that goes at all.
func (m *machine) order(t *rapid.T) {
	at := map[string]int{} // by text, of the first time
	for i, taken := range slices.Backward(m.twilio.Messages()) {
		if taken.To == m.to {
			at[taken.Body] = i
		}
	}
	for _, msg := range m.put {
		mine, said := at[msg.Text]
		before, saidBefore := at["text "+msg.After]
		if msg.After == "" || !said || m.again[msg.After] > 0 {
			continue
		}
		if saidBefore && before > mine || !saidBefore && rank(m.seen[msg.After].Status) < rank(outbox.Sent) {
			t.Fatalf("%s was said before %s", msg.ID, msg.After)
		}
	}
}

// quiet wants all to come to an end once nothing fails any more.
func (m *machine) quiet(t *rapid.T) {
	for len(m.late) > 0 {
		m.Answer(t)
	}
	if m.silent {
		m.TakeOver(t)
	}
	m.way.set("")
	for range 8 {
		m.clock.add(2 * time.Hour)
		m.writes(m.to)
		m.sweepMine(t)
	}
	for _, msg := range m.stored() {
		said := len(m.taken(msg.Text)) > 0
		switch {
		case msg.Status == outbox.Queued || msg.Status == outbox.Sending || strings.HasPrefix(msg.DueShard, "outbox#"):
			t.Fatalf("%s is still %s, due %q", msg.ID, msg.Status, msg.DueShard)
		case msg.Status != outbox.Failed && !said:
			t.Fatalf("%s is %s, and was never said", msg.ID, msg.Status)
		}
	}
	m.Check(t)
}

// An outbox keeps what it promises whatever two senders, callbacks, an operator and a
// provider with faults do in whatever order.
func TestField09_StateMachine(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	w := &way{calls: faulttest.With(), met: faulttest.Tally{}}
	c.start(dynamotest.Open(t), &http.Client{Transport: w})
	n, failed, most := 0, false, seedtest.Times(t, 25)
	seedtest.Check(t, func(t *rapid.T) {
		if n == most && !failed {
			return // enough; one that failed is tried until it is small
		}
		n, failed = n+1, true
		c.somebody()
		w.set("")
		m := &machine{corner: c, way: w, seen: map[string]outbox.Message{}, again: map[string]int{}}
		t.Repeat(map[string]func(*rapid.T){
			"put": m.Put, "deliver": m.Deliver, "deliver again": m.Deliver, "deliver slowly": m.DeliverSlowly, "answer": m.Answer, "sweep": m.Sweep,
			"time passes": m.TimePasses, "callback": m.Callback, "send again": m.SendAgain, "take over": m.TakeOver, "": m.Check,
		})
		m.quiet(t)
		failed = false
	})
	w.met.Want(t, faulttest.AnyFault)
	faulttest.Tried(t, n)
}
