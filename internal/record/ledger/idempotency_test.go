package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// The checklist of idempotency: for each operation, the first call, a repeat, a repeat
// after the state moved on, another payload under the same key, another key, a key
// whose record has expired, a bad key, and a refused call, which stores nothing.
func TestField16_SameKeySameResult(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := newCorner(t)
	tx := c.draft(c.terms(24))
	until := c.Now().Add(10 * time.Minute)

	t.Run("draft", func(t *testing.T) {
		terms := c.terms(30)
		first, err := c.Draft(ctx, terms, "k")
		again, err2 := c.Draft(ctx, terms, "k")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same(t, first, again)
		inZone := terms // the same instants, written in another zone
		inZone.Start = terms.Start.In(time.FixedZone("x", 3600))
		again, err = c.Draft(ctx, inZone, "k")
		if err != nil {
			t.Fatal(err)
		}
		same(t, first, again)
		tampered := terms
		tampered.Slots = []time.Time{terms.Start.Add(time.Hour)} // nested
		for name, other := range map[string]Terms{"nested": tampered, "owner": withOwner(terms, "user:x"), "price": withPrice(terms, 1)} {
			if _, err := c.Draft(ctx, other, "k"); !errors.Is(err, ErrKeyReused) || !fault.Is(err, fault.Conflict) {
				t.Errorf("%s changed: err = %v, want %v", name, err, ErrKeyReused)
			}
		}
		other, err := c.Draft(ctx, terms, "k2")
		if err != nil || other.ID == first.ID {
			t.Errorf("another key gave %v, %v", other.ID, err)
		}
	})
	t.Run("hold", func(t *testing.T) {
		first, err := c.Hold(ctx, tx.ID, 1, until, "k")
		again, err2 := c.Hold(ctx, tx.ID, 1, until, "k")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same(t, first, again)
		stale, err := c.hold(ctx, tx, 1, until, "k") // by somebody who still has the draft
		if err != nil {
			t.Fatal(err)
		}
		same(t, first, stale)
		if _, err := c.Hold(ctx, tx.ID, 1, until.Add(time.Minute), "k"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("other payload: %v", err)
		}
		if _, err := c.Hold(ctx, tx.ID, 1, until, "k2"); !errors.Is(err, errNotDraft) {
			t.Errorf("other key: %v", err)
		}
		bare := c.terms(40) // on no thread: a lock of its own is nobody's to take over
		bare.Thread = ""
		draft := c.draft(bare)
		held, err := c.Hold(ctx, draft.ID, 1, until, "k")
		if err != nil {
			t.Fatal(err)
		}
		if stale, err = c.hold(ctx, draft, 1, until, "k"); err != nil {
			t.Fatal(err)
		}
		same(t, held, stale)
		if _, err := c.hold(ctx, draft, 1, until, "k2"); !errors.Is(err, errNotDraft) {
			t.Errorf("other key, by somebody who still has the draft: %v", err)
		}
		tx = first
	})
	t.Run("offer", func(t *testing.T) {
		terms := c.terms(50)
		offer := func(key string, length time.Duration) (Transaction, error) {
			return c.Offer(ctx, terms, 1, length, key)
		}
		first, err := offer("o", time.Minute)
		c.clock.Add(time.Second)
		again, err2 := offer("o", time.Minute)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same(t, first, again)
		if _, err := offer("o", 2*time.Minute); !errors.Is(err, ErrKeyReused) {
			t.Errorf("other payload: %v", err)
		}
		more := terms
		more.Party++
		if _, err := c.Offer(ctx, more, 1, time.Minute, "o"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("other terms: %v", err)
		}
		if _, err := c.Draft(ctx, terms, "o"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("a draft with the key of an offer: %v", err)
		}
		if _, err := offer("o", 0); !fault.Is(err, fault.Invalid) {
			t.Errorf("held for no time: %v", err)
		}
		other, err := offer("o2", time.Minute)
		if err != nil || other.ID == first.ID {
			t.Errorf("other key: %s, %v", other.ID, err)
		}
		again, err = offer("o", time.Minute) // late, when another offer has taken its place
		if err != nil {
			t.Fatal(err)
		}
		same(t, first, again)
		if now, _ := c.Get(ctx, c.owner, other.ID); now.State != Hold {
			t.Errorf("the late repeat made the other %s", now.State)
		}
	})
	t.Run("confirm", func(t *testing.T) {
		first, err := c.confirm(tx, "k")
		again, err2 := c.confirm(tx, "k")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same(t, first, again)
		other := receiptFor(tx)
		other.PendingID = "p_other"
		if _, err := c.Confirm(ctx, c.owner, tx.ID, other, "k"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("other payload: %v", err)
		}
		_, err = c.confirm(tx, "k2")
		var already *AlreadyConfirmed
		if !errors.As(err, &already) || already.Transaction.ID != tx.ID {
			t.Errorf("other key: %v", err)
		}
		if h, _ := c.Hold(ctx, tx.ID, 1, until, "k"); h.State != Hold {
			t.Errorf("repeat of the hold after it moved on: %v", h.State)
		}
	})
	t.Run("release", func(t *testing.T) {
		first, err := c.Release(ctx, c.owner, tx.ID, "why", "k")
		again, err2 := c.Release(ctx, c.owner, tx.ID, "why", "k")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same(t, first, again)
		if _, err := c.Release(ctx, c.owner, tx.ID, "another", "k"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("other payload: %v", err)
		}
		if _, err := c.Release(ctx, c.owner, tx.ID, "why", "k2"); !errors.Is(err, ErrCancelled) {
			t.Errorf("other key: %v", err)
		}
	})
	for _, key := range []string{"", strings.Repeat("x", 256)} {
		if _, err := c.Draft(ctx, c.terms(24), key); !fault.Is(err, fault.Invalid) {
			t.Errorf("key of %d bytes: %v", len(key), err)
		}
	}
}

func TestField16_ARefusalStoresNothing(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	first := c.held(c.terms(24), 1)
	second := c.draft(c.terms(24))
	until := c.Now().Add(time.Minute)
	if _, err := c.Hold(ctx, second.ID, 1, until, "k"); !errors.Is(err, ErrSlotTaken) {
		t.Fatalf("err = %v", err)
	}
	if _, err := c.Release(ctx, c.owner, first.ID, "no", "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Hold(ctx, second.ID, 1, until, "k"); err != nil {
		t.Errorf("the same key, once the slot is free: %v", err)
	}
}

// A record whose ttl has passed counts as deleted, though the row is still there.
func TestField16_AnExpiredRecordIsNone(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.terms(24)
	first, err := c.Draft(ctx, terms, "k")
	if err != nil {
		t.Fatal(err)
	}
	c.clock.Add(doneFor - time.Second)
	again, err := c.Draft(ctx, terms, "k")
	if err != nil {
		t.Fatal(err)
	}
	same(t, first, again)
	c.clock.Add(time.Second)
	for _, price := range []int64{terms.PriceMinor, 1} { // with the same payload, and with another
		fresh, err := c.Draft(ctx, withPrice(terms, price), "k")
		if err != nil || fresh.ID == first.ID {
			t.Errorf("after its end: %v, %v", fresh.ID, err)
		}
		c.clock.Add(doneFor)
	}
}

func TestField16_ManyAtOnceAreOne(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.terms(24)
	var mu sync.Mutex
	ids := map[string]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			tx, err := c.Draft(ctx, terms, "k")
			if err == nil {
				tx, err = c.hold(ctx, tx, 1, c.Now().Add(time.Minute), "k")
			}
			if err == nil {
				tx, err = c.confirm(tx, "k")
			}
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[fmt.Sprint(tx.ID, tx.State)]++
		})
	}
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("got %v", ids)
	}
}

// While writes of others join a confirmation, all of them happen or none.
func TestConfirmJoinsOtherWrites(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	reply := dynamo.Key{PK: "test#" + tx.ID, SK: "reply"}
	ws, after, err := c.Ledger.ConfirmWrites(ctx, c.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
	if err != nil || after.State != Confirmed {
		t.Fatal(after.State, err)
	}
	stopped := errors.New("stopped")
	blocked := c.Table.Check(reply, "attribute_exists(pk)", nil).Else(stopped)
	if err := c.Table.DB().Commit(ctx, append([]dynamo.Write{blocked}, ws...)...); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	if now, _ := c.Get(ctx, c.owner, tx.ID); now.State != Hold {
		t.Fatalf("half of it happened: %s", now.State)
	}
	join := c.Table.Put(reply, struct{}{})
	if err := c.Table.DB().Commit(ctx, append([]dynamo.Write{join}, ws...)...); err != nil {
		t.Fatal(err)
	}
	stored, _ := c.Get(ctx, c.owner, tx.ID)
	same(t, after, stored)
	err = c.Table.DB().Commit(ctx, append([]dynamo.Write{join}, ws...)...)
	var already *AlreadyConfirmed
	if !errors.As(err, &already) || !Refused(err) {
		t.Errorf("the same writes again: %v", err)
	}
}

func same(t *testing.T, want, got Transaction) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("not the same: %s", d)
	}
}

func withOwner(t Terms, owner string) Terms { t.Owner = owner; return t }
func withPrice(t Terms, p int64) Terms      { t.PriceMinor = p; return t }
