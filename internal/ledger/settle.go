package ledger

import (
	"context"
	"errors"
	"time"

	"merve/internal/actor"
	"merve/internal/dynamo"
	"merve/internal/gate"
)

// The kinds of pending action that the ledger settles.
const (
	ConfirmKind = "confirm_transaction" // an offer that is held
	CancelKind  = "cancel_transaction"  // a booking that is to be cancelled
)

// Confirmer settles offers: YES confirms, NO lets go. What it gives back are writes, so
// that they happen together with the answer that tells of them.
type Confirmer struct{ Ledger *Ledger }

// Writes prepares the confirmation that a YES to the offer with this hash makes, and
// the transaction as it will be. It reads (1 request) and changes nothing.
func (c Confirmer) Writes(ctx context.Context, a actor.Actor, txID, offerHash string, r gate.Receipt, key string) ([]dynamo.Write, Transaction, error) {
	l := c.Ledger
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return nil, Transaction{}, err
	}
	if r.OfferHash = offerHash; r.Actor == "" {
		r.Actor = a.Key()
	}
	now := l.now()
	ws, err := l.ConfirmWrites(tx, r, key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, tx.confirmed(now), nil
}

// Held is the condition that an offer, as read, still holds at now. It changes nothing.
func (c Confirmer) Held(tx Transaction, now time.Time) dynamo.Write {
	check := c.Ledger.Table.Check(txKey(tx.ID), "attribute_exists(pk)", nil)
	return opConfirm.guard(check, tx, stored(now))
}

// Still is the condition that a transaction is as it was read; [ErrChanged] when it is not. It
// changes nothing.
func (c Confirmer) Still(tx Transaction) dynamo.Write {
	return c.Ledger.Table.Check(txKey(tx.ID), "version = :version", dynamo.V{":version": tx.Version}).Else(ErrChanged)
}

// Release prepares to let an offer go: on NO, STOP, its expiry or a newer offer. There is
// nothing to write, and no error, when it is not held any more. A booking that has been
// confirmed is never let go by it: [AlreadyConfirmed], of the writes too.
func (c Confirmer) Release(ctx context.Context, a actor.Actor, txID, reason, key string) ([]dynamo.Write, Transaction, error) {
	l := c.Ledger
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
	ws, err := l.ReleaseWrites(tx, reason, key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, opRelease.next(tx, now), nil
}

// Canceller settles proposals to cancel a booking: YES cancels it, NO changes nothing.
type Canceller struct{ Ledger *Ledger }

// Writes prepares the cancellation of a booking that is still as it was when the
// customer was asked, and gives back as much (hash is its [CancelHash]). [ErrCancelled] when it
// is cancelled.
func (c Canceller) Writes(ctx context.Context, a actor.Actor, txID, hash, key string) ([]dynamo.Write, Transaction, error) {
	l := c.Ledger
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
	ws, err := l.ReleaseWrites(tx, "customer", key, now)
	if err != nil {
		return nil, tx, err
	}
	return ws, opRelease.next(tx, now), nil
}

// Refused reports whether err says that the ledger stood against writes which it had
// prepared, because the transaction or its hold is no longer as it was.
func Refused(err error) bool {
	for _, is := range []error{ErrHoldGone, ErrNotHeld, ErrAlreadyConfirmed, ErrCancelled, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrUnpaid, ErrChanged, ErrNoShow} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
