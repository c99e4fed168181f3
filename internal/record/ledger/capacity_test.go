package ledger

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// lowered is a slot of three tokens, of which only the highest is taken, by a booking.
func lowered(t *testing.T) (*corner, Transaction) {
	t.Helper()
	c := newCorner(t)
	below := []Transaction{c.held(c.terms(24), 3), c.held(c.terms(24), 3)}
	high, err := c.confirm(c.held(c.terms(24), 3), "yes")
	if err != nil {
		t.Fatal(err)
	}
	for _, tx := range below {
		if _, err := c.Release(context.Background(), c.owner, tx.ID, "no", "no"); err != nil {
			t.Fatal(err)
		}
	}
	if ls := c.locks(high.Start); len(ls) != 1 || ls[0].key.token != 2 {
		t.Fatalf("locks = %+v", ls)
	}
	return c, high
}

// A thread that asks again has one of the two places that a lowered capacity leaves, not
// the third beside the one it holds.
func TestField12_AThreadHasNoPlaceAboveALoweredCapacity(t *testing.T) {
	t.Parallel()
	c, _ := lowered(t)
	terms := c.terms(24)
	first := c.offered(terms, 2)
	terms.Party = 3
	second := c.offered(terms, 2)
	if now, err := c.Get(context.Background(), c.owner, first.ID); err != nil || now.State != Cancelled {
		t.Errorf("the earlier offer is %s, %v", now.State, err)
	}
	if _, err := c.confirm(second, "yes"); err != nil {
		t.Error(err)
	}
	if ls := c.locks(terms.Start); len(ls) != 2 {
		t.Errorf("locks = %+v", ls)
	}
}

// What was held above a lowered capacity stays its thread's, under its own token.
func TestAThreadKeepsATokenAboveTheCapacity(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	if _, err := c.confirm(c.held(c.terms(24), 2), "yes"); err != nil {
		t.Fatal(err)
	}
	terms := c.terms(24)
	c.held(terms, 2)
	terms.Party = 3
	again := c.held(terms, 1)
	if !strings.HasSuffix(again.Locks[0], ":token:1") {
		t.Errorf("locks = %v", again.Locks)
	}
	if _, err := c.confirm(again, "yes"); err != nil {
		t.Error(err)
	}
	if ls := c.locks(terms.Start); len(ls) != 2 || ls[1].Tx != again.ID || ls[1].State != lockConfirmed {
		t.Errorf("locks = %+v", ls)
	}
}

// Of what is booked for several days, the tokens above a lowered capacity count too.
func TestField12_AStayAboveALoweredCapacity(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	stay := c.terms(24)
	stay.Slots, stay.End = append(stay.Slots, stay.Start.AddDate(0, 0, 1)), stay.Start.AddDate(0, 0, 2)
	other := c.held(stay, 2)
	stay.Thread = "another"
	if _, err := c.confirm(c.held(stay, 2), "yes"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Release(context.Background(), c.owner, other.ID, "no", "no"); err != nil {
		t.Fatal(err)
	}
	stay.Thread = "a third"
	if tx, err := c.Offer(context.Background(), stay, 1, time.Minute, "k"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("%v, %v", tx.Locks, err)
	}
}

// A token is chosen, a lower one is swept and taken, and only then is the first one taken:
// the choice is still within the capacity, or is made anew.
func TestField12_AChoiceFromAnOldReading(t *testing.T) {
	t.Parallel()
	c, _ := lowered(t)
	ctx := context.Background()
	over := c.held(c.terms(24), 2) // on token 0
	c.clock.Add(10 * time.Minute)
	meanwhile := dynamotest.Before("TransactWriteItems", func() {
		if _, err := c.Expire(ctx, over.ID); err != nil {
			t.Error(err)
		}
		c.offered(c.terms(24), 2)
	})
	meanwhile.Next = c.aside()
	if _, err := c.over(meanwhile, 1).Offer(ctx, c.terms(24), 2, time.Minute, "slow"); !errors.Is(err, ErrSlotTaken) {
		t.Errorf("err = %v, want %v", err, ErrSlotTaken)
	}
	if ls := c.locks(noon.Add(24 * time.Hour)); len(ls) != 2 {
		t.Errorf("%d locks, capacity 2", len(ls))
	}
}

// Many take, let go and sweep while the capacity is below the highest token: what is held
// or booked at a time is never more.
func TestField12_CrowdBelowALoweredCapacity(t *testing.T) {
	t.Parallel()
	for range seedtest.Times(t, 3) {
		c, _ := lowered(t)
		ctx := context.Background()
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				terms := c.terms(24)
				for range 4 {
					tx, err := c.Offer(ctx, terms, 2, time.Second, c.NewID())
					switch {
					case errors.Is(err, ErrSlotTaken):
					case err != nil:
						t.Error(err)
					case i%3 == 0:
						_, err = c.Release(ctx, c.owner, tx.ID, "no", "no")
					}
					if ls := c.locks(terms.Start); len(ls) > 2 {
						t.Errorf("%d locks, capacity 2", len(ls))
					}
					if i == 1 {
						c.clock.Add(time.Second)
						_, err = c.Sweep(ctx, dynamo.Budget{Workers: 1})
					}
					if err != nil && !errors.Is(err, ErrSlotTaken) && !Refused(err) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// room is as much as is free, and lies below what it has to.
func TestRoom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tokens         []int
		capacity, want int
	}{
		{nil, 3, 3}, {[]int{0, 1}, 3, 3}, {[]int{2}, 2, 1}, {[]int{0, 2}, 2, 1}, {[]int{2, 3}, 2, 0},
		{[]int{0, 1, 2}, 2, 0}, {[]int{5, 6}, 4, 2}, {[]int{1, 5}, 4, 3}, {[]int{0}, 1, 1},
	} {
		var locks []lock
		for _, token := range tt.tokens {
			locks = append(locks, lock{key: lockKey{token: token}})
		}
		got := room(locks, tt.capacity)
		free := 0
		for token := range got {
			if !slices.Contains(tt.tokens, token) {
				free++
			}
		}
		if got != tt.want || free != max(tt.capacity-len(tt.tokens), 0) {
			t.Errorf("%v of %d: %d, of which %d are free, want %d", tt.tokens, tt.capacity, got, free, tt.want)
		}
	}
}
