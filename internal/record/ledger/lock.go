package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/schedule"
)

// lock is the claim of a transaction on one token of a slot.
type lock struct {
	Name   string    `dynamodbav:"key"` // as transactions list it
	Tx     string    `dynamodbav:"tx"`
	Thread string    `dynamodbav:"thread,omitempty"` // a thread's new offer may take over its own hold
	State  lockState `dynamodbav:"state"`
	Until  time.Time `dynamodbav:"until"` // end of a hold
	Ends   time.Time `dynamodbav:"ends"`  // end of the slot, or of the booking if that is earlier; slots of another calendar before it are taken too
	TTL    int64     `dynamodbav:"ttl"`   // long after the slot

	key lockKey
}

type lockState string

const (
	lockHeld      lockState = "held"
	lockConfirmed lockState = "confirmed"

	lockKept = 35 * 24 * time.Hour // after the slot, for looking back
)

// expired reports whether the lock is a hold whose time is over.
func (k lock) expired(now time.Time) bool { return k.State == lockHeld && !k.Until.After(now) }

// lockKey names a lock. A token numbers the bookings that fit into a slot at once.
//
// A slot is named by its start alone, and only equal names keep each other out when they are written. When an offering's
// grid or opening hours change, locks of the old calendar that reach into a new slot are found by reading (see [uses]).
// That misses two who take one time at the same moment by different calendars, and how much further the lock of a booking
// will reach once its move is confirmed.
type lockKey struct {
	business, offering string
	slot               time.Time
	token              int
}

const slotFmt = "2006-01-02T15:04"

func dayKey(business, offering string, day time.Time) string {
	return business + ":offering:" + offering + ":" + day.UTC().Format(time.DateOnly)
}

func (k lockKey) item() dynamo.Key {
	return dynamo.Key{PK: dayKey(k.business, k.offering, k.slot), SK: fmt.Sprintf("%s:token:%03d", k.slot.UTC().Format("15:04"), k.token)}
}

// name is the lock as people and transactions name it. A slot that takes one booking has no tokens to tell apart,
// unless it once took more.
func (k lockKey) name(capacity int) string {
	name := k.business + ":offering:" + k.offering + ":" + k.slot.UTC().Format(slotFmt)
	if capacity > 1 || k.token > 0 {
		name += tokenSign + strconv.Itoa(k.token)
	}
	return name
}

const tokenSign = ":token:"

// numbered reports whether the lock's name has its token, as it does when the slot took several bookings.
func (k lock) numbered() bool { return strings.Contains(k.Name, tokenSign) }

// parseLock parses a name, or an item's partition and sort key joined by T.
func parseLock(name string) (lockKey, error) {
	wrong := fault.New(fault.Internal, "no name of a lock: %q", name)
	p := strings.Split(name, ":")
	if len(p) != 5 && len(p) != 7 || p[1] != "offering" {
		return lockKey{}, wrong
	}
	slot, err := time.Parse(slotFmt, p[3]+":"+p[4])
	if err != nil {
		return lockKey{}, wrong
	}
	k := lockKey{business: p[0], offering: p[2], slot: slot}
	if len(p) == 7 {
		if k.token, err = strconv.Atoi(p[6]); err != nil || p[5] != "token" || k.token < 0 {
			return lockKey{}, wrong
		}
	}
	return k, nil
}

func lockOf(it dynamo.Item) (lock, error) {
	var k lock
	err := it.Decode(&k)
	if err == nil {
		k.key, err = parseLock(it.Key().PK + "T" + it.Key().SK)
	}
	return k, err
}

// locksOf returns the keys of a transaction's locks.
func locksOf(tx Transaction) ([]lockKey, error) {
	keys := make([]lockKey, len(tx.Locks))
	for i, name := range tx.Locks {
		k, err := parseLock(name)
		if err != nil {
			return nil, fmt.Errorf("ledger: transaction %s: %w", tx.ID, err)
		}
		keys[i] = k
	}
	return keys, nil
}

// maxDays bounds what Taken reads.
const maxDays = 62

// Taken lists what is taken of an offering at now, in the slots that begin from one time to another (inclusive). One
// request a UTC day, at most 62 days.
func (l *Ledger) Taken(ctx context.Context, business, offering string, from, to, now time.Time) (schedule.Taken, error) {
	if to.Sub(from) > maxDays*24*time.Hour {
		return nil, fault.Field("to", "want at most %d days", maxDays)
	}
	locks, err := l.slots().lockRange(ctx, business, offering, from, to)
	if err != nil {
		return nil, err
	}
	return uses(slices.DeleteFunc(locks, func(k lock) bool { return k.expired(now) })), nil
}

// Free reports whether every slot of the terms is free now. It reads the locks as a hold does.
func (l *Ledger) Free(ctx context.Context, t Terms, capacity int) (bool, error) {
	locks, err := l.slots().taken(ctx, t)
	if err != nil {
		return false, err
	}
	now := l.now()
	taken := uses(slices.DeleteFunc(locks, func(k lock) bool { return k.expired(now) }))
	for i, slot := range t.Slots {
		if taken.At(slot, t.slotEnd(i)) >= capacity {
			return false, nil
		}
	}
	return true, nil
}

// uses are what locks take of their offering: their own slots, and the slots of another calendar that they reach
// into.
func uses(locks []lock) schedule.Taken {
	taken := make(schedule.Taken, len(locks))
	for i, k := range locks {
		taken[i] = schedule.Use{Slot: k.key.slot, Ends: k.Ends, By: k.Tx}
	}
	return taken
}

// Uses are the places that a booking has in its slots.
func (tx Transaction) Uses() schedule.Taken {
	all := make(schedule.Taken, len(tx.Slots))
	for i, slot := range tx.Slots {
		all[i] = schedule.Use{Slot: slot, Ends: tx.slotEnd(i), By: tx.ID}
	}
	return all
}

// errTokenLost means that another hold was faster, and that it is worth looking again.
var errTokenLost = errors.New("a token was lost to another hold")

// ownedBy reports whether the lock is an unconfirmed hold of tx's thread.
func (k lock) ownedBy(tx Transaction) bool {
	return k.State == lockHeld && k.Thread != "" && k.Thread == tx.Thread
}
