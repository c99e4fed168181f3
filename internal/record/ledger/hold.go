package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
)

// maxTries bounds how often a hold looks again after losing a token. Each loss means
// that another hold won.
const maxTries = 12

// Hold takes one token of every slot of a draft, all or none, until a time. capacity is
// how many tokens a slot has. [ErrSlotTaken] when a slot has none left. A token whose hold
// has expired, or that the same thread holds for an earlier offer, is taken over, and the
// transaction that held it ends, in the same transaction. Where the booking that it replaces has a
// token, it needs no other, and leaves that one alone until its YES.
func (l *Ledger) Hold(ctx context.Context, txID string, capacity int, until time.Time, key string) (Transaction, error) {
	tx, err := l.read(ctx, txID)
	if err != nil {
		return Transaction{}, err
	}
	return l.hold(ctx, tx, capacity, until, key)
}

// hold is Hold for a draft that the caller has read.
func (l *Ledger) hold(ctx context.Context, tx Transaction, capacity int, until time.Time, key string) (Transaction, error) {
	until = stored(until)
	c := change{
		op: opHold, key: opKey(opHold, tx.ID, key), payload: ident.Hash(tx.ID, until), read: tx,
		event: Event{Actor: tx.Owner, Trace: telemetry.TraceID(ctx)},
	}
	switch {
	case checkKey(key) != nil:
		return Transaction{}, checkKey(key)
	case checkCapacity(capacity) != nil:
		return Transaction{}, checkCapacity(capacity)
	case opHold.check(tx, l.now()) != nil:
		return l.replayed(ctx, c, opHold.check(tx, l.now()))
	case !until.After(l.now()):
		return l.replayed(ctx, c, ErrHoldGone)
	}
	return l.take(ctx, c, capacity, until)
}

func checkCapacity(capacity int) error {
	if capacity < 1 || capacity > 1000 {
		return fault.Field("capacity", "want 1 to 1000")
	}
	return nil
}

// take looks for tokens and takes them, until there are none or it has them.
func (l *Ledger) take(ctx context.Context, c change, capacity int, until time.Time) (Transaction, error) {
	for try := 1; ; try++ {
		after, err := l.tryTake(ctx, c, capacity, until, try > 1)
		switch {
		case errors.Is(err, errMine):
			return l.replayed(ctx, c, ErrNotDraft)
		case c.draft != nil && (errors.Is(err, ErrSlotTaken) || bounded(err)): // by this very offer, it may be
			return l.replayed(ctx, c, err)
		case !errors.Is(err, errTokenLost) && !errors.Is(err, bound.ErrLost):
			return after, err
		case try == maxTries:
			return Transaction{}, fault.Wrap(err, fault.Unavailable, "too many want this time, try again")
		}
		if err := pause.For(ctx, l.Table.DB().Backoff(try)); err != nil {
			return Transaction{}, err
		}
	}
}

// errMine means that the draft, as the caller has it, is out of date: it is held.
var errMine = errors.New("held before")

func (l *Ledger) tryTake(ctx context.Context, c change, capacity int, until time.Time, spread bool) (Transaction, error) {
	c.now = l.now()
	claims, err := l.claims(ctx, c.read, capacity, c.now, spread)
	if err != nil {
		return Transaction{}, err
	}
	c.after = opHold.next(c.read, c.now)
	c.after.HoldExpiresAt = until
	for i, k := range claims {
		if k.inherits {
			c.after.Inherits = append(c.after.Inherits, k.old.Name)
			continue
		}
		v := lock{Name: k.name(capacity), Tx: c.read.ID, Thread: c.read.Thread, State: lockHeld, Until: until, Ends: c.read.slotEnd(i), TTL: k.key.slot.Add(lockKept).Unix()}
		c.after.Locks = append(c.after.Locks, v.Name)
		c.locks = append(c.locks, l.takeLock(k, v, c.now))
	}
	c.after.OfferHash = OfferHash(c.after)
	tokens, err := l.Bounds.Take(ctx, c.read.claim(until))
	if err != nil {
		return Transaction{}, err
	}
	c.after.Bounds, c.locks = tokens.Tokens, append(c.locks, tokens.Writes...)
	ends, err := l.takeOver(ctx, claims, c.now)
	if err != nil {
		return Transaction{}, err
	}
	c.locks = append(c.locks, slices.Concat(ends...)...)
	const ownWrites = 4 // of an offer: record, transaction, two events
	if ownWrites+len(c.locks) > dynamo.MaxWrites {
		return l.endFirst(ctx, c, ends)
	}
	return l.commit(ctx, c)
}

// claim is what a transaction takes of its customer's bounds.
func (tx Transaction) claim(until time.Time) bound.Claim {
	return bound.Claim{
		Matter: bound.Booking, Market: tx.Market, Owner: tx.Owner, Address: tx.Address, ID: tx.ID, Until: until, Chat: tx.Thread, Replaces: tx.Replaces,
		Single: tx.Listing + "@" + tx.Start.UTC().Format(time.RFC3339),
	}
}

// bounded reports whether err says that a bound is reached.
func bounded(err error) bool {
	var r *bound.Refusal
	return errors.As(err, &r)
}

// claims chooses a token for every slot.
func (l *Ledger) claims(ctx context.Context, tx Transaction, capacity int, now time.Time, spread bool) ([]claim, error) {
	locks, err := l.taken(ctx, tx.Terms)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(locks, func(k lock) bool { return k.Tx == tx.ID }) {
		return nil, errMine
	}
	claims := make([]claim, len(tx.Slots))
	for i, slot := range tx.Slots {
		if claims[i], err = l.claim(tx, i, locks, capacity, now, spread); err != nil {
			return nil, fmt.Errorf("ledger: hold %s at %s: %w", tx.ID, slot.Format(slotFmt), err)
		}
	}
	return claims, nil
}

// claim chooses a token for the i-th slot. A lock that changes hands, and reaches further than it did,
// needs room beside those of another calendar as a new one does.
func (l *Ledger) claim(tx Transaction, i int, locks []lock, capacity int, now time.Time, spread bool) (claim, error) {
	slot, end := tx.Slots[i], tx.slotEnd(i)
	of := slices.DeleteFunc(slices.Clone(locks), func(k lock) bool { return !k.key.slot.Equal(slot) })
	others := uses(locks).At(slot, end) - len(of) // of another calendar, without a lock on this slot
	c, err := l.choose(tx, slot, of, capacity-others, now, spread)
	if err == nil && c.old != nil && c.old.Ends.Before(end) && others > 0 && len(of)+others > capacity {
		return claim{}, ErrSlotTaken
	}
	return c, err
}

// slotEnd is when the i-th slot is over, or the booking if it ends before. Nights are named by
// their dates and overlap with nothing.
func (t Terms) slotEnd(i int) time.Time {
	switch {
	case t.Nights > 0:
		return t.Slots[i]
	case i+1 < len(t.Slots):
		return t.Slots[i+1]
	}
	return t.End
}

func (l *Ledger) takeLock(c claim, k lock, now time.Time) dynamo.Write {
	switch {
	case c.old == nil:
		return l.takeFree(c.key, k)
	case c.own && !c.old.expired(now):
		return l.takeOwn(c.key, k, c.old.Tx)
	}
	return l.takeExpired(c.key, k, c.old.Tx, now)
}

// takeOver ends the transactions whose locks are taken over: expired, or replaced when
// they are the thread's own. One list of writes for each. A lock whose transaction is no
// longer held needs nothing more than to be taken.
func (l *Ledger) takeOver(ctx context.Context, claims []claim, now time.Time) ([][]dynamo.Write, error) {
	var ids []string
	var keys []dynamo.Key
	var kept []lockKey
	for _, c := range claims {
		if c.old == nil || c.inherits {
			continue
		}
		kept = append(kept, c.key)
		if !slices.Contains(ids, c.old.Tx) {
			ids, keys = append(ids, c.old.Tx), append(keys, txKey(c.old.Tx))
		}
	}
	items, err := l.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("ledger: take over: %w", err)
	}
	olds, err := dynamo.Decode[Transaction](items)
	if err != nil {
		return nil, err
	}
	var ends [][]dynamo.Write
	for _, old := range olds {
		if old.State != Hold {
			continue
		}
		c, err := l.ending(old, now, kept)
		if err != nil {
			return nil, err
		}
		var ws []dynamo.Write
		for _, w := range l.writes(c) {
			ws = append(ws, w.Else(errTokenLost)) // somebody else ended it: look again
		}
		ends = append(ends, ws)
	}
	return ends, nil
}

// ending is how a hold ends that is in the way: expired if its time is over, else
// replaced by its thread's new offer. The locks in kept are not dropped but taken over.
func (l *Ledger) ending(old Transaction, now time.Time, kept []lockKey) (change, error) {
	c := change{op: opExpire, read: old, now: now, event: Event{Reason: ReasonTimeUp}}
	if opExpire.check(old, now) != nil {
		c.op, c.key, c.payload = opRelease, opKey(opRelease, old.ID, ReasonReplaced), ident.Hash(ReasonReplaced)
		c.event = Event{Actor: old.Owner, Reason: ReasonReplaced}
	}
	c.after = c.op.next(old, now)
	keys, err := locksOf(old)
	for _, k := range keys {
		if !slices.Contains(kept, k) {
			c.locks = append(c.locks, l.deleteLock(k, old.ID))
		}
	}
	if err == nil && c.op == opRelease {
		err = l.freeBounds(&c)
	}
	return c, err
}

// endFirst ends, one by one, holds that are too many to be taken over together with the
// new hold; their locks stay as they are, expired or orphaned, and the hold looks again.
func (l *Ledger) endFirst(ctx context.Context, c change, ends [][]dynamo.Write) (Transaction, error) {
	if c.draft != nil { // what is in the way may be what this very offer took
		if tx, err := l.replayed(ctx, c, errTokenLost); !errors.Is(err, errTokenLost) {
			return tx, err
		}
	}
	for _, ws := range ends {
		if err := l.Table.DB().Commit(ctx, ws...); err != nil && !errors.Is(err, errTokenLost) {
			return Transaction{}, fmt.Errorf("ledger: take over: %w", err)
		}
	}
	return Transaction{}, errTokenLost
}
