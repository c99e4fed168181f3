package thread_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
)

// machine is one thread, the workers that use it, each with a clock of its own, and what
// the thread should be.
type machine struct {
	who, id string
	clock   *clock
	workers []*thread.Store
	hands   []*hand // every lease that was ever given out, and what was read under it
	counter int

	// The specification: messages wait in the order in which they came, each once; one
	// lease at a time; a turn that is committed under it takes the first of them.
	said      []string        // ids of all messages, by the channel
	seen      map[string]bool // that were appended
	inbox     []string        // texts
	turns     []turned
	exists    bool
	leaseBy   string
	until     time.Time
	epoch     int
	committed int
	pending   string
	optedOut  bool
	journal   map[string]string // by turn and step

	met faulttest.Tally // what was refused, and what came again
}

type turned struct {
	In  []string
	Out string
}

type hand struct {
	lease *thread.Lease
	view  *thread.Thread
}

func newMachine(t *testing.T) *machine {
	m := &machine{who: dynamotest.ID("who"), clock: newClock(), seen: map[string]bool{}, journal: map[string]string{}, met: faulttest.Tally{}}
	in := message(m.who, "", "")
	m.id = thread.Of(in)
	for _, skew := range []time.Duration{-time.Second, 0, 400 * time.Millisecond, time.Second} {
		s := newStore(t, m.clock)
		s.Now = func() time.Time { return m.clock.now().Add(skew) }
		m.workers = append(m.workers, s)
	}
	return m
}

func (m *machine) worker(t *rapid.T) *thread.Store {
	return rapid.SampledFrom(m.workers).Draw(t, "worker")
}

func (m *machine) hand(t *rapid.T, read bool) *hand {
	var all []*hand
	for _, h := range m.hands {
		if !read || h.view != nil {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		t.Skip("nobody has a lease")
	}
	if rapid.Bool().Draw(t, "the latest") {
		return all[len(all)-1]
	}
	return rapid.SampledFrom(all).Draw(t, "hand")
}

func (m *machine) next(name string) string { m.counter++; return fmt.Sprint(name, m.counter) }

func (m *machine) free(s *thread.Store) bool { return m.leaseBy == "" || !m.until.After(s.Now()) }

func (m *machine) taken(s *thread.Store, l *thread.Lease) {
	m.leaseBy, m.until = l.By, s.Now().Add(thread.LeaseFor)
	m.epoch++
	m.hands = append(m.hands, &hand{lease: l})
}

// wants fails unless an error is the one that the specification gives.
func (m *machine) wants(t *rapid.T, what string, got, want error) bool {
	t.Helper()
	if (want == nil) != (got == nil) || !errors.Is(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	if want != nil {
		m.met[what+": "+want.Error()]++
	}
	return got == nil
}

func (m *machine) append(t *rapid.T) {
	s, id, lease := m.worker(t), "", rapid.Bool().Draw(t, "lease")
	if len(m.said) == 0 || rapid.IntRange(0, 3).Draw(t, "again") > 0 {
		id = m.next("m")
		m.said = append(m.said, id)
	} else {
		id = rapid.SampledFrom(m.said).Draw(t, "id")
	}
	text := "text of " + id
	if strings.HasSuffix(id, "3") {
		text += strings.Repeat(" and more", 100)
	}
	a, err := s.Append(t.Context(), message(m.who, id, text), lease)
	if err != nil || a.Duplicate != m.seen[id] || a.Thread != m.id {
		t.Fatalf("append %s: %+v, %v", id, a, err)
	}
	if takes := lease && !m.seen[id] && m.free(s); takes != (a.Lease != nil) {
		t.Fatalf("append %s: lease %v, want %v", id, a.Lease, takes)
	}
	if m.seen[id] {
		m.met["repeat"]++
	} else {
		m.seen[id], m.exists = true, true
		m.inbox = append(m.inbox, text)
	}
	if a.Lease != nil {
		m.taken(s, a.Lease)
	}
}

func (m *machine) notify(t *rapid.T) {
	s, key := m.worker(t), fmt.Sprint("event", rapid.IntRange(1, 3).Draw(t, "event"))
	a, err := s.Notify(t.Context(), m.id, key, thread.Notice{Kind: "told", Text: key})
	if !m.exists {
		m.wants(t, "notify", err, thread.ErrNoThread)
		return
	}
	if err != nil || a.Duplicate != m.seen[key] {
		t.Fatalf("notify %s: %+v, %v", key, a, err)
	}
	if !m.seen[key] {
		m.seen[key] = true
		m.inbox = append(m.inbox, key)
	}
}

func (m *machine) take(t *rapid.T) {
	s := m.worker(t)
	var want error
	switch {
	case !m.exists:
		want = thread.ErrNoThread
	case len(m.inbox) == 0:
		want = thread.ErrNothing
	case !m.free(s):
		want = thread.ErrBusy
	}
	l, head, err := s.Take(t.Context(), m.id)
	if !m.wants(t, "take", err, want) {
		return
	}
	m.taken(s, l)
	if head.Epoch != m.epoch || len(head.Inbox) != len(m.inbox) {
		t.Fatalf("took %+v, want epoch %d", head, m.epoch)
	}
}

func (m *machine) open(t *rapid.T) {
	h := m.hand(t, false)
	th, err := m.worker(t).Open(t.Context(), h.lease)
	if !m.wants(t, "open", err, m.fenced(h.lease)) {
		return
	}
	h.view = th
	var recent []turned
	for _, turn := range th.Recent {
		recent = append(recent, turned{texts(turn.In), turn.Out[0].Text})
	}
	if d := cmp.Diff(m.turns[max(0, len(m.turns)-thread.Recent):], recent, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("recent turns: %s", d)
	}
	if d := cmp.Diff(m.inbox, texts(th.Inbox), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("inbox: %s", d)
	}
	for _, e := range th.Journal {
		if m.journal[step(th.Number(), e.Step)] != e.Data {
			t.Fatalf("journal: %+v, want %v", e, m.journal)
		}
	}
	if n := m.journalled(th.Number()); m.epoch != m.committed+1 && len(th.Journal) != n {
		t.Fatalf("takes over an unfinished turn with %d steps of %d", len(th.Journal), n)
	}
}

func (m *machine) fenced(l *thread.Lease) error {
	if m.leaseBy != l.By {
		return thread.ErrLeaseLost
	}
	return nil
}

func (m *machine) refresh(t *rapid.T) {
	h := m.hand(t, true)
	if m.wants(t, "refresh", m.worker(t).Refresh(t.Context(), h.lease, h.view), m.fenced(h.lease)) {
		if d := cmp.Diff(m.inbox, texts(h.view.Inbox), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("inbox: %s", d)
		}
	}
}

func (m *machine) record(t *rapid.T) {
	h, n := m.hand(t, true), rapid.IntRange(0, 2).Draw(t, "step")
	at, data := step(h.view.Number(), n), m.next("decision ")
	if m.journal[at] == "" {
		m.journal[at] = data
	}
	stands, err := m.worker(t).Record(t.Context(), m.id, h.view.Number(), thread.Entry{Step: n, Kind: "decision", Data: data}, m.effect("journalled"))
	if err != nil || stands.Data != m.journal[at] {
		t.Fatalf("%s: stands %q, want %q, %v", at, stands.Data, m.journal[at], err)
	}
}

func step(turn, n int) string { return fmt.Sprintf("%d/%d", turn, n) }

func (m *machine) journalled(turn int) (n int) {
	for i := range 3 {
		if m.journal[step(turn, i)] != "" {
			n++
		}
	}
	return n
}

// commit is by anybody who ever had the lease, with what they have read then.
func (m *machine) commit(t *rapid.T) {
	h := m.hand(t, true)
	if len(h.view.Inbox) == 0 {
		t.Skip("nothing to answer")
	}
	answered := rapid.IntRange(1, len(h.view.Inbox)).Draw(t, "answered")
	want := m.fenced(h.lease)
	if want == nil && len(h.view.Inbox) != len(m.inbox) {
		want = thread.ErrNewer
	}
	o := thread.Outcome{OptedOut: rapid.Bool().Draw(t, "opted out"), Turn: thread.Turn{
		N: h.view.Number(), In: h.view.Inbox[:answered], Out: []thread.Reply{{Text: m.next("reply ")}}, At: m.clock.now(),
	}}
	if rapid.Bool().Draw(t, "asks") {
		o.Pending = pending(m.next("p"))
	}
	if !m.wants(t, "commit", m.worker(t).Commit(t.Context(), h.lease, h.view, o, m.effect("committed")), want) {
		return
	}
	m.turns = append(m.turns, turned{slices.Clone(m.inbox[:answered]), o.Turn.Out[0].Text})
	m.inbox = m.inbox[answered:]
	m.leaseBy, m.committed, m.optedOut, m.pending = "", m.epoch, o.OptedOut, ""
	if o.Pending != nil {
		m.pending = o.Pending.ID
	}
}

// effect counts what has joined.
func (m *machine) effect(name string) dynamo.Write {
	return m.workers[0].Table.Update(dynamo.Key{PK: m.id, SK: "test#effect#" + name}, "ADD #times :one", dynamo.V{":one": 1})
}

func (m *machine) effects(t *rapid.T, name string) int {
	it, err := m.workers[0].Table.Get(t.Context(), dynamo.Key{PK: m.id, SK: "test#effect#" + name})
	if err != nil {
		t.Fatal(err)
	}
	return int(it.Int("times"))
}

func (m *machine) renew(t *rapid.T) {
	s, h := m.worker(t), m.hand(t, false)
	if m.wants(t, "renew", s.Renew(t.Context(), h.lease), m.fenced(h.lease)) {
		m.until = s.Now().Add(thread.LeaseFor)
	}
}

func (m *machine) release(t *rapid.T) {
	h := m.hand(t, false)
	if m.wants(t, "release", m.worker(t).Release(t.Context(), h.lease), m.fenced(h.lease)) {
		m.leaseBy = ""
	}
}

func (m *machine) tick(t *rapid.T) {
	m.clock.add(time.Duration(rapid.SampledFrom([]int{1, 500, 14_000, 16_000, 70_000}).Draw(t, "ms")) * time.Millisecond)
}

// check holds the stored head to the specification.
func (m *machine) check(t *rapid.T) {
	h, err := m.workers[0].Head(t.Context(), m.id)
	if !m.exists {
		m.wants(t, "head", err, thread.ErrNoThread)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	pending := ""
	if h.Pending != nil {
		pending = h.Pending.ID
	}
	if h.Turns != len(m.turns) || len(h.Inbox) != len(m.inbox) || h.Epoch != m.epoch || h.Committed != m.committed ||
		h.LeaseBy != m.leaseBy || pending != m.pending || h.OptedOut != m.optedOut || (h.State == thread.AwaitingConfirmation) != (pending != "") {
		t.Fatalf("head %+v, want %+v", h, m)
	}
}

// finish lists what was said, looks whether anything was done twice, and has the sweep find
// what waits.
func (m *machine) finish(t *rapid.T) {
	if !m.exists {
		return
	}
	var want []string
	for _, turn := range m.turns {
		want = append(append(want, turn.In...), turn.Out)
	}
	want = slices.DeleteFunc(append(want, m.inbox...), func(s string) bool { return strings.HasPrefix(s, "event") })
	limit := rapid.IntRange(1, 9).Draw(t, "page")
	forth, err := pages("", func(after string) ([]thread.Line, string, error) {
		return m.workers[0].Lines(t.Context(), m.id, after, limit)
	})
	if d := cmp.Diff(want, slices.Concat(forth...), cmpopts.EquateEmpty()); err != nil || d != "" {
		t.Fatalf("listed: %s, %v", d, err)
	}
	back, err := pages(thread.Latest, func(before string) ([]thread.Line, string, error) {
		return m.workers[0].LinesBefore(t.Context(), m.id, before, limit)
	})
	slices.Reverse(back)
	if d := cmp.Diff(want, slices.Concat(back...), cmpopts.EquateEmpty()); err != nil || d != "" {
		t.Fatalf("listed backward: %s, %v", d, err)
	}
	if n := m.effects(t, "committed"); n != len(m.turns) {
		t.Fatalf("%d effects of %d commits", n, len(m.turns))
	}
	if n := m.effects(t, "journalled"); n != len(m.journal) {
		t.Fatalf("%d effects of %d steps", n, len(m.journal))
	}
}

func (m *machine) sweep(t *rapid.T) {
	m.clock.add(2 * time.Minute)
	queued := false
	if _, err := m.worker(t).Sweep(t.Context(), 10_000, func(_ context.Context, id string) error {
		queued = queued || id == m.id
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if queued != (m.exists && len(m.inbox) > 0) {
		t.Fatalf("swept: queued %v, %d wait", queued, len(m.inbox))
	}
}

func texts(ms []thread.Message) []string {
	var all []string
	for _, m := range ms {
		if m.Notice != nil {
			m.Text = m.Notice.Text
		}
		all = append(all, m.Text)
	}
	return all
}

// TestField05_AnyOrderOfWorkers lets workers whose clocks differ by up to two seconds
// append, repeat, take, lose and come back late in any order, and holds the thread to what
// it should be after each step: messages once and in order, no write of a lease that was
// lost, what the first has journalled.
func TestField05_AnyOrderOfWorkers(t *testing.T) {
	t.Parallel()
	table := dynamotest.OwnTable(t, "conversations")
	tried, most, met := 0, seedtest.Times(t, 20), faulttest.Tally{}
	seedtest.Check(t, func(rt *rapid.T) {
		if tried == most {
			return
		}
		m := newMachine(t)
		m.met = met
		for _, s := range m.workers {
			s.Table = s.Table.DB().Table(table)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"":       m.check,
			"append": m.append, "append too": m.append, "notify": m.notify, "take": m.take, "open": m.open, "open too": m.open,
			"refresh": m.refresh, "record": m.record, "commit": m.commit, "commit too": m.commit,
			"renew": m.renew, "release": m.release, "tick": m.tick,
		})
		m.finish(rt)
		if tried++; tried%8 == 0 {
			m.sweep(rt)
		}
	})
	met.Want(t, "repeat", "take: "+thread.ErrBusy.Error(), "open: "+thread.ErrLeaseLost.Error(), "commit: "+thread.ErrLeaseLost.Error(), "commit: "+thread.ErrNewer.Error())
	faulttest.Tried(t, tried)
}

// TestField04_WorkersAtOnce has workers append, repeat and run turns at the same time: all
// messages are answered once, those of each sender in order, in turns that follow one
// another.
func TestField04_WorkersAtOnce(t *testing.T) {
	t.Parallel()
	seedtest.Of(t)
	rounds := seedtest.Times(t, 3)
	for range rounds {
		m := newMachine(t)
		var wg sync.WaitGroup
		for n, s := range m.workers {
			wg.Go(func() {
				for i := range 5 {
					for range 2 { // each comes twice
						a, err := s.Append(t.Context(), message(m.who, fmt.Sprintf("%d-%d", n, i), fmt.Sprintf("%d %d", n, i)), true)
						if err != nil {
							t.Error(err)
							return
						}
						m.answer(t, s, a.Lease)
					}
				}
			})
		}
		wg.Wait()
		m.answer(t, m.workers[0], nil)
		m.answeredInOrder(t, len(m.workers), 5)
	}
	faulttest.Tried(t, rounds*40)
}

// answer runs turns until nothing waits or somebody else runs them.
func (m *machine) answer(t *testing.T, s *thread.Store, l *thread.Lease) {
	for {
		var err error
		if l == nil {
			l, _, err = s.Take(t.Context(), m.id)
		}
		if errors.Is(err, thread.ErrBusy) || errors.Is(err, thread.ErrNothing) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		th, err := s.Open(t.Context(), l)
		for err == nil {
			o := thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, At: s.Now()}}
			if err = s.Commit(t.Context(), l, th, o); !errors.Is(err, thread.ErrNewer) {
				break
			}
			err = s.Refresh(t.Context(), l, th)
		}
		if err != nil {
			t.Error(err)
			return
		}
		l = nil
	}
}

func (m *machine) answeredInOrder(t *testing.T, senders, each int) {
	t.Helper()
	page, err := m.workers[0].Table.Query(t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :turn)", Values: dynamo.V{":pk": m.id, ":turn": "turn#"},
	})
	if err != nil {
		t.Fatal(err)
	}
	last := map[int]int{}
	total := 0
	for i, it := range page.Items {
		var turn thread.Turn
		if err := it.Decode(&turn); err != nil || turn.N != i+1 {
			t.Errorf("turn %d is the %d., %v", turn.N, i+1, err)
		}
		for _, in := range turn.In {
			var sender, n int
			if _, err := fmt.Sscan(in.Text, &sender, &n); err != nil || last[sender] != n {
				t.Errorf("turn %d: %q, of that sender %d came before", turn.N, in.Text, last[sender])
			}
			last[sender]++
			total++
		}
	}
	if total != senders*each {
		t.Errorf("%d messages were answered, want %d", total, senders*each)
	}
}
