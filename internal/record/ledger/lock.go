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
	Ends   time.Time `dynamodbav:"ends"`  // the slot, or the booking if it is over before: what it reaches into of another calendar is taken too
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

// lockKey names a lock. A token numbers the bookings that fit into a slot at once. The start
// alone names a slot, and only equal names keep each other out by their writes. Where the
// grid or the opening hours of an offering are changed, what reaches into a slot of the new
// calendar is found when locks are read (see [uses]). Two who take a time at once by different
// calendars do not find each other; nor is found how much further the lock of a booking will
// reach when the YES to its move comes.
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

// name is the lock as people and transactions name it; a slot that takes one booking
// has no tokens to tell apart, unless it once took more.
func (k lockKey) name(capacity int) string {
	name := k.business + ":offering:" + k.offering + ":" + k.slot.UTC().Format(slotFmt)
	if capacity > 1 || k.token > 0 {
		name += tokenSign + strconv.Itoa(k.token)
	}
	return name
}

const tokenSign = ":token:"

// numbered reports whether the lock's name tells its token, as where it was one of several.
func (k lock) numbered() bool { return strings.Contains(k.Name, tokenSign) }

// parseLock reads what name and item write: a name, or partition and sort key joined by T.
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

// taken reads all locks on slots of a booking and, of other calendars, on those that begin
// before it is over and may reach into it, whatever their tokens: a capacity that was lowered
// leaves some above it. One query a UTC day.
func (l *Ledger) taken(ctx context.Context, t Terms) ([]lock, error) {
	first, last := t.Slots[0], t.Slots[len(t.Slots)-1]
	if t.Nights == 0 {
		first = first.Add(-schedule.Reach(t.End.Sub(t.Start), t.Longest))
		if end := t.End.Add(-time.Minute); end.After(last) {
			last = end
		}
	}
	return l.lockRange(ctx, t.Business, t.Offering, first, last)
}

// lockRange reads the locks from one slot to another, those of a slot by their tokens. One
// query a UTC day.
func (l *Ledger) lockRange(ctx context.Context, business, offering string, from, to time.Time) ([]lock, error) {
	const aDay = 24 * time.Hour
	var items []dynamo.Item
	for day := from.UTC().Truncate(aDay); !day.After(to); day = day.Add(aDay) {
		first, last := day, day.Add(aDay-time.Minute)
		if first.Before(from) {
			first = from
		}
		if last.After(to) {
			last = to
		}
		err := l.Table.Each(ctx, dynamo.Query{
			Where: "pk = :pk AND sk BETWEEN :from AND :last",
			Values: dynamo.V{":pk": dayKey(business, offering, day),
				":from": first.UTC().Format("15:04"), ":last": last.UTC().Format("15:04") + "~"},
		}, func(it dynamo.Item) error {
			items = append(items, it)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("ledger: locks: %w", err)
		}
	}
	return decodeLocks(items)
}

func decodeLocks(items []dynamo.Item) ([]lock, error) {
	locks := make([]lock, len(items))
	for i, it := range items {
		var err error
		if locks[i], err = lockOf(it); err != nil {
			return nil, err
		}
	}
	return locks, nil
}

// maxDays bounds what Taken reads.
const maxDays = 62

// Taken lists what of an offering cannot be had at now, of the slots that begin from one time to
// another (inclusive). One request a UTC day, at most 62 days.
func (l *Ledger) Taken(ctx context.Context, business, offering string, from, to, now time.Time) (schedule.Taken, error) {
	if to.Sub(from) > maxDays*24*time.Hour {
		return nil, fault.Field("to", "want at most %d days", maxDays)
	}
	locks, err := l.lockRange(ctx, business, offering, from, to)
	if err != nil {
		return nil, err
	}
	return uses(slices.DeleteFunc(locks, func(k lock) bool { return k.expired(now) })), nil
}

// Free reports whether every slot of the terms can be had now. It asks for the locks as a hold does.
func (l *Ledger) Free(ctx context.Context, t Terms, capacity int) (bool, error) {
	locks, err := l.taken(ctx, t)
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

// uses are what locks take of their offering: of their own slots, and of those of another
// calendar that they reach into.
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

// errTokenLost means that somebody else was faster: look again.
var errTokenLost = errors.New("a token was lost to another hold")

// claim is a token chosen for a slot, and the lock that is taken over with it.
type claim struct {
	key      lockKey
	old      *lock
	own      bool // old is an earlier hold of the same thread
	inherits bool // old is of the booking to be replaced, and stays so until the YES
}

// name is what the lock will be called. What a thread had beside others stays numbered.
func (c claim) name(capacity int) string {
	if c.own && c.old.numbered() {
		return c.old.Name
	}
	return c.key.name(capacity)
}

// choose picks a token of one slot: that of the booking to be replaced, else a free one, else one
// whose hold has expired, else one that the same thread holds for an earlier offer. The lowest one,
// or any when contenders fight for the lowest.
//
// A lock may change hands, which leaves as many as there are; a new one needs room (see
// [room]). What counts is that a lock is there, not whether its time is over: a clock that
// is behind may yet confirm it. So where a lowered capacity left more locks than it has
// room for, an expired one has to be swept before anybody else can have the slot.
func (l *Ledger) choose(tx Transaction, slot time.Time, locks []lock, capacity int, now time.Time, spread bool) (claim, error) {
	var free, expired, own []claim
	byToken, top := map[int]*lock{}, capacity
	for i, k := range locks {
		if k.State == lockConfirmed && k.Tx == tx.Replaces {
			return claim{key: k.key, old: &locks[i], inherits: true}, nil
		}
		byToken[k.key.token], top = &locks[i], max(top, k.key.token+1)
	}
	below := room(locks, capacity)
	for token := range top {
		c := claim{key: lockKey{tx.Business, tx.Offering, slot, token}, old: byToken[token]}
		switch {
		case c.old == nil && token < below:
			free = append(free, c)
		case c.old == nil:
		case c.old.expired(now) && len(locks) <= capacity:
			expired = append(expired, c)
		case !c.old.expired(now) && c.old.ownedBy(tx):
			c.own = true
			own = append(own, c)
		}
	}
	for _, list := range [][]claim{free, expired, own} {
		switch {
		case len(list) > 0 && spread:
			return list[l.random(len(list))], nil
		case len(list) > 0:
			return list[0], nil
		}
	}
	return claim{}, ErrSlotTaken
}

// room returns below which token new locks may be taken on a slot, whose locks stand in the
// order of their tokens: the largest t for which t and the locks on t and above it are no more
// than the capacity. Whoever takes one knows only that its own token is still free; but what is
// above t can only become less, as nobody takes a new lock there. So room never shrinks, and a
// choice made from an old reading is still within it. Those who have read different capacities
// keep to the largest.
func room(locks []lock, capacity int) int {
	below := len(locks)
	for t := capacity; t > 0; t-- {
		for below > 0 && locks[below-1].key.token >= t {
			below--
		}
		if t+len(locks)-below <= capacity {
			return t
		}
	}
	return 0
}

// ownedBy reports whether the lock is an unconfirmed hold of tx's thread.
func (k lock) ownedBy(tx Transaction) bool {
	return k.State == lockHeld && k.Thread != "" && k.Thread == tx.Thread
}
