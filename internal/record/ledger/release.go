package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
)

// releaseWrites are the writes that let tx go, as read, and its locks with it.
func (l *Ledger) releaseWrites(tx Transaction, reason, key string, now time.Time) ([]dynamo.Write, error) {
	c, err := l.releasing(tx, Event{Actor: tx.Owner, Reason: reason}, key, stored(now))
	if err != nil {
		return nil, err
	}
	return l.writes(c), nil
}

// releasing is the change that lets tx go, and its locks but for those in kept.
func (l *Ledger) releasing(tx Transaction, e Event, key string, now time.Time, kept ...lockKey) (change, error) {
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
			c.locks = append(c.locks, l.deleteLock(k, tx.ID))
		}
	}
	if err == nil {
		err = l.freeBounds(&c)
	}
	return c, err
}

// freeBounds lets the tokens go that what is let go has of its customer's bounds.
func (l *Ledger) freeBounds(c *change) error {
	until := c.read.HoldExpiresAt
	if c.read.State == Confirmed {
		until = c.read.End
	}
	ws, err := l.Bounds.Free(c.read.Bounds, c.read.ID, until, ErrChanged)
	c.locks = append(c.locks, ws...)
	return err
}

// Release lets a transaction of a go: a draft, a hold or a confirmed booking becomes
// cancelled, its slots are free. 2 requests.
func (l *Ledger) Release(ctx context.Context, a actor.Actor, txID, reason, key string) (Transaction, error) {
	tx, err := l.Get(ctx, a, txID)
	if err != nil {
		return Transaction{}, err
	}
	c, err := l.releasing(tx, Event{Actor: a.Key(), Reason: reason, Trace: telemetry.TraceID(ctx)}, key, l.now())
	if err != nil {
		return l.replayed(ctx, change{op: opRelease, key: opKey(opRelease, tx.ID, key), payload: ident.Hash(reason), read: tx}, err)
	}
	return l.commit(ctx, c)
}

// Expire ends a hold whose time is over, and gives again what it gave before. [ErrNotDue]
// when the time is not over, [ErrNotHeld] when something else has ended it. 2 requests.
func (l *Ledger) Expire(ctx context.Context, txID string) (Transaction, error) {
	tx, err := l.read(ctx, txID)
	if err != nil || tx.State == Expired { // for ever, and by nothing but this
		return tx, err
	}
	c, err := l.expiring(tx)
	if err != nil {
		return Transaction{}, fmt.Errorf("ledger: expire %s: %w", txID, err)
	}
	return l.commit(ctx, c)
}

// expiring is the change that ends a hold whose time is over.
func (l *Ledger) expiring(tx Transaction) (change, error) {
	now := l.now()
	if err := opExpire.check(tx, now); err != nil {
		return change{}, err
	}
	return l.ending(tx, now, nil)
}
