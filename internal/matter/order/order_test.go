package order_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/words/wording"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// counter is a market with one business and one customer.
type counter struct {
	t      testing.TB
	store  *order.Store
	owner  actor.Actor
	biz    string
	market string
	now    time.Time
}

// business is told of what is placed at a number; err is why it cannot be.
type business struct {
	number string
	err    error
	writes []dynamo.Write
}

func (b business) TellPlaced(context.Context, order.Order, string) ([]dynamo.Write, string, error) {
	return b.writes, b.number, b.err
}

func newCounter(t testing.TB) *counter {
	t.Helper()
	c := &counter{t: t, owner: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}, biz: dynamotest.ID("biz"), now: noon}
	db := dynamotest.Open(t)
	c.store = &order.Store{
		Table: db.Table(dynamotest.TableName("records")), Rows: &thread.Rows{Table: db.Table(dynamotest.TableName("conversations"))}, Now: func() time.Time { return c.now },
	}
	return c
}

func (c *counter) draft() order.Order {
	return order.Order{
		Kind: order.Food, Owner: c.owner.Key(), Market: "demo", Thread: "th_" + c.biz, Language: "en", Business: c.biz, Listing: "grill", ListingName: "Grill",
		Merchant: "+15550100", Lines: []order.Line{{Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 400}}, TotalMinor: 400, Currency: "EUR",
		TimeZone: "UTC", ExpiresAt: c.now.Add(10 * time.Minute),
	}
}

// taker takes orders that b carries out.
func (c *counter) taker(b order.Business) *order.Taker {
	return &order.Taker{Store: c.store, Business: b}
}

func (c *counter) propose(key string) order.Order {
	c.t.Helper()
	o, err := c.store.Propose(context.Background(), c.draft(), key)
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

func (c *counter) apply(o order.Order, typ order.EventType) order.Order {
	c.t.Helper()
	by := order.By{Actor: c.owner}
	if typ == order.PlacedEvent {
		by.Receipt = &gate.Receipt{PendingID: "p_1", OfferHash: o.Hash(), Answer: "yes", At: c.now}
	}
	after, err := c.store.Apply(context.Background(), o, typ, by)
	if err != nil {
		c.t.Fatal(err)
	}
	return after
}

// The same key is the same order; another one has a code of its own.
func TestPropose(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	a, again, b := c.propose("1"), c.propose("1"), c.propose("2")
	if a.ID != again.ID || a.Code != again.Code || a.ID == b.ID || a.Code == b.Code {
		t.Errorf("%s %s, again %s %s, other %s %s", a.ID, a.Code, again.ID, again.Code, b.ID, b.Code)
	}
	if all, err := c.store.Of(t.Context(), c.owner, a.Market); err != nil || len(all) != 2 {
		t.Errorf("%d orders, %v", len(all), err)
	}
	if _, err := c.store.ByCode(t.Context(), "demo", c.biz, a.Code); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("the business knows of what nobody said YES to: %v", err)
	}
	if all, err := c.store.OfBusiness(t.Context(), c.biz, noon.Add(-time.Hour)); err != nil || len(all) != 0 {
		t.Errorf("the business is shown %v, %v", all, err)
	}
	placed := c.apply(a, order.PlacedEvent)
	found, err := c.store.ByCode(t.Context(), "demo", c.biz, strings.ToLower(a.Code))
	if err != nil || found.ID != a.ID || found.Receipt == nil || found.Status != order.Placed {
		t.Errorf("by code %+v, %v", found, err)
	}
	if all, err := c.store.OfBusiness(t.Context(), c.biz, noon.Add(-time.Hour)); err != nil || len(all) != 1 {
		t.Errorf("the business is shown %v, %v", all, err)
	}
	if placed.Hash() != a.Hash() {
		t.Error("placing an order makes it another offer")
	}
}

// offers makes so many long ones, to each of which the same happens.
func (c *counter) offers(n int, events ...order.EventType) {
	c.t.Helper()
	for range n {
		d := c.draft()
		d.Note = strings.Repeat("x", order.MaxNote)
		o, err := c.store.Propose(c.t.Context(), d, dynamotest.ID("offer"))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, typ := range events {
			o = c.apply(o, typ)
		}
	}
}

// A look at a customer's orders costs the same however many they had and were offered before.
func TestPromise7_FlatCostOfOrders(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	for _, events := range [][]order.EventType{{order.ReleasedEvent}, {order.PlacedEvent, order.RefusedEvent}, {order.ExpiredEvent}} {
		var costs [2]telemetry.Cost
		for i := range costs {
			c.offers(order.MaxListed+1, events...)
			ctx, meter := telemetry.WithMeter(t.Context())
			if _, err := c.store.Of(ctx, c.owner, "demo"); err != nil {
				t.Fatal(err)
			}
			costs[i] = meter.Cost()
		}
		if costs[0].Requests != costs[1].Requests || costs[0].ReadUnits != costs[1].ReadUnits {
			t.Errorf("%v: %d requests and %g read units, then %d and %g", events, costs[0].Requests, costs[0].ReadUnits, costs[1].Requests, costs[1].ReadUnits)
		}
	}
}

// What a customer said NO to, or nothing, hides none of their orders, nor do those with another tenant;
// what waits for their YES is among them.
func TestProposalsHideNoOrderOfTheirs(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.apply(c.propose("placed"), order.PlacedEvent)
	c.now = c.now.Add(time.Second)
	c.offers(order.MaxOwn, order.ReleasedEvent)
	c.offers(1, order.ExpiredEvent)
	for n := range order.MaxOwn {
		d := c.draft()
		d.Market = "elsewhere"
		if _, err := c.store.Propose(t.Context(), d, fmt.Sprint("elsewhere", n)); err != nil {
			t.Fatal(err)
		}
	}
	waits := c.propose("waits")
	all, err := c.store.Of(t.Context(), c.owner, "demo")
	if err != nil || len(all) != 2 || all[0].ID != waits.ID || all[1].ID != o.ID {
		t.Errorf("%d orders, %v; want %s and %s", len(all), err, waits.ID, o.ID)
	}
}

// Orders for later that have ended hide none from the customer and the business, and one that waits for
// its time is there until then.
func TestEndedOrdersForLaterHideNone(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	later := func(key string, events ...order.EventType) order.Order {
		d := c.draft()
		d.Kind, d.When = order.Service, c.now.AddDate(0, 2, 0)
		o, err := c.store.Propose(t.Context(), d, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range events {
			c.now = c.now.Add(time.Second)
			o = c.apply(o, typ)
		}
		return o
	}
	waits := later("waits", order.PlacedEvent)
	for n := range order.MaxListed / 2 {
		later(fmt.Sprint("refused", n), order.PlacedEvent, order.RefusedEvent)
		later(fmt.Sprint("cancelled", n), order.PlacedEvent, order.AcceptedEvent, order.CancelledEvent)
	}
	c.now = c.now.Add(time.Second)
	now := c.apply(c.propose("now"), order.PlacedEvent)
	for days := range 2 {
		c.now = c.now.AddDate(0, 0, 50*days)
		theirs, err := c.store.Of(t.Context(), c.owner, "demo")
		if err != nil || len(theirs) != 2+order.MaxOwn || theirs[0].ID != now.ID || !slices.ContainsFunc(theirs, is(waits)) {
			t.Errorf("the customer, %d days later, has %d orders, %v", 50*days, len(theirs), err)
		}
		all, _, err := c.store.OpenOf(t.Context(), "demo", c.biz)
		if want := 2 - days; err != nil || len(all) != want || !slices.ContainsFunc(all, is(waits)) || slices.ContainsFunc(all, is(now)) != (days == 0) {
			t.Errorf("the business, %d days later, has %d orders, %v", 50*days, len(all), err)
		}
	}
}

// Staff are shown what stands before what is over, also where a former release has listed the two
// together, and of what is over all that ended lately.
func TestStaffSeeWhatStandsFirst(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	stands := c.apply(c.propose("stands"), order.PlacedEvent)
	late := c.apply(c.propose("late"), order.PlacedEvent)
	for n := range order.MaxListed - 1 {
		c.now = c.now.Add(time.Second)
		o := c.apply(c.apply(c.propose(fmt.Sprint(n)), order.PlacedEvent), order.RefusedEvent)
		if n%2 == 0 {
			continue
		}
		former := c.store.Table.Update(dynamo.Key{PK: "orders#" + o.Owner, SK: "order#" + o.ID}, "SET listed = :listed", dynamo.V{":listed": "business#" + c.biz + "#order"})
		if err := c.store.Table.DB().Commit(t.Context(), former); err != nil {
			t.Fatal(err)
		}
	}
	c.now = c.now.Add(time.Second)
	late = c.apply(late, order.RefusedEvent)
	all, err := c.store.OfBusiness(t.Context(), c.biz, noon.Add(-time.Hour))
	if err != nil || len(all) != order.MaxListed || all[0].ID != stands.ID || slices.ContainsFunc(all, is(late)) {
		t.Errorf("%d orders, %v", len(all), err)
	}
	all, err = c.store.OfBusiness(t.Context(), c.biz, c.now)
	if err != nil || len(all) != 1 || all[0].ID != late.ID {
		t.Errorf("since the last ended: %v, %v", all, err)
	}
}

// is tells whether an order is a certain one.
func is(o order.Order) func(order.Order) bool {
	return func(other order.Order) bool { return other.ID == o.ID }
}

// An order is listed once while the index still has what it was before, too.
func TestAnOrderIsListedOnce(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	it, err := c.store.Table.Get(t.Context(), dynamo.Key{PK: "orders#" + o.Owner, SK: "order#" + o.ID})
	if err != nil {
		t.Fatal(err)
	}
	c.apply(o, order.PlacedEvent)
	if err := c.store.Table.DB().Commit(t.Context(), c.store.Table.Update(it.Key(), "SET listed = :listed", dynamo.V{":listed": it.String("listed")})); err != nil {
		t.Fatal(err)
	}
	if all, err := c.store.Of(t.Context(), c.owner, "demo"); err != nil || len(all) != 1 || all[0].Status != order.Placed {
		t.Errorf("%+v, %v", all, err)
	}
}

// sameCode are the keys of two orders that would like the same code.
func sameCode(owner actor.Actor) (a, b string) {
	wants := map[string]string{} // code: key
	for n := 0; ; n++ {
		key := fmt.Sprint("key", n)
		code := order.FirstCode(owner.Key(), key)
		if first := wants[code]; first != "" {
			return first, key
		}
		wants[code] = key
	}
}

// Codes of one business are never given twice: two orders that would like the same one get two.
// Of another business it is another order's.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	a, b := sameCode(c.owner)
	first, second := c.propose(a), c.propose(b)
	if first.Code == second.Code || first.Code != order.FirstCode(c.owner.Key(), b) {
		t.Errorf("codes %s and %s", first.Code, second.Code)
	}
	for _, o := range []order.Order{first, second} {
		c.apply(o, order.PlacedEvent)
		if found, err := c.store.ByCode(t.Context(), "demo", c.biz, o.Code); err != nil || found.ID != o.ID {
			t.Errorf("by %s: %s, %v", o.Code, found.ID, err)
		}
	}
	c.biz = dynamotest.ID("biz")
	if o, err := c.store.Propose(t.Context(), c.draft(), b+"x"); err != nil || o.Code != order.FirstCode(c.owner.Key(), b+"x") {
		t.Errorf("of another business: %s, %v", o.Code, err)
	}
}

// An order that is placed while its owner's orders are erased stays, as what the business knows of
// it does.
func TestAnOrderIsPlacedWhileErased(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	yes := dynamotest.Before("TransactWriteItems", func() { c.apply(o, order.PlacedEvent) })
	late := &order.Store{Table: dynamotest.Open(t, yes).Table(dynamotest.TableName("records")), Now: c.store.Now}
	if _, err := late.Erase(t.Context(), "demo", c.owner.Key()); !errors.Is(err, order.ErrChanged) {
		t.Errorf("err = %v", err)
	}
	if found, err := c.store.ByCode(t.Context(), "demo", c.biz, o.Code); err != nil || found.Status != order.Placed {
		t.Errorf("%+v, %v", found, err)
	}
}

// A YES counts for the very order that was shown, and for one that can still be what it wants.
func TestAYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	tc := tool.Context{Actor: c.owner, Market: market.Default("demo"), Language: "en", TimeZone: time.UTC}
	says := func(kind string, o order.Order, hash string) (string, int) {
		t.Helper()
		s, err := c.taker(business{number: "+15550101009"}).Commitments()[kind].Commit(t.Context(), tc, gate.Consent{Pending: thread.Pending{Kind: kind, Ref: o.ID, Hash: hash, Summary: "soup"}, At: c.now})
		if err != nil {
			t.Fatal(err)
		}
		return s.Text, len(s.Writes)
	}
	o := c.propose("1")
	if text, n := says(order.ConfirmFood, o, "of another order"); n != 0 || text != wording.Say("en", wording.OfferChanged, nil) {
		t.Errorf("YES to another offer: %d writes, %q", n, text)
	}
	if _, n := says(order.ConfirmFood, o, o.Hash()); n == 0 {
		t.Error("YES to this offer writes nothing")
	}
	late := wording.Say("en", wording.OrderLate, nil)
	c.now = o.ExpiresAt
	if text, n := says(order.ConfirmFood, o, o.Hash()); n != 0 || text != late {
		t.Errorf("YES as it expires: %d writes, %q", n, text)
	}
	if text, n := says(order.ConfirmFood, order.Order{ID: "or_aaaaaaaaaaaaaaaa"}, o.Hash()); n != 0 || text != late {
		t.Errorf("YES to what is gone: %d writes, %q", n, text)
	}
	c.now = noon
	placed := c.apply(o, order.PlacedEvent)
	if text, n := says(order.ConfirmFood, placed, placed.Hash()); n != 0 || !strings.Contains(text, placed.Code) {
		t.Errorf("a second YES: %d writes, %q", n, text)
	}
	refused := wording.Say("en", wording.OrderCancelRefused, wording.Vars{"summary": "soup"})
	for _, hash := range []string{"", placed.Hash()} {
		if text, n := says(order.CancelKind, placed, hash); n != 0 || text != refused {
			t.Errorf("YES to cancelling something else: %d writes, %q", n, text)
		}
	}
}

// What nobody can be told of is not placed, and let go of. What is placed was told, in the same transaction, to a
// number that may answer it whatever becomes of it, until the order is deleted.
func TestField37_PlacedIsTold(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	tc := tool.Context{Actor: c.owner, Market: market.Default("demo"), Language: "en", TimeZone: time.UTC}
	yes := func(o order.Order, b business) gate.Settled {
		t.Helper()
		s, err := c.taker(b).Commitments()[order.ConfirmFood].Commit(t.Context(), tc, gate.Consent{Pending: thread.Pending{Ref: o.ID, Hash: o.Hash()}, At: c.now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	commit := func(ws []dynamo.Write) error { return c.store.Table.DB().Commit(t.Context(), ws...) }
	status := func(o order.Order) order.Order {
		t.Helper()
		o, err := c.store.Get(t.Context(), c.owner, "demo", o.ID)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := c.propose("nobody")
	untold := wording.Say("en", wording.OrderUnreachable, wording.Vars{"listing": o.ListingName})
	s := yes(o, business{err: order.ErrUnreachable})
	if err := commit(s.Writes); err != nil || s.Text != untold || status(o).Status != order.Released {
		t.Errorf("nobody can be told: %q, %v, %s", s.Text, err, status(o).Status)
	}

	o = c.propose("stopped") // between the look and the commit
	number := "+1555" + dynamotest.ID("")[:7]
	row := c.store.Table.Put(dynamo.Key{PK: dynamotest.ID("outbox"), SK: "outbox#m"}, struct{}{})
	s = yes(o, business{number: number, writes: []dynamo.Write{row.If("attribute_exists(pk)", nil).Else(order.ErrUnreachable)}})
	err := commit(s.Writes)
	if text, ok := s.Refused(err); !ok || text != untold || status(o).Status != order.Proposed {
		t.Errorf("the message is not taken: %q, %v, %v, %s", text, ok, err, status(o).Status)
	}
	if err := commit(s.Instead.Writes); err != nil || status(o).Status != order.Released {
		t.Errorf("let go of: %v, %s", err, status(o).Status)
	}

	o = c.propose("told")
	s = yes(o, business{number: number, writes: []dynamo.Write{row}})
	if err := commit(s.Writes); err != nil || status(o).Status != order.Placed || status(o).Told != number {
		t.Errorf("%v, %+v", err, status(o))
	}
	commands := &order.Commands{Store: c.store, Roster: nobodys{}, Outbox: quotes{}}
	for name, tt := range map[string]struct {
		number, text, replyTo string
		want                  bool
	}{
		"with its code":        {number, "accept " + o.Code, "", true},
		"another number":       {"+15550100", "accept " + o.Code, "", false},
		"no number":            {"", "accept " + o.Code, "", false},
		"another code":         {number, "accept K7P2", "", false},
		"no answer":            {number, "is " + o.Code + " still wanted?", "", false},
		"quoted":               {number, "accept", o.Code, true},
		"below something else": {number, "accept", "K7P2", false},
		"below nothing":        {number, "accept", "", false},
	} {
		in := channel.Inbound{Market: "demo", Channel: channel.WhatsApp, From: actor.Actor{Kind: actor.Person, Phone: tt.number}, Text: tt.text, ReplyTo: tt.replyTo}
		if owed, err := commands.Owed(t.Context(), in); owed != tt.want || err != nil {
			t.Errorf("%s: %v, %v", name, owed, err)
		}
		to := tc
		to.Actor.Phone = tt.number
		_, ok, err := commands.Command(t.Context(), to, thread.Message{Text: tt.text, ReplyTo: tt.replyTo, At: c.now})
		if ok != tt.want || err != nil {
			t.Errorf("%s: obeyed %v, %v", name, ok, err)
		}
	}
	refused := c.apply(status(o), order.RefusedEvent)
	in := channel.Inbound{Market: "demo", From: actor.Actor{Phone: number}, Text: "done " + o.Code}
	if owed, err := commands.Owed(t.Context(), in); owed || err != nil {
		t.Errorf("of what is over: %v, %v", owed, err)
	}
	c.now = refused.UpdatedAt.Add(2 * time.Hour)
	if _, err := c.store.Erase(t.Context(), "demo", c.owner.Key()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.store.ToldOf(t.Context(), "demo", number, o.Code); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
}

// nobodys is a roster on which nobody is.
type nobodys struct{}

func (nobodys) Read(context.Context, string, string) (roster.Roles, error) { return nil, nil }

// quotes knows messages by the code of what they were about.
type quotes struct{}

func (quotes) AboutOf(_ context.Context, _, providerID string) (string, error) {
	return providerID, nil
}

// What cannot be read is neither done nor refused: the turn is run again.
func TestAYesWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	ctx, away := context.WithCancel(t.Context())
	away()
	tc := tool.Context{Actor: c.owner, Market: market.Default("demo"), Language: "en", TimeZone: time.UTC}
	s, err := c.taker(business{number: "+15550101009"}).Commitments()[order.ConfirmFood].Commit(ctx, tc, gate.Consent{Pending: thread.Pending{Ref: o.ID, Hash: o.Hash()}, At: c.now})
	if err == nil {
		t.Errorf("answered with %q", s.Text)
	}
}

// An order that cannot be placed after all is let go of.
func TestWhatIsDoneInsteadOfAnOrder(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	tc := tool.Context{Actor: c.owner, Market: market.Default("demo"), Language: "en", TimeZone: time.UTC}
	o := c.propose("1")
	s, err := c.taker(business{number: "+15550101009"}).Commitments()[order.ConfirmFood].Commit(t.Context(), tc, gate.Consent{Pending: thread.Pending{Ref: o.ID, Hash: o.Hash()}, At: c.now})
	if err != nil || len(s.Writes) == 0 || s.Instead == nil || len(s.Instead.Writes) == 0 {
		t.Errorf("%d writes, instead %+v, %v", len(s.Writes), s.Instead, err)
	}
}

// Cancelling is asked for in the words of what is cancelled.
func TestCancellingIsAskedFor(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	for kind, key := range map[string]wording.Key{order.CancelKind: wording.OrderCancelPrompt, order.CancelRequestKind: wording.RequestCancelPrompt} {
		got := c.taker(business{number: "+15550101009"}).Commitments()[kind].Describe(tool.Context{Language: "en"}, thread.Pending{Kind: kind, Summary: "soup"})
		if want := wording.Say("en", key, wording.Vars{"summary": "soup"}); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// Of all that a change writes, only its event is read as one.
func TestOnlyEventsAreEvents(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	for _, tt := range []struct {
		pk, sk string
		event  order.EventType
	}{
		{"orders#" + o.Owner, "event#" + o.ID + "#proposed", order.ProposedEvent}, {"orders#" + o.Owner, "order#" + o.ID, ""}, {"code#" + c.biz, o.Code, ""},
	} {
		it, err := c.store.Table.Get(t.Context(), dynamo.Key{PK: tt.pk, SK: tt.sk})
		if err != nil || it == nil {
			t.Fatal(tt.sk, it, err)
		}
		if e, ok, err := order.Events.Read(it); err != nil || ok != (tt.event != "") || e.Type != tt.event {
			t.Errorf("%s: %+v, %v, %v", tt.sk, e, ok, err)
		}
	}
}

// Events say whether the customer made them happen, by any of their chats, or somebody else.
func TestWhoMadeItHappen(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.apply(c.propose("1"), order.PlacedEvent)
	o, err := c.store.Apply(t.Context(), o, order.AcceptedEvent, order.By{Actor: actor.Actor{Kind: actor.Person, ID: "biz"}})
	if err != nil {
		t.Fatal(err)
	}
	linked := actor.Actor{Kind: actor.Person, ID: dynamotest.ID("ann"), Also: []string{c.owner.Key()}}
	if _, err := c.store.Apply(t.Context(), o, order.CancelledEvent, order.By{Actor: linked}); err != nil {
		t.Fatal(err)
	}
	events, err := c.store.Events(t.Context(), o)
	if err != nil || len(events) != 4 {
		t.Fatal(events, err)
	}
	for _, e := range events {
		if e.Customer != (e.Type != order.AcceptedEvent) {
			t.Errorf("%s by %s: customer %v", e.Type, e.By, e.Customer)
		}
	}
}

func TestCountedItemsWantCounts(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	d := c.draft()
	d.Counted = map[string]int{"soup": 1}
	o, err := c.store.Propose(t.Context(), d, "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.store.Apply(t.Context(), o, order.PlacedEvent, order.By{Actor: c.owner}); !fault.Is(err, fault.Internal) {
		t.Errorf("err = %v", err)
	}
}

// What one actor has is nothing to another.
func TestForeign(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	o := c.propose("1")
	eve := actor.Actor{Kind: actor.Session, ID: "eve"}
	for _, id := range []string{o.ID, "or_aaaaaaaaaaaaaaaa", "x", "", strings.Repeat("x", 2000)} {
		if _, err := c.store.Get(t.Context(), eve, o.Market, id); !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	eve.Also = []string{c.owner.Key()}
	if _, err := c.store.Get(t.Context(), eve, o.Market, o.ID); err != nil {
		t.Errorf("by a linked identity: %v", err)
	}
	if _, err := c.store.Get(t.Context(), c.owner, "elsewhere", o.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("in another market: %v", err)
	}
}

// All that is kept of an owner's orders is deleted, however many there are, but for what a
// business is working on; nobody else's is.
func TestErase(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	other := *c
	other.owner = actor.Actor{Kind: actor.Session, ID: dynamotest.ID("bob")}
	others := other.propose("1")
	var last order.Order
	for n := range order.MaxListed + 1 {
		last = c.apply(c.propose(fmt.Sprint("over", n)), order.ReleasedEvent)
	}
	open := c.apply(c.propose("open"), order.PlacedEvent)
	for range 2 {
		if kept, err := c.store.Erase(t.Context(), "demo", c.owner.Key()); err != nil || cmp.Diff([]string{open.Code}, kept) != "" {
			t.Fatalf("%v stayed, %v", kept, err)
		}
	}
	left, err := c.store.All(t.Context(), "demo", c.owner.Key())
	if err != nil || len(left) != 1 || left[0].ID != open.ID {
		t.Errorf("left: %v, %v", left, err)
	}
	if events, err := c.store.Events(t.Context(), last); err != nil || len(events) != 0 {
		t.Errorf("events: %v, %v", events, err)
	}
	if _, err := other.store.Get(t.Context(), other.owner, others.Market, others.ID); err != nil {
		t.Errorf("another's: %v", err)
	}
}

// What was open goes by itself an hour after it is over, however it ends, with name, phone, address
// and note; what the customer orders afterwards stays.
func TestEraseOnceItIsOver(t *testing.T) {
	t.Parallel()
	for _, end := range []order.EventType{order.DoneEvent, order.CancelledEvent} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			c.store.Table = dynamotest.Open(t, dynamotest.Aside(dynamotest.ID(""), `order#\d\d`)).Table(dynamotest.TableName("records"))
			open := c.apply(c.apply(c.propose("open"), order.PlacedEvent), order.AcceptedEvent)
			if kept, err := c.store.Erase(t.Context(), "demo", c.owner.Key()); err != nil || cmp.Diff([]string{open.Code}, kept) != "" {
				t.Fatalf("%v stayed, %v", kept, err)
			}
			sweep := func(after time.Duration, want string) {
				t.Helper()
				c.now = noon.Add(after)
				if _, err := c.store.Sweep(t.Context(), dynamo.Budget{Count: 10}); err != nil {
					t.Fatal(err)
				}
				if got := c.kept(); got != want {
					t.Errorf("after %v: %s, want %s", after, got, want)
				}
			}
			sweep(time.Hour, "accepted and due, code, mark, row, was accepted, was placed, was proposed")
			sweep(2*time.Hour, "accepted and due, code, mark, row, was accepted, was placed, was proposed")
			c.now = noon.Add(150 * time.Minute)
			c.apply(open, end)
			over := c.kept()
			sweep(3*time.Hour, over) // while it is told of
			c.now = noon.Add(4 * time.Hour)
			c.apply(c.propose("later"), order.PlacedEvent)
			for range 2 {
				sweep(4*time.Hour, "code, placed and due, row, was placed, was proposed")
			}
			if _, err := c.store.Get(t.Context(), c.owner, open.Market, open.ID); !errors.Is(err, actor.ErrNotFound) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
}

// What ended just before its customer had all deleted can be told of for an hour, too.
func TestEraseWhatHasJustEnded(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.store.Table = dynamotest.Open(t, dynamotest.Aside(dynamotest.ID(""), `order#\d\d`)).Table(dynamotest.TableName("records"))
	c.apply(c.apply(c.propose("over"), order.PlacedEvent), order.CancelledEvent)
	over := c.kept()
	if kept, err := c.store.Erase(t.Context(), "demo", c.owner.Key()); err != nil || len(kept) != 0 {
		t.Errorf("%v stayed, %v", kept, err)
	}
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{{time.Hour - time.Second, strings.Replace(over, "code, ", "code, mark, ", 1)}, {time.Hour, ""}} {
		c.now = noon.Add(tt.after)
		if _, err := c.store.Sweep(t.Context(), dynamo.Budget{Count: 10}); err != nil {
			t.Fatal(err)
		}
		if got := c.kept(); got != tt.want {
			t.Errorf("after %v: %q, want %q", tt.after, got, tt.want)
		}
	}
}

// A code that lapsed and is another order's by now stays that order's.
func TestEraseAfterItsCodeWasGivenAgain(t *testing.T) {
	t.Parallel()
	c, ctx := newCounter(t), t.Context()
	old := c.apply(c.propose("old"), order.ReleasedEvent)
	other := *c
	other.owner.ID = dynamotest.ID("bob")
	open := other.apply(other.propose("open"), order.PlacedEvent)
	code := dynamo.Key{PK: "code#" + c.biz, SK: old.Code}
	if err := c.store.Table.DB().Commit(ctx, c.store.Table.Put(code, map[string]any{"owner": open.Owner, "order": open.ID})); err != nil {
		t.Fatal(err)
	}
	if _, err := c.store.Erase(ctx, old.Market, old.Owner); err != nil {
		t.Fatal(err)
	}
	if got, err := c.store.ByCode(ctx, "demo", c.biz, old.Code); err != nil || got.ID != open.ID {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.store.Get(ctx, c.owner, "", old.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}

// Of two that answer at the same time one wins, whatever they say.
func TestField31_AcceptAndCancelAtOnce(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	for i := range 10 {
		o := c.apply(c.propose(fmt.Sprint(i)), order.PlacedEvent)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for n, typ := range []order.EventType{order.AcceptedEvent, order.CancelledEvent, order.RefusedEvent, order.AcceptedEvent} {
			wg.Go(func() { _, errs[n] = c.store.Apply(t.Context(), o, typ, order.By{Actor: c.owner}) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, order.ErrChanged):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d won: %v", won, errs)
		}
	}
}

// Nothing waits for ever: a sweep ends it once its time is over and leaves all else, however many
// sweep.
func TestSweep(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.store.Table = dynamotest.Open(t).Table(dynamotest.OwnTable(t, "records")) // where nobody else's orders are
	proposed, placed, accepted := c.propose("1"), c.apply(c.propose("2"), order.PlacedEvent), c.apply(c.apply(c.propose("3"), order.PlacedEvent), order.AcceptedEvent)
	status := func() []order.Status {
		var all []order.Status
		for _, o := range []order.Order{proposed, placed, accepted} {
			got, err := c.store.Get(t.Context(), c.owner, o.Market, o.ID)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, got.Status)
		}
		return all
	}
	for _, step := range []struct {
		after time.Duration
		want  []order.Status
		did   order.Swept
	}{
		{10*time.Minute - time.Second, []order.Status{order.Proposed, order.Placed, order.Accepted}, order.Swept{}},
		{10 * time.Minute, []order.Status{order.Expired, order.Placed, order.Accepted}, order.Swept{Expired: 1}},
		{15 * time.Minute, []order.Status{order.Expired, order.Unanswered, order.Accepted}, order.Swept{Unanswered: 1}},
		{24*time.Hour - time.Second, []order.Status{order.Expired, order.Unanswered, order.Accepted}, order.Swept{}},
		{24 * time.Hour, []order.Status{order.Expired, order.Unanswered, order.Done}, order.Swept{Done: 1}},
	} {
		c.now = noon.Add(step.after)
		var wg sync.WaitGroup
		sweeps := make([]order.Swept, 2)
		for n := range sweeps {
			wg.Go(func() {
				var err error
				if sweeps[n], err = c.store.Sweep(t.Context(), dynamo.Budget{Count: 1000}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if d := cmp.Diff(step.want, status()); d != "" {
			t.Errorf("after %v: %s", step.after, d)
		}
		var did order.Swept
		for _, s := range sweeps {
			did.Expired, did.Unanswered, did.Done = did.Expired+s.Expired, did.Unanswered+s.Unanswered, did.Done+s.Done
		}
		if did != step.did {
			t.Errorf("after %v: did %+v, want %+v", step.after, did, step.did)
		}
	}
	if _, err := c.store.Apply(t.Context(), proposed, order.PlacedEvent, order.By{Actor: c.owner}); err == nil {
		t.Error("placed after it expired")
	}
}

// A sweep that cannot read an order says so: it is not taken for one with nothing to do.
func TestASweepWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	records := dynamotest.OwnTable(t, "records")
	c.store.Table = dynamotest.Open(t).Table(records)
	c.propose("1")
	c.now = noon.Add(time.Hour)
	c.store.Table = dynamotest.Once(t, dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "GetItem" {
			return nil, errors.New("away")
		}
		return body, nil
	}}).Table(records)
	if did, err := c.store.Sweep(t.Context(), dynamo.Budget{Count: 1}); err == nil {
		t.Errorf("did %+v", did)
	}
}

// What a business has accepted and forgotten is taken to be done when its time is long over: the
// latest of what was said when it would be.
func TestWhenAnAcceptedOrderIsDue(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		kind      order.Kind
		when, eta time.Duration // 0 was not said
		due       time.Duration
	}{
		{order.Food, 0, 0, day},
		{order.Food, 0, 40 * time.Minute, day + 40*time.Minute},
		{order.Food, 30 * time.Hour, 0, 54 * time.Hour},
		{order.Food, 30 * time.Hour, 31 * time.Hour, 55 * time.Hour},
		{order.Food, -time.Hour, 0, day}, // accepted late
		{order.Service, 0, 0, 7 * day},
		{order.Viewing, 20 * day, 0, 27 * day},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			at := func(d time.Duration) time.Time {
				if d == 0 {
					return time.Time{}
				}
				return noon.Add(d)
			}
			d := c.draft()
			d.Kind, d.When = tt.kind, at(tt.when)
			o, err := c.store.Propose(t.Context(), d, "1")
			if err != nil {
				t.Fatal(err)
			}
			o, err = c.store.Apply(t.Context(), c.apply(o, order.PlacedEvent), order.AcceptedEvent, order.By{ETA: at(tt.eta)})
			if err != nil {
				t.Fatal(err)
			}
			it, err := c.store.Table.Get(t.Context(), dynamo.Key{PK: "orders#" + o.Owner, SK: "order#" + o.ID})
			if err != nil || !it.Time("dueAt").Equal(noon.Add(tt.due)) || it.String("dueShard") == "" {
				t.Errorf("due at %s in %q, %v", it.Time("dueAt"), it.String("dueShard"), err)
			}
			c.now = noon.Add(tt.due - time.Millisecond)
			if typ, err := c.store.Lapse(t.Context(), o); err != nil || typ != "" {
				t.Errorf("before it is due: %q, %v", typ, err)
			}
			c.now = noon.Add(tt.due)
			if typ, err := c.store.Lapse(t.Context(), o); err != nil || typ != order.DoneEvent {
				t.Errorf("when it is due: %q, %v", typ, err)
			}
		})
	}
}

// Whatever call fails, in every way, and however often it comes again: what is stored is as
// without.
func TestField16_CrashAnywhere(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
		c := newCounter(t)
		faulty := c.failing(calls)
		var o order.Order
		calls.Deliver(t, nil, func() (err error) {
			o, err = faulty.Propose(t.Context(), c.draft(), "1")
			return err
		})
		for _, typ := range []order.EventType{order.PlacedEvent, order.AcceptedEvent, order.DoneEvent} {
			calls.Deliver(t, nil, func() error {
				now, err := faulty.Get(t.Context(), c.owner, o.Market, o.ID)
				if err != nil {
					return err
				}
				after, err := faulty.Apply(t.Context(), now, typ, order.By{Actor: c.owner, Receipt: &gate.Receipt{Answer: "yes"}})
				var refused *order.Refusal
				if errors.As(err, &refused) {
					return nil // it had happened
				}
				if err == nil {
					o = after
				}
				return err
			})
		}
		var stored []string
		page, err := c.store.Table.Query(t.Context(), dynamo.Under("orders#"+c.owner.Key(), ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			var plain map[string]any
			if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
				t.Fatal(err)
			}
			stored = append(stored, fmt.Sprint(plain["type"], plain["status"], plain["from"]))
		}
		return stored
	})
}

// What is ordered far ahead is among what is to be carried out until it is closed, and what is ordered
// after it comes before it.
func TestOpenLongBeforeItsTime(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]order.Kind{"food": order.Food, "a viewing": order.Viewing} {
		c := newCounter(t)
		draft := c.draft()
		draft.Kind, draft.When = kind, noon.Add(60*24*time.Hour)
		ahead, err := c.store.Propose(t.Context(), draft, "ahead")
		if err != nil {
			t.Fatal(err)
		}
		ahead = c.apply(c.apply(ahead, order.PlacedEvent), order.AcceptedEvent)
		c.now = noon.Add(time.Minute)
		soon := c.apply(c.propose("soon"), order.PlacedEvent)
		open, more, err := c.store.OpenOf(t.Context(), "demo", c.biz)
		if err != nil || more || len(open) != 2 || open[0].ID != soon.ID {
			t.Errorf("%s: at first %v, more %t, %v", name, open, more, err)
		}
		lapses := noon.Add(67*24*time.Hour - time.Minute)
		if kind == order.Food {
			lapses = noon.Add(61*24*time.Hour - time.Minute)
		}
		for _, c.now = range []time.Time{noon.Add(20 * 24 * time.Hour), ahead.When, lapses} {
			open, _, err := c.store.OpenOf(t.Context(), "demo", c.biz)
			if err != nil || !slices.ContainsFunc(open, func(o order.Order) bool { return o.ID == ahead.ID }) {
				t.Errorf("%s, at %v: %v, %v", name, c.now, open, err)
			}
		}
	}
}

// What a business that opens late accepts at last, and for a day later, is there until it is closed.
func TestOpenLongAfterARest(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	d := c.draft()
	d.Kind, d.AnswerFrom = order.Service, noon.AddDate(0, 0, 13)
	o, err := c.store.Propose(t.Context(), d, "1")
	if err != nil {
		t.Fatal(err)
	}
	o = c.apply(o, order.PlacedEvent)
	c.now = d.AnswerFrom.Add(24*time.Hour - time.Second)
	if _, err = c.store.Apply(t.Context(), o, order.AcceptedEvent, order.By{ETA: c.now.Add(24 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.AddDate(0, 0, 8).Add(-time.Second)
	if open, _, err := c.store.OpenOf(t.Context(), "demo", c.biz); err != nil || len(open) != 1 {
		t.Errorf("%v, %v", open, err)
	}
}

// What is still to be carried out is found behind whatever was ordered since, as far as is looked.
func TestOpenBehindOthers(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	table := c.store.Table
	var ws []dynamo.Write
	for n := range order.MaxLooked + 1 {
		o := order.Order{ID: fmt.Sprintf("or_%04d", n), Market: "demo", Owner: c.owner.Key(), Status: order.Done, Receipt: &gate.Receipt{}}
		if n == 0 {
			o.Status = order.Accepted
		}
		ws = append(ws, table.Put(dynamo.Key{PK: "orders#" + o.Owner, SK: "order#" + o.ID}, struct {
			order.Order
			Listed   string `dynamodbav:"listed"`
			ListedAt string `dynamodbav:"listedAt"`
		}{o, "business#" + c.biz + "#order", dynamo.Stamp(noon.Add(time.Duration(n) * time.Second))}))
	}
	for _, tt := range []struct {
		there, open int
		more        bool
		requests    int
	}{{1, 1, false, 2}, {99, 1, false, 2}, {101, 1, false, 4}, {order.MaxLooked + 1, 0, true, 10}} {
		if err := table.DB().CommitAll(t.Context(), ws[:tt.there]...); err != nil {
			t.Fatal(err)
		}
		ctx, meter := telemetry.WithMeter(t.Context())
		open, more, err := c.store.OpenOf(ctx, "demo", c.biz)
		if n := meter.Cost().Requests; err != nil || len(open) != tt.open || more != tt.more || n != tt.requests {
			t.Errorf("of %d: %d open, more %v, for %d requests, %v; want %+v", tt.there, len(open), more, n, err, tt)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ctx, meter := telemetry.WithMeter(t.Context())
	var o order.Order
	for _, step := range []struct {
		name string
		do   func() error
		want int
	}{
		{"propose", func() (err error) { o, err = c.store.Propose(ctx, c.draft(), "1"); return err }, 1},
		{"propose again", func() error { _, err := c.store.Propose(ctx, c.draft(), "1"); return err }, 2},
		{"get", func() error { _, err := c.store.Get(ctx, c.owner, o.Market, o.ID); return err }, 1},
		{"place", func() (err error) {
			o, err = c.store.Apply(ctx, o, order.PlacedEvent, order.By{Actor: c.owner, Receipt: &gate.Receipt{}})
			return err
		}, 1},
		{"by code", func() error { _, err := c.store.ByCode(ctx, "demo", c.biz, o.Code); return err }, 2},
		{"list", func() error { _, err := c.store.Of(ctx, c.owner, o.Market); return err }, 3},
		{"list what is open", func() error { _, err := c.store.Open(ctx, c.owner, o.Market); return err }, 2},
		{"of the business", func() error { _, err := c.store.OfBusiness(ctx, c.biz, noon.Add(-time.Hour)); return err }, 3},
	} {
		before := meter.Cost().Requests
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if n := meter.Cost().Requests - before; n != step.want {
			t.Errorf("%s: %d requests, want %d", step.name, n, step.want)
		}
	}
}
