package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// personal are terms with what a customer has said of themselves.
func (c *corner) personal(n int) Terms {
	t := c.terms(n)
	t.CustomerName, t.Note = "Ann", "a secret"
	return t
}

// said are the items of a transaction, and of the key that made it, in which that stands.
func (c *corner) said(txID string) (where []string) {
	c.t.Helper()
	table := c.open().Table // meets no faults
	page, err := table.Query(context.Background(), dynamo.Under("tx#"+txID, ""))
	if err != nil {
		c.t.Fatal(err)
	}
	all := page.Items
	for _, it := range page.Items {
		made, err := table.Get(context.Background(), idemKey(it.String("key")))
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, made)
	}
	for _, it := range all {
		var plain map[string]any
		if err := it.Decode(&plain); err != nil {
			c.t.Fatal(err)
		}
		if text := fmt.Sprint(plain); strings.Contains(text, "Ann") || strings.Contains(text, "secret") {
			where = append(where, it.Key().SK)
		}
	}
	return where
}

// before is the ledger with something that happens between its reading and its writing.
func (c *corner) before(do func()) *Ledger {
	l := *c.Ledger
	l.Table = dynamotest.Open(c.t, dynamotest.Before("TransactWriteItems", do)).Table(dynamotest.TableName("ledger"))
	return &l
}

// Of a customer who has all deleted the business keeps what it sold, and until it is over whom it
// holds a place for or expects.
func TestForget(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	kept := map[string]bool{} // by transaction: the name and note
	var all []Transaction
	var stay []string // codes
	for n, state := range []State{Draft, Cancelled, Expired, Hold, Confirmed} {
		tx := c.in(state, c.personal(40+n))
		all, kept[tx.ID] = append(all, tx), state == Hold || state == Confirmed
		if kept[tx.ID] {
			stay = append(stay, tx.Code)
		}
	}
	held, booked := all[3], all[4]
	look := func() {
		t.Helper()
		for _, tx := range all {
			got, err := c.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID)
			if err != nil || got.personal() != kept[tx.ID] || got.PriceMinor != tx.PriceMinor || got.Owner != tx.Owner {
				t.Errorf("%s: %+v, %v", tx.State, got, err)
			}
			if said := c.said(tx.ID); (len(said) > 0) != kept[tx.ID] {
				t.Errorf("%s: %v say it", tx.State, said)
			}
		}
	}
	for range 2 {
		if codes, err := (HeldBookings{c.Ledger}).Forget(ctx, all); err != nil || cmp.Diff(stay, codes) != "" {
			t.Errorf("%v stay, %v", codes, err)
		}
	}
	if got, err := c.Get(ctx, c.owner, held.ID); err != nil || got.Version != held.Version+1 {
		t.Errorf("marked twice: %+v, %v", got, err)
	}
	for range 3 { // as often as it is looked at, while they stand
		c.settledAudit()
		look()
	}
	c.clock.Set(held.HoldExpiresAt)
	if codes, err := (HeldBookings{c.Ledger}).Forget(ctx, all); err != nil || cmp.Diff([]string{booked.Code}, codes) != "" {
		t.Errorf("%v stay, %v", codes, err)
	}
	if _, err := c.Sweep(ctx, dynamo.Budget{}); err != nil {
		t.Fatal(err)
	}
	c.settledAudit()
	kept[held.ID] = false
	look()
	c.clock.Set(booked.End.Add(-auditAfter))
	if a := c.settledAudit(); a.Looked == 0 {
		t.Error("nothing was looked at")
	}
	kept[booked.ID] = false
	look()
	if a := c.settledAudit(); a != (Audit{}) {
		t.Errorf("and then never again: %+v", a)
	}
	if codes, err := (HeldBookings{c.Ledger}).Forget(ctx, all); err != nil || len(codes) != 0 {
		t.Errorf("%v stay, %v", codes, err)
	}
}

// What stood when its customer had all deleted is forgotten whatever becomes of it, and so is what
// others keep of it; a failure of theirs comes again.
func TestForgetOnceItIsOver(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	then := map[string]func(c *corner, tx Transaction) error{
		"held, released": func(c *corner, tx Transaction) error {
			_, err := c.Release(ctx, c.owner, tx.ID, "no", "no")
			return err
		},
		"held, confirmed": func(c *corner, tx Transaction) error {
			_, err := c.confirm(tx, "yes")
			c.settledAudit()
			c.clock.Set(tx.End)
			return err
		},
		"booked, cancelled": func(c *corner, tx Transaction) error {
			_, err := c.Release(ctx, c.owner, tx.ID, "no", "no")
			return err
		},
		"booked, missed": func(c *corner, tx Transaction) error {
			c.clock.Set(tx.Start)
			_, err := c.Mark(ctx, clerk, tx.ID, "mark")
			return err
		},
	}
	for name, end := range then {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, also, fails := newCorner(t), 0, true
			state := Confirmed
			if strings.HasPrefix(name, "held") {
				state = Hold
			}
			tx, other := c.in(state, c.personal(40)), c.in(Cancelled, c.personal(44)) // whose owner has deleted nothing
			c.AlsoForget = func(_ context.Context, of Transaction) error {
				if also++; of.ID != tx.ID || fails {
					return errors.New("not now")
				}
				return nil
			}
			if codes, err := (HeldBookings{c.Ledger}).Forget(ctx, []Transaction{tx}); err != nil || cmp.Diff([]string{tx.Code}, codes) != "" {
				t.Fatal(codes, err)
			}
			if err := end(c, tx); err != nil {
				t.Fatal(err)
			}
			c.clock.Add(auditAfter)
			if _, err := c.CheckInvariants(ctx, dynamo.Budget{}); err == nil || len(c.said(tx.ID)) == 0 {
				t.Errorf("forgotten: %v", err)
			}
			fails = false
			for range 3 {
				c.settledAudit()
			}
			if got, err := c.Get(ctx, c.owner, tx.ID); err != nil || len(c.said(tx.ID)) > 0 || got.Forget || also != 2 || len(c.alertsOn(tx.ID)) > 0 {
				t.Errorf("%+v, %v say it, others were asked %d times, %v", got, c.said(tx.ID), also, err)
			}
			if len(c.said(other.ID)) == 0 {
				t.Error("another is forgotten too")
			}
		})
	}
}

// What stays of a customer who had all deleted goes once it is over, at another time, too, and so does
// another time that they did not take.
func TestForgetWhatIsMoved(t *testing.T) {
	t.Parallel()
	for name, yes := range map[string]bool{"moved": true, "not answered": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ctx := newCorner(t), t.Context()
			old := c.in(Confirmed, c.personal(28))
			if codes, err := (HeldBookings{c.Ledger}).Forget(ctx, []Transaction{old}); err != nil || len(codes) != 1 {
				t.Fatal(codes, err)
			}
			terms := c.personal(30)
			terms.Replaces = old.ID
			held, err := c.OfferUntil(ctx, Transaction{Terms: terms, Forget: true}, 1, 10*time.Minute, old.Start, "m")
			if err != nil || held.Note != old.Note {
				t.Fatalf("%+v, %v", held, err)
			}
			if yes {
				ws, _, _, err := c.Ledger.MoveWrites(ctx, c.owner, held.ID, held.OfferHash, receiptFor(held), "yes")
				if err := errors.Join(err, c.Table.DB().Commit(ctx, ws...)); err != nil {
					t.Fatal(err)
				}
			}
			c.clock.Set(held.End.Add(time.Hour))
			if _, err := c.Sweep(ctx, dynamo.Budget{}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				c.settledAudit()
			}
			for _, tx := range []Transaction{old, held} {
				if said := c.said(tx.ID); len(said) > 0 {
					t.Errorf("of %s %v say it", tx.Start.Format(slotFmt), said)
				}
			}
		})
	}
}

// What changes while it is marked is looked at again: it is marked, or forgotten at once.
func TestForgetWhatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tt := range map[string]struct {
		meanwhile func(c *corner, tx Transaction) error
		stays     bool
	}{
		"confirmed": {func(c *corner, tx Transaction) error { _, err := c.confirm(tx, "yes"); return err }, true},
		"released": {func(c *corner, tx Transaction) error {
			_, err := c.Release(ctx, c.owner, tx.ID, "no", "no")
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			tx := c.in(Hold, c.personal(40))
			l := *c.Ledger
			l.Table = dynamotest.Open(t, dynamotest.Before("UpdateItem", func() {
				if err := tt.meanwhile(c, tx); err != nil {
					t.Error(err)
				}
			})).Table(dynamotest.TableName("ledger"))
			codes, err := (HeldBookings{&l}).Forget(ctx, []Transaction{tx})
			got, err2 := c.Get(ctx, c.owner, tx.ID)
			if stays := len(codes) == 1; err != nil || err2 != nil || stays != tt.stays || got.Forget != stays || (len(c.said(tx.ID)) > 0) != stays {
				t.Errorf("%v stay, %+v, %v, %v", codes, got, err, err2)
			}
		})
	}
}

// What was made by a key gives the same again, without what the customer said of themselves, and
// what an erasure has left half done is done by the next.
func TestForgetWhatAKeyMade(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	terms := c.personal(40)
	tx, err := c.Offer(ctx, terms, 1, time.Minute, "k")
	if err == nil {
		_, err = c.Release(ctx, c.owner, tx.ID, "test", "no")
	}
	if err == nil { // as a former release has left it
		err = c.Table.DB().Commit(ctx, c.Table.Update(txKey(tx.ID), "REMOVE customerName, note", nil))
	}
	for _, requests := range []int{3, 2} {
		counted, meter := telemetry.WithMeter(ctx)
		if err == nil {
			_, err = (HeldBookings{c.Ledger}).Forget(counted, []Transaction{tx})
		}
		if said, n := c.said(tx.ID), meter.Cost().Requests; err != nil || len(said) > 0 || n != requests {
			t.Errorf("%v say it, %d requests, %v", said, n, err)
		}
	}
	if again, err := c.Offer(ctx, terms, 1, time.Minute, "k"); err != nil || again.ID != tx.ID || again.personal() {
		t.Errorf("%+v, %v", again, err)
	}
}

// The key of a draft that has made another one since says of that one what it said.
func TestForgetNotWhatAKeyMakesAnew(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	old, err := c.Offer(ctx, c.personal(40), 1, time.Minute, "k")
	if err == nil {
		_, err = c.Release(ctx, c.owner, old.ID, "test", "no")
	}
	anew := func() Transaction {
		c.clock.Add(doneFor)
		tx, err := c.Offer(ctx, c.personal(2000), 1, time.Minute, "k")
		if err != nil || tx.ID == old.ID {
			t.Fatal(tx.ID, err)
		}
		return tx
	}
	var tx Transaction
	if err == nil {
		_, err = HeldBookings{c.before(func() { tx = anew() })}.Forget(ctx, []Transaction{old})
	}
	if err != nil || len(c.said(tx.ID)) != 4 || len(c.said(old.ID)) != 1 { // the record of the key is of tx
		t.Errorf("%v of the new one and %v of the old say it, %v", c.said(tx.ID), c.said(old.ID), err)
	}
}

// What has gone by itself keeps no other from being forgotten, and is no error.
func TestForgetWhatHasGone(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var txs []Transaction
	for n := range 2 {
		tx, err := c.Offer(ctx, c.personal(40), 1, time.Minute, fmt.Sprint(n))
		if err == nil {
			_, err = c.Release(ctx, c.owner, tx.ID, "test", "no")
		}
		if err != nil {
			t.Fatal(err)
		}
		txs = append(txs, tx)
	}
	gone := c.Table.Delete(txKey(txs[0].ID))
	if err := c.Table.DB().Commit(ctx, gone); err != nil {
		t.Fatal(err)
	}
	if stay, err := (HeldBookings{c.Ledger}).Forget(ctx, txs); err != nil || len(stay) != 0 || len(c.said(txs[1].ID)) != 0 {
		t.Errorf("%v stay, %v says it, %v", stay, c.said(txs[1].ID), err)
	}
}

// What is written while a customer's data is deleted does not bring it back.
func TestForgetWhileItChanges(t *testing.T) {
	t.Parallel()
	system := actor.Actor{Kind: actor.System}
	forget := func(c *corner, l *Ledger, tx Transaction) {
		if _, err := (HeldBookings{l}).Forget(c.t.Context(), []Transaction{tx}); err != nil {
			c.t.Error(err)
		}
	}
	mark := func(c *corner, l *Ledger, tx Transaction) {
		if after, err := l.Mark(c.t.Context(), system, tx.ID, "staff"); err != nil || after.State != NoShow {
			c.t.Error(after.State, err)
		}
	}
	for name, do := range map[string][2]func(*corner, *Ledger, Transaction){"forget while marked": {forget, mark}, "mark while forgotten": {mark, forget}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			tx := c.in(Confirmed, c.personal(42))
			c.clock.Set(tx.End)
			do[0](c, c.before(func() { do[1](c, c.Ledger, tx) }), tx)
			if got, err := c.Get(t.Context(), system, tx.ID); err != nil || got.State != NoShow || len(c.said(tx.ID)) > 0 {
				t.Errorf("%s, %v say it, %v", got.State, c.said(tx.ID), err)
			}
		})
	}
}

// One that keeps changing is told of, and keeps no other.
func TestForgetWhatKeepsChanging(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	all := []Transaction{c.in(Cancelled, c.personal(42)), c.in(Cancelled, c.personal(44))}
	l := *c.Ledger
	l.Table = dynamotest.Open(t, dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" && strings.Contains(string(body), all[0].ID) {
			return body, c.Table.DB().Commit(t.Context(), c.Table.Update(txKey(all[0].ID), "SET version = version + :one", dynamo.V{":one": 1}))
		}
		return body, nil
	}}).Table(dynamotest.TableName("ledger"))
	if _, err := (HeldBookings{&l}).Forget(t.Context(), all); !errors.Is(err, ErrChanged) || len(c.said(all[1].ID)) > 0 {
		t.Errorf("%v say it, %v", c.said(all[1].ID), err)
	}
}
