package turn_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/matter/taxi"
	"merve/internal/model/llm"
	"merve/internal/record/stock"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/roster"
)

// conciergeKinds are the kinds of turn by which orders, rides and handovers go on. What begins
// with a name is said by that business or driver.
func conciergeKinds() []kind {
	counted := []string{"kebab: left", "kebab: yes", "order"}
	ordered, rides := []string{"order", "yes"}, []string{"taxi", "yes"}
	accepted, driven := then(ordered, "kebab: accept {order}"), then(rides, "d1: yes")
	written := then(ordered, "kebab: {order} the courier is at the gate")
	all := []kind{
		{name: "order", want: "Reply YES to send this to the business", said: []string{"order"}},
		{name: "order, yes", want: "Your order is placed", before: []string{"order"}, said: []string{"yes"}},
		{name: "order, no", want: "nothing has been ordered", before: []string{"order"}, said: []string{"no"}},
		{name: "order accepted", want: "Accepted: CODE", before: ordered, said: []string{"kebab: accept {order} 30"}},
		{name: "order accepted by the assistant, yes", want: "Done: ACCEPT CODE 30 min", before: then(ordered, "kebab: it will be ready"), said: []string{"kebab: yes"}},
		{name: "order done", want: "Thank you, CODE is done", before: accepted, said: []string{"kebab: done"}},
		{name: "order taken back", want: "Refused: CODE", before: accepted, said: []string{"kebab: cancel"}},
		{name: "order to be cancelled", want: "Shall this order be cancelled?", before: ordered, said: []string{"cancel the order"}},
		{name: "order cancelled, yes", want: "Your order has been cancelled", before: then(ordered, "cancel the order"), said: []string{"yes"}},
		{name: "order cancelled, no", want: "your order stays as it is", before: then(ordered, "cancel the order"), said: []string{"no"}},
		{name: "service", want: "bookService proposed", also: "plumber", said: []string{"service"}},
		{name: "service, yes", want: "Your request is placed", also: "plumber", before: []string{"service"}, said: []string{"yes"}},
		{name: "service cancelled, yes", want: "Your request has been cancelled", also: "plumber", before: []string{"service", "yes", "cancel the order"}, said: []string{"yes"}},
		{name: "viewing", want: "scheduleViewing proposed", also: "villa", said: []string{"viewing"}},
		{name: "viewing, yes", want: "Your request for a viewing is placed", also: "villa", before: []string{"viewing"}, said: []string{"yes"}},
		{name: "closed, yes", want: "Done: Close Old Town Kebab", before: []string{"kebab: closed"}, said: []string{"kebab: yes"}},
		{name: "opening hours, yes", want: "Done: Set opening hours", before: []string{"kebab: hours"}, said: []string{"kebab: yes"}},
		{name: "sold out, yes", want: "Done: Mark as sold out", before: []string{"kebab: sold out"}, said: []string{"kebab: yes"}},
		{name: "left, yes", want: "Done: Left from now on: 2 × Ayran", before: []string{"kebab: left"}, said: []string{"kebab: yes"}},
		{name: "order of what is counted, yes", want: "Your order is placed", before: counted, said: []string{"yes"}},
		{name: "order of what is counted, refused", want: "Refused: CODE", before: then(counted, "yes"), said: []string{"kebab: refuse {order} sold out"}},
		{name: "order of what has sold out, yes", want: "Ayran has just sold out", before: counted, prepare: (*world).sellOut, said: []string{"yes"}},
		{name: "business writes", want: "Passed on: CODE", before: ordered, said: []string{"kebab: {order} the courier is at the gate"}},
		{name: "business's words told", want: "the courier is at the gate", before: written, elsewhere: (*world).wordsTold},
		{name: "business writes by its assistant, yes", want: "Passed on: CODE", before: then(ordered, "kebab: gate"), said: []string{"kebab: yes"}},
		{name: "business becomes a customer", want: "You now write here as a customer", before: ordered, said: []string{"kebab: customer"}},
		{name: "business is no customer any more", want: "You now write here for your work", before: []string{"kebab: customer"}, said: []string{"kebab: work"}},
		{name: "message to a business, yes", want: "Sent to Old Town Kebab", before: []string{"ask them"}, said: []string{"yes"}},
		{name: "business answers a message", want: "Passed on: TALK", before: []string{"ask them", "yes"}, prepare: (*world).allIsTold, said: []string{"kebab: {talk} We are"}},
		{name: "taxi", want: "Shall I look for a driver?", said: []string{"taxi"}},
		{name: "taxi, yes", want: "I am looking for a driver", before: []string{"taxi"}, said: []string{"yes"}},
		{name: "driver, yes", want: "Ride RIDE is yours", before: rides, said: []string{"d1: yes"}},
		{name: "taxi, no", want: "no taxi was ordered", before: []string{"taxi"}, said: []string{"no"}},
		{name: "taxi to be cancelled", want: "Shall this taxi be cancelled?", before: driven, said: []string{"cancel the taxi"}},
		{name: "taxi cancelled, yes", want: "Your taxi has been cancelled", before: then(driven, "cancel the taxi"), said: []string{"yes"}},
		{name: "taxi cancelled, no", want: "your taxi stays ordered", before: then(driven, "cancel the taxi"), said: []string{"no"}},
		{name: "driver, no", want: "you will not be asked about ride RIDE", before: rides, said: []string{"d1: no"}},
		{name: "driver arrives", want: "the customer is being told that you are there", before: driven, said: []string{"d1: arrived"}},
		{name: "driver is done", want: "ride RIDE is finished", before: driven, said: []string{"d1: done {ride}"}},
		{name: "driver is off", want: "You are off", said: []string{"d1: off"}},
		{name: "driver cancels", want: "You no longer have ride RIDE", before: driven, said: []string{"d1: cancel {ride}"}},
		{name: "no-show, yes", want: "Done: Note that nobody came", before: []string{"book", "yes"}, prepare: (*world).missed, said: []string{"meze: yes"}},
		{name: "no-show taken back, yes", want: "Done: Take back that nobody came", before: []string{"book", "yes"}, prepare: (*world).missedAndCame, said: []string{"meze: yes"}},
		{name: "person asked for", want: "A person from our team", before: []string{"book"}, prepare: (*world).decline, said: []string{"person"}},
		{
			name: "person asked for, and more said", want: "A person from our team", model: func(w *world) llm.Model { return w.interrupted("thanks") },
			said: []string{"person"},
		},
		{name: "staff take", want: "A person is taking over", before: []string{"person"}, elsewhere: staff(func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Take(ctx, id, actor.Actor{Kind: actor.Staff, ID: "dana"})
		})},
		{name: "person asked for beside an offer", want: "the slot is free again.\\n\\nA person from our team", before: []string{"book"}, said: []string{"person"}},
		{name: "person asked for beside a cancellation", want: "This no longer waits for your answer:\\nAll right, your booking stays as it is.", before: []string{"book", "yes", "cancel it"}, said: []string{"person"}},
		{name: "person asked for beside a frozen call", want: "This no longer waits for your answer:\\nleaveNote", before: []string{"note"}, said: []string{"person"}},
		{name: "yes and a person", want: "the slot is free again.\\n\\nA person from our team", before: []string{"book"}, said: []string{"yes", "person"}},
		{name: "a person and yes", want: "the slot is free again.\\n\\nA person from our team", before: []string{"book"}, said: []string{"person", "yes"}},
		{name: "yes after a person was asked for", want: "Nothing is waiting for your YES or NO any more. A person", before: []string{"book", "person"}, said: []string{"yes"}},
		{name: "yes before staff are told of", want: "Nothing is waiting for your YES or NO any more. A person", before: []string{"book"}, prepare: (*world).assigned, said: []string{"yes"}},
		{name: "taken while a person is asked for", want: "A person is taking over from here", before: []string{"book"}, prepare: func(w *world, _ string) { w.model = w.takenAtTheDesk() }, said: []string{"person"}},
		{name: "staff take beside an offer", want: "This no longer waits for your answer:\\nMeze House", before: []string{"book"}, elsewhere: staff(func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Take(ctx, id, actor.Actor{Kind: actor.Staff, ID: "dana"})
		})},
		{name: "staff take beside a payment", also: "reef", want: "This no longer waits for your answer:\\nReef", before: []string{"dive"}, elsewhere: staff(func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Take(ctx, id, actor.Actor{Kind: actor.Staff, ID: "dana"})
		})},
		{name: "staff write", want: "Dana here", before: []string{"person"}, prepare: (*world).takeOver, elsewhere: staff(func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Write(ctx, id, "Dana here", "1")
		})},
		{name: "staff return", want: "The assistant is answering again", before: []string{"person"}, prepare: (*world).takeOver, elsewhere: staff(func(w *world, ctx context.Context, id string) error {
			return w.concierge.people.Return(ctx, id)
		})},
	}
	for i := range all {
		all[i].alone = true
	}
	return all
}

// then is what was said, and more.
func then(said []string, more ...string) []string { return slices.Concat(said, more) }

// staff is what people of the market do with a thread.
func staff(do func(w *world, ctx context.Context, thread string) error) func(*world, string) func(context.Context) error {
	return func(w *world, thread string) func(context.Context) error {
		return func(ctx context.Context) error { return do(w, ctx, thread) }
	}
}

// wordsTold has the stream bring what a business has written.
func (w *world) wordsTold(string) func(context.Context) error {
	said := w.relayed()
	return func(ctx context.Context) error {
		var errs []error
		for _, e := range said {
			errs = append(errs, w.post.Tell(ctx, e))
		}
		return errors.Join(errs...)
	}
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

// terms are what a business has said of when it is open, and what is sold out.
func (w *world) terms(listing string) string {
	w.t.Helper()
	l, err := w.listings.Get(w.t.Context(), w.market, listing)
	if err != nil {
		return "none" // in a market without it
	}
	text := fmt.Sprint(l.Hours.Days, l.Hours.Closed)
	for _, i := range l.Items {
		if i.SoldOut {
			text += " no " + i.ID
		}
	}
	return text
}

// missed has a business say, when a booking has begun, that nobody came to it.
func (w *world) missed(string) {
	w.t.Helper()
	w.clock.add(34 * time.Hour)
	w.arrive(nil, w.spoken(channel.WhatsApp, "missed", "meze: nobody came"))
	w.clock.add(time.Second)
}

// missedAndCame has a business say that nobody came, and then that they did.
func (w *world) missedAndCame(id string) {
	w.t.Helper()
	w.missed(id)
	for i, text := range []string{"meze: yes", "meze: they came"} {
		w.arrive(nil, w.spoken(channel.WhatsApp, fmt.Sprint("missed", i), text))
		w.clock.add(time.Second)
	}
}

// takenAtTheDesk is clerk, with a member of staff who takes the thread while it thinks.
func (w *world) takenAtTheDesk() llm.Model {
	healthy := *w.concierge.people
	return clerkWhile(func(ctx context.Context) {
		if err := healthy.Take(ctx, threadOf(w.last), actor.Actor{Kind: actor.Staff, ID: "dana"}); err != nil {
			w.t.Errorf("meanwhile: %v", err)
		}
	})
}

// assigned is a thread that staff have taken, of which nothing is told yet.
func (w *world) assigned(id string) {
	w.t.Helper()
	if err := w.concierge.people.Take(w.t.Context(), id, actor.Actor{Kind: actor.Staff, ID: "dana"}); err != nil {
		w.t.Fatal(err)
	}
}

// takeOver has staff take the thread.
func (w *world) takeOver(id string) {
	w.t.Helper()
	w.assigned(id)
	w.work()
}

// spoken is a message of ann's, or of bob or the business or driver whose name it begins with.
func (w *world) spoken(ch channel.Channel, id, text string) channel.Inbound {
	w.t.Helper()
	who, said, named := strings.Cut(text, ": ")
	switch {
	case !named:
		return w.from("ann", ch, id, text)
	case who == "bob":
		return w.from("bob", ch, id, said)
	}
	number, typ := w.phones[who], channel.Dispatch
	if sells := w.vendors.phones[who]; sells != "" {
		number, typ = sells, channel.Vendor
	}
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
	if strings.Contains(said, "{talk}") {
		said = strings.ReplaceAll(said, "{talk}", w.talk("1"))
	}
	in := channel.Inbound{
		Market: w.market, Channel: channel.WhatsApp, ThreadType: typ, ReplyAddr: number, Text: said, MessageID: id,
		From: channel.OfNumber(number), Switch: roster.SwitchOf(said), Beside: "th_as-a-customer",
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
		return !slices.Contains(w.businesses(), id) && !slices.Contains(w.threadsOfVendors(), id) && !slices.ContainsFunc(slices.Collect(maps.Values(w.phones)), func(number string) bool {
			return id == taxi.DriverThread(w.market, number, nil)
		})
	})
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
	s.Orders = append(s.Orders, w.counts("kebab"), w.terms("kebab"))
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
	if w.phones != nil {
		drivers, err := w.rides.Drivers.List(w.t.Context(), w.market)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range drivers {
			s.Rides = append(s.Rides, fmt.Sprintf("%s on %v", d.ID, d.Available))
		}
	}
	for _, m := range w.sent {
		if found := talkForm.FindStringSubmatch(m.Text); found != nil {
			ids = append(ids, found[1], "TALK")
		}
	}
	cases, err := w.concierge.people.List(w.t.Context(), w.market)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range cases {
		s.Desk = append(s.Desk, fmt.Sprintf("%s %q %q %q", c.Name, c.TakenBy, c.Reason, c.LetGo))
	}
	return ids
}
