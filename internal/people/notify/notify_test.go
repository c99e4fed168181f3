package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/report"
	deskpkg "merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// place is a market with one listing, and a customer's thread.
type place struct {
	t testing.TB
	*notify.Notifier
	market   *market.Market
	markets  *market.Store
	listing  *listing.Listing
	listings *listing.Store
	threads  *thread.Store
	orders   *order.Store
	logged   *bytes.Buffer

	mu     sync.Mutex
	queued []string
	booked map[string]ledger.Transaction
	alerts []string // of messages that nobody gets
}

const merchantPhone = "+15550101001"

func newPlace(t testing.TB) *place {
	t.Helper()
	db, now := dynamotest.Open(t), func() time.Time { return noon }
	catalog, conversations := db.Table(dynamotest.TableName("catalog")), db.Table(dynamotest.TableName("conversations"))
	p := &place{
		t: t, market: market.Default(dynamotest.ID("m")), logged: &bytes.Buffer{},
		markets: &market.Store{Table: catalog, Now: now}, listings: &listing.Store{Table: catalog, Now: now},
		threads: &thread.Store{Table: conversations, Now: now, NewID: func() string { return dynamotest.ID("lease") }},
		orders:  &order.Store{Table: db.Table(dynamotest.TableName("records")), Now: now},
	}
	p.listing = &listing.Listing{
		ID: "grill", Market: p.market.ID, Business: dynamotest.ID("biz"), Names: map[string]string{"en": "Harbour Grill"}, Domain: "food", Category: "restaurant",
		Merve: listing.Integration{Enabled: true, WhatsApp: merchantPhone, Actions: []listing.Action{{Type: listing.BookAction, Enabled: true}}},
	}
	p.Notifier = &notify.Notifier{
		Markets: p.markets, Listings: p.listings, Threads: thread.Teller{Store: p.threads, Queue: p}, Orders: p.orders,
		Reports:  &report.Store{Table: db.Table(dynamotest.TableName("records")), Now: now},
		Bookings: p, Alert: p.alert, Outbox: &outbox.Box{Table: conversations, Now: now, Log: slog.New(slog.NewTextHandler(p.logged, nil))},
	}
	return p
}

// save stores market and listing as they are now.
func (p *place) save() {
	p.t.Helper()
	ctx := context.Background()
	if _, err := p.markets.Save(ctx, *p.market, "test"); err != nil {
		p.t.Fatal(err)
	}
	if err := p.listings.Put(ctx, p.listing, "test"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) Queue(_ context.Context, threadID, dedupe string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued = append(p.queued, threadID+" "+dedupe)
	return nil
}

func (p *place) alert(_ context.Context, m outbox.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alerts = append(p.alerts, m.About+": "+m.Error)
	return nil
}

// Get finds what a booking was before it was moved.
func (p *place) Get(_ context.Context, _ actor.Actor, id string) (ledger.Transaction, error) {
	tx, ok := p.booked[id]
	if !ok {
		return ledger.Transaction{}, actor.ErrNotFound
	}
	return tx, nil
}

// event is what the ledger tells of a booking.
func (p *place) event(typ, from ledger.State) ledger.Event {
	return ledger.Event{ID: string(typ), Type: typ, From: from, At: noon, Transaction: ledger.Transaction{
		ID: dynamotest.ID("tx"), Code: "KX72B4", State: typ,
		Terms: ledger.Terms{
			Business: p.listing.Business, Listing: "grill", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Merchant: merchantPhone,
			Market: p.market.ID, Owner: "person:whatsapp:+15550999", Start: noon.Add(30 * time.Hour), End: noon.Add(31 * time.Hour),
			TimeZone: "UTC", Party: 2, Currency: "EUR", CustomerName: "Deniz", Language: "en",
		},
	}}
}

func (p *place) tell(e ledger.Event) {
	p.t.Helper()
	if err := p.Tell(context.Background(), e); err != nil {
		p.t.Fatal(err)
	}
}

// merchantThread is where the business's own messages arrive.
func (p *place) merchantThread() string { return p.threadOf(merchantPhone) }

func (p *place) threadOf(number string) string {
	return thread.ID(p.market.ID, channel.Ops, "", actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number}.Key())
}

// heard has the business write something at a time.
func (p *place) heard(text string, at time.Time) {
	p.t.Helper()
	threads := *p.threads
	threads.Now = func() time.Time { return at }
	_, err := threads.Append(p.t.Context(), channel.Inbound{
		Market: p.market.ID, Channel: channel.WhatsApp, ThreadType: channel.Ops, From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + merchantPhone}, MessageID: text, Text: text,
	}, false)
	if err != nil {
		p.t.Fatal(err)
	}
}

// wroteToday has the business write, which opens the channel's window.
func (p *place) wroteToday() {
	p.t.Helper()
	p.heard("hello", noon.Add(-23*time.Hour))
}

// approved gives the market a template by which a business is written to at any time.
func (p *place) approved() {
	p.market.WhatsApp.Templates = map[string]market.Approved{"merchant_message": {ContentSID: "HX" + strings.Repeat("0", 32), Params: []string{"text"}}}
}

// optedOut has the business write STOP.
func (p *place) optedOut() {
	p.t.Helper()
	ctx := p.t.Context()
	p.heard("STOP", noon)
	lease, _, err := p.threads.Take(ctx, p.merchantThread())
	var opened *thread.Thread
	if err == nil {
		opened, err = p.threads.Open(ctx, lease)
	}
	if err == nil {
		err = p.threads.Commit(ctx, lease, opened, thread.Outcome{Turn: thread.Turn{N: opened.Number(), In: opened.Inbox}, OptedOut: true})
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) sent() []outbox.Message {
	p.t.Helper()
	ms, err := p.Outbox.List(context.Background(), p.merchantThread(), 50)
	if err != nil {
		p.t.Fatal(err)
	}
	return ms
}

func TestTheNearestTemplateWins(t *testing.T) {
	t.Parallel()
	const typ = "merchant_booking_confirmed"
	tests := []struct {
		name                 string
		ofMarket, ofListing  string
		language, actionType string
		off                  bool
		want                 string
	}{
		{name: "the product's", want: "New confirmed booking: KX72B4\nHarbour Grill · Table\n"},
		{name: "in the business's language", language: "tr", want: "KX72B4\nHarbour Grill · Table\n"},
		{name: "the market's", ofMarket: "M {code}", want: "M KX72B4"},
		{name: "the listing's", ofMarket: "M {code}", ofListing: "L {code} {customer} {party}", want: "L KX72B4 “Deniz” 2"},
		{name: "the listing's without a market's", ofListing: "L {code}", want: "L KX72B4"},
		{name: "of an action that is off", ofMarket: "M {code}", ofListing: "L {code}", off: true, want: "M KX72B4"},
		{name: "with a brace out of place", ofListing: "L {code} }", want: "L KX72B4 }"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if tt.ofMarket != "" {
				p.market.Templates[typ] = tt.ofMarket
			}
			a := &p.listing.Merve.Actions[0]
			a.Enabled = !tt.off
			p.listing.Merve.Language = tt.language
			p.save()
			if tt.ofListing != "" { // as it may stand there from before templates were checked
				stored := p.Outbox.Table.DB().Table(dynamotest.TableName("catalog"))
				w := stored.Update(dynamo.Key{PK: "market#" + p.market.ID, SK: "listing#" + p.listing.ID},
					"SET merve.#actions[0].dispatch.#templates = :t", dynamo.V{":t": map[string]string{typ: tt.ofListing}})
				if err := stored.DB().Commit(context.Background(), w); err != nil {
					t.Fatal(err)
				}
			}
			p.tell(p.event(ledger.Confirmed, ledger.Hold))
			ms := p.sent()
			if len(ms) != 1 || !strings.Contains(ms[0].Text, tt.want) {
				t.Fatalf("sent %+v, want %q", ms, tt.want)
			}
			if m := ms[0]; m.To != merchantPhone || m.Channel != channel.WhatsApp || m.Kind != outbox.ToBusiness || m.Template != nil {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestAnEventIsToldOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	e := p.event(ledger.Confirmed, ledger.Hold)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := p.Tell(context.Background(), e); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ms := p.sent(); len(ms) != 1 {
		t.Fatalf("%d messages", len(ms))
	}
	cancelled := e
	cancelled.ID, cancelled.Type, cancelled.From = "cancelled", ledger.Cancelled, ledger.Confirmed
	p.tell(cancelled)
	p.tell(p.event(ledger.Confirmed, ledger.Hold)) // another transaction
	ms := p.sent()
	if len(ms) != 3 {
		t.Errorf("%d messages, want one for each event", len(ms))
	}
	for _, m := range ms {
		if strings.Contains(m.ID, strings.TrimPrefix(merchantPhone, "+")) || strings.ContainsAny(m.ID, ":#+ ") {
			t.Errorf("id %q gives the number away, or is not fit for an address", m.ID)
		}
	}
}

func TestApprovedTemplateIsFilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.market.WhatsApp.Templates = map[string]market.Approved{
		"merchant_booking_confirmed": {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code", "customer", "note", "price", "party"}},
	}
	p.save()
	e := p.event(ledger.Confirmed, ledger.Hold)
	e.Transaction.CustomerName = "  Deniz\t \n  K.     "
	e.Transaction.Note = "window\r\n\r\nno      nuts"
	p.tell(e)
	want := &outbox.Template{ContentSID: "HX00000000000000000000000000000001", Vars: map[string]string{
		"1": "KX72B4", "2": "“Deniz K.”", "3": "“window no nuts”", "4": "-",
		"5": "2 · Harbour Grill · Table · Sun 22 Nov 2026, 18:00–19:00", // what the business has to know and no other parameter says
	}}
	if diff := cmp.Diff(want, p.sent()[0].Template); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A move is one message, which says what the booking was; of the old one's end the business hears nothing more.
func TestAMoveIsOneMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(moved *ledger.Transaction)
		gone   bool // what it was is not kept any more
		want   []string
		not    string
	}{
		"to another time":    {func(tx *ledger.Transaction) { tx.Start = tx.Start.Add(time.Hour) }, false, []string{"Booking moved: KX72B4", "19:00", "Was: Sun 22 Nov 2026, 18:00–19:00", "People: 2\n", "“nut allergy”"}, "→"},
		"to more people":     {func(tx *ledger.Transaction) { tx.Party = 6 }, false, []string{"Booking moved: KX72B4", "People: 2 → 6"}, "Was:"},
		"of what was erased": {func(*ledger.Transaction) {}, true, []string{"New confirmed booking: KX72B4", "“nut allergy”"}, "Was:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.save()
			was := p.event(ledger.Cancelled, ledger.Confirmed)
			was.Reason = ledger.ReasonMoved
			is := p.event(ledger.Confirmed, ledger.Hold)
			is.Transaction.Replaces, is.Transaction.Note = was.Transaction.ID, "nut allergy"
			c.change(&is.Transaction)
			if !c.gone {
				p.booked = map[string]ledger.Transaction{was.Transaction.ID: was.Transaction}
			}
			for range 2 {
				p.tell(is)
				p.tell(was)
			}
			ms := p.sent()
			if len(ms) != 1 || strings.Contains(ms[0].Text, c.not) || ms[0].About != "KX72B4" {
				t.Fatalf("sent %+v", ms)
			}
			for _, part := range c.want {
				if !strings.Contains(ms[0].Text, part) {
					t.Errorf("no %q in %s", part, ms[0].Text)
				}
			}
		})
	}
}

func TestWhoIsNotTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		event func(p *place) ledger.Event
	}{
		{"of a hold that was let go", func(p *place) ledger.Event { return p.event(ledger.Cancelled, ledger.Hold) }},
		{"of a hold", func(p *place) ledger.Event { return p.event(ledger.Hold, ledger.Draft) }},
		{"of an expiry without a thread", func(p *place) ledger.Event { return p.event(ledger.Expired, ledger.Hold) }},
		{"of an expiry on a thread that has gone", func(p *place) ledger.Event {
			e := p.event(ledger.Expired, ledger.Hold)
			e.Transaction.Thread = dynamotest.ID("th")
			return e
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.save()
			p.tell(tt.event(p))
			if ms := p.sent(); len(ms) != 0 || len(p.queued) != 0 {
				t.Errorf("sent %+v, queued %v", ms, p.queued)
			}
			if log := p.logged.String(); log != "" {
				t.Errorf("logged %q", log)
			}
		})
	}
}

// A business is told at the number that it has by then: who has the one of before is somebody else.
// An action's own number counts also when the action is off.
func TestTheNumberOfNow(t *testing.T) {
	t.Parallel()
	const now = "+15550101999"
	for name, change := range map[string]func(in *listing.Integration){
		"another":               func(in *listing.Integration) { in.WhatsApp = now },
		"its own for an action": func(in *listing.Integration) { in.Actions[0].Dispatch.ToE164, in.Actions[1].Dispatch.ToE164 = now, now },
		"of actions that are off": func(in *listing.Integration) {
			for i := range in.Actions {
				in.Actions[i].Enabled, in.Actions[i].Dispatch.ToE164 = false, now
			}
		},
	} {
		p := newPlace(t)
		p.listing.Merve.Actions = append(p.listing.Merve.Actions, listing.Action{Type: listing.FoodAction, Enabled: true})
		change(&p.listing.Merve)
		p.save()
		booked, ordered := p.event(ledger.Cancelled, ledger.Confirmed), p.ordered(customer, order.PlacedEvent, order.CancelledEvent)
		for range 2 {
			p.tell(booked)
			if err := p.TellOrder(t.Context(), ordered); err != nil {
				t.Fatal(err)
			}
		}
		ms, err := p.Outbox.List(t.Context(), p.threadOf(now), 10)
		if err != nil || len(ms) != 2 || len(p.sent()) > 0 {
			t.Errorf("%s: told %+v, and at the number of before %+v, %v", name, ms, p.sent(), err)
		}
	}
}

func TestAListingThatHasGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	e := p.event(ledger.Cancelled, ledger.Confirmed)
	e.Transaction.Listing = "gone"
	p.tell(e)
	if ms := p.sent(); len(ms) != 1 || !strings.Contains(ms[0].Text, "Cancelled booking: KX72B4") {
		t.Errorf("%+v", ms)
	}
}

func TestAnExpiredHoldIsToldTheCustomerOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	ctx := context.Background()
	a, err := p.threads.Append(ctx, channel.Inbound{
		Market: p.market.ID, Channel: channel.App, ThreadType: channel.General,
		From: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("who")}, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	e := p.event(ledger.Expired, ledger.Hold)
	e.Transaction.Thread, e.Transaction.Language = a.Thread, "tr"
	for range 5 {
		p.tell(e)
	}
	h, err := p.threads.Head(ctx, a.Thread)
	if err != nil {
		t.Fatal(err)
	}
	var notices []thread.Notice
	for _, m := range h.Inbox {
		if m.Notice != nil {
			notices = append(notices, *m.Notice)
		}
	}
	if len(notices) != 1 || notices[0].Ref != e.Transaction.ID || notices[0].Kind != "hold_expired" ||
		!strings.Contains(notices[0].Text, "Harbour Grill") || strings.Contains(notices[0].Text, "run out") {
		t.Errorf("notices %+v", notices)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.queued {
		if q != p.queued[0] || !strings.HasPrefix(q, a.Thread+" ") {
			t.Errorf("queued %v, want one turn under one name", p.queued)
		}
	}
	if len(p.queued) == 0 || len(p.sent()) != 0 {
		t.Errorf("queued %v, to the business %v", p.queued, p.sent())
	}
}

func TestWhatIsNoEventIsForGood(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i, e := range []ledger.Event{{}, {ID: "confirmed", Type: ledger.Confirmed}, {Transaction: ledger.Transaction{ID: "tx"}}} {
		err := fmt.Errorf("stream: %w", p.Tell(context.Background(), e))
		var permanent interface{ Permanent() bool }
		if !errors.As(err, &permanent) || !permanent.Permanent() {
			t.Errorf("%d: %v is not for good", i, err)
		}
	}
}

// That a booking was marked, and that this was taken back, are told in words of their own.
func TestAMissedBookingIsToldTheCustomer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ, from ledger.State
		kind      string
		key       wording.Key
	}{
		{ledger.NoShow, ledger.Confirmed, "booking_no_show", wording.BookingNoShow},
		{ledger.Came, ledger.NoShow, "booking_came", wording.BookingCame},
	} {
		p := newPlace(t)
		p.save()
		e := p.event(tt.typ, tt.from)
		e.Transaction.Thread, e.Transaction.NoShowAt = p.writes(), noon
		p.tell(e)
		h, err := p.threads.Head(t.Context(), e.Transaction.Thread)
		if err != nil || len(h.Inbox) != 2 || h.Inbox[1].Notice == nil {
			t.Fatalf("%s: %+v, %v", tt.typ, h.Inbox, err)
		}
		want := wording.Say("en", tt.key, wording.Vars{
			"listing": "Harbour Grill", "summary": booking.Summary("en", e.Transaction), "until": wording.Until("en", noon.Add(ledger.TakeBackFor), noon),
		})
		n := h.Inbox[1].Notice
		if n.Kind != tt.kind || n.Text != want {
			t.Errorf("%s: %s %q, want %s %q", tt.typ, n.Kind, n.Text, tt.kind, want)
		}
		if vars, ok := market.Events()[n.Kind]; !ok || n.Vars["summary"] == "" || slices.Contains(vars, "until") && n.Vars["until"] == "" {
			t.Errorf("%s: a template could not say it: %v of %v", tt.typ, n.Vars, vars)
		}
	}
}

// Of money a missed booking is told of what was paid for it, be it all of its price that was not due, and
// of nothing that was given back before.
func TestAMissedBookingIsToldWhatBecomesOfWhatWasPaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		price, due, late, paid int64
		key                    wording.Key
		vars                   wording.Vars
	}{
		"a deposit":             {9000, 3000, 0, 3000, wording.NoShowKept, wording.Vars{"amount": "€30.00"}},
		"a part of it":          {9000, 3000, 1000, 3000, wording.NoShowPart, wording.Vars{"amount": "€30.00", "kept": "€20.00", "back": "€10.00"}},
		"given back by staff":   {9000, 3000, 1000, 0, "", nil},
		"all, and nothing due":  {9000, 0, 0, 9000, wording.NoShowKept, wording.Vars{"amount": "€90.00"}},
		"nothing, and none due": {9000, 0, 0, 0, "", nil},
	} {
		p := newPlace(t)
		p.save()
		e := p.event(ledger.NoShow, ledger.Confirmed)
		tx := &e.Transaction
		tx.Thread, tx.NoShowAt, tx.Currency, tx.PriceMinor, tx.DueMinor, tx.LateRefundMinor = p.writes(), tx.Start, "EUR", tt.price, tt.due, tt.late
		tx.RefundUntil = tx.Start.Add(-time.Hour)
		p.Paid = func(_ context.Context, of ledger.Transaction) (int64, error) {
			if of.ID != tx.ID {
				t.Errorf("%s: asked for %s", name, of.ID)
			}
			return tt.paid, nil
		}
		p.tell(e)
		h, err := p.threads.Head(t.Context(), tx.Thread)
		if err != nil || len(h.Inbox) != 2 || h.Inbox[1].Notice == nil {
			t.Fatalf("%s: %+v, %v", name, h.Inbox, err)
		}
		got := strings.TrimPrefix(h.Inbox[1].Notice.Text, wording.Say("en", wording.BookingNoShow, wording.Vars{
			"listing": "Harbour Grill", "summary": booking.Summary("en", *tx), "until": wording.Until("en", tx.Start.Add(ledger.TakeBackFor), noon),
		}))
		want := ""
		if tt.key != "" {
			want = "\n" + wording.Say("en", tt.key, tt.vars)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The desk is led to the conversation's page, or without a site given the thread itself.
func TestWhereTheDeskReads(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]string{
		"": "th-1", "https://merve.example": "https://merve.example/admin/threads?marketId=%s&thread=th-1",
	} {
		p := newPlace(t)
		p.SiteURL, p.market.Desk.Numbers, p.market.Templates["desk_wanted"] = site, []string{merchantPhone}, "{link}"
		p.save()
		if err := p.TellDesk(t.Context(), deskpkg.Event{Thread: "th-1", Market: p.market.ID, Turn: 1}); err != nil {
			t.Fatal(err)
		}
		want = strings.Replace(want, "%s", p.market.ID, 1)
		if ms := p.sent(); len(ms) != 1 || ms[0].Text != want {
			t.Errorf("sent %+v, want %q", ms, want)
		}
	}
}

// The desk is told what was let go of for it, and nothing where nothing was.
func TestTheDeskHearsWhatWasLetGo(t *testing.T) {
	t.Parallel()
	for letGo, want := range map[string]string{
		"": "th-1 asks for a person.\nth-1", "Meze House": "th-1 asks for a person.\nWas waiting for their answer, and no longer is: Meze House\nth-1",
	} {
		p := newPlace(t)
		p.SiteURL, p.market.Desk.Numbers = "", []string{merchantPhone}
		p.save()
		if err := p.TellDesk(t.Context(), deskpkg.Event{Thread: "th-1", Market: p.market.ID, Turn: 1, LetGo: letGo}); err != nil {
			t.Fatal(err)
		}
		if ms := p.sent(); len(ms) != 1 || ms[0].Text != want {
			t.Errorf("sent %+v, want %q", ms, want)
		}
	}
}

// Before a customer is asked for a YES it is known that there is something to say, and somebody
// who can be written to; and so at the YES, when that may have changed.
func TestWhoCanBeWrittenTo(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ş", notify.MaxMessage)
	tests := []struct {
		name, listing, text string
		change              func(p *place)
		want                string // "" is no error
	}{
		{"a question", "grill", "Are you open?", (*place).wroteToday, ""},
		{"the longest message", "grill", long, (*place).wroteToday, ""},
		{"who has an approved template", "grill", "Are you open?", (*place).approved, ""},
		{"nothing to say", "grill", " \n ", nil, "text: want 1 to 1000 characters"},
		{"too much to say", "grill", long + "ş", nil, "text: want 1 to 1000 characters"},
		{"nobody", "gone", "Are you open?", nil, listing.ErrNotFound.Error()},
		{"who is not here any more", "grill", "Are you open?", func(p *place) { p.listing.Merve.Enabled = false }, listing.ErrNotFound.Error()},
		{"who has no number", "grill", "Are you open?", func(p *place) { p.listing.Merve = listing.Integration{Enabled: true} }, "this business cannot be written to here"},
		{"who wants no messages", "grill", "Are you open?", (*place).optedOut, "this business cannot be written to here"},
		{"who has not written for a day", "grill", "Are you open?", func(p *place) { p.heard("hello", noon.Add(-24*time.Hour)) }, "this business cannot be written to here"},
		{"who never wrote", "grill", "Are you open?", nil, "this business cannot be written to here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if tt.change != nil {
				tt.change(p)
			}
			p.save()
			args, err := json.Marshal(map[string]string{"listingId": tt.listing, "text": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			write := notify.Writer{Notifier: p.Notifier, Talks: &relay.Post{Table: p.orders.Table, Now: func() time.Time { return noon }}}.Tools()[0]
			tc := tool.Context{Market: p.market, Language: "en", Thread: dynamotest.ID("th"), Key: "k", Now: noon}
			text, err := write.Describe(t.Context(), tc, args)
			if tt.want == "" && (err != nil || !strings.Contains(text, tt.text)) || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("asked %q, %v; want %q", text, err, tt.want)
			}
			if r, err := write.Run(t.Context(), tc, args); tt.want == "" && (err != nil || r.Done == "") || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("done %q, %v; want %q", r.Done, err, tt.want)
			}
		})
	}
}
