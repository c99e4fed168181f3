package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
)

// wish is a customer's wish for what the terms say.
func (c *corner) wish(who string, terms ledger.Terms) Wish {
	terms.Owner = "user:" + who + c.business
	return Wish{ID: who, Terms: terms, Since: c.Now(), TTL: terms.Start.Unix()}
}

// waits puts a wish on the list; the next one comes later.
func (c *corner) waits(w Wish) Wish {
	c.t.Helper()
	if err := c.Put(context.Background(), w); err != nil {
		c.t.Fatal(err)
	}
	c.clock.Add(time.Second)
	return w
}

// waiting are those who wait for what is freed.
func (c *corner) waiting(freed ledger.Terms) string {
	c.t.Helper()
	all, err := c.For(context.Background(), ledger.Transaction{Terms: freed})
	if err != nil {
		c.t.Fatal(err)
	}
	var who []string
	for _, w := range all {
		who = append(who, w.ID)
	}
	return fmt.Sprint(who)
}

// lasting are terms that take hours from the n-th on.
func (c *corner) lasting(n, hours int) ledger.Terms {
	t := c.terms(n)
	for h := 1; h < hours; h++ {
		t.Slots = append(t.Slots, t.Start.Add(time.Duration(h)*time.Hour))
	}
	t.End = t.Start.Add(time.Duration(hours) * time.Hour)
	return t
}

// A wish keeps its place: who wishes again stands where they stood, with as many people as they wish
// for now.
func TestWaiting(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	ann := c.waits(c.wish("ann", c.terms(24)))
	c.waits(c.wish("bob", c.terms(24)))
	more := c.wish("ann", c.terms(24))
	more.Terms.Party = 4
	c.waits(more)
	if got := c.waiting(c.terms(24)); got != "[ann bob]" {
		t.Errorf("waiting: %s", got)
	}
	own, err := c.Wishes.Of(context.Background(), ann.Terms.Market, ann.Terms.Owner)
	all, err2 := c.For(context.Background(), ledger.Transaction{Terms: c.terms(24)})
	if err := errors.Join(err, err2); err != nil || len(own) != 1 || own[0].Terms.Party != 4 || all[0].Terms.Party != 4 {
		t.Errorf("for %+v, found as %+v: %v", own, all, err)
	}
	if err := c.Remove(context.Background(), ann); err != nil {
		t.Fatal(err)
	}
	if got := c.waiting(c.terms(24)); got != "[bob]" {
		t.Errorf("after one was served: %s", got)
	}
}

// What could not be booked is not waited for either: the one who asks is told why, and nothing is kept.
func TestAWishThatCouldNotBeBookedIsRefused(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	w := c.wish("ann", c.terms(24))
	w.Terms.Note = strings.Repeat("é", 1001)
	err := c.Put(context.Background(), w)
	if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != "note" {
		t.Errorf("%v on %q", err, field)
	}
	if got := c.waiting(c.terms(24)); got != "[]" {
		t.Errorf("waiting: %s", got)
	}
}

// Who has wished anew since their wish was read goes on waiting when that is served.
func TestAWishMadeAnewIsNotServed(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	read := c.waits(c.wish("ann", c.terms(24)))
	if err := c.Remove(ctx, read); err != nil {
		t.Fatal(err)
	}
	anew := c.waits(c.wish("ann", c.terms(24)))
	if err := c.Remove(ctx, read); err != nil {
		t.Fatal(err)
	}
	own, err := c.Wishes.Of(ctx, anew.Terms.Market, anew.Terms.Owner)
	if got := c.waiting(c.terms(24)); err != nil || got != "[ann]" || len(own) != 1 {
		t.Errorf("waiting: %s, ann for %+v, %v", got, own, err)
	}
}

// Who has let an offer go and joins again, on the same day even, is made another one.
func TestAWishMadeAnewIsOfferedAnew(t *testing.T) {
	t.Parallel()
	s, ctx := newShop(t), t.Context()
	for n := range 2 {
		w := s.waits(s.wish("ann", s.terms(28)))
		if _, before, err := s.Offered(ctx, w); before || err != nil {
			t.Fatalf("wish %d: offered before %v, %v", n, before, err)
		}
		tx, made, err := (&Waitlist{Ledger: s.Ledger, Catalog: s}).offerTo(ctx, s.tc.Market, w)
		if err != nil || !made || tx.State != ledger.Hold {
			t.Fatalf("wish %d: %s, made %v, %v", n, tx.State, made, err)
		}
		if _, err := s.Release(ctx, actor.OfKey(tx.Owner), tx.ID, "no", "k"); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(ctx, w); err != nil {
			t.Fatal(err)
		}
		s.clock.Add(time.Hour)
	}
}

// A customer with two chats waits once for a time: where they wished last, with the place that they
// had.
func TestWaitingInTwoChats(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	in := func(chat string) Wish {
		w := c.wish(chat, c.terms(24))
		w.ID = waitID(w.Terms)
		return w
	}
	app, phone := in("app"), in("phone")
	c.waits(app)
	c.waits(c.wish("bob", c.terms(24)))
	for _, tt := range []struct {
		wish, other Wish
		requests    int
	}{{phone, app, 2}, {phone, app, 2}, {app, phone, 2}} {
		metered, meter := telemetry.WithMeter(ctx)
		if err := c.Put(metered, tt.wish, tt.other.Terms.Owner); err != nil || meter.Cost().Requests != tt.requests {
			t.Fatalf("%v, %d requests, want %d", err, meter.Cost().Requests, tt.requests)
		}
		own, err := c.Wishes.Of(ctx, app.Terms.Market, app.Terms.Owner, phone.Terms.Owner)
		if got := c.waiting(c.terms(24)); err != nil || got != fmt.Sprintf("[%s bob]", tt.wish.ID) || len(own) != 1 || own[0].ID != tt.wish.ID {
			t.Errorf("waiting: %s, the customer for %+v, %v", got, own, err)
		}
	}
}

// Nor do they wait twice when they wish in both at once.
func TestWaitingInTwoChatsAtOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var all sync.WaitGroup
	owners := []string{"user:app" + c.business, "user:phone" + c.business}
	for n, owner := range owners {
		terms := c.terms(24)
		terms.Owner = owner
		all.Go(func() {
			if err := c.Put(ctx, Wish{ID: waitID(terms), Terms: terms, Since: c.Now(), TTL: terms.Start.Unix()}, owners[1-n]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if own, err := c.Wishes.Of(ctx, c.terms(24).Market, owners...); err != nil || len(own) != 1 {
		t.Errorf("%+v, %v", own, err)
	}
}

// A wish takes the place of another only as long as nothing has changed since that was met.
func TestAWishIsReplacedAsItWasMet(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	anew := func(c *corner, w Wish) {
		if err := c.Remove(ctx, w); err != nil {
			t.Error(err)
		}
		w.Since = c.Now()
		c.waits(w)
	}
	for name, between := range map[string]func(c *corner, app, phone Wish) Wish{
		"another time": func(c *corner, app, _ Wish) Wish { anew(c, app); return app },
		"another chat": func(c *corner, app, phone Wish) Wish { anew(c, app); return phone },
		"from there":   func(c *corner, _, phone Wish) Wish { return c.waits(phone) },
	} {
		c := newCorner(t)
		app, phone := c.waits(c.wish("app", c.terms(24))), c.wish("phone", c.terms(24))
		w := between(c, app, phone)
		stand := c.waiting(c.terms(24))
		if err := c.Table.DB().Commit(ctx, c.instead(w, app)...); !errors.Is(err, dynamo.ErrCondition) {
			t.Errorf("%s: %v", name, err)
		}
		if got := c.waiting(c.terms(24)); got != stand {
			t.Errorf("%s: waiting: %s, want %s", name, got, stand)
		}
	}
}

// Those wait for what is freed who want a part of it, whenever theirs begins; who has waited
// longest is first.
func TestWaitingForAPart(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for who, terms := range map[string]ledger.Terms{"before": c.lasting(24, 2), "after": c.lasting(29, 2)} {
		c.waits(c.wish(who, terms))
	}
	for _, w := range []struct {
		who   string
		terms ledger.Terms
	}{{"last", c.lasting(28, 3)}, {"within", c.lasting(27, 1)}, {"around", c.lasting(25, 5)}, {"first", c.lasting(24, 3)}, {"elsewhere", c.lasting(27, 1)}} {
		if w.who == "elsewhere" {
			w.terms.Offering = "room"
		}
		c.waits(c.wish(w.who, w.terms))
	}
	freed := c.lasting(26, 3)
	if got, want := c.waiting(freed), "[last within around first]"; got != want {
		t.Errorf("waiting: %s, want %s", got, want)
	}
	c.clock.Set(noon.Add(27 * time.Hour)) // when the third begins
	if got, want := c.waiting(freed), "[last]"; got != want {
		t.Errorf("waiting when some have begun: %s, want %s", got, want)
	}
	c.clock.Set(noon.Add(30 * time.Hour))
	if got := c.waiting(freed); got != "[]" {
		t.Errorf("waiting when it is over: %s", got)
	}
}

// A stay may begin long before a night that it goes on to, and is found then, too.
func TestWaitingForLongStays(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	stay := c.lasting(24, 1)
	stay.Nights, stay.Slots, stay.End = 30, nil, stay.Start.AddDate(0, 0, 30)
	for n := range 30 {
		stay.Slots = append(stay.Slots, stay.Start.AddDate(0, 0, n))
	}
	c.waits(c.wish("ann", stay))
	last := stay
	last.Nights, last.Start, last.Slots = 1, stay.Slots[29], stay.Slots[29:]
	if got := c.waiting(last); got != "[ann]" {
		t.Errorf("waiting for the last of 30 nights: %s", got)
	}
}

// All who wait are tried for a freed time, who has waited longest first: many of them may not be asked.
func TestAllWhoWaitAreTried(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	const many = 101
	for n := range many {
		c.waits(c.wish(fmt.Sprint("w", (n*37)%many), c.terms(24)))
	}
	all, err := c.For(context.Background(), ledger.Transaction{Terms: c.terms(24)})
	if err != nil || len(all) != many {
		t.Fatalf("%d are tried, %v", len(all), err)
	}
	if !slices.IsSortedFunc(all, func(a, b Wish) int { return a.Since.Compare(b.Since) }) || all[0].ID != "w0" {
		t.Errorf("%s is first", all[0].ID)
	}
}
