package simulation

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/matter/taxi"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Role is as what somebody writes; the zero Role is a customer.
type Role string

// Those who are no customers.
const (
	Business Role = "business"
	Driver   Role = "driver"
	Seller   Role = "vendor"
)

const (
	approvedConfirmed = "HX00000000000000000000000000000001"
	approvedCancelled = "HX00000000000000000000000000000002"
	approvedOffer     = "HX00000000000000000000000000000020"
	approvedPickup    = "HX00000000000000000000000000000021"
	approvedTaken     = "HX00000000000000000000000000000022"
	approvedNoRide    = "HX00000000000000000000000000000023"
	approvedMessage   = "HX00000000000000000000000000000030"
	approvedPerson    = "HX00000000000000000000000000000031"

	deskNumber = "+15550100099" // of those who are told that a person is asked for
)

// template is an approved template: the event it is for, its text, and the fields that fill it.
type template struct {
	event, sid, text string
	params           []string
}

// approved are the market's approved templates; approvedToVendors are the further ones of a market with vendors.
var approved = []template{
	{"merchant_booking_confirmed", approvedConfirmed, "New booking {{1}}: {{2}} for {{3}}, {{4}}", []string{"code", "when", "party", "customer"}},
	{"merchant_booking_cancelled", approvedCancelled, "Cancelled: {{1}}, {{2}} for {{3}}, {{4}}", []string{"code", "when", "party", "customer"}},
	{"merchant_order_placed", "HX00000000000000000000000000000010", "Order {{1}} of food: {{2}} for {{3}}. {{4}}", []string{"code", "lines", "customer", "note"}},
	{"merchant_service_placed", "HX00000000000000000000000000000011", "Order {{1}} of a service for {{2}}. {{3}}", []string{"code", "customer", "note"}},
	{"merchant_viewing_placed", "HX00000000000000000000000000000012", "Order {{1}} of a viewing for {{2}}. {{3}}", []string{"code", "customer", "note"}},
	{"merchant_order_cancelled", "HX00000000000000000000000000000013", "Order {{1}} is taken back.", []string{"code"}},
	{"merchant_order_unanswered", "HX00000000000000000000000000000014", "Order {{1}} is over.", []string{"code"}},
	{"merchant_message", approvedMessage, "To {{1}}: {{2}} From {{3}}.", []string{"listing", "text", "customer"}},
	{"desk_wanted", approvedPerson, "{{1}} waits: {{2}}", []string{"customer", "link"}},
	{"taxi_offer", approvedOffer, "Ride {{1}} is offered, {{2}}.", []string{"code", "attempt"}},
	{"taxi_pickup", approvedPickup, "Ride {{1}} is yours: {{2}}, {{3}}. {{4}}", []string{"code", "customer", "phone", "note"}},
	{"taxi_taken", approvedTaken, "Ride {{1}} is another's.", []string{"code"}},
	{"taxi_cancelled", approvedNoRide, "Ride {{1}} is no more.", []string{"code"}},
	{"order_accepted", "HX00000000000000000000000000000040", "{{1}} takes {{2}}.", []string{"listing", "code"}},
	{"order_refused", "HX00000000000000000000000000000041", "{{1}} does not take {{2}}.", []string{"listing", "code"}},
}

// Town gives the market businesses that take orders, drivers, and the people of both.
func (w *World) Town() {
	w.t.Helper()
	name := func(s string) map[string]string { return map[string]string{"en": s} }
	w.Shops = []*listing.Listing{
		{
			ID: "kebab", Names: name("Old Town Kebab"), Domain: "food", Category: "restaurant", Price: &listing.Price{Currency: "EUR"},
			Delivery: &listing.Delivery{FeeMinor: 200},
			Items: []listing.Item{
				{ID: "wrap", Kind: listing.MenuItems, Names: name("Wrap"), PriceMinor: 650, Stock: &listing.Stock{Count: 7}, Options: []listing.OptionGroup{{
					ID: "size", Names: name("Size"), Min: 1, Max: 1,
					Choices: []listing.Choice{{ID: "small", Names: name("Small")}, {ID: "large", Names: name("Large"), PriceMinor: 150}},
				}}},
				{ID: "ayran", Kind: listing.MenuItems, Names: name("Ayran"), PriceMinor: 150},
			},
			Merve: listing.Integration{Actions: []listing.Action{{Type: listing.FoodAction, Enabled: true, DataKind: listing.MenuItems}}},
		},
		{
			ID: "plumber", Names: name("Quick Plumbing"), Domain: "services", Category: "plumber", Price: &listing.Price{Currency: "EUR"},
			Items: []listing.Item{{ID: "leak", Kind: listing.Services, Names: name("Leak"), PriceMinor: 5000}},
			Merve: listing.Integration{Actions: []listing.Action{{Type: listing.ServiceAction, Enabled: true, DataKind: listing.Services}}},
		},
		{
			ID: "villa", Names: name("Villa by the sea"), Domain: "homes", Category: "villa", Price: &listing.Price{Minor: 120000, Currency: "EUR", Per: "month"},
			Merve: listing.Integration{Actions: []listing.Action{{Type: listing.ViewingAction, Enabled: true}}},
		},
	}
	for i, l := range w.Shops {
		l.Market, l.Business, l.Place, l.Descriptions = Market, "biz-"+l.ID, "Kyrenia", name("In the old town")
		l.Merve.Enabled, l.Merve.WhatsApp = true, fmt.Sprintf("+1555010001%d", i+1)
		w.Put(l)
		w.versions = append(w.versions, l.Version)
		w.hire(Business, l.ID, l.Merve.WhatsApp)
	}
	for i, name := range []string{"dina", "eren"} {
		d := taxi.Driver{ID: driverID(name), Market: Market, Name: name, Phone: fmt.Sprintf("+1555010002%d", i+1), Districts: []string{"Kyrenia"}, Seats: 4, Available: true, Enabled: true}
		if _, err := w.healthy.Drivers().Put(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
		w.hire(Driver, name, d.Phone)
	}
}

// driverID is the id of a driver's record, which logs may give, and in which the driver's name is not to be read.
func driverID(name string) string { return "driver_" + name }

// hire adds somebody who writes to Merve, and is no customer.
func (w *World) hire(role Role, name, phone string) {
	who := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone}
	typ := map[Role]channel.ThreadType{Business: channel.Ops, Driver: channel.Dispatch, Seller: channel.Vendor}[role]
	w.Others = append(w.Others, &Customer{
		Name: name, Role: role, Channel: channel.WhatsApp, Phone: phone, Owner: who.Key(), Thread: thread.ID(Market, typ, "", who.Key()),
	})
}

// people are all who write.
func (w *World) people() []*Customer { return slices.Concat(w.Customers, w.Others) }

// speak has somebody say something.
func (w *World) speak(c *Customer) {
	switch {
	case len(w.Others) == 0:
	case w.chance(0.08):
		w.staff(c)
		return
	case w.chance(0.5):
		w.Flow(&w.records)
		w.Flow(&w.outbox)
		if others := w.addressed(); len(others) > 0 {
			c = oneOf(w, others)
		}
	}
	w.Say(c, w.talkOf(c))
	if c.Role != "" && w.chance(0.6) {
		w.queue.deliver(func(m *queued) bool { return m.Group == c.Thread })
	}
}

// addressed are the businesses and drivers who have been told something that they have said
// nothing to, or else any who were told something.
func (w *World) addressed() []*Customer {
	var fresh, some []*Customer
	for _, c := range w.Others {
		ms := slices.DeleteFunc(w.twilio.Messages(), func(m twiliotest.Message) bool { return m.To != c.Phone })
		if len(ms) == 0 {
			continue
		}
		some = append(some, c)
		if len(c.Said) == 0 || c.Said[len(c.Said)-1].First.Before(ms[len(ms)-1].Created) {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) > 0 && !w.chance(0.25) {
		return fresh
	}
	return some
}

// talkOf is what somebody says next.
func (w *World) talkOf(c *Customer) *Said {
	switch {
	case c.Role == Business:
		return w.answers(c)
	case c.Role == Driver:
		return w.drive(c)
	case c.Role == Seller:
		return w.quotes(c)
	case w.talk != nil:
		return w.talk(w, c)
	}
	return w.utter(c)
}

// meanwhile has those who have to do with the same things act at this very moment, and be heard.
func (w *World) meanwhile() {
	who := w.people()
	for range 1 + w.pick(2) {
		c := oneOf(w, who)
		if c.Role != "" && len(w.told(c)) == 0 {
			continue
		}
		w.Say(c, w.talkOf(c))
		w.queue.deliver(func(m *queued) bool { return m.Group == c.Thread })
	}
}

// told are the texts that Twilio took for somebody, oldest first.
func (w *World) told(c *Customer) []string {
	var texts []string
	for _, m := range w.twilio.Messages() {
		if m.To == c.Phone && c.Phone != "" {
			texts = append(texts, m.Body)
		}
	}
	return texts
}

var (
	orderTold = regexp.MustCompile(`^Order (\w{4}) of `)
	rideTold  = regexp.MustCompile(`^Ride (\w{4}) is (offered|yours)`)
)

// answers is what a business says: to one of its orders, mostly.
func (w *World) answers(c *Customer) *Said {
	var codes []string
	for _, text := range w.told(c) {
		if m := orderTold.FindStringSubmatch(text); m != nil {
			codes = append(codes, m[1])
		}
	}
	code := "WR9X" // a code nobody has
	if len(codes) > 0 && !w.chance(0.1) {
		code = oneOf(w, codes[max(0, len(codes)-2):])
	}
	switch n := w.pick(100); {
	case n < 35:
		return &Said{Text: "ACCEPT " + code + oneOf(w, []string{"", " 30", " in 20 min"}), Answer: "accept"}
	case n < 45:
		return &Said{Text: oneOf(w, []string{"accept", "ok", "yes"}), Answer: "accept", Means: Yes}
	case n < 55:
		return &Said{Text: "REFUSE " + code + " " + w.words("we are full"), Answer: "refuse"}
	case n < 58:
		return &Said{Text: "no", Answer: "refuse", Means: No}
	case n < 72:
		return &Said{Text: "DONE " + code, Answer: "done"}
	case n < 76:
		return &Said{Text: "cancel " + code, Answer: "cancel"}
	case n < 79:
		return &Said{Text: code + " " + w.words("the courier is at the gate")}
	case n < 82:
		return &Said{Text: "today"}
	case n < 88:
		return &Said{Text: "answer " + code + " accept"}
	case n < 92:
		return &Said{Text: oneOf(w, []string{"sold out " + c.Name, fmt.Sprintf("left %d %s", w.pick(5), c.Name)})}
	case n < 96:
		return &Said{Text: "yes", Means: Yes, Answer: "accept"}
	}
	return &Said{Text: w.words(oneOf(w, []string{"who comes today?", "thanks", "🙂"}))}
}

// words are what a business or driver says freely: what they mean to, or an instruction to the model.
func (w *World) words(meant string) string {
	if w.poisoned {
		return oneOf(w, Injections())
	}
	return meant
}

// drive is what a driver says: to what they were told last, mostly.
func (w *World) drive(c *Customer) *Said {
	code, has := "X7X9", false // a code nobody has
	for _, text := range w.told(c) {
		if m := rideTold.FindStringSubmatch(text); m != nil {
			code, has = m[1], m[2] == "yours"
		}
	}
	if w.chance(0.08) {
		code = "X7X9"
	}
	with := func(word string) string { return oneOf(w, []string{word, word + " " + code, code + " " + word}) }
	n := w.pick(100)
	switch {
	case n < 60 && !has:
		return &Said{Text: with("YES"), Answer: "yes", Means: Yes}
	case n < 25:
		return &Said{Text: with("ARRIVED"), Answer: "arrived"}
	case n < 55:
		return &Said{Text: with("DONE"), Answer: "done"}
	case n < 72:
		return &Said{Text: with("CANCEL"), Answer: "cancel"}
	case n < 80:
		return &Said{Text: "NO " + code, Answer: "no", Means: No}
	case n < 84:
		return &Said{Text: "OFF"}
	case n < 94:
		return &Said{Text: "ON"}
	}
	return &Said{Text: w.words("where is it?")}
}

// waits reports whether a customer was asked for a YES last.
func (w *World) waits(c *Customer) bool {
	if c.Channel != channel.WhatsApp {
		return len(c.Told) > 0 && c.Told[len(c.Told)-1].Pending != ""
	}
	texts := w.told(c)
	return len(texts) > 0 && strings.Contains(texts[len(texts)-1], "Reply YES")
}

// errand is what a customer of the town says next.
func errand(w *World, c *Customer) *Said {
	if w.waits(c) && w.chance(0.8) {
		if w.chance(0.12) {
			return &Said{Text: "no", Means: No}
		}
		return &Said{Text: oneOf(w, []string{"yes", "YES", "Yes!", "👍"}), Means: Yes}
	}
	say := func(format string, args ...any) *Said {
		return &Said{Text: fmt.Sprintf(format, args...) + " " + c.Canary}
	}
	switch n := w.pick(100); {
	case n < 22:
		return say("order %d %s", 1+w.pick(3), oneOf(w, []string{"small", "large", "ayran"}))
	case n < 29:
		return say("have the leak repaired")
	case n < 34:
		return say("see the villa")
	case n < 56:
		return say("a taxi %s", phoneFor(c))
	case n < 64:
		return say("take my order back")
	case n < 70:
		return say("take my taxi back")
	case n < 77:
		return say("book %s 2026-11-%02d %02d:00 for %d", oneOf(w, w.Listings).ID, 24+w.pick(2), 18+w.pick(3), 1+w.pick(2))
	case n < 86:
		return say("move my booking to %d:00", 18+w.pick(4))
	case n < 88:
		return say("tell %s that dogs come", oneOf(w, w.Shops).ID)
	case n < 96:
		return say("get me a human")
	case n < 98:
		return say("remind me")
	}
	return w.utter(c)
}

// phoneFor returns the number for drivers to call a customer, which no other customer has.
func phoneFor(c *Customer) string {
	if c.Phone != "" {
		return c.Phone
	}
	return "+1555033" + c.Canary[len("canary"):len("canary")+4]
}

// span is a time in which a person certainly had a thread; a zero end is now.
type span struct{ from, to time.Time }

func (s span) holds(at time.Time) bool {
	return at.After(s.from) && (s.to.IsZero() || at.Before(s.to))
}

// staff does something with a customer's thread. Whether what got no answer was done is not
// known; it is not counted on.
func (w *World) staff(c *Customer) {
	w.t.Helper()
	if c.Thread == "" {
		return
	}
	do := func(what string, body []byte) bool {
		a := w.Request("admin", http.MethodPost, "/admin/api/threads/"+c.Thread+"/"+what, map[string]string{
			"Authorization": "Bearer " + adminToken, "Content-Type": "application/json",
		}, body)
		w.note("staff: %s of %s: %d", what, c.Name, a.Status)
		return a.Status >= 200 && a.Status < 300
	}
	has := len(c.held) > 0 && c.held[len(c.held)-1].to.IsZero()
	switch n := w.pick(10); {
	case !has && n < 4, has && n < 2:
		if do("take", nil) && !has {
			c.held = append(c.held, span{from: w.Now()})
		}
	case n < 5:
		do("messages", w.marshal(map[string]string{"text": "This is Dana " + c.Canary, "clientMessageId": fmt.Sprint("staff-", w.pick(30))}))
	default:
		c.returned = append(c.returned, w.Now())
		if has {
			c.held[len(c.held)-1].to = w.Now()
		}
		do("return", nil)
	}
}

// claimFor is how long before the end of a sender's claim it began.
const claimFor = time.Minute

// goesOut looks at a message on its way to the provider: none of the assistant's begins to go
// out while a person has the thread. What is news is the judge's to say.
func (w *World) goesOut(m outbox.Message) {
	if m.ByPerson || m.News || m.Essential || m.Kind == outbox.ToDriver || m.Kind == outbox.ToVendor || m.Kind == "merchant" {
		return
	}
	for _, c := range w.Customers {
		if c.Thread == m.Thread && slices.ContainsFunc(c.held, func(s span) bool { return s.holds(m.ClaimUntil.Add(-claimFor)) }) {
			w.t.Errorf("%s was written to by the assistant while a person had the thread: %q", c.Name, m.Text)
		}
	}
}
