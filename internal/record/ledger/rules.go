package ledger

import (
	"errors"
	"slices"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// op is one of the seven operations. An offer is a draft that is held at once; a move confirms one transaction
// and releases the other.
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

// rules are a transaction's whole life: what each operation does to a transaction in each state, and the error
// when it does nothing. Exactly one line is true at any moment. [op.check] judges by these lines what was read,
// and [op.guard] makes the conditions of them under which DynamoDB writes.
//
// The locks follow: a hold takes those that are free, expired, its thread's own or of the booking that it replaces;
// a confirmation keeps them; a release or an expiry deletes them, except what the replacing booking inherits; a mark
// and its retraction leave them alone.
//
// The gate takes no YES in the last 30 seconds of a hold ([merve/internal/spine/gate.AnswerBy]), so that one which
// it took can still be committed. A confirmation holds until the end.
//
// A line has the operation, the state before, the conditions, the state after, and the error.
var rules = []rule{
	{opDraft, none, nil, Draft, nil},

	{opHold, Draft, nil, Hold, nil},
	{opHold, Hold, nil, none, errNotDraft},
	{opHold, Confirmed, nil, none, errAlreadyConfirmed},
	{opHold, Cancelled, nil, none, errNotDraft},
	{opHold, Expired, nil, none, errNotDraft},
	{opHold, NoShow, nil, none, errNotDraft},

	{opConfirm, Draft, nil, none, ErrNotHeld},
	{opConfirm, Hold, all{live}, Confirmed, nil},
	{opConfirm, Hold, all{over}, none, ErrHoldGone},
	{opConfirm, Confirmed, nil, none, errAlreadyConfirmed},
	{opConfirm, Cancelled, nil, none, ErrNotHeld},
	{opConfirm, Expired, nil, none, ErrHoldGone},
	{opConfirm, NoShow, nil, none, errAlreadyConfirmed},

	{opRelease, Draft, nil, Cancelled, nil},
	{opRelease, Hold, nil, Cancelled, nil},
	{opRelease, Confirmed, nil, Cancelled, nil},
	{opRelease, Cancelled, nil, none, ErrCancelled},
	{opRelease, Expired, nil, none, ErrHoldGone},
	{opRelease, NoShow, nil, none, ErrNoShow},

	{opExpire, Draft, nil, none, ErrNotHeld},
	{opExpire, Hold, all{live}, none, errNotDue},
	{opExpire, Hold, all{over}, Expired, nil},
	{opExpire, Confirmed, nil, none, ErrNotHeld},
	{opExpire, Cancelled, nil, none, ErrNotHeld},
	{opExpire, Expired, nil, none, ErrNotHeld},
	{opExpire, NoShow, nil, none, ErrNotHeld},

	{opMark, Draft, nil, none, errNotBooked},
	{opMark, Hold, nil, none, errNotBooked},
	{opMark, Confirmed, all{neverMarked, begun, lately}, NoShow, nil},
	{opMark, Confirmed, all{neverMarked, ahead}, none, errNotBegun},
	{opMark, Confirmed, all{neverMarked, begun, longAgo}, none, errMarkedLate},
	{opMark, Confirmed, all{wasMarked}, none, ErrCame},
	{opMark, Cancelled, nil, none, errNotBooked},
	{opMark, Expired, nil, none, errNotBooked},
	{opMark, NoShow, nil, none, ErrNoShow},

	{opTakeBack, Draft, nil, none, errNotNoShow},
	{opTakeBack, Hold, nil, none, errNotNoShow},
	{opTakeBack, Confirmed, all{neverMarked}, none, errNotNoShow},
	{opTakeBack, Confirmed, all{wasMarked}, none, ErrCame},
	{opTakeBack, Cancelled, all{neverMarked}, none, errNotNoShow},
	{opTakeBack, Cancelled, all{wasMarked}, none, ErrCame},
	{opTakeBack, Expired, nil, none, errNotNoShow},
	{opTakeBack, NoShow, all{markedLately}, Confirmed, nil},
	{opTakeBack, NoShow, all{markedLongAgo}, none, errStands},
}

// The conditions of the rules.
var (
	live = clause{holdEndsAt, future, 0}
	over = clause{holdEndsAt, past, 0}

	ahead   = clause{startsAt, future, 0}
	begun   = clause{startsAt, past, 0}
	lately  = clause{endsAt, future, markFor}
	longAgo = clause{endsAt, past, markFor}

	neverMarked   = clause{markedAt, missing, 0}
	wasMarked     = clause{markedAt, present, 0}
	markedLately  = clause{markedAt, future, TakeBackFor}
	markedLongAgo = clause{markedAt, past, TakeBackFor}
)

// The times of a transaction that conditions are about.
var (
	holdEndsAt = moment{"holdExpiresAt", func(tx Transaction) time.Time { return tx.HoldExpiresAt }}
	startsAt   = moment{"start", func(tx Transaction) time.Time { return tx.Start }}
	endsAt     = moment{"end", func(tx Transaction) time.Time { return tx.End }}
	markedAt   = moment{"noShowAt", func(tx Transaction) time.Time { return tx.NoShowAt }}
)

// rule is one line of the table. It allows the operation when it leads to a state, and refuses it with an error when
// it leads to none.
type rule struct {
	op   op
	from State
	when all
	to   State
	err  error
}

// none is no state: the transaction does not exist, or the operation leads nowhere.
const none State = ""

// all are clauses that must hold together.
type all []clause

// clause is a condition on one time of a transaction, which is past or future once the grace has been added to it.
type clause struct {
	moment
	is    tense
	grace time.Duration
}

// moment is a time of a transaction: the attribute for DynamoDB, and the field for the check in Go.
type moment struct {
	attribute string
	field     func(Transaction) time.Time
}

// tense is what a clause wants a time to be.
type tense int

const (
	past tense = iota // now counts as past
	future
	missing
	present
)

// holds reports whether the clause is true of tx at now.
func (c clause) holds(tx Transaction, now time.Time) bool {
	at := c.field(tx)
	switch c.is {
	case missing:
		return at.IsZero()
	case present:
		return !at.IsZero()
	case future:
		return at.Add(c.grace).After(now)
	}
	return !at.Add(c.grace).After(now)
}

// condition is the clause in DynamoDB's language, with its values.
func (c clause) condition(now time.Time) (expr string, vals dynamo.V) {
	at := dynamo.V{":" + c.attribute: now.Add(-c.grace)}
	switch c.is {
	case missing:
		return "attribute_not_exists(#" + c.attribute + ")", nil
	case present:
		return "attribute_exists(#" + c.attribute + ")", nil
	case future:
		return "#" + c.attribute + " > :" + c.attribute, at
	}
	return "#" + c.attribute + " <= :" + c.attribute, at
}

// holds reports whether the rule is the one for tx at now.
func (r rule) holds(tx Transaction, now time.Time) bool {
	return r.from == tx.State && !slices.ContainsFunc(r.when, func(c clause) bool { return !c.holds(tx, now) })
}

// to is the state that the operation leads to.
func (o op) to() State { return o.allowed(none).to }

// tells is the type of the operation's event: the new state, or [Came] where the state is one that it had before.
func (o op) tells() State {
	if o == opTakeBack {
		return Came
	}
	return o.to()
}

// check says whether tx allows the operation at now, and if not, why.
func (o op) check(tx Transaction, now time.Time) error {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.op == o && r.holds(tx, now) })
	switch {
	case i < 0:
		return ErrNotHeld
	case rules[i].err == errAlreadyConfirmed:
		return &AlreadyConfirmed{tx}
	}
	return rules[i].err
}

// allowed is the rule that allows the operation from a state, or else one that allows it from another state.
func (o op) allowed(from State) rule {
	var r rule
	for _, some := range rules {
		if some.op == o && some.to != none && (r.op == "" || some.from == from) {
			r = some
		}
	}
	return r
}

// guard puts the rule as a condition on the stored transaction, which must also be the very version that was read.
// When it fails, the check of what is stored says why.
func (o op) guard(w dynamo.Write, read Transaction, now time.Time) dynamo.Write {
	r := o.allowed(read.State)
	if r.from == none {
		return w.IfAbsent().Else(ErrChanged)
	}
	w = w.If("#state = :from AND version = :version", dynamo.V{":from": r.from, ":version": read.Version})
	for _, c := range r.when {
		expr, vals := c.condition(now)
		w = w.If(expr, vals)
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

func (s slots) takeFree(k lockKey, v lock) dynamo.Write {
	return s.table.Put(k.item(), v).IfAbsent().Else(errTokenLost)
}

func (s slots) takeExpired(k lockKey, v lock, old string, now time.Time) dynamo.Write {
	return s.table.Put(k.item(), v).
		If("tx = :old AND #state = :held AND #until <= :now", dynamo.V{":old": old, ":held": lockHeld, ":now": now}).Else(errTokenLost)
}

func (s slots) takeOwn(k lockKey, v lock, old string) dynamo.Write {
	return s.table.Put(k.item(), v).
		If("tx = :old AND #state = :held", dynamo.V{":old": old, ":held": lockHeld}).Else(errTokenLost)
}

func (s slots) confirmLock(k lockKey, tx string) dynamo.Write {
	return s.table.Update(k.item(), "SET #state = :confirmed REMOVE #until", dynamo.V{":confirmed": lockConfirmed}).
		If("tx = :tx AND #state = :held", dynamo.V{":tx": tx, ":held": lockHeld}).Else(ErrSlotTaken)
}

// inheritLock has a lock change hands from the booking that is given up for tx.
func (s slots) inheritLock(k lockKey, tx Transaction) dynamo.Write {
	ends := tx.slotEnd(slices.IndexFunc(tx.Slots, k.slot.Equal))
	return s.table.Update(k.item(), "SET tx = :tx, #ends = :ends", dynamo.V{":tx": tx.ID, ":ends": ends}).
		If("tx = :old AND #state = :confirmed", dynamo.V{":old": tx.Replaces, ":confirmed": lockConfirmed}).Else(ErrSlotTaken)
}

// A lock is deleted here and nowhere else, and only in the name of the transaction that has it. Long after
// its slot its ttl takes it away (see [lock]).

// deleteLock deletes a lock of a transaction with the operation that ends it. A lock that has gone
// before is no reason not to end it.
func (s slots) deleteLock(k lockKey, tx string) dynamo.Write {
	return s.table.Delete(k.item()).
		If("attribute_not_exists(pk) OR tx = :tx", dynamo.V{":tx": tx}).Else(ErrSlotTaken)
}

// deleteOrphan deletes a lock, as it was read, that its transaction does not count on.
func (s slots) deleteOrphan(k lock) dynamo.Write {
	return s.table.Delete(k.key.item()).
		If("tx = :tx", dynamo.V{":tx": k.Tx}).Else(errNoOrphan)
}

// errNoOrphan means that a lock has gone or changed hands since it was read.
var errNoOrphan = errors.New("no orphan any more")
