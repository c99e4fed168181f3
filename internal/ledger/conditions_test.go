package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/dynamo"
)

// What is read may be out of date when the writes arrive. Each condition is met here by a
// store that has changed in between, in ways that no operation would leave behind too.
func TestEachConditionStandsByItself(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	lockAt := func(c *corner) lock { return c.locks(noon.Add(24 * time.Hour))[0] }
	confirm := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		return c.ConfirmWrites(tx, receiptFor(tx), "k", c.Now())
	}
	release := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		return c.ReleaseWrites(tx, "x", "k", c.Now())
	}
	expire := func(c *corner, tx Transaction) ([]dynamo.Write, error) {
		ch, err := c.ending(tx, tx.HoldExpiresAt, nil)
		return c.writes(ch), err
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
	foreign := changeLock(func(k *lock) { k.Tx = "another" })
	tests := map[string]struct {
		prepare func(c *corner, tx Transaction) ([]dynamo.Write, error)
		between func(c *corner, tx Transaction)
		want    error
	}{
		"confirm, the hold is over":        {confirm, moveHold(-time.Hour), ErrHoldGone},
		"confirm, the lock is another's":   {confirm, foreign, ErrSlotTaken},
		"confirm, the lock is not held":    {confirm, changeLock(func(k *lock) { k.State = lockConfirmed }), ErrSlotTaken},
		"confirm, the event is there":      {confirm, func(c *corner, tx Transaction) { c.put(eventKey(tx.ID, "confirmed"), Event{}) }, ErrChanged},
		"confirm, the receipt is there":    {confirm, func(c *corner, tx Transaction) { c.put(receiptKey(tx.ID), Receipt{}) }, ErrChanged},
		"release, the lock is another's":   {release, foreign, ErrSlotTaken},
		"expire, the lock is another's":    {expire, foreign, ErrSlotTaken},
		"expire, the hold is not over":     {expire, moveHold(time.Hour), ErrNotDue},
		"take own, the lock is another's":  {takeOwnOf, foreign, errTokenLost},
		"take own, the lock is confirmed":  {takeOwnOf, changeLock(func(k *lock) { k.State = lockConfirmed }), errTokenLost},
		"take over, the lock is another's": {takeExpiredOf, foreign, errTokenLost},
		"take over, the lock is confirmed": {takeExpiredOf, changeLock(func(k *lock) { k.State = lockConfirmed }), errTokenLost},
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
				before := lockAt(c)
				if err := c.Table.DB().Commit(ctx, ws...); !errors.Is(err, want) {
					t.Errorf("changed %v: %v, want %v", changed, err, want)
				}
				if changed && lockAt(c) != before {
					t.Errorf("the lock became %+v", lockAt(c))
				}
			}
		})
	}
}

func takeOwnOf(c *corner, tx Transaction) ([]dynamo.Write, error) {
	k, err := locksOf(tx)
	return []dynamo.Write{c.takeOwn(k[0], lock{Name: tx.Locks[0], Tx: "new", State: lockHeld}, tx.ID)}, err
}

func takeExpiredOf(c *corner, tx Transaction) ([]dynamo.Write, error) {
	k, err := locksOf(tx)
	return []dynamo.Write{c.takeExpired(k[0], lock{Name: tx.Locks[0], Tx: "new", State: lockHeld}, tx.ID, tx.HoldExpiresAt)}, err
}

// A lock that a live transaction has taken since it was read as an orphan stays.
func TestAnOrphanIsDeletedAsItWasRead(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	tx := c.held(c.terms(24), 1)
	stale := c.locks(tx.Start)
	stale[0].Tx = "missing"
	a := &audit{Ledger: c.Ledger, budget: newBudget(Limits{})}
	if err := a.healOrphans(context.Background(), stale); err != nil || a.found.Healed != 0 {
		t.Errorf("%+v, %v", a.found, err)
	}
	if ls := c.locks(tx.Start); len(ls) != 1 || ls[0].Tx != tx.ID {
		t.Errorf("locks = %+v", ls)
	}
}

// A refusal looks at the record of the key only while that is valid.
func TestField16_AnExpiredRecordAnswersNoRefusal(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx, until := c.draft(c.terms(24)), c.Now().Add(time.Minute)
	if _, err := c.Hold(ctx, tx.ID, 1, until, "k"); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(doneFor - time.Second)
	if _, err := c.Hold(ctx, tx.ID, 1, until, "k"); err != nil {
		t.Errorf("while the record is valid: %v", err)
	}
	c.clock.Add(time.Second)
	if _, err := c.Hold(ctx, tx.ID, 1, until, "k"); !errors.Is(err, ErrNotDraft) {
		t.Errorf("after it: %v, want %v", err, ErrNotDraft)
	}
}
