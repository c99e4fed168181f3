package booking_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/booking"
	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/ledger"
	"merve/internal/thread"
)

// told counts what threads are told.
type told struct{ n int }

func (t *told) Tell(context.Context, string, string, thread.Notice) error {
	t.n++
	return nil
}

// A customer who wishes for another moment while they are reminded is reminded then, too.
func TestAReminderIsSetAgainWhileItIsSent(t *testing.T) {
	t.Parallel()
	ctx, now := context.Background(), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	over := func(db *dynamo.DB) *ledger.Ledger {
		return &ledger.Ledger{Table: db.Table(dynamotest.TableName("ledger")), Now: func() time.Time { return now }, NewID: func() string { return dynamotest.ID("t") }}
	}
	l, owner, start := over(dynamotest.Open(t)), actor.Actor{Kind: actor.User, ID: dynamotest.ID("ann")}, now.Add(48*time.Hour)
	tx, err := l.Offer(ctx, ledger.Terms{
		Business: dynamotest.ID("biz"), Listing: "grill", ListingName: "Grill", Offering: "table", Market: "demo", Owner: owner.Key(), Thread: "th_1",
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "UTC", Party: 2, Currency: "EUR",
	}, 1, 10*time.Minute, "key")
	if err == nil {
		tx, err = l.Confirm(ctx, owner, tx.ID, ledger.Receipt{PendingID: "p_1", OfferHash: tx.OfferHash, MessageID: "m_1", Answer: "yes", Actor: owner.Key(), At: now}, "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	key := dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}
	wish := func(at time.Time) {
		if err := l.Table.DB().Commit(ctx, l.Table.Put(key, map[string]any{"transaction": tx.ID, "at": at})); err != nil {
			t.Fatal(err)
		}
	}
	wish(now)
	says := &told{}
	late := &booking.Reminders{Ledger: over(dynamotest.Open(t, dynamotest.Before("DeleteItem", func() { wish(now.Add(time.Hour)) }))), Threads: says}
	for n, want := range []int{1, 1, 2, 2} {
		if _, err := late.Remind(ctx, key, now); err != nil {
			t.Fatal(err)
		}
		if says.n != want {
			t.Errorf("at look %d: told %d times, want %d", n, says.n, want)
		}
		if n == 1 {
			now = now.Add(time.Hour)
		}
	}
}
