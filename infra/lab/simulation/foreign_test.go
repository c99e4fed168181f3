package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"gopkg.in/yaml.v3"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/event"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/plan"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// neighbours is a world in which ann has a booking and a thread, bob has nothing, and there
// is another market with a listing of its own.
type neighbours struct {
	*offered
	booking string
	report  string
	link    string // its token
	order   string // of food, placed
	code    string // of that
	ride    string // asked for
	asked   string // transaction that waits to be paid
	token   string // of the link to pay it
}

func makeNeighbours(t *testing.T) *neighbours {
	t.Helper()
	n := &neighbours{offered: makeOffers(t)}
	n.Say(n.ann, &Said{Text: "yes", Means: Yes})
	n.Say(n.bob, &Said{Text: "no", Means: No})
	n.booking = n.transaction(n.annHas)
	other := *n.Listings[0]
	other.ID, other.Market, other.Business, other.Version = "secret", "elsewhere", "biz-secret", 0
	m := market.Default("elsewhere")
	if _, err := n.healthy.Markets().Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	if err := n.healthy.Listings().Put(t.Context(), &other, "test"); err != nil {
		t.Fatal(err)
	}
	n.share()
	n.ordersFood()
	n.callsTaxi()
	n.pays()
	n.Pass(time.Second)
	return n
}

// annHasCode is the code of ann's booking, as its business knows it.
func (n *neighbours) annHasCode() string {
	n.t.Helper()
	tx, err := n.healthy.Ledger().Get(n.t.Context(), actor.Actor{Kind: actor.System}, n.booking)
	if err != nil {
		n.t.Fatal(err)
	}
	return tx.Code
}

// annWaits has ann wait for a time, and returns the id of that.
func (n *neighbours) annWaits() string {
	n.t.Helper()
	tx, err := n.healthy.Ledger().Get(n.t.Context(), actor.Actor{Kind: actor.System}, n.booking)
	if err == nil {
		w := booking.Wish{ID: "11111111111111111111", Terms: tx.Terms, Since: tx.CreatedAt, TTL: tx.Start.Unix()}
		err = booking.Wishes{Ledger: n.healthy.Ledger()}.Put(n.t.Context(), w)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return "11111111111111111111"
}

// ordersFood has ann order something.
func (n *neighbours) ordersFood() {
	n.t.Helper()
	ctx, orders := n.t.Context(), n.healthy.Orders()
	head, err := n.healthy.Threads().Head(ctx, n.ann.Thread)
	if err != nil {
		n.t.Fatal(err)
	}
	o, err := orders.Propose(ctx, order.Order{
		Kind: order.Food, Owner: head.Owner, Market: Market, Thread: n.ann.Thread, Language: "en", Business: "biz-meze", Listing: "meze", ListingName: "Meze",
		TimeZone: "UTC", Currency: "EUR", TotalMinor: 100, ExpiresAt: n.Now().Add(time.Hour),
	}, "order")
	if err == nil {
		o, err = orders.Apply(ctx, o, order.PlacedEvent, order.By{Actor: actor.OfKey(head.Owner), Receipt: &gate.Receipt{Answer: "yes"}})
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.order, n.code = o.ID, o.Code
}

// callsTaxi has ann ask for a taxi.
func (n *neighbours) callsTaxi() {
	n.t.Helper()
	ctx, rides := n.t.Context(), n.healthy.Rides()
	head, err := n.healthy.Threads().Head(ctx, n.ann.Thread)
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := rides.Propose(ctx, actor.OfKey(head.Owner), "ride", taxi.Order{
		Market: Market, Thread: n.ann.Thread, Pickup: geo.Spot{Address: "12 Harbour Road"}, Passengers: 1, TimeZone: "UTC", Language: "en", Hold: time.Hour,
	})
	if err != nil {
		n.t.Fatal(err)
	}
	n.ride = r.ID
}

// asksPlan is a conversation with the plan engine that is ann's.
func (n *neighbours) asksPlan() string {
	n.t.Helper()
	const conversation = "anns-plan"
	head, err := n.healthy.Threads().Head(n.t.Context(), n.ann.Thread)
	if err != nil {
		n.t.Fatal(err)
	}
	conversations := dynamotest.Open(n.t).Table(n.prefix + "conversations")
	err = conversations.DB().Commit(n.t.Context(), conversations.Put(dynamo.Key{PK: "plan#" + conversation, SK: "~"}, plan.Head{Owner: head.Owner}))
	if err != nil {
		n.t.Fatal(err)
	}
	return conversation
}

// noRequest is the id of no request.
const noRequest = "rq_00000000000000000000"

// asksVendors is a request of somebody's for what no listing offers.
func (n *neighbours) asksVendors(who *Customer) string {
	n.t.Helper()
	head, err := n.healthy.Threads().Head(n.t.Context(), who.Thread)
	if err != nil {
		n.t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(head.Owner))
	r := request.Request{
		ID: "rq_" + hex.EncodeToString(sum[:10]), Market: Market, Owner: head.Owner, Thread: who.Thread, Language: "en", State: request.Clarifying,
		Category: "generator", Currency: "EUR", CreatedAt: n.Now(), UpdatedAt: n.Now(), Version: 1,
	}
	records := dynamotest.Open(n.t).Table(n.prefix + "records")
	if err := records.DB().Commit(n.t.Context(), records.Put(dynamo.Key{PK: "request#" + r.ID, SK: "~"}, r)); err != nil {
		n.t.Fatal(err)
	}
	return r.ID
}

// requestProbes are those of the tools for what no listing offers.
func (n *neighbours) requestProbes() []probe {
	anns, bobs := n.asksVendors(n.ann), n.asksVendors(n.bob)
	probes := []probe{
		{"marketplace.propose_outreach", "vendor_ids", `{"request_id":"` + bobs + `","vendor_ids":["{id}"]}`, "secret", "none-such", nil},
		{"marketplace.propose_acceptance", "outreach_id", `{"request_id":"` + bobs + `","outreach_id":"{id}"}`, "or_11111111111111111111", "or_00000000000000000000", nil},
		{"marketplace.send_vendor_message", "vendor_id", `{"request_id":"` + bobs + `","vendor_id":"{id}","message":"hello"}`, "secret", "none-such", nil},
	}
	for tool, args := range map[string]string{
		"search_vendors":       `{"request_id":"{id}","category":"generator","location_radius_km":null,"min_rating":null,"tags":null,"limit":null}`,
		"update_requirements":  `{"request_id":"{id}","need":"a pump","place":null,"when":null,"budget":null}`,
		"get_request_snapshot": `{"request_id":"{id}"}`,
		"propose_outreach":     `{"request_id":"{id}","vendor_ids":["none-such"]}`,
		"propose_acceptance":   `{"request_id":"{id}","outreach_id":"or_00000000000000000000"}`,
		"send_vendor_message":  `{"request_id":"{id}","vendor_id":"none-such","message":"hello"}`,
		"update_request_state": `{"request_id":"{id}","new_state":"cancelled","reason":null}`,
		"request_call_consent": `{"request_id":"{id}","scope":"concierge","reason":"a word about it"}`,
		"revoke_call_consent":  `{"request_id":"{id}"}`,
	} {
		probes = append(probes, probe{"marketplace." + tool, "request_id", args, anns, noRequest, nil})
	}
	for tool, more := range map[string]string{"web_search_items": `"category":null`, "social_profile_items": `"category":null`, "maps_places_items": `"radius_km":null`} {
		args := `{"request_id":"{id}","need":"generator","location_text":null,"max_results":null,` + more + `}`
		probes = append(probes, probe{"discovery." + tool, "request_id", args, anns, noRequest, nil})
	}
	return probes
}

// talksLive is a live conversation that ann has named.
func (n *neighbours) talksLive() string {
	n.t.Helper()
	const talk = "11111111-1111-4111-8111-111111111111"
	_, err := n.healthy.Threads().Append(n.t.Context(), channel.Inbound{
		Market: Market, Channel: channel.Live, ThreadType: channel.General, From: n.actorOf(n.ann), Talk: talk, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		n.t.Fatal(err)
	}
	return talk
}

// pays has ann say yes to a payment.
func (n *neighbours) pays() {
	n.t.Helper()
	ctx, payments := n.t.Context(), n.healthy.Payments()
	head, err := n.healthy.Threads().Head(ctx, n.ann.Thread)
	if err != nil {
		n.t.Fatal(err)
	}
	start := n.Now().Truncate(time.Hour).Add(72 * time.Hour)
	tx, err := n.healthy.Ledger().Offer(ctx, ledger.Terms{
		Business: "biz-meze", Listing: "meze", ListingName: "Meze", Offering: "paid", Market: Market, Owner: head.Owner, Thread: n.ann.Thread,
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "UTC", Party: 1, PriceMinor: 900, DueMinor: 900, Currency: "EUR",
	}, 1, booking.PayFor, "paid")
	if err != nil {
		n.t.Fatal(err)
	}
	payments.Provider = willing{}
	ann := actor.OfKey(head.Owner)
	settled, err := payment.Pay{Store: payments}.Commit(ctx, tool.Context{Actor: ann, TimeZone: time.UTC, Now: n.Now()}, gate.Consent{
		Pending: thread.Pending{ID: "p_paid", Kind: payment.Kind, Ref: tx.ID, Hash: tx.OfferHash, ExpiresAt: tx.HoldExpiresAt}, MessageID: "m", Actor: ann.Key(), At: n.Now(),
	})
	if err == nil {
		err = payments.Table.DB().Commit(ctx, settled.Writes...)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	p, err := payments.Get(ctx, ann, tx.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	n.asked, n.token = tx.ID, p.Token
}

// willing asks for every payment.
type willing struct{ payment.Provider }

func (willing) Create(context.Context, payment.Wanted) (string, error) { return "pi_1", nil }

// reportOf has a customer report damage.
func (n *neighbours) reportOf(c *Customer) string {
	n.t.Helper()
	by := report.By{Actor: n.actorOf(c), Key: "report"}
	r, err := n.healthy.Reports().Start(n.t.Context(), by, report.Draft{Market: Market, Thread: c.Thread, Spot: geo.Spot{Address: "12 Harbour Road"}})
	if err != nil {
		n.t.Fatal(err)
	}
	return r.ID
}

// share has ann report damage and make a link to the report.
func (n *neighbours) share() {
	n.t.Helper()
	n.report = n.reportOf(n.ann)
	l, err := n.healthy.Reports().Share(n.t.Context(), report.By{Actor: n.actorOf(n.ann), Key: "report"}, n.report, time.Hour)
	if err != nil {
		n.t.Fatal(err)
	}
	n.link = l.URL[strings.LastIndex(l.URL, "/")+1:]
}

// visible is what is compared of an answer: all but the trace id, and the id that was asked for.
func visible(a Answer, asked string) string {
	body := traceIDs.ReplaceAllString(a.Body, `"traceId":""`)
	body = strings.ReplaceAll(body, asked, "ID")
	var header []string
	for name, v := range a.Header {
		if strings.ToLower(name) != "x-trace-id" {
			header = append(header, strings.ToLower(name)+": "+v)
		}
	}
	slices.Sort(header)
	return strings.Join(append([]string{strconv.Itoa(a.Status), body}, header...), "\n")
}

var traceIDs = regexp.MustCompile(`"traceId":"[^"]*"`)

// Every address with an id in it answers the same about what is another's and about what
// does not exist.
func TestPromise6_AForeignIDIsAnsweredAsOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	n := makeNeighbours(t)
	bob := map[string]string{"X-Session-Id": n.bob.Session}
	guest := map[string]string{"Authorization": "Bearer test-guest-not-real"}
	nobody := map[string]string{}
	probes := []struct {
		path           string // in the OpenAPI document
		function       string
		method         string
		target         string // {id} is the one asked for
		foreign, never string
		header         map[string]string
	}{
		{"/chat/threads/{threadId}/messages", "chat", "GET", "/chat/threads/{id}/messages", n.ann.Thread, "th_00000000000000000000000000000000", bob},
		{"/chat/threads/{threadId}/messages", "chat", "GET", "/chat/threads/{id}/messages?before=latest", n.ann.Thread, "th_00000000000000000000000000000000", bob},
		{"/chat/threads/{threadId}/messages", "chat", "GET", "/chat/threads/{id}/messages?after=1.0&limit=1", n.ann.Thread, "th_00000000000000000000000000000000", bob},
		{"/chat/threads/{threadId}/messages", "chat", "GET", "/chat/threads/{id}/messages", n.ann.Thread, "th_00000000000000000000000000000000", nobody},
		{"/api/chat/{conversationId}/trace", "planapi", "GET", "/api/chat/{id}/trace", n.asksPlan(), "never", bob},
		{"/api/conversations/{id}/health", "liveapi", "GET", "/api/conversations/{id}/health?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/state", "liveapi", "GET", "/api/conversations/{id}/state?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/summary", "liveapi", "GET", "/api/conversations/{id}/summary?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/debug", "liveapi", "GET", "/api/conversations/{id}/debug?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/debug", "liveapi", "GET", "/api/conversations/{id}/debug?agentId=merve", n.talksLive(), uuid.NewString(), guest},
		{"/api/conversations/{id}/message", "liveapi", "POST", "/api/conversations/{id}/message?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/resync", "liveapi", "POST", "/api/conversations/{id}/resync?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/conversations/{id}/reset", "liveapi", "POST", "/api/conversations/{id}/reset?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/health", "liveapi", "GET", "/api/v2/conversations/{id}/health?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/state", "liveapi", "GET", "/api/v2/conversations/{id}/state?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/summary", "liveapi", "GET", "/api/v2/conversations/{id}/summary?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/debug", "liveapi", "GET", "/api/v2/conversations/{id}/debug?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/debug", "liveapi", "GET", "/api/v2/conversations/{id}/debug?agentId=merve", n.talksLive(), uuid.NewString(), guest},
		{"/api/v2/conversations/{id}/message", "liveapi", "POST", "/api/v2/conversations/{id}/message?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/resync", "liveapi", "POST", "/api/v2/conversations/{id}/resync?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/reset", "liveapi", "POST", "/api/v2/conversations/{id}/reset?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/chat/threads/{threadId}/activity", "chat", "GET", "/chat/threads/{id}/activity", n.ann.Thread, "th_00000000000000000000000000000000", bob},
		{"/admin/api/markets/{market}", "admin", "GET", "/admin/api/markets/{id}", Market, "nowhere", guest},
		{"/admin/api/markets/{market}", "admin", "PUT", "/admin/api/markets/{id}", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/reindex", "admin", "POST", "/admin/api/markets/{id}/reindex", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/versions", "admin", "GET", "/admin/api/markets/{id}/versions", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/listings", "admin", "GET", "/admin/api/markets/{id}/listings", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/listings/{listing}", "admin", "GET", "/admin/api/markets/" + Market + "/listings/{id}", "meze", "none", guest},
		{"/admin/api/markets/{market}/listings/{listing}", "admin", "PUT", "/admin/api/markets/" + Market + "/listings/{id}", "meze", "none", guest},
		{"/admin/api/transactions/{transaction}", "admin", "GET", "/admin/api/transactions/{id}", n.booking, "id-999999", guest},
		{"/admin/api/transactions/{transaction}", "admin", "GET", "/admin/api/transactions/{id}", n.booking, "id-999999", bob},
		{"/admin/api/transactions/{transaction}/no-show", "admin", "PUT", "/admin/api/transactions/{id}/no-show", n.booking, "id-999999", guest},
		{"/admin/api/transactions/{transaction}/no-show", "admin", "DELETE", "/admin/api/transactions/{id}/no-show", n.booking, "id-999999", bob},
		{"/admin/api/alerts/{alert}/acknowledge", "admin", "POST", "/admin/api/alerts/{id}/acknowledge", "2026", "2027", guest},
		{"/admin/api/outbox/{thread}/{message}/send", "admin", "POST", "/admin/api/outbox/{id}/turn00000001-0/send", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}", "admin", "GET", "/admin/api/threads/{id}", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}/messages", "admin", "GET", "/admin/api/threads/{id}/messages", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}/data", "admin", "GET", "/admin/api/threads/{id}/data", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}/data", "admin", "DELETE", "/admin/api/threads/{id}/data", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/reports/{report}", "admin", "GET", "/admin/api/reports/{id}", n.report, "rp_0000000000000000", guest},
		{"/admin/api/reports/{report}/resolve", "admin", "POST", "/admin/api/reports/{id}/resolve", n.report, "rp_0000000000000000", guest},
		{"/admin/api/reports/{report}/links/{link}/revoke", "admin", "POST", "/admin/api/reports/{id}/links/0/revoke", n.report, "rp_0000000000000000", guest},
		{"/admin/api/markets/{market}/listings/{listing}", "admin", "DELETE", "/admin/api/markets/" + Market + "/listings/{id}", "meze", "none", guest},
		{"/admin/api/markets/{market}/listings/{listing}/versions", "admin", "GET", "/admin/api/markets/" + Market + "/listings/{id}/versions", "meze", "none", guest},
		{"/admin/api/markets/{market}/listings/preview", "admin", "POST", "/admin/api/markets/{id}/listings/preview", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/listings/import", "admin", "POST", "/admin/api/markets/{id}/listings/import", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/listings/export", "admin", "GET", "/admin/api/markets/{id}/listings/export", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/preview", "admin", "POST", "/admin/api/markets/{id}/preview", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/tools", "admin", "GET", "/admin/api/markets/{id}/tools", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/days", "admin", "GET", "/admin/api/markets/{id}/days", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/drivers", "admin", "GET", "/admin/api/markets/{id}/drivers", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/drivers/{driver}", "admin", "DELETE", "/admin/api/markets/" + Market + "/drivers/{id}", "dina", "none", guest},
		{"/admin/api/markets/{market}/rides", "admin", "GET", "/admin/api/markets/{id}/rides", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/rides/{thread}/{ride}", "admin", "GET", "/admin/api/markets/" + Market + "/rides/{id}/rd_aaaaaaaaaaaaaaaa", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/markets/{market}/rides/{thread}/{ride}/cancel", "admin", "POST", "/admin/api/markets/" + Market + "/rides/{id}/rd_aaaaaaaaaaaaaaaa/cancel", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/markets/{market}/places", "admin", "GET", "/admin/api/markets/{id}/places", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/places/import", "admin", "POST", "/admin/api/markets/{id}/places/import", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/places/{place}", "admin", "DELETE", "/admin/api/markets/" + Market + "/places/{id}", "harbour", "none", guest},
		{"/admin/api/markets/{market}/waiting", "admin", "GET", "/admin/api/markets/{id}/waiting", Market, "nowhere", guest},
		{"/admin/api/orders/{business}/{code}", "admin", "GET", "/admin/api/orders/{id}/AAAA", "biz-meze", "biz-none", guest},
		{"/admin/api/threads/{thread}/take", "admin", "POST", "/admin/api/threads/{id}/take", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}/return", "admin", "POST", "/admin/api/threads/{id}/return", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/admin/api/threads/{thread}/messages", "admin", "POST", "/admin/api/threads/{id}/messages", n.ann.Thread, "th_00000000000000000000000000000000", guest},
		{"/api/conversations/{id}/rtk-token", "liveapi", "POST", "/api/conversations/{id}/rtk-token?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/api/v2/conversations/{id}/rtk-token", "liveapi", "POST", "/api/v2/conversations/{id}/rtk-token?agentId=merve", n.talksLive(), uuid.NewString(), bob},
		{"/marketplace/requests/{id}", "marketplace", "GET", "/marketplace/requests/{id}", n.asksVendors(n.ann), noRequest, bob},
		{"/marketplace/requests/{id}/audit", "marketplace", "GET", "/marketplace/requests/{id}/audit", n.asksVendors(n.ann), noRequest, bob},
		{"/marketplace/requests/{id}/feed", "marketplace", "GET", "/marketplace/requests/{id}/feed", n.asksVendors(n.ann), noRequest, bob},
		{"/marketplace/tools/{tool}", "marketplace", "POST", "/marketplace/tools/{id}", "marketplace.search_vendors", "marketplace.none", bob},
		{"/admin/api/markets/{market}/requests", "admin", "GET", "/admin/api/markets/{id}/requests", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/requests/{request}", "admin", "GET", "/admin/api/markets/" + Market + "/requests/{id}", n.asksVendors(n.ann), noRequest, guest},
		{"/admin/api/markets/{market}/assistants", "admin", "GET", "/admin/api/markets/{id}/assistants", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/assistants/{assistant}/preview", "admin", "POST", "/admin/api/markets/{id}/assistants/pestcall/preview", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/vendors", "admin", "GET", "/admin/api/markets/{id}/vendors", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/vendors/import", "admin", "POST", "/admin/api/markets/{id}/vendors/import", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/vendors/{vendor}", "admin", "DELETE", "/admin/api/markets/" + Market + "/vendors/{id}", "kyrenia-power", "none", guest},
		{"/admin/api/markets/{market}/customers", "admin", "GET", "/admin/api/markets/{id}/customers", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/customers/import", "admin", "POST", "/admin/api/markets/{id}/customers/import", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/customers/{customer}", "admin", "GET", "/admin/api/markets/" + Market + "/customers/{id}", "cust-ann", "none", guest},
		{"/admin/api/markets/{market}/visits", "admin", "GET", "/admin/api/markets/{id}/visits", Market, "nowhere", guest},
		{"/admin/api/markets/{market}/services/{service}", "admin", "DELETE", "/admin/api/markets/" + Market + "/services/{id}", "ants", "none", guest},
		{"/admin/api/markets/{market}/technicians/{technician}", "admin", "DELETE", "/admin/api/markets/" + Market + "/technicians/{id}", "tech-maria", "none", guest},
		{"/pay/{transaction}/{token}", "stripe", "GET", "/pay/{id}/" + strings.Repeat("A", 32), n.asked, "id-999999", nobody},
		{"/pay/{transaction}/{token}", "stripe", "GET", "/pay/{id}/" + n.token, n.booking, "id-999999", nobody},
		{"/pay/{transaction}/{token}/intent", "stripe", "GET", "/pay/{id}/" + strings.Repeat("A", 32) + "/intent", n.asked, "id-999999", nobody},
		{"/pay/{transaction}/{token}/intent", "stripe", "GET", "/pay/{id}/" + n.token + "/intent", n.booking, "id-999999", nobody},
		{"/r/{reportId}/{token}", "sara", "GET", "/r/{id}/" + strings.Repeat("A", len(n.link)), n.report, "rp_0000000000000000", nobody},
		{"/r/{reportId}/{token}", "sara", "GET", "/r/{id}/" + n.link, "rp_0000000000000001", "rp_0000000000000000", nobody},
	}
	probed := map[string]bool{}
	for _, p := range probes {
		probed[p.path] = true
		ask := func(id string) string {
			return visible(n.Request(p.function, p.method, strings.ReplaceAll(p.target, "{id}", id), p.header, nil), id)
		}
		if diff := cmp.Diff(ask(p.never), ask(p.foreign)); diff != "" {
			t.Errorf("%s %s: of what does not exist (-), and of what is another's (+):\n%s", p.method, p.target, diff)
		}
	}
	for _, path := range paths(t) {
		if strings.Contains(path, "{") && !probed[path] {
			t.Errorf("%s takes an id and is not probed", path)
		}
	}
	faulttest.Tried(t, len(probes))
}

// paths are those of the OpenAPI document.
func paths(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../../../internal/edge/api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Paths map[string]any }
	if err := yaml.Unmarshal(b, &doc); err != nil || len(doc.Paths) == 0 {
		t.Fatalf("%v: %d paths", err, len(doc.Paths))
	}
	var all []string
	for p := range doc.Paths {
		all = append(all, p)
	}
	return all
}

// A button, a reply and a status callback with another's id do and answer what one does
// that does not exist.
func TestPromise6_AMessageCannotNameWhatIsAnothers(t *testing.T) {
	t.Parallel()
	n := makeNeighbours(t)
	n.offer(n.ann, "book meze 2026-11-25 19:00 for 1")
	theirs := n.annPending()
	for _, send := range []func(id string) Answer{
		func(id string) Answer { return n.Say(n.bob, &Said{Text: "yes", Button: "yes:" + id, Means: Yes}) },
		func(id string) Answer { return n.Say(n.bob, &Said{Text: "yes", ReplyTo: id, Means: Yes}) },
		func(id string) Answer { return n.Say(n.bob, &Said{Text: "no", Button: "no:" + id, Means: No}) },
	} {
		want := n.reply(send("p_0000000000000000"))
		if got := n.reply(send(theirs)); got.Reply != want.Reply || got.State != want.State || got.PendingAction != nil {
			t.Errorf("to another's: %q, to none: %q", got.Reply, want.Reply)
		}
	}
	if n.annPending() != theirs {
		t.Error("the other's offer has gone")
	}
	report := func(thread, message string) string {
		target := "/webhooks/whatsapp/status?" + url.Values{"message": {message}, "thread": {thread}}.Encode()
		return visible(n.Webhook(target, url.Values{"MessageSid": {"SM" + strings.Repeat("0", 32)}, "MessageStatus": {"delivered"}}), thread)
	}
	call := func(path, request string) string {
		target := "/webhooks/whatsapp/calls/" + path + "?" + url.Values{"attempt": {"ca_aaaaaaaaaaaaaaaa"}, "consent": {"cc_aaaaaaaaaaaaaaaa"}, "request": {request}}.Encode()
		return visible(n.Webhook(target, url.Values{"CallSid": {"CA" + strings.Repeat("0", 32)}, "CallStatus": {"in-progress"}}), request)
	}
	for _, path := range []string{"answered", "status"} {
		if diff := cmp.Diff(call(path, noRequest), call(path, n.asksVendors(n.ann))); diff != "" {
			t.Errorf("a call for no request (-), for one without a consent (+):\n%s", diff)
		}
	}
	if diff := cmp.Diff(report("th_00000000000000000000000000000000", "turn00000001-0"), report(n.ann.Thread, "turn00000099-0")); diff != "" {
		t.Errorf("callback for no thread (-), for no message (+):\n%s", diff)
	}
}

func (n *neighbours) annPending() string {
	n.t.Helper()
	head, err := n.healthy.Threads().Head(n.t.Context(), n.ann.Thread)
	if err != nil || head.Pending == nil {
		n.t.Fatalf("%v: nothing is pending", err)
	}
	return head.Pending.ID
}

// probe asks a tool about what is another's and about what does not exist.
type probe struct {
	tool, field, args string // {id} in args is the one asked for
	foreign, never    string
	who               *Customer // whose model has the tool; nil is bob
}

// A tool that is given an id, a code or another name answers the model the same about what is
// another's, or in another market, and about what does not exist; and nothing comes of it.
func TestPromise6_AToolCannotReachWhatIsAnothers(t *testing.T) {
	t.Parallel()
	n := makeNeighbours(t)
	n.calm = true
	n.Town()
	probes := slices.Concat(n.customersProbes(), n.businessProbes(), n.requestProbes())
	before := n.stored()
	probed := map[string]bool{"link_chats.code": true} // a secret, by which chats of several owners are meant to be linked
	for _, p := range probes {
		probed[p.tool+"."+p.field] = true
		if diff := cmp.Diff(n.ask(p, p.never), n.ask(p, p.foreign)); diff != "" {
			t.Errorf("%s.%s of what does not exist (-), and of what is another's (+):\n%s", p.tool, p.field, diff)
		}
	}
	if diff := cmp.Diff(before, n.stored()); diff != "" {
		t.Errorf("what is stored has changed:\n%s", diff)
	}
	r, err := n.healthy.Runner(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Tools.Names() {
		tool, _ := r.Tools.Get(name)
		for _, field := range textFields(t, tool.Schema) {
			if !probed[name+"."+field] && !slices.Contains(plainFields, field[strings.LastIndex(field, ".")+1:]) {
				t.Errorf("%s takes %s and is not probed", name, field)
			}
		}
	}
	faulttest.Tried(t, len(probes))
}

// plainFields carry words, times, places and kinds, and name nothing that is somebody's.
var plainFields = strings.Fields(`text note content description reason captions query answer kind action domain category subCategory
	section date time endDate when weekday from to address location_text pickup dropoff near district phone name service zip about need place tags message new_state question scope`)

// customersProbes are those of the tools that bob has on his thread.
func (n *neighbours) customersProbes() []probe {
	n.t.Helper()
	bobs := n.reportOf(n.bob)
	probes := []probe{
		{"cancelBooking", "transactionId", `{"transactionId":"{id}"}`, n.booking, "id-999999", nil},
		{"joinWaitlist", "listingId", `{"listingId":"{id}","offeringId":null,"date":"2026-11-25","time":"18:00","endDate":null,"partySize":1,"note":null}`, "secret", "none-such", nil},
		{"joinWaitlist", "offeringId", `{"listingId":"meze","offeringId":"{id}","date":"2026-11-25","time":"18:00","endDate":null,"partySize":1,"note":null}`, "seat", "none-such", nil},
		{"leaveWaitlist", "waitingId", `{"waitingId":"{id}"}`, n.annWaits(), "00000000000000000000", nil},
		{"rescheduleBooking", "transactionId", `{"transactionId":"{id}","date":"2026-11-25","time":"18:00","endDate":null,"partySize":null}`, n.booking, "id-999999", nil},
		{"setReminder", "transactionId", `{"transactionId":"{id}","hoursBefore":2}`, n.booking, "id-999999", nil},
		{"createPaymentIntent", "transactionId", `{"transactionId":"{id}"}`, n.asked, "id-999999", nil},
		{"getPaymentStatus", "transactionId", `{"transactionId":"{id}"}`, n.asked, "id-999999", nil},
		{"getListing", "listingId", `{"listingId":"{id}"}`, "secret", "none-such", nil},
		{"getMenu", "listingId", `{"listingId":"{id}","query":null}`, "secret", "none-such", nil},
		{"initiateBooking", "listingId", `{"listingId":"{id}","offeringId":null,"date":"2026-11-25","time":"18:00","endDate":null,"partySize":1,"note":null}`, "secret", "none-such", nil},
		{"initiateBooking", "offeringId", `{"listingId":"meze","offeringId":"{id}","date":"2026-11-25","time":"18:00","endDate":null,"partySize":1,"note":null}`, "seat", "none-such", nil},
		{"sendWhatsAppMessage", "listingId", `{"listingId":"{id}","text":"x"}`, "secret", "none-such", nil},
		{"orderFood", "listingId", `{"listingId":"{id}","items":[],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`, "secret", "none-such", nil},
		{"orderFood", "items.itemId", `{"listingId":"kebab","items":[{"itemId":"{id}","quantity":1,"options":[],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`, "leak", "none-such", nil},
		{"orderFood", "items.options", `{"listingId":"kebab","items":[{"itemId":"ayran","quantity":1,"options":["{id}"],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`, "large", "none-such", nil},
		{"bookService", "listingId", `{"listingId":"{id}","serviceId":null,"description":"x","address":null,"when":null,"phone":null}`, "secret", "none-such", nil},
		{"bookService", "serviceId", `{"listingId":"plumber","serviceId":"{id}","description":"x","address":null,"when":null,"phone":null}`, "ayran", "none-such", nil},
		{"scheduleViewing", "listingId", `{"listingId":"{id}","when":null,"phone":null,"note":null}`, "secret", "none-such", nil},
		{"cancelOrder", "orderId", `{"orderId":"{id}"}`, n.order, "or_aaaaaaaaaaaaaaaa", nil},
		{"cancelTaxi", "rideId", `{"rideId":"{id}"}`, n.ride, "ride_aaaaaaaaaaaaaaaa", nil},
		{"getTaxiStatus", "rideId", `{"rideId":"{id}"}`, n.ride, "ride_aaaaaaaaaaaaaaaa", nil},
		{"update_report_photos", "photoUrls", `{"reportId":"` + bobs + `","photoUrls":["photo:{id}/00000000000000000000"],"captions":null,"noPhotos":null}`,
			fmt.Sprintf("%x", sha256.Sum256([]byte(n.ann.Thread)))[:32], strings.Repeat("0", 32), nil},
	}
	for tool, more := range map[string]string{
		"update_damage_report_section": `,"section":"cause","content":"x"`, "get_report_details": ``, "update_report_address": `,"address":"x"`,
		"update_report_photos": `,"photoUrls":["photo:00000000000000000000"],"captions":null,"noPhotos":null`, "delete_report": ``,
		"mark_report_resolved": ``, "create_time_limited_report_link": `,"ttlHours":null`,
	} {
		probes = append(probes, probe{tool, "reportId", `{"reportId":"{id}"` + more + `}`, n.report, "rp_0000000000000000", nil})
	}
	return probes
}

// businessProbes are those of the tools that a business has, asked by one that has nothing to
// do with ann, nor with the listing of which she has ordered and booked.
func (n *neighbours) businessProbes() []probe {
	kebab := n.named("kebab")
	return []probe{
		{"answerOrder", "code", `{"code":"{id}","answer":"accept","minutes":null,"reason":null}`, n.code, "ZZ99", kebab},
		{"setSoldOut", "listingId", `{"listingId":"{id}","itemId":"ayran","soldOut":true}`, "meze", "none-such", kebab},
		{"setSoldOut", "itemId", `{"listingId":"kebab","itemId":"{id}","soldOut":true}`, "leak", "none-such", kebab},
		{"setStock", "listingId", `{"listingId":"{id}","itemId":"ayran","left":1}`, "meze", "none-such", kebab},
		{"setStock", "itemId", `{"listingId":"kebab","itemId":"{id}","left":1}`, "leak", "none-such", kebab},
		{"setClosed", "listingId", `{"listingId":"{id}","date":"2026-11-25","closed":true}`, "meze", "none-such", kebab},
		{"setOpeningHours", "listingId", `{"listingId":"{id}","weekday":"mon","spans":[]}`, "meze", "none-such", kebab},
		{"markNoShow", "code", `{"code":"{id}","noShow":true}`, n.annHasCode(), "BCDFGH", kebab},
		{"writeToCustomer", "code", `{"code":"{id}","text":"x"}`, n.code, "ZZ99", kebab},
		{"writeToCustomer", "code", `{"code":"{id}","text":"x"}`, n.annHasCode(), "BCDFGH", kebab},
	}
}

// ask has somebody's model call a probe's tool with an id, and gives all that comes of it: what
// the model is told, and what they are. The tool itself has to be asked, and to do nothing.
func (n *neighbours) ask(p probe, id string) string {
	n.t.Helper()
	shown := ""
	n.Model = func(w *World, r openaitest.Request) openaitest.Answer {
		if text, behind := w.asked(r).last("tool"); behind == 0 && text != "" {
			shown = text
			return openaitest.Answer{Text: "I could not find that."}
		}
		return openaitest.Answer{Calls: []openaitest.Call{{ID: "1", Name: strings.ReplaceAll(p.tool, ".", "_"), Args: strings.ReplaceAll(p.args, "{id}", id)}}}
	}
	who := p.who
	if who == nil {
		who = n.bob
		who.Agent = ""
		if strings.Contains(p.args, "reportId") {
			who.Agent = "sara"
		}
	}
	n.says(who, &Said{Text: "hello"})
	turns := n.turns(who.Thread)
	last := turns[len(turns)-1]
	if len(last.Calls) != 1 || last.Calls[0].Status == "denied" || last.Pending != "" {
		n.t.Errorf("%s with %s: calls %v, pending %q, shown %s", p.tool, id, last.Calls, last.Pending, shown)
	}
	return strings.ReplaceAll(fmt.Sprint(last.Calls, shown, textOf(last)), id, "ID")
}

// stored is all that is kept of commitments, of what can be had, and of records, by table and
// key; but for what was asked of tools, and counts of what turns cost.
func (w *World) stored() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, table := range []string{"ledger", "catalog", "records"} {
		for _, item := range w.items(table) {
			if key := item.Key(); !strings.HasPrefix(key.PK, "audit#") && !strings.HasPrefix(key.PK, "spend#") {
				if strings.HasPrefix(key.SK, event.Prefix) { // somebody may be told of it meanwhile
					item = maps.Clone(item)
					delete(item, "dueShard")
					delete(item, "dueAt")
				}
				all[table+" "+key.PK+" "+key.SK] = string(w.marshal(item))
			}
		}
	}
	return all
}

// textFields are the fields of a tool's arguments that are texts, those within others after
// these and a point.
func textFields(t *testing.T, schema json.RawMessage) []string {
	t.Helper()
	type shape struct {
		Type       any
		Properties map[string]json.RawMessage
		Items      json.RawMessage
	}
	var all []string
	var walk func(path string, schema json.RawMessage)
	walk = func(path string, schema json.RawMessage) {
		var s shape
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(s.Type), "string") {
			all = append(all, path)
		}
		for field, inner := range s.Properties {
			walk(strings.TrimPrefix(path+"."+field, "."), inner)
		}
		if s.Items != nil {
			walk(path, s.Items)
		}
	}
	walk("", schema)
	return all
}

// A business or driver who writes the code of another's order or ride is answered as if there
// were none of that code, whatever the word beside it, and nothing comes of it.
func TestPromise6_ACodeOfAnothersIsNobodys(t *testing.T) {
	t.Parallel()
	w, ann, _ := quietTown(t)
	yes := func(c *Customer, word string) { w.says(c, &Said{Text: word, Answer: "yes", Means: Yes}) }
	w.says(ann, &Said{Text: "order 2 ayran " + ann.Canary})
	yes(ann, "yes")
	w.says(ann, &Said{Text: "a taxi " + phoneFor(ann) + " " + ann.Canary})
	yes(ann, "yes")
	ordered, ridden := w.codeTold(w.named("kebab"), orderTold), w.codeTold(w.named("dina"), rideTold)
	yes(w.named("dina"), "YES "+ridden)
	late := taxi.Driver{ID: driverID("faruk"), Market: Market, Name: "faruk", Phone: "+15550100029", Districts: []string{"Kyrenia"}, Seats: 4, Available: true, Enabled: true}
	if _, err := w.healthy.Drivers().Put(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	w.hire(Driver, late.Name, late.Phone) // who was never asked
	w.Model = func(*World, openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "How can I help?"} }
	before := w.stored()
	for _, p := range []struct {
		who            *Customer
		foreign, never string
		words          []string // {} is the code
	}{
		{w.named("plumber"), ordered, "WR9X", []string{"ACCEPT {}", "{} done", "REFUSE {} we are full", "CANCEL {}", "{} the courier is at the gate", "{}"}},
		{w.named("plumber"), ridden, "X7X9", []string{"ACCEPT {}", "{} come at once"}},
		{w.named("faruk"), ridden, "X7X9", []string{"YES {}", "NO {}", "ARRIVED {}", "DONE {}", "CANCEL {}", "{}", "{} where are you?"}},
	} {
		for _, word := range p.words {
			answer := func(code string) string {
				w.says(p.who, &Said{Text: strings.ReplaceAll(word, "{}", code)})
				turns := w.turns(p.who.Thread)
				last := turns[len(turns)-1]
				return strings.ReplaceAll(fmt.Sprint(last.Calls, textOf(last)), code, "CODE")
			}
			if diff := cmp.Diff(answer(p.never), answer(p.foreign)); diff != "" {
				t.Errorf("%s says %s with nobody's code (-), with another's (+):\n%s", p.who.Name, word, diff)
			}
		}
	}
	if diff := cmp.Diff(before, w.stored()); diff != "" {
		t.Errorf("what is stored has changed:\n%s", diff)
	}
}
