package turn_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/people/ops"
	"merve/internal/people/relay"
	"merve/internal/plan"
	"merve/internal/plan/weather"
	"merve/internal/plan/worker"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// concierge is what Merve's worlds have beside bookings.
type concierge struct {
	orders     *order.Store
	roster     *roster.Book
	desk       *order.Taker
	rides      *taxi.Store
	people     *desk.Desk // of staff
	rideTeller *taxi.Teller
	post       *relay.Post
	firms      []string          // of the listings
	phones     map[string]string // of drivers
	vendors    *vendors          // vendors and requests
}

// theTown is where all addresses of the conversations are.
type theTown struct{}

func (theTown) Geocode(_ context.Context, q geo.Query) ([]geo.Found, error) {
	switch {
	case strings.Contains(q.Text, "Harbour"):
		return []geo.Found{{Location: geo.Location{Lat: 35.337, Lng: 33.319, Address: q.Text}, Sure: true}}, nil
	case strings.Contains(q.Text, "Famagusta"):
		return []geo.Found{{Location: geo.Location{Lat: 35.12, Lng: 33.94, Address: q.Text}, Sure: true}}, nil
	}
	return nil, nil
}

// startConcierge puts its part of a process together, on a database.
func (w *world) startConcierge(db *dynamo.DB, log *slog.Logger) []tool.Tool {
	records, catalog := db.Table(dynamotest.TableName("records")), db.Table(dynamotest.TableName("catalog"))
	w.orders = &order.Store{Table: records, Stock: w.listings.Stock, Bounds: w.bounds, Rows: w.ledger.Rows, Now: w.clock.now}
	w.roster = &roster.Book{Table: catalog, Now: w.clock.now}
	w.concierge.desk = &order.Taker{Store: w.orders, Listings: w.listings, Places: theTown{}, Log: log}
	drivers := &taxi.Drivers{Table: catalog, Rides: records, Now: w.clock.now, Roster: taxi.OnRoster{Table: catalog}}
	w.rides = &taxi.Store{Table: records, Drivers: drivers, Bounds: w.bounds, Rows: w.ledger.Rows, Now: w.clock.now}
	w.rideTeller = &taxi.Teller{
		Rides: w.rides, Markets: w.markets, Threads: w.teller(), Roster: w.roster, Outbox: w.outbox,
	}
	w.concierge.people = &desk.Desk{Table: records, Threads: w.teller(), Now: w.clock.now}
	w.post = &relay.Post{
		Table: records, Roster: w.roster, Orders: w.orders, Ledger: w.ledger, Threads: w.teller(), Outbox: w.outbox, Now: w.clock.now,
	}
	letters := notify.Writer{Notifier: &notify.Notifier{Listings: w.listings, Threads: w.teller(), Outbox: w.outbox}, Talks: w.post, Bounds: w.bounds}
	w.startVendors(records, catalog, log)
	return slices.Concat([]tool.Tool{w.planner(db, log)}, w.vendors.broker.Tools(), letters.Tools(), w.post.Tools(), w.concierge.desk.Tools(), (&taxi.Caller{Store: w.rides, Log: log}).Tools(), desk.Tools(), w.office().Tools(), w.reminders().Tools())
}

// planner has the engine that answers questions in several parts. It asks the model that everything else asks.
func (w *world) planner(db *dynamo.DB, log *slog.Logger) tool.Tool {
	workers := &worker.Tools{Model: llm.Whole(w.complete), Weather: mild{}, Now: w.clock.now, Log: log}
	tools, err := tool.NewRegistry(workers.All()...)
	if err != nil {
		w.t.Fatal(err)
	}
	e := &plan.Engine{
		Store: &plan.Store{Table: db.Table(dynamotest.TableName("conversations")), Now: w.clock.now}, Model: llm.Whole(w.complete), Tools: tools,
		Market: func(ctx context.Context, id string) (*market.Market, error) {
			return w.markets.Get(ctx, cmp.Or(id, w.market))
		},
		Holder: dynamotest.ID("planner"), NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Now: w.clock.now, Log: log,
	}
	return e.Planner()
}

// mild is the weather everywhere.
type mild struct{}

func (mild) Tell(_ context.Context, place, _ string) (weather.Report, error) {
	if place != "Kyrenia" {
		return weather.Report{}, fault.New(fault.NotFound, "no such place")
	}
	return weather.Report{Place: place, Country: "Cyprus", Temperature: 19.4}, nil
}

// roles finds the thread of those who are more than customers.
func (w *world) roles() *turn.Roles {
	return &turn.Roles{Threads: w.threads, Markets: w.markets, Outbox: w.outbox, Roster: w.roster, Works: works(), Owed: w.orderCommands().Owed, Now: w.clock.now}
}

// office has what businesses can do.
func (w *world) office() *ops.Office {
	return &ops.Office{Roster: w.roster, Listings: w.listings, Orders: w.orders, Ledger: w.ledger}
}

func (w *world) reminders() *booking.Reminders {
	return &booking.Reminders{Ledger: w.ledger, Threads: w.teller()}
}

func (w *world) waitlist() *booking.Waitlist {
	return &booking.Waitlist{
		Ledger: w.ledger, Catalog: catalog{w}, Markets: w.markets, Threads: w.teller(), Payments: w.payments,
	}
}

// otherAssistants answer people who are no customers.
func otherAssistants() []assistant.Assistant {
	return []assistant.Assistant{assistant.Moltbot().With(assistant.Discovering(true, true, true)...), assistant.Ops(), assistant.Dispatch(), assistant.Vendor()}
}

func (w *world) commands() map[channel.ThreadType]turn.Command {
	fixed := turn.Either{&taxi.Commands{Store: w.rides, Outbox: w.outbox}, w.orderCommands()}
	broker := w.vendors.broker
	all := turn.Commands{relay.Quotes{Post: w.post}, broker.Answers(true), fixed, w.office(), w.post, broker.Answers(false)}
	return map[channel.ThreadType]turn.Command{channel.Ops: all, channel.Dispatch: all, channel.Vendor: broker.Answers(false)}
}

func works() turn.Works {
	drives := func(roles roster.Roles) bool { _, ok := roles.Drives(); return ok }
	trades := func(roles roster.Roles) bool { return len(roles.Businesses()) > 0 }
	return turn.Works{{Of: drives, Coded: taxi.Coded}, {Of: trades, Coded: order.Coded}, {Of: trades, Coded: relay.Coded}, {Of: roster.Roles.Sells, Coded: vendor.Coded}}
}

func (w *world) matters() map[string]turn.Matter {
	all := map[string]turn.Matter{
		ledger.StandingKind: booking.Standing{Ledger: w.ledger},
		order.StandingKind:  order.Standing{Store: w.orders},
		taxi.StandingKind:   taxi.Standing{Store: w.rides},

		request.StandingKind: request.Standing{Store: w.vendors.broker.Store},
	}
	if w.sara != nil {
		all[report.StandingKind] = report.Standing{Store: w.sara.reports}
	}
	return all
}

func (w *world) orderCommands() *order.Commands {
	return &order.Commands{Store: w.orders, Roster: w.roster, Outbox: w.outbox}
}

// noting adds what settles orders and rides, and has it noted how each is settled.
func (w *world) noting(all map[string]gate.Commitment) map[string]gate.Commitment {
	maps.Copy(all, (&order.Taker{Store: w.orders, Business: w.notifier}).Commitments())
	all[taxi.ConfirmKind], all[taxi.CancelKind] = taxi.Confirm{Store: w.rides}, taxi.CancelRide{Store: w.rides}
	maps.Copy(all, w.vendors.broker.Commitments())
	for kind, c := range all {
		all[kind] = noted{c, w, kind}
	}
	return all
}

// allOrders are those of everybody who was met, as they were made.
func (w *world) allOrders() []order.Order {
	w.t.Helper()
	var all []order.Order
	for _, owner := range w.owners() {
		some, err := w.orders.All(w.t.Context(), w.market, owner)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b order.Order) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all
}

// tellOrders has the stream of records bring every event of an order, each twice.
func (w *world) tellOrders() {
	w.t.Helper()
	for _, o := range w.allOrders() {
		events, err := w.orders.Events(w.t.Context(), o)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range events {
			if w.told[e.ID()] {
				continue
			}
			w.told[e.ID()] = true
			for range 2 {
				if err := w.notifier.TellOrder(w.t.Context(), e); err != nil {
					w.t.Fatalf("notify: %v", err)
				}
			}
		}
	}
}

// relayed are the words of businesses that were passed on.
func (w *world) relayed() []relay.Event {
	w.t.Helper()
	var all []relay.Event
	for _, firm := range w.firms {
		page, err := w.post.Table.Query(w.t.Context(), dynamo.Query{
			Where: "pk = :pk AND begins_with(sk, :prefix)", Values: dynamo.V{":pk": "talk#" + w.market + "#" + firm, ":prefix": "event#"},
		})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			e, ok, err := relay.Events.Read(it)
			if !ok || err != nil {
				w.t.Fatalf("not an event: %v %v", it.Key(), err)
			}
			all = append(all, e)
		}
	}
	return all
}

// tellRelayed has the stream of records bring what businesses said to customers, each twice.
func (w *world) tellRelayed() {
	w.t.Helper()
	for _, e := range w.relayed() {
		if w.told["relay "+e.ID] {
			continue
		}
		w.told["relay "+e.ID] = true
		for range 2 {
			if err := w.post.Tell(w.t.Context(), e); err != nil {
				w.t.Fatalf("relay: %v", err)
			}
		}
	}
}

// employ stores the drivers of a conversation, given as YAML.
func (w *world) employ(text []byte) {
	w.t.Helper()
	var all []taxi.Driver
	fromYAML(w.t, text, &all)
	w.phones = map[string]string{}
	for i, d := range all {
		d.Market, d.Phone, d.Enabled, d.Available = w.market, cmp.Or(d.Phone, fmt.Sprintf("+155502000%02d", i)), true, true
		w.phones[d.ID] = d.Phone
		if _, err := w.rides.Drivers.Put(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
	}
}

// allRides are those of everybody who was met, as they were made.
func (w *world) allRides() []taxi.Ride {
	w.t.Helper()
	var all []taxi.Ride
	for _, owner := range w.owners() {
		some, err := w.rides.All(w.t.Context(), w.market, owner)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b taxi.Ride) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all
}

// tellRides has the stream of records bring every event of a ride, each twice.
func (w *world) tellRides() {
	w.t.Helper()
	for _, r := range w.allRides() {
		events, err := w.rides.Events(w.t.Context(), r.Owner, r.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range events {
			name := r.ID + e.ID
			if w.told[name] {
				continue
			}
			w.told[name] = true
			for range 2 {
				if err := w.rideTeller.Tell(w.t.Context(), e); err != nil {
					w.t.Fatalf("taxi: %v", err)
				}
			}
		}
	}
}

// driverThreads are those of the drivers who have not written, and are no businesses.
func (w *world) driverThreads() []string {
	var threads []string
	for _, number := range w.phones {
		if id := taxi.DriverThread(w.market, number, nil); !slices.Contains(w.threadsMet(), id) && !slices.Contains(w.numbers, number) {
			threads = append(threads, id)
		}
	}
	return threads
}

// driver has a driver write to us.
func (p *play) driver(l line) {
	p.t.Helper()
	name, _, _ := strings.Cut(l.opts, ",")
	number := p.phones[name]
	if number == "" {
		p.t.Fatalf("%v: no such driver", l)
	}
	p.other(l, number)
}

// business has the people of a listing write to us.
func (p *play) business(l line) {
	p.t.Helper()
	id, _, _ := strings.Cut(l.opts, ",")
	if number, had := p.former[id]; had {
		p.other(l, number)
		return
	}
	listing, err := p.listings.Get(p.t.Context(), p.market, id)
	if err != nil {
		p.t.Fatalf("%v: %v", l, err)
	}
	p.other(l, listing.Merve.WhatsApp)
}

// loses takes its number from a listing, or the listing from the market. Its people write from that number all the same.
func (p *play) loses(l line) {
	p.t.Helper()
	_, err := p.listings.Change(p.t.Context(), p.market, l.opts, "test", func(before *listing.Listing) (*listing.Listing, error) {
		if p.former == nil {
			p.former = map[string]string{}
		}
		p.former[before.ID] = before.Merve.WhatsApp
		if l.verb == "the listing goes" {
			return nil, nil
		}
		before.Merve.WhatsApp = ""
		return before, nil
	})
	if err != nil {
		p.t.Fatalf("%v: %v", l, err)
	}
}

// other has somebody who is no customer write to us.
func (p *play) other(l line, number string) {
	p.t.Helper()
	p.sends++
	in := channel.Inbound{
		Market: p.market, Channel: channel.WhatsApp, ReplyAddr: number, Text: strings.ReplaceAll(p.expand(l.text), `\n`, "\n"),
		MessageID: fmt.Sprintf("message-%d", p.sends), From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number, Phone: number},
	}
	p.attach(l, &in)
	p.theirs = cmp.Or(p.theirs, p.thread)
	p.clock.add(time.Second)
	all, err := p.roles().Route(p.t.Context(), in)
	if err != nil {
		p.t.Fatalf("%v: %v", l, err)
	}
	p.reply = ""
	for _, in := range all {
		if id := threadOf(in); !slices.Contains(p.met, id) {
			p.met = append(p.met, id)
		}
		p.thread = threadOf(in)
		if _, err := p.runner.ProcessInbound(p.t.Context(), in); err != nil {
			p.t.Fatalf("%v: %v", l, err)
		}
	}
	p.settle()
	p.look()
	p.thread = p.theirs
}

var talkForm = regexp.MustCompile(`begin with (\w{5}):`)

// talk is the code of the n-th talk that a business was told of.
func (w *world) talk(n string) string {
	w.t.Helper()
	var codes []string
	for _, m := range w.sent {
		if found := talkForm.FindStringSubmatch(m.Text); found != nil && !slices.Contains(codes, found[1]) {
			codes = append(codes, found[1])
		}
	}
	return nth(w.t, codes, n)
}

// attach reads the options of a line of somebody who is no customer, after their name.
func (p *play) attach(l line, in *channel.Inbound) {
	p.t.Helper()
	for _, opt := range strings.Split(l.opts, ",")[1:] {
		word, rest, _ := strings.Cut(strings.TrimSpace(opt), " ")
		switch word {
		case "id":
			in.MessageID = rest
		case "photo":
			in.Media = []channel.Media{{URL: "https://files.example/" + rest, Type: "image/png"}}
		case "file":
			in.Media = []channel.Media{{URL: "https://files.example/" + rest, Type: rest}}
		case "quoting":
			for _, m := range p.outgoing() {
				if m.To == in.ReplyAddr && strings.Contains(m.Text, p.expand(rest)) {
					in.ReplyTo = m.ProviderID
				}
			}
			if in.ReplyTo == "" {
				p.t.Fatalf("%v: nothing like %q was sent there", l, rest)
			}
		default:
			p.t.Fatalf("%v: unknown option %q", l, opt)
		}
	}
}

// staff does something with the customer's thread.
func (p *play) staff(l line) {
	p.t.Helper()
	var err error
	p.reply = ""
	name, of, work := strings.Cut(l.opts, ", ")
	if work {
		defer func(theirs string) { p.thread = theirs }(p.thread)
		p.thread = p.workOf(of)
	}
	switch by := (actor.Actor{Kind: actor.Staff, ID: cmp.Or(name, "desk")}); l.verb {
	case "staff takes it":
		err = p.concierge.people.Take(p.t.Context(), p.thread, by)
	case "staff gives it back":
		err = p.concierge.people.Return(p.t.Context(), p.thread)
	case "staff writes":
		p.sends++
		err = p.concierge.people.Write(p.t.Context(), p.thread, l.text, fmt.Sprint(p.sends))
	}
	if err != nil {
		p.reply = err.Error()
		return
	}
	p.settle()
	p.look()
}

// workOf is the thread of a driver, or of the business of a listing.
func (p *play) workOf(who string) string {
	p.t.Helper()
	if number := p.phones[who]; number != "" {
		return threadOf(channel.Inbound{Market: p.market, ThreadType: channel.Dispatch, From: channel.OfNumber(number)})
	}
	listing, err := p.listings.Get(p.t.Context(), p.market, who)
	if err != nil {
		p.t.Fatal(err)
	}
	return threadOf(channel.Inbound{Market: p.market, ThreadType: channel.Ops, From: channel.OfNumber(listing.Merve.WhatsApp)})
}

// valueOfOrders is what is in a conversation about orders.
func (p *play) valueOfOrders(of string, n int) (string, bool) {
	p.t.Helper()
	switch of {
	case "orders":
		var all []string
		for _, o := range p.allOrders() {
			all = append(all, string(o.Status))
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "order":
		all := p.allOrders()
		if n < 1 || n > len(all) {
			return "none", true
		}
		return describeOrder(all[n-1]), true
	case "desk":
		all, err := p.concierge.people.List(p.t.Context(), p.market)
		if err != nil {
			p.t.Fatal(err)
		}
		var lines []string
		for _, c := range all {
			line := strings.TrimSpace(c.Name + " " + cmp.Or(c.TakenBy, "waits") + " " + c.Reason)
			if c.LetGo != "" {
				line += "; let go: " + c.LetGo
			}
			lines = append(lines, line)
		}
		return cmp.Or(strings.Join(lines, ", "), "nobody"), true
	case "rides":
		var all []string
		for _, r := range p.allRides() {
			text := string(r.Status)
			if r.Driver != nil {
				text += " to " + r.Driver.ID
			}
			all = append(all, text)
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "sent to driver":
		return p.sentTo(p.phones[fmt.Sprintf("d%d", n)]), true
	case "customer sees":
		turns := p.turnsOf(p.thread)
		return textOf(turns[len(turns)-1]), true
	case "cards":
		turns := p.turnsOf(p.thread)
		var all []string
		for _, r := range turns[len(turns)-1].Out {
			for _, c := range r.Cards {
				all = append(all, fmt.Sprint(c["type"], " ", c["status"]))
			}
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	}
	return "", false
}

// describeOrder is an order in the words of a conversation file.
func describeOrder(o order.Order) string {
	parts := []string{string(o.Kind), string(o.Status), strings.ReplaceAll(order.Lines("en", o), "\n", "; "), fmt.Sprintf("total %d", o.TotalMinor)}
	if o.Delivery != nil {
		parts = append(parts, "to "+o.Delivery.Address)
	}
	if !o.When.IsZero() {
		parts = append(parts, "for "+o.When.UTC().Format("2006-01-02T15:04Z"))
	}
	if !o.ETA.IsZero() {
		parts = append(parts, "expected "+o.ETA.UTC().Format("15:04Z"))
	}
	if o.Reason != "" {
		parts = append(parts, "because "+o.Reason)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// lapseOrders is the schedule that lets proposals go, for this market's only.
func (p *play) lapseOrders() {
	p.t.Helper()
	for _, o := range p.allOrders() {
		if _, err := p.orders.Lapse(p.t.Context(), o); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, tx := range p.transactions() {
		if _, err := p.reminders().Remind(p.t.Context(), dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}, p.clock.now()); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, r := range p.allRides() {
		if _, _, err := p.rides.Attend(p.t.Context(), r); err != nil {
			p.t.Fatal(err)
		}
	}
}
