package ledger

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
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
	*Ledger
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
	return c
}

// aside is the way to a corner of the table: it keeps what all ledgers share, the index of
// what is due and the list of alerts, apart from everybody else's.
func (c *corner) aside() http.RoundTripper {
	return dynamotest.Aside(c.business, dueHold+`#\d\d`, dueAudit+`#\d\d`, "alerts")
}

// open returns another ledger on the same corner.
func (c *corner) open() *Ledger {
	return c.on(dynamo.Open(dynamotest.Config(c.t), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: c.aside()}
	}))
}

// over is open with a transport between SDK and server, and so many tries without waiting
// between them.
func (c *corner) over(transport http.RoundTripper, tries int) *Ledger {
	db := dynamo.Open(dynamotest.Config(c.t), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: transport}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff, o.RateLimiter = time.Millisecond, ratelimit.None
		})
		o.RetryMaxAttempts = tries
	})
	return c.on(db)
}

func (c *corner) on(db *dynamo.DB) *Ledger {
	return &Ledger{
		Table: db.Table(dynamotest.TableName("ledger")), Now: c.clock.Now, NewID: func() string { return dynamotest.ID("t") },
		Alerts: &alert.Store{Table: db.Table(dynamotest.TableName("alerts")), Now: c.clock.Now},
		Rows:   &thread.Rows{Table: db.Table(dynamotest.TableName("conversations"))},
	}
}

func (c *corner) Now() time.Time { return c.clock.Now() }

// terms are those of one slot, n hours after noon.
func (c *corner) terms(n int) Terms {
	start := noon.Add(time.Duration(n) * time.Hour)
	return Terms{
		Business: c.business, Listing: "harbour", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: "demo",
		Owner: c.owner.Key(), Thread: dynamotest.ID("th"), Start: start, End: start.Add(time.Hour), Slots: []time.Time{start},
		TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2500, Currency: "EUR", Policy: 7,
	}
}

// lasting are terms that take hours from the n-th on.
func (c *corner) lasting(n, hours int) Terms {
	t := c.terms(n)
	for h := 1; h < hours; h++ {
		t.Slots = append(t.Slots, t.Start.Add(time.Duration(h)*time.Hour))
	}
	t.End = t.Start.Add(time.Duration(hours) * time.Hour)
	return t
}

func (c *corner) draft(t Terms) Transaction {
	c.t.Helper()
	tx, err := c.Draft(context.Background(), t, dynamotest.ID("key"))
	if err != nil {
		c.t.Fatalf("draft: %v", err)
	}
	return tx
}

// held is a fresh transaction that is held for ten minutes.
func (c *corner) held(t Terms, capacity int) Transaction {
	c.t.Helper()
	tx, err := c.Hold(context.Background(), c.draft(t).ID, capacity, c.Now().Add(10*time.Minute), "hold")
	if err != nil {
		c.t.Fatalf("hold: %v", err)
	}
	return tx
}

// offered is held, without having been a draft that anybody saw.
func (c *corner) offered(t Terms, capacity int) Transaction {
	c.t.Helper()
	tx, err := c.Offer(context.Background(), t, capacity, 10*time.Minute, dynamotest.ID("key"))
	if err != nil {
		c.t.Fatalf("offer: %v", err)
	}
	return tx
}

func (c *corner) confirm(tx Transaction, key string) (Transaction, error) {
	return c.Confirm(context.Background(), c.owner, tx.ID, receiptFor(tx), key)
}

func receiptFor(tx Transaction) gate.Receipt {
	return gate.Receipt{PendingID: "p_" + tx.ID, OfferHash: tx.OfferHash, MessageID: "m_1", Answer: "yes", Actor: tx.Owner, At: noon, PolicyVersion: tx.Policy}
}

// in brings a fresh transaction into a state.
func (c *corner) in(state State, t Terms) Transaction {
	c.t.Helper()
	ctx := context.Background()
	if state == Draft {
		return c.draft(t)
	}
	tx := c.held(t, 1)
	var err error
	switch state {
	case Confirmed:
		tx, err = c.confirm(tx, "yes")
	case NoShow:
		if tx, err = c.confirm(tx, "yes"); err == nil {
			c.clock.Set(tx.Start)
			tx, err = c.Mark(ctx, clerk, tx.ID, "mark")
		}
	case Cancelled:
		tx, err = c.Release(ctx, c.owner, tx.ID, "test", "no")
	case Expired:
		c.clock.Add(10 * time.Minute)
		tx, err = c.Expire(ctx, tx.ID)
	}
	if err != nil {
		c.t.Fatalf("bring to %s: %v", state, err)
	}
	return tx
}

func (c *corner) locks(day time.Time) []lock {
	c.t.Helper()
	ls, err := c.slots().lockRange(context.Background(), c.business, "table", day.Truncate(24*time.Hour), day.Truncate(24*time.Hour).Add(24*time.Hour-time.Minute))
	if err != nil {
		c.t.Fatal(err)
	}
	return ls
}

// count is how many have a slot, on a calendar that was never changed.
func count(t schedule.Taken, slot time.Time) int { return t.At(slot, slot) }

func (c *corner) put(key dynamo.Key, item any) {
	c.t.Helper()
	if err := c.Table.DB().Commit(context.Background(), c.Table.Put(key, item)); err != nil {
		c.t.Fatal(err)
	}
}
