package ledger

import (
	"context"
	"errors"
	"testing"
)

func TestReleaseOfAnOffer(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	ws, after, err := c.ReleaseWrites(ctx, c.owner, tx.ID, "declined", "no")
	if err != nil || after.State != Cancelled || len(ws) == 0 {
		t.Fatal(after.State, len(ws), err)
	}
	if err := c.Table.DB().Commit(ctx, ws...); err != nil {
		t.Fatal(err)
	}
	if ws, now, err := c.ReleaseWrites(ctx, c.owner, tx.ID, "declined", "no"); err != nil || len(ws) != 0 || now.State != Cancelled {
		t.Errorf("nothing to let go: %d writes, %s, %v", len(ws), now.State, err)
	}
	var booked *AlreadyConfirmed
	for hour, before := range []bool{true, false} { // or between the look and the writes
		tx := c.held(c.terms(48+hour), 1)
		confirm := func() {
			if _, err := c.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "yes"); err != nil {
				t.Fatal(err)
			}
		}
		if before {
			confirm()
		}
		ws, _, err := c.ReleaseWrites(ctx, c.owner, tx.ID, "declined", "no")
		if !before {
			confirm()
			err = c.Table.DB().Commit(ctx, ws...)
		}
		if !errors.As(err, &booked) || booked.Transaction.ID != tx.ID || booked.Transaction.State != Confirmed || before && len(ws) > 0 {
			t.Errorf("confirmed before %v: %d writes, %v", before, len(ws), err)
		}
	}
}
