package simulation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/order"
	"merve/internal/matter/taxi"
	"merve/internal/people/desk"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// ordered is an order with what happened to it.
type ordered struct {
	order.Order
	events []order.Event
}

// driven is a ride with what happened to it.
type driven struct {
	taxi.Ride
	events []taxi.Event
}

// errands reads all orders and rides of the customers.
func (j *judge) errands() {
	j.t.Helper()
	for _, s := range j.threads {
		if s.who.Role != "" {
			continue
		}
		for _, o := range all[order.Order](j, "orders#"+s.head.Owner, "order#") {
			j.orders = append(j.orders, ordered{o, all[order.Event](j, "orders#"+s.head.Owner, "event#"+o.ID+"#")})
		}
		for _, r := range all[taxi.Ride](j, "rides#"+s.head.Owner, "ride#") {
			j.rides = append(j.rides, driven{r, all[taxi.Event](j, "rides#"+s.head.Owner, "event#"+r.ID+"#")})
		}
	}
}

// all reads the items of a partition of table records, in the order of their times.
func all[T any](j *judge, pk, prefix string) []T {
	j.t.Helper()
	var found []T
	for after := ""; ; {
		page, err := j.healthy.Orders().Table.Query(j.t.Context(), dynamo.Query{
			Where: "pk = :pk AND begins_with(sk, :prefix)", Values: dynamo.V{":pk": pk, ":prefix": prefix}, After: after,
		})
		if err != nil {
			j.t.Fatal(err)
		}
		for _, it := range page.Items {
			var v T
			if err := it.Decode(&v); err != nil {
				j.t.Fatal(err)
			}
			found = append(found, v)
		}
		if after = page.Next; after == "" {
			return found
		}
	}
}

// spineOf is the thread of an owner.
func (j *judge) spineOf(id, owner string) (spine, bool) {
	at := slices.IndexFunc(j.threads, func(s spine) bool { return s.who.Thread == id && s.head.Owner == owner })
	if at < 0 {
		return spine{}, false
	}
	return j.threads[at], true
}

// settled finds, on a thread, the turn that asked by one of some tools and the turn that settled
// that, where both are as wanted.
func (s spine) settled(tools []string, wanted func(asked, settled thread.Turn) bool) (asked, settled thread.Turn, ok bool) {
	for _, turn := range s.turns {
		if turn.Settled != "" && turn.Settled == asked.Pending && wanted(asked, turn) {
			return asked, turn, true
		}
		if turn.Pending != "" {
			asked = thread.Turn{}
			if slices.ContainsFunc(turn.Calls, func(c thread.Call) bool { return c.Status == "proposed" && slices.Contains(tools, c.Name) }) {
				asked = turn
			}
		}
	}
	return thread.Turn{}, thread.Turn{}, false
}

// signed: what has a receipt was said YES to by its owner, on its thread, as it was shown there,
// after it was shown and before it was over.
func (j *judge) signed(what, threadID, owner, pending, message, hash, exact, by string, at, expires time.Time, tools ...string) {
	j.t.Helper()
	if hash != exact || by != owner || !at.Before(expires) {
		j.t.Errorf("%s: its receipt is for something else: of %s for %s at %s, want %s for %s before %s", what, by, hash, at, owner, exact, expires)
	}
	s, ok := j.spineOf(threadID, owner)
	if !ok {
		j.t.Errorf("%s belongs to no thread of its owner", what)
		return
	}
	asked, settled, ok := s.settled(tools, func(_, turn thread.Turn) bool { return turn.Settled == pending })
	if !ok {
		j.t.Errorf("%s: no turn of its owner's settled %q", what, pending)
		return
	}
	if !slices.ContainsFunc(settled.In, func(m thread.Message) bool { return m.ID == message }) {
		j.t.Errorf("%s: its receipt names message %q, and %d others settled it", what, message, len(settled.In))
	}
	j.saidYes(s, what, expires, asked, settled)
}

// tookBack: the owner has said YES to a cancellation about when it happened.
func (j *judge) tookBack(what, threadID, owner string, at time.Time, tool string) {
	j.t.Helper()
	s, _ := j.spineOf(threadID, owner)
	asked, settled, ok := s.settled([]string{tool}, func(_, turn thread.Turn) bool { return turn.At.Sub(at).Abs() <= 2*time.Minute+longestTurn })
	if !ok {
		j.t.Errorf("%s was taken back, and no turn of its owner's settled that", what)
		return
	}
	j.saidYes(s, what, time.Time{}, asked, settled)
}

// arrowsOfOrders are from where to where an event may take an order.
var arrowsOfOrders = map[order.EventType]struct {
	from []order.Status
	to   order.Status
}{
	order.PlacedEvent: {[]order.Status{order.Proposed}, order.Placed}, order.ReleasedEvent: {[]order.Status{order.Proposed}, order.Released},
	order.ExpiredEvent: {[]order.Status{order.Proposed}, order.Expired}, order.AcceptedEvent: {[]order.Status{order.Placed}, order.Accepted},
	order.RefusedEvent: {[]order.Status{order.Placed}, order.Refused}, order.UnansweredEvent: {[]order.Status{order.Placed}, order.Unanswered},
	order.DoneEvent: {[]order.Status{order.Accepted}, order.Done}, order.CancelledEvent: {[]order.Status{order.Placed, order.Accepted}, order.Cancelled},
}

var orderTools = []string{"orderFood", "bookService", "scheduleViewing"}

// placed: orders went along the arrows, by the words of those who may say so, at the listing's
// prices, and what is over is.
func (j *judge) placed() {
	j.t.Helper()
	for _, o := range j.orders {
		what := "order " + o.Code
		j.along(o)
		beyond := !slices.Contains([]order.Status{order.Proposed, order.Released, order.Expired}, o.Status)
		switch r := o.Receipt; {
		case beyond && r == nil:
			j.t.Errorf("%s is %s without a receipt", what, o.Status)
		case r != nil:
			j.signed(what, o.Thread, o.Owner, r.PendingID, r.MessageID, r.OfferHash, o.Hash(), r.Actor, r.At, o.ExpiresAt, orderTools...)
		}
		sum := o.FeeMinor
		for _, l := range o.Lines {
			sum += l.TotalMinor
			j.priced(what, l)
		}
		if sum != o.TotalMinor {
			j.t.Errorf("%s: total %d, want %d", what, o.TotalMinor, sum)
		}
		late := j.Now().Add(-16 * time.Minute)
		if o.Status == order.Proposed && o.ExpiresAt.Before(late) || o.Status == order.Placed && o.Kind == order.Food && o.When.IsZero() && o.UpdatedAt.Add(15*time.Minute).Before(late) {
			j.t.Errorf("%s is still %s, since %s", what, o.Status, o.UpdatedAt)
		}
		for _, e := range o.events {
			switch {
			case e.Type == order.CancelledEvent && e.Customer:
				j.tookBack(what, o.Thread, o.Owner, e.At, "cancelOrder")
			case e.Type == order.DoneEvent && e.Lapsed():
				if said := slices.MaxFunc([]time.Time{o.CreatedAt, o.When, o.ETA}, time.Time.Compare); e.At.Before(said.Add(24 * time.Hour)) {
					j.t.Errorf("%s was taken to be done at %s, and was for %s", what, e.At, said)
				}
			case slices.Contains([]order.EventType{order.AcceptedEvent, order.RefusedEvent, order.DoneEvent, order.CancelledEvent}, e.Type):
				j.answered(o, e)
			}
		}
	}
}

// priced holds a line to what the shop's menu says.
func (j *judge) priced(what string, line order.Line) {
	j.t.Helper()
	for _, l := range j.Shops {
		if at := slices.IndexFunc(l.Items, func(i listing.Item) bool { return i.ID == line.Item }); at >= 0 {
			price := l.Items[at].PriceMinor
			if slices.Contains(line.Options, "Large") {
				price += 150
			}
			if line.TotalMinor != price*int64(line.Quantity) {
				j.t.Errorf("%s: %d × %s for %d, want %d each", what, line.Quantity, line.Item, line.TotalMinor, price)
			}
		}
	}
}

// along: each event happened once, from where it may, and the last leads to where the order is.
func (j *judge) along(o ordered) {
	j.t.Helper()
	at, left := order.Status(""), slices.Clone(o.events)
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(e order.Event) bool { return e.From == at })
		if next < 0 {
			j.t.Errorf("order %s: is %s, and %v happened to it, too", o.Code, at, left)
			return
		}
		e := left[next]
		a := arrowsOfOrders[e.Type]
		switch {
		case e.Type == order.ProposedEvent && at == "":
			at = order.Proposed
		case !slices.Contains(a.from, at):
			j.t.Errorf("order %s: %s happened to it when it was %s", o.Code, e.Type, at)
			return
		default:
			at = a.to
		}
		left = slices.Delete(left, next, next+1)
	}
	if at != o.Status {
		j.t.Errorf("order %s is %s, and its events lead to %s", o.Code, o.Status, at)
	}
}

// answered: if an event says a business has answered, the business did, in its own words or by a YES.
func (j *judge) answered(o ordered, e order.Event) {
	j.t.Helper()
	s, ok := j.spineOf(thread.ID(Market, channel.Ops, "", e.By), e.By)
	if !ok || s.who.Phone != o.Merchant {
		j.t.Errorf("order %s: %s by %s, who is not its business", o.Code, e.Type, e.By)
		return
	}
	words := map[order.EventType][]string{
		order.AcceptedEvent: {"accept"}, order.RefusedEvent: {"refuse", "cancel"}, order.DoneEvent: {"done"}, order.CancelledEvent: {"cancel", "refuse"},
	}[e.Type]
	if slices.ContainsFunc(s.who.Said, func(said *Said) bool {
		return slices.Contains(words, said.Answer) && !said.First.After(e.At) && j.mayMean(said, o.Code)
	}) {
		return
	}
	if asked, settled, ok := s.settled([]string{"answerOrder"}, func(asked, turn thread.Turn) bool { return strings.Contains(textOf(asked), o.Code) }); ok {
		j.saidYes(s, "the answer to order "+o.Code, time.Time{}, asked, settled)
		return
	}
	j.t.Errorf("order %s: %s, and its business has not said so", o.Code, e.Type)
}

// carried: a ride was ordered by a YES; each time one driver had it, who was asked and said YES;
// and a driver had one ride at a time.
func (j *judge) carried() {
	j.t.Helper()
	had := map[string][]span{}
	for _, r := range j.rides {
		what := "ride " + r.Code
		switch {
		case r.Receipt != nil:
			j.signed(what, r.Thread, r.Owner, r.Receipt.PendingID, r.Receipt.MessageID, r.Receipt.OfferHash, r.Hash, r.Receipt.Actor, r.Receipt.At, r.ExpiresAt, "requestTaxi")
		case !slices.Contains([]taxi.Status{taxi.Proposed, taxi.Released, taxi.Expired}, r.Status):
			j.t.Errorf("%s is %s without a receipt", what, r.Status)
		}
		for driver, spans := range j.course(r) {
			had[driver] = append(had[driver], spans...)
		}
		if r.Status == taxi.Proposed && r.ExpiresAt.Add(16*time.Minute).Before(j.Now()) || r.Status == taxi.Requested && r.When.IsZero() && r.UpdatedAt.Add(16*time.Minute).Before(j.Now()) {
			j.t.Errorf("%s is still %s, since %s", what, r.Status, r.UpdatedAt)
		}
	}
	for driver, spans := range had {
		for i, a := range spans {
			for _, b := range spans[:i] {
				if (b.to.IsZero() || a.from.Before(b.to)) && (a.to.IsZero() || b.from.Before(a.to)) && !a.from.Equal(a.to) && !b.from.Equal(b.to) {
					j.t.Errorf("driver %s had two rides at once: %v and %v", driver, a, b)
				}
			}
		}
	}
}

// course follows a ride through its events, and tells when which driver had it.
func (j *judge) course(r driven) map[string][]span {
	j.t.Helper()
	had := map[string][]span{}
	one := func(typ taxi.EventType, attempt int) (taxi.Event, bool) {
		at := slices.IndexFunc(r.events, func(e taxi.Event) bool { return e.Type == typ && (attempt < 0 || e.Attempt == attempt) })
		if at < 0 {
			return taxi.Event{}, false
		}
		return r.events[at], true
	}
	ends := slices.DeleteFunc(slices.Clone(r.events), func(e taxi.Event) bool {
		return !slices.Contains([]taxi.EventType{taxi.ReleasedEvent, taxi.ExpiredEvent, taxi.DoneEvent, taxi.CancelledEvent, taxi.UnservedEvent}, e.Type)
	})
	if len(ends) > 1 || len(ends) == 1 && (string(ends[0].Type) != string(r.Status)) || len(ends) == 0 && !r.Status.Open() && r.Status != taxi.Proposed {
		j.t.Errorf("ride %s is %s, and ended so: %v", r.Code, r.Status, ends)
	}
	requested, ok := one(taxi.RequestedEvent, -1)
	for _, e := range r.events {
		switch e.Type {
		case taxi.OfferedEvent:
			if !ok || r.Receipt == nil || e.At.Before(requested.At) || e.Attempt > taxi.MaxAttempts {
				j.t.Errorf("ride %s was offered to %v, attempt %d, and asked for: %v", r.Code, e.Drivers, e.Attempt, ok)
			}
		case taxi.AssignedEvent:
			s := span{from: e.At}
			if w, ok := one(taxi.WithdrawnEvent, e.Attempt); ok {
				s.to = w.At
			} else if len(ends) > 0 {
				s.to = ends[0].At
			}
			had[e.Driver] = append(had[e.Driver], s)
			if offer, ok := one(taxi.OfferedEvent, e.Attempt); !ok || !slices.Contains(offer.Drivers, e.Driver) {
				j.t.Errorf("ride %s was given to %s, who was not asked", r.Code, e.Driver)
			}
			j.drove(r, e, "yes")
		case taxi.WithdrawnEvent, taxi.ArrivedEvent:
			if a, ok := one(taxi.AssignedEvent, e.Attempt); !ok || a.Driver != e.Driver || e.At.Before(a.At) {
				j.t.Errorf("ride %s: %s by %s, who had it not", r.Code, e.Type, e.Driver)
			}
			j.drove(r, e, map[taxi.EventType]string{taxi.WithdrawnEvent: "cancel", taxi.ArrivedEvent: "arrived"}[e.Type])
		case taxi.CancelledEvent:
			j.tookBack("ride "+r.Code, r.Thread, r.Owner, e.At, "cancelTaxi")
		}
	}
	if (r.Status == taxi.Assigned || r.Status == taxi.Arrived) != (r.Driver != nil && r.Status.Open()) {
		j.t.Errorf("ride %s is %s with %v", r.Code, r.Status, r.Driver)
	}
	return had
}

// mayMean reports whether something said may be about what has a code: it names that, or nothing else.
func (j *judge) mayMean(s *Said, code string) bool {
	return strings.Contains(s.Text, code) ||
		!slices.ContainsFunc(j.orders, func(o ordered) bool { return strings.Contains(s.Text, o.Code) }) &&
			!slices.ContainsFunc(j.rides, func(r driven) bool { return strings.Contains(s.Text, r.Code) })
}

// drove: the driver has said so.
func (j *judge) drove(r driven, e taxi.Event, word string) {
	j.t.Helper()
	for _, c := range j.Others {
		if driverID(c.Name) == e.Driver && slices.ContainsFunc(c.Said, func(s *Said) bool { return s.Answer == word && !s.First.After(e.At) && j.mayMean(s, r.Code) }) {
			return
		}
	}
	j.t.Errorf("ride %s: %s by %s, who has not said so", r.Code, e.Type, e.Driver)
}

// moved: a booking that takes another's place was confirmed when that ended, and only then.
func (j *judge) moved() {
	j.t.Helper()
	for _, h := range j.history {
		if h.Transaction.Replaces == "" || h.Transaction.ConfirmedAt.IsZero() {
			continue
		}
		old := slices.IndexFunc(j.history, func(o ledger.History) bool { return o.Transaction.ID == h.Transaction.Replaces })
		if old < 0 || j.history[old].Transaction.State != ledger.Cancelled || j.history[old].Transaction.ConfirmedAt.IsZero() {
			j.t.Errorf("booking %s and the one that it replaces are both there", h.Transaction.Code)
		}
	}
}

// replacement is the booking that has taken the place of one, if there is any.
func (j *judge) replacement(tx ledger.Transaction) (ledger.History, bool) {
	at := slices.IndexFunc(j.history, func(h ledger.History) bool {
		return h.Transaction.Replaces == tx.ID && !h.Transaction.ConfirmedAt.IsZero()
	})
	if at < 0 {
		return ledger.History{}, false
	}
	return j.history[at], true
}

// sidOf is the approved template of an event.
func sidOf(event string) string {
	for _, a := range approved {
		if a.event == event {
			return a.sid
		}
	}
	return ""
}

// heard counts what somebody was told by a template about a code. What the template leaves out stands behind its last
// variable, which may be the code.
func heard(ms []outbox.Message, to, sid, code string) int {
	n := 0
	for _, m := range ms {
		if m.To == to && m.Template != nil && m.Template.ContentSID == sid && strings.HasPrefix(m.Template.Vars["1"]+" · ", code+" · ") {
			n++
		}
	}
	return n
}

// heardOfOrders: each event is told once to each whom it is for, and nobody hears of what nobody
// has said YES to.
func (j *judge) heardOfOrders() {
	j.t.Helper()
	for _, o := range j.orders {
		first := map[order.Kind]string{order.Food: "merchant_order_placed", order.Service: "merchant_service_placed", order.Viewing: "merchant_viewing_placed"}[o.Kind]
		want := map[string]int{first: 0, "merchant_order_cancelled": 0, "merchant_order_unanswered": 0}
		customer := map[string]int{}
		for _, e := range o.events {
			switch e.Type {
			case order.PlacedEvent:
				want[first]++
			case order.UnansweredEvent:
				want["merchant_order_unanswered"]++
				customer["order_unanswered"]++
			case order.CancelledEvent:
				if e.Customer {
					want["merchant_order_cancelled"]++
				} else {
					customer["order_cancelled_by_business"]++
				}
			case order.DoneEvent:
				if !e.Lapsed() {
					customer["order_done"]++
				}
			case order.AcceptedEvent, order.RefusedEvent, order.ExpiredEvent:
				customer["order_"+string(e.Type)]++
			}
		}
		for event, n := range want {
			if got := heard(j.outgoing, o.Merchant, sidOf(event), o.Code); got != n {
				j.t.Errorf("order %s: its business was told %d times of %s, which happened %d times", o.Code, got, event, n)
			}
		}
		j.noticed("order "+o.Code, o.Thread, o.Owner, o.ID, customer)
	}
}

// noticed: the customer's thread has each notice about something once.
func (j *judge) noticed(what, threadID, owner, ref string, want map[string]int) {
	j.t.Helper()
	s, _ := j.spineOf(threadID, owner)
	got := map[string]int{}
	for _, turn := range s.turns {
		for _, m := range turn.In {
			if m.Notice != nil && m.Notice.Ref == ref {
				got[m.Notice.Kind]++
			}
		}
	}
	for _, kinds := range []map[string]int{got, want} {
		for kind := range kinds {
			if got[kind] != want[kind] {
				j.t.Errorf("%s: its customer was told %d times of %s, which happened %d times", what, got[kind], kind, want[kind])
			}
		}
	}
}

// heardOfRides: drivers hear of the rides that they were asked about, once each time; who came
// too late is told so; the customer is told of each end once.
func (j *judge) heardOfRides() {
	j.t.Helper()
	for _, r := range j.rides {
		most := map[string]int{} // by number and template
		ends := map[string]int{}
		for _, e := range r.events {
			switch e.Type {
			case taxi.OfferedEvent:
				for _, d := range e.Drivers {
					most[j.phoneOf(d)+approvedOffer]++
				}
			case taxi.AssignedEvent:
				most[j.phoneOf(e.Driver)+approvedPickup]++
				for _, d := range e.Drivers {
					most[j.phoneOf(d)+approvedTaken]++
				}
			case taxi.CancelledEvent:
				if e.Driver != "" {
					most[j.phoneOf(e.Driver)+approvedNoRide]++
					if got := heard(j.outgoing, j.phoneOf(e.Driver), approvedNoRide, r.Code); got != 1 {
						j.t.Errorf("ride %s: its driver was told %d times that it is no more", r.Code, got)
					}
				}
			case taxi.DoneEvent, taxi.UnservedEvent, taxi.ExpiredEvent:
				ends["taxi_"+string(e.Type)]++
			}
		}
		for _, c := range j.Others {
			for _, sid := range []string{approvedOffer, approvedPickup, approvedTaken, approvedNoRide} {
				if got, want := heard(j.outgoing, c.Phone, sid, r.Code), most[c.Phone+sid]; got > want {
					j.t.Errorf("ride %s: %s was told %d times of what happened %d times (%s)", r.Code, c.Name, got, want, sid)
				}
			}
		}
		j.noticed("ride "+r.Code, r.Thread, r.Owner, r.ID, ends)
		if d := r.Driver; d != nil && (r.Status == taxi.Assigned || r.Status == taxi.Arrived) && heard(j.outgoing, d.Phone, approvedPickup, r.Code) == 0 {
			j.t.Errorf("ride %s: its driver does not know whom to drive", r.Code)
		}
	}
}

func (j *judge) phoneOf(driver string) string {
	for _, c := range j.Others {
		if driverID(c.Name) == driver && c.Role == Driver {
			return c.Phone
		}
	}
	return ""
}

var aCode = regexp.MustCompile(`\b[A-Z2-9]{4}\b`)

// discreet: no business or driver has read of a customer, or of an order or ride, that is not
// theirs to know: of what they were told of after a YES. What Twilio took is what they have read.
func (j *judge) discreet() {
	j.t.Helper()
	for _, m := range j.twilio.Messages() {
		at := slices.IndexFunc(j.Others, func(c *Customer) bool { return c.Phone == m.To })
		if at < 0 {
			continue
		}
		who := j.Others[at]
		for _, c := range j.Customers {
			if strings.Contains(m.Body, c.Canary) && !j.knows(who, c) {
				j.t.Errorf("%s has read of %s, who has nothing to do with them: %s", who.Name, c.Name, m.Body)
			}
			if who.Role == Driver && strings.Contains(m.Body, phoneFor(c)) && !j.drives(who, c) {
				j.t.Errorf("driver %s has read the number of %s, whom they have never driven: %s", who.Name, c.Name, m.Body)
			}
		}
		for _, code := range aCode.FindAllString(m.Body, -1) {
			if slices.ContainsFunc(who.Said, func(s *Said) bool { return strings.Contains(s.Text, code) }) {
				continue // their own word
			}
			if what := j.hidden(who, code); what != "" {
				j.t.Errorf("%s has read of %s: %s", who.Name, what, m.Body)
			}
		}
	}
}

// knows reports whether a business or driver may know of a customer.
func (j *judge) knows(who, c *Customer) bool {
	return slices.ContainsFunc(j.orders, func(o ordered) bool { return o.Owner == c.Owner && o.Merchant == who.Phone && o.Receipt != nil }) ||
		slices.ContainsFunc(j.history, func(h ledger.History) bool {
			return h.Transaction.Owner == c.Owner && h.Transaction.Merchant == who.Phone && h.Receipt != nil
		}) || j.drives(who, c) || j.wasAsked(who, c) || slices.ContainsFunc(j.free, func(f free) bool { return f.from == c.Owner && f.to == who.Phone })
}

// drives reports whether a driver has, or had, a ride of a customer.
func (j *judge) drives(who, c *Customer) bool {
	return slices.ContainsFunc(j.rides, func(r driven) bool {
		return r.Owner == c.Owner && slices.ContainsFunc(r.events, func(e taxi.Event) bool { return e.Type == taxi.AssignedEvent && e.Driver == driverID(who.Name) })
	})
}

// hidden names the order or ride that a code stands for, if it does not belong to who.
func (j *judge) hidden(who *Customer, code string) string {
	what := ""
	for _, o := range j.orders {
		if o.Code == code {
			if o.Merchant == who.Phone && o.Receipt != nil {
				return ""
			}
			what = fmt.Sprintf("order %s of %s, receipt %v", code, o.Listing, o.Receipt != nil)
		}
	}
	for _, r := range j.rides {
		if r.Code == code {
			if who.Role == Driver && r.Receipt != nil {
				return ""
			}
			what = "ride " + code
		}
	}
	return what
}

// free is a message that a customer had sent to a business.
type free struct{ from, to string }

// freely: what customers write to businesses goes out after a YES to it, once.
func (j *judge) freely() {
	j.t.Helper()
	for _, m := range j.outgoing {
		pending, ok := strings.CutPrefix(m.ID, "message.")
		if !ok {
			continue
		}
		found := false
		for _, s := range j.threads {
			asked, settled, ok := s.settled([]string{"sendWhatsAppMessage"}, func(_, turn thread.Turn) bool { return turn.Settled == pending })
			if ok {
				found = true
				j.free = append(j.free, free{s.head.Owner, m.To})
				j.saidYes(s, "message "+m.ID, time.Time{}, asked, settled)
			}
		}
		if !found {
			j.t.Errorf("message %s went to a business, and no customer has said YES to it", m.ID)
		}
	}
}

// passedOn: what a business wrote reached the customer of its own matter, as a quotation and once,
// and nothing is quoted that it has not written or said YES to.
func (j *judge) passedOn() {
	j.t.Helper()
	for _, shop := range j.Shops {
		for _, e := range all[relay.Event](j, "talk#"+Market+"#"+shop.Business, "event#said#") {
			s := slices.IndexFunc(j.threads, func(s spine) bool { return s.head.ID == e.From && s.who.Phone == shop.Merve.WhatsApp })
			if s < 0 || !slices.ContainsFunc(j.threads[s].turns, func(t thread.Turn) bool {
				return t.Settled == e.ID || slices.ContainsFunc(t.In, func(m thread.Message) bool { return m.ID == e.ID })
			}) {
				j.t.Errorf("%q was passed on, and %s has not said it", e.Words, shop.ID)
			}
			theirs := slices.ContainsFunc(j.orders, func(o ordered) bool {
				return o.Code == e.Code && o.Business == shop.Business && o.Thread == e.Thread && o.Receipt != nil
			}) || e.Talk && slices.ContainsFunc(j.free, func(f free) bool {
				return thread.ID(Market, channel.General, "", f.from) == e.Thread && f.to == shop.Merve.WhatsApp
			})
			if !theirs {
				j.t.Errorf("%s wrote to a customer about %s, which is not between the two", shop.ID, e.Code)
			}
			told := 0
			for _, s := range j.threads {
				for _, turn := range s.turns {
					for _, m := range turn.In {
						if m.ID == thread.MessageID(s.head.ID, "notice", "relay."+e.ID) {
							told++
							if s.head.ID != e.Thread || len(turn.In) != 1 || len(turn.Out) != 1 || !strings.Contains(turn.Out[0].Text, "\n> ") {
								j.t.Errorf("%s was told %q among other things, or not as a quotation", s.who.Name, e.Words)
							}
						}
					}
				}
			}
			if told != 1 {
				j.t.Errorf("%q of %s was told %d times", e.Words, shop.ID, told)
			}
		}
	}
}

// changed: a shop was changed as often at most as its people have said YES to a change.
func (j *judge) changed() {
	j.t.Helper()
	for i, shop := range j.Shops {
		l, err := j.healthy.Listings().Get(j.t.Context(), Market, shop.ID)
		if err != nil {
			j.t.Fatal(err)
		}
		yeses := 0
		for _, s := range j.threads {
			if s.who.Phone == shop.Merve.WhatsApp {
				for n, turn := range s.turns {
					if turn.Settled != "" && slices.ContainsFunc(turn.In, func(m thread.Message) bool { return j.means(s, m) == Yes }) && n > 0 {
						yeses++
					}
				}
			}
		}
		if n := l.Version - j.versions[i]; n > yeses {
			j.t.Errorf("%s was changed %d times, and its people said YES %d times", shop.ID, n, yeses)
		}
	}
}

// counted: what is held of a counted item is what open orders hold of it, and nothing was taken
// that was not there.
func (j *judge) counted() {
	j.t.Helper()
	for _, shop := range j.Shops {
		held := map[string]int{}
		for _, o := range j.orders {
			if o.Listing == shop.ID && o.Stands() {
				for item, n := range o.Counted {
					held[item] += n
				}
			}
		}
		counts, err := j.healthy.Orders().Stock.Of(j.t.Context(), Market, shop.ID)
		if err != nil {
			j.t.Fatal(err)
		}
		for item, n := range held {
			if counts[item].Held != n {
				j.t.Errorf("%s: orders hold %d of %s, and %d are held", shop.ID, n, item, counts[item].Held)
			}
		}
		for item, c := range counts {
			if c.Left < 0 || c.Held != held[item] || c.Sold < 0 || c.Total != c.Left+c.Held+c.Sold {
				j.t.Errorf("%s: %+v, and orders hold %d", shop.ID, c, held[item])
			}
		}
	}
}

// means is what the sender of a message meant by it.
func (j *judge) means(s spine, m thread.Message) Meaning {
	for _, said := range s.who.Said {
		if j.messageID(s.who, said) == m.ID {
			return said.Means
		}
	}
	return Neither
}

// commanded reports whether a turn did what a business or a driver said of their work, by its code or
// below what told them of it, without a model.
func (j *judge) commanded(s spine, turn thread.Turn) bool {
	if !s.head.Type.IsWork() || len(turn.In) != 1 || len(turn.Calls) > 0 {
		return false
	}
	m := turn.In[0]
	return taxi.Coded(m.Text) || order.Coded(m.Text) || relay.Coded(m.Text) ||
		m.ReplyTo != "" && slices.ContainsFunc(j.outgoing, func(o outbox.Message) bool { return o.ProviderID == m.ReplyTo && o.About != "" })
}

// quiet: while a person has a thread, the assistant answers nothing on it but STOP and START, what names something of the
// work of who writes, and the first YES or NO to what was let go of for the person, which it tells, too; and the desk is
// told once each time that one is asked for.
func (j *judge) quiet() {
	j.t.Helper()
	for _, s := range j.threads {
		var asked time.Time      // since when a person is awaited; zero is not
		handed, owed := 0, false // owed is the answer to a YES or NO to what was let go of
		for _, turn := range s.turns {
			said := slices.ContainsFunc(turn.In, func(m thread.Message) bool { return m.Notice == nil }) &&
				gate.OptOut(turn.In[len(turn.In)-1].Text) == gate.None
			if slices.ContainsFunc(s.who.returned, func(at time.Time) bool { return !asked.IsZero() && !at.Before(asked) && !at.After(turn.At) }) {
				asked = time.Time{}
			}
			had := slices.ContainsFunc(s.who.held, func(p span) bool { return p.holds(turn.At) })
			answers := slices.ContainsFunc(turn.In, func(m thread.Message) bool { return m.Button != "" || gate.Read(m.Text) != gate.Unclear })
			letsGo := turn.Settled != ""
			if said && len(turn.Out) > 0 && (had || !asked.IsZero()) && !j.commanded(s, turn) && !letsGo && (!owed || !answers) {
				j.t.Errorf("%s was answered %q while a person had the thread", s.who.Name, textOf(turn))
			}
			if len(turn.Out) > 0 && slices.ContainsFunc(turn.Calls, func(c thread.Call) bool { return c.Name == "askForPerson" && c.Status == "ok" }) {
				asked = turn.At
				handed++
				j.reached(s, turn)
			}
			owed = letsGo || owed && !(answers && len(turn.Out) > 0) // at the edges it is not known who had the thread
			j.news(s, turn)
		}
		told := 0
		for _, m := range j.outgoing {
			if m.To == deskNumber && strings.HasPrefix(m.ID, s.who.Thread+".") {
				told++
			}
		}
		if told != handed {
			j.t.Errorf("the desk was told %d times that %s waits, who asked %d times", told, s.who.Name, handed)
		}
	}
	j.desk()
}

// reached: a customer who asks for a person is told so, even if somebody has taken the thread by then.
func (j *judge) reached(s spine, turn thread.Turn) {
	j.t.Helper()
	for _, m := range j.stored[s.who.Thread] {
		if m.ID == fmt.Sprintf("turn%08d-0", turn.N) && m.Status == outbox.Failed && m.Error == string(thread.TakenOver) {
			j.t.Errorf("%s asked for a person and was not told that one comes", s.who.Name)
		}
	}
}

// news: the customer hears what has happened, and what their YES or NO has done, even if somebody has taken the
// thread by then. Text that asks something is the exception. Nothing else goes out as news.
func (j *judge) news(s spine, turn thread.Turn) {
	j.t.Helper()
	if s.who.Role != "" {
		return
	}
	happened := !slices.ContainsFunc(turn.In, func(m thread.Message) bool { return m.Notice == nil })
	answered := turn.Settled != "" && !slices.ContainsFunc(turn.In, func(m thread.Message) bool {
		return m.Button == "" && gate.Read(m.Text) == gate.Unclear
	})
	of := slices.DeleteFunc(slices.Clone(j.stored[s.who.Thread]), func(m outbox.Message) bool {
		return !strings.HasPrefix(m.ID, fmt.Sprintf("turn%08d-", turn.N))
	})
	asks := slices.ContainsFunc(of, func(m outbox.Message) bool { return m.Pending != "" })
	for _, m := range of {
		if (happened || answered) && !asks && m.Error == string(thread.TakenOver) {
			j.t.Errorf("%s was not told what happened, as a person had the thread: %q", s.who.Name, m.Text)
		}
		if m.News && (asks || !happened && turn.Settled == "") {
			j.t.Errorf("%s was told as news what is none: %q", s.who.Name, m.Text)
		}
	}
}

// desk: a thread stands on the desk just when a person has it.
func (j *judge) desk() {
	j.t.Helper()
	cases := map[string]bool{}
	for _, c := range all[desk.Case](j, "desk#"+Market, "thread#") {
		cases[c.Thread] = !c.Returned
	}
	for _, s := range j.threads {
		if s.who.Role == "" && cases[s.who.Thread] != (s.head.Handler == thread.ByPerson) {
			j.t.Errorf("%s: on the desk %v, answered by %q", s.who.Name, cases[s.who.Thread], s.head.Handler)
		}
	}
}

// addressOf is the thread on which somebody with a number is told things.
func addressOf(typ channel.ThreadType, phone string) string {
	return thread.ID(Market, typ, "", actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone}.Key())
}
