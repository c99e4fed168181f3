package ledger

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

var clerk = actor.Actor{Kind: actor.Staff, ID: "clerk", Groups: []string{"admin"}}

// begun is a booking whose start has passed.
func (c *corner) begun(hour int) Transaction {
	c.t.Helper()
	tx, err := c.confirm(c.held(c.terms(hour), 1), "yes")
	if err != nil {
		c.t.Fatal(err)
	}
	c.clock.Set(tx.Start)
	return tx
}

func TestANoShowIsMarkedAndTakenBackOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx, err := c.confirm(c.held(c.terms(24), 1), "yes")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "k"); !errors.Is(err, errNotBegun) {
		t.Errorf("before it begins: %v", err)
	}
	if _, err := c.TakeBack(ctx, clerk, tx.ID, "k"); !errors.Is(err, errNotNoShow) {
		t.Errorf("taken back before it was marked: %v", err)
	}
	c.clock.Set(tx.Start)
	for _, who := range []actor.Actor{c.owner, {Kind: actor.Staff, ID: "nobody"}, {Kind: actor.Person, ID: "whatsapp:x"}} {
		_, err := c.Mark(ctx, who, tx.ID, "k")
		_, err2 := c.TakeBack(ctx, who, tx.ID, "k")
		if !errors.Is(err, actor.ErrNotFound) || !errors.Is(err2, actor.ErrNotFound) {
			t.Errorf("%s: %v, %v", who.Key(), err, err2)
		}
	}
	for range 2 {
		if got, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil || got.State != NoShow || !got.NoShowAt.Equal(c.Now()) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "another"); !errors.Is(err, ErrNoShow) {
		t.Errorf("marked again: %v", err)
	}
	if _, err := c.Release(ctx, c.owner, tx.ID, "x", "k"); !errors.Is(err, ErrNoShow) || !Refused(err) {
		t.Errorf("cancelled by its owner: %v", err)
	}
	if n := len(c.locks(tx.Start)); n != 1 {
		t.Errorf("%d locks", n)
	}
	count := func() int {
		n, err := c.Missed(ctx, c.business, []string{"user:nobody", tx.Owner}, tx.Start, 5)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("counts %d", n)
	}
	if later, err := c.Missed(ctx, c.business, []string{tx.Owner}, tx.Start.Add(time.Minute), 5); err != nil || later != 0 {
		t.Errorf("counts %d since later, %v", later, err)
	}
	c.clock.Add(TakeBackFor - time.Second)
	for range 2 {
		if got, err := c.TakeBack(ctx, clerk, tx.ID, "k"); err != nil || got.State != Confirmed {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if n := count(); n != 0 {
		t.Errorf("counts %d", n)
	}
	if _, err := c.Mark(ctx, clerk, tx.ID, "again"); !errors.Is(err, ErrCame) {
		t.Errorf("marked after it was taken back: %v", err)
	}
	events, err := c.Events(ctx, tx.ID)
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
	}
	if got := strings.Join(types, " "); err != nil || got != "draft hold confirmed no_show came" || events[3].Actor != clerk.Key() {
		t.Errorf("%s, %v", got, err)
	}
	c.clock.Add(time.Hour)
	if found, err := c.CheckInvariants(ctx, dynamo.Budget{}); err != nil || len(c.alertsOn(tx.ID)) != 0 {
		t.Errorf("%+v, %v, %v", found, c.alertsOn(tx.ID), err)
	}
}

func TestANoShowInItsTime(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := newCorner(t)
	late := c.begun(24)
	c.clock.Set(late.End.Add(markFor))
	if _, err := c.Mark(ctx, clerk, late.ID, "k"); !errors.Is(err, errMarkedLate) {
		t.Errorf("%v", err)
	}
	c.clock.Add(-time.Second)
	if _, err := c.Mark(ctx, clerk, late.ID, "k"); err != nil {
		t.Errorf("%v", err)
	}
	c.clock.Add(TakeBackFor)
	if _, err := c.TakeBack(ctx, clerk, late.ID, "k"); !errors.Is(err, errStands) {
		t.Errorf("%v", err)
	}
	held := newCorner(t)
	tx := held.held(held.terms(24), 1)
	held.clock.Set(tx.Start)
	if _, err := held.Mark(ctx, clerk, tx.ID, "k"); !errors.Is(err, errNotBooked) {
		t.Errorf("what is not booked: %v", err)
	}
	if _, err := held.Mark(ctx, clerk, "missing", "k"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

// A customer who cancels and a business that marks, at once: one of them.
func TestOneWinnerOfMarkingAndCancelling(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for range 8 {
		c := newCorner(t)
		tx := c.begun(24)
		var wg sync.WaitGroup
		errs := make([]error, 3)
		wg.Go(func() { _, errs[0] = c.Mark(ctx, clerk, tx.ID, "a") })
		wg.Go(func() { _, errs[1] = c.Mark(ctx, clerk, tx.ID, "b") })
		wg.Go(func() { _, errs[2] = c.Release(ctx, c.owner, tx.ID, "x", "c") })
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		}
		n, err := c.Missed(ctx, c.business, []string{tx.Owner}, tx.Start, 5)
		now, err2 := c.Get(ctx, c.owner, tx.ID)
		if won != 1 || err != nil || err2 != nil || (n == 1) != (now.State == NoShow) {
			t.Errorf("%d won: %s, %d counted; %v %v %v", won, now.State, n, errs, err, err2)
		}
	}
}
