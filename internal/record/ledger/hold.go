package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
)

// Hold takes one token of every slot of a draft, all or none, until a time; [ErrSlotTaken] when a slot has none left.
// capacity is how many tokens a slot has. A token whose hold has expired, or that the same thread holds for an earlier
// offer, is taken over, and the transaction that held it ends in the same commit. Where the booking that the draft
// replaces has a token, the draft needs no other, and leaves that one alone until its YES.
func (l *Ledger) Hold(ctx context.Context, txID string, capacity int, until time.Time, key string) (Transaction, error) {
	tx, err := l.reader().tx(ctx, txID)
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
		return l.writer().replayed(ctx, c, opHold.check(tx, l.now()))
	case !until.After(l.now()):
		return l.writer().replayed(ctx, c, ErrHoldGone)
	}
	return taking{l, c, capacity, until}.take(ctx)
}

func checkCapacity(capacity int) error {
	if capacity < 1 || capacity > 1000 {
		return fault.Field("capacity", "want 1 to 1000")
	}
	return nil
}

// claim is what a transaction asks of its customer's bounds.
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

// slotEnd is the end of the i-th slot, or of the booking if that is earlier. Nights are named by their dates and overlap
// with nothing.
func (t Terms) slotEnd(i int) time.Time {
	switch {
	case t.Nights > 0:
		return t.Slots[i]
	case i+1 < len(t.Slots):
		return t.Slots[i+1]
	}
	return t.End
}

// taking takes the tokens of a hold or an offer.
type taking struct {
	*Ledger
	change   change
	capacity int
	until    time.Time
}

// take looks for tokens and takes them, until it has them or there are none.
func (t taking) take(ctx context.Context) (Transaction, error) {
	spread := false
	return dynamo.Retry(ctx, t.Table.DB(), errTokenLost, func() (Transaction, error) {
		after, err := t.try(ctx, spread)
		spread = true
		switch {
		case errors.Is(err, errMine):
			return t.writer().replayed(ctx, t.change, errNotDraft)
		case t.change.draft != nil && (errors.Is(err, ErrSlotTaken) || bounded(err)): // perhaps by this very offer
			return t.writer().replayed(ctx, t.change, err)
		case errors.Is(err, bound.ErrLost):
			err = fmt.Errorf("%w: %w", errTokenLost, err)
		}
		return after, err
	})
}

// errMine means that the draft was held since the caller read it.
var errMine = errors.New("held before")

func (t taking) try(ctx context.Context, spread bool) (Transaction, error) {
	c := t.change
	c.now = t.now()
	claims, err := t.slots().claims(ctx, c.read, t.capacity, c.now, spread)
	if err != nil {
		return Transaction{}, err
	}
	c.after = opHold.next(c.read, c.now)
	c.after.HoldExpiresAt = t.until
	for i, k := range claims {
		if k.inherits {
			c.after.Inherits = append(c.after.Inherits, k.old.Name)
			continue
		}
		v := lock{
			Name: k.name(t.capacity), Tx: c.read.ID, Thread: c.read.Thread, State: lockHeld, Until: t.until, Ends: c.read.slotEnd(i),
			TTL: k.key.slot.Add(lockKept).Unix(),
		}
		c.after.Locks = append(c.after.Locks, v.Name)
		c.locks = append(c.locks, t.slots().takeLock(k, v, c.now))
	}
	c.after.OfferHash = OfferHash(c.after)
	tokens, err := t.Bounds.Take(ctx, c.read.claim(t.until))
	if err != nil {
		return Transaction{}, err
	}
	c.after.Bounds, c.locks = tokens.Tokens, append(c.locks, tokens.Writes...)
	ends, err := t.takeOver(ctx, claims, c.now)
	if err != nil {
		return Transaction{}, err
	}
	c.locks = append(c.locks, slices.Concat(ends...)...)
	const ownWrites = 4 // of an offer: record, transaction, two events
	if ownWrites+len(c.locks) > dynamo.MaxWrites {
		return t.endFirst(ctx, ends)
	}
	return t.writer().commit(ctx, c)
}

// takeOver ends the transactions whose locks are taken over, with one list of writes for each: those whose time is over
// expire, and those of the same thread are replaced. A lock whose transaction is no longer held is only taken.
func (t taking) takeOver(ctx context.Context, claims []claim, now time.Time) ([][]dynamo.Write, error) {
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
	items, err := t.Table.BatchGet(ctx, keys...)
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
		c, err := t.changes().ending(old, now, kept)
		if err != nil {
			return nil, err
		}
		var ws []dynamo.Write
		for _, w := range t.writer().writes(c) {
			ws = append(ws, w.Else(errTokenLost)) // somebody else ended it: look again
		}
		ends = append(ends, ws)
	}
	return ends, nil
}

// endFirst ends holds one by one where they are too many to be taken over together with the new hold. Their locks stay
// as they are, expired or orphaned, and the hold looks again.
func (t taking) endFirst(ctx context.Context, ends [][]dynamo.Write) (Transaction, error) {
	if t.change.draft != nil { // what is in the way may be what this very offer took
		if tx, err := t.writer().replayed(ctx, t.change, errTokenLost); !errors.Is(err, errTokenLost) {
			return tx, err
		}
	}
	for _, ws := range ends {
		if err := t.Table.DB().Commit(ctx, ws...); err != nil && !errors.Is(err, errTokenLost) {
			return Transaction{}, fmt.Errorf("ledger: take over: %w", err)
		}
	}
	return Transaction{}, errTokenLost
}
