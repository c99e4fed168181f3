package ledger

import (
	"context"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
)

// MoveWrites prepares to move a booking on a YES to exactly the offer of its new time: to confirm the
// held transaction and to cancel the booking that it replaces, all or nothing. It returns the new one as
// it will be and the old one as it was.
func (l *Ledger) MoveWrites(ctx context.Context, a actor.Actor, txID, offerHash string, r gate.Receipt, key string) (ws []dynamo.Write, moved, old Transaction, err error) {
	ws, moved, err = l.ConfirmWrites(ctx, a, txID, offerHash, r, key)
	if err != nil {
		return nil, moved, old, err
	}
	more, old, err := l.ReplaceWrites(ctx, a, moved, key)
	if err != nil {
		return nil, moved, old, err
	}
	return append(ws, more...), moved, old, nil
}

// ReplaceWrites prepares to cancel the booking that a transaction replaces, and returns it as it was. It
// is cancelled at the same moment as the other is confirmed, so that both are in time or neither. The locks that the
// other inherits stay.
func (l *Ledger) ReplaceWrites(ctx context.Context, a actor.Actor, moved Transaction, key string) (ws []dynamo.Write, old Transaction, err error) {
	if old, err = l.Get(ctx, a, moved.Replaces); err != nil {
		return nil, old, err
	}
	kept, err := locksOf(moved)
	if err != nil {
		return nil, old, err
	}
	c, err := l.changes().releasing(old, Event{Actor: old.Owner, Reason: ReasonMoved}, key, moved.UpdatedAt, kept...)
	if err != nil {
		return nil, old, err
	}
	return l.writer().writes(c), old, nil
}
