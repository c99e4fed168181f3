package ledger

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
)

// What is read may be out of date when the writes arrive. Each condition is met here by a
// store that has changed in between, in ways that no operation would leave behind too.
func TestEachConditionStandsByItself(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	lockAt := func(c *corner) lock { return c.locks(noon.Add(24 * time.Hour))[0] }
	confirm := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		return c.confirmWrites(tx, receiptFor(tx), "k", c.Now())
	}
	release := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		return c.releaseWrites(tx, "x", "k", c.Now())
	}
	expire := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		ch, err := c.changes().ending(tx, tx.HoldExpiresAt, nil)
		return c.writer().writes(ch), err
	}
	moveHold := func(by time.Duration) func(c *corner, tx Transaction) {
		return func(c *corner, tx Transaction) {
			w := c.Table.Update(txKey(tx.ID), "SET holdExpiresAt = :at", dynamo.V{":at": tx.HoldExpiresAt.Add(by)})
			if err := c.Table.DB().Commit(ctx, w); err != nil {
				t.Error(err)
			}
		}
	}
	changeLock := func(change func(k *lock)) func(c *corner, tx Transaction) {
		return func(c *corner, _ Transaction) {
			k := lockAt(c)
			change(&k)
			c.put(k.key.item(), k)
		}
	}
	gone := func(c *corner, tx Transaction) {
		if err := c.Table.DB().Commit(ctx, c.Table.Delete(lockAt(c).key.item())); err != nil {
			t.Error(err)
		}
	}
	rewrite := func(change func(tx *Transaction)) func(c *corner, tx Transaction) {
		return func(c *corner, tx Transaction) {
			change(&tx)
			c.put(txKey(tx.ID), itemOf(tx))
		}
	}
	foreign := changeLock(func(k *lock) { k.Tx = "another" })
	tests := map[string]struct {
		prepare func(c *corner, tx Transaction) ([]dynamo.Write, error)
		between func(c *corner, tx Transaction)
		want    error
	}{
		"confirm, the state is another":    {confirm, rewrite(func(tx *Transaction) { tx.State = Cancelled }), ErrNotHeld},
		"confirm, the version is another":  {confirm, rewrite(func(tx *Transaction) { tx.Version++ }), ErrChanged},
		"confirm, the lock is gone":        {confirm, gone, ErrSlotTaken},
		"release, the version is another":  {release, rewrite(func(tx *Transaction) { tx.Version++ }), ErrChanged},
		"release, the event is there":      {release, func(c *corner, tx Transaction) { c.put(eventKey(tx.ID, "cancelled"), Event{Transaction: tx}) }, ErrChanged},
		"release, the lock is gone":        {release, gone, nil},
		"expire, the lock is gone":         {expire, gone, nil},
		"confirm, the hold is over":        {confirm, moveHold(-time.Hour), ErrHoldGone},
		"confirm, the lock is another's":   {confirm, foreign, ErrSlotTaken},
		"confirm, the lock is not held":    {confirm, changeLock(func(k *lock) { k.State = lockConfirmed }), ErrSlotTaken},
		"confirm, the event is there":      {confirm, func(c *corner, tx Transaction) { c.put(eventKey(tx.ID, "confirmed"), Event{Transaction: tx}) }, ErrChanged},
		"confirm, the receipt is there":    {confirm, func(c *corner, tx Transaction) { c.put(receiptKey(tx.ID), gate.Receipt{}) }, ErrChanged},
		"release, the lock is another's":   {release, foreign, ErrSlotTaken},
		"expire, the lock is another's":    {expire, foreign, ErrSlotTaken},
		"expire, the hold is not over":     {expire, moveHold(time.Hour), errNotDue},
		"take own, the lock is another's":  {takeOwnOf, foreign, errTokenLost},
		"take own, the lock is confirmed":  {takeOwnOf, changeLock(func(k *lock) { k.State = lockConfirmed }), errTokenLost},
		"take over, the lock is another's": {takeExpiredOf, foreign, errTokenLost},
		"take over, the lock is confirmed": {takeExpiredOf, changeLock(func(k *lock) { k.State = lockConfirmed }), errTokenLost},
		"inherit, the lock is another's":   {inheritOf, foreign, ErrSlotTaken},
		"inherit, the lock is held":        {inheritOf, changeLock(func(k *lock) { k.State = lockHeld }), ErrSlotTaken},
		"take over, the lock is not over":  {takeExpiredOf, changeLock(func(k *lock) { k.Until = k.Until.Add(time.Hour) }), errTokenLost},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, changed := range []bool{false, true} {
				c := newCorner(t)
				tx := c.held(c.terms(24), 1)
				ws, err := tt.prepare(c, tx)
				if err != nil {
					t.Fatal(err)
				}
				var want error
				if changed {
					tt.between(c, tx)
					want = tt.want
				}
				day := noon.Add(24 * time.Hour)
				before := c.locks(day)
				if err := c.Table.DB().Commit(ctx, ws...); !errors.Is(err, want) {
					t.Errorf("changed %v: %v, want %v", changed, err, want)
				}
				if changed && !slices.Equal(c.locks(day), before) {
					t.Errorf("the lock became %+v", c.locks(day))
				}
			}
		})
	}
}

func takeOwnOf(c *corner, tx Transaction) ([]dynamo.Write, error) {
	k, err := locksOf(tx)
	return []dynamo.Write{c.slots().takeOwn(k[0], lock{Name: tx.Locks[0], Tx: "new", State: lockHeld}, tx.ID)}, err
}

func takeExpiredOf(c *corner, tx Transaction) ([]dynamo.Write, error) {
	k, err := locksOf(tx)
	return []dynamo.Write{c.slots().takeExpired(k[0], lock{Name: tx.Locks[0], Tx: "new", State: lockHeld}, tx.ID, tx.HoldExpiresAt)}, err
}

func inheritOf(c *corner, tx Transaction) ([]dynamo.Write, error) {
	if _, err := c.confirm(tx, "yes"); err != nil {
		return nil, err
	}
	k, err := locksOf(tx)
	moved := tx
	moved.ID, moved.Replaces = "new", tx.ID
	return []dynamo.Write{c.slots().inheritLock(k[0], moved)}, err
}

// A lock that a live transaction has taken since it was read as an orphan stays.
func TestAnOrphanIsDeletedAsItWasRead(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	tx := c.held(c.terms(24), 1)
	stale := c.locks(tx.Start)
	stale[0].Tx = "missing"
	a := newAudit(c.Ledger)
	if err := a.healOrphans(context.Background(), stale, nil); err != nil || a.found.Healed != 0 {
		t.Errorf("%+v, %v", a.found, err)
	}
	if ls := c.locks(tx.Start); len(ls) != 1 || ls[0].Tx != tx.ID {
		t.Errorf("locks = %+v", ls)
	}
}

// An offer that is refused looks at the record of its key only while that is valid.
func TestField16_AnExpiredRecordAnswersNoRefusal(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.terms(24 * 40)
	offer := func() (Transaction, error) { return c.Offer(ctx, terms, 1, time.Hour, "k") }
	first, err := offer()
	if err == nil {
		_, err = c.confirm(first, "yes") // its place is taken from now on
	}
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Add(doneFor - time.Second)
	if again, err := offer(); err != nil || again.ID != first.ID {
		t.Errorf("while the record is valid: %s, %v", again.ID, err)
	}
	c.clock.Add(time.Second)
	if _, err := offer(); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("after it: %v, want %v", err, ErrSlotTaken)
	}
}

// A free token is taken by one, and an id is given to one transaction.
func TestWhatIsThereIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	k := c.locks(tx.Start)[0]
	if err := c.Table.DB().Commit(ctx, c.slots().takeFree(k.key, lock{Tx: "new"})); !errors.Is(err, errTokenLost) {
		t.Errorf("a token that is held: %v", err)
	}
	c.NewID = func() string { return tx.ID }
	if _, err := c.Draft(ctx, c.terms(30), "k"); !errors.Is(err, ErrChanged) {
		t.Errorf("a draft with an id that exists: %v", err)
	}
	if _, err := c.Offer(ctx, c.terms(30), 1, time.Minute, "k"); !errors.Is(err, ErrChanged) {
		t.Errorf("an offer with an id that exists: %v", err)
	}
	if now, err := c.Get(ctx, c.owner, tx.ID); err != nil || now.State != Hold || len(c.locks(noon.Add(30*time.Hour))) != 1 {
		t.Errorf("%+v, %v", now, err)
	}
}
