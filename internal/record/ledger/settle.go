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

// The methods here prepare operations as writes, so that a question can be settled and answered in one commit. The writes
// succeed only once, and only while the transaction is as it was read. The error of the commit says why they did not;
// [Refused] knows those errors.

// ConfirmWrites prepares to confirm a's transaction on a YES to the offer with this hash, and returns it as it will be.
// It changes nothing. An offer that has to be paid first needs a receipt with a payment: [ErrUnpaid]. One that replaces a
// booking is confirmed by [Ledger.MoveWrites], or together with [Ledger.ReplaceWrites], so that the two are never both
// booked.
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

// ReleaseWrites prepares to release a's offer, and returns the transaction as it will be. There is nothing to write, and
// no error, when it is no longer held. It never cancels a booking: it fails with [AlreadyConfirmed], and so do the
// writes.
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

// CancelWrites prepares to cancel a's booking, and returns it as it will be. The hash is its [CancelHash] from when the
// customer was asked: since then neither the booking nor the refund may have changed.
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

// Unchanged is the condition that a transaction is as it was read, or else [ErrChanged]. It changes nothing.
func (l *Ledger) Unchanged(tx Transaction) dynamo.Write {
	return l.Table.Unchanged(txKey(tx.ID), tx.Version).Else(ErrChanged)
}

// Refused reports whether prepared writes failed with err because the transaction or its hold has changed.
func Refused(err error) bool {
	for _, is := range []error{ErrHoldGone, ErrNotHeld, errAlreadyConfirmed, ErrCancelled, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrUnpaid, ErrChanged, ErrNoShow} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
