package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/roster"
	"merve/internal/stock"
	"merve/internal/taxi"
)

// conciergeKinds are the kinds of turn by which orders, rides and handovers go on. What begins
// with a name is said by that business or driver.
func conciergeKinds() []kind {
	counted := []string{"kebab: left", "kebab: yes", "order"}
	ordered, rides := []string{"order", "yes"}, []string{"taxi", "yes"}
	all := []kind{
		{name: "order", want: "Reply YES to send this to the business", said: []string{"order"}},
		{name: "order, yes", want: "Your order is placed", before: []string{"order"}, said: []string{"yes"}},
		{name: "order, no", want: "nothing has been ordered", before: []string{"order"}, said: []string{"no"}},
		{name: "order accepted", want: "Accepted: CODE", before: ordered, said: []string{"kebab: accept {order}"}},
		{name: "sold out, yes", want: "Done: Mark as sold out", before: []string{"kebab: sold out"}, said: []string{"kebab: yes"}},
		{name: "left, yes", want: "Done: Left from now on: 2 × Ayran", before: []string{"kebab: left"}, said: []string{"kebab: yes"}},
		{name: "order of what is counted, yes", want: "Your order is placed", before: counted, said: []string{"yes"}},
		{name: "order of what is counted, refused", want: "Refused: CODE", before: append(slices.Clone(counted), "yes"), said: []string{"kebab: refuse {order}"}},
		{name: "order of what has sold out, yes", want: "Ayran has just sold out", before: counted, prepare: (*world).sellOut, said: []string{"yes"}},
		{name: "business writes", want: "Passed on: CODE", before: ordered, said: []string{"kebab: {order} the courier is at the gate"}},
		{name: "business writes by its assistant, yes", want: "Passed on: CODE", before: append(slices.Clone(ordered), "kebab: gate"), said: []string{"kebab: yes"}},
		{name: "business becomes a customer", want: "You now write here as a customer", before: ordered, said: []string{"kebab: customer"}},
		{name: "business is no customer any more", want: "You now write here for your work", before: []string{"kebab: customer"}, said: []string{"kebab: work"}},
		{name: "message to a business, yes", want: "Sent to Old Town Kebab", before: []string{"ask them"}, said: []string{"yes"}},
		{name: "taxi, yes", want: "I am asking the drivers", before: []string{"taxi"}, said: []string{"yes"}},
		{name: "driver, yes", want: "Ride RIDE is yours", before: rides, said: []string{"d1: yes"}},
		{name: "driver cancels", want: "You no longer have ride RIDE", before: append(slices.Clone(rides), "d1: yes"), said: []string{"d1: cancel {ride}"}},
		{name: "booking moved, yes", want: "Your booking has been moved", before: []string{"book", "yes", "move it"}, said: []string{"yes"}},
		{name: "no-show, yes", want: "Done: Note that nobody came", before: []string{"book", "yes"}, prepare: (*world).missed, said: []string{"meze: yes"}},
		{name: "person asked for", want: "A person from our team", before: []string{"book"}, prepare: (*world).decline, said: []string{"person"}},
		{
			name: "person asked for, and more said", want: "A person from our team", model: func(w *world) llm.Model { return w.interrupted("thanks") },
			said: []string{"person"},
		},
		{name: "staff take", want: "A person is taking over", before: []string{"person"}, staff: func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Take(ctx, id, actor.Actor{Kind: actor.Staff, ID: "dana"})
		}},
		{name: "staff return", want: "The assistant is answering again", before: []string{"person"}, prepare: (*world).takeOver, staff: func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Return(ctx, id)
		}},
	}
	for i := range all {
		all[i].alone = true
	}
	return all
}

// decline lets the offer that waits go, so that the model is asked again.
func (w *world) decline(string) {
	w.t.Helper()
	w.arrive(nil, w.from("ann", w.last.Channel, "declined", "no"))
}

// sellOut has somebody else take all that is left of what is counted.
func (w *world) sellOut(string) {
	w.t.Helper()
	left, err := w.listings.Stock.Of(w.t.Context(), w.market, "kebab")
	if err != nil {
		w.t.Fatal(err)
	}
	h := stock.Holding{Market: w.market, Listing: "kebab", Order: "or_another", Owner: "session:bob", Items: map[string]int{"ayran": left["ayran"].Left}}
	if err := w.orders.Table.DB().Commit(w.t.Context(), w.orders.Stock.Take(h)...); err != nil {
		w.t.Fatal(err)
	}
}

// counts are what is left, held and sold of a listing's counted items.
func (w *world) counts(listing string) string {
	w.t.Helper()
	all, err := w.listings.Stock.Of(w.t.Context(), w.market, listing)
	if err != nil {
		w.t.Fatal(err)
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, fmt.Sprintf("%s %d left, %d held, %d sold", id, all[id].Left, all[id].Held, all[id].Sold))
	}
	return cmp.Or(strings.Join(lines, "; "), "nothing is counted")
}

// missed has a business say, when a booking has begun, that nobody came to it.
func (w *world) missed(string) {
	w.t.Helper()
	w.clock.add(34 * time.Hour)
	w.arrive(nil, w.spoken(channel.WhatsApp, "missed", "meze: nobody came"))
	w.clock.add(time.Second)
}

// takeOver has staff take the thread.
func (w *world) takeOver(id string) {
	w.t.Helper()
	if err := w.concierge.people.Take(w.t.Context(), id, actor.Actor{Kind: actor.Staff, ID: "dana"}); err != nil {
		w.t.Fatal(err)
	}
	w.work()
}

// spoken is a message of ann's, or of the business or driver whose name it begins with.
func (w *world) spoken(ch channel.Channel, id, text string) channel.Inbound {
	w.t.Helper()
	who, said, named := strings.Cut(text, ": ")
	if !named {
		return w.from("ann", ch, id, text)
	}
	number, typ := w.phones[who], channel.Dispatch
	if number == "" {
		l, err := w.listings.Get(w.t.Context(), w.market, who)
		if err != nil {
			w.t.Fatal(err)
		}
		number, typ = l.Merve.WhatsApp, channel.Ops
	}
	for _, o := range w.allOrders() {
		said = strings.ReplaceAll(said, "{order}", o.Code)
	}
	for _, r := range w.allRides() {
		said = strings.ReplaceAll(said, "{ride}", r.Code)
	}
	in := channel.Inbound{
		Market: w.market, Channel: channel.WhatsApp, ThreadType: typ, ReplyAddr: number, Text: said, MessageID: id,
		From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number, Phone: number}, Switch: roster.SwitchOf(said), Beside: channel.General,
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := threadOf(in); !slices.Contains(w.met, id) {
		w.met = append(w.met, id)
	}
	return in
}

// others are the threads that were met of people who are no customers.
func (w *world) others() []string {
	return slices.DeleteFunc(w.threadsMet(), func(id string) bool {
		return !slices.Contains(w.businesses(), id) && !slices.ContainsFunc(slices.Collect(maps.Values(w.phones)), func(number string) bool {
			return id == taxi.DriverThread(w.market, number)
		})
	})
}

// conciergeClerk is what [clerk] calls about orders, rides and people.
func conciergeClerk(said string, rounds int, result string) []llm.Call {
	call := func(name, args string) []llm.Call { return calls(llm.Call{Name: name, Args: json.RawMessage(args)}) }
	switch fmt.Sprint(said, " ", rounds) {
	case "order 0":
		return call("orderFood", `{"listingId":"kebab","items":[{"itemId":"ayran","quantity":2,"options":[],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`)
	case "taxi 0":
		return call("requestTaxi", `{"pickup":"Harbour Road 5","usePickupLocation":false,"dropoff":null,"passengers":null,"when":null,"district":"Kyrenia","note":null,"phone":"+15550300"}`)
	case "move it 0":
		return call("getMyBookings", `{}`)
	case "move it 1":
		for _, id := range regexp.MustCompile(`"transactionId":"([^"]+)"`).FindAllStringSubmatch(result, 1) {
			return call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2026-11-24","time":"21:00","endDate":null,"partySize":null}`, id[1]))
		}
	case "nobody came 0":
		return call("getBusinessDay", `{"date":"2026-11-24"}`)
	case "nobody came 1":
		for _, code := range regexp.MustCompile(`"code":"([^"]+)"`).FindAllStringSubmatch(result, 1) {
			return call("markNoShow", fmt.Sprintf(`{"code":%q,"noShow":true}`, code[1]))
		}
	case "person 0":
		return call("askForPerson", `{"reason":"wants one"}`)
	case "left 0":
		return call("setStock", `{"listingId":"kebab","itemId":"ayran","left":2}`)
	case "ask them 0":
		return call("sendWhatsAppMessage", `{"listingId":"kebab","text":"Are you open?"}`)
	case "gate 0":
		return call("getBusinessDay", `{"date":null}`)
	case "gate 1":
		for _, code := range regexp.MustCompile(`"code":"([^"]+)"`).FindAllStringSubmatch(result, 1) {
			return call("writeToCustomer", fmt.Sprintf(`{"code":%q,"text":"At the gate"}`, code[1]))
		}
	case "sold out 0":
		return call("setSoldOut", `{"listingId":"kebab","itemId":"ayran","soldOut":true}`)
	}
	return nil
}

// stateOfConcierge is what is left of orders, rides and handovers, and what stands for their ids.
func (w *world) stateOfConcierge(s *state) (ids []string) {
	w.t.Helper()
	for _, o := range w.allOrders() {
		events, err := w.orders.Events(w.t.Context(), o)
		if err != nil {
			w.t.Fatal(err)
		}
		text := describeOrder(o) + ", receipt " + fmt.Sprint(o.Receipt != nil && o.Receipt.OfferHash == o.Hash())
		for _, e := range events {
			text += " " + string(e.Type)
		}
		s.Orders = append(s.Orders, text)
		ids = append(ids, o.Code, "CODE", o.ID, "ORDER")
	}
	s.Orders = append(s.Orders, w.counts("kebab"))
	for _, r := range w.allRides() {
		events, err := w.rides.Events(w.t.Context(), r.Owner, r.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		text := fmt.Sprintf("%s, driver %v, attempt %d, receipt %v", r.Status, r.Driver, r.Attempt, r.Receipt != nil && r.Receipt.OfferHash == r.Hash)
		for _, e := range events {
			text += " " + e.ID
		}
		s.Rides = append(s.Rides, text)
		ids = append(ids, r.Code, "RIDE", r.ID, "RIDEID")
	}
	for _, m := range w.outgoing() {
		if found := talkForm.FindStringSubmatch(m.Text); found != nil {
			ids = append(ids, found[1], "TALK")
		}
	}
	cases, err := w.concierge.people.List(w.t.Context(), w.market)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range cases {
		s.Desk = append(s.Desk, fmt.Sprintf("%s %q %q", c.Name, c.TakenBy, c.Reason))
	}
	return ids
}
