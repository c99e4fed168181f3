package ledger

import (
	"context"

	"merve/internal/actor"
	"merve/internal/dynamo"
)

// RescheduleKind is the kind of a pending action that moves a booking: its reference is the new
// transaction, held, which names the one that it replaces.
const RescheduleKind = "reschedule_transaction"

// Mover commits what a YES to a new time does: the new booking and the end of the old one, all
// or nothing.
type Mover struct{ Ledger *Ledger }

// Writes prepares to confirm the held transaction on a YES to exactly its offer, and to cancel
// the booking that it replaces. The old one is returned, too, as it was.
func (m Mover) Writes(ctx context.Context, a actor.Actor, txID, offerHash string, r Receipt, key string) (ws []dynamo.Write, moved, old Transaction, err error) {
	ws, moved, err = Confirmer(m).Writes(ctx, a, txID, offerHash, r, key)
	if err != nil {
		return nil, moved, old, err
	}
	more, old, err := m.Instead(ctx, a, moved, key)
	if err != nil {
		return nil, moved, old, err
	}
	return append(ws, more...), moved, old, nil
}

// Instead prepares to cancel the booking that a transaction replaces, at the very moment at which
// that is confirmed: what was in time for the one is for the other. The locks that the new one inherits
// stay. It returns it as it was.
func (m Mover) Instead(ctx context.Context, a actor.Actor, moved Transaction, key string) (ws []dynamo.Write, old Transaction, err error) {
	if old, err = m.Ledger.Get(ctx, a, moved.Replaces); err != nil {
		return nil, old, err
	}
	kept, err := locksOf(moved)
	if err != nil {
		return nil, old, err
	}
	c, err := m.Ledger.releasing(old, Event{Actor: old.Owner, Reason: "customer"}, key, moved.UpdatedAt, kept...)
	if err != nil {
		return nil, old, err
	}
	return m.Ledger.writes(c), old, nil
}
