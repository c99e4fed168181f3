package ledger

import (
	"context"
	"fmt"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
)

// releaseWrites are the writes that cancel tx, as read, and delete its locks.
func (l *Ledger) releaseWrites(tx Transaction, reason, key string, now time.Time) ([]dynamo.Write, error) {
	c, err := l.changes().releasing(tx, Event{Actor: tx.Owner, Reason: reason}, key, stored(now))
	if err != nil {
		return nil, err
	}
	return l.writer().writes(c), nil
}

// Release cancels a's transaction, a draft, a hold or a confirmed booking, and frees its slots. 2 requests.
func (l *Ledger) Release(ctx context.Context, a actor.Actor, txID, reason, key string) (Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return Transaction{}, err
	}
	c, err := l.changes().releasing(tx, Event{Actor: a.Key(), Reason: reason, Trace: telemetry.TraceID(ctx)}, key, l.now())
	if err != nil {
		return l.writer().replayed(ctx, change{op: opRelease, key: opKey(opRelease, tx.ID, key), payload: ident.Hash(reason), read: tx}, err)
	}
	return l.writer().commit(ctx, c)
}

// Expire ends a hold whose time is over, and returns the same when it is called again. [errNotDue] when the time is not
// over, [ErrNotHeld] when something else has ended it. 2 requests.
func (l *Ledger) Expire(ctx context.Context, txID string) (Transaction, error) {
	tx, err := l.reader().tx(ctx, txID)
	if err != nil || tx.State == Expired { // for ever, and by nothing but this
		return tx, err
	}
	c, err := l.changes().expiring(tx, l.now())
	if err != nil {
		return Transaction{}, fmt.Errorf("ledger: expire %s: %w", txID, err)
	}
	return l.writer().commit(ctx, c)
}
