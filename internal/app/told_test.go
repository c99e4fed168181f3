package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/infra/local/demo"
	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/matter/order"
	"merve/internal/matter/taxi"
	"merve/internal/people/account"
	"merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// What was told of a customer to a business, to drivers and to the desk goes with all that is deleted,
// and what they are told later of what was under way goes when that is over.
func TestErasedWithWhatOthersWereTold(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	ann := actor.Actor{Kind: actor.Session, ID: "s1", Name: "Ann", Phone: "+15550142"}
	in, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.Web, ThreadType: channel.General, From: ann, MessageID: "1",
	}, false)
	must := func(more ...error) {
		t.Helper()
		if err := errors.Join(more...); err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	desked := s.deskAt(t, "+15550100")
	l, err := s.base.Listings().Get(ctx, demo.Market, "sushi-harbour")
	must(err)
	market, err := s.base.Markets().Read(ctx, demo.Market)
	must(err)
	notifier, start := s.base.Notifier(), s.now.Truncate(time.Hour).Add(48*time.Hour)

	booked, err := s.base.Ledger().Offer(ctx, ledger.Terms{
		Business: l.Business, Listing: l.ID, ListingName: "Sushi", Offering: "table", OfferingName: "Table", Market: demo.Market, Owner: ann.Key(), Merchant: l.Merve.WhatsApp,
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2000, Currency: "EUR", Thread: in.Thread,
		CustomerName: "Ann", Note: "a blue bell",
	}, 1, time.Hour, "k")
	must(err, notifier.Tell(ctx, ledger.Event{ID: "1", Type: ledger.Confirmed, Transaction: booked}))

	orders := s.base.Orders()
	ordered, err := orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: ann.Key(), Market: demo.Market, Thread: in.Thread, Business: l.Business, Listing: l.ID, ListingName: "Sushi", Merchant: l.Merve.WhatsApp,
		Lines: []order.Line{{Item: "1", Name: "Maki", Quantity: 1}}, Delivery: &geo.Spot{Address: "Harbour Road 5"}, Note: "a blue bell", CustomerName: "Ann", CustomerPhone: ann.Phone,
		TimeZone: "UTC", ExpiresAt: start,
	}, "k")
	must(err)
	ordered, err = orders.Apply(ctx, ordered, order.PlacedEvent, order.By{Actor: ann, Receipt: &gate.Receipt{PendingID: "1"}})
	must(err, notifier.TellOrder(ctx, order.Event{Type: order.PlacedEvent, Order: ordered.ID, Owner: ann.Key(), Market: demo.Market}))

	tc := tool.Context{Actor: ann, Market: market, Thread: in.Thread, Now: s.now, TimeZone: time.UTC, Key: "k", Channel: channel.Web}
	toBusiness := thread.ID(demo.Market, channel.Ops, "", channel.OfNumber(l.Merve.WhatsApp).Key())
	_, err = s.base.Threads().Append(ctx, channel.Inbound{ // it can be written to
		Market: demo.Market, Channel: channel.WhatsApp, ThreadType: channel.Ops, From: channel.OfNumber(l.Merve.WhatsApp), ReplyAddr: l.Merve.WhatsApp, MessageID: "1",
	}, false)
	must(err)
	ask := notify.Writer{Notifier: notifier, Talks: app.Post(s.base)}.Tools()[0]
	_, err = ask.Run(ctx, tc, json.RawMessage(fmt.Sprintf(`{"listingId":%q,"text":"is there a blue bell?"}`, l.ID)))
	must(err, notifier.TellDesk(ctx, desk.Event{Thread: in.Thread, Market: demo.Market, Name: "Ann", Reason: "a blue bell", Turn: 1}))

	driver := taxi.Driver{ID: "d1", Market: demo.Market, Name: "Olga", Phone: "+15550103", Districts: []string{"Kyrenia"}, Seats: 4, Available: true, Enabled: true}
	_, err = s.base.Drivers().Put(ctx, driver)
	must(err)
	rides := s.base.Rides()
	ride, err := rides.Propose(ctx, ann, "k", taxi.Order{
		Market: demo.Market, Pickup: geo.Spot{Address: "Harbour Road 5"}, Passengers: 1, Note: "a blue bell", Thread: in.Thread, CustomerName: "Ann", CustomerPhone: ann.Phone,
		TimeZone: "UTC", Hold: time.Hour,
	})
	must(err)
	ride, ws, err := rides.Request(ctx, ann, demo.Market, ride.ID, gate.Receipt{PendingID: "1", OfferHash: ride.Hash})
	must(err, s.base.Ledger().Table.DB().Commit(ctx, ws...))
	driven := thread.ID(demo.Market, channel.Dispatch, "", channel.OfNumber(driver.Phone).Key())
	tell := func() {
		t.Helper()
		events, err := rides.Events(ctx, ann.Key(), ride.ID)
		must(err)
		for _, e := range events {
			must(app.RideTeller(s.base).Tell(ctx, e))
		}
	}
	tell()
	for where, want := range map[string]int{toBusiness: 3, desked: 1, driven: 1} {
		if ms, err := s.base.Outbox().List(ctx, where, 10); err != nil || len(ms) != want {
			t.Fatalf("%d told, want %d: %v", len(ms), want, err)
		}
	}
	goesOut := func() {
		t.Helper()
		for range 3 {
			s.now = s.now.Add(2 * time.Minute)
			s.invoke(t, "sweep")
		}
	}
	goesOut()

	customers := app.Customers(s.base)
	customers.Holders = slices.DeleteFunc(customers.Holders, func(h account.Holder) bool { return h.Holds() == "reports" }) // no photos here
	stays, err := customers.Erase(ctx, in.Thread)
	if must(err); len(stays) != 3 { // the hold, the order and the ride
		t.Errorf("%q stay", stays)
	}
	personal := regexp.MustCompile(`(?i)\bAnn\b|blue bell|Harbour Road|15550142`)
	for _, where := range []string{toBusiness, desked, driven} {
		ms, err := s.base.Outbox().List(ctx, where, 10)
		must(err)
		for _, m := range ms {
			if said, err := json.Marshal(m); err != nil || personal.Match(said) || m.Text != "" && m.Status == outbox.Sent {
				t.Errorf("kept: %s, %v", said, err)
			}
		}
	}

	// The driver is told who it is all the same.
	settled, ok, err := (&taxi.Commands{Store: rides, Outbox: s.base.Outbox()}).Command(ctx,
		tool.Context{Actor: channel.OfNumber(driver.Phone), Market: market, Thread: driven, Language: "en"}, thread.Message{Text: "yes " + ride.Code, At: s.now})
	if must(err, s.base.Ledger().Table.DB().Commit(ctx, settled.Writes...)); !ok {
		t.Fatal("no command")
	}
	tell()
	_, err = orders.Apply(ctx, ordered, order.CancelledEvent, order.By{Actor: ann})
	must(err, notifier.TellOrder(ctx, order.Event{Type: order.CancelledEvent, Order: ordered.ID, Owner: ann.Key(), Market: demo.Market, Customer: true}))
	goesOut()
	_, ws, err = rides.Cancel(ctx, ann, demo.Market, ride.ID)
	must(err, s.base.Ledger().Table.DB().Commit(ctx, ws...))
	tell()
	goesOut()
	for range 3 {
		s.now = s.now.Add(61 * time.Minute)
		s.invoke(t, "expiry")
		s.invoke(t, "invariants")
		s.invoke(t, "sweep")
	}
	client := dynamodb.NewFromConfig(s.base.AWS)
	for _, table := range []string{s.base.Config.TableConversations, s.base.Config.TableRecords, s.base.Config.TableLedger} {
		all, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: &table})
		must(err)
		for _, it := range all.Items {
			said, err := json.Marshal(plain(t, it))
			must(err)
			if found := personal.FindAll(said, -1); found != nil && plain(t, it)["pk"] != in.Thread { // there the turns that tell of it wait
				t.Errorf("%q in %s", found, said)
			}
		}
	}
}
