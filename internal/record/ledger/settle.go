package ledger

import (
	"context"
	"errors"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
)

// Why a transaction was let go by its customer's answer: they wanted it no more, or in another place.
const (
	ReasonCustomer = "customer"
	ReasonMoved    = "moved"
)

// What follows prepares operations as writes, so that whoever settles a question commits them together
// with the answer that tells of them. The writes hold only while the transaction is as it was read, and
// only once. The error of the commit says what stood against them; [Refused] knows those errors.

// ConfirmWrites prepares to confirm a transaction of a on a YES to the offer with this hash, and
// returns it as it will be. It changes nothing. What has to be paid ahead is not confirmed by a receipt
// without a payment: [ErrUnpaid]. What replaces a booking is confirmed by [Ledger.MoveWrites], or with
// [Ledger.ReplaceWrites], so that the two are never both booked.
func (l *Ledger) ConfirmWrites(ctx context.Context, a actor.Actor, txID, offerHash string, r gate.Receipt, key string) ([]dynamo.Write, Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return nil, Transaction{}, err
	}
	if r.OfferHash = offerHash; r.Actor == "" {
		r.Actor = a.Key()
	}
	now := l.now()
	ws, err := l.confirmWrites(tx, r, key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, tx.confirmed(now), nil
}

// ReleaseWrites prepares to let an offer of a go, and returns the transaction as it will be. There is
// nothing to write, and no error, when it is not held any more. A booking is never let go by it:
// [AlreadyConfirmed], of the writes too.
func (l *Ledger) ReleaseWrites(ctx context.Context, a actor.Actor, txID, reason, key string) ([]dynamo.Write, Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	switch {
	case err != nil:
		return nil, tx, err
	case tx.State == Confirmed:
		return nil, tx, &AlreadyConfirmed{tx}
	case tx.State != Hold && tx.State != Draft:
		return nil, tx, nil
	}
	now := l.now()
	ws, err := l.releaseWrites(tx, reason, key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, opRelease.next(tx, now), nil
}

// CancelWrites prepares to cancel a booking of a, and returns it as it will be. The hash is its
// [CancelHash] of when the customer was asked: the booking must not have changed since, and as much
// of what was paid must come back.
func (l *Ledger) CancelWrites(ctx context.Context, a actor.Actor, txID, hash, key string) ([]dynamo.Write, Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return nil, Transaction{}, err
	}
	now := l.now()
	switch err := opRelease.check(tx, now); {
	case err != nil:
		return nil, tx, err
	case CancelHash(tx, now) != hash:
		return nil, tx, ErrOfferChanged
	}
	ws, err := l.releaseWrites(tx, ReasonCustomer, key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, opRelease.next(tx, now), nil
}

// StillHeld is the condition that an offer, as read, still holds at now. It changes nothing.
func (l *Ledger) StillHeld(tx Transaction, now time.Time) dynamo.Write {
	check := l.Table.Check(txKey(tx.ID), "attribute_exists(pk)", nil)
	return opConfirm.guard(check, tx, stored(now))
}

// Unchanged is the condition that a transaction is as it was read: [ErrChanged] when it is not. It
// changes nothing.
func (l *Ledger) Unchanged(tx Transaction) dynamo.Write {
	return l.Table.Check(txKey(tx.ID), "version = :version", dynamo.V{":version": tx.Version}).Else(ErrChanged)
}

// Refused reports whether err says that the ledger stood against writes which it had prepared, because
// the transaction or its hold is no longer as it was.
func Refused(err error) bool {
	for _, is := range []error{ErrHoldGone, ErrNotHeld, ErrAlreadyConfirmed, ErrCancelled, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrUnpaid, ErrChanged, ErrNoShow} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
