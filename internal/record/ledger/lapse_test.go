package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/cloud/dynamo/dynamotest"
)

// lapse deletes what of the corner DynamoDB would delete by now, or could.
func (c *corner) lapse(txs ...Transaction) {
	c.t.Helper()
	dynamotest.Lapse(c.t, dynamotest.TableName("ledger"), c.business, c.Now())
	for _, tx := range txs {
		dynamotest.Lapse(c.t, dynamotest.TableName("ledger"), tx.ID, c.Now())
	}
}

// A slot is its holder's until it is over, however far ahead it was booked, and the booking,
// which has been a draft, stays.
func TestABookingOutlastsItsSlot(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	draft := c.draft(c.terms(60 * 24))
	c.clock.Add(draftFor - time.Minute)
	c.lapse(draft)
	held, err := c.Hold(ctx, draft.ID, 1, c.Now().Add(10*time.Minute), "hold")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := c.confirm(held, "yes")
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Set(tx.Start.Add(-time.Minute))
	c.lapse(tx)
	rival := c.draft(c.terms(60 * 24))
	if _, err := c.Hold(ctx, rival.ID, 1, c.Now().Add(10*time.Minute), "hold"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("the slot is held by two: %v", err)
	}
	c.clock.Set(tx.End.AddDate(1, 0, 0))
	c.lapse(tx)
	if got, err := c.Get(ctx, c.owner, tx.ID); err != nil || got.State != Confirmed {
		t.Errorf("a year later: %s, %v", got.State, err)
	}
}

// The same key gives the same draft for as long as a message may come again.
func TestAKeyOutlastsItsMessage(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.terms(24)
	first, err := c.Draft(ctx, terms, "key")
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Add(7 * 24 * time.Hour)
	c.lapse()
	if again, err := c.Draft(ctx, terms, "key"); err != nil || again.ID != first.ID {
		t.Errorf("%s, and a week later %s, %v", first.ID, again.ID, err)
	}
}

// A booking that nobody came to counts for as long as rules look back.
func TestANoShowCountsForTwoYears(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.begun(24)
	if _, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(730 * 24 * time.Hour)
	c.lapse(tx)
	if n, err := c.Missed(ctx, c.business, []string{tx.Owner}, tx.Start, 10); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}

// A long stay of which somebody says late that nobody came is sound, though its first nights are no
// longer kept.
func TestALongStayIsMarkedLate(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	terms := c.terms(24)
	terms.Slots, terms.Nights, terms.End = nil, 30, terms.Start.AddDate(0, 0, 30)
	for n := range terms.Nights {
		terms.Slots = append(terms.Slots, terms.Start.Truncate(24*time.Hour).AddDate(0, 0, n))
	}
	tx := c.in(Confirmed, terms)
	c.clock.Set(tx.End.AddDate(0, 0, 6))
	c.lapse(tx)
	if left := len(c.locks(terms.Start)); left != 0 {
		t.Fatalf("%d locks of the first night are left", left)
	}
	if _, err := c.Mark(t.Context(), clerk, tx.ID, "mark"); err != nil {
		t.Fatal(err)
	}
	if a := c.settledAudit(); a.Critical > 0 {
		t.Errorf("%+v, %+v", a, c.alertsOn(tx.ID))
	}
}
