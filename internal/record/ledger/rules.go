package ledger

import (
	"errors"
	"slices"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// op is one of the seven operations. They are all there is to a transaction's life:
//
//	draft    nothing              → draft       (an offer is a draft that is held at once)
//	hold     draft                → hold        its locks are free, expired, its thread's own or of the booking that it replaces
//	confirm  hold, not yet over   → confirmed   its locks are its own and held, or still confirmed by the booking that it replaces
//	release  draft hold confirmed → cancelled   its locks go, but those that what replaces it has
//	expire   hold, over           → expired     its locks go
//	mark     confirmed, begun     → no_show     its locks stay
//	takeBack no_show, lately      → confirmed   its locks stay; it cannot be marked again
//
// A hold is over at HoldExpiresAt. The gate takes no YES in the last 30 seconds before that
// ([merve/internal/spine/gate.AnswerBy]), so that one which it took has time to be committed; confirm itself
// holds until the end.
type op string

const (
	opDraft    op = "draft"
	opHold     op = "hold"
	opConfirm  op = "confirm"
	opRelease  op = "release"
	opExpire   op = "expire"
	opMark     op = "noshow"
	opTakeBack op = "came"
)

func (o op) to() State {
	return map[op]State{opDraft: Draft, opHold: Hold, opConfirm: Confirmed, opRelease: Cancelled, opExpire: Expired, opMark: NoShow, opTakeBack: Confirmed}[o]
}

// tells is the type of its event: the new state, but for a second way into the same one.
func (o op) tells() State {
	if o == opTakeBack {
		return Came
	}
	return o.to()
}

// check says whether tx allows the operation at now, and if not, why.
func (o op) check(tx Transaction, now time.Time) error {
	over := !tx.HoldExpiresAt.After(now)
	switch {
	case o == opMark:
		return tx.MayMark(now)
	case o == opTakeBack:
		return tx.MayTakeBack(now)
	case o == opHold && tx.State == Draft,
		o == opConfirm && tx.State == Hold && !over,
		o == opRelease && (tx.State == Draft || tx.State == Hold || tx.State == Confirmed),
		o == opExpire && tx.State == Hold && over:
		return nil
	case tx.State == Confirmed && o != opExpire, tx.State == NoShow && o == opConfirm:
		return &AlreadyConfirmed{tx}
	case tx.State == NoShow && o == opRelease:
		return ErrNoShow
	case o == opHold:
		return ErrNotDraft
	case o == opExpire && tx.State == Hold:
		return ErrNotDue
	case o == opExpire:
		return ErrNotHeld
	case tx.State == Expired, tx.State == Hold:
		return ErrHoldGone
	case o == opRelease:
		return ErrCancelled
	}
	return ErrNotHeld
}

// guard is check as a condition on the stored transaction, which must also be the very
// version that was read.
func (o op) guard(w dynamo.Write, read Transaction, now time.Time) dynamo.Write {
	if o == opDraft {
		return w.IfAbsent().Else(ErrChanged)
	}
	w = w.If("#state = :from AND version = :version", dynamo.V{":from": read.State, ":version": read.Version})
	switch o {
	case opConfirm:
		w = w.If("holdExpiresAt > :now", dynamo.V{":now": now})
	case opExpire:
		w = w.If("holdExpiresAt <= :now", dynamo.V{":now": now})
	}
	return w.ElseOld(func(old dynamo.Item) error {
		if old == nil {
			return actor.ErrNotFound
		}
		var tx Transaction
		if err := old.Decode(&tx); err != nil {
			return err
		}
		if err := o.check(tx, now); err != nil {
			return err
		}
		if tx.State == Confirmed && read.State != Confirmed { // an offer was to be let go
			return &AlreadyConfirmed{tx}
		}
		return ErrChanged
	})
}

// The conditions on a lock. A lock is held until a time, or confirmed.

func (l *Ledger) takeFree(k lockKey, v lock) dynamo.Write {
	return l.Table.Put(k.item(), v).IfAbsent().Else(errTokenLost)
}

func (l *Ledger) takeExpired(k lockKey, v lock, old string, now time.Time) dynamo.Write {
	return l.Table.Put(k.item(), v).
		If("tx = :old AND #state = :held AND #until <= :now", dynamo.V{":old": old, ":held": lockHeld, ":now": now}).Else(errTokenLost)
}

func (l *Ledger) takeOwn(k lockKey, v lock, old string) dynamo.Write {
	return l.Table.Put(k.item(), v).
		If("tx = :old AND #state = :held", dynamo.V{":old": old, ":held": lockHeld}).Else(errTokenLost)
}

func (l *Ledger) confirmLock(k lockKey, tx string) dynamo.Write {
	return l.Table.Update(k.item(), "SET #state = :confirmed REMOVE #until", dynamo.V{":confirmed": lockConfirmed}).
		If("tx = :tx AND #state = :held", dynamo.V{":tx": tx, ":held": lockHeld}).Else(ErrSlotTaken)
}

// inheritLock has a lock change hands from the booking that is given up for tx.
func (l *Ledger) inheritLock(k lockKey, tx Transaction) dynamo.Write {
	ends := tx.slotEnd(slices.IndexFunc(tx.Slots, k.slot.Equal))
	return l.Table.Update(k.item(), "SET tx = :tx, #ends = :ends", dynamo.V{":tx": tx.ID, ":ends": ends}).
		If("tx = :old AND #state = :confirmed", dynamo.V{":old": tx.Replaces, ":confirmed": lockConfirmed}).Else(ErrSlotTaken)
}

// A lock is deleted here and nowhere else, and only in the name of the transaction that has it. Long after
// its slot its ttl takes it away (see [lock]).

// deleteLock deletes a lock of a transaction with the operation that ends it. A lock that has gone
// before is no reason not to end it.
func (l *Ledger) deleteLock(k lockKey, tx string) dynamo.Write {
	return l.Table.Delete(k.item()).
		If("attribute_not_exists(pk) OR tx = :tx", dynamo.V{":tx": tx}).Else(ErrSlotTaken)
}

// deleteOrphan deletes a lock, as it was read, that its transaction does not count on.
func (l *Ledger) deleteOrphan(k lock) dynamo.Write {
	return l.Table.Delete(k.key.item()).
		If("tx = :tx", dynamo.V{":tx": k.Tx}).Else(errNoOrphan)
}

// errNoOrphan means that a lock has gone or changed hands since it was read.
var errNoOrphan = errors.New("no orphan any more")

// change is an operation about to be written.
type change struct {
	op      op
	key     string      // idempotency: the operation's full key
	payload string      // and the hash of what was asked
	read    Transaction // as it was read; zero for a draft
	after   Transaction
	locks   []dynamo.Write // and what else goes with it
	event   Event
	now     time.Time
	draft   *change // of an offer: is written with it, under this change's key
}

// writes are the one transaction of an operation. What says that it was done comes first,
// the record of a draft's key or else the event: of several conditions that fail, the
// first one names the error.
func (l *Ledger) writes(c change) []dynamo.Write {
	put := l.Table.Put(txKey(c.after.ID), itemOf(c.after))
	switch {
	case c.op == opDraft:
		return []dynamo.Write{l.once(c), opDraft.guard(put, c.read, c.now), l.happened(c)}
	case c.draft != nil:
		ws := []dynamo.Write{l.once(c), opDraft.guard(put, c.read, c.now), l.happened(*c.draft), l.happened(c)}
		return append(ws, c.locks...)
	}
	return slices.Concat([]dynamo.Write{l.happened(c), c.op.guard(put, c.read, c.now)}, c.locks, l.rows(c))
}

// happened writes the event of an operation, which exists once. It is what a repeat finds.
func (l *Ledger) happened(c change) dynamo.Write {
	e := c.event
	e.ID, e.Type, e.From, e.At = string(c.op.tells()), c.op.tells(), c.read.State, c.now
	e.Transaction, e.Key, e.Payload = c.after, c.key, c.payload
	e.Transaction.Bounds = nil // of no use to whoever is told
	return Events.Put(l.Table, eventKey(c.after.ID, e.ID), e).IfAbsent().ElseOld(func(old dynamo.Item) error {
		if old == nil {
			return ErrChanged
		}
		return repeatOf(old, c)
	})
}

// next is tx after the operation.
func (o op) next(tx Transaction, now time.Time) Transaction {
	tx.State, tx.UpdatedAt = o.to(), now
	tx.Version++
	if o == opRelease || o == opExpire {
		tx.Bounds = nil
	}
	return tx
}

// txItem is a transaction as stored.
type txItem struct {
	Transaction
	Created  string    `dynamodbav:"created,omitempty"` // puts it into the indexes owner and business
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
	TTL      int64     `dynamodbav:"ttl,omitempty"`
}

const (
	dueHold  = "hold"
	dueAudit = "audit"

	auditAfter = time.Minute        // what a change leaves behind is looked at when it has settled
	draftFor   = 7 * 24 * time.Hour // a draft that was never held is nobody's booking and goes
)

func itemOf(tx Transaction) txItem {
	it := txItem{Transaction: tx}
	if tx.HoldExpiresAt.IsZero() { // never held
		it.TTL = tx.CreatedAt.Add(draftFor).Unix()
		return it
	}
	it.Created = dynamo.Stamp(tx.CreatedAt) + "#" + tx.ID
	if it.DueShard, it.DueAt = dynamo.DueShard(dueAudit, tx.ID), tx.UpdatedAt.Add(auditAfter); tx.State == Hold {
		it.DueShard, it.DueAt = dynamo.DueShard(dueHold, tx.ID), tx.HoldExpiresAt
	}
	return it
}
