package rulemodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// booker leads to a booking, in the languages of the market.
type booker struct {
	turn
	m *memory // nil before the conversation was heard
}

func (c *conversation) booker() booker {
	b := booker{turn: turn{conversation: c, v: voiceIn("market", c.tongue), absent: "cannot"}}
	b.wrong = func(*failure) reply { return say(b.v["away"]) }
	return b
}

// small are the sentences that answer what needs nothing else.
var small = map[goal]string{bow: "thanks", leave: "bye", chat: "wellAndYou", data: "cannot toPerson", agree: "nothingOpen", person: "person",
	drop: "dropped", decline: "declined"}

// decide comes to the next step of the turn: a call, or words.
func (b booker) decide() reply {
	if b.text == "" && !b.introduced {
		return b.greet()
	}
	g, next := b.listen()
	if next != nil {
		return *next
	}
	if b.introduced {
		g = book
	}
	if names := small[g]; names != "" {
		return say(b.v.sentences(names))
	}
	switch g {
	case greet:
		return b.greet()
	case explain:
		return say(b.v["standIn"] + ". " + b.canDo())
	case assist:
		return say(b.canDo())
	case offSubject:
		return say(b.v["cannot"] + " " + b.canDo())
	case find:
		return b.search()
	case book:
		return b.book()
	case inspect:
		return b.inspect()
	case bookings:
		return b.bookings()
	case cancel:
		return b.cancel()
	}
	if b.m.busy() {
		return say(b.foreign() + b.v["unclear"] + " " + b.ask())
	}
	return say(b.foreign() + b.v["unclear"] + " " + b.canDo())
}

// foreign is what one is told who writes another language.
func (b booker) foreign() string {
	if b.tongue == "" || voices("market")[b.tongue] != nil {
		return ""
	}
	return b.v["onlyThese"] + " "
}

// listen hears the whole conversation. Where what was shown is not at hand any more, it
// returns the call that gets it back.
func (b *booker) listen() (goal, *reply) {
	past := b.remember(nil)
	m := *past
	b.m = &m
	g := m.hear(b.text)
	if past.lost() && (g == book || g == inspect || g == find || g == unclear) {
		f, next := b.find(past.asked)
		if next != nil {
			return g, next
		}
		b.m = b.remember(f.listings)
		g = b.m.hear(b.text)
	}
	if b.m.busy() && b.m.chosen.brief && (g == book || g == inspect || g == unclear) && len(b.called("getListing")) == 0 {
		return g, b.call("getListing", map[string]any{"listingId": b.m.chosen.id}) // only its name is remembered
	}
	return g, nil
}

func (b booker) greet() reply {
	if b.honest {
		return say(b.v["hello"] + " " + b.foreign() + b.canDo())
	}
	return say(b.v["hello"] + " " + b.v["standIn"] + ". " + b.foreign() + b.canDo())
}

// canDo is what can be asked for here.
func (b booker) canDo() string {
	if b.offered["orderFood"] == nil {
		return b.v["canBook"]
	}
	return b.v["canBook"] + " " + b.v["also"]
}

// search shows what was found, or goes on with it when it can only be the one.
func (b booker) search() reply {
	f, next := b.find(b.m.asked)
	switch {
	case next != nil:
		return *next
	case b.offered[createRequest] != nil && forVendors(newLine(b.text).whole, f.listings):
		t := b.trade()
		return t.must(createRequest, t.wanted()) // what no listing offers, a vendor may have
	case len(f.listings) == 0:
		return say(b.foreign() + fmt.Sprintf(b.v["noneFound"], b.m.asked.wanted()) + " " + b.v["tryThis"])
	case f.other && f.query == b.m.asked.wanted():
		return say(b.v.listings(b.beyond(f)+fmt.Sprintf(b.v["similar"], f.query), f.listings))
	case f.other:
		return say(b.beyond(f) + fmt.Sprintf(b.v["noneFound"], b.m.asked.wanted()) + " " + b.v.listings(fmt.Sprintf(b.v["results"], f.query), f.listings))
	case f.beyond:
		return say(b.v.listings(b.beyond(f)+fmt.Sprintf(b.v["results"], b.m.asked.wanted()), f.listings))
	}
	b.m.learn(result{tool: "searchMarketplace", listings: f.listings})
	if b.m.chosen == nil {
		return say(b.v.listings(fmt.Sprintf(b.v["results"], b.m.asked.wanted()), f.listings))
	}
	if b.m.asked.detail {
		return b.inspect()
	}
	return b.book()
}

// beyond says that what was found is dearer than was asked for, or closed now.
func (b booker) beyond(f found) string {
	switch {
	case !f.beyond:
		return ""
	case b.m.asked.open:
		return b.v["noneOpen"] + " "
	}
	return b.v["noneSoCheap"] + " "
}

// book goes on with the booking: it asks for what is missing, then proposes.
func (b booker) book() reply {
	if b.m.chosen == nil {
		if len(b.m.list) == 0 {
			return say(b.v["what"])
		}
		return say(b.v.listings(fmt.Sprintf(b.v["results"], wanted(b.m)), b.m.list))
	}
	if r, done := b.proposed(); done {
		return b.conclude(r)
	}
	if b.m.question() == asksNothing {
		if next := b.call("initiateBooking", b.proposal(b.m)); next != nil {
			return *next
		}
		return say(b.v["cannot"])
	}
	if b.m.justNow && !b.m.chosen.detailed && len(b.called("getListing")) == 0 {
		if next := b.call("getListing", map[string]any{"listingId": b.m.chosen.id}); next != nil {
			return *next
		}
	}
	return say(b.ask())
}

// proposed returns the result of proposing just this in this turn.
func (b booker) proposed() (result, bool) {
	for n, r := range b.called("initiateBooking") {
		same := true
		for name, v := range b.m.proposal() {
			same = same && (r.args[name] == nil || fmt.Sprint(r.args[name]) == fmt.Sprint(v))
		}
		if same || n > 0 { // one change of mind within a turn is enough
			return r, true
		}
	}
	return result{}, false
}

func wanted(m *memory) string {
	if m.asked == nil {
		return "…"
	}
	return m.asked.wanted()
}

// ask puts the next question, with what helps to answer it.
func (b booker) ask() string {
	head := ""
	if b.m.justNow {
		head = b.v.listing(*b.m.chosen) + ".\n"
		if b.m.sole {
			head = fmt.Sprintf(b.v["foundOne"], b.v.listing(*b.m.chosen)) + "\n"
		}
	}
	switch b.m.question() {
	case askSlot:
		return b.v.slots(b.v["taken"], b.m.alternatives)
	case askOffering:
		return head + b.v.offerings(*b.m.chosen)
	case askDate:
		if b.m.stays() {
			return head + b.freeSlots() + b.v["date arrive"]
		}
		return head + b.freeSlots() + b.v["date"]
	case askTime:
		return head + b.freeSlots() + fmt.Sprintf(b.v["time"], b.v.date(b.m.date))
	case askNights:
		if b.m.offering().unit == "day" {
			return head + b.v["nights days"]
		}
		return head + b.v["nights"]
	case askParty:
		return head + b.v["party"]
	case askWhich:
		return b.v.listings(fmt.Sprintf(b.v["results"], wanted(b.m)), b.m.list)
	}
	return b.v["what"]
}

// freeSlots says when the offering can be had, on the day wanted if one is.
func (b booker) freeSlots() string {
	o := b.m.offering()
	if o == nil {
		return ""
	}
	var said []string
	for _, s := range o.free {
		if len(said) < shownSlots && (b.m.date.IsZero() || s.date == b.m.date.Format(time.DateOnly)) {
			said = append(said, b.v.slot(s))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return b.v["free"] + " " + strings.Join(said, ", ") + ".\n"
}

// conclude answers a proposal that was made, or says what can be had instead.
func (b booker) conclude(r result) reply {
	if r.failed == nil {
		return say(b.v["proposed"])
	}
	if r.failed.field == "name" || r.failed.field == "phone" {
		return say(b.v["contact"])
	}
	b.m.learn(r)
	reason := b.v["taken"]
	switch r.failed.kind {
	case "unavailable", "internal":
		return say(b.v["away"])
	case "limited":
		return say(fmt.Sprintf(b.v["refused"], clean(r.failed.message, 300)))
	case "not_found", "forbidden":
		return say(b.v["gone"] + " " + b.v["what"])
	}
	if len(b.m.alternatives) > 0 {
		return say(strings.TrimSpace(b.v.slots(reason, b.m.alternatives) + " " + b.listOffer(r)))
	}
	if wait := b.listOffer(r); wait != "" {
		return say(b.v["taken"] + " " + wait)
	}
	if r.failed.message != "" {
		reason = fmt.Sprintf(b.v["refused"], clean(r.failed.message, 300))
	}
	if b.m.question() == asksNothing { // nothing was said to be wrong but the whole
		b.m.date, b.m.end, b.m.clock = time.Time{}, time.Time{}, nil
	}
	b.m.justNow = false
	return say(reason + " " + b.ask())
}

// inspect tells more about a listing.
func (b booker) inspect() reply {
	if b.m.chosen == nil {
		return b.book()
	}
	if _, known := b.details[b.m.chosen.id]; !known {
		if _, next := b.got("getListing", map[string]any{"listingId": b.m.chosen.id}); next != nil {
			return *next
		}
	}
	b.m.justNow = false
	if d, known := b.details[b.m.chosen.id]; known {
		b.m.detail(d)
	}
	l := *b.m.chosen
	lines := []string{b.v.listing(l)}
	if facts := b.v.facts(l, newLine(b.text).whole); len(facts) > 0 {
		return say(strings.Join(append(append(lines, facts...), b.ask()), "\n"))
	}
	if l.description != "" && !b.plain {
		lines = append(lines, "“"+clean(l.description, 300)+"”") // the merchant's words, not ours
	}
	if b.m.question() != askOffering {
		for _, o := range l.offerings[:min(len(l.offerings), shownListings)] {
			lines = append(lines, "• "+b.v.offering(o))
		}
	}
	return say(strings.Join(append(lines, b.ask()), "\n"))
}

// bookings shows the customer's own.
func (b booker) bookings() reply {
	r, next := b.got("getMyBookings", nil)
	if next != nil {
		return *next
	}
	live := slices.DeleteFunc(slices.Clone(r.bookings), func(b booking) bool { return gone(b) })
	if len(live) == 0 {
		return say(b.v["noneOfMine"])
	}
	return say(strings.TrimSuffix(b.v.bookings(b.v["mine"], live, ""), "\n"))
}

// gone reports whether a booking no longer stands.
func gone(b booking) bool {
	return b.id == "" || slices.Contains([]string{"cancelled", "expired", "draft"}, b.status)
}

func (v voice) bookings(head string, bs []booking, tail string) string {
	return enumerate(head, min(len(bs), 2*shownListings), func(i int) string {
		b := bs[i]
		parts := []string{clean(b.summary, 200)}
		if b.code != "" {
			parts = append(parts, clean(b.code, 40))
		}
		if s := cmp.Or(v["booking "+b.status], b.status); s != "" {
			parts = append(parts, clean(s, 40))
		}
		return strings.Join(parts, " · ")
	}, tail)
}

// cancel finds the booking that is meant and asks for its cancellation.
func (b booker) cancel() reply {
	if done := b.called("cancelBooking"); len(done) > 0 {
		return say(b.v.cancellation(done[len(done)-1]))
	}
	r, next := b.got("getMyBookings", nil)
	if next != nil {
		return *next
	}
	var open []booking
	for _, b := range r.bookings {
		if !gone(b) && b.status != "hold" { // what is only held, a NO lets go
			open = append(open, b)
		}
	}
	chosen := b.meant(open, b.m.cancelPick)
	switch {
	case len(open) == 0:
		return say(b.v["noneOfMine"])
	case chosen == nil:
		return say(b.v.bookings(b.v["mine"], open, b.v["cancelBooking"]))
	}
	return b.must("cancelBooking", map[string]any{"transactionId": chosen.id})
}

// meant is the booking that the customer names by code or number, or the only one.
func (b booker) meant(open []booking, pick int) *booking {
	said := newLine(b.text)
	for i, b := range open {
		if code := newLine(b.code).whole; code != "" && slices.Contains(said.plain, code) {
			return &open[i]
		}
	}
	if i, ok := index(pick, len(open)); ok {
		return &open[i]
	}
	if len(open) == 1 && pick == 0 {
		return &open[0]
	}
	return nil
}

func (v voice) cancellation(r result) string {
	switch {
	case r.failed == nil && r.status == "awaiting_confirmation":
		return v["cancelAsked"]
	case r.failed == nil:
		return v["cancelled"]
	case r.failed.kind == "not_found":
		return v["gone"]
	case r.failed.kind == "unavailable" || r.failed.kind == "internal":
		return v["away"]
	}
	return fmt.Sprintf(v["refused"], clean(r.failed.message, 300))
}
