package rulemodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// decide comes to the next step of the turn: a call, or words.
func (c *conversation) decide() reply {
	v := c.voice()
	if c.text == "" && !c.introduced {
		return c.greet(v)
	}
	m, g, next := c.listen(v)
	if next != nil {
		return *next
	}
	if c.introduced {
		g = book
	}
	switch g {
	case greet:
		return c.greet(v)
	case explain:
		return say(v["standIn"] + ". " + c.canDo(v))
	case assist:
		return say(c.canDo(v))
	case bow:
		return say(v["thanks"])
	case leave:
		return say(v["bye"])
	case chat:
		return say(v["wellAndYou"])
	case data:
		return say(v["cannot"] + " " + v["toPerson"])
	case offSubject:
		return say(v["cannot"] + " " + c.canDo(v))
	case agree:
		return say(v["nothingOpen"])
	case person:
		return say(v["person"])
	case drop:
		return say(v["dropped"])
	case decline:
		return say(v["declined"])
	case find:
		return c.search(v, m)
	case book:
		return c.book(v, m)
	case inspect:
		return c.inspect(v, m)
	case bookings:
		return c.bookings(v)
	case cancel:
		return c.cancel(v, m)
	}
	if m.busy() {
		return say(c.foreign(v) + v["unclear"] + " " + c.ask(v, m))
	}
	return say(c.foreign(v) + v["unclear"] + " " + c.canDo(v))
}

// foreign is what one is told who writes another language.
func (c *conversation) foreign(v voice) string {
	if c.tongue == "" || voices("market")[c.tongue] != nil {
		return ""
	}
	return v["onlyThese"] + " "
}

// listen hears the whole conversation. Where what was shown is not at hand any more, it
// returns the call that gets it back.
func (c *conversation) listen(v voice) (*memory, goal, *reply) {
	past := c.remember(nil)
	m, g := c.hear(past)
	if past.lost() && (g == book || g == inspect || g == find || g == unclear) {
		f, next := c.find(v, past.asked)
		if next != nil {
			return m, g, next
		}
		m, g = c.hear(c.remember(f.listings))
	}
	if m.busy() && m.chosen.brief && (g == book || g == inspect || g == unclear) && len(c.called("getListing")) == 0 {
		if next := c.call("getListing", map[string]any{"listingId": m.chosen.id}); next != nil {
			return m, g, next // only its name is remembered
		}
	}
	return m, g, nil
}

// hear takes in what the customer says now, on top of the past.
func (c *conversation) hear(past *memory) (*memory, goal) {
	m := *past
	g := m.hear(c.text)
	return &m, g
}

func (c *conversation) voice() voice { return voiceIn("market", c.tongue) }

func say(text string) reply { return reply{text: text} }

func (c *conversation) greet(v voice) reply {
	if c.honest {
		return say(v["hello"] + " " + c.foreign(v) + c.canDo(v))
	}
	return say(v["hello"] + " " + v["standIn"] + ". " + c.foreign(v) + c.canDo(v))
}

// canDo is what can be asked for here.
func (c *conversation) canDo(v voice) string {
	if c.offered["orderFood"] == nil {
		return v["canBook"]
	}
	return v["canBook"] + " " + v["also"]
}

// called returns the results of a tool in this turn.
func (c *conversation) called(tool string) []result {
	var out []result
	for _, r := range c.results {
		if r.tool == tool {
			out = append(out, r)
		}
	}
	return out
}

// call asks for a tool, or returns nil where it is not offered or takes other arguments.
func (c *conversation) call(tool string, values map[string]any) *reply {
	raw, ok := c.offered[tool]
	if !ok {
		return nil
	}
	s := parseSchema(raw)
	if s == nil {
		return nil
	}
	args, ok := s.arguments(values)
	if !ok {
		return nil
	}
	return &reply{tool: tool, args: args}
}

// once asks for a tool that was not called in this turn. It returns the result when
// there is one, else the reply that gets it or says why not.
func (c *conversation) once(v voice, tool string, values map[string]any) (result, *reply) {
	if done := c.called(tool); len(done) > 0 {
		return done[len(done)-1], nil
	}
	if next := c.call(tool, values); next != nil {
		return result{}, next
	}
	cannot := say(v["cannot"])
	return result{}, &cannot
}

// search shows what was found, or goes on with it when it can only be the one.
func (c *conversation) search(v voice, m *memory) reply {
	f, next := c.find(v, m.asked)
	switch {
	case next != nil:
		return *next
	case c.offered[createRequest] != nil && forVendors(newLine(c.text).whole, f.listings):
		t := c.trade()
		return t.tell(createRequest, t.wanted()) // what no listing offers, a vendor may have
	case len(f.listings) == 0:
		return say(c.foreign(v) + fmt.Sprintf(v["noneFound"], m.asked.wanted()) + " " + v["tryThis"])
	case f.other && f.query == m.asked.wanted():
		return say(v.listings(c.beyond(v, m, f)+fmt.Sprintf(v["similar"], f.query), f.listings))
	case f.other:
		return say(c.beyond(v, m, f) + fmt.Sprintf(v["noneFound"], m.asked.wanted()) + " " + v.listings(fmt.Sprintf(v["results"], f.query), f.listings))
	case f.beyond:
		return say(v.listings(c.beyond(v, m, f)+fmt.Sprintf(v["results"], m.asked.wanted()), f.listings))
	}
	m.learn(result{tool: "searchMarketplace", listings: f.listings})
	if m.chosen == nil {
		return say(v.listings(fmt.Sprintf(v["results"], m.asked.wanted()), f.listings))
	}
	if m.asked.detail {
		return c.inspect(v, m)
	}
	return c.book(v, m)
}

// beyond says that what was found is dearer than was asked for, or closed now.
func (c *conversation) beyond(v voice, m *memory, f found) string {
	switch {
	case !f.beyond:
		return ""
	case m.asked.open:
		return v["noneOpen"] + " "
	}
	return v["noneSoCheap"] + " "
}

// book goes on with the booking: it asks for what is missing, then proposes.
func (c *conversation) book(v voice, m *memory) reply {
	if m.chosen == nil {
		if len(m.list) == 0 {
			return say(v["what"])
		}
		return say(v.listings(fmt.Sprintf(v["results"], wanted(m)), m.list))
	}
	if r, done := c.proposed(m); done {
		return c.conclude(v, m, r)
	}
	if m.question() == asksNothing {
		if next := c.call("initiateBooking", c.proposal(m)); next != nil {
			return *next
		}
		return say(v["cannot"])
	}
	if m.justNow && !m.chosen.detailed && len(c.called("getListing")) == 0 {
		if next := c.call("getListing", map[string]any{"listingId": m.chosen.id}); next != nil {
			return *next
		}
	}
	return say(c.ask(v, m))
}

// proposed returns the result of proposing just this in this turn.
func (c *conversation) proposed(m *memory) (result, bool) {
	for n, r := range c.called("initiateBooking") {
		same := true
		for name, v := range m.proposal() {
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
func (c *conversation) ask(v voice, m *memory) string {
	head := ""
	if m.justNow {
		head = v.listing(*m.chosen) + ".\n"
		if m.sole {
			head = fmt.Sprintf(v["foundOne"], v.listing(*m.chosen)) + "\n"
		}
	}
	switch m.question() {
	case askSlot:
		return v.slots(v["taken"], m.alternatives)
	case askOffering:
		return head + v.offerings(*m.chosen)
	case askDate:
		if m.stays() {
			return head + c.freeSlots(v, m) + v["date arrive"]
		}
		return head + c.freeSlots(v, m) + v["date"]
	case askTime:
		return head + c.freeSlots(v, m) + fmt.Sprintf(v["time"], v.date(m.date))
	case askNights:
		if m.offering().unit == "day" {
			return head + v["nights days"]
		}
		return head + v["nights"]
	case askParty:
		return head + v["party"]
	case askWhich:
		return v.listings(fmt.Sprintf(v["results"], wanted(m)), m.list)
	}
	return v["what"]
}

// freeSlots says when the offering can be had, on the day wanted if one is.
func (c *conversation) freeSlots(v voice, m *memory) string {
	o := m.offering()
	if o == nil {
		return ""
	}
	var said []string
	for _, s := range o.free {
		if len(said) < shownSlots && (m.date.IsZero() || s.date == m.date.Format(time.DateOnly)) {
			said = append(said, v.slot(s))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return v["free"] + " " + strings.Join(said, ", ") + ".\n"
}

// conclude answers a proposal that was made, or says what can be had instead.
func (c *conversation) conclude(v voice, m *memory, r result) reply {
	if r.failed == nil {
		return say(v["proposed"])
	}
	if r.failed.field == "name" || r.failed.field == "phone" {
		return say(v["contact"])
	}
	m.learn(r)
	reason := v["taken"]
	switch r.failed.kind {
	case "unavailable", "internal":
		return say(v["away"])
	case "limited":
		return say(fmt.Sprintf(v["refused"], clean(r.failed.message, 300)))
	case "not_found", "forbidden":
		return say(v["gone"] + " " + v["what"])
	}
	if len(m.alternatives) > 0 {
		return say(strings.TrimSpace(v.slots(reason, m.alternatives) + " " + c.listOffer(v, r)))
	}
	if wait := c.listOffer(v, r); wait != "" {
		return say(v["taken"] + " " + wait)
	}
	if r.failed.message != "" {
		reason = fmt.Sprintf(v["refused"], clean(r.failed.message, 300))
	}
	if m.question() == asksNothing { // nothing was said to be wrong but the whole
		m.date, m.end, m.clock = time.Time{}, time.Time{}, nil
	}
	m.justNow = false
	return say(reason + " " + c.ask(v, m))
}

// inspect tells more about a listing.
func (c *conversation) inspect(v voice, m *memory) reply {
	if m.chosen == nil {
		return c.book(v, m)
	}
	if _, known := c.details[m.chosen.id]; !known {
		r, next := c.once(v, "getListing", map[string]any{"listingId": m.chosen.id})
		if next != nil {
			return *next
		}
		if r.failed != nil {
			return say(v["away"])
		}
	}
	m.justNow = false
	if d, known := c.details[m.chosen.id]; known {
		m.detail(d)
	}
	l := *m.chosen
	lines := []string{v.listing(l)}
	if facts := v.facts(l, newLine(c.text).whole); len(facts) > 0 {
		return say(strings.Join(append(append(lines, facts...), c.ask(v, m)), "\n"))
	}
	if l.description != "" && !c.plain {
		lines = append(lines, "“"+clean(l.description, 300)+"”") // the merchant's words, not ours
	}
	if m.question() != askOffering {
		for _, o := range l.offerings[:min(len(l.offerings), shownListings)] {
			lines = append(lines, "• "+v.offering(o))
		}
	}
	return say(strings.Join(append(lines, c.ask(v, m)), "\n"))
}

// bookings shows the customer's own.
func (c *conversation) bookings(v voice) reply {
	r, next := c.once(v, "getMyBookings", nil)
	switch {
	case next != nil:
		return *next
	case r.failed != nil:
		return say(v["away"])
	}
	live := slices.DeleteFunc(slices.Clone(r.bookings), func(b booking) bool { return gone(b) })
	if len(live) == 0 {
		return say(v["noneOfMine"])
	}
	return say(strings.TrimSuffix(v.bookings(v["mine"], live, ""), "\n"))
}

// gone reports whether a booking is none any more.
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
func (c *conversation) cancel(v voice, m *memory) reply {
	if done := c.called("cancelBooking"); len(done) > 0 {
		return say(v.cancellation(done[len(done)-1]))
	}
	r, next := c.once(v, "getMyBookings", nil)
	if next != nil {
		return *next
	}
	if r.failed != nil {
		return say(v["away"])
	}
	var open []booking
	for _, b := range r.bookings {
		if !gone(b) && b.status != "hold" { // what is only held, a NO lets go
			open = append(open, b)
		}
	}
	chosen := c.meant(open, m.cancelPick)
	switch {
	case len(open) == 0:
		return say(v["noneOfMine"])
	case chosen == nil:
		return say(v.bookings(v["mine"], open, v["cancelBooking"]))
	}
	_, next = c.once(v, "cancelBooking", map[string]any{"transactionId": chosen.id})
	return *next
}

// meant is the booking that the customer names by code or number, or the only one.
func (c *conversation) meant(open []booking, pick int) *booking {
	said := newLine(c.text)
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
