package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// memory is what the rules know of a booking in the making. It is rebuilt for each
// request, by hearing the conversation from its beginning.
type memory struct {
	calendar calendar
	details  map[string]listing // what is known better of some listings

	asked   *search   // what the customer last searched for
	said    string    // all that the customer said since, folded
	list    []listing // what was shown last
	shown   bool      // something was shown, whether or not the list is still at hand
	other   bool      // what was shown is not quite what was asked for
	chosen  *listing
	want    string // id of the chosen offering
	justNow bool   // the choice was made by the last message,
	sole    bool   // because nothing else came of its search

	date, end time.Time
	clock     *clock
	part      part
	nights    int
	party     int
	note      string

	alternatives []slot // times offered instead of the one that was not free
	proposed     bool   // a proposal was made of all this
	cancelling   bool   // the customer wants to cancel one of several bookings
	cancelPick   int
}

// goal is what the customer wants of this turn.
type goal int

const (
	unclear goal = iota
	greet
	explain    // who are you
	assist     // help
	bow        // thanks
	leave      // goodbye
	chat       // how are you
	agree      // to nothing
	data       // that is stored about the customer
	offSubject // what nobody here does
	person     // a human, please
	find       // search
	book       // choose, fill in, propose
	inspect    // more about a listing
	bookings   // mine
	cancel
	drop    // forget what we were at
	decline // no
)

// remember replays the past. seed is a list that was fetched again because the past
// does not hold it any more.
func (c *conversation) remember(seed []listing) *memory {
	m := &memory{calendar: c.calendar, details: c.details}
	m.show(seed)
	for i, e := range c.past {
		switch {
		case e.errand:
		case e.result != nil:
			m.learn(*e.result)
		case e.said != "":
			m.overhear(e.said)
		default:
			before := *m
			if m.hear(e.user) == find && before.lost() && !searchFollowed(c.past[i+1:]) {
				*m = before // a choice from a list that is not at hand
			}
		}
	}
	return m
}

// searchFollowed reports whether what came next shows that a search was made.
func searchFollowed(next []entry) bool {
	for _, e := range next {
		if e.said != "" {
			return inAnyVoice(func(v voice) bool { return v.showed(e.said) || v.missed(e.said) })
		}
	}
	return true
}

// learn reads the result of a call.
func (m *memory) learn(r result) {
	switch {
	case r.tool == "initiateBooking" && r.failed != nil:
		m.alternatives = r.failed.alternatives
		m.forget(ofField[r.failed.field])
	case r.failed != nil:
	case r.tool == "searchMarketplace":
		m.show(r.listings)
		m.other = m.other || r.similar
		m.settle()
	case r.tool == "getListing" && r.listings[0].detailed:
		m.detail(r.listings[0])
	case r.tool == "initiateBooking":
		m.proposed, m.alternatives = true, nil
	case r.tool == "cancelBooking":
		m.cancelling = false
	}
}

// show makes ls the list to choose from, each in the best form that is known.
func (m *memory) show(ls []listing) {
	m.list = slices.Clone(ls)
	for i, l := range m.list {
		if d, ok := m.details[l.id]; ok {
			m.list[i] = d
		}
	}
}

// settle takes the listing that a search can only have meant: the only one, or the one
// that the customer named.
func (m *memory) settle() {
	if m.chosen != nil || m.proposed || m.other || m.asked == nil {
		return
	}
	for _, l := range m.list {
		name := newLine(l.name).whole
		if len(m.list) == 1 || len(name) > 3 && strings.Contains(" "+m.asked.said+" ", " "+name+" ") {
			m.take(l)
			m.sole = true
			return
		}
	}
}

// lost reports whether what was shown is not at hand any more.
func (m *memory) lost() bool {
	return m.shown && len(m.list) == 0 && m.asked != nil
}

// detail replaces what was known of a listing by what is known better.
func (m *memory) detail(l listing) {
	if m.chosen != nil && m.chosen.id == l.id {
		m.chosen = &l
	}
	for i := range m.list {
		if m.list[i].id == l.id {
			m.list[i] = l
		}
	}
}

// forget lets go of the answer to a question that turned out to be wrong, or was asked for again: it was not taken.
func (m *memory) forget(q question) {
	switch q {
	case askOffering:
		m.want = ""
	case askDate:
		m.date, m.end = time.Time{}, time.Time{}
	case askTime:
		m.clock = nil
	case askNights:
		m.nights, m.end = 0, time.Time{}
	case askParty:
		m.party = 0
	}
}

// ofField are the questions whose answers are fields of a proposal.
var ofField = map[string]question{"date": askDate, "endDate": askDate, "time": askTime, "partySize": askParty, "offeringId": askOffering}

var alternativeLine = regexp.MustCompile(`(?m)^\d+\. (.+)$`)

// overhear reads what the assistant itself said: that it made a proposal, and the
// times that it offered.
func (m *memory) overhear(said string) {
	for _, v := range voices("market") {
		q, _ := v.asks("booking", said)
		m.forget(q)
		m.shown = m.shown || v.showed(said) || q != asksNothing
		m.other = m.other || v.missed(said)
		if strings.Contains(said, v["proposed"]) {
			m.proposed, m.alternatives = true, nil
			return
		}
	}
	if !inAnyVoice(func(v voice) bool { return strings.Contains(said, v["freeInstead"]) }) || len(m.alternatives) > 0 {
		return
	}
	for _, line := range alternativeLine.FindAllStringSubmatch(said, maxSlots) {
		w := m.calendar.read(newLine(line[1]), false)
		if w.date.IsZero() {
			continue
		}
		s := slot{date: w.date.Format(time.DateOnly)}
		if !w.end.IsZero() {
			s.end = w.end.Format(time.DateOnly)
		}
		if w.clock != nil {
			s.clock = w.clock.at(anyTime, false)
		}
		m.alternatives = append(m.alternatives, s)
	}
}

// reset forgets the booking in the making, not the list it came from.
func (m *memory) reset() {
	*m = memory{calendar: m.calendar, details: m.details, asked: m.asked, list: m.list}
}

// hear reads a message of the customer and tells what it is for.
func (m *memory) hear(text string) goal {
	m.settle()
	m.justNow, m.sole = false, false
	h := hear(text, m.calendar, m.question())
	if m.tap(text) {
		m.said += " " + h.all
		m.cancelling = false
		return book
	}
	if g := m.aside(h); g != unclear {
		return g
	}
	picked, open := m.choose(h), m.chosen != nil && m.offering() == nil
	m.said += " " + h.all
	picked = picked || open && m.offering() != nil // "the table"
	if !picked && m.searches(h) {
		m.begin(h)
		m.fill(h)
		return find
	}
	filled := m.fill(h)
	switch {
	case h.detail && (!filled || h.fact) && (m.chosen != nil || picked):
		return inspect
	case picked, filled, h.book && (m.chosen != nil || len(m.list) > 0 || len(h.words) == 0):
		m.cancelling = false
		return book
	case h.greeting:
		return greet
	case m.busy() && h.yes:
		return book
	case h.yes:
		*m = memory{calendar: m.calendar, details: m.details}
		return agree
	case h.no:
		return decline
	}
	return unclear
}

// aside handles what is not about the booking in the making.
func (m *memory) aside(h hearing) goal {
	switch {
	case h.who:
		return explain
	case h.person:
		return person
	case h.cancel && m.busy() && !h.booking, h.drop:
		m.reset()
		return drop
	case h.cancel:
		m.reset()
		m.cancelling, m.cancelPick = true, h.pick
		return cancel
	case h.mine:
		return bookings
	case m.cancelling && (h.pick != 0 || h.number > 0):
		m.cancelPick = h.pick
		if h.pick == 0 {
			m.cancelPick = h.number
		}
		return cancel
	case m.cancelling && h.yes:
		return cancel
	case m.cancelling && h.no:
		m.cancelling = false
		return decline
	}
	return m.small(h)
}

// small handles thanks and calls for help that ask for nothing else.
func (m *memory) small(h hearing) goal {
	switch {
	case h.data:
		return data
	case h.off:
		return offSubject
	case h.other:
		return decline
	}
	asks := h.search || h.book || h.party > 0 || !h.when.date.IsZero() || slices.ContainsFunc(h.plain, isThing)
	switch {
	case asks:
	case h.thanks:
		return bow
	case h.bye:
		return leave
	case h.fine:
		return chat
	case h.help:
		return assist
	}
	return unclear
}

// busy reports whether a booking is in the making.
func (m *memory) busy() bool { return m.chosen != nil && !m.proposed }

// searches reports whether a message asks to look for something.
func (m *memory) searches(h hearing) bool {
	if len(h.words) == 0 {
		return (h.maxPrice > 0 || h.open) && m.asked != nil
	}
	if h.note != "" && m.busy() || h.fact && m.chosen != nil && !slices.ContainsFunc(h.plain, isThing) || h.book && h.it && (m.chosen != nil || len(m.list) > 0) {
		return false
	}
	return !m.busy() && !(h.greeting && len(h.words) < 2 && !slices.ContainsFunc(h.plain, isThing)) ||
		h.search || slices.ContainsFunc(h.plain, isThing)
}

// begin starts over with a new search. "In Famagusta" and "under 50 euros" change the last one.
func (m *memory) begin(h hearing) {
	next := search{said: h.all, words: h.words, plain: h.plain, maxPrice: h.maxPrice, open: h.open, detail: h.detail && h.when.date.IsZero()}
	if last := m.asked; last != nil && (h.near || len(h.words) == 0) {
		next.words, next.plain = last.words, last.plain
		if h.near {
			next.words, next.plain = nil, nil
			for i, p := range last.plain {
				if isThing(p) {
					next.words, next.plain = append(next.words, last.words[i]), append(next.plain, p)
				}
			}
			next.words, next.plain = append(next.words, h.words...), append(next.plain, h.plain...)
		}
		if next.maxPrice == 0 {
			next.maxPrice = last.maxPrice
		}
		next.open = next.open || last.open
	}
	kept := *m
	m.reset()
	if !kept.proposed { // day and people stay while nothing came of them
		m.date, m.end, m.clock, m.part, m.nights, m.party = kept.date, kept.end, kept.clock, kept.part, kept.nights, kept.party
	}
	m.asked, m.said = &next, " "+h.all
}

// fill takes the answers that a message gives, whatever was asked.
func (m *memory) fill(h hearing) bool {
	before := *m
	if h.when.part != anyTime {
		m.part = h.when.part
	}
	if h.when.clock != nil {
		m.clock = h.when.clock
	}
	if !h.when.date.IsZero() {
		m.shift(h.when.date)
		if h.nights == 0 && !h.when.end.IsZero() {
			m.end, m.nights = h.when.end, 0
		}
	}
	if h.nights > 0 {
		m.nights, m.end = h.nights, time.Time{}
	}
	if h.party > 0 {
		m.party = h.party
	}
	if h.note != "" {
		m.note = h.note
	}
	filled := m.date != before.date || m.end != before.end || m.nights != before.nights || m.party != before.party ||
		m.note != before.note || h.when.clock != nil || !h.when.date.IsZero()
	if filled {
		m.proposed = false
		m.alternatives = nil
	}
	return filled
}
