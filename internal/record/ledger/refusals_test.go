package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
)

// What each state answers to each operation, as rules.go says in words. nil is done.
func TestWhatEachStateAllows(t *testing.T) {
	t.Parallel()
	confirmed := &AlreadyConfirmed{}
	for _, row := range []struct {
		state                          State
		over                           bool
		hold, confirm, release, expire error
	}{
		{state: Draft, confirm: ErrNotHeld, expire: ErrNotHeld},
		{state: Hold, hold: errNotDraft, expire: errNotDue},
		{state: Hold, over: true, hold: errNotDraft, confirm: ErrHoldGone},
		{state: Confirmed, hold: confirmed, confirm: confirmed, expire: ErrNotHeld},
		{state: Confirmed, over: true, hold: confirmed, confirm: confirmed, expire: ErrNotHeld},
		{state: NoShow, over: true, hold: errNotDraft, confirm: confirmed, release: ErrNoShow, expire: ErrNotHeld},
		{state: Cancelled, hold: errNotDraft, confirm: ErrNotHeld, release: ErrCancelled, expire: ErrNotHeld},
		{state: Cancelled, over: true, hold: errNotDraft, confirm: ErrNotHeld, release: ErrCancelled, expire: ErrNotHeld},
		{state: Expired, over: true, hold: errNotDraft, confirm: ErrHoldGone, release: ErrHoldGone, expire: ErrNotHeld},
	} {
		tx := Transaction{State: row.state, HoldExpiresAt: noon.Add(time.Second)}
		if row.over {
			tx.HoldExpiresAt = noon
		}
		for o, want := range map[op]error{opHold: row.hold, opConfirm: row.confirm, opRelease: row.release, opExpire: row.expire} {
			got := o.check(tx, noon)
			var already *AlreadyConfirmed
			if want == error(confirmed) && errors.As(got, &already) {
				continue
			}
			if !errors.Is(got, want) || want == nil && got != nil {
				t.Errorf("%s of what is %s (over: %v): %v, want %v", o, row.state, row.over, got, want)
			}
		}
	}
}

func TestAHoldInThePast(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for _, until := range []time.Time{c.Now(), c.Now().Add(-time.Minute)} {
		if _, err := c.Hold(context.Background(), c.draft(c.terms(24)).ID, 1, until, "k"); !errors.Is(err, ErrHoldGone) {
			t.Errorf("until %s: %v", until, err)
		}
	}
	if ls := c.locks(noon.Add(24 * time.Hour)); len(ls) != 0 {
		t.Errorf("locks = %+v", ls)
	}
}

// An offering for which there is less room than there was takes nobody until enough of those
// who were there before have gone: by NO, or by time.
func TestAnOfferingThatHasBecomeSmaller(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	first, terms := c.held(c.terms(24), 2), c.terms(24)
	second := c.held(terms, 2)
	if _, err := c.Release(ctx, c.owner, first.ID, "test", "no"); err != nil {
		t.Fatal(err)
	}
	tries := func() error {
		_, err := c.Hold(ctx, c.draft(c.terms(24)).ID, 1, c.Now().Add(time.Minute), "k")
		return err
	}
	if err := tries(); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("beside a hold: %v", err)
	}
	terms.Party = 3 // the other one's own thread asks for something else instead
	if _, err := c.Hold(ctx, c.draft(terms).ID, 1, c.Now().Add(time.Minute), "k"); err != nil {
		t.Errorf("in place of its own: %v", err)
	}
	c.clock.Set(second.HoldExpiresAt)
	if err := tries(); err != nil {
		t.Errorf("when the holds are over: %v", err)
	}
}

// Holds that belong to no thread are nobody's to take over.
func TestHoldsWithoutAThread(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	terms := c.terms(24)
	terms.Thread = ""
	c.held(terms, 1)
	if _, err := c.Hold(context.Background(), c.draft(terms).ID, 1, c.Now().Add(time.Minute), "k"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("err = %v, want %v", err, ErrSlotTaken)
	}
}

// Who says YES while another YES comes first is told that it is confirmed, and who confirms what
// is gone that there is nothing.
func TestWhatComesBetween(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	late := c.over(dynamotest.Before("TransactWriteItems", func() {
		if _, err := c.confirm(tx, "first"); err != nil {
			t.Error(err)
		}
	}), 4)
	var already *AlreadyConfirmed
	if _, err := late.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "second"); !errors.As(err, &already) || already.Transaction.ID != tx.ID {
		t.Errorf("the second YES: %v", err)
	}
	gone := c.held(c.terms(25), 1)
	late = c.over(dynamotest.Before("TransactWriteItems", func() {
		if err := c.Table.DB().Commit(ctx, c.Table.Delete(txKey(gone.ID))); err != nil {
			t.Error(err)
		}
	}), 4)
	if _, err := late.Confirm(ctx, c.owner, gone.ID, receiptFor(gone), "yes"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("what is gone: %v", err)
	}
}

func TestWhatThereIsNot(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	_, err := c.History(ctx, c.owner, "none")
	_, err2 := c.Get(ctx, c.owner, "none")
	_, err3 := c.reader().history(ctx, "none")
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, actor.ErrNotFound) {
			t.Error(err)
		}
	}
}

func TestANoShowIsTakenBackOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var all []Transaction
	for range 2 {
		tx, err := c.confirm(c.held(c.terms(24), 2), "yes")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tx)
	}
	c.clock.Set(all[0].Start)
	for _, tx := range all {
		if _, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := c.Missed(ctx, c.business, []string{c.owner.Key(), c.owner.Key()}, all[0].Start, 3); err != nil || n != 3 {
		t.Errorf("of those that count, 3 are wanted: %d, %v", n, err)
	}
	if _, err := c.TakeBack(ctx, clerk, all[0].ID, "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.TakeBack(ctx, clerk, all[0].ID, "another"); !errors.Is(err, ErrCame) {
		t.Errorf("taken back again: %v", err)
	}
}
