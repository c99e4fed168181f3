package booking_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// inn is a business with two calendars, of tables and of rooms, and customers who book there
// and wait, each on a thread of their own.
type inn struct {
	t         testing.TB
	name      string
	now       time.Time
	market    *market.Market
	offerings map[string]schedule.Offering
	ledger    *ledger.Ledger
	threads   *thread.Store
	reminders *booking.Reminders
	waitlist  *booking.Waitlist
	tools     map[string]tool.Tool

	mu     sync.Mutex
	queued []string
}

func newInn(t testing.TB) *inn {
	t.Helper()
	i := &inn{t: t, name: dynamotest.ID("inn"), now: noon, market: market.Default("demo")}
	table := schedule.Offering{
		ID: "table", Name: "Table", TimeZone: "UTC", Hours: map[string][]schedule.Span{}, SlotMinutes: 30, DurationMinutes: 60, Capacity: 1, HorizonDays: 60,
		Unit: schedule.BySlot, MinParty: 1, MaxParty: 6, PriceMinor: 500, Currency: "EUR", Per: schedule.PerPerson,
	}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		table.Hours[day] = []schedule.Span{{From: "12:00", To: "23:00"}}
	}
	room := table
	room.ID, room.Name, room.Unit, room.Per, room.Hours = "room", "Room", schedule.ByNight, schedule.PerNight, nil
	i.offerings = map[string]schedule.Offering{"table": table, "room": room}
	i.over(faulttest.Transport)
	return i
}

// byPerson gives a thread to a person.
func (i *inn) byPerson(thr string) error {
	return i.threads.Table.DB().Commit(i.t.Context(), i.threads.Assigned(thr, thread.ByPerson))
}

// over puts what works for the inn together, on requests that go one way and are not tried again.
func (i *inn) over(way http.RoundTripper) {
	db := dynamo.Open(dynamotest.Config(i.t), func(o *dynamodb.Options) { o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: way}, 1 })
	db.Backoff = func(int) time.Duration { return time.Microsecond }
	clock := func() time.Time { return i.now }
	i.ledger = &ledger.Ledger{
		Table: db.Table(dynamotest.TableName("ledger")), Now: clock, NewID: func() string { return dynamotest.ID("t") }, Rand: func(int) int { return 0 },
	}
	i.threads = &thread.Store{Table: db.Table(dynamotest.TableName("conversations")), Now: clock, NewID: func() string { return dynamotest.ID("lease") }}
	teller := thread.Teller{Store: i.threads, Queue: i}
	i.reminders = &booking.Reminders{Ledger: i.ledger, Threads: teller}
	i.waitlist = &booking.Waitlist{Ledger: i.ledger, Catalog: i, Markets: i, Threads: teller, Payments: unpaid{}}
	booker := &booking.Booker{Ledger: i.ledger, Catalog: i, Payments: unpaid{}}
	i.tools = map[string]tool.Tool{}
	for _, t := range slices.Concat(booker.Tools(), i.reminders.Tools()) {
		i.tools[t.Name] = t
	}
}

func (i *inn) Queue(_ context.Context, threadID, dedupe string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.queued = append(i.queued, threadID+" "+dedupe)
	return nil
}

func (i *inn) Get(context.Context, string) (*market.Market, error) { return i.market, nil }

func (i *inn) Bookable(_ context.Context, _, _, offering string) (booking.Bookable, error) {
	o, ok := i.offerings[offering]
	if !ok {
		return booking.Bookable{}, fault.New(fault.NotFound, "no such offering")
	}
	return booking.Bookable{Business: i.name, Listing: "inn", ListingName: "Old Inn", Offering: o, Merchant: "+15550101000", Tags: []string{"inn"}}, nil
}

// changed is what the business changes in a calendar.
func (i *inn) changed(offering string, change func(o *schedule.Offering)) {
	o := i.offerings[offering]
	change(&o)
	i.offerings[offering] = o
}

func (i *inn) actor(who string) actor.Actor {
	return actor.Actor{Kind: actor.Session, ID: i.name + "-" + who, Name: who}
}

// thread is a customer's own, on which they have written.
func (i *inn) thread(who string) string {
	i.t.Helper()
	a, err := i.threads.Append(i.t.Context(), channel.Inbound{
		Market: i.market.ID, Channel: channel.App, ThreadType: channel.General, From: i.actor(who), MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		i.t.Fatal(err)
	}
	return a.Thread
}

func (i *inn) call(who, name, args, key string) (tool.Result, error) {
	t := i.tools[name]
	canonical, err := t.Canonical(json.RawMessage(args))
	if err != nil {
		return tool.Result{}, err
	}
	return t.Run(i.t.Context(), tool.Context{
		Actor: i.actor(who), Market: i.market, Thread: thread.ID(i.market.ID, channel.General, "", i.actor(who).Key()), Channel: channel.App,
		Language: "en", Now: i.now, TimeZone: time.UTC, Key: key,
	}, canonical)
}

// args are those of a booking: "22 18:00" is a table, "22-24" a room.
func args(when string) string {
	offering, date, rest := "table", "", `"endDate":null`
	if from, to, ok := strings.Cut(when, "-"); ok {
		offering, date, rest = "room", from, fmt.Sprintf(`"time":null,"endDate":"2026-11-%s"`, to)
	} else {
		from, clock, _ := strings.Cut(when, " ")
		date, rest = from, fmt.Sprintf(`"time":%q,%s`, clock, rest)
	}
	return fmt.Sprintf(`{"listingId":"inn","offeringId":%q,"date":"2026-11-%s",%s,"partySize":2,"note":null}`, offering, date, rest)
}

// holds has a customer hold a time for the ten minutes that an offer lasts.
func (i *inn) holds(who, when string) ledger.Transaction {
	i.t.Helper()
	r, err := i.call(who, "initiateBooking", args(when), dynamotest.ID("k"))
	if err != nil || r.Proposal == nil {
		i.t.Fatalf("%s at %s: %+v, %v", who, when, r, err)
	}
	tx, err := i.ledger.Get(i.t.Context(), i.actor(who), r.Proposal.Ref)
	if err != nil {
		i.t.Fatal(err)
	}
	return tx
}

// waits has customers wait for a time, one after the other.
func (i *inn) waits(when string, who ...string) {
	i.t.Helper()
	for _, w := range who {
		i.thread(w)
		i.now = i.now.Add(time.Second)
		if _, err := i.call(w, "joinWaitlist", args(when), "k"); err != nil {
			i.t.Fatalf("%s waits for %s: %v", w, when, err)
		}
	}
}

// letGo has a customer let go what they hold, and returns the event that tells of it.
func (i *inn) letGo(tx ledger.Transaction) ledger.Event {
	i.t.Helper()
	tx, err := i.ledger.Release(i.t.Context(), actor.OfKey(tx.Owner), tx.ID, "no", "k")
	if err != nil {
		i.t.Fatal(err)
	}
	return ledger.Event{Type: tx.State, Transaction: tx}
}

// freed tells the waiting list of an event, twice.
func (i *inn) freed(e ledger.Event) {
	i.t.Helper()
	for range 2 {
		if err := i.waitlist.Freed(i.t.Context(), e); err != nil {
			i.t.Fatal(err)
		}
	}
}

// standing is how a customer stands: what they hold, what they were told, and for what they wait.
func (i *inn) standing(who string) string {
	i.t.Helper()
	var has []string
	txs, _, err := i.ledger.ByOwner(i.t.Context(), i.actor(who), 10, "")
	if err != nil {
		i.t.Fatal(err)
	}
	for _, tx := range txs {
		has = append(has, fmt.Sprint(tx.State, tx.Start.Format(" 02 15:04")))
	}
	head, err := i.threads.Head(i.t.Context(), i.thread(who))
	if err != nil {
		i.t.Fatal(err)
	}
	for _, m := range head.Inbox {
		if m.Notice != nil {
			has = append(has, "told "+m.Notice.Kind)
		}
	}
	waits, err := booking.Wishes{Ledger: i.ledger}.Of(i.t.Context(), i.market.ID, i.actor(who).Key())
	if err != nil {
		i.t.Fatal(err)
	}
	for range waits {
		has = append(has, "waits")
	}
	return strings.Join(has, ", ")
}

// expect compares how customers stand with what is wanted, "who: how" each.
func (i *inn) expect(want ...string) {
	i.t.Helper()
	for _, line := range want {
		who, how, _ := strings.Cut(line, ": ")
		if got := i.standing(who); got != how {
			i.t.Errorf("%s: %s; want: %s", who, got, how)
		}
	}
}

// Whoever waits for a part of what has become free is asked, and not who waits for what is
// beside it.
func TestWhoWaitsForAPartIsAsked(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22 18:30")
	i.waits("22 18:00", "ann")
	i.waits("22 19:00", "bob")
	beside := i.holds("zoe", "22 19:30")
	i.waits("22 20:00", "eve")
	i.freed(i.letGo(tx))
	i.expect("ann: hold 22 18:00, told waitlist_offer", "bob: waits", "eve: waits")
	i.freed(i.letGo(beside))
	i.expect("bob: hold 22 19:00, told waitlist_offer", "eve: hold 22 20:00, told waitlist_offer")
}

// A booking that was made by another calendar is in the way of all whose time it reaches into: they can
// wait for that, and are asked when it is free.
func TestWhatAnEarlierCalendarFreesIsOffered(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	grid := func(minutes int) {
		i.changed("table", func(o *schedule.Offering) { o.SlotMinutes, o.DurationMinutes = minutes, minutes })
	}
	grid(60)
	tx := i.holds("yan", "22 18:00")
	grid(30)
	if r, err := i.call("ann", "initiateBooking", args("22 18:30"), "b"); err != nil || r.Proposal != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	i.waits("22 18:30", "ann", "bob")
	i.waits("22 18:00", "eve")
	i.thread("dan")
	if _, err := i.call("dan", "joinWaitlist", args("22 19:00"), "k"); !fault.Is(err, fault.Conflict) {
		t.Errorf("for what is free: %v", err)
	}
	i.freed(i.letGo(tx))
	i.expect("ann: hold 22 18:30, told waitlist_offer", "bob: waits", "eve: hold 22 18:00, told waitlist_offer")
}

// Who waits for more than has become free keeps nobody from it, and goes on waiting.
func TestWhoWaitsForMoreKeepsNobody(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	first := i.holds("yan", "22-23")
	i.holds("zoe", "23-25")
	i.waits("22-25", "ann")
	i.waits("22-23", "bob")
	i.freed(i.letGo(first))
	i.expect("ann: waits", "bob: hold 22 15:00, told waitlist_offer")
}

// What has become free is offered until nothing of it is left, to those who have waited longest,
// whenever it begins.
func TestAllThatIsFreeIsOffered(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22-25")
	i.waits("23-24", "ann")
	i.waits("22-24", "bob")
	i.waits("22-23", "eve")
	i.waits("24-25", "dan")
	i.waits("24-26", "joe")
	i.freed(i.letGo(tx))
	i.expect("ann: hold 23 15:00, told waitlist_offer", "bob: waits", "eve: hold 22 15:00, told waitlist_offer", "dan: hold 24 15:00, told waitlist_offer", "joe: waits")
}

// What is over has nobody to wait for it.
func TestNobodyWaitsForWhatIsOver(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22 18:00")
	i.waits("22 18:00", "ann")
	e := i.letGo(tx)
	i.now = tx.Start
	i.freed(e)
	i.now = tx.End.Add(time.Hour)
	i.freed(e)
	i.expect("ann: ")
}

// What is offered is what could be booked today: the calendar, the limits and the price may have
// changed since somebody began to wait. What is offered no more ends the wish.
func TestAWishIsOfferedOnTodaysTerms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(i *inn, o *schedule.Offering)
		want   string
		price  int64
	}{
		"as before":       {func(*inn, *schedule.Offering) {}, "hold 22 18:00, told waitlist_offer", 1000},
		"another price":   {func(_ *inn, o *schedule.Offering) { o.PriceMinor = 900 }, "hold 22 18:00, told waitlist_offer", 1800},
		"closed that day": {func(_ *inn, o *schedule.Offering) { o.Closed = []string{"2026-11-22"} }, "", 0},
		"shorter hours": {func(_ *inn, o *schedule.Offering) {
			o.Hours = map[string][]schedule.Span{"sun": {{From: "19:00", To: "23:00"}}}
		}, "", 0},
		"only long ahead":    {func(_ *inn, o *schedule.Offering) { o.LeadMinutes = 48 * 60 }, "", 0},
		"for larger parties": {func(_ *inn, o *schedule.Offering) { o.MinParty = 3 }, "", 0},
		"not bookable here": {func(i *inn, _ *schedule.Offering) {
			i.market.Tools["initiateBooking"] = market.ToolPolicy{AllowedTags: []string{"spa"}}
		}, "", 0},
		"not offered any more": {func(i *inn, o *schedule.Offering) { o.ID = "gone" }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann", "bob")
			i.changed("table", func(o *schedule.Offering) { tt.change(i, o) })
			if i.offerings["table"].ID == "gone" {
				delete(i.offerings, "table")
			}
			i.freed(i.letGo(tx))
			bob := "waits"
			if tt.want == "" {
				bob = ""
			}
			i.expect("ann: "+tt.want, "bob: "+bob)
			txs, _, err := i.ledger.ByOwner(t.Context(), i.actor("ann"), 10, "")
			if err != nil || tt.price > 0 && txs[0].PriceMinor != tt.price {
				t.Errorf("%+v, %v", txs, err)
			}
		})
	}
}

// Who did not come by another of their chats is offered nothing that they could not book.
func TestWhoDidNotComeIsKnownInALinkedChat(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	missed := i.booked("anna", "21 18:00")
	tx := i.holds("yan", "22 18:00")
	i.waits("22 18:00", "ann", "bob")
	i.changed("table", func(o *schedule.Offering) { o.NoShows = &schedule.NoShows{Count: 1, Days: 30} })
	code, _, err := i.threads.Links().Code(t.Context(), i.thread("anna"))
	if err == nil {
		err = i.threads.Links().Link(t.Context(), i.thread("ann"), code)
	}
	e := i.letGo(tx)
	i.now = missed.End
	if err == nil {
		_, err = i.ledger.Mark(t.Context(), actor.Actor{Kind: actor.System}, missed.ID, "m")
	}
	if err != nil {
		t.Fatal(err)
	}
	i.freed(e)
	i.expect("ann: ", "bob: hold 22 18:00, told waitlist_offer")
}

// What is offered shortly before it begins is held until then, and not at all when nobody could
// answer in time.
func TestAnOfferIsNotHeldBeyondItsStart(t *testing.T) {
	t.Parallel()
	for before, length := range map[time.Duration]time.Duration{
		time.Hour: 30 * time.Minute, 10*time.Minute + time.Millisecond: 10*time.Minute + time.Millisecond, time.Minute: time.Minute, 59 * time.Second: 0,
	} {
		i := newInn(t)
		tx := i.holds("yan", "22 18:00")
		i.waits("22 18:00", "ann")
		e := i.letGo(tx)
		i.now = tx.Start.Add(-before)
		for range 2 { // later, by a moment
			i.freed(e)
			i.now = i.now.Add(time.Second)
		}
		txs, _, err := i.ledger.ByOwner(t.Context(), i.actor("ann"), 10, "")
		switch {
		case err != nil:
			t.Fatal(err)
		case length == 0 && len(txs) > 0 || length > 0 && (len(txs) != 1 || txs[0].HoldExpiresAt.Sub(txs[0].CreatedAt) != length):
			t.Errorf("%v before: %+v, want it held for %v", before, txs, length)
		}
	}
}

// Who could not be asked now is passed over and goes on waiting; the next one is asked. Who has
// gone waits no more.
func TestWhoCannotBeAskedNowIsPassedOver(t *testing.T) {
	t.Parallel()
	asked := func(i *inn, until time.Duration) *thread.Pending {
		return &thread.Pending{ID: "p", Kind: booking.CancelKind, Ref: "t", Summary: "S", CreatedAt: i.now, ExpiresAt: i.now.Add(until)}
	}
	ends := func(i *inn, id string, o thread.Outcome) error {
		lease, _, err := i.threads.Take(i.t.Context(), id)
		if err != nil {
			return err
		}
		th, err := i.threads.Open(i.t.Context(), lease)
		if err != nil {
			return err
		}
		o.Turn = thread.Turn{N: th.Turns + 1, In: th.Inbox, At: i.now}
		return i.threads.Commit(i.t.Context(), lease, th, o)
	}
	wrote := func(i *inn, by channel.Channel, ago time.Duration) error {
		earlier := *i.threads
		earlier.Now = func() time.Time { return i.now.Add(-ago) }
		_, err := earlier.Append(i.t.Context(), channel.Inbound{
			Market: i.market.ID, Channel: by, ThreadType: channel.General, From: i.actor("ann"), MessageID: "2", Text: "hi",
		}, false)
		return err
	}
	approved := func(i *inn) {
		i.market.WhatsApp.Templates = map[string]market.Approved{"waitlist_offer": {ContentSID: "HX00000000000000000000000000000001"}}
	}
	const now, later = "hold 22 18:00, told waitlist_offer", "waits"
	for name, tt := range map[string]struct {
		before func(i *inn, id string) error
		ann    string
		bob    string
	}{
		"nothing waits":          {func(i *inn, id string) error { return ends(i, id, thread.Outcome{}) }, now, later},
		"something waits":        {func(i *inn, id string) error { return ends(i, id, thread.Outcome{Pending: asked(i, time.Hour)}) }, later, now},
		"something is gone":      {func(i *inn, id string) error { return ends(i, id, thread.Outcome{Pending: asked(i, 0)}) }, now, later},
		"opted out":              {func(i *inn, id string) error { return ends(i, id, thread.Outcome{OptedOut: true}) }, later, now},
		"a person has it":        {func(i *inn, id string) error { return i.byPerson(id) }, later, now},
		"somebody else's thread": {func(i *inn, _ string) error { return i.byPerson(i.thread("eve")) }, now, later},
		"has written today":      {func(i *inn, _ string) error { return wrote(i, channel.WhatsApp, 23*time.Hour) }, now, later},
		"has not":                {func(i *inn, _ string) error { return wrote(i, channel.WhatsApp, 24*time.Hour) }, later, now},
		"has not, on Messenger":  {func(i *inn, _ string) error { return wrote(i, channel.Messenger, 24*time.Hour) }, later, now},
		"has not, by a template": {func(i *inn, _ string) error { approved(i); return wrote(i, channel.WhatsApp, 24*time.Hour) }, now, later},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann", "bob")
			if err := tt.before(i, i.thread("ann")); err != nil {
				t.Fatal(err)
			}
			i.freed(i.letGo(tx))
			i.expect("ann: "+tt.ann, "bob: "+tt.bob)
		})
	}
	t.Run("is about to be asked", func(t *testing.T) {
		t.Parallel()
		i := newInn(t)
		tx := i.holds("yan", "22-24")
		i.waits("22-23", "ann")
		i.waits("23-24", "ann", "bob")
		i.freed(i.letGo(tx))
		i.expect("ann: hold 22 15:00, told waitlist_offer, waits", "bob: hold 23 15:00, told waitlist_offer")
	})
	t.Run("very many", func(t *testing.T) {
		t.Parallel()
		i := newInn(t)
		tx := i.holds("yan", "22 18:00")
		i.waits("22 18:00", "ann")
		wishes, err := booking.Wishes{Ledger: i.ledger}.Of(t.Context(), i.market.ID, i.actor("ann").Key())
		if err == nil {
			err = i.byPerson(i.thread("ann"))
		}
		for n := range 120 {
			if err != nil {
				t.Fatal(err)
			}
			more := wishes[0]
			more.ID, more.Terms.Owner = fmt.Sprint("more", n), fmt.Sprint(more.Terms.Owner, n)
			err = (booking.Wishes{Ledger: i.ledger}).Put(t.Context(), more)
		}
		i.waits("22 18:00", "bob")
		i.freed(i.letGo(tx))
		i.expect("ann: waits", "bob: "+now)
	})
	t.Run("the thread has gone", func(t *testing.T) {
		t.Parallel()
		i := newInn(t)
		tx := i.holds("yan", "22 18:00")
		if _, err := i.call("ann", "joinWaitlist", args("22 18:00"), "k"); err != nil {
			t.Fatal(err)
		}
		i.waits("22 18:00", "bob")
		i.freed(i.letGo(tx))
		i.expect("ann: ", "bob: "+now)
	})
}

// A wish that is on the list and cannot be booked is taken off it, and keeps nobody from the time.
func TestAWishThatCannotBeOfferedKeepsNobody(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22 18:00")
	i.waits("22 18:00", "ann", "bob")
	wishes, err := booking.Wishes{Ledger: i.ledger}.Of(t.Context(), i.market.ID, i.actor("ann").Key())
	if err != nil || len(wishes) != 1 {
		t.Fatal(wishes, err)
	}
	w := wishes[0]
	w.Terms.Note = strings.Repeat("n", 1001)
	slot := w.Terms.Start.Format("2006-01-02T15:04Z") + "#"
	db, table := i.ledger.Table.DB(), i.ledger.Table
	if err := db.Commit(t.Context(),
		table.Put(dynamo.Key{PK: "wait#" + i.name + ":table", SK: slot + dynamo.Stamp(w.Since) + "#" + w.ID}, w),
		table.Put(dynamo.Key{PK: "waiting#" + w.Terms.Owner, SK: slot + w.ID}, w)); err != nil {
		t.Fatal(err)
	}
	i.freed(i.letGo(tx))
	i.expect("ann: ", "bob: hold 22 18:00, told waitlist_offer")
}

// Nobody waits for what begins before they could answer, or has begun: a night whose check-in is
// over can still be booked, but not be waited for.
func TestNobodyWaitsForWhatHasBegun(t *testing.T) {
	t.Parallel()
	for when, tt := range map[string]struct {
		now  time.Time
		want bool
	}{
		"21-22":    {at(21, 18, 0), false},
		"21 18:00": {at(21, 17, 59).Add(30 * time.Second), false},
		"21 18:30": {at(21, 18, 29), true},
	} {
		i := newInn(t)
		i.booked("yan", when)
		i.now = tt.now
		res, err := i.call("ann", "joinWaitlist", args(when), "k")
		if told := fmt.Sprint(res.Data, err); tt.want && err != nil || strings.Contains(told, "too soon") == tt.want {
			t.Errorf("%s at %s: %s", when, tt.now, told)
		}
		if own, err := (booking.Wishes{Ledger: i.ledger}).Of(t.Context(), i.market.ID, i.actor("ann").Key()); err != nil || (len(own) > 0) != tt.want {
			t.Errorf("%s at %s: waits for %+v, %v", when, tt.now, own, err)
		}
	}
}

// One place that has become free is offered to one, even where more have become free beside it:
// each is offered by its own event.
func TestEachFreedPlaceIsOfferedToOne(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.changed("table", func(o *schedule.Offering) { o.Capacity = 2 })
	first, second := i.holds("yan", "22 18:00"), i.holds("zoe", "22 18:00")
	i.waits("22 18:00", "ann", "bob")
	events := []ledger.Event{i.letGo(first), i.letGo(second)}
	for n, bob := range []string{"waits", "hold 22 18:00, told waitlist_offer"} {
		if err := i.waitlist.Freed(t.Context(), events[n]); err != nil {
			t.Fatal(err)
		}
		i.expect("ann: hold 22 18:00, told waitlist_offer", "bob: "+bob)
	}
}

// telling is who tells customers, at whose first word something else happens.
type telling struct {
	thread.Teller
	once      *sync.Once
	meanwhile func()
}

func (t telling) Tell(ctx context.Context, id, key string, n thread.Notice) error {
	t.once.Do(t.meanwhile)
	return t.Teller.Tell(ctx, id, key, n)
}

// Two places that become free at once, and are offered at once, are offered to two, whenever the one
// comes to what the other does: before it has held the place, or before it tells of that.
func TestTwoPlacesFreedAtOnce(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(i *inn, other func()){
		"before it is held": func(i *inn, other func()) { i.over(dynamotest.Before("TransactWriteItems", other)) },
		"before it is told": func(i *inn, other func()) {
			i.waitlist.Threads = telling{i.waitlist.Threads.(thread.Teller), &sync.Once{}, other}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			i.changed("table", func(o *schedule.Offering) { o.Capacity = 2 })
			first, second := i.holds("yan", "22 18:00"), i.holds("zoe", "22 18:00")
			i.waits("22 18:00", "ann", "bob", "eve")
			events := []ledger.Event{i.letGo(first), i.letGo(second)}
			other := *i.waitlist
			between(i, func() {
				if err := other.Freed(t.Context(), events[1]); err != nil {
					t.Error(err)
				}
			})
			if err := i.waitlist.Freed(t.Context(), events[0]); err != nil {
				t.Fatal(err)
			}
			i.expect("ann: hold 22 18:00, told waitlist_offer", "bob: hold 22 18:00, told waitlist_offer", "eve: waits")
		})
	}
}

// What frees nothing is not even looked up.
func TestWhatFreesNothing(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22 18:00")
	i.waits("22 18:00", "ann")
	for _, typ := range []ledger.State{ledger.Hold, ledger.Confirmed, ledger.NoShow, ledger.Came} {
		ctx, meter := telemetry.WithMeter(t.Context())
		if err := i.waitlist.Freed(ctx, ledger.Event{Type: typ, Transaction: tx}); err != nil || meter.Cost().Requests != 0 {
			t.Errorf("%s: %v, %d requests", typ, err, meter.Cost().Requests)
		}
	}
	i.expect("ann: waits")
}

// An offer that ran out before anybody was told of it is told to nobody; the next one is asked.
func TestAnOfferThatRanOutUntold(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	tx := i.holds("yan", "22 18:00")
	i.waits("22 18:00", "ann", "bob")
	e := i.letGo(tx)
	wishes, err := booking.Wishes{Ledger: i.ledger}.Of(t.Context(), i.market.ID, i.actor("ann").Key())
	if err != nil || len(wishes) != 1 {
		t.Fatal(wishes, err)
	}
	if _, _, err := i.waitlist.OfferTo(t.Context(), i.market, wishes[0]); err != nil {
		t.Fatal(err)
	}
	i.now = i.now.Add(31 * time.Minute)
	i.freed(e)
	i.expect("ann: expired 22 18:00", "bob: hold 22 18:00, told waitlist_offer")
}
