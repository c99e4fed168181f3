package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

func TestFromDraftToConfirmed(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.draft(c.terms(24))
	held, err := c.Hold(ctx, tx.ID, 1, c.Now().Add(10*time.Minute), "h")
	if err != nil {
		t.Fatal(err)
	}
	wantLock := c.business + ":offering:table:2030-06-04T12:00"
	if d := cmp.Diff([]string{wantLock}, held.Locks); d != "" || held.State != Hold || held.OfferHash == "" {
		t.Fatalf("held: %+v", held)
	}
	confirmed, err := c.confirm(held, "y")
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.History(ctx, c.owner, tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(confirmed, h.Transaction); d != "" {
		t.Errorf("returned and stored differ: %s", d)
	}
	var types []State
	for _, e := range h.Events {
		types = append(types, e.Type)
	}
	if d := cmp.Diff([]State{Draft, Hold, Confirmed}, types); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(confirmed, h.Events[2].Transaction); d != "" {
		t.Errorf("the event does not tell what is stored: %s", d)
	}
	if h.Receipt == nil || *h.Receipt != receiptFor(held) {
		t.Errorf("receipt = %+v", h.Receipt)
	}
	if ls := c.locks(tx.Start); len(ls) != 1 || ls[0].State != lockConfirmed || ls[0].Tx != tx.ID || ls[0].Name != wantLock {
		t.Errorf("locks = %+v", ls)
	}
}

// Every operation in every state either changes it as the rules say or changes nothing.
func TestEveryOperationInEveryState(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ops := map[op]func(c *corner, tx Transaction) (Transaction, error){
		opHold: func(c *corner, tx Transaction) (Transaction, error) {
			return c.Hold(ctx, tx.ID, 1, c.Now().Add(time.Minute), "other")
		},
		opConfirm: func(c *corner, tx Transaction) (Transaction, error) { return c.confirm(tx, "other") },
		opRelease: func(c *corner, tx Transaction) (Transaction, error) {
			return c.Release(ctx, c.owner, tx.ID, "test", "other")
		},
		opExpire: func(c *corner, tx Transaction) (Transaction, error) { return c.Expire(ctx, tx.ID) },
	}
	tests := []struct {
		op    op
		state State
		later time.Duration
		want  error // nil: it happens
	}{
		{opHold, Draft, 0, nil},
		{opHold, Hold, 0, errNotDraft},
		{opHold, Confirmed, 0, errAlreadyConfirmed},
		{opHold, Cancelled, 0, errNotDraft},
		{opHold, Expired, 0, errNotDraft},
		{opConfirm, Draft, 0, ErrNotHeld},
		{opConfirm, Hold, 0, nil},
		{opConfirm, Hold, 10 * time.Minute, ErrHoldGone},
		{opConfirm, Confirmed, 0, errAlreadyConfirmed},
		{opConfirm, Cancelled, 0, ErrNotHeld},
		{opConfirm, Expired, 0, ErrHoldGone},
		{opRelease, Draft, 0, nil},
		{opRelease, Hold, 0, nil},
		{opRelease, Hold, time.Hour, nil},
		{opRelease, Confirmed, 0, nil},
		{opRelease, Cancelled, 0, ErrCancelled},
		{opRelease, Expired, 0, ErrHoldGone},
		{opExpire, Draft, 0, ErrNotHeld},
		{opExpire, Hold, 0, errNotDue},
		{opExpire, Hold, 10 * time.Minute, nil},
		{opExpire, Confirmed, time.Hour, ErrNotHeld},
		{opExpire, Cancelled, time.Hour, ErrNotHeld},
	}
	for _, tt := range tests {
		t.Run(string(tt.op)+" "+string(tt.state)+" "+tt.later.String(), func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			tx := c.in(tt.state, c.terms(24))
			c.clock.Add(tt.later)
			before, _ := c.History(ctx, c.owner, tx.ID)
			after, err := ops[tt.op](c, tx)
			if !errors.Is(err, tt.want) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			now, _ := c.History(ctx, c.owner, tx.ID)
			if tt.want != nil {
				if d := cmp.Diff(before, now); d != "" {
					t.Errorf("a refused operation changed something: %s", d)
				}
				return
			}
			if after.State != tt.op.to() || now.Transaction.State != after.State || len(now.Events) != len(before.Events)+1 {
				t.Errorf("after = %+v, stored = %+v", after, now)
			}
			wantLocks := map[State]int{Hold: 1, Confirmed: 1}[after.State]
			if ls := c.locks(tx.Start); len(ls) != wantLocks {
				t.Errorf("%d locks, want %d", len(ls), wantLocks)
			}
		})
	}
}

func TestExpiringAgainGivesTheSame(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	tx := c.in(Expired, c.terms(24))
	again, err := c.Expire(context.Background(), tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tx, again); d != "" {
		t.Error(d)
	}
}

func TestForeignIsNotFound(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	foreign := actor.Actor{Kind: actor.User, ID: "somebody-else"}
	_, getErr := c.Get(ctx, foreign, tx.ID)
	_, missingErr := c.Get(ctx, foreign, "missing")
	_, confirmErr := c.Confirm(ctx, foreign, tx.ID, receiptFor(tx), "k")
	_, releaseErr := c.Release(ctx, foreign, tx.ID, "x", "k")
	_, historyErr := c.History(ctx, foreign, tx.ID)
	_, _, businessErr := c.ByBusiness(ctx, foreign, c.business, 10, "")
	_, _, yesErr := c.Ledger.ConfirmWrites(ctx, foreign, tx.ID, tx.OfferHash, receiptFor(tx), "k")
	_, _, noErr := c.Ledger.ReleaseWrites(ctx, foreign, tx.ID, "x", "k")
	_, _, cancelErr := c.Ledger.CancelWrites(ctx, foreign, tx.ID, CancelHash(tx, c.Now()), "k")
	if mine, _, err := c.ByOwner(ctx, foreign, 10, ""); err != nil || len(mine) != 0 {
		t.Errorf("lists %d of somebody else's, %v", len(mine), err)
	}
	for name, err := range map[string]error{"yes": yesErr, "no": noErr, "cancel": cancelErr, "get": getErr, "missing": missingErr, "confirm": confirmErr, "release": releaseErr, "history": historyErr, "business": businessErr} {
		if !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s: %v, want not found", name, err)
		}
	}
	if now, _ := c.Get(ctx, c.owner, tx.ID); now.State != Hold {
		t.Errorf("state = %s", now.State)
	}
	staff := actor.Actor{Kind: actor.Staff, ID: "s", Groups: []string{"admin"}}
	if _, err := c.Get(ctx, staff, tx.ID); err != nil {
		t.Errorf("staff: %v", err)
	}
}

// Of a business as many transactions are looked through as are asked for, by pages; who has more is
// told so.
func TestBookedByPages(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	var ws []dynamo.Write
	for n := range MaxBooked + 1 {
		id := fmt.Sprintf("%s-%04d", c.business, n)
		ws = append(ws, c.Table.Put(txKey(id), map[string]string{
			"id": id, "business": c.business, "created": id, "market": "m", "confirmedAt": "2030-01-01T00:00:00Z",
		}))
	}
	for _, tt := range []struct{ there, want, seen, requests int }{
		{1, 99, 1, 1}, {bookedPage - 1, 99999, bookedPage - 1, 1}, {bookedPage + 1, 99999, bookedPage + 1, 2}, {bookedPage + 1, bookedPage, bookedPage, 1}, {MaxBooked + 1, 99999, MaxBooked, bookedPages},
	} {
		if err := c.Table.DB().CommitAll(t.Context(), ws[:tt.there]...); err != nil {
			t.Fatal(err)
		}
		ctx, meter := telemetry.WithMeter(t.Context())
		seen, more := 0, false
		for tx, err := range c.Booked(ctx, "m", c.business) {
			if more = errors.Is(err, ErrMore); more {
				break
			}
			if want := fmt.Sprintf("%s-%04d", c.business, tt.there-1-seen); err != nil || tx.ID != want {
				t.Fatalf("%s, %v; want %s", tx.ID, err, want)
			}
			if seen++; seen == tt.want {
				break
			}
		}
		if n := meter.Cost().Requests; seen != tt.seen || more != (tt.there > MaxBooked) || n != tt.requests {
			t.Errorf("of %d: %d, more %v, for %d requests; want %+v", tt.there, seen, more, n, tt)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var want []string
	for i := range 5 {
		c.clock.Add(time.Second)
		want = append([]string{c.held(c.terms(24+i), 1).ID}, want...)
	}
	c.draft(c.terms(40)) // never held: in no list
	for name, list := range map[string]func(after string) ([]Transaction, string, error){
		"owner": func(after string) ([]Transaction, string, error) { return c.ByOwner(ctx, c.owner, 2, after) },
		"business": func(after string) ([]Transaction, string, error) {
			return c.ByBusiness(ctx, actor.Actor{Kind: actor.System}, c.business, 2, after)
		},
	} {
		var got []string
		for after := ""; ; {
			txs, next, err := list(after)
			if err != nil {
				t.Fatal(err)
			}
			for _, tx := range txs {
				got = append(got, tx.ID)
			}
			if after = next; after == "" {
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The latest of a market is found behind what the customer has with other tenants, at the cost of
// a page for each 20; what is behind a hundred is not looked for.
func TestLatestOfAMarket(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ elsewhere, found, requests int }{
		"nothing else":    {0, 1, 1},
		"on the page":     {latestPage - 1, 1, 1},
		"on the next one": {latestPage, 1, 2},
		"on the last one": {latestPages*latestPage - 1, 1, latestPages},
		"behind all":      {latestPages * latestPage, 0, latestPages},
	} {
		c := newCorner(t)
		mine := c.held(c.terms(24), 1)
		var ws []dynamo.Write
		for n := range tt.elsewhere {
			tx := mine
			tx.ID, tx.Market, tx.CreatedAt = fmt.Sprint(mine.ID, n), "elsewhere", mine.CreatedAt.Add(time.Duration(n+1)*time.Second)
			it := itemOf(tx)
			it.DueShard = "" // no sweep's
			ws = append(ws, c.Table.Put(txKey(tx.ID), it))
		}
		if err := c.Table.DB().CommitAll(t.Context(), ws...); err != nil {
			t.Fatal(err)
		}
		ctx, meter := telemetry.WithMeter(t.Context())
		txs, err := c.Latest(ctx, c.owner, mine.Market, 1, func(tx Transaction) bool { return tx.ID == mine.ID })
		if requests := meter.Cost().Requests; err != nil || len(txs) != tt.found || requests != tt.requests {
			t.Errorf("%s: %d by %d requests, %v", name, len(txs), requests, err)
		}
	}
}

// A business knows of what was said YES to, in its own market: one that is called the same in
// another has nothing to do with it.
func TestBooked(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	confirmed, cancelled, elsewhere := c.held(c.terms(24), 3), c.held(c.terms(25), 3), c.terms(24)
	elsewhere.Market = "elsewhere"
	foreign := c.held(elsewhere, 3)
	c.held(c.terms(26), 3) // nobody has said YES to it
	for _, tx := range []Transaction{confirmed, cancelled, foreign} {
		if _, err := c.confirm(tx, "yes"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Release(t.Context(), c.owner, cancelled.ID, "x", "k"); err != nil {
		t.Fatal(err)
	}
	for market, want := range map[string][]string{confirmed.Market: {confirmed.ID, cancelled.ID}, "elsewhere": {foreign.ID}, "nowhere": nil} {
		var got []string
		for tx, err := range c.Booked(t.Context(), market, c.business) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, tx.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", market, d)
		}
	}
}

// Who is known by several identities has one list, whichever they wrote by, and no page of it
// loses or repeats anything, not even of one moment.
func TestListOfLinkedIdentities(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	other := actor.Actor{Kind: actor.User, ID: dynamotest.ID("other")}
	third := actor.Actor{Kind: actor.User, ID: dynamotest.ID("none")} // has booked nothing
	var want []string
	for i, owner := range []actor.Actor{c.owner, other, other, c.owner, c.owner, other, other, other} {
		if i != 3 {
			c.clock.Add(time.Second)
		}
		terms := c.terms(24 + i)
		terms.Owner = owner.Key()
		want = append(want, c.held(terms, 1).ID)
	}
	slices.Sort(want)
	linked := c.owner
	linked.Also = []string{third.Key(), other.Key()}
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []string
		var last time.Time
		for after, n := "", 0; n == 0 || after != ""; n++ {
			txs, next, err := c.ByOwner(ctx, linked, limit, after)
			if err != nil || n > len(want) || len(txs) > limit {
				t.Fatalf("by %d: page %d of %d, %v", limit, n, len(txs), err)
			}
			for _, tx := range txs {
				if got = append(got, tx.ID); !last.IsZero() && tx.CreatedAt.After(last) {
					t.Errorf("by %d: %s is newer than what stands before it", limit, tx.ID)
				}
				last = tx.CreatedAt
			}
			after = next
		}
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("by %d: %s", limit, d)
		}
	}
	for _, after := range []string{"x", "x.y.z", "-.-"} {
		if _, _, err := c.ByOwner(ctx, linked, 2, after); !fault.Is(err, fault.Invalid) {
			t.Errorf("after %q: %v", after, err)
		}
	}
}

func TestConfirmIsBoundToTheOffer(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.held(c.terms(24), 1)
	wrong := receiptFor(tx)
	wrong.OfferHash = "another"
	if _, err := c.Confirm(ctx, c.owner, tx.ID, wrong, "k"); !errors.Is(err, ErrOfferChanged) {
		t.Errorf("err = %v, want %v", err, ErrOfferChanged)
	}
	changes := map[string]func(tx *Transaction){
		"price":  func(tx *Transaction) { tx.PriceMinor++ },
		"start":  func(tx *Transaction) { tx.Start = tx.Start.Add(time.Minute) },
		"party":  func(tx *Transaction) { tx.Party++ },
		"hold":   func(tx *Transaction) { tx.HoldExpiresAt = tx.HoldExpiresAt.Add(time.Second) },
		"policy": func(tx *Transaction) { tx.Policy++ },
		"what":   func(tx *Transaction) { tx.Offering = "terrace" },
	}
	for name, change := range changes {
		stored := tx
		change(&stored)
		if _, err := c.confirmWrites(stored, receiptFor(tx), "k", c.Now()); !errors.Is(err, ErrOfferChanged) {
			t.Errorf("%s changed: err = %v, want %v", name, err, ErrOfferChanged)
		}
	}
}
