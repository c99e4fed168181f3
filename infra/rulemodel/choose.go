package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// choose takes a choice: of a time, an offering or a listing, whichever was asked for.
func (m *memory) choose(h hearing) bool {
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

// listed is an item of a list that we showed: its label, and what is told of it.
var listed = regexp.MustCompile(`(?m)^\d+\. (.+?)(?: · .*)?$`)

// tapped reports whether a message is the whole label of something that our text, shown before it,
// lists to book: what a tap on it says.
func tapped(shown, text string) bool {
	if !inAnyVoice(func(v voice) bool { return v.offers(shown) }) {
		return false
	}
	return slices.ContainsFunc(listed.FindAllStringSubmatch(shown, -1), func(item []string) bool { return sameLabel(item[1], text) })
}

// offers reports whether our text asks which listing or offering it shall be.
func (v voice) offers(said string) bool {
	q, _ := v.asks("booking", said)
	return q == askWhich || q == askOffering
}

func sameLabel(label, text string) bool {
	said := newLine(text).whole
	return said != "" && said == newLine(label).whole
}

// tap takes a message that is the whole label of what there is to choose from, and nothing else.
func (m *memory) tap(text string) bool {
	switch m.question() {
	case askOffering:
		for _, o := range m.chosen.offerings {
			if sameLabel(o.name, text) {
				m.want = o.id
				return true
			}
		}
	case askWhich:
		for _, l := range m.list {
			if sameLabel(l.name, text) {
				m.take(l)
				return true
			}
		}
	}
	return false
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

func (m *memory) chooseOffering(n int, h hearing) bool {
	offerings := m.chosen.offerings
	if i, ok := index(n, len(offerings)); ok {
		m.want = offerings[i].id
		return true
	}
	match := -1
	for i, o := range offerings {
		if isNamed(h, o.name, "") {
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
		if n <= len(m.list) { // the list is still before them
			m.take(m.list[n-1])
			return true
		}
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

func (m *memory) chooseListing(n int, h hearing) bool {
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
func (m *memory) chooseByName(h hearing) bool {
	if len(h.words) == 0 {
		return false
	}
	if m.chosen != nil && fits(h.plain, m.chosen.place, "") {
		return true // where it is is no other wish
	}
	match := -1
	for i, l := range m.list {
		full := newLine(l.name).whole
		if len(full) > 3 && strings.Contains(" "+h.all+" ", " "+full+" ") {
			match = i
			break
		}
		if isNamed(h, l.name, strings.Join([]string{l.place, l.domain, l.category, l.offered()}, " ")) {
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

// isNamed reports whether each word of a message is in the name or in what else may be
// said of it, and one of them in the name.
func isNamed(h hearing, name, others string) bool {
	return fits(h.plain, name, others) || fits(newLine(translated(h.words, h.plain)).plain, name, others)
}

func fits(said []string, name, others string) bool {
	inName := words(name)
	all := append(words(others), inName...)
	hit := false
	for _, w := range said {
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
