package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"merve/infra/local/demo"
	"merve/infra/wiring"
	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/people/account"
	"merve/internal/people/notify"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media/mediatest"
)

// anns is what is said of Ann anywhere, and her says who she is by the id that her session makes.
var (
	anns = regexp.MustCompile(`\bAnn\b|blue.bell|Foxglove Lane 5|15550142`)
	her  = strings.TrimPrefix(planOwner, "session:")
)

// everythingOfAnn has an item of each kind that says something of a customer written of Ann, by what really writes it
// where that can be done here. All of it is over.
func (s *story) everythingOfAnn(t *testing.T) (th string, ids []string) {
	t.Helper()
	ctx := t.Context()
	must := func(more ...error) {
		t.Helper()
		if err := errors.Join(more...); err != nil {
			t.Fatal(err)
		}
	}
	ann := actor.Actor{Kind: actor.Session, ID: her, Name: "Ann", Phone: "+15550142"}
	commit := func(ws ...dynamo.Write) { t.Helper(); must(s.base.Ledger().Table.DB().Commit(ctx, ws...)) }
	function := func(name, sample string, swap ...string) {
		t.Helper()
		h, err := app.Constructors(wiring.Elsewhere())[name](s.base)
		must(err)
		_, err = h.Invoke(ctx, []byte(strings.NewReplacer(swap...).Replace(sample)))
		must(err)
	}
	in, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.Web, ThreadType: channel.General, From: ann, MessageID: "1", Text: "a blue bell",
	}, false)
	must(err)
	th = in.Thread
	conversations, records := s.base.Threads().Table, app.RecordsTable(s.base)
	const session, conversation = "session-not-real-0000000004", "conversation-not-real-1" // are hers
	function("chat", string(sample(t, "chat-message")),
		"session-not-real-0000000001", session, "Can I book a boat tour for two tomorrow at 10?", "sushi in Kyrenia, Ann")
	function("planapi", string(sample(t, "planapi")), "trip", conversation)
	function("live", string(sample(t, "live")), "session-not-real-0000000005", session)
	for _, sk := range []string{ // all there goes with the thread
		"live#000000000001", "room", "doing", "account#1", "shown#1#visits", "st#9999#report:1", "journal#00000001#0001", "seen#0",
	} {
		commit(conversations.Put(dynamo.Key{PK: th, SK: sk}, map[string]string{"text": "a blue bell"}))
	}
	head, err := s.base.Threads().Head(ctx, th)
	must(err)
	commit(app.Handovers(s.base).Wait(head, 1, "en", "a blue bell", "a blue bell", "")...)

	l, err := s.base.Listings().Get(ctx, demo.Market, "sushi-harbour")
	must(err)
	market, err := s.base.Markets().Read(ctx, demo.Market)
	must(err)
	start := s.now.Truncate(time.Hour).Add(48 * time.Hour)
	terms := ledger.Terms{
		Business: l.Business, Listing: l.ID, ListingName: "Sushi", Offering: "table", OfferingName: "Table", Market: demo.Market, Thread: th,
		Owner: ann.Key(), CustomerName: "Ann", CustomerPhone: ann.Phone, Note: "a blue bell", Merchant: l.Merve.WhatsApp,
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2,
		PriceMinor: 2000, Currency: "EUR",
	}
	tx, err := s.base.Ledger().Offer(ctx, terms, 1, time.Hour, "k")
	must(err, s.base.Notifier().Tell(ctx, ledger.Event{ID: "1", Type: ledger.Confirmed, Transaction: tx}))
	_, err = s.base.Ledger().Release(ctx, ann, tx.ID, "", "r")
	wish := booking.Wish{ID: "w", Terms: terms, Since: s.now, TTL: start.Unix()}
	must(err, booking.Wishes{Ledger: s.base.Ledger()}.Put(ctx, wish))
	payments := s.base.Payments().Table
	commit(payments.Put(dynamo.Key{PK: "pay#" + tx.ID, SK: "payment"}, payment.Payment{
		Transaction: tx.ID, Owner: ann.Key(), Market: demo.Market, Thread: th, Status: payment.Waiting, Version: 1,
		AmountMinor: 500, Currency: "EUR",
	}), payment.Events.Put(payments, dynamo.Key{PK: "pay#" + tx.ID, SK: "event#waiting"}, payment.Event{
		Type: payment.Waiting, Transaction: tx.ID, Owner: ann.Key(), Market: demo.Market, Thread: th, At: s.now,
	}))

	orders := s.base.Orders()
	o, err := orders.Propose(ctx, order.Order{
		Kind: order.Food, Market: demo.Market, Thread: th, Business: l.Business, Listing: l.ID, ListingName: "Sushi", Merchant: l.Merve.WhatsApp,
		Owner: ann.Key(), CustomerName: "Ann", CustomerPhone: ann.Phone, Note: "a blue bell", Delivery: &geo.Spot{Address: "Foxglove Lane 5"},
		Lines: []order.Line{{Item: "1", Name: "Maki", Quantity: 1}}, TimeZone: "UTC", ExpiresAt: start,
	}, "k")
	must(err)
	o, err = orders.Apply(ctx, o, order.PlacedEvent, order.By{Actor: ann, Receipt: &gate.Receipt{PendingID: "1"}, Told: l.Merve.WhatsApp})
	must(err)
	_, err = orders.Apply(ctx, o, order.CancelledEvent, order.By{Actor: ann})
	must(err)

	business := channel.OfNumber(l.Merve.WhatsApp)
	toBusiness, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.WhatsApp, ThreadType: channel.Ops, From: business, ReplyAddr: l.Merve.WhatsApp, MessageID: "1",
	}, false)
	must(err)
	tc := tool.Context{Actor: ann, Market: market, Thread: th, Now: s.now, TimeZone: time.UTC, Key: "k", Channel: channel.Web}
	ask := notify.Writer{Notifier: s.base.Notifier(), Talks: app.Post(s.base)}.Tools()[0]
	_, err = ask.Run(ctx, tc, json.RawMessage(fmt.Sprintf(`{"listingId":%q,"text":"is there a blue bell?"}`, l.ID)))
	must(err)
	said := dynamo.Key{PK: "talk#" + demo.Market + "#" + l.Business, SK: "event#said#1"}
	commit(relay.Events.Put(records, said, relay.Event{
		ID: "1", Market: demo.Market, Business: l.Business, Words: "Ann, a blue bell", Thread: th, From: toBusiness.Thread, At: s.now,
	}), records.Put(dynamo.Key{PK: "relayed#" + th, SK: said.PK + "|" + said.SK}, struct{}{}))

	_, err = s.base.Drivers().Put(ctx, taxi.Driver{
		ID: "d1", Market: demo.Market, Name: "Olga", Phone: "+15550103", Districts: []string{"Kyrenia"}, Seats: 4, Available: true, Enabled: true,
	})
	must(err)
	rides := s.base.Rides()
	trip := taxi.Order{
		Market: demo.Market, Thread: th, CustomerName: "Ann", CustomerPhone: ann.Phone, Note: "a blue bell",
		Pickup: geo.Spot{Address: "Foxglove Lane 5"}, Passengers: 1, TimeZone: "UTC", Hold: time.Hour,
	}
	ride, err := rides.Propose(ctx, ann, "k", trip)
	must(err)
	ride, ws, err := rides.Request(ctx, ann, demo.Market, ride.ID, gate.Receipt{PendingID: "1", OfferHash: ride.Hash})
	must(err)
	commit(ws...)
	events, err := rides.Events(ctx, ann.Key(), ride.ID)
	must(err)
	for _, e := range events {
		must(app.RideTeller(s.base).Tell(ctx, e))
	}
	_, ws, err = rides.Cancel(ctx, ann, demo.Market, ride.ID)
	must(err)
	commit(ws...)
	_, err = rides.Propose(ctx, ann, "k2", trip) // has its code yet
	must(err)

	by := report.By{Actor: ann, Market: demo.Market, Key: "k"}
	r, err := s.base.Reports().Start(ctx, by, report.Draft{Market: demo.Market, Thread: th, Spot: geo.Spot{Address: "Foxglove Lane 5"}})
	must(err)
	_, err = s.base.Reports().Share(ctx, by, r.ID, time.Hour)
	must(err)

	request, err := app.Broker(s.base, nil).Create(ctx, request.Request{
		ID: request.NewID(ann.Key(), "k"), Market: demo.Market, Owner: ann.Key(), Thread: th, Language: "en", Category: "bells",
		Currency: "EUR", Client: request.Contact{Name: "Ann", Phone: ann.Phone},
	}, json.RawMessage(`{"need":"a blue bell"}`), request.Moltbot, true)
	must(err)
	commit(records.Put(dynamo.Key{PK: "request#" + request.ID, SK: "~outreach#ou_1"}, vendor.Outreach{
		ID: "ou_1", Request: request.ID, Code: "V1", Vendor: "v1", Name: "Bells", Market: demo.Market, Number: "+15550104",
		State: vendor.Replied, Message: "a blue bell",
	}), records.Put(dynamo.Key{PK: "asked#" + demo.Market + "#+15550104", SK: "V1"}, map[string]string{"request": request.ID}))
	for _, sk := range []string{"~consent#cc_1", "~ocr#oj_1", "reply#1", "call#1", "feed#fi_1", "budget#1"} { // all there go with the request
		commit(records.Put(dynamo.Key{PK: "request#" + request.ID, SK: sk}, map[string]string{"id": sk, "text": "a blue bell"}))
	}
	for range 3 { // what was told goes out
		s.now = s.now.Add(2 * time.Minute)
		s.invoke(t, "sweep")
	}
	s.now = s.now.Add(2 * time.Hour) // all that may be told of the ends is told
	return th, []string{her, th, request.ID, conversation}
}

// kept are all items of a story's tables, by table.
func (s *story) kept(t *testing.T) map[string][]dynamo.Item {
	t.Helper()
	client, all := dynamodb.NewFromConfig(s.base.AWS), map[string][]dynamo.Item{}
	c := s.base.Config
	for _, table := range []string{c.TableConversations, c.TableRecords, c.TableLedger, c.TableAlerts, c.TableCatalog} {
		for pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table}); pages.HasMorePages(); {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				all[table] = append(all[table], it)
			}
		}
	}
	return all
}

// again has a story's tables hold what they held.
func (s *story) again(t *testing.T, was map[string][]dynamo.Item) {
	t.Helper()
	client, is := dynamodb.NewFromConfig(s.base.AWS), s.kept(t)
	for table, items := range was {
		writes, held := []types.WriteRequest{}, map[dynamo.Key]bool{}
		for _, it := range items {
			held[it.Key()] = true
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}
		for _, it := range is[table] {
			if !held[it.Key()] {
				writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: dynamo.Item{"pk": it["pk"], "sk": it["sk"]}}})
			}
		}
		for some := range slices.Chunk(writes, 25) {
			in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: some}}
			if out, err := client.BatchWriteItem(t.Context(), in); err != nil || len(out.UnprocessedItems) > 0 {
				t.Fatal(err)
			}
		}
	}
}

// ofAnn are the kinds of items that say something of Ann, by her words or one of the ids, each with one of them; and of
// these what is to go: her words anywhere, and the ids where nothing of the kind is to stay.
func (s *story) ofAnn(t *testing.T, ids []string) (say, leave map[string]string) {
	t.Helper()
	say, leave = map[string]string{}, map[string]string{}
	for _, items := range s.kept(t) {
		for _, it := range items {
			k, ok := dynamotest.KindOf(it.Key())
			if !ok {
				t.Fatalf("%v is of no kind", it.Key())
			}
			raw, err := json.Marshal(plain(t, it))
			if err != nil {
				t.Fatal(err)
			}
			said := string(raw)
			words, who := anns.MatchString(said), slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(said, id) })
			if words || who {
				say[nameOf(k)] = said
			}
			if words || who && len(k.Holders) > 0 && k.Why == "" {
				leave[nameOf(k)] = said
			}
		}
	}
	return say, leave
}

func nameOf(k dynamotest.Kind) string { return k.PK + " " + k.SK }

// TestErasedOfEveryKind plants an item of each kind that says something of a customer, and wants each gone once they
// have had their data deleted. Without any one holder what it holds would be left, so that none can be forgotten.
func TestErasedOfEveryKind(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	s.withPlans(t)
	b, bucket := *s.base.Process, mediatest.Endpoint(t)
	was := b.Getenv
	b.Config.MediaBucket, b.Getenv = mediatest.Bucket, func(name string) string {
		if name == "AWS_ENDPOINT_URL_S3" {
			return bucket
		}
		return was(name)
	}
	s.base = app.NewBase(b)
	th, ids := s.everythingOfAnn(t)
	all, customers := s.kept(t), app.Customers(s.base)
	say, leave := s.ofAnn(t, ids)
	holders := map[string]bool{}
	for _, k := range dynamotest.Kinds {
		for _, h := range k.Holders {
			holders[h] = true
		}
		if len(k.Holders) > 0 && say[nameOf(k)] == "" {
			t.Errorf("of the kind %s of package %s, which %q erase, nothing of Ann is planted", nameOf(k), k.Package, k.Holders)
		}
	}
	named := map[string]bool{}
	for _, h := range customers.Holders {
		named[h.Holds()] = true
	}
	if diff := cmp.Diff(holders, named); diff != "" {
		t.Errorf("holders of kinds, and those of the customers' keeper (internal/app/account.go): %s", diff)
	}
	given, err := customers.Export(ctx, th)
	if err != nil {
		t.Fatal(err)
	}
	for h := range holders {
		if (given[h] == nil) != (h == "sockets" || h == "told") { // which say why
			t.Errorf("an export has of %s: %v", h, given[h])
		}
	}

	erase := func(holders []account.Holder) map[string]string {
		t.Helper()
		some := *customers
		some.Holders = holders
		if stays, err := some.Erase(ctx, th); err != nil || len(stays) > 0 {
			t.Fatalf("%v stay, %v", stays, err)
		}
		_, left := s.ofAnn(t, ids)
		return left
	}
	for kind, it := range erase(customers.Holders) {
		t.Errorf("left of %s: %s", kind, it)
	}
	given, err = customers.Export(ctx, th)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := json.Marshal(given); err != nil || anns.Match(said) {
		t.Errorf("still given out: %s, %v", said, err)
	}
	for i, h := range customers.Holders {
		s.again(t, all)
		left := erase(slices.Delete(slices.Clone(customers.Holders), i, i+1))
		for _, k := range dynamotest.Kinds {
			if slices.Equal(k.Holders, []string{h.Holds()}) && leave[nameOf(k)] != "" && left[nameOf(k)] == "" {
				t.Errorf("without the holder of %s the kind %s goes all the same", h.Holds(), nameOf(k))
			}
		}
		if len(left) == 0 {
			t.Errorf("without the holder of %s nothing is left", h.Holds())
		}
	}
}
