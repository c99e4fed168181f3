package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/event"
)

// specification is the world for the checker.
func specification(capacity int) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any {
			return []any{world{capacity: capacity, txs: map[string]booking{}, tokens: map[place]string{}, done: map[string]string{}}}
		},
		Step: func(state, input, output any) []any {
			var after []any
			for _, w := range state.(world).does(input.(asked), output.(said)) {
				after = append(after, w)
			}
			return after
		},
		Equal:             func(a, b any) bool { return a.(world).String() == b.(world).String() },
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
	}
	return m.ToModel()
}

// shape is how many clients do how much with how few slots.
type shape struct {
	clients, each   int // operations
	slots, capacity int
	losing          int // answers are lost once in so many requests; 0 is never
}

// crowd are clients with clocks of their own, who book the same few slots.
type crowd struct {
	*corner
	shape
	wire func(next http.RoundTripper) http.RoundTripper // breaks a rule on the way; nil breaks none
	lazy bool                                           // confirms without looking at the time

	begun time.Time
	mu    sync.Mutex
	known []Transaction // whose answers have come
	did   []porcupine.Operation
}

// client is one of the crowd.
type client struct {
	*crowd
	n     int
	rnd   *rand.Rand
	skew  time.Duration
	l     *Ledger
	calls *faulttest.Calls
	ids   string   // of the next transaction
	past  []func() // to ask again
}

// run has everybody do something, and returns the history.
func (c *crowd) run(rnd *rand.Rand) []porcupine.Operation {
	c.begun = time.Now()
	var wg sync.WaitGroup
	for n := range c.clients {
		k := c.client(n, rand.New(rand.NewPCG(rnd.Uint64(), rnd.Uint64())))
		wg.Go(func() {
			for range c.each {
				k.something()
			}
		})
	}
	wg.Wait()
	return c.did
}

func (c *crowd) client(n int, rnd *rand.Rand) *client {
	k := &client{crowd: c, n: n, rnd: rnd, skew: time.Duration(rnd.IntN(2001)-1000) * time.Millisecond}
	var at []faulttest.At
	for i := range c.each * 4 {
		if c.losing > 0 && rnd.IntN(c.losing) == 0 {
			at = append(at, faulttest.At{N: i + 1, Fault: []faulttest.Fault{faulttest.AnswerLost, faulttest.CallLost, faulttest.DiesAfter, faulttest.ErrorAfter, faulttest.Conflict}[rnd.IntN(5)]})
		}
	}
	k.calls = faulttest.With(at...)
	k.calls.Next = c.aside()
	var way http.RoundTripper = k.calls
	if c.wire != nil {
		way = c.wire(way)
	}
	k.l = c.over(way, 1)
	k.l.Now, k.l.NewID, k.l.Rand = k.now, func() string { return k.ids }, rnd.IntN
	return k
}

func (k *client) now() time.Time { return k.clock.Now().Add(k.skew) }

// something is a random operation, or an earlier one once more.
func (k *client) something() {
	k.clock.Add(time.Duration(k.rnd.IntN(500)) * time.Millisecond)
	if len(k.past) > 0 && k.rnd.IntN(8) == 0 {
		k.past[k.rnd.IntN(len(k.past))]()
		return
	}
	tx, any := k.any()
	key := fmt.Sprint(k.n, "-", len(k.past))
	var do func()
	switch what := k.rnd.IntN(20); {
	case what < 2:
		do = k.draft(key)
	case what < 7 || !any:
		do = k.offer(key)
	case what < 9:
		do = k.hold(tx, key)
	case what < 12:
		do = k.confirm(tx, key)
	case what < 14:
		do = k.release(tx, key)
	case what < 16:
		do = k.expire(tx)
	case what < 18:
		do = k.read(tx)
	default:
		do = k.look()
	}
	k.past = append(k.past, do)
	do()
}

// any is a transaction that is known, rather a new one than an old one.
func (k *client) any() (Transaction, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) == 0 {
		return Transaction{}, false
	}
	last := min(len(k.known), 6)
	return k.known[len(k.known)-1-k.rnd.IntN(last)], true
}

// ask does an operation and notes it, with what its clock read meanwhile: open-ended when its answer
// was lost.
func (k *client) ask(a asked, f func() (said, Transaction, error)) {
	call := time.Since(k.begun)
	a.early = stored(k.l.Now())
	s, tx, err := f()
	back := time.Since(k.begun)
	a.late = stored(k.l.Now())
	if err != nil {
		s = said{lost: true, refusal: nil}
		for _, known := range []error{ErrHoldGone, ErrNotHeld, errNotDraft, errAlreadyConfirmed, ErrCancelled, errNotDue, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrChanged} {
			if errors.Is(err, known) {
				s = said{refusal: known}
			}
		}
	}
	if k.calls.Dead() {
		k.calls.Restart()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.lost {
		back = time.Hour
	} else if s.refusal == nil && tx.ID != "" {
		k.known = append(k.known, tx)
	}
	k.did = append(k.did, porcupine.Operation{ClientId: k.n, Input: a, Output: s, Call: int64(call), Return: int64(back)})
}

// change asks for one of the ledger's operations.
func (k *client) change(a asked, f func() (Transaction, error)) {
	k.ask(a, func() (said, Transaction, error) {
		tx, err := f()
		s := said{tx: tx.ID, state: tx.State}
		keys, bad := locksOf(tx)
		for _, l := range keys {
			s.tokens = append(s.tokens, l.token)
		}
		return s, tx, errors.Join(err, bad)
	})
}

// terms of one or two slots, on the thread of the client.
func (k *client) wish() (Terms, []int) {
	first := k.rnd.IntN(k.slots)
	slots := []int{first}
	if first+1 < k.slots && k.rnd.IntN(3) == 0 {
		slots = append(slots, first+1)
	}
	t := k.terms(24 + first)
	t.Slots = nil
	for _, s := range slots {
		t.Slots = append(t.Slots, noon.Add(time.Duration(24+s)*time.Hour))
	}
	t.Thread, t.End = fmt.Sprint("th-", k.n), t.Slots[len(t.Slots)-1].Add(time.Hour)
	return t, slots
}

func (k *client) fresh(key string) string {
	k.ids = fmt.Sprint(k.business, "-", key, "-", k.rnd.Uint32())
	return k.ids
}

func (k *client) draft(key string) func() {
	t, slots := k.wish()
	return func() {
		a := asked{op: opDraft, key: "draft" + key, tx: k.fresh(key), thread: t.Thread, slots: slots}
		k.change(a, func() (Transaction, error) { return k.l.Draft(context.Background(), t, key) })
	}
}

func (k *client) offer(key string) func() {
	t, slots := k.wish()
	length := time.Duration(1000+k.rnd.IntN(3000)) * time.Millisecond
	return func() {
		a := asked{op: opOffer, key: "draft" + key, tx: k.fresh(key), thread: t.Thread, slots: slots}
		// Its end is counted from a reading of the clock that only the ledger knows: stop it.
		stopped := k.now()
		a.until = stored(stopped.Add(length))
		k.l.Now = func() time.Time { return stopped }
		k.change(a, func() (Transaction, error) { return k.l.Offer(context.Background(), t, k.capacity, length, key) })
		k.l.Now = k.now
	}
}

func (k *client) hold(tx Transaction, key string) func() {
	until := stored(k.now().Add(time.Duration(1000+k.rnd.IntN(3000)) * time.Millisecond))
	return func() {
		a := asked{op: opHold, key: tx.ID + "hold" + key, tx: tx.ID, until: until}
		k.change(a, func() (Transaction, error) { return k.l.Hold(context.Background(), tx.ID, k.capacity, until, key) })
	}
}

func (k *client) confirm(tx Transaction, key string) func() {
	return func() {
		l := k.l
		if k.lazy {
			early := *k.l
			early.Now = func() time.Time { return noon.AddDate(-1, 0, 0) }
			l = &early
		}
		k.change(asked{op: opConfirm, key: tx.ID + "confirm" + key, tx: tx.ID, shown: tx.OfferHash != ""}, func() (Transaction, error) {
			return l.Confirm(context.Background(), k.owner, tx.ID, receiptFor(tx), key)
		})
	}
}

func (k *client) release(tx Transaction, key string) func() {
	return func() {
		k.change(asked{op: opRelease, key: tx.ID + "release" + key, tx: tx.ID}, func() (Transaction, error) {
			return k.l.Release(context.Background(), k.owner, tx.ID, "why", key)
		})
	}
}

func (k *client) expire(tx Transaction) func() {
	return func() {
		k.change(asked{op: opExpire, tx: tx.ID}, func() (Transaction, error) { return k.l.Expire(context.Background(), tx.ID) })
	}
}

func (k *client) read(tx Transaction) func() {
	return func() {
		k.change(asked{op: opRead, tx: tx.ID}, func() (Transaction, error) { return k.l.Get(context.Background(), k.owner, tx.ID) })
	}
}

func (k *client) look() func() {
	slot := k.rnd.IntN(k.slots)
	return func() {
		k.ask(asked{op: opLook, slots: []int{slot}}, func() (said, Transaction, error) {
			at := noon.Add(time.Duration(24+slot) * time.Hour)
			taken, err := k.l.Taken(context.Background(), k.business, "table", at, at, k.now())
			return said{count: count(taken, at)}, Transaction{}, err
		})
	}
}

// unsound says what is wrong with what is stored in the end: events that do not lead from
// one state to the next, once each, and locks that are not their transactions'.
func (c *crowd) unsound() string {
	ctx := context.Background()
	locks := c.locks(noon.Add(24 * time.Hour))
	for _, op := range c.did {
		h, err := c.reader().history(ctx, op.Input.(asked).tx)
		if err != nil {
			continue // it never was
		}
		tx, before := h.Transaction, State("")
		for i, e := range h.Events {
			if e.From != before || e.Transaction.Version != i+1 {
				return fmt.Sprintf("%s: event %d is %s from %s, version %d", tx.ID, i, e.Type, e.From, e.Transaction.Version)
			}
			before = e.Type
		}
		has := len(slices.DeleteFunc(slices.Clone(locks), func(k lock) bool { return k.Tx != tx.ID }))
		want := map[State]int{Hold: len(tx.Slots), Confirmed: len(tx.Slots)}[tx.State]
		if before != tx.State || has != want {
			return fmt.Sprintf("%s is %s after %s with %d of %d locks", tx.ID, tx.State, before, has, want)
		}
	}
	return ""
}

// wrong runs a crowd and says what is wrong with its history.
func (c *crowd) wrong(rnd *rand.Rand) string {
	history := c.run(rnd)
	if why := c.unsound(); why != "" {
		return why
	}
	switch porcupine.CheckOperationsTimeout(specification(c.capacity), history, time.Minute) {
	case porcupine.Illegal:
		return "no order of the operations gives these answers"
	case porcupine.Unknown:
		return "no order found within a minute"
	}
	return ""
}

// Clients whose clocks are off by up to a second book the same slots, and lose answers: what
// they are told could have happened one after the other. An operation takes a few milliseconds of
// the store, the whole short form some seconds: it has 2,400 of them, with TIMES=5 a hundred
// thousand.
func TestField12_HistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	for _, sh := range []shape{
		{clients: 4, each: 10, slots: 1, capacity: 1},
		{clients: 4, each: 10, slots: 1, capacity: 1, losing: 20},
		{clients: 4, each: 10, slots: 1, capacity: 3, losing: 40},
		{clients: 4, each: 10, slots: 4, capacity: 1, losing: 30},
		{clients: 4, each: 10, slots: 4, capacity: 2, losing: 40},
		{clients: 8, each: 5, slots: 2, capacity: 2},
	} {
		t.Run(fmt.Sprintf("%d clients, %d slots, capacity %d, losing %d", sh.clients, sh.slots, sh.capacity, sh.losing), func(t *testing.T) {
			t.Parallel()
			rnd, n := seedtest.Rand(t), seedtest.Tries(t, 10, 84)
			for i := range n {
				c := &crowd{corner: newCorner(t), shape: sh}
				if why := c.wrong(rnd); why != "" {
					t.Fatalf("history %d: %s\n%s", i, why, c.told())
				}
			}
			faulttest.Tried(t, n*sh.clients*sh.each)
		})
	}
}

// told are the operations in the order in which they were asked for.
func (c *crowd) told() string {
	slices.SortFunc(c.did, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, op := range c.did {
		a, s := op.Input.(asked), op.Output.(said)
		fmt.Fprintf(&b, "%7d-%7d %d %s %s %s %v until %s, at %s-%s: %+v\n", op.Call/1000, op.Return/1000, op.ClientId, a.op,
			strings.TrimPrefix(a.tx, c.business), strings.TrimPrefix(a.key, c.business), a.slots,
			a.until.Format("05.000"), a.early.Format("05.000"), a.late.Format("05.000"), s)
	}
	return b.String()
}

// without is a wire on which conditions get lost: those of the writes on items that drop tells.
func without(next http.RoundTripper, drop func(kind, pk, sk string) bool) http.RoundTripper {
	return dynamotest.Look{Next: next, See: func(_ string, body []byte) ([]byte, error) {
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			return nil, err
		}
		writes, _ := request["TransactItems"].([]any)
		for _, it := range writes {
			for kind, write := range it.(map[string]any) {
				forget(kind, write.(map[string]any), drop)
			}
		}
		return json.Marshal(request)
	}}
}

func forget(kind string, write map[string]any, drop func(kind, pk, sk string) bool) {
	item, _ := write["Item"].(map[string]any)
	if item == nil {
		item, _ = write["Key"].(map[string]any)
	}
	text := func(name string) string { return fmt.Sprint(item[name].(map[string]any)["S"]) }
	if write["ConditionExpression"] == nil || !drop(kind, text("pk"), text("sk")) {
		return
	}
	delete(write, "ConditionExpression")
	update := fmt.Sprint(write["UpdateExpression"])
	for _, used := range []string{"ExpressionAttributeValues", "ExpressionAttributeNames"} {
		names, _ := write[used].(map[string]any)
		for name := range names {
			if !strings.Contains(update, name) {
				delete(names, name)
			}
		}
		if len(names) == 0 {
			delete(write, used)
		}
	}
}

// A ledger that has forgotten one of its rules is found out each time. A rule that stands
// behind another one is forgotten with it.
func TestField12_AForgottenRuleIsFoundOut(t *testing.T) {
	t.Parallel()
	lockOf := func(kind string) func(string, string, string) bool {
		return func(k, _, sk string) bool { return k == kind && strings.Contains(sk, ":token:") }
	}
	state := func(kind, _, sk string) bool { return sk == "tx" }
	for _, tt := range []struct {
		rule string
		lazy bool
		drop func(kind, pk, sk string) bool
	}{
		{rule: "a token is taken from nobody", drop: lockOf("Put")},
		{rule: "a state changes from the one that was read", drop: state},
		{rule: "a hold that is over is not confirmed", lazy: true},
		{rule: "an event happens once, in a state that was read", drop: func(k, pk, sk string) bool {
			return state(k, pk, sk) || strings.HasPrefix(sk, event.Prefix) || sk == receiptSK
		}},
		{rule: "a token is confirmed by its own, in a state that was read", drop: func(k, pk, sk string) bool {
			return state(k, pk, sk) || lockOf("Update")(k, pk, sk)
		}},
		{rule: "a token is let go by its own, in a state that was read", drop: func(k, pk, sk string) bool {
			return state(k, pk, sk) || lockOf("Delete")(k, pk, sk)
		}},
		{rule: "a key is used once", drop: func(_, pk, _ string) bool { return strings.HasPrefix(pk, "idem#") }},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			rnd := seedtest.Rand(t)
			const most = 60
			for n := 1; n <= most; n++ {
				c := &crowd{corner: newCorner(t), shape: shape{clients: 8, each: 10, slots: 1, capacity: 1}, lazy: tt.lazy}
				if tt.drop != nil {
					c.wire = func(next http.RoundTripper) http.RoundTripper { return without(next, tt.drop) }
				}
				if why := c.wrong(rnd); why != "" {
					t.Logf("found out by history %d: %s", n, why)
					faulttest.Tried(t, n)
					return
				}
			}
			t.Errorf("%d histories, and nobody noticed", most)
		})
	}
}
