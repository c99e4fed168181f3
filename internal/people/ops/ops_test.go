package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/people/ops"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const (
	owner    = "+15550100" // of the tavern
	neighbor = "+15550199"
)

// tavern is a business with a tavern and a stall, beside a bistro of somebody else's.
type tavern struct {
	t     testing.TB
	biz   string
	now   time.Time
	tc    tool.Context
	guest actor.Actor
	*ops.Office
	ledger *ledger.Ledger
}

func newTavern(t testing.TB) *tavern {
	t.Helper()
	v := &tavern{t: t, biz: dynamotest.ID("biz"), now: noon, guest: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("ann")}}
	v.tc = tool.Context{
		Actor: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + owner, Phone: owner}, Market: market.Default(dynamotest.ID("m")),
		Language: "en", Now: noon, TimeZone: time.UTC, Key: "k",
	}
	v.over(dynamotest.Open(t))
	soup := listing.Item{ID: "soup", Kind: listing.MenuItems, Names: map[string]string{"en": "Soup"}, Stock: &listing.Stock{Batch: "b"}}
	bread := listing.Item{ID: "bread", Kind: listing.MenuItems, Names: map[string]string{"en": "Bread"}}
	hours := &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{"mon": {{From: "12:00", To: "22:00"}}}}
	for _, l := range []listing.Listing{
		{ID: "tavern", Business: v.biz, Names: map[string]string{"en": "Tavern"}, Hours: hours, Items: []listing.Item{soup, bread}, Merve: listing.Integration{WhatsApp: owner}},
		{ID: "stall", Business: v.biz, Names: map[string]string{"en": "Stall"}, Merve: listing.Integration{WhatsApp: owner}},
		{ID: "bistro", Business: dynamotest.ID("biz"), Names: map[string]string{"en": "Bistro"}, Merve: listing.Integration{WhatsApp: neighbor}},
	} {
		l.Market, l.Domain, l.Category = v.tc.Market.ID, "food", "restaurant"
		if err := v.Listings.Put(t.Context(), &l, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// over puts the office together on a database.
func (v *tavern) over(db *dynamo.DB) {
	catalog, records, now := db.Table(dynamotest.TableName("catalog")), db.Table(dynamotest.TableName("records")), func() time.Time { return v.now }
	counts := &stock.Store{Table: records, Now: now}
	v.ledger = &ledger.Ledger{Table: db.Table(dynamotest.TableName("ledger")), Now: now, NewID: func() string { return dynamotest.ID("t") }}
	v.Office = &ops.Office{
		Roster: &roster.Book{Table: catalog, Now: now}, Listings: &listing.Store{Table: catalog, Stock: counts, Now: now},
		Orders: &order.Store{Table: records, Stock: counts, Now: now}, Ledger: v.ledger,
	}
}

func (v *tavern) tool(name string) tool.Tool {
	v.t.Helper()
	tools, err := tool.NewRegistry(v.Tools()...)
	if err != nil {
		v.t.Fatal(err)
	}
	one, ok := tools.Get(name)
	if !ok {
		v.t.Fatalf("no tool %s", name)
	}
	return one
}

// asks is what is put to the business for a YES.
func (v *tavern) asks(name, args string) (string, error) {
	v.t.Helper()
	return v.tool(name).Describe(v.t.Context(), v.tc, json.RawMessage(args))
}

func (v *tavern) does(name, args string) (tool.Result, error) {
	v.t.Helper()
	return v.tool(name).Run(v.t.Context(), v.tc, json.RawMessage(args))
}

// ordered is an order that waits for an answer.
func (v *tavern) ordered(customer string) order.Order { return v.orderedFor(customer, time.Time{}) }

// orderedFor is one for later.
func (v *tavern) orderedFor(customer string, when time.Time) order.Order {
	v.t.Helper()
	o, err := v.Orders.Propose(v.t.Context(), order.Order{
		Kind: order.Food, Owner: v.guest.Key(), Market: v.tc.Market.ID, Language: "en", Business: v.biz, Listing: "tavern", ListingName: "Tavern", CustomerName: customer,
		Lines: []order.Line{{Item: "bread", Name: "Bread", Quantity: 1, TotalMinor: 400}}, TotalMinor: 400, Currency: "EUR", TimeZone: "UTC", When: when, ExpiresAt: v.now.Add(10 * time.Minute),
	}, dynamotest.ID("k"))
	if err == nil {
		receipt := &gate.Receipt{PendingID: "p", OfferHash: o.Hash(), Answer: "yes", At: v.now}
		o, err = v.Orders.Apply(v.t.Context(), o, order.PlacedEvent, order.By{Actor: v.guest, Receipt: receipt})
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return o
}

// booked is a confirmed booking that begins at noon.
func (v *tavern) booked(customer string) ledger.Transaction { return v.bookedAt(customer, noon, "UTC") }

// bookedAt is one for an hour from a time, in a zone.
func (v *tavern) bookedAt(customer string, start time.Time, zone string) ledger.Transaction {
	v.t.Helper()
	v.now = noon.Add(-time.Hour)
	defer func() { v.now = noon }()
	tx, err := v.ledger.Offer(v.t.Context(), ledger.Terms{
		Business: v.biz, Listing: "tavern", ListingName: "Tavern", Offering: "table", OfferingName: "Table", Market: v.tc.Market.ID, Owner: v.guest.Key(),
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: zone, Party: 2, Currency: "EUR", CustomerName: customer,
	}, 9, 10*time.Minute, dynamotest.ID("k"))
	if err == nil {
		receipt := gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, MessageID: "m", Answer: "yes", Actor: tx.Owner, At: v.now}
		tx, err = ledgertest.Confirm(v.t.Context(), v.ledger, v.guest, tx.ID, receipt, "k")
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return tx
}

// What will be done is put to the business in words, from what is stored.
func TestWhatABusinessIsAsked(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	o, tx := v.ordered("Ann"), v.booked("Ann")
	soup := wording.Vars{"item": "Soup", "listing": "Tavern"}
	bread := fmt.Sprintf("%s · Tavern · 1 × Bread · €4.00", o.Code)
	tests := []struct{ tool, args, want string }{
		{"answerOrder", fmt.Sprintf(`{"code":%q,"answer":"accept","minutes":null,"reason":null}`, o.Code), say(wording.OrderWordAccept, nil) + " " + bread},
		{"setSoldOut", `{"listingId":"tavern","itemId":"soup","soldOut":true}`, say(wording.OpsSoldOut, soup)},
		{"setOpeningHours", `{"listingId":"tavern","weekday":"Tue","spans":[]}`, say(wording.OpsHours, wording.Vars{"listing": "Tavern", "weekday": wording.Weekday("en", "tue"), "hours": "–"})},
		{"setStock", `{"listingId":"tavern","itemId":"soup","left":null}`, say(wording.OpsUncounted, soup)},
		{"setStock", `{"listingId":"tavern","itemId":"soup","left":5}`, say(wording.OpsLeft, wording.Vars{"item": "Soup", "listing": "Tavern", "left": "5"})},
		{"markNoShow", fmt.Sprintf(`{"code":%q,"noShow":true}`, tx.Code), say(wording.OpsNoShow, wording.Vars{"summary": tx.Code + " · " + booking.Summary("en", tx) + " · “Ann”"})},
	}
	for _, tt := range tests {
		if got, err := v.asks(tt.tool, tt.args); err != nil || got != tt.want {
			t.Errorf("%s %s: %q, %v; want %q", tt.tool, tt.args, got, err, tt.want)
		}
	}
}

func say(key wording.Key, vars wording.Vars) string { return wording.Say("en", key, vars) }

// What cannot be done is refused before a business is asked for a YES, with the field that is wrong.
func TestWhatABusinessIsRefused(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	code := v.ordered("Ann").Code
	tests := []struct{ name, tool, args, want string }{
		{"a listing of somebody else's", "setClosed", `{"listingId":"bistro","date":"2026-11-24","closed":true}`, "listingId: no such listing of yours"},
		{"a day that has passed", "setClosed", `{"listingId":"tavern","date":"2026-11-22","closed":true}`, "date: want a date that has not passed"},
		{"no day", "setClosed", `{"listingId":"tavern","date":"tomorrow","closed":true}`, "date: want a date that has not passed"},
		{"an answer of another kind", "answerOrder", fmt.Sprintf(`{"code":%q,"answer":"maybe"}`, code), "answer: want accept, refuse or done"},
		{"in no time", "answerOrder", fmt.Sprintf(`{"code":%q,"answer":"accept","minutes":0}`, code), "minutes: want 1 to 1440"},
		{"after more than a day", "answerOrder", fmt.Sprintf(`{"code":%q,"answer":"accept","minutes":1441}`, code), "minutes: want 1 to 1440"},
		{"a reason longer than is kept", "answerOrder", fmt.Sprintf(`{"code":%q,"answer":"refuse","reason":%q}`, code, strings.Repeat("é", order.MaxNote+1)), "reason: want at most"},
		{"another item sold out", "setSoldOut", `{"listingId":"tavern","itemId":"cake","soldOut":true}`, "itemId: no such item"},
		{"none left to be had again", "setSoldOut", `{"listingId":"tavern","itemId":"soup","soldOut":false}`, "itemId: is counted, and none is left"},
		{"another item counted", "setStock", `{"listingId":"tavern","itemId":"cake","left":5}`, "itemId: no such item"},
		{"fewer than none", "setStock", `{"listingId":"tavern","itemId":"soup","left":-1}`, "left: want 0 to"},
		{"too many", "setStock", fmt.Sprintf(`{"listingId":"tavern","itemId":"soup","left":%d}`, stock.MaxCount+1), "left: want 0 to"},
		{"hours that it does not have", "setOpeningHours", `{"listingId":"stall","weekday":"mon","spans":[]}`, "its hours are those of its offerings"},
		{"a day of what has no hours", "setClosed", `{"listingId":"stall","date":"2026-11-24","closed":true}`, "no opening hours"},
		{"another booking", "markNoShow", `{"code":"XXXXXX","noShow":true}`, "code: no such booking"},
	}
	for _, tt := range tests {
		if text, err := v.asks(tt.tool, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.name, text, err, tt.want)
		}
	}
}

// What could be done when the business was asked may not be possible any more at its YES.
func TestWhatIsRefusedAtTheYes(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	tests := []struct{ name, tool, args, want string }{
		{"an item that has gone", "setSoldOut", `{"listingId":"tavern","itemId":"cake","soldOut":true}`, "itemId: no such item"},
		{"a counted item that has gone", "setStock", `{"listingId":"tavern","itemId":"cake","left":5}`, "itemId: no such item"},
		{"a listing that is not theirs", "setClosed", `{"listingId":"bistro","date":"2026-11-24","closed":true}`, "listingId: no such listing of yours"},
		{"a day of hours that have gone", "setClosed", `{"listingId":"stall","date":"2026-11-24","closed":true}`, "no opening hours"},
		{"hours that have gone", "setOpeningHours", `{"listingId":"stall","weekday":"mon","spans":[]}`, "no opening hours of its own"},
	}
	for _, tt := range tests {
		if r, err := v.does(tt.tool, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want %q", tt.name, r, err, tt.want)
		}
	}
}

// A listing that is deleted while it is changed is not there to be changed.
func TestAListingIsDeletedWhileItIsChanged(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	sound := v.Listings
	v.over(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		if _, err := sound.Change(t.Context(), v.tc.Market.ID, "tavern", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
	})))
	if r, err := v.does("setSoldOut", `{"listingId":"tavern","itemId":"bread","soldOut":true}`); !errors.Is(err, listing.ErrNotFound) {
		t.Errorf("%+v, %v", r, err)
	}
	if l, err := sound.Get(t.Context(), v.tc.Market.ID, "tavern"); !errors.Is(err, listing.ErrNotFound) {
		t.Errorf("it is there again: %+v, %v", l, err)
	}
}

// An answer that was given before is given; another one is too late.
func TestAnOrderIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	o := v.ordered("Ann")
	for range 2 {
		r, err := v.does("answerOrder", fmt.Sprintf(`{"code":%q,"answer":"accept"}`, o.Code))
		if diff := cmp.Diff(map[string]any{"code": o.Code, "status": order.Accepted}, r.Data); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if _, err := v.does("answerOrder", fmt.Sprintf(`{"code":%q,"answer":"refuse"}`, o.Code)); !fault.Is(err, fault.Conflict) {
		t.Errorf("refused after it was accepted: %v", err)
	}
}

// What a business says of an order that cannot take it is refused before it is asked for a YES; and what
// came between the question and the YES does not pass for what it said.
func TestWhatIsSaidOfAnAnsweredOrderIsNotLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, args string
		typ        order.EventType
		before     order.By
		same       bool // what is said is what is stored
	}{
		{"minutes after none", `{"code":%q,"answer":"accept","minutes":20}`, order.AcceptedEvent, order.By{}, false},
		{"other minutes", `{"code":%q,"answer":"accept","minutes":20}`, order.AcceptedEvent, order.By{ETA: noon.Add(22 * time.Minute)}, false},
		{"fewer minutes", `{"code":%q,"answer":"accept","minutes":20}`, order.AcceptedEvent, order.By{ETA: noon.Add(18 * time.Minute)}, false},
		{"the same minutes, a moment later", `{"code":%q,"answer":"accept","minutes":20}`, order.AcceptedEvent, order.By{ETA: noon.Add(21 * time.Minute)}, true},
		{"a reason after none", `{"code":%q,"answer":"refuse","reason":"no bread"}`, order.RefusedEvent, order.By{}, false},
		{"the same reason", `{"code":%q,"answer":"refuse","reason":"no bread"}`, order.RefusedEvent, order.By{Reason: "no bread"}, true},
		{"no reason after one", `{"code":%q,"answer":"refuse"}`, order.RefusedEvent, order.By{Reason: "no bread"}, true},
	} {
		v := newTavern(t)
		o, args := v.ordered("Ann"), ""
		args = fmt.Sprintf(tt.args, o.Code)
		if _, err := v.asks("answerOrder", args); err != nil {
			t.Errorf("%s: while it can be answered: %v", tt.name, err)
		}
		tt.before.Actor = v.tc.Actor
		after, err := v.Orders.Apply(t.Context(), o, tt.typ, tt.before)
		if err != nil {
			t.Fatal(err)
		}
		if said, err := v.asks("answerOrder", args); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: asked for a YES to %q, %v", tt.name, said, err)
		}
		if r, err := v.does("answerOrder", args); tt.same != (err == nil) || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
		if o, err := v.Orders.ByCode(t.Context(), v.tc.Market.ID, v.biz, o.Code); err != nil || !o.ETA.Equal(after.ETA) || o.Reason != after.Reason {
			t.Errorf("%s: expected %s, %q, %v", tt.name, o.ETA, o.Reason, err)
		}
	}
}

// What is accepted in minutes is expected then, and what was ordered for later not before its time.
func TestWhenAnOrderIsExpected(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	later := noon.Add(30 * time.Hour)
	for _, tt := range []struct{ when, want time.Time }{{time.Time{}, noon.Add(20 * time.Minute)}, {later, later}} {
		o := v.orderedFor("Ann", tt.when)
		if _, err := v.does("answerOrder", fmt.Sprintf(`{"code":%q,"answer":"accept","minutes":20}`, o.Code)); err != nil {
			t.Fatal(err)
		}
		if o, err := v.Orders.ByCode(t.Context(), v.tc.Market.ID, v.biz, o.Code); err != nil || !o.ETA.Equal(tt.want) {
			t.Errorf("ordered for %s, expected %s, %v", o.When, o.ETA, err)
		}
	}
}

// A code that two businesses of a number have given means the order that stands, and neither of two.
func TestAnOrderOfTwoBusinesses(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	cafe := listing.Listing{ID: "cafe", Market: v.tc.Market.ID, Business: dynamotest.ID("biz"), Names: map[string]string{"en": "Cafe"}, Domain: "food", Category: "cafe", Merve: listing.Integration{WhatsApp: owner}}
	if err := v.Listings.Put(t.Context(), &cafe, "test"); err != nil {
		t.Fatal(err)
	}
	tavern, mine := v.ordered("Ann"), v.biz
	v.biz = cafe.Business
	other := v.ordered("Bob")
	v.biz = mine
	pointer := map[string]string{"owner": other.Owner, "order": other.ID} // by the same code
	if err := v.Orders.Table.DB().Commit(t.Context(), v.Orders.Table.Put(dynamo.Key{PK: "code#" + cafe.Business, SK: tavern.Code}, pointer)); err != nil {
		t.Fatal(err)
	}
	args := fmt.Sprintf(`{"code":%q,"answer":"accept"}`, tavern.Code)
	if said, err := v.asks("answerOrder", args); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "tell apart") {
		t.Errorf("of two: %q, %v", said, err)
	}
	if _, err := v.Orders.Apply(t.Context(), tavern, order.RefusedEvent, order.By{Actor: v.tc.Actor}); err != nil {
		t.Fatal(err)
	}
	_, err := v.does("answerOrder", args)
	if one, err2 := v.Orders.Get(t.Context(), v.guest, "", other.ID); err != nil || err2 != nil || one.Status != order.Accepted {
		t.Errorf("of the one that stands: %s, %v, %v", one.Status, err, err2)
	}
}

// Who speaks for no business is shown nothing and does nothing.
func TestWhoSpeaksForNoBusiness(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	code := v.ordered("Ann").Code
	v.tc.Actor = actor.Actor{Kind: actor.Person, ID: "whatsapp:+15550111", Phone: "+15550111"}
	for name, args := range map[string]string{
		"getBusinessDay": `{}`, "getMyListings": `{}`, "answerOrder": fmt.Sprintf(`{"code":%q,"answer":"accept"}`, code),
		"setClosed": `{"listingId":"tavern","date":"2026-11-24","closed":true}`, "markNoShow": `{"code":"XXXXXX","noShow":true}`,
	} {
		if r, err := v.does(name, args); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if s, ok, err := v.today("today"); ok || err != nil {
		t.Errorf("in a word: %+v, %v", s, err)
	}
}

// A business of another market that is called the same sees nothing of this one's, and answers
// none of its orders.
func TestABusinessOfAnotherMarket(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	tx, o := v.booked("Ann"), v.ordered("Ann")
	elsewhere := *v.tc.Market
	elsewhere.ID = dynamotest.ID("m")
	v.tc.Market = &elsewhere
	if err := v.Listings.Table.DB().Commit(t.Context(), roster.Join(v.Listings.Table, elsewhere.ID, owner, roster.Entry{Role: roster.Business, ID: "x", Name: v.biz})); err != nil {
		t.Fatal(err)
	}
	r, err := v.does("getBusinessDay", `{"date":null}`)
	if diff := cmp.Diff(map[string]any{"date": "2026-11-23", "bookings": []map[string]any{}, "orders": []map[string]any{}}, r.Data); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if s, ok, err := v.today("today"); err != nil || !ok || s.Text != say(wording.OpsNothing, nil) {
		t.Errorf("in a word: %q, %v, %v", s.Text, ok, err)
	}
	for name, args := range map[string]string{
		"answerOrder": fmt.Sprintf(`{"code":%q,"answer":"refuse"}`, o.Code), "markNoShow": fmt.Sprintf(`{"code":%q,"noShow":true}`, tx.Code),
	} {
		if r, err := v.does(name, args); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func (v *tavern) today(word string) (gate.Settled, bool, error) {
	return v.Command(v.t.Context(), v.tc, thread.Message{Text: word})
}

// One word gives the day, whether there is something on it or not; other words are not meant so.
func TestTheDayInOneWord(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	if s, ok, err := v.today("today"); err != nil || !ok || s.Text != say(wording.OpsNothing, nil) {
		t.Errorf("of an empty day: %q, %v, %v", s.Text, ok, err)
	}
	tx, named, o := v.booked(""), v.booked("Bob"), v.ordered("")
	s, ok, err := v.today("Today!")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, line := range []string{
		tx.Code + " · " + booking.Summary("en", tx), named.Code + " · " + booking.Summary("en", named) + " · “Bob”", o.Code + " · " + order.Summary("en", o),
	} {
		if !strings.Contains(s.Text+"\n", line+"\n") {
			t.Errorf("%q is not a line of %q", line, s.Text)
		}
	}
	if s, ok, err := v.today("not today"); ok || err != nil {
		t.Errorf("in other words: %+v, %v", s, err)
	}
}

// A booking is on the day that it is where it takes place, and on both of two that it is on: whatever
// day it is in UTC.
func TestTheDayWhereABookingTakesPlace(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		zone  string
		start time.Time
		want  string
	}{
		"at night in the east":       {"Asia/Nicosia", time.Date(2026, 11, 23, 23, 0, 0, 0, time.UTC), "2026-11-24"},
		"until midnight in the east": {"Asia/Nicosia", time.Date(2026, 11, 23, 21, 0, 0, 0, time.UTC), "2026-11-23"},
		"in the evening in the west": {"America/New_York", time.Date(2026, 11, 24, 1, 0, 0, 0, time.UTC), "2026-11-23"},
		"over midnight in the west":  {"America/New_York", time.Date(2026, 11, 24, 4, 30, 0, 0, time.UTC), "2026-11-23 2026-11-24"},
	} {
		v := newTavern(t)
		tx := v.bookedAt("Ann", tt.start, tt.zone)
		var on []string
		for _, day := range []string{"2026-11-22", "2026-11-23", "2026-11-24", "2026-11-25"} {
			r, err := v.does("getBusinessDay", fmt.Sprintf(`{"date":%q}`, day))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range r.Data.(map[string]any)["bookings"].([]map[string]any) {
				on = append(on, day)
				if b["code"] != tx.Code {
					t.Errorf("%s: %v", name, b)
				}
			}
		}
		if got := strings.Join(on, " "); got != tt.want {
			t.Errorf("%s: on %s, want %s", name, got, tt.want)
		}
	}
}

// endless is a ledger of which not all is looked through.
type endless struct{ *ledger.Ledger }

func (endless) Booked(context.Context, string, string) iter.Seq2[ledger.Transaction, error] {
	return func(yield func(ledger.Transaction, error) bool) { yield(ledger.Transaction{}, ledger.ErrMore) }
}

// The day of a business has what was booked long ago, whatever was since; where not all was looked
// through, it says so.
func TestTheDayOfABusyBusiness(t *testing.T) {
	t.Parallel()
	v := newTavern(t)
	tx := v.booked("Ann")
	var ws []dynamo.Write
	for n := range 200 {
		id := fmt.Sprintf("%s-%d", v.biz, n)
		ws = append(ws, v.ledger.Table.Put(dynamo.Key{PK: "tx#" + id, SK: "tx"}, map[string]string{"id": id, "business": v.biz, "created": dynamo.Stamp(noon)}))
	}
	if err := v.ledger.Table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	if s, _, err := v.today("today"); err != nil || !strings.Contains(s.Text, tx.Code) || strings.Contains(s.Text, say(wording.OpsMore, nil)) {
		t.Errorf("%q, %v", s.Text, err)
	}
	if _, err := v.asks("markNoShow", fmt.Sprintf(`{"code":%q,"noShow":true}`, tx.Code)); err != nil {
		t.Error(err)
	}
	v.Ledger = endless{v.ledger}
	if s, _, err := v.today("today"); err != nil || s.Text != say(wording.OpsNothing, nil)+"\n"+say(wording.OpsMore, nil) {
		t.Errorf("%q, %v", s.Text, err)
	}
	if r, err := v.does("getBusinessDay", `{}`); err != nil || r.Data.(map[string]any)["incomplete"] != say(wording.OpsMore, nil) {
		t.Errorf("%v, %v", r.Data, err)
	}
	if _, err := v.asks("markNoShow", fmt.Sprintf(`{"code":%q,"noShow":true}`, tx.Code)); !fault.Is(err, fault.Invalid) {
		t.Errorf("of none that was looked through: %v", err)
	}
}
