package ledger

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/schedule"
)

// slots reads the locks on the slots of offerings, chooses tokens for new ones, and writes them (rules.go has the
// conditions).
type slots struct {
	table dynamo.Table
	rand  func(n int) int // nil is math/rand
}

func (l *Ledger) slots() slots { return slots{l.Table, l.Rand} }

// taken reads the locks on the slots of a booking, and those of other calendars that begin before it ends and may reach
// into it. It reads every token, as lowering a capacity leaves locks above it. One query a UTC day.
func (s slots) taken(ctx context.Context, t Terms) ([]lock, error) {
	first, last := t.Slots[0], t.Slots[len(t.Slots)-1]
	if t.Nights == 0 {
		first = first.Add(-schedule.Reach(t.End.Sub(t.Start), t.Longest))
		if end := t.End.Add(-time.Minute); end.After(last) {
			last = end
		}
	}
	return s.lockRange(ctx, t.Business, t.Offering, first, last)
}

// lockRange reads the locks from one slot to another, in the order of slots and tokens. One query a UTC day.
func (s slots) lockRange(ctx context.Context, business, offering string, from, to time.Time) ([]lock, error) {
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
		err := s.table.Each(ctx, dynamo.Query{
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

// claim is a token chosen for a slot, and the lock that is taken over with it.
type claim struct {
	key      lockKey
	old      *lock
	own      bool // old is an earlier hold of the same thread
	inherits bool // old belongs to the booking that is replaced, until the YES
}

// name is what the lock will be called. A thread that takes over its own numbered lock keeps the number.
func (c claim) name(capacity int) string {
	if c.own && c.old.numbered() {
		return c.old.Name
	}
	return c.key.name(capacity)
}

// claims chooses a token for every slot.
func (s slots) claims(ctx context.Context, tx Transaction, capacity int, now time.Time, spread bool) ([]claim, error) {
	locks, err := s.taken(ctx, tx.Terms)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(locks, func(k lock) bool { return k.Tx == tx.ID }) {
		return nil, errMine
	}
	claims := make([]claim, len(tx.Slots))
	for i, slot := range tx.Slots {
		if claims[i], err = s.claim(tx, i, locks, capacity, now, spread); err != nil {
			return nil, fmt.Errorf("ledger: hold %s at %s: %w", tx.ID, slot.Format(slotFmt), err)
		}
	}
	return claims, nil
}

// claim chooses a token for the i-th slot. A lock that changes hands and reaches further than before needs room among
// those of another calendar, as a new one does.
func (s slots) claim(tx Transaction, i int, locks []lock, capacity int, now time.Time, spread bool) (claim, error) {
	slot, end := tx.Slots[i], tx.slotEnd(i)
	of := slices.DeleteFunc(slices.Clone(locks), func(k lock) bool { return !k.key.slot.Equal(slot) })
	others := uses(locks).At(slot, end) - len(of) // of another calendar, without a lock on this slot
	c, err := s.choose(tx, slot, of, capacity-others, now, spread)
	if err == nil && c.old != nil && c.old.Ends.Before(end) && others > 0 && len(of)+others > capacity {
		return claim{}, ErrSlotTaken
	}
	return c, err
}

// choose picks a token of one slot. It prefers that of the booking that is replaced, then a free one, then one whose
// hold has expired, then one that the same thread holds for an earlier offer. It takes the lowest of these, or a random
// one when contenders fight for the lowest.
//
// A lock that changes hands leaves their number as it is; a new one needs room (see [room]). A lock counts as long as it
// is there, even expired, because a clock that is behind may yet confirm it. So where a lowered capacity left too many
// locks, an expired one has to be swept before anybody else can have the slot.
func (s slots) choose(tx Transaction, slot time.Time, locks []lock, capacity int, now time.Time, spread bool) (claim, error) {
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
			return list[s.random(len(list))], nil
		case len(list) > 0:
			return list[0], nil
		}
	}
	return claim{}, ErrSlotTaken
}

// room returns the token below which new locks may be taken on a slot. The locks are given in the order of their tokens.
// It is the largest t such that t and the number of locks on t and above are together no more than the capacity.
//
// A writer knows only that its own token is still free. But the locks above t can only become fewer, as nobody takes a
// new one there, so room never shrinks and a choice from an old reading stays within it. Writers who have read different
// capacities keep to the largest.
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

func (s slots) random(n int) int {
	if s.rand != nil {
		return s.rand(n)
	}
	return rand.IntN(n)
}

func (s slots) takeLock(c claim, k lock, now time.Time) dynamo.Write {
	switch {
	case c.old == nil:
		return s.takeFree(c.key, k)
	case c.own && !c.old.expired(now):
		return s.takeOwn(c.key, k, c.old.Tx)
	}
	return s.takeExpired(c.key, k, c.old.Tx, now)
}
