package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The specification of the ledger, as if one operation happened at a time. What a
// transaction is, what each operation wants and does, and what it may say instead.

// world is all that there is: transactions, who has which token of which slot, and what
// each idempotency key has done.
type world struct {
	capacity int
	txs      map[string]booking
	tokens   map[place]string
	done     map[string]string
}

type place struct{ slot, token int }

type booking struct {
	state  State
	thread string
	slots  []int
	until  time.Time
}

// asked is an operation and when it ran, by the clock of the one who asked: between two
// readings, and so what is over in between may count as over or not.
type asked struct {
	op     op // or read, look, offer
	key    string
	tx     string // of draft and offer: the id that a new one has
	thread string
	slots  []int
	until  time.Time
	shown  bool // of confirm: the YES was to the transaction's offer
	early  time.Time
	late   time.Time
}

const (
	opOffer op = "offer"
	opRead  op = "read"
	opLook  op = "look" // how many tokens of a slot cannot be had
)

// said is its answer. Nobody knows what an operation did whose answer was lost.
type said struct {
	lost    bool
	refusal error
	tx      string
	state   State
	tokens  []int
	count   int
}

// does returns the worlds in which w may be after an operation, if this may be its answer.
func (w world) does(a asked, s said) []world {
	if before, ok := w.done[a.key]; ok && a.key != "" { // the same with the same is the stored result
		return w.unless(!s.lost && fmt.Sprint(s.tx, s.state) != before || s.refusal != nil)
	}
	tx := w.txs[a.tx]
	over, live := !tx.until.After(a.late), tx.until.After(a.early) // may be, both within a reading of the clock
	switch {
	case s.lost:
		return append(w.happens(a, s), w)
	case s.refusal == ErrChanged: // whatever it met meanwhile, it changed nothing
		return []world{w}
	case s.refusal == nil:
		return w.happens(a, s)
	}
	switch a.op {
	case opHold, opOffer:
		return w.unless(!(s.refusal == ErrSlotTaken && w.full(a) ||
			s.refusal == ErrHoldGone && !a.until.After(a.late) ||
			s.refusal == errNotDraft && a.op == opHold && tx.state != Draft && tx.state != Confirmed ||
			s.refusal == errAlreadyConfirmed && tx.state == Confirmed))
	case opConfirm:
		return w.unless(!(s.refusal == ErrHoldGone && (tx.state == Expired || tx.state == Hold && over) ||
			s.refusal == ErrNotHeld && (tx.state == Draft || tx.state == Cancelled) ||
			s.refusal == ErrOfferChanged && !a.shown && tx.state == Hold && live ||
			s.refusal == errAlreadyConfirmed && tx.state == Confirmed))
	case opRelease:
		return w.unless(!(s.refusal == ErrHoldGone && tx.state == Expired ||
			s.refusal == ErrCancelled && tx.state == Cancelled ||
			s.refusal == errAlreadyConfirmed && tx.state == Confirmed)) // what was an offer when it was read
	case opExpire:
		return w.unless(!(s.refusal == errNotDue && tx.state == Hold && live ||
			s.refusal == ErrNotHeld && tx.state != Hold && tx.state != Expired))
	}
	return nil
}

// happens returns the worlds after an operation that does what it is for.
func (w world) happens(a asked, s said) []world {
	tx := w.txs[a.tx]
	over, live := !tx.until.After(a.late), tx.until.After(a.early)
	switch a.op {
	case opDraft: // nothing → draft
		return w.answers(a, s, Draft).with(a.tx, booking{state: Draft, thread: a.thread, slots: a.slots})
	case opHold, opOffer: // draft → hold: its tokens are free, expired or its thread's own
		if a.op == opOffer {
			tx = booking{thread: a.thread, slots: a.slots}
		} else if tx.state != Draft {
			return nil
		}
		tx.state, tx.until = Hold, a.until
		var after []world
		for _, taken := range w.answers(a, s, Hold).takes(a, tx, s.tokens) {
			after = append(after, worlds{taken}.with(a.tx, tx)...)
		}
		return after
	case opConfirm: // hold, not yet over → confirmed, by a YES to its offer
		return w.answers(a, s, Confirmed).unless(tx.state != Hold || !live || !a.shown).becomes(a.tx, Confirmed)
	case opRelease: // draft hold confirmed → cancelled
		return w.answers(a, s, Cancelled).unless(tx.state == Cancelled || tx.state == Expired).becomes(a.tx, Cancelled)
	case opExpire: // hold, over → expired, and it stays so
		if tx.state == Expired {
			return []world{w}
		}
		return w.answers(a, s, Expired).unless(tx.state != Hold || !over).becomes(a.tx, Expired)
	case opRead:
		return w.unless(!s.lost && s.state != tx.state)
	case opLook:
		least, most := w.live(a.slots[0], a.late), w.live(a.slots[0], a.early)
		return w.unless(!s.lost && (s.count < least || s.count > most))
	}
	return nil
}

// live counts the tokens of a slot that are confirmed, or held and not over at a time.
func (w world) live(slot int, at time.Time) int {
	n := 0
	for p, id := range w.tokens {
		if tx := w.txs[id]; p.slot == slot && (tx.state == Confirmed || tx.until.After(at)) {
			n++
		}
	}
	return n
}

// full reports whether a slot may have no token that can be had.
func (w world) full(a asked) bool {
	slots, thread := a.slots, a.thread
	if tx, ok := w.txs[a.tx]; ok {
		slots, thread = tx.slots, tx.thread
	}
	return slices.ContainsFunc(slots, func(slot int) bool {
		n := 0
		for p, id := range w.tokens {
			if tx := w.txs[id]; p.slot == slot && (tx.state == Confirmed || tx.thread != thread && tx.until.After(a.early)) {
				n++
			}
		}
		return n >= w.capacity
	})
}

// worlds are those in which the world may be.
type worlds []world

// takes takes a token of every slot, those that the answer tells or, where it is lost, any.
// Whoever had one ends: expired when its time is over, else replaced by its own thread.
func (ws worlds) takes(a asked, tx booking, tokens []int) worlds {
	for i, slot := range tx.slots {
		var after worlds
		for _, w := range ws {
			for token := range w.capacity {
				if tokens != nil && tokens[i] != token {
					continue
				}
				at := place{slot, token}
				id, had := w.tokens[at]
				before := w.txs[id]
				held := had && before.state == Hold
				switch {
				case !had, id == a.tx:
					after = append(after, w.gives(at, a.tx))
				case held && before.thread == tx.thread && before.until.After(a.early):
					after = append(after, worlds{w}.becomes(id, Cancelled)[0].gives(at, a.tx))
				}
				if held && !before.until.After(a.late) {
					after = append(after, worlds{w}.becomes(id, Expired)[0].gives(at, a.tx))
				}
			}
		}
		ws = after
	}
	return ws
}

func (w world) gives(at place, id string) world {
	w.tokens = maps.Clone(w.tokens)
	w.tokens[at] = id
	return w
}

// answers remembers what the key has done: the answer must tell the transaction and its
// new state.
func (w world) answers(a asked, s said, state State) worlds {
	if !s.lost && (s.tx != a.tx || s.state != state) {
		return nil
	}
	if a.key != "" {
		w.done = maps.Clone(w.done)
		w.done[a.key] = fmt.Sprint(a.tx, state)
	}
	return worlds{w}
}

func (w world) unless(wrong bool) worlds { return worlds{w}.unless(wrong) }

func (ws worlds) unless(wrong bool) worlds {
	if wrong {
		return nil
	}
	return ws
}

func (ws worlds) with(id string, tx booking) worlds {
	ws = slices.Clone(ws)
	for i := range ws {
		ws[i].txs = maps.Clone(ws[i].txs)
		ws[i].txs[id] = tx
	}
	return ws
}

// becomes changes a state; who is neither held nor confirmed has no tokens.
func (ws worlds) becomes(id string, state State) worlds {
	after := make(worlds, len(ws))
	for i, w := range ws {
		tx := w.txs[id]
		tx.state = state
		after[i] = worlds{w}.with(id, tx)[0]
		if state != Confirmed {
			after[i].tokens = maps.Clone(w.tokens)
			maps.DeleteFunc(after[i].tokens, func(_ place, had string) bool { return had == id })
		}
	}
	return after
}

// String is equal for equal worlds.
func (w world) String() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(w.txs)) {
		fmt.Fprint(&b, id, w.txs[id].state, w.txs[id].until.UnixMilli(), " ")
	}
	fmt.Fprint(&b, w.tokens, len(w.done), w.done)
	return b.String()
}
