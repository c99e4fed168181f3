package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// settledAudit checks once all changes have settled.
func (c *corner) settledAudit() Audit {
	c.t.Helper()
	c.clock.Add(auditAfter)
	a, err := c.CheckInvariants(context.Background(), dynamo.Budget{})
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *corner) alertsOn(subject string) []alert.Alert {
	c.t.Helper()
	var found []alert.Alert
	for after := ""; ; {
		alerts, next, err := c.Alerts.List(context.Background(), 100, after)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, a := range alerts {
			if a.Subject == subject {
				found = append(found, a)
			}
		}
		if after = next; after == "" {
			return found
		}
	}
}

func TestASoundLedgerHasNoFindings(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.in(Confirmed, c.terms(24))
	c.in(Cancelled, c.terms(25))
	booked := c.in(Confirmed, c.terms(26))
	if _, err := c.Release(context.Background(), c.owner, booked.ID, "x", "k"); err != nil {
		t.Fatal(err)
	}
	c.in(Expired, c.terms(27))
	c.held(c.terms(28), 3)
	if a := c.settledAudit(); a != (Audit{Looked: 4}) {
		t.Errorf("first: %+v", a)
	}
	if a := c.settledAudit(); a != (Audit{}) {
		t.Errorf("everything is looked at once after a change: %+v", a)
	}
}

// What is cancelled between the reading of a booking and that of its locks is no finding.
func TestABookingThatEndsWhileItIsChecked(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.in(Confirmed, c.terms(24))
	lock := `"` + tx.Locks[0][:strings.Index(tx.Locks[0], "T")] + `"` // its partition
	c.clock.Add(auditAfter)
	meanwhile := dynamotest.BeforeText(lock, func() {
		if _, err := c.Release(ctx, c.owner, tx.ID, "test", "no"); err != nil {
			t.Error(err)
		}
	})
	meanwhile.Next = c.aside()
	if a, err := c.over(meanwhile, 1).CheckInvariants(ctx, dynamo.Budget{}); err != nil || a.Looked != 1 || a.Critical != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if now, err := c.Get(ctx, c.owner, tx.ID); err != nil || now.State != Cancelled {
		t.Errorf("it is %s, %v", now.State, err)
	}
}

func TestSingleHoldIsChecked(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	stolen := c.in(Confirmed, c.terms(24))
	lost := c.in(Confirmed, c.terms(25))
	stale := c.in(Confirmed, c.terms(26))
	thief := c.in(Confirmed, c.terms(27))
	k := c.locks(noon.Add(24 * time.Hour))
	k[0].Tx, k[0].TTL = thief.ID, 1
	c.put(k[0].key.item(), k[0])
	if err := c.Table.DB().Commit(context.Background(), c.Table.Delete(k[1].key.item())); err != nil {
		t.Fatal(err)
	}
	k[2].State, k[2].Until = lockHeld, c.Now().Add(-time.Hour) // anybody may take it over
	c.put(k[2].key.item(), k[2])
	// The thief lists the lock too: two confirmed transactions on one token.
	c.breakLocks(thief.ID, append(slices.Clone(thief.Locks), stolen.Locks...))
	a := c.settledAudit()
	if a.Critical != 3 || a.Healed != 0 {
		t.Errorf("%+v", a)
	}
	for _, tx := range []Transaction{stolen, lost, stale} {
		alerts := c.alertsOn(tx.ID)
		if len(alerts) != 1 || alerts[0].Severity != alert.Critical || alerts[0].Check != SingleHold {
			t.Errorf("alerts = %+v", alerts)
		}
	}
	if got := len(c.locks(noon.Add(24 * time.Hour))); got != 3 {
		t.Errorf("%d locks are left, want 3: only orphans are mended", got)
	}
}

// What counts on a place, and lists fewer locks than it has slots, is not sound, though each of those is
// its own; the lock that it does not list is left to it.
func TestABookingThatListsTooFewLocks(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	none, one, held := c.in(Confirmed, c.terms(24)), c.lasting(25, 2), c.held(c.terms(27), 1)
	some := c.in(Confirmed, one)
	c.breakLocks(none.ID, nil)
	c.breakLocks(some.ID, some.Locks[:1])
	c.breakLocks(held.ID, nil)
	c.clock.Add(auditAfter)
	if a, err := c.CheckInvariants(t.Context(), dynamo.Budget{}); err != nil || a.Critical != 2 || a.Healed != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, tx := range []Transaction{none, some} {
		if alerts := c.alertsOn(tx.ID); len(alerts) != 1 || alerts[0].Check != SingleHold || alerts[0].Severity != alert.Critical {
			t.Errorf("alerts = %+v", alerts)
		}
	}
	if got := len(c.locks(none.Start)); got != 4 {
		t.Errorf("%d locks are left, want all 4", got)
	}
}

// Two who take a time at once by two calendars have it under two names, which keep nobody out: that
// is found when it has happened.
func TestTwoBookingsInEachOther(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms, later := c.terms(24), c.terms(24)
	later.Start, later.End = later.Start.Add(30*time.Minute), later.End.Add(30*time.Minute)
	later.Slots = []time.Time{later.Start}
	var other Transaction
	at := dynamotest.Before("TransactWriteItems", func() { other = c.in(Confirmed, later) })
	at.Next = c.aside()
	tx, err := c.over(at, 1).Offer(ctx, terms, 1, 10*time.Minute, "k")
	if err != nil {
		t.Fatal(err)
	}
	if a := c.settledAudit(); a.Critical != 1 || a.Healed != 0 {
		t.Errorf("%+v", a)
	}
	if alerts := c.alertsOn(tx.Locks[0]); len(alerts) != 1 || alerts[0].Check != SingleHold || alerts[0].Severity != alert.Critical || !strings.Contains(alerts[0].Message, tx.ID) || !strings.Contains(alerts[0].Message, other.ID) {
		t.Errorf("alerts = %+v", alerts)
	}
}

// Nothing of it is said where the two have two of several places, the one is cancelled, or it came to
// its length when there were more.
func TestBookingsBesideEachOther(t *testing.T) {
	t.Parallel()
	half := func(c *corner, n int) Terms { // of an hour after the n-th
		terms := c.terms(n)
		terms.Start, terms.End = terms.Start.Add(30*time.Minute), terms.End.Add(30*time.Minute)
		terms.Slots = []time.Time{terms.Start}
		return terms
	}
	yes := func(c *corner, tx Transaction) Transaction {
		c.t.Helper()
		tx, err := c.confirm(tx, "yes")
		if err != nil {
			c.t.Fatal(err)
		}
		return tx
	}
	for name, prepare := range map[string]func(c *corner){
		"right after it":           func(c *corner) { yes(c, c.held(c.terms(24), 1)); yes(c, c.held(c.terms(25), 1)) },
		"two of two places":        func(c *corner) { yes(c, c.held(c.terms(24), 2)); yes(c, c.held(half(c, 24), 2)) },
		"there was one place then": func(c *corner) { yes(c, c.held(c.terms(24), 1)); yes(c, c.held(half(c, 24), 2)) },
		"there were two places": func(c *corner) {
			yes(c, c.held(c.terms(24), 1))
			terms := half(c, 24)
			c.held(terms, 2)
			terms.Party = 3 // the same thread asks again, when there is one place
			yes(c, c.held(terms, 1))
		},
		"it was cancelled": func(c *corner) {
			tx := yes(c, c.held(c.terms(24), 1))
			if _, err := c.Release(context.Background(), c.owner, tx.ID, "no", "no"); err != nil {
				c.t.Fatal(err)
			}
			yes(c, c.held(half(c, 24), 1))
		},
		"it is longer since there are two": func(c *corner) {
			terms := c.terms(24)
			old := yes(c, c.held(terms, 1))
			yes(c, c.held(c.terms(25), 1))
			terms.End, terms.Replaces = terms.End.Add(time.Hour), old.ID
			tx := c.held(terms, 2)
			ws, _, _, err := c.Ledger.MoveWrites(context.Background(), c.owner, tx.ID, tx.OfferHash, receiptFor(tx), "yes")
			if err == nil {
				err = c.Table.DB().Commit(context.Background(), ws...)
			}
			if err != nil {
				c.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			prepare(c)
			if a := c.settledAudit(); a.Looked == 0 || a.Critical != 0 || a.Healed != 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestOneConfirmedEventIsChecked(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	ctx := context.Background()
	without, twice, bare, fine := c.in(Confirmed, c.terms(24)), c.in(Confirmed, c.terms(25)), c.in(Confirmed, c.terms(26)), c.in(Confirmed, c.terms(27))
	never := c.in(Cancelled, c.terms(28))
	db := c.Table.DB()
	if err := db.Commit(ctx, c.Table.Delete(eventKey(without.ID, "confirmed")), c.Table.Delete(receiptKey(bare.ID))); err != nil {
		t.Fatal(err)
	}
	c.put(eventKey(twice.ID, "confirmed#2"), Event{ID: "confirmed#2", Type: Confirmed})
	c.put(eventKey(never.ID, "confirmed"), Event{ID: "confirmed", Type: Confirmed})
	if a := c.settledAudit(); a.Error != 4 || a.Critical != 0 {
		t.Errorf("%+v", a)
	}
	for _, tx := range []Transaction{without, twice, bare, never} {
		if alerts := c.alertsOn(tx.ID); len(alerts) != 1 || alerts[0].Severity != alert.Error || alerts[0].Check != OneConfirmed {
			t.Errorf("alerts = %+v", alerts)
		}
	}
	if alerts := c.alertsOn(fine.ID); len(alerts) != 0 {
		t.Errorf("alerts = %+v", alerts)
	}
}

func TestOnlyOrphansAreDeleted(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	kept := c.in(Confirmed, c.terms(24))
	held := c.held(c.terms(25), 1)
	gone := c.in(Cancelled, c.terms(26))
	orphan := func(n int, tx string) lock {
		key := lockKey{c.business, "table", noon.Add(time.Duration(n) * time.Hour), 0}
		k := lock{Name: key.name(1), Tx: tx, State: lockConfirmed, TTL: 1, key: key}
		c.put(key.item(), k)
		return k
	}
	orphans := []lock{orphan(26, gone.ID), orphan(27, "missing"), orphan(28, kept.ID)}
	a := c.settledAudit()
	if a.Warning != 3 || a.Healed != 3 || a.Critical != 0 || a.Error != 0 {
		t.Errorf("%+v", a)
	}
	for _, k := range orphans {
		if alerts := c.alertsOn(k.Name); len(alerts) != 1 || !alerts[0].Healed || alerts[0].Severity != alert.Warning {
			t.Errorf("alerts = %+v", alerts)
		}
	}
	var owners []string
	for _, k := range c.locks(noon.Add(24 * time.Hour)) {
		owners = append(owners, k.Tx)
	}
	if !slices.Equal(owners, []string{kept.ID, held.ID}) {
		t.Errorf("locks of %v are left", owners)
	}
}

// A finding that stays is looked at again later, and is one alert until somebody
// acknowledges it.
func TestAFindingIsOneAlert(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.in(Confirmed, c.terms(24))
	if err := c.Table.DB().Commit(ctx, c.Table.Delete(eventKey(tx.ID, "confirmed"))); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c.settledAudit()
		c.clock.Add(lookAgain)
	}
	alerts := c.alertsOn(tx.ID)
	if len(alerts) != 1 || alerts[0].Seen != 3 || !alerts[0].LastAt.After(alerts[0].At) {
		t.Fatalf("alerts = %+v", alerts)
	}
	for range 2 {
		if err := c.Alerts.Acknowledge(ctx, alerts[0].ID, "op"); err != nil {
			t.Fatal(err)
		}
	}
	c.settledAudit()
	if again := c.alertsOn(tx.ID); len(again) != 2 || again[0].Acknowledged != "" || again[1].Acknowledged != "op" {
		t.Errorf("alerts = %+v", again)
	}
	if err := c.Alerts.Acknowledge(ctx, "missing", "op"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an alert that does not exist: %v", err)
	}
	c.put(eventKey(tx.ID, "confirmed"), Event{ID: "confirmed", Type: Confirmed})
	c.clock.Add(lookAgain)
	c.settledAudit()
	c.clock.Set(tx.End)
	c.settledAudit()
	if it, _ := c.Table.Get(ctx, txKey(tx.ID)); it.String("dueShard") != "" {
		t.Error("mended and over, and still on the index")
	}
	if again := c.alertsOn(tx.ID); len(again) != 2 || again[0].Seen != 1 {
		t.Errorf("mended, and found again: %+v", again)
	}
}

// A transaction that changes while it is looked at is looked at again.
func TestAChangeDuringAnAuditCounts(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.in(Confirmed, c.terms(24))
	if _, err := c.Release(ctx, c.owner, tx.ID, "x", "k"); err != nil {
		t.Fatal(err)
	}
	a := newAudit(c.Ledger)
	if err := a.seen(ctx, tx, time.Time{}); err != nil { // as read before the change
		t.Fatal(err)
	}
	it, err := c.Table.Get(ctx, txKey(tx.ID))
	if err != nil || !strings.HasPrefix(it.String("dueShard"), dueAudit) {
		t.Errorf("the change's own look was taken off: %v, %v", it.String("dueShard"), err)
	}
}

// Locks that were corrupted by hand are not deleted while a live transaction lists them, whatever
// transaction they name and whoever's look comes across them: nobody else gets the place. The daily look
// at the booking finds the damage.
func TestField12_CorruptedLocksAreNotHealedAway(t *testing.T) {
	t.Parallel()
	for name, corrupt := range map[string]func(c *corner, k lock) lock{
		"names nobody":             func(_ *corner, k lock) lock { k.Tx = "missing"; return k },
		"names a cancelled one":    func(c *corner, k lock) lock { k.Tx = c.in(Cancelled, c.terms(28)).ID; return k },
		"names another that lives": func(c *corner, k lock) lock { k.Tx = c.in(Confirmed, c.terms(29)).ID; return k },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ctx := newCorner(t), context.Background()
			tx := c.in(Confirmed, c.terms(25))
			if a := c.settledAudit(); a.Looked == 0 || a.Critical != 0 {
				t.Fatalf("before: %+v", a)
			}
			k := corrupt(c, c.locks(tx.Start)[0])
			c.put(k.key.item(), k)
			c.in(Confirmed, c.terms(26)) // has the day looked at
			if a := c.settledAudit(); a.Healed != 0 {
				t.Errorf("healed: %+v", a)
			}
			double := 0
			for n := range 5 {
				if _, err := c.Offer(ctx, c.terms(25), 1, 10*time.Minute, fmt.Sprint("contender ", n)); err == nil {
					double++
				}
			}
			if double > 0 {
				t.Errorf("%d got the place of a booking that stands", double)
			}
			c.clock.Set(tx.UpdatedAt.Add(lookDaily + 2*auditAfter))
			if a := c.settledAudit(); a.Critical == 0 {
				t.Errorf("a day later: %+v", a)
			}
			if alerts := c.alertsOn(tx.ID); len(alerts) != 1 || alerts[0].Check != SingleHold || alerts[0].Severity != alert.Critical {
				t.Errorf("alerts = %+v", alerts)
			}
		})
	}
}

// What stands is looked at each day, as damage may come after the last look, and no more once it is over.
func TestABookingThatStandsIsLookedAtDaily(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	tx := c.in(Confirmed, c.terms(60))
	for day := range 2 {
		if a := c.settledAudit(); a != (Audit{Looked: 1}) {
			t.Errorf("day %d: %+v", day, a)
		}
		if a := c.settledAudit(); a != (Audit{}) {
			t.Errorf("day %d, again: %+v", day, a)
		}
		c.clock.Add(lookDaily)
	}
	if err := c.Table.DB().Commit(context.Background(), c.Table.Delete(c.locks(tx.Start)[0].key.item())); err != nil {
		t.Fatal(err)
	}
	c.clock.Add(lookDaily)
	if a := c.settledAudit(); a.Critical != 1 || len(c.alertsOn(tx.ID)) != 1 {
		t.Errorf("a lost lock: %+v", a)
	}
}
