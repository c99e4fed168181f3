package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/dynamo"
	"merve/internal/fault"
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
		if _, err := c.Hold(ctx, tx.ID, 1, until, "k2"); !errors.Is(err, ErrNotDraft) {
			t.Errorf("other key: %v", err)
		}
		tx = first
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

// lossy loses request n of those that write (counted from 1) or its answer.
type lossy struct {
	n     atomic.Int32
	lose  int32
	after bool // the request takes effect, the answer is lost
}

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	writes := strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TransactWriteItems")
	if !writes || l.n.Add(1) != l.lose {
		return http.DefaultTransport.RoundTrip(r)
	}
	if l.after {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			err = res.Body.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("connection reset by test")
}

// Each write of a booking's life is lost before it takes effect, or its answer after. Where
// the SDK does not try again, the caller does, with the same keys; both end where they
// would have ended.
func TestField16_LostRequestsAndAnswers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	life := func(c *corner, l *Ledger, terms Terms) (Transaction, error) {
		tx, err := l.Draft(ctx, terms, "k")
		if err != nil {
			return tx, err
		}
		if tx, err = l.hold(ctx, tx, 1, noon.Add(10*time.Minute), "k"); err != nil {
			return tx, err
		}
		if tx, err = l.Confirm(ctx, c.owner, tx.ID, receiptFor(tx), "k"); err != nil {
			return tx, err
		}
		return l.Release(ctx, c.owner, tx.ID, "test", "k")
	}
	type loss struct {
		write int32
		after bool
		tries int // of the SDK
	}
	var losses []loss
	for n := int32(1); n <= 4; n++ {
		losses = append(losses, loss{n, false, 1}, loss{n, true, 1}, loss{n, true, 2})
	}
	for _, lost := range losses {
		t.Run(fmt.Sprintf("%+v", lost), func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			terms := c.terms(24)
			l := c.openWith(&lossy{lose: lost.write, after: lost.after}, lost.tries)
			if _, err := life(c, l, terms); (err == nil) != (lost.tries > 1) {
				t.Fatalf("first try: %v", err)
			}
			tx, err := life(c, l, terms)
			if err != nil {
				t.Fatalf("second try: %v", err)
			}
			h, err := c.History(ctx, c.owner, tx.ID)
			if err != nil {
				t.Fatal(err)
			}
			if len(h.Events) != 4 || h.Transaction.State != Cancelled || h.Receipt == nil || len(c.locks(tx.Start)) != 0 {
				t.Errorf("history = %+v", h)
			}
			if mine, _, err := c.ByOwner(ctx, c.owner, 10, ""); err != nil || len(mine) != 1 {
				t.Errorf("%d transactions, %v", len(mine), err)
			}
		})
	}
}

// While writes of others join a confirmation, all of them happen or none.
func TestConfirmJoinsOtherWrites(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	reply := dynamo.Key{PK: "test#" + tx.ID, SK: "reply"}
	ws, after, err := (Confirmer{c.Ledger}).Writes(ctx, c.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
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
