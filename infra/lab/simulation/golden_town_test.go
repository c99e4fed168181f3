package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/cloud/alert"
	"merve/internal/matter/report"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/provider/typesense/typesensetest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media/mediatest"
	"merve/internal/tenant/schedule"
)

// goldenTown is a town that reaches everything Merve can reach, where people say to the model which
// tools it is to call. The same story always gives the same items, but for a few random secrets.
type goldenTown struct {
	*World
	stripe *stripetest.Server
	meta   *metatest.Server
	search *typesensetest.Server
	who    map[string]*Customer
	images map[string][]map[string]json.RawMessage // that functions got of streams
	queued []*queued                               // messages that were on the queue
	noted  map[string]int                          // how many images of each stream are in images
	posted int                                     // messages to the page on Messenger
	code   string                                  // by which a chat can be linked, as the model was told it last
	link   string                                  // to a report, likewise: a path
}

// asStaff signs a request of staff.
var asStaff = map[string]string{"Authorization": "Bearer " + adminToken}

// The town's people, in the order in which they joined: a town that is restored has the same.
var (
	goldenGuests = strings.Fields("ann cid dan eve fay gil hal ivy joe kay lea max nia oli pat " +
		"quin rae sid tom una vic wes xia yan zoe abe bea col dot ed fran gus hugo jan kim lou mia ned")
	goldenApp  = strings.Fields("bob")
	goldenSara = strings.Fields("sam sue sol sky")
)

const (
	psid       = "7000000000000001" // of who writes on Messenger
	webSession = "session-of-the-web-chat-not-real"
)

// newGoldenTown makes a town with nobody in it but businesses and drivers, and who is to come.
func newGoldenTown(t *testing.T) *goldenTown {
	t.Helper()
	g := &goldenTown{who: map[string]*Customer{}, images: map[string][]map[string]json.RawMessage{}, noted: map[string]int{}}
	now := func() time.Time {
		if g.World == nil {
			return start
		}
		return g.Now()
	}
	g.stripe, g.search = stripetest.New(t, now), typesensetest.New(t)
	g.meta = metatest.New(t, metatest.Config{Now: now})
	g.World = New(t, Options{
		Seed: 1, Market: goldenMarket,
		Configure: func(c *app.Config) {
			c.StripeBaseURL, c.StripePublishableKey, c.MetaBaseURL = g.stripe.URL(), "pk_test_not_real", g.meta.URL()
			c.TypesenseURL, c.MediaBucket, c.AddressMessages = g.search.URL(), mediatest.Bucket, 10_000
		},
		Environment: map[string]string{
			"STRIPE_SECRET_KEY": stripetest.Key, "STRIPE_WEBHOOK_SECRET": stripetest.WebhookSecret, "TYPESENSE_API_KEY": typesensetest.Key,
			"META_APP_SECRET": metatest.AppSecret, "META_PAGE_ACCESS_TOKEN": metatest.Token, "AWS_ENDPOINT_URL_S3": mediatest.Endpoint(t),
		},
	})
	g.calm, g.Model = true, g.obedient
	for _, name := range goldenGuests {
		g.who[name] = g.Join(channel.WhatsApp)
	}
	for _, name := range goldenApp {
		g.who[name] = g.Join(channel.App)
	}
	for _, name := range goldenSara {
		g.who[name] = g.Join(channel.App)
		g.who[name].Agent = "sara"
	}
	for name, c := range g.who {
		c.Name = name
	}
	g.Begin()
	g.index = stream{function: "index", table: "catalog"}
	return g
}

// streams are those of the town, by the functions that they bring to.
func (g *goldenTown) streams() []*stream {
	return []*stream{&g.notify, &g.records, &g.outbox, &g.index}
}

// goldenMarket sets what a market can set.
func goldenMarket(m *market.Market) {
	yes := true
	m.Gate, m.Safety.HoldSeconds, m.Safety.RequireConfirmFor = market.Converse, 3600, []string{"setReminder"}
	m.Bounds = &geo.Box{West: 32, South: 34, East: 35, North: 36}
	m.Districts = []market.District{
		{Name: "Kyrenia", Also: []string{"Girne"}, Center: &geo.Location{Lat: 35.34, Lng: 33.32}, Neighbours: []string{"Nicosia"}},
		{Name: "Nicosia", Neighbours: []string{"Kyrenia"}},
	}
	m.Tools = map[string]market.ToolPolicy{
		"sendWhatsAppMessage": {Enabled: &yes, RequireConfirmation: &yes},
		"bookService":         {Template: "To do, {code}: {note}"},
		"getListing":          {AllowedTags: []string{"sea"}, Bounds: &market.ToolBounds{Categories: []string{"restaurant", "diving"}, MaxPriceMinor: 1_000_000, MaxRadiusMeters: 200_000}},
		"requestTaxi":         {Bounds: &market.ToolBounds{MaxPeople: 12}},
	}
	m.Templates = map[string]string{"booking_reminder": "Soon: {listing}, {when}"}
	day := []schedule.Span{{From: "00:00", To: "24:00"}}
	m.Desk.Hours = &schedule.Hours{
		TimeZone: "Europe/Nicosia", Days: map[string][]schedule.Span{"mon": day, "tue": day}, Closed: []string{"2026-12-25"},
	}
	m.WhatsApp.From = number
}

var toolLine = regexp.MustCompile(`(?m)^(\w+) (\{.*\})$`)

// obedient is a model that calls the tools that it is told to, one a round.
func (g *goldenTown) obedient(w *World, r openaitest.Request) openaitest.Answer {
	a := w.asked(r)
	result, _ := a.last("tool")
	g.code, g.link = cmp.Or(linkCode.FindString(result), g.code), cmp.Or(reportLink.FindString(result), g.link)
	text, behind := a.last("user")
	if strings.Contains(text, "Take your time.") {
		w.Pass(2 * time.Second)
	}
	if lines := toolLine.FindAllStringSubmatch(text, -1); behind/2 < len(lines) {
		name, args := lines[behind/2][1], lines[behind/2][2]
		return call(name, g.complete(r.Body, name, args))
	}
	if strings.Contains(text, "Tell me all of it.") {
		return openaitest.Answer{Text: strings.Repeat("There is a lot to tell about the island and its harbour. ", 80)}
	}
	return openaitest.Answer{Text: "There is much to see around the harbour."}
}

// complete gives a tool the arguments that it was not told, as null.
func (g *goldenTown) complete(request []byte, name, args string) string {
	var asked struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters struct{ Required []string }
			}
		}
	}
	all := map[string]any{}
	if err := errors.Join(json.Unmarshal(request, &asked), json.Unmarshal([]byte(args), &all)); err != nil {
		g.t.Errorf("%s %s: %v", name, args, err)
	}
	for _, tool := range asked.Tools {
		for _, property := range tool.Function.Parameters.Required {
			if _, told := all[property]; !told && tool.Function.Name == name {
				all[property] = nil
			}
		}
	}
	return string(g.marshal(all))
}

// flow delivers all that is on its way, and notes what it was.
func (g *goldenTown) flow() {
	g.t.Helper()
	const most = 3000 // deliveries: many times what the story has on its way at once
	for n := 0; ; n++ {
		g.note()
		if !g.queue.Deliver() && !g.Flow(&g.notify) && !g.Flow(&g.records) && !g.Flow(&g.outbox) && !g.Flow(&g.index) {
			break
		}
		if n == most {
			g.t.Fatalf("no rest after %d deliveries: %s", most, strings.Join(g.log.lines[max(0, len(g.log.lines)-3):], "\n"))
		}
	}
	g.Pass(time.Second)
}

// note keeps what is on streams and on the queue.
func (g *goldenTown) note() {
	for _, s := range g.streams() {
		for _, r := range s.records {
			if r.sequence > g.noted[s.function] {
				g.noted[s.function] = r.sequence
				g.images[s.function] = append(g.images[s.function], r.event["dynamodb"].(map[string]any)["NewImage"].(map[string]json.RawMessage))
			}
		}
	}
	for _, m := range g.queue.messages {
		if !slices.Contains(g.queued, m) {
			g.queued = append(g.queued, m)
		}
	}
}

// says has somebody say something, tools for the model in it or not, and lets all come of it.
func (g *goldenTown) says(name, format string, args ...any) {
	g.t.Helper()
	g.say(name, format, args...)
	g.flow()
}

// tell has somebody send something, and lets all come of it.
func (g *goldenTown) tell(c *Customer, s *Said) {
	g.t.Helper()
	if a := g.Say(c, s); s.Taken.IsZero() {
		g.t.Fatalf("%s says %q: %d %s", c.Name, s.Text, a.Status, a.Body)
	}
	g.flow()
}

// pending is the id of what waits for somebody's YES.
func (g *goldenTown) pending(name string) string {
	g.t.Helper()
	head, err := g.healthy.Threads().Head(g.t.Context(), g.person(name).Thread)
	if err != nil || head.Pending == nil {
		g.t.Fatalf("nothing waits for %s: %v", name, err)
	}
	return head.Pending.ID
}

// say has somebody say something.
func (g *goldenTown) say(name, format string, args ...any) {
	g.t.Helper()
	c := g.person(name)
	s := &Said{Text: fmt.Sprintf(format, args...)}
	if a := g.Say(c, s); s.Taken.IsZero() {
		g.t.Fatalf("%s says %q: %d %s", name, s.Text, a.Status, a.Body)
	}
}

// person finds somebody by name.
func (g *goldenTown) person(name string) *Customer {
	if c := g.who[name]; c != nil {
		return c
	}
	return g.named(name)
}

// agrees has somebody ask for something and say YES to it.
func (g *goldenTown) agrees(name, format string, args ...any) {
	g.t.Helper()
	g.says(name, format, args...)
	g.says(name, "yes")
}

// call sends a request that has to be answered with success, and returns the answer's body.
func (g *goldenTown) call(function, method, target string, body any) map[string]any {
	g.t.Helper()
	header := map[string]string{"Content-Type": "application/json", "X-Session-Id": webSession}
	if function == "admin" {
		header["Authorization"] = "Bearer " + adminToken
		target = "/admin/api/" + target
	}
	var sent []byte
	if body != nil {
		sent = g.marshal(body)
	}
	a := g.Request(function, method, target, header, sent)
	if a.Status < 200 || a.Status > 299 {
		g.t.Fatalf("%s %s: %d %s", method, target, a.Status, a.Body)
	}
	var got map[string]any
	if strings.HasPrefix(a.Body, "{") {
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil {
			g.t.Fatal(err)
		}
	}
	g.flow()
	return got
}

// staffOn has staff do something with somebody's thread.
func (g *goldenTown) staffOn(name, what string, body any) {
	g.t.Helper()
	g.call("admin", http.MethodPost, "threads/"+g.who[name].Thread+"/"+what, body)
}

// latest is an attribute of the newest item of somebody's thread: of those in a table whose sort
// keys begin with a text.
func (g *goldenTown) latest(name, table, begins, attribute string) string {
	g.t.Helper()
	found, at := "", int64(-1)
	for _, it := range g.items(table) {
		if g.isOf(name, it.String("thread"), it.String("owner")) && strings.HasPrefix(it.Key().SK, begins) && it.Int("createdAt") > at {
			found, at = it.String(attribute), it.Int("createdAt")
		}
	}
	if found == "" {
		g.t.Fatalf("%s has no %s%s in %s", name, begins, attribute, table)
	}
	return found
}

func (g *goldenTown) isOf(name, thread, owner string) bool {
	c := g.who[name]
	return c.Thread != "" && thread == c.Thread || c.Owner != "" && owner == c.Owner
}

const (
	bookMeze = `initiateBooking {"listingId":"meze","offeringId":"table","date":"2026-11-%s","time":"%s","partySize":2,"note":"by the window"}`
	bookDive = `initiateBooking {"listingId":"reef","offeringId":"dive","date":"2026-11-%s","time":"%s","partySize":1}`
	cancelTx = `cancelBooking {"transactionId":%q}`
	wraps    = `orderFood {"listingId":"kebab","items":[{"itemId":"wrap","quantity":%d,"options":["large"],"note":"no onions"}],` +
		`"delivery":true,"address":"Harbour Road 5","phone":"+15550337","note":"ring twice"}`
	leak    = `bookService {"listingId":"plumber","serviceId":"leak","description":"The kitchen","address":"Harbour Road 5"}`
	viewing = `scheduleViewing {"listingId":"villa","phone":"+15550338","note":"with a dog"}`
	ride    = `requestTaxi {"pickup":"Harbour Road 5","usePickupLocation":false,"dropoff":"Castle Street 1",` +
		`"passengers":2,"district":"Kyrenia","note":"two bags","phone":"+15550339"}`
	write = `sendWhatsAppMessage {"listingId":%q,"text":%q}`
)

// tx is the id of the newest booking of somebody.
func (g *goldenTown) tx(name string) string { return g.latest(name, "ledger", "tx", "id") }

// pays has somebody pay what they were asked for.
func (g *goldenTown) pays(tx string) { g.t.Helper(); g.bank(tx, g.stripe.Pay) }

// bank has Stripe do something with what was asked for a booking, and tell of it.
func (g *goldenTown) bank(tx string, do func(intent string) stripetest.Webhook) {
	g.t.Helper()
	for _, i := range g.stripe.Intents() {
		if i.Metadata["transaction"] != tx {
			continue
		}
		hook := do(i.ID)
		header := map[string]string{stripe.SignatureHeader: hook.Signature}
		if a := g.Request("stripe", http.MethodPost, "/webhooks/stripe", header, []byte(hook.Body)); a.Status != http.StatusOK {
			g.t.Fatalf("payment of %s: %d %s", tx, a.Status, a.Body)
		}
		g.flow()
		return
	}
	g.t.Fatalf("nobody was asked to pay %s", tx)
}

// messenger has a person write to the page.
func (g *goldenTown) messenger(format string, args ...any) {
	g.t.Helper()
	g.posted++
	said := g.meta.Message(psid, fmt.Sprintf("m_%04d", g.posted), fmt.Sprintf(format, args...))
	body := g.meta.Batch(said.With("timestamp", g.Now().Add(-time.Second).UnixMilli()))
	header := map[string]string{meta.SignatureHeader: g.meta.Sign(body), "Content-Type": "application/json"}
	if a := g.Request("messenger", http.MethodPost, "/webhooks/messenger", header, body); a.Status != http.StatusOK {
		g.t.Fatalf("messenger: %d %s", a.Status, a.Body)
	}
	g.flow()
}

// diesOf has a function die right after a call to the store that has all texts in it, in what is done.
func (g *goldenTown) diesOf(function string, do func(), texts ...string) {
	g.t.Helper()
	g.at = func(at, body string) bool {
		return at == function && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(body, text) })
	}
	g.before = func() {
		for _, p := range g.processes[function] {
			if p.busy {
				p.calls.Choose = func(string) faulttest.Fault { return faulttest.DiesBefore }
			}
		}
	}
	do()
	if g.before != nil {
		g.t.Fatalf("%s: nothing like %q was stored", function, texts)
	}
	g.note()
}

// dies has the turn die in which somebody is answered, and leaves the message on the queue.
func (g *goldenTown) dies(name, say string, texts ...string) {
	g.t.Helper()
	g.say(name, "%s", say)
	g.note()
	g.diesOf("turn", func() { g.answer(name) }, texts...)
}

// answer runs the turn that the queue has for somebody.
func (g *goldenTown) answer(name string) {
	g.queue.deliver(func(m *queued) bool { return m.Group == g.person(name).Thread })
}

// status has Twilio report what became of the messages to somebody.
func (g *goldenTown) status(name, status string) {
	g.t.Helper()
	for _, m := range g.twilio.Messages() {
		if m.To != g.who[name].Phone {
			continue
		}
		_, target, _ := strings.Cut(m.StatusCallback, publicURL)
		g.Webhook(target, url.Values{
			"MessageSid": {m.SID}, "MessageStatus": {status}, "AccountSid": {"AC0"}, "To": {"whatsapp:" + m.To}, "From": {"whatsapp:" + m.From},
		})
	}
}

// live is the story of the town up to the moment that is kept: first what is over, then what waits.
func (g *goldenTown) live() {
	g.t.Helper()
	g.opens()
	g.books()
	g.orders()
	g.drives()
	g.reports()
	g.talks()
	g.goesWrong()
	g.nextDay()
	g.waits()
	g.talksAloud()
}

// talksAloud has somebody connect to a live conversation that they have named, and be answered.
func (g *goldenTown) talksAloud() {
	g.t.Helper()
	head, err := g.healthy.Threads().Head(g.t.Context(), g.who["bob"].Thread)
	if err != nil {
		g.t.Fatal(err)
	}
	in := channel.Inbound{
		Market: Market, Channel: channel.Live, ThreadType: channel.General, From: actor.OfKey(head.Owner), Talk: "11111111-1111-4111-8111-111111111111",
	}
	event := func(what, body string) {
		g.t.Helper()
		e := events.APIGatewayWebsocketProxyRequest{Body: body, QueryStringParameters: map[string]string{
			"conversationId": in.Talk, "token": g.who["bob"].Session, "agentId": "merve", "callSessionId": "call-1", "phone": "+15551230009",
		}}
		e.RequestContext.EventType, e.RequestContext.ConnectionID, e.RequestContext.Identity.SourceIP = what, "connection-1", "198.51.100.7"
		payload, err := json.Marshal(e)
		if err != nil {
			g.t.Fatal(err)
		}
		var answer events.APIGatewayProxyResponse
		if err := json.Unmarshal(g.aside("live", payload), &answer); err != nil || answer.StatusCode != http.StatusOK {
			g.t.Fatalf("%v: %+v", err, answer)
		}
	}
	event("CONNECT", "")
	event("MESSAGE", `{"type":"message","id":"1","text":"hello"}`)
	work, err := json.Marshal(events.SQSEvent{Records: []events.SQSMessage{{MessageId: "1", Body: fmt.Sprintf(`{"threadId":%q}`, thread.Of(in))}}})
	if err != nil {
		g.t.Fatal(err)
	}
	g.aside("liveturn", work)
}

// opens gives the market all that it has beside a town.
func (g *goldenTown) opens() {
	g.t.Helper()
	g.Town()
	g.hireTables()
	reef := g.example("reef")
	reef = g.call("admin", http.MethodPut, "markets/"+Market+"/listings/reef", reef)
	reef["place"] = "Nicosia"
	g.call("admin", http.MethodPut, "markets/"+Market+"/listings/reef", reef)
	g.call("admin", http.MethodPost, "markets/"+Market+"/reindex", nil)
	g.changes("kebab", func(l map[string]any) {
		l["delivery"] = map[string]any{"feeMinor": 200, "minimumMinor": 100, "minutes": 30, "noPickup": true}
		l["items"].([]any)[0].(map[string]any)["stock"] = map[string]any{"count": 50, "batch": "monday"}
	})
	g.changes("plumber", func(l map[string]any) { l["hours"] = openOn("thu", "09:00", "17:00") })
	g.changes("plumber", func(l map[string]any) { l["id"], l["businessId"], l["version"] = "closing", "biz-closing", 0 })
	g.call("admin", http.MethodDelete, "markets/"+Market+"/listings/closing", nil)
	m := g.call("admin", http.MethodGet, "markets/"+Market, nil)
	m["name"] = "The Island"
	g.call("admin", http.MethodPut, "markets/"+Market, m)
	g.call("admin", http.MethodPut, "markets/"+Market+"/places/night", g.example("night"))
	g.call("admin", http.MethodPut, "markets/"+Market+"/drivers/filiz", g.example("filiz"))
}

// example is something of the catalogue that sets all that can be set of it.
func (g *goldenTown) example(name string) (body map[string]any) {
	g.t.Helper()
	b, err := os.ReadFile("testdata/golden/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(b, &body)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return body
}

// openOn are opening hours: a weekday, from when, and until when, and so on.
func openOn(days ...string) map[string]any {
	hours := map[string]any{}
	for d := range slices.Chunk(days, 3) {
		hours[d[0]] = []any{map[string]string{"from": d[1], "to": d[2]}}
	}
	return map[string]any{"timeZone": "Europe/Nicosia", "days": hours}
}

// changes has staff save a listing otherwise.
func (g *goldenTown) changes(listing string, change func(l map[string]any)) {
	g.t.Helper()
	l := g.call("admin", http.MethodGet, "markets/"+Market+"/listings/"+listing, nil)
	change(l)
	g.call("admin", http.MethodPut, "markets/"+Market+"/listings/"+l["id"].(string), l)
}

// hireTown adds the people of a town that is there already.
func (g *goldenTown) hireTown() {
	for i, name := range []string{"kebab", "plumber", "villa"} {
		g.hire(Business, name, fmt.Sprintf("+1555010001%d", i+1))
	}
	for i, name := range []string{"dina", "eren"} {
		g.hire(Driver, name, fmt.Sprintf("+1555010002%d", i+1))
	}
}

// hireTables adds the people of what takes bookings, who can be written to as those of shops can.
func (g *goldenTown) hireTables() {
	for i, name := range []string{"meze", "cruise", "reef"} {
		g.hire(Business, name, fmt.Sprintf("+1555010000%d", i+1))
	}
}

// books has tables and dives booked, paid, moved, cancelled, asked for by several, and forgotten.
func (g *goldenTown) books() {
	g.t.Helper()
	g.agrees("ann", bookMeze, "23", "18:00")
	g.agrees("ann", `setReminder {"transactionId":%q,"hoursBefore":2}`, g.tx("ann"))
	g.status("ann", "read")
	g.agrees("bob", bookDive, "24", "19:00")
	g.pays(g.tx("bob"))
	g.says("bob", `getMyBookings {}`)
	g.agrees("bob", cancelTx, g.tx("bob"))
	g.tick("expiry")
	g.agrees("cid", bookDive, "25", "12:00") // comes for a price that stays
	g.pays(g.tx("cid"))
	g.says("cid", bookMeze+"\n"+bookMeze, "24", "18:00", "24", "19:00")
	g.says("cid", "no, thank you")
	g.agrees("rae", `initiateBooking {"listingId":"reef","offeringId":"hut","date":"2026-11-28","endDate":"2026-11-30","partySize":2}`)
	g.agrees("tom", bookMeze, "25", "18:00")
	g.agrees("tom", `rescheduleBooking {"transactionId":%q,"date":"2026-11-25","time":"20:00","partySize":3}`, g.tx("tom"))
	g.says("una", bookMeze, "26", "18:00")   // and is never heard of again
	g.agrees("cid", bookDive, "23", "19:00") // and does not come
	g.pays(g.tx("cid"))
	g.agrees("kim", bookDive, "24", "10:00")
	g.pays(g.tx("kim"))
	g.agrees("lou", bookDive, "24", "11:00")
	g.agrees("lou", cancelTx, g.tx("lou"))
	g.stripe.RefuseRefunds(true)
	g.agrees("kim", cancelTx, g.tx("kim"))
}

// orders has food, repairs and viewings asked for, accepted, refused, done and left.
func (g *goldenTown) orders() {
	g.t.Helper()
	code := func(name string) string { return g.latest(name, "records", "order#", "code") }
	g.agrees("dan", wraps, 1)
	g.says("kebab", "ACCEPT %s 20", code("dan"))
	g.says("kebab", "DONE %s", code("dan"))
	g.status("dan", "delivered")
	g.agrees("eve", wraps, 1)
	g.says("kebab", "REFUSE %s the oven is broken", code("eve"))
	g.says("eve", wraps, 2)
	g.says("eve", "no")
	g.agrees("fay", leak)
	g.says("plumber", "ACCEPT %s", code("fay"))
	g.agrees("gil", viewing)
	g.agrees("gil", `cancelOrder {"orderId":%q}`, g.latest("gil", "records", "order#", "id"))
	g.agrees("yan", wraps, 1) // and nobody answers
	g.says("zoe", wraps, 1)   // and is never heard of again
	g.agrees("kebab", `setSoldOut {"listingId":"kebab","itemId":"ayran","soldOut":true}`)
	g.agrees("meze", `setClosed {"listingId":"meze","date":"2026-12-24","closed":true}`)
}

// drives has rides asked for, taken, refused and driven.
func (g *goldenTown) drives() {
	g.t.Helper()
	code := func(name string) string { return g.latest(name, "records", "ride#", "code") }
	g.agrees("hal", ride)
	g.says("eren", "NO %s", code("hal"))
	g.says("dina", "YES %s", code("hal"))
	g.says("dina", "ARRIVED")
	g.says("dina", "DONE")
	form := g.form(g.who["ivy"], &Said{ID: "SM00000000000000000000000000000abc"})
	form.Set("Latitude", "35.341")
	form.Set("Longitude", "33.321")
	form.Set("Label", "The pier")
	g.Webhook(inboundPath, form)
	g.flow()
	g.agrees("ivy", `requestTaxi {"usePickupLocation":true,"when":"2026-11-25T09:00","district":"Kyrenia","phone":"+15550340"}`)
	g.says("joe", ride)
	g.says("joe", "no")
	g.says("kim", ride) // and is never heard of again
	g.agrees("gil", ride)
	g.says("dina", "YES %s", code("gil"))
	g.says("dina", "CANCEL")
	g.says("eren", "YES %s", code("gil"))
	g.says("eren", "ARRIVED") // and forgets to say more
	g.agrees("lou", ride)     // and nobody comes
	for range 5 {
		g.Pass(5 * time.Minute)
		g.tick("expiry")
	}
}

// reports has damage reported, photographed, shared, and resolved, in chats that are linked.
func (g *goldenTown) reports() {
	g.t.Helper()
	sam := g.who["sam"]
	id := g.reportOf
	photo := mediatest.JPEG(g.t, 8, 8)
	up := g.call("chat", http.MethodPost, "/chat/photos", map[string]any{
		"sessionId": sam.Session, "agentId": "sara", "contentType": "image/jpeg", "size": len(photo),
	})
	req, err := http.NewRequestWithContext(g.t.Context(), up["method"].(string), up["uploadUrl"].(string), bytes.NewReader(photo))
	if err != nil {
		g.t.Fatal(err)
	}
	for name, v := range up["headers"].(map[string]any) {
		req.Header.Set(name, fmt.Sprint(v))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		g.t.Fatalf("upload: %v %v", resp, err)
	}
	resp.Body.Close()
	g.says("sam", `start_damage_report {"address":"Harbour Street 21"}`)
	g.call("chat", http.MethodPost, "/chat/message", map[string]any{
		"message": "Here it is", "sessionId": sam.Session, "agentId": "sara", "clientMessageId": "photo-1", "language": "en",
		"attachments": []any{map[string]any{"url": up["mediaUrl"], "contentType": "image/jpeg"}},
	})
	g.says("sam", `update_report_photos {"reportId":%q,"photoUrls":[%q],"captions":["The wall"]}`, id("sam"), up["mediaUrl"])
	g.says("sam", `update_damage_report_section {"reportId":%q,"section":"cause","content":"A pipe has burst"}`, id("sam"))
	g.says("sam", `create_time_limited_report_link {"reportId":%q,"ttlHours":48}`, id("sam"))
	g.says("sam", `create_link_code {}`)
	if a := g.Request("sara", http.MethodGet, g.link, nil, nil); a.Status != http.StatusOK {
		g.t.Fatalf("%s: %d %s", g.link, a.Status, a.Body)
	}
	g.messenger(`link_chats {"code":%q}`, g.code)
	g.messenger("yes")
	g.call("admin", http.MethodPost, "reports/"+id("sam")+"/resolve", nil)
	g.says("sue", `start_damage_report {"address":"Mill Lane 3"}`)
	g.says("sue", `update_report_photos {"reportId":%q,"photoUrls":[],"noPhotos":true}`, id("sue"))
	g.says("sue", `create_time_limited_report_link {"reportId":%q,"ttlHours":1}`, id("sue"))
	for _, l := range g.call("admin", http.MethodGet, "reports/"+id("sue"), nil)["links"].([]any) {
		g.call("admin", http.MethodPost, "reports/"+id("sue")+"/links/"+l.(map[string]any)["id"].(string)+"/revoke", nil)
	}
	g.says("sue", `start_damage_report {"address":"Mill Lane 2"}`)
	g.says("sue", `update_report_address {"reportId":%q,"address":"Mill Lane 22"}`, id("sue"))
	g.agrees("sue", `delete_report {"reportId":%q}`, id("sue"))
	g.call("sara", http.MethodPost, "/web-chat-api", map[string]any{
		"sessionId": webSession, "text": "Good morning", "name": "Kim", "clientMessageId": "web-1",
	})
}

// talks has people write to businesses, businesses answer, and people of the desk take over.
func (g *goldenTown) talks() {
	g.t.Helper()
	g.agrees("ann", write, "meze", "Are dogs welcome?")
	g.says("meze", "Yes, on the terrace")
	g.agrees("ann", write, "reef", "How cold is it?")
	g.says("nia", "What do you have?")
	g.says("nia", "STOP")
	for n := range 9 {
		g.says("sky", "What is there, number %d?", n)
	}
	g.says("kebab", "Customer")
	g.says("kebab", "What is there?")
	g.says("kebab", "Work")
	g.says("meze", "Customer")
	g.says("meze", "What is there?") // and stays one
	g.says("wes", "Tell me all of it.")
	form := g.form(g.who["ned"], &Said{ID: "SM00000000000000000000000000000def", Text: "Good day"})
	form.Set("ExternalUserId", "US.13491208655302741918")
	g.Webhook(inboundPath, form)
	g.flow()
	g.says("wes", "%s", strings.Repeat("A long story. ", 120))
	g.says("wes", `searchMarketplace {"query":"dive"}`)
}

// goesWrong has messages that cannot be sent, and things deleted that are still needed.
func (g *goldenTown) goesWrong() {
	g.t.Helper()
	g.twilio.FailSends(twiliotest.Refusal(63024))
	g.says("xia", "Hello?")
	g.tick("sweep")
	g.says("zoe", "Good morning")
	g.status("zoe", "failed")
	g.tick("sweep")
	for _, m := range g.call("admin", http.MethodGet, "outbox", nil)["messages"].([]any) {
		if m := m.(map[string]any); m["threadId"] == g.who["zoe"].Thread {
			g.call("admin", http.MethodPost, fmt.Sprintf("outbox/%s/%s/send", m["threadId"], m["id"]), nil)
		}
	}
	g.agrees("quin", leak)
	g.agrees("quin", ride)
	g.agrees("quin", bookMeze, "29", "18:00")
	g.twilio.FailSends(twiliotest.Broken(false), twiliotest.Broken(false))
	g.agrees("quin", write, "villa", "Is it quiet?")
	g.call("admin", http.MethodDelete, "threads/"+g.who["quin"].Thread+"/data", nil)
	g.tick("sweep")
	g.tick("invariants")
	a := alert.Alert{Check: "test", Severity: alert.Warning, Subject: "the town", Of: "its harbour", Message: "It was mended.", Healed: true}
	if err := g.healthy.Alerts().Raise(g.t.Context(), a); err != nil {
		g.t.Fatal(err)
	}
}

// until lets time pass up to so long after the start.
func (g *goldenTown) until(since time.Duration) { g.Pass(since - g.Now().Sub(start)) }

// tick runs a scheduled function, and lets all come of it.
func (g *goldenTown) tick(function string) {
	g.t.Helper()
	if err := g.Tick(function); err != nil {
		g.t.Fatalf("%s: %v", function, err)
	}
	g.flow()
}

// nextDay sends the reminder, expires what nobody answered, and notes who did not come.
func (g *goldenTown) nextDay() {
	g.t.Helper()
	g.until(6*time.Hour + 30*time.Minute)
	g.stripe.Add(stripetest.Away, stripetest.Away, stripetest.Away, stripetest.Away)
	g.tick("expiry")
	for g.stripe.Next() != 0 { // it is back
	}
	g.until(27 * time.Hour)
	for _, function := range []string{"sweep", "expiry", "invariants"} {
		g.tick(function)
	}
	g.call("admin", http.MethodPut, "transactions/"+g.tx("cid")+"/no-show", nil)
	g.says("meze", "Work")
	g.agrees("meze", `markNoShow {"code":%q,"noShow":true}`, g.latest("ann", "ledger", "tx", "code"))
	g.call("admin", http.MethodDelete, "transactions/"+g.tx("ann")+"/no-show", nil)
	for _, a := range g.call("admin", http.MethodGet, "alerts", nil)["alerts"].([]any)[:1] {
		g.call("admin", http.MethodPost, "alerts/"+url.PathEscape(a.(map[string]any)["id"].(string))+"/acknowledge", nil)
	}
}

// waits has every kind of proposal wait for its YES, and everything else that can wait: a payment, an
// order, a ride, a slot, a reminder, a message, a person, and turns whose processes have died.
func (g *goldenTown) waits() {
	g.t.Helper()
	code := func(name, kind string) string { return g.latest(name, "records", kind, "code") }

	g.says("lea", `askForPerson {"reason":"I want to complain"}`)
	g.staffOn("lea", "take", nil)
	g.staffOn("lea", "messages", map[string]string{"text": "This is Dana. What happened?", "clientMessageId": "staff-1"})
	g.says("lea", "It was cold")
	g.staffOn("lea", "return", nil)
	g.says("sue", `create_link_code {}`)
	g.agrees("sky", `link_chats {"code":%q}`, g.code)
	g.says("sue", `create_link_code {}`)
	g.messenger("Good day")
	g.agrees("joe", ride)
	joes := g.who["joe"].Thread + "/" + g.latest("joe", "records", "ride#", "id")
	g.call("admin", http.MethodPost, "markets/"+Market+"/rides/"+joes+"/cancel", nil)
	g.agrees("abe", bookMeze, "26", "19:00")
	g.says("jan", `joinWaitlist {"listingId":"meze","offeringId":"table","date":"2026-11-26","time":"19:00","partySize":2}`)
	g.agrees("abe", cancelTx, g.tx("abe"))
	g.says("mia", `askForPerson {"reason":"The bill"}`)
	g.staffOn("mia", "take", nil)
	g.says("kebab", `setStock {"listingId":"kebab","itemId":"wrap","left":40}`)

	g.agrees("kay", `initiateBooking {"listingId":"cruise","offeringId":"seat","date":"2026-11-25","time":"18:00","partySize":1}`)
	g.agrees("kay", `setReminder {"transactionId":%q,"hoursBefore":8}`, g.tx("kay"))
	g.agrees("pat", bookMeze, "27", "18:00")
	g.says("oli", `joinWaitlist {"listingId":"meze","offeringId":"table","date":"2026-11-27","time":"18:00","partySize":2}`)
	g.agrees("eve", ride)
	g.says("dina", "YES %s", code("eve", "ride#"))
	g.agrees("yan", ride)
	g.agrees("dot", bookDive, "27", "11:00")
	g.agrees("yan", bookDive, "27", "14:00")
	g.bank(g.tx("yan"), g.stripe.Decline)
	g.agrees("gil", leak)
	g.says("max", `askForPerson {"reason":"A lost bag"}`)
	g.staffOn("max", "take", nil)
	g.says("wes", write, "cruise", "Is there a deck?")
	g.says("una", write, "kebab", "Is it far?")
	g.says("sue", `start_damage_report {"address":"Mill Lane 4"}`)
	g.says("sol", `start_damage_report {"address":"Mill Lane 5"}`)

	g.says("oli", bookMeze, "26", "21:00")
	oli := g.who["oli"]
	g.tell(oli, &Said{Text: "No", Button: "no:" + g.pending("oli")})
	g.tell(oli, &Said{Text: "What was it?", ReplyTo: g.sentTo(oli)[0]})
	for _, word := range []string{"Customer", "STOP", "START"} {
		g.says("villa", "%s", word)
	}

	g.says("zoe", bookMeze, "27", "20:00")
	g.says("zoe", "or at nine?") // a YES may be meant for that
	g.says("vic", bookMeze, "27", "21:00")
	g.says("pat", cancelTx, g.tx("pat"))
	g.agrees("abe", bookMeze, "28", "18:00")
	g.says("abe", `rescheduleBooking {"transactionId":%q,"date":"2026-11-28","time":"19:00"}`, g.tx("abe"))
	g.says("rae", `rescheduleBooking {"transactionId":%q,"date":"2026-11-29","endDate":"2026-12-01"}`, g.tx("rae"))
	g.says("bea", bookDive, "27", "10:00")
	g.says("cid", bookDive, "27", "13:00")
	g.agrees("col", bookDive, "27", "10:00")
	g.says("col", cancelTx, g.tx("col"))
	g.says("ed", wraps+"\nTell me all of it.", 1)
	g.says("fran", leak)
	g.says("gus", viewing)
	g.says("gus", "Are you sure?")
	g.agrees("dan", wraps, 2)
	g.says("dan", `cancelOrder {"orderId":%q}`, g.latest("dan", "records", "order#", "id"))
	g.agrees("fay", leak)
	g.says("fay", `cancelOrder {"orderId":%q}`, g.latest("fay", "records", "order#", "id"))
	g.says("hal", ride)
	g.agrees("joe", ride)
	g.says("joe", `cancelTaxi {"rideId":%q}`, g.latest("joe", "records", "ride#", "id"))
	g.says("ann", write, "meze", "And cats?")
	g.says("tom", `setReminder {"transactionId":%q,"hoursBefore":1}`, g.tx("tom"))
	g.says("plumber", `setSoldOut {"listingId":"plumber","itemId":"leak","soldOut":false}`)
	g.says("reef", `setOpeningHours {"listingId":"reef","weekday":"mon","spans":[{"from":"10:00","to":"20:00"}]}`)
	g.says("sue", `delete_report {"reportId":%q}`, g.reportOf("sue"))
	g.says("sol", `delete_my_data {}`)

	g.dies("lea", fmt.Sprintf(bookMeze, "28", "21:00"), "journal#", `"decision"`)
	g.dies("hugo", fmt.Sprintf(bookMeze, "28", "22:00"), "event#", `"hold"`)
	g.dies("wes", "yes", "journal#", `"yes"`)
	g.dies("una", "yes", "outbox#", "merchant")
	g.say("bob", "Take your time.\n"+bookMeze, "28", "20:00")
	g.Pass(time.Second)
	g.say("bob", "yes") // and nobody has been told
	g.say("xia", "Are you there?")
	g.answer("xia")
	g.note()
	g.diesOf("admin", func() {
		g.Request("admin", http.MethodPost, "/admin/api/threads/"+g.who["mia"].Thread+"/return", asStaff, nil)
	}, "returned")
	g.say("ned", "Are you there?")
	g.answer("ned")
	g.note()
	g.diesOf("sender", func() { g.Flow(&g.outbox) }, "claimUntil")
}

// reportOf is the newest report of a chat.
func (g *goldenTown) reportOf(name string) string {
	g.t.Helper()
	head, err := g.healthy.Threads().Head(g.t.Context(), g.who[name].Thread)
	if err != nil {
		g.t.Fatal(err)
	}
	all, err := g.healthy.Reports().All(g.t.Context(), Market, head.Owner)
	if err != nil || len(all) == 0 {
		g.t.Fatalf("%s has %d reports, %v", name, len(all), err)
	}
	return slices.MaxFunc(all, func(a, b report.Report) int { return a.CreatedAt.Compare(b.CreatedAt) }).ID
}

var (
	linkCode   = regexp.MustCompile(`[A-Z0-9]{4}-[A-Z0-9]{4}`)
	reportLink = regexp.MustCompile(`/r/rp_[a-z0-9]+/[A-Za-z0-9_-]+`)
)
