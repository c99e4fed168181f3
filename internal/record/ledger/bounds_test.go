package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo/dynamotest"
)

// bounds are those of a ledger's customers: so many bookings of each, and twenty times as many of an address.
func bounds(l *Ledger, most int) *bound.Book {
	return &bound.Book{Table: l.Table, Now: l.Now, Limits: func(context.Context, string) (bound.Limits, error) {
		return bound.Limits{Most: map[bound.Matter]int{bound.Booking: most}, Times: 20}, nil
	}}
}

// bounded20 are wide ones.
func bounded20(l *Ledger) *bound.Book { return bounds(l, 20) }

// atBound reports whether err is the refusal of a bound, and of an address's.
func atBound(err error) (is, address bool) {
	r, is := errors.AsType[*bound.Refusal](err)
	return is, is && r.Address
}

func newBounded(t *testing.T, most int) *corner {
	c := newCorner(t)
	c.Bounds = bounds(c.Ledger, most)
	return c
}

// One customer books as often as they like and has only so many bookings. Those which end, however that
// happens, make room for others.
func TestOneCustomerBooks120Times(t *testing.T) {
	t.Parallel()
	c := newBounded(t, 4)
	var booked []Transaction
	for n := range 120 {
		tx, err := c.Offer(t.Context(), c.terms(24+n), 1, 10*time.Minute, fmt.Sprint("key", n))
		if err == nil {
			tx, err = c.confirm(tx, "yes")
		}
		if is, _ := atBound(err); is != (n >= 4) || !is && err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if err == nil {
			booked = append(booked, tx)
		}
	}
	room := func(after string, hour int) {
		t.Helper()
		tx, err := c.Offer(t.Context(), c.terms(hour), 1, 10*time.Minute, after)
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		if _, err := c.Offer(t.Context(), c.terms(hour+50), 1, 10*time.Minute, after+" and more"); err == nil {
			t.Errorf("two have room after %s", after)
		}
		if _, err := c.Release(t.Context(), c.owner, tx.ID, "test", "no"); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Release(t.Context(), c.owner, booked[3].ID, "test", "no"); err != nil {
		t.Fatal(err)
	}
	room("a cancellation", 200)
	held, err := c.Offer(t.Context(), c.terms(300), 1, 10*time.Minute, "held")
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Add(10 * time.Minute)
	room("a hold that was never ended", 301)
	if _, err := c.Expire(t.Context(), held.ID); err != nil {
		t.Fatal(err)
	}
	room("a hold that expired", 302)
	if _, err := c.Offer(t.Context(), c.terms(303), 1, 100*time.Hour, "fourth"); err != nil {
		t.Fatal(err)
	}
	c.clock.Set(booked[0].End)
	room("the first is over", 400)
}

// An offer that is made again, because its answer was lost, is the same even when it was the last that there
// was room for.
func TestTheLastOfABoundAgain(t *testing.T) {
	t.Parallel()
	c := newBounded(t, 1)
	terms := c.terms(24)
	tx, err := c.Offer(t.Context(), terms, 1, 10*time.Minute, "key")
	if err == nil {
		_, err = c.confirm(tx, "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Offer(t.Context(), terms, 1, 10*time.Minute, "key")
	if err != nil || again.ID != tx.ID {
		t.Errorf("%v, %v", again.ID, err)
	}
}

// Nobody has two places at one listing at one time, but by changing what they have.
func TestOneBookingAtATime(t *testing.T) {
	t.Parallel()
	c := newBounded(t, 4)
	tx, err := c.Offer(t.Context(), c.terms(24), 3, 10*time.Minute, "first")
	if err == nil {
		tx, err = c.confirm(tx, "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Offer(t.Context(), c.terms(24), 3, 10*time.Minute, "second"); err == nil {
		t.Error("the same listing and time were offered twice")
	}
	move := c.terms(24)
	move.Party, move.Replaces = 4, tx.ID
	if _, err := c.Offer(t.Context(), move, 3, 10*time.Minute, "move"); err != nil {
		t.Errorf("the same with more people: %v", err)
	}
}

// A move has a token beside that of the booking which it replaces, and in the end there is one.
func TestAMoveAtTheBound(t *testing.T) {
	t.Parallel()
	c := newBounded(t, 1)
	old, err := c.Offer(t.Context(), c.terms(24), 1, 10*time.Minute, "first")
	if err == nil {
		old, err = c.confirm(old, "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	to := c.terms(30)
	to.Replaces = old.ID
	moved, err := c.Offer(t.Context(), to, 1, 10*time.Minute, "move")
	if err != nil {
		t.Fatal(err)
	}
	ws, _, _, err := c.MoveWrites(t.Context(), c.owner, moved.ID, moved.OfferHash, receiptFor(moved), "yes")
	if err == nil {
		err = c.Table.DB().Commit(t.Context(), ws...)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Offer(t.Context(), c.terms(40), 1, 10*time.Minute, "another"); err == nil {
		t.Error("the moved booking does not count")
	}
	if _, err := c.Release(t.Context(), c.owner, moved.ID, "test", "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Offer(t.Context(), c.terms(40), 1, 10*time.Minute, "another"); err != nil {
		t.Errorf("after it was cancelled: %v", err)
	}
}

// 270 customers of one address want a table each. They get as many as an address may have, the others are
// told that it is for their address, and customers who come by no address still get one.
func TestAnAddressCannotTakeEveryTable(t *testing.T) {
	t.Parallel()
	c := newBounded(t, 2)
	from := bound.Address("203.0.113.7") + dynamotest.ID("")
	var mu sync.Mutex
	held, refused := 0, 0
	var all sync.WaitGroup
	work := make(chan int)
	for range 6 {
		all.Go(func() {
			for n := range work {
				terms := c.terms(24 + n)
				terms.Owner, terms.Address = dynamotest.ID("session:"), from
				_, err := c.Offer(context.Background(), terms, 1, 10*time.Minute, dynamotest.ID("key"))
				is, address := atBound(err)
				mu.Lock()
				switch {
				case err == nil:
					held++
				case is && address:
					refused++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	for n := range 270 {
		work <- n
	}
	close(work)
	all.Wait()
	if held != 40 || refused != 230 {
		t.Errorf("%d were held and %d refused", held, refused)
	}
	terms := c.terms(500)
	terms.Owner = dynamotest.ID("person:whatsapp:")
	if _, err := c.Offer(t.Context(), terms, 1, 10*time.Minute, "key"); err != nil {
		t.Errorf("somebody else: %v", err)
	}
}

// What a bound adds to the cost of an operation.
func TestCostOfBounds(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	items := &counted{}
	c.Ledger = c.over(dynamotest.Look{See: items.see, Next: c.aside()}, 4)
	c.Bounds = bounds(c.Ledger, 4)
	terms := c.terms(24)
	terms.Address = bound.Address("203.0.113.7") + dynamotest.ID("")
	var tx Transaction
	for _, s := range []struct {
		name            string
		requests, items int
		run             func(ctx context.Context) error
	}{
		{"offer", 4, 7, func(ctx context.Context) (err error) { tx, err = c.Offer(ctx, terms, 1, time.Minute, "o"); return }},
		{"confirm", 2, 8, func(ctx context.Context) error {
			_, err := c.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "c")
			return err
		}},
		{"release", 2, 6, func(ctx context.Context) error { _, err := c.Release(ctx, c.owner, tx.ID, "x", "r"); return err }},
	} {
		ctx, meter := telemetry.WithMeter(context.Background())
		items.n, items.largest = 0, 0
		if err := s.run(ctx); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := meter.Cost().Requests; got != s.requests || items.n != s.items {
			t.Errorf("%s: %d requests, %d items; want %d, %d", s.name, got, items.n, s.requests, s.items)
		}
	}
}
