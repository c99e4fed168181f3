package taxi_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	gocmp "github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/taxi"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

var noon = time.Date(2030, 6, 3, 12, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// corner is a market of which nobody else knows, with a customer.
type corner struct {
	t testing.TB
	*taxi.Store
	clock    *clock
	market   *market.Market
	customer actor.Actor

	mu   sync.Mutex
	keys int
}

func newCorner(t testing.TB) *corner {
	t.Helper()
	c := &corner{t: t, clock: &clock{now: noon}, market: market.Default(dynamotest.ID("m")), customer: someone()}
	c.market.TimeZone = "Europe/Nicosia"
	c.Store = c.over(nil, 4)
	return c
}

func someone() actor.Actor {
	return actor.Actor{Kind: actor.Person, ID: "messenger:" + dynamotest.ID("p"), Name: "Deniz", Phone: "+15550102001"}
}

// over is a store of another process, behind a transport, through an SDK that tries so often.
func (c *corner) over(transport http.RoundTripper, attempts int) *taxi.Store {
	db := dynamo.Open(dynamotest.Config(c.t), func(o *dynamodb.Options) {
		o.RetryMaxAttempts = attempts
		if transport != nil {
			o.HTTPClient = &http.Client{Transport: transport}
		}
	})
	db.Backoff = func(int) time.Duration { return time.Millisecond }
	records := db.Table(dynamotest.TableName("records"))
	s := &taxi.Store{
		Table: records, Rows: &thread.Rows{Table: db.Table(dynamotest.TableName("conversations"))}, Now: c.clock.Now,
		Drivers: &taxi.Drivers{Table: db.Table(dynamotest.TableName("catalog")), Rides: records, Now: c.clock.Now},
	}
	s.SweepOnly(c.market.ID)
	return s
}

// phone is the number of the n-th driver.
func phone(n int) string { return fmt.Sprintf("+15550101%03d", n) }

// drivers puts so many drivers on, d00 and so on, in districts.
func (c *corner) drivers(n int, districts ...string) {
	c.t.Helper()
	for i := range n {
		c.driver(i, districts...)
	}
}

func (c *corner) driver(n int, districts ...string) taxi.Driver {
	c.t.Helper()
	d, err := c.Drivers.Put(context.Background(), c.aDriver(n, districts...))
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

// aDriver is the n-th, as they are before anybody has stored them.
func (c *corner) aDriver(n int, districts ...string) taxi.Driver {
	if len(districts) == 0 {
		districts = []string{"Kyrenia"}
	}
	return taxi.Driver{
		ID: id(n), Market: c.market.ID, Name: fmt.Sprint("Driver ", n), Phone: phone(n), Language: "en", Districts: districts,
		Vehicle: "white Skoda", Plate: fmt.Sprintf("TX %03d", n), Seats: 4, Available: true, Enabled: true,
	}
}

// goes has the n-th driver on or off, by a store.
func (c *corner) goes(s *taxi.Store, n int, on bool) error {
	d, err := s.Drivers.Get(context.Background(), c.market.ID, id(n))
	if err != nil {
		return err
	}
	d.Available, d.Version = on, 0
	_, err = s.Drivers.Put(context.Background(), d)
	return err
}

func id(n int) string { return fmt.Sprintf("d%02d", n) }

// key is one that was not used yet.
func (c *corner) key() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys++
	return fmt.Sprint("key", c.keys)
}

func (c *corner) order() taxi.Order {
	lat, lng := 35.3417, 33.3192
	return taxi.Order{
		Market: c.market.ID, Thread: "th_" + c.market.ID, Pickup: geo.Spot{Address: "Harbour Street 21", Lat: &lat, Lng: &lng}, Dropoff: &geo.Spot{Address: "Ercan airport"},
		District: "Kyrenia", Passengers: 2, TimeZone: c.market.TimeZone, Note: "two suitcases", Language: "en",
		CustomerName: "Deniz", CustomerPhone: "+15550102001", Policy: 1, Hold: 10 * time.Minute,
	}
}

// proposed is a ride that waits for its YES.
func (c *corner) proposed(change ...func(o *taxi.Order)) taxi.Ride {
	c.t.Helper()
	o := c.order()
	for _, f := range change {
		f(&o)
	}
	return c.must(c.Propose(context.Background(), c.customer, c.key(), o))
}

// requested is a ride that was ordered.
func (c *corner) requested(change ...func(o *taxi.Order)) taxi.Ride {
	c.t.Helper()
	r := c.proposed(change...)
	if text, err := c.yes(c.Store, r); err != nil || strings.Contains(text, "Sorry") || strings.Contains(text, "already") {
		c.t.Fatalf("%s, %v", text, err)
	}
	return c.get(r.ID)
}

// assigned is a ride that the n-th driver has.
func (c *corner) assigned(n int) taxi.Ride {
	c.t.Helper()
	r := c.requested()
	c.says(n, "YES "+r.Code)
	if r = c.get(r.ID); r.Status != taxi.Assigned || r.Driver.ID != id(n) {
		c.t.Fatalf("%+v", r)
	}
	return r
}

func (c *corner) must(r taxi.Ride, err error) taxi.Ride {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c *corner) get(id string) taxi.Ride {
	c.t.Helper()
	return c.must(c.Get(context.Background(), c.customer, c.market.ID, id))
}

// tc is what a tool or a commitment knows of the customer.
func (c *corner) tc() tool.Context { return c.of(c.customer) }

func (c *corner) of(a actor.Actor) tool.Context {
	return tool.Context{
		Actor: a, Market: c.market, Thread: "th_" + c.market.ID, ThreadType: channel.General, Channel: channel.App, Language: "en",
		TimeZone: c.market.Location(), Now: c.clock.Now(), Key: c.key(),
	}
}

func pending(kind string, r taxi.Ride) thread.Pending {
	return thread.Pending{ID: "p_" + kind + r.ID, Kind: kind, Ref: r.ID, Hash: r.Hash, Summary: taxi.Summary("en", r), Policy: r.Policy, CreatedAt: noon, ExpiresAt: r.ExpiresAt}
}

// settle commits as a turn does: what was settled, or why not.
func settle(s *taxi.Store, settled gate.Settled, err error) (string, error) {
	if err != nil {
		return "", err
	}
	err = s.Table.DB().Commit(context.Background(), settled.Writes...)
	if err == nil {
		return settled.Text, nil
	}
	if settled.Refused != nil {
		if text, ok := settled.Refused(err); ok {
			return text, nil
		}
	}
	return "", err
}

// yes is the customer's YES to a proposal.
func (c *corner) yes(s *taxi.Store, r taxi.Ride) (string, error) {
	settled, err := taxi.Confirm{Store: s}.Commit(context.Background(), c.tc(), c.consent(taxi.ConfirmKind, r))
	return settle(s, settled, err)
}

func (c *corner) consent(kind string, r taxi.Ride) gate.Consent {
	return gate.Consent{Pending: pending(kind, r), MessageID: "m_1", Actor: c.customer.Key(), At: c.clock.Now()}
}

// no is their NO.
func (c *corner) no(s *taxi.Store, r taxi.Ride) (string, error) {
	settled, err := taxi.Confirm{Store: s}.Release(context.Background(), c.tc(), pending(taxi.ConfirmKind, r))
	return settle(s, settled, err)
}

// cancel is their YES to a cancellation.
func (c *corner) cancel(s *taxi.Store, r taxi.Ride) (string, error) {
	settled, err := taxi.CancelRide{Store: s}.Commit(context.Background(), c.tc(), c.consent(taxi.CancelKind, r))
	return settle(s, settled, err)
}

// hears prepares what the n-th driver's words do.
func (c *corner) hears(s *taxi.Store, n int, text string) (gate.Settled, bool, error) {
	a := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(n)}
	return (&taxi.Commands{Store: s}).Command(context.Background(), c.of(a), thread.Message{Text: text, At: c.clock.Now()})
}

// obey has a driver's words done, and gives the answer.
func (c *corner) obey(s *taxi.Store, n int, text string) (string, error) {
	settled, ok, err := c.hears(s, n, text)
	if err == nil && !ok {
		return "no command", nil
	}
	return settle(s, settled, err)
}

func (c *corner) says(n int, text string) string {
	c.t.Helper()
	answer, err := c.obey(c.Store, n, text)
	if err != nil {
		c.t.Fatalf("%d says %q: %v", n, text, err)
	}
	return answer
}

func (c *corner) sweep() taxi.Swept {
	c.t.Helper()
	r, err := c.Sweep(context.Background(), dynamo.Budget{})
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c *corner) events(r taxi.Ride) []string {
	c.t.Helper()
	es, err := c.Events(context.Background(), r.Owner, r.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	var all []string
	for _, e := range es {
		all = append(all, e.ID)
	}
	slices.Sort(all)
	return all
}

// holds are the pointers that there are of a market's rides and of the drivers: "code …",
// "open …" and "d00 …".
func (c *corner) holds(drivers int, owners ...actor.Actor) []string {
	c.t.Helper()
	var all []string
	read := func(pk, prefix string, name func(dynamo.Item) string) {
		page, err := c.Table.Query(context.Background(), dynamo.Query{Where: "pk = :pk AND begins_with(sk, :sk)", Values: dynamo.V{":pk": pk, ":sk": prefix}})
		if err != nil {
			c.t.Fatal(err)
		}
		for _, it := range page.Items {
			if s := name(it); s != "" {
				all = append(all, s)
			}
		}
	}
	read("codes#"+c.market.ID, "code#", func(it dynamo.Item) string { return "code of " + it.String("ride") })
	for n := range drivers {
		read("driver#"+c.market.ID+"#"+id(n), "active", func(it dynamo.Item) string { return id(n) + " has " + it.String("ride") })
	}
	for _, o := range append(owners, c.customer) {
		read("rides#"+o.Key(), "open#", func(it dynamo.Item) string {
			var v struct {
				Open bool   `dynamodbav:"open"`
				Ride string `dynamodbav:"ride"`
			}
			if err := it.Decode(&v); err != nil {
				c.t.Fatal(err)
			}
			if !v.Open {
				return ""
			}
			return "open " + v.Ride
		})
	}
	return all
}

// A ride from its proposal to its end, and what is stored on the way.
func TestTheStraightWay(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(3)
	p := c.proposed()
	if diff := gocmp.Diff([]string{"code of " + p.ID}, c.holds(3)); diff != "" || p.Status != taxi.Proposed || len(p.Offered) != 0 {
		t.Fatalf("%+v\n%s", p, diff)
	}
	c.market.Version = 2 // saved anew since the customer was shown the proposal
	if text, err := c.yes(c.Store, p); err != nil || !strings.Contains(text, p.Code) {
		t.Fatal(text, err)
	}
	r := c.get(p.ID)
	if r.Status != taxi.Requested || r.Attempt != 1 || !slices.Equal(r.Offered, []string{"d00", "d01", "d02"}) || r.Receipt == nil ||
		r.Receipt.OfferHash != p.Hash || r.Receipt.MessageID != "m_1" || r.Receipt.Actor != c.customer.Key() || r.Receipt.Answer != "yes" || r.Receipt.PolicyVersion != 1 {
		t.Fatalf("%+v", r)
	}
	for _, s := range []struct {
		says, want string
		status     taxi.Status
	}{
		{"yes " + strings.ToLower(r.Code), "is yours", taxi.Assigned},
		{"ARRIVED " + r.Code, "you are there", taxi.Arrived},
		{"done", "finished", taxi.Done},
	} {
		c.clock.Add(time.Minute)
		if got := c.says(1, s.says); !strings.Contains(got, s.want) {
			t.Errorf("%s: %s", s.says, got)
		}
		r = c.get(r.ID)
		if r.Status != s.status || r.Driver == nil || r.Driver.ID != "d01" || r.Driver.Plate != "TX 001" {
			t.Errorf("%s: %+v", s.says, r)
		}
		want := []string{"code of " + r.ID, "d01 has " + r.ID, "open " + r.ID}
		if s.status == taxi.Done {
			want = nil
		}
		if diff := gocmp.Diff(want, c.holds(3)); diff != "" {
			t.Errorf("%s: %s", s.says, diff)
		}
	}
	want := []string{"arrived#1", "assigned#1", "done#1", "offered#1", "proposed#0", "requested"}
	if diff := gocmp.Diff(want, c.events(r)); diff != "" || r.EndedAt.IsZero() || !r.DueAt.IsZero() {
		t.Errorf("%+v\n%s", r, diff)
	}
}

// The same key makes one ride; a customer has one open at a time, and may propose another
// while one only waits for its YES.
func TestProposals(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	first := c.must(c.Propose(ctx, c.customer, "k", c.order()))
	again := c.must(c.Propose(ctx, c.customer, "k", c.order()))
	if diff := gocmp.Diff(first, again); diff != "" {
		t.Errorf("the same key:\n%s", diff)
	}
	second := c.proposed()
	if second.ID == first.ID || second.Code == first.Code {
		t.Errorf("%s %s, %s %s", first.ID, first.Code, second.ID, second.Code)
	}
	if _, err := c.yes(c.Store, second); err != nil {
		t.Fatal(err)
	}
	if text, err := c.yes(c.Store, first); err != nil || !strings.Contains(text, "already have a taxi") {
		t.Errorf("YES to a second ride: %s, %v", text, err)
	}
	if _, err := c.Propose(ctx, c.customer, c.key(), c.order()); !errors.Is(err, taxi.ErrOpen) {
		t.Errorf("while one is open: %v", err)
	}
	if got := c.must(c.Propose(ctx, c.customer, "k", c.order())); got.ID != first.ID {
		t.Errorf("the first key: %+v", got)
	}
	linked := someone()
	linked.Also = []string{c.customer.Key()}
	if _, err := c.Propose(ctx, linked, c.key(), c.order()); !errors.Is(err, taxi.ErrOpen) {
		t.Errorf("of the same person elsewhere: %v", err)
	}
	if text, err := c.yes(c.Store, second); err != nil || !strings.Contains(text, "nothing was ordered twice") {
		t.Errorf("a second YES: %s, %v", text, err)
	}
	if text, err := c.no(c.Store, first); err != nil || !strings.Contains(text, "no taxi was ordered") {
		t.Errorf("NO: %s, %v", text, err)
	}
	if got := c.get(first.ID); got.Status != taxi.Released {
		t.Errorf("%+v", got)
	}
	if text, err := c.yes(c.Store, first); err != nil || !strings.Contains(text, "Sorry") {
		t.Errorf("YES after NO: %s, %v", text, err)
	}
	if _, err := c.no(c.Store, second); err != nil || c.get(second.ID).Status != taxi.Requested {
		t.Errorf("NO to what was ordered: %v", err)
	}
}

// A YES to anything but exactly what was shown, or too late, orders nothing.
func TestYesIsToExactlyThat(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(2)
	r := c.proposed()
	other := r
	other.Hash = strings.Repeat("0", len(r.Hash))
	if text, err := c.yes(c.Store, other); err != nil || !strings.Contains(text, "no taxi was ordered") {
		t.Errorf("another hash: %s, %v", text, err)
	}
	c.clock.Add(10 * time.Minute)
	if text, err := c.yes(c.Store, r); err != nil || !strings.Contains(text, "no taxi was ordered") {
		t.Errorf("too late: %s, %v", text, err)
	}
	if diff := gocmp.Diff([]string{"proposed#0"}, c.events(r)); diff != "" {
		t.Error(diff)
	}
}

// A code that an open ride of the market has is not given again; in another market it is, and
// when that ride is over.
func TestCodesAreUniqueAmongOpenRides(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	codes := taxi.CodesOf(taxi.NewID(c.customer.Key(), "k"))
	for _, market := range []string{c.market.ID, dynamotest.ID("another")} {
		for _, code := range codes[:2] {
			w := c.Table.Put(dynamo.Key{PK: "codes#" + market, SK: "code#" + code}, map[string]string{"ride": "of another"})
			if err := c.Table.DB().Commit(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := c.must(c.Propose(ctx, c.customer, "k", c.order()))
	if r.Code != codes[2] {
		t.Errorf("%s, want %s, the third of %v", r.Code, codes[2], codes)
	}
	if _, err := c.no(c.Store, r); err != nil {
		t.Fatal(err)
	}
	if it, err := c.Table.Get(ctx, dynamo.Key{PK: "codes#" + c.market.ID, SK: "code#" + r.Code}); it != nil || err != nil {
		t.Errorf("after the end: %v, %v", it, err)
	}
	for _, code := range taxi.CodesOf(taxi.NewID(c.customer.Key(), "full")) {
		w := c.Table.Put(dynamo.Key{PK: "codes#" + c.market.ID, SK: "code#" + code}, map[string]string{"ride": "of another"})
		if err := c.Table.DB().Commit(ctx, w); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Propose(ctx, c.customer, "full", c.order()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("no code is free: %v", err)
	}
}

// Codes are words of nothing, and told apart.
func TestCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n := range 200 {
		for _, code := range taxi.CodesOf(fmt.Sprint(n)) {
			if !taxi.IsCode(code) || len(code) != 4 || strings.ContainsAny(code, "AEIOUBGLQSUZ012568") || !strings.ContainsAny(code, "3479") || !strings.ContainsAny(code, "CDFHJKMNPRTVWXY") {
				t.Fatalf("%q", code)
			}
			seen[code] = true
		}
	}
	if len(seen) < 4000 {
		t.Errorf("%d codes of 4,800", len(seen))
	}
	for _, bad := range []string{"", "FCDF", "A347", "K7P", "K7PQR", "K0PR", "k7pr", "K7P "} {
		if taxi.IsCode(bad) {
			t.Errorf("%q is a code", bad)
		}
	}
}

// A foreign ride is one that does not exist, in the answer and in what it costs.
func TestForeignRidesDoNotExist(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(2)
	r := c.assigned(0)
	before := c.get(r.ID)
	stranger := someone()
	nobodys := "rd_" + strings.Repeat("a", 16)
	caller := &taxi.Caller{Store: c.Store}
	use := func(name, args string) func(ctx context.Context, a actor.Actor) error {
		return func(ctx context.Context, a actor.Actor) error {
			_, err := call(ctx, caller, c.of(a), name, args)
			return err
		}
	}
	for _, id := range []string{r.ID, nobodys, "rd_x", strings.ToUpper(r.ID), "", r.ID + "#", "ride#" + r.ID, strings.Repeat("x", 3000)} {
		for name, probe := range map[string]func(ctx context.Context, a actor.Actor) error{
			"get": func(ctx context.Context, a actor.Actor) error { _, err := c.Get(ctx, a, c.market.ID, id); return err },
			"request": func(ctx context.Context, a actor.Actor) error {
				_, _, err := c.Request(ctx, a, c.market.ID, id, *r.Receipt)
				return err
			},
			"release": func(ctx context.Context, a actor.Actor) error {
				_, _, err := c.Release(ctx, a, c.market.ID, id)
				return err
			},
			"cancel": func(ctx context.Context, a actor.Actor) error {
				_, _, err := c.Cancel(ctx, a, c.market.ID, id)
				return err
			},
			"getTaxiStatus": use("getTaxiStatus", fmt.Sprintf(`{"rideId":%q}`, id)),
			"cancelTaxi":    use("cancelTaxi", fmt.Sprintf(`{"rideId":%q}`, cmp.Or(id, "none"))),
		} {
			ctx, meter := telemetry.WithMeter(ctx)
			err := probe(ctx, stranger)
			if message, _ := publicOf(err); !strings.Contains(message, "not found") && !strings.Contains(message, "no such taxi ride") {
				t.Errorf("%s of %.20q: %v", name, id, err)
			}
			if n := meter.Cost().Requests; n > 1 || (id == r.ID || id == nobodys) && n != 1 {
				t.Errorf("%s of %.20q: %d requests", name, id, n)
			}
		}
	}
	if _, err := c.Get(ctx, c.customer, "another-market", r.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("in another market: %v", err)
	}
	if _, err := c.Latest(ctx, stranger, c.market.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("latest of a stranger: %v", err)
	}
	if diff := gocmp.Diff(before, c.get(r.ID)); diff != "" {
		t.Errorf("a probe has changed something:\n%s", diff)
	}
}

// What is kept of a customer goes, but for the ride that somebody drives.
func TestErase(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	if _, err := c.cancel(c.Store, c.requested()); err != nil {
		t.Fatal(err)
	}
	c.proposed()
	open := c.assigned(0)
	if kept, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil || len(kept) != 1 || kept[0] != open.Code {
		t.Errorf("%v, %v", kept, err)
	}
	if diff := gocmp.Diff([]string{"code of " + open.ID, "d00 has " + open.ID, "open " + open.ID}, c.holds(1)); diff != "" {
		t.Error(diff)
	}
	c.says(0, "done")
	c.clock.Add(time.Hour)
	for range 2 {
		if kept, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil || len(kept) != 0 {
			t.Errorf("%v, %v", kept, err)
		}
	}
	page, err := c.Table.Query(ctx, dynamo.Under("rides#"+c.customer.Key(), ""))
	if err != nil || len(page.Items) != 0 || len(c.holds(1)) != 0 {
		t.Errorf("%v, %v", page.Items, err)
	}
}

// What was open goes by itself an hour after it is over, with name, phone, addresses and note;
// what the customer orders afterwards stays.
func TestEraseOnceItIsOver(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	open := c.assigned(0)
	if kept, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	left := func() (all []string) {
		page, err := c.Table.Query(ctx, dynamo.Under("rides#"+c.customer.Key(), ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			all = append(all, strings.Split(it.Key().SK, "#")[0])
		}
		return slices.Compact(all)
	}
	all := []string{"event", "forget", "open", "ride"}
	for range 3 { // while the driver is on it
		c.clock.Add(time.Hour)
		c.sweep()
		if diff := gocmp.Diff(all, left()); diff != "" {
			t.Error(diff)
		}
	}
	c.says(0, "done")
	c.clock.Add(time.Hour - time.Second)
	c.sweep()
	if diff := gocmp.Diff(all, left()); diff != "" {
		t.Errorf("while it is told of: %s", diff)
	}
	c.clock.Add(2 * time.Hour)
	for range 2 {
		c.sweep()
		if got := left(); len(got) != 0 || len(c.holds(1)) != 0 {
			t.Errorf("%v are left of %s", got, open.ID)
		}
	}

	open = c.assigned(0)
	if _, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil {
		t.Fatal(err)
	}
	c.says(0, "done")
	later := c.requested()
	c.clock.Add(2 * time.Hour)
	c.sweep()
	if _, err := c.Get(ctx, c.customer, c.market.ID, open.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("the first: %v", err)
	}
	if got := c.get(later.ID); got.CustomerPhone != later.CustomerPhone || !slices.Contains(left(), "open") {
		t.Errorf("the later: %+v, %v", got, left())
	}
}

// A mark without its ride, and one that was deleted by its owner meanwhile, goes.
func TestEraseOnceItIsGone(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	open := c.assigned(0)
	mark := dynamo.Key{PK: "rides#" + c.customer.Key(), SK: "forget#" + open.ID}
	there := func() bool {
		it, err := c.Table.Get(ctx, mark)
		if err != nil {
			t.Fatal(err)
		}
		return it != nil
	}
	for range 2 {
		if _, err := c.Erase(ctx, c.market.ID, c.customer.Key()); err != nil {
			t.Fatal(err)
		}
		c.says(0, "done")
		c.clock.Add(time.Hour)
	}
	if there() {
		t.Error("it stayed when its ride was deleted")
	}
	if err := c.Table.DB().Commit(ctx, c.Table.Put(mark, map[string]any{"dueShard": dynamo.DueShard(c.DueKind(), open.ID), "dueAt": c.clock.Now()})); err != nil {
		t.Fatal(err)
	}
	if c.sweep(); there() {
		t.Error("it stayed without a ride")
	}
}

// A person who writes in two linked chats has one open ride, whichever of their proposals gets its
// YES first.
func TestOneRideInTwoChats(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(2)
	other := someoneElse(c)
	c.customer.Also, other.customer.Also = []string{other.customer.Key()}, []string{c.customer.Key()}
	first, second := c.proposed(), other.proposed()
	if text, err := c.yes(c.Store, first); err != nil || strings.Contains(text, "already have a taxi") {
		t.Fatalf("%s, %v", text, err)
	}
	if text, err := other.yes(c.Store, second); err != nil || !strings.Contains(text, "already have a taxi") {
		t.Errorf("in the other chat: %s, %v", text, err)
	}
	if _, err := other.cancel(c.Store, c.get(first.ID)); err != nil {
		t.Fatal(err)
	}
	if text, err := other.yes(c.Store, second); err != nil || strings.Contains(text, "already have a taxi") {
		t.Errorf("afterwards: %s, %v", text, err)
	}
	if got := c.must(c.Get(ctx, c.customer, c.market.ID, second.ID)); got.Status != taxi.Requested {
		t.Errorf("%+v", got)
	}
}

// The open ride is a person's latest, and no other is proposed, though a later one of a chat that was
// linked since is over.
func TestAnOpenRideBeforeALaterOne(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	other := someoneElse(c)
	open := c.requested()
	c.clock.Add(time.Minute)
	over := other.requested()
	if _, err := other.cancel(c.Store, over); err != nil || other.get(over.ID).Status != taxi.Cancelled {
		t.Fatal(err)
	}
	c.customer.Also, other.customer.Also = []string{other.customer.Key()}, []string{c.customer.Key()}
	for _, a := range []actor.Actor{c.customer, other.customer} {
		if got, err := c.Latest(ctx, a, c.market.ID); err != nil || got.ID != open.ID {
			t.Errorf("%s: %s %s, %v; want %s", a.ID, got.ID, got.Status, err, open.ID)
		}
		if r, err := c.Propose(ctx, a, c.key(), c.order()); !errors.Is(err, taxi.ErrOpen) {
			t.Errorf("%s: another: %+v, %v", a.ID, r, err)
		}
	}
}

// What operations cost.
func TestCost(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(4)
	caller := &taxi.Caller{Store: c.Store}
	var r taxi.Ride
	said := func(n int, text func() string) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			a := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(n)}
			s, ok, err := (&taxi.Commands{Store: c.Store}).Command(ctx, c.of(a), thread.Message{Text: text(), At: c.clock.Now()})
			if err == nil && !ok {
				err = errors.New("no command")
			}
			if err == nil {
				err = c.Table.DB().Commit(context.Background(), s.Writes...) // with the turn
			}
			return err
		}
	}
	word := func(w string) func() string { return func() string { return w + " " + r.Code } }
	for _, s := range []struct {
		name     string
		requests int
		run      func(ctx context.Context) error
	}{
		{"propose", 2, func(ctx context.Context) (err error) {
			r, err = c.Propose(ctx, c.customer, "k", c.order())
			return err
		}},
		{"propose again", 3, func(ctx context.Context) error { _, err := c.Propose(ctx, c.customer, "k", c.order()); return err }},
		{"yes", 3, func(ctx context.Context) error {
			s, err := taxi.Confirm{Store: c.Store}.Commit(ctx, c.tc(), c.consent(taxi.ConfirmKind, r))
			if err == nil {
				_, err = settle(c.Store, s, nil)
			}
			return err
		}},
		{"status", 2, func(ctx context.Context) error {
			_, err := call(ctx, caller, c.tc(), "getTaxiStatus", `{}`)
			return err
		}},
		{"status by id", 1, func(ctx context.Context) error {
			_, err := call(ctx, caller, c.tc(), "getTaxiStatus", fmt.Sprintf(`{"rideId":%q}`, r.ID))
			return err
		}},
		{"no of a driver", 4, said(3, word("NO"))},
		{"plain yes of a driver", 4, said(0, func() string { return "yes" })},
		{"late yes of a driver", 4, said(1, word("YES"))},
		{"arrived", 4, said(0, word("ARRIVED"))},
		{"cancel of a driver", 6, said(0, word("CANCEL"))},
		{"yes to the next attempt", 4, said(1, word("YES"))},
		{"done", 4, said(1, word("DONE"))},
		{"busy", 2, said(1, func() string { return "BUSY" })},
		{"what is no command", 0, func(ctx context.Context) error {
			_, ok, err := (&taxi.Commands{Store: c.Store}).Command(ctx, c.of(actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(0)}), thread.Message{Text: "where is the customer?"})
			if ok {
				err = errors.New("a command")
			}
			return err
		}},
		{"yes of a stranger", 1, func(ctx context.Context) error {
			_, ok, err := (&taxi.Commands{Store: c.Store}).Command(ctx, c.of(actor.Actor{Kind: actor.Person, ID: "whatsapp:+15559999999"}), thread.Message{Text: "yes"})
			if ok {
				err = errors.New("a command")
			}
			return err
		}},
		{"an idle sweep", dynamo.DueShards, func(ctx context.Context) error { _, err := c.Sweep(ctx, dynamo.Budget{}); return err }},
	} {
		ctx, meter := telemetry.WithMeter(ctx)
		if err := s.run(ctx); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if cost := meter.Cost(); cost.Requests != s.requests {
			t.Errorf("%s: %d requests, want %d", s.name, cost.Requests, s.requests)
		}
	}
}
