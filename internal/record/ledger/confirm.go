package ledger

import (
	"cmp"
	"slices"
	"time"

	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
)

// OfferHash names the exact offer that a transaction makes: what, when, for how many, at
// what price, how much of it ahead and what becomes of that, held until when, under which policy. A YES is bound to it.
func OfferHash(tx Transaction) string {
	t := tx.Terms
	terms := []any{"offer", tx.ID, t.Business, t.Listing, t.Offering, t.Start.UnixMilli(), t.End.UnixMilli(),
		slices.Concat(tx.Locks, tx.Inherits), t.Party, t.PriceMinor, t.Currency, t.Note, tx.HoldExpiresAt.UnixMilli(), t.Policy}
	if t.DueMinor > 0 {
		terms = append(terms, t.DueMinor, t.RefundUntil.UnixMilli())
	}
	if t.LateRefundMinor > 0 {
		terms = append(terms, "late", t.LateRefundMinor)
	}
	if t.Replaces != "" {
		terms = append(terms, t.Replaces)
	}
	if t.Place != "" {
		terms = append(terms, "place", t.Place)
	}
	return ident.Hash(terms...)
}

// CancelHash names the cancellation of a transaction as it stands, and how much of what was
// paid, due or all of the price, comes back by it at a time.
func CancelHash(tx Transaction, at time.Time) string {
	terms := []any{"cancel", tx.ID, tx.State, tx.Version, tx.OfferHash}
	if paid := cmp.Or(tx.DueMinor, tx.PriceMinor); paid > 0 {
		terms = append(terms, tx.Back(paid, at))
	}
	return ident.Hash(terms...)
}

// confirmWrites are the writes that confirm tx, as read, on a YES to exactly its offer.
func (l *Ledger) confirmWrites(tx Transaction, r gate.Receipt, key string, now time.Time) ([]dynamo.Write, error) {
	c, err := l.confirmation(tx, r, key, stored(now))
	if err != nil {
		return nil, err
	}
	return append(l.writes(c), l.Table.Put(receiptKey(tx.ID), r).IfAbsent().Else(ErrChanged)), nil
}

func confirmPayload(tx Transaction, r gate.Receipt) string {
	return ident.Hash(tx.ID, r.PendingID, r.OfferHash)
}

func (l *Ledger) confirmation(tx Transaction, r gate.Receipt, key string, now time.Time) (change, error) {
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
			c.locks = append(c.locks, l.confirmLock(k, tx.ID))
		} else {
			c.locks = append(c.locks, l.inheritLock(k, tx))
		}
	}
	if err != nil {
		return change{}, err
	}
	ws, err := l.Bounds.Keep(tx.Bounds, tx.ID, tx.End, ErrHoldGone)
	c.locks = append(c.locks, ws...)
	return c, err
}

// confirmed is a transaction after its YES.
func (tx Transaction) confirmed(now time.Time) Transaction {
	after := opConfirm.next(tx, now)
	after.ConfirmedAt, after.Locks, after.Inherits = now, slices.Concat(tx.Locks, tx.Inherits), nil
	return after
}
