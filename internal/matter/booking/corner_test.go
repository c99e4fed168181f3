package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to a time.
func (c *clock) Set(at time.Time) { c.Add(at.Sub(c.Now())) }

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// corner is a ledger with ids that nobody else has.
type corner struct {
	*ledger.Ledger
	Wishes
	*clock
	t        testing.TB
	business string
	owner    actor.Actor
}

// noon is when tests begin, unless they sweep.
var noon = time.Date(2030, 6, 3, 12, 0, 0, 0, time.UTC)

func newCorner(t testing.TB) *corner {
	t.Helper()
	c := &corner{clock: &clock{now: noon}, t: t, business: dynamotest.ID("biz")}
	c.owner = actor.Actor{Kind: actor.User, ID: dynamotest.ID("user")}
	c.Ledger = c.open()
	c.Wishes = Wishes{c.Ledger}
	return c
}

// aside is the way to a corner of the table: it keeps what all ledgers share, the index of
// what is due and the list of alerts, apart from everybody else's.
func (c *corner) aside() http.RoundTripper {
	return dynamotest.Aside(c.business, `hold#\d\d`, `audit#\d\d`, "alerts")
}

// open returns another ledger on the same corner.
func (c *corner) open() *ledger.Ledger {
	return c.on(dynamo.Open(dynamotest.Config(c.t), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: c.aside()}
	}))
}

func (c *corner) on(db *dynamo.DB) *ledger.Ledger {
	return &ledger.Ledger{Table: db.Table(dynamotest.TableName("ledger")), Now: c.clock.Now, NewID: func() string { return dynamotest.ID("t") }}
}

func (c *corner) Now() time.Time { return c.clock.Now() }

// terms are those of one slot, n hours after noon.
func (c *corner) terms(n int) ledger.Terms {
	start := noon.Add(time.Duration(n) * time.Hour)
	return ledger.Terms{
		Business: c.business, Listing: "harbour", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: "demo",
		Owner: c.owner.Key(), Thread: dynamotest.ID("th"), Start: start, End: start.Add(time.Hour), Slots: []time.Time{start},
		TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2500, Currency: "EUR", Policy: 7,
	}
}

func (c *corner) draft(t ledger.Terms) ledger.Transaction {
	c.t.Helper()
	tx, err := c.Draft(context.Background(), t, dynamotest.ID("key"))
	if err != nil {
		c.t.Fatalf("draft: %v", err)
	}
	return tx
}

// held is a fresh transaction that is held for ten minutes.
func (c *corner) held(t ledger.Terms, capacity int) ledger.Transaction {
	c.t.Helper()
	tx, err := c.Hold(context.Background(), c.draft(t).ID, capacity, c.Now().Add(10*time.Minute), "hold")
	if err != nil {
		c.t.Fatalf("hold: %v", err)
	}
	return tx
}

func (c *corner) confirm(tx ledger.Transaction, key string) (ledger.Transaction, error) {
	return ledgertest.Confirm(context.Background(), c.Ledger, c.owner, tx.ID, receiptFor(tx), key)
}

func receiptFor(tx ledger.Transaction) gate.Receipt {
	return gate.Receipt{PendingID: "p_" + tx.ID, OfferHash: tx.OfferHash, MessageID: "m_1", Answer: "yes", Actor: tx.Owner, At: noon, PolicyVersion: tx.Policy}
}

// in brings a fresh transaction into a state.
func (c *corner) in(state ledger.State, t ledger.Terms) ledger.Transaction {
	c.t.Helper()
	ctx := context.Background()
	if state == ledger.Draft {
		return c.draft(t)
	}
	tx := c.held(t, 1)
	var err error
	switch state {
	case ledger.Confirmed:
		tx, err = c.confirm(tx, "yes")
	case ledger.NoShow:
		if tx, err = c.confirm(tx, "yes"); err == nil {
			c.clock.Set(tx.Start)
			tx, err = c.Mark(ctx, clerk, tx.ID, "mark")
		}
	case ledger.Cancelled:
		tx, err = c.Release(ctx, c.owner, tx.ID, "test", "no")
	case ledger.Expired:
		c.clock.Add(10 * time.Minute)
		tx, err = c.Expire(ctx, tx.ID)
	}
	if err != nil {
		c.t.Fatalf("bring to %s: %v", state, err)
	}
	return tx
}

// begun is a booking whose start has passed.
func (c *corner) begun(hour int) ledger.Transaction {
	c.t.Helper()
	tx, err := c.confirm(c.held(c.terms(hour), 1), "yes")
	if err != nil {
		c.t.Fatal(err)
	}
	c.clock.Set(tx.Start)
	return tx
}

var clerk = actor.Actor{Kind: actor.Staff, ID: "clerk", Groups: []string{"admin"}}

// shop is a catalog of one listing, and the tools that book there.
type shop struct {
	*corner
	till     till
	booker   *Booker
	offering schedule.Offering
	number   string        // of its business
	longest  time.Duration // slot that it ever had
	tools    *tool.Registry
	tc       tool.Context
}

// till is what has been paid, or could be.
type till struct {
	paid  int64
	letGo string // the kind of question to let an offer go, if it has its link
	away  error
}

func (*till) Ask(_, summary string, _ ledger.Transaction) (kind, text string) {
	return "pay", summary + ", to be paid"
}

func (t *till) LetGoOf(context.Context, ledger.Transaction) (string, error) { return t.letGo, t.away }

func (t *till) PaidFor(context.Context, ledger.Transaction) (int64, error) { return t.paid, t.away }

func (s *shop) Bookable(_ context.Context, _, listingID, _ string) (Bookable, error) {
	if listingID != "harbour" {
		return Bookable{}, fault.New(fault.NotFound, "no such listing")
	}
	return Bookable{Business: s.business, Listing: "harbour", ListingName: "Harbour Grill", Offering: s.offering, Longest: s.longest, Merchant: s.number, Tags: []string{"restaurant"}}, nil
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{corner: newCorner(t), number: "+15550100"}
	s.offering = schedule.Offering{
		ID: "table", Name: "Table", TimeZone: "Europe/Nicosia", Hours: map[string][]schedule.Span{}, SlotMinutes: 60, DurationMinutes: 60,
		Capacity: 1, HorizonDays: 30, Unit: schedule.BySlot, MinParty: 1, MaxParty: 6, PriceMinor: 500, Currency: "EUR", Per: schedule.PerPerson,
	}
	for _, d := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		s.offering.Hours[d] = []schedule.Span{{From: "12:00", To: "22:00"}}
	}
	s.booker = &Booker{Ledger: s.Ledger, Catalog: s, Payments: &s.till}
	var err error
	if s.tools, err = tool.NewRegistry(s.booker.Tools()...); err != nil {
		t.Fatal(err)
	}
	s.tc = tool.Context{Actor: s.owner, Market: market.Default("demo"), Thread: dynamotest.ID("th"), Language: "en", Now: s.Now()}
	s.tc.Market.Version = 4
	return s
}

func (s *shop) call(name, args, key string) (tool.Result, error) {
	s.t.Helper()
	t, _ := s.tools.Get(name)
	canonical, err := t.Canonical(json.RawMessage(args))
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	tc := s.tc
	tc.Key, tc.Now = key, s.Now()
	return t.Run(context.Background(), tc, canonical)
}

// offered is what the assistant offers at seven o'clock.
func (s *shop) offered() (tool.Result, ledger.Transaction) {
	s.t.Helper()
	res, err := s.call("initiateBooking", at("2030-06-04", "19:00"), "k")
	if err != nil || res.Proposal == nil {
		s.t.Fatalf("%+v, %v", res, err)
	}
	tx, err := s.Get(s.t.Context(), s.owner, res.Proposal.Ref)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, tx
}

func at(date, clock string) string {
	return fmt.Sprintf(`{"listingId":"harbour","offeringId":null,"date":%q,"time":%q,"endDate":null,"partySize":2,"note":null}`, date, clock)
}

// move is what the customer is offered for a booking, as the tool answers and as it is held.
func (s *shop) move(old ledger.Transaction, date, clock, endDate string, party int) (tool.Result, ledger.Transaction) {
	s.t.Helper()
	quoted := func(v string) string {
		if v == "" {
			return "null"
		}
		return fmt.Sprintf("%q", v)
	}
	res, err := s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":%q,"time":%s,"endDate":%s,"partySize":%d}`,
		old.ID, date, quoted(clock), quoted(endDate), party), dynamotest.ID("m"))
	if err != nil || res.Proposal == nil {
		s.t.Fatalf("%+v, %v", res, err)
	}
	held, err := s.Get(s.t.Context(), s.owner, res.Proposal.Ref)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, held
}

// taken is what of the shop's table cannot be had in the next days.
func (s *shop) taken() schedule.Taken {
	s.t.Helper()
	taken, err := s.Taken(s.t.Context(), s.business, s.offering.ID, noon, noon.AddDate(0, 0, 3), s.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return taken
}
