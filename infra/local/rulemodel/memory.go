package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// memory is what the rules know of a booking in the making. It is made anew for each
// request, by hearing the conversation from its beginning.
type memory struct {
	calendar calendar
	details  map[string]listing // what is known better of some listings

	asked   *search   // what the customer last searched for
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

// search is what to look for.
type search struct {
	said         string // the whole message, folded
	words, plain []string
	maxPrice     int64
}

// goal is what the customer wants of this turn.
type goal int

const (
	unclear goal = iota
	greet
	explain  // who are you
	assist   // help
	bow      // thanks
	person   // a human, please
	find     // search
	book     // choose, fill in, propose
	inspect  // more about a listing
	bookings // mine
	cancel
	drop    // forget what we were at
	decline // no
)

// question is what has to be asked next.
type question int

const (
	askNothing question = iota
	askWhich            // of the listings
	askOffering
	askSlot // one of the alternatives
	askDate
	askTime
	askNights
	askParty
)

// remember replays the past. seed is a list that was fetched again because the past
// does not hold it any more.
func (c *conversation) remember(seed []listing) *memory {
	m := &memory{calendar: c.calendar, details: c.details}
	m.show(seed)
	for i, e := range c.past {
		switch {
		case e.result != nil:
			m.learn(*e.result)
		case e.said != "":
			m.overhear(e.said)
		default:
			before := *m
			if m.hear(e.user) == find && before.lost() && !c.searched(i) {
				*m = before // a choice from a list that is not at hand
			}
		}
	}
	return m
}

// searched reports whether the reply to the customer's i-th entry shows that a search
// was made for it.
func (c *conversation) searched(i int) bool {
	for _, e := range c.past[i+1:] {
		if e.said != "" {
			return english.showed(e.said) || turkish.showed(e.said) || english.missed(e.said) || turkish.missed(e.said)
		}
	}
	return true
}

// learn takes in the result of a call.
func (m *memory) learn(r result) {
	switch {
	case r.tool == "initiateBooking" && r.failed != nil:
		m.alternatives = r.failed.alternatives
		m.forget(r.failed.field)
	case r.failed != nil:
	case r.tool == "searchMarketplace":
		m.show(r.listings)
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

// detail puts what is known better in the place of what was known.
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

// forget lets go of an answer that turned out to be wrong.
func (m *memory) forget(field string) {
	switch field {
	case "date", "endDate":
		m.date, m.end = time.Time{}, time.Time{}
	case "time":
		m.clock = nil
	case "partySize":
		m.party = 0
	case "offeringId":
		m.want = ""
	}
}

var alternativeLine = regexp.MustCompile(`(?m)^\d+\. (.+)$`)

// overhear reads what the assistant itself said: that it made a proposal, and the
// times that it offered.
func (m *memory) overhear(said string) {
	for _, v := range []*voice{&english, &turkish} {
		m.shown = m.shown || v.showed(said)
		m.other = m.other || v.missed(said)
		if strings.Contains(said, v.proposed) {
			m.proposed, m.alternatives = true, nil
			return
		}
	}
	if !strings.Contains(said, english.instead) && !strings.Contains(said, turkish.instead) || len(m.alternatives) > 0 {
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

// hear takes in a message of the customer and tells what it is for.
func (m *memory) hear(text string) goal {
	m.settle()
	m.justNow, m.sole = false, false
	h := hear(text, m.calendar, m.question())
	if g := m.aside(h); g != unclear {
		return g
	}
	picked := m.choose(h)
	if !picked && m.searches(h) {
		m.begin(h)
		m.fill(h)
		return find
	}
	filled := m.fill(h)
	switch {
	case h.detail && !filled && (m.chosen != nil || picked):
		return inspect
	case picked, filled, h.book && (m.chosen != nil || len(m.list) > 0):
		m.cancelling = false
		return book
	case h.greeting:
		return greet
	case m.busy() && h.yes:
		return book
	case h.yes:
		*m = memory{calendar: m.calendar, details: m.details}
	case h.no:
		return decline
	}
	return unclear
}

// aside handles what is not about the booking in the making.
func (m *memory) aside(h heard) goal {
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
func (m *memory) small(h heard) goal {
	asks := h.search || h.book || h.party > 0 || !h.when.date.IsZero() || slices.ContainsFunc(h.plain, isThing)
	switch {
	case asks:
	case h.thanks:
		return bow
	case h.help:
		return assist
	}
	return unclear
}

// busy reports whether a booking is in the making.
func (m *memory) busy() bool { return m.chosen != nil && !m.proposed }

// choose takes a choice: of a time, an offering or a listing, whichever was asked for.
func (m *memory) choose(h heard) bool {
	n := h.pick
	if n == 0 {
		n = h.number
	}
	switch q := m.question(); {
	case q == askSlot && (n != 0 || h.yes && len(m.alternatives) == 1):
		if h.yes {
			n = 1
		}
		return m.chooseSlot(n)
	case q == askOffering && m.chooseOffering(n, h):
		return true
	case q != askWhich && h.pick == 0 && h.number > 0:
		return m.answerNumber(q, h.number)
	case n != 0 || h.cheapest:
		return m.chooseListing(n, h)
	}
	return m.chooseByName(h)
}

func (m *memory) chooseSlot(n int) bool {
	i, ok := index(n, len(m.alternatives))
	if !ok {
		return false
	}
	s := m.alternatives[i]
	d, err := time.Parse(time.DateOnly, s.date)
	if err != nil {
		return false
	}
	m.shift(d)
	if end, err := time.Parse(time.DateOnly, s.end); err == nil {
		m.end, m.nights = end, 0
	}
	if t, err := time.Parse("15:04", s.clock); err == nil {
		m.clock = &clock{t.Hour(), t.Minute(), true}
	}
	m.alternatives = nil
	return true
}

// shift moves the booking to another day, a stay with its length.
func (m *memory) shift(d time.Time) {
	if !m.end.IsZero() && !m.date.IsZero() {
		m.end = d.Add(m.end.Sub(m.date))
	}
	m.date = d
}

func (m *memory) chooseOffering(n int, h heard) bool {
	offerings := m.chosen.offerings
	if i, ok := index(n, len(offerings)); ok {
		m.want = offerings[i].id
		return true
	}
	match := -1
	for i, o := range offerings {
		if named(h, o.name, "") {
			if match >= 0 {
				return false
			}
			match = i
		}
	}
	if match >= 0 {
		m.want = offerings[match].id
	}
	return match >= 0
}

// answerNumber takes a lone number as the answer to what was asked.
func (m *memory) answerNumber(q question, n int) bool {
	switch q {
	case askParty:
		m.party = min(n, maxParty)
	case askNights:
		m.nights, m.end = min(n, maxNights), time.Time{}
	case askDate:
		for days := range 31 { // the next day of that number
			if d := m.calendar.today.AddDate(0, 0, days); d.Day() == n {
				m.date = d
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}

func (m *memory) chooseListing(n int, h heard) bool {
	i, ok := index(n, len(m.list))
	if h.cheapest && len(m.list) > 0 {
		i, ok = 0, true
		for j, l := range m.list {
			if best := m.list[i].from; l.from.currency != "" && (best.currency == "" || l.from.minor < best.minor) {
				i = j
			}
		}
	}
	if ok {
		m.take(m.list[i])
	}
	return ok
}

// chooseByName takes the one listing shown that all words of the message fit.
func (m *memory) chooseByName(h heard) bool {
	if len(h.words) == 0 {
		return false
	}
	match := -1
	for i, l := range m.list {
		full := newLine(l.name).whole
		if len(full) > 3 && strings.Contains(" "+h.all+" ", " "+full+" ") {
			match = i
			break
		}
		if named(h, l.name, strings.Join([]string{l.place, l.domain, l.category, l.offered()}, " ")) {
			if match >= 0 {
				return false
			}
			match = i
		}
	}
	if match < 0 || m.chosen != nil && m.chosen.id == m.list[match].id {
		return match >= 0
	}
	m.take(m.list[match])
	return true
}

func (l listing) offered() string {
	var names []string
	for _, o := range l.offerings {
		names = append(names, o.name)
	}
	return strings.Join(names, " ")
}

// named reports whether each word of a message is in the name or in what else may be
// said of it, and one of them in the name.
func named(h heard, name, others string) bool {
	inName := words(name)
	all := append(words(others), inName...)
	hit := false
	for _, w := range h.plain {
		if !slices.Contains(all, w) {
			return false
		}
		hit = hit || slices.Contains(inName, w)
	}
	return hit
}

func words(s string) []string {
	l := newLine(s)
	var out []string
	for i := range l.words {
		_, plain := l.stem(i)
		out = append(out, plain, strings.TrimSuffix(plain, "'s"), strings.ReplaceAll(plain, "'", ""))
	}
	return out
}

// take makes l the listing to book. Answers given so far stay.
func (m *memory) take(l listing) {
	if d, ok := m.details[l.id]; ok {
		l = d
	}
	if m.chosen == nil || m.chosen.id != l.id {
		m.want = ""
	}
	m.chosen, m.justNow, m.sole, m.proposed, m.alternatives = &l, true, false, false, nil
}

// index turns a choice, counted from 1 or -1 for the last, into an index of n things.
func index(choice, n int) (int, bool) {
	if choice == -1 {
		choice = n
	}
	return choice - 1, choice >= 1 && choice <= n
}

// searches reports whether a message asks to look for something.
func (m *memory) searches(h heard) bool {
	if len(h.words) == 0 {
		return h.maxPrice > 0 && m.asked != nil
	}
	if h.note != "" && m.busy() {
		return false
	}
	return !m.busy() && !(h.greeting && len(h.words) < 2 && !slices.ContainsFunc(h.plain, isThing)) ||
		h.search || slices.ContainsFunc(h.plain, isThing)
}

// begin starts over with a new search. "In Famagusta" and "under 50 euros" change the last one.
func (m *memory) begin(h heard) {
	next := search{said: h.all, words: h.words, plain: h.plain, maxPrice: h.maxPrice}
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
	}
	kept := *m
	m.reset()
	if !kept.proposed { // day and people stay while nothing came of them
		m.date, m.end, m.clock, m.part, m.nights, m.party = kept.date, kept.end, kept.clock, kept.part, kept.nights, kept.party
	}
	m.asked = &next
}

// fill takes the answers that a message gives, whatever was asked.
func (m *memory) fill(h heard) bool {
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

// question is what is missing, the most important first.
func (m *memory) question() question {
	switch o := m.offering(); {
	case m.chosen == nil || m.proposed:
		if len(m.list) > 0 || m.asked != nil {
			return askWhich
		}
	case len(m.alternatives) > 0:
		return askSlot
	case o == nil && len(m.chosen.offerings) > 1:
		return askOffering
	case m.date.IsZero():
		return askDate
	case m.stays() && !m.until().After(m.date):
		return askNights
	case !m.stays() && m.clock == nil:
		return askTime
	case m.party == 0 && m.forPeople():
		return askParty
	}
	return askNothing
}

// offering is the chosen one, or the only one.
func (m *memory) offering() *offering {
	if m.chosen == nil {
		return nil
	}
	for i, o := range m.chosen.offerings {
		if o.id == m.want && o.id != "" || len(m.chosen.offerings) == 1 {
			return &m.chosen.offerings[i]
		}
	}
	return nil
}

// stays reports whether what is booked is taken by the night or day.
func (m *memory) stays() bool {
	o := m.offering()
	return o != nil && o.stay()
}

// until is the last day of a stay, zero if it is not known.
func (m *memory) until() time.Time {
	if m.nights > 0 && !m.date.IsZero() {
		return m.date.AddDate(0, 0, m.nights)
	}
	return m.end
}

var (
	sharedKinds = regexp.MustCompile(`restaurant|dining|food|eat|bar\b|cafe|brunch|tour|boat|cruise|trip|activit|experience|event|class|hotel|stay|accommodation|villa|restoran|yemek|tekne|tur\b|turu|gezi|otel|konaklama`)
	sharedUnits = regexp.MustCompile(`person|people|guest|seat|table|ticket|head|kisi|masa|night`)
	mealKinds   = regexp.MustCompile(`restaurant|dining|food|eat|bar\b|cafe|meyhane|restoran|yemek`)
)

// kind is what the chosen listing says it is, folded.
func (m *memory) kind() string {
	return newLine(m.chosen.domain + " " + m.chosen.category).whole
}

// forPeople reports whether it matters how many come.
func (m *memory) forPeople() bool {
	o := m.offering()
	if o != nil && o.most > 0 {
		return o.most > 1
	}
	return sharedKinds.MatchString(m.kind()) || o != nil && sharedUnits.MatchString(newLine(o.unit+" "+o.per).whole)
}

// proposal is what to book, as arguments of initiateBooking.
func (m *memory) proposal() map[string]any {
	args := map[string]any{"listingId": m.chosen.id, "date": m.date.Format(time.DateOnly)}
	if o := m.offering(); o != nil && o.id != "" {
		args["offeringId"] = o.id
	}
	if m.stays() {
		args["endDate"] = m.until().Format(time.DateOnly)
	} else if m.clock != nil {
		args["time"] = m.clock.at(m.part, mealKinds.MatchString(m.kind()))
	}
	if m.party > 0 {
		args["partySize"] = m.party
	}
	if m.note != "" {
		args["note"] = m.note
	}
	return args
}
