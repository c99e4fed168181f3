package booking_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/booking"
	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
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
	d, ctx := newDesk(t), context.Background()
	tx, _ := d.booked()
	key := dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}
	wish := func(at time.Time) {
		if err := d.Table.DB().Commit(ctx, d.Table.Put(key, map[string]any{"transaction": tx.ID, "at": at})); err != nil {
			t.Fatal(err)
		}
	}
	wish(d.now)
	late, says := *d.Ledger, &told{}
	late.Table = dynamotest.Open(t, dynamotest.Before("DeleteItem", func() { wish(d.now.Add(time.Hour)) })).Table(dynamotest.TableName("ledger"))
	reminders := &booking.Reminders{Ledger: &late, Threads: says}
	for n, want := range []int{1, 1, 2, 2} {
		if _, err := reminders.Remind(ctx, key, d.now); err != nil {
			t.Fatal(err)
		}
		if says.n != want {
			t.Errorf("at look %d: told %d times, want %d", n, says.n, want)
		}
		if n == 1 {
			d.now = d.now.Add(time.Hour)
		}
	}
}
