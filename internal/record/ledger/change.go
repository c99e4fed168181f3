package ledger

import (
	"slices"
	"time"

	"merve/internal/base/ident"
	"merve/internal/cloud/bound"
	"merve/internal/spine/gate"
)

// changes turns an operation on a transaction, as it was read, into what has to be written: the transaction after it,
// its locks, and its tokens of its customer's bounds. The rules are checked here.
type changes struct {
	slots
	bounds *bound.Book
}

func (l *Ledger) changes() changes { return changes{l.slots(), l.Bounds} }

// confirmation is the change that books tx on a YES to exactly its offer.
func (m changes) confirmation(tx Transaction, r gate.Receipt, key string, now time.Time) (change, error) {
	if err := checkKey(key); err != nil {
		return change{}, err
	}
	if err := opConfirm.check(tx, now); err != nil {
		return change{}, err
	}
	if r.OfferHash != tx.OfferHash || OfferHash(tx) != tx.OfferHash {
		return change{}, ErrOfferChanged
	}
	if tx.DueMinor > 0 && r.Payment == "" {
		return change{}, ErrUnpaid
	}
	c := change{
		op: opConfirm, key: opKey(opConfirm, tx.ID, key), payload: confirmPayload(tx, r),
		read: tx, after: tx.confirmed(now), now: now,
		event: Event{Actor: r.Actor, Trace: r.Trace},
	}
	keys, err := locksOf(c.after)
	for i, k := range keys {
		if i < len(tx.Locks) {
			c.locks = append(c.locks, m.confirmLock(k, tx.ID))
		} else {
			c.locks = append(c.locks, m.inheritLock(k, tx))
		}
	}
	if err != nil {
		return change{}, err
	}
	ws, err := m.bounds.Keep(tx.Bounds, tx.ID, tx.End, ErrHoldGone)
	c.locks = append(c.locks, ws...)
	return c, err
}

// releasing is the change that cancels tx and deletes its locks, except those in kept.
func (m changes) releasing(tx Transaction, e Event, key string, now time.Time, kept ...lockKey) (change, error) {
	if err := checkKey(key); err != nil {
		return change{}, err
	}
	if err := opRelease.check(tx, now); err != nil {
		return change{}, err
	}
	c := change{
		op: opRelease, key: opKey(opRelease, tx.ID, key), payload: ident.Hash(e.Reason),
		read: tx, after: opRelease.next(tx, now), now: now, event: e,
	}
	keys, err := locksOf(tx)
	for _, k := range keys {
		if !slices.Contains(kept, k) {
			c.locks = append(c.locks, m.deleteLock(k, tx.ID))
		}
	}
	if err == nil {
		err = m.freeBounds(&c)
	}
	return c, err
}

// freeBounds gives back the tokens of its customer's bounds that the transaction has.
func (m changes) freeBounds(c *change) error {
	until := c.read.HoldExpiresAt
	if c.read.State == Confirmed {
		until = c.read.End
	}
	ws, err := m.bounds.Free(c.read.Bounds, c.read.ID, until, ErrChanged)
	c.locks = append(c.locks, ws...)
	return err
}

// expiring is the change that ends a hold whose time is over.
func (m changes) expiring(tx Transaction, now time.Time) (change, error) {
	if err := opExpire.check(tx, now); err != nil {
		return change{}, err
	}
	return m.ending(tx, now, nil)
}

// ending is the change that ends a hold which is in the way: it expires when its time is over, and otherwise is
// replaced by its thread's new offer. The locks in kept are taken over, the others deleted.
func (m changes) ending(old Transaction, now time.Time, kept []lockKey) (change, error) {
	c := change{op: opExpire, read: old, now: now, event: Event{Reason: ReasonTimeUp}}
	if opExpire.check(old, now) != nil {
		c.op, c.key, c.payload = opRelease, opKey(opRelease, old.ID, ReasonReplaced), ident.Hash(ReasonReplaced)
		c.event = Event{Actor: old.Owner, Reason: ReasonReplaced}
	}
	c.after = c.op.next(old, now)
	keys, err := locksOf(old)
	for _, k := range keys {
		if !slices.Contains(kept, k) {
			c.locks = append(c.locks, m.deleteLock(k, old.ID))
		}
	}
	if err == nil && c.op == opRelease {
		err = m.freeBounds(&c)
	}
	return c, err
}
