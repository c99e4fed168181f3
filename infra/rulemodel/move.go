package rulemodel

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
)

// terms are what is to be different about a booking.
type terms struct {
	when
	end   time.Time // of a stay
	party int
	shift int // hours
}

// newTerms is what is to be different about a booking, as the customer has said.
func newTerms(a *agent, values map[string]any) *reply {
	b := *a.booking
	var to terms
	for _, t := range a.said {
		if t.asked != asksMoveWhich && (t.asked != asksNewSlot || !a.chosenSlot(t, &to)) {
			a.readTerms(t, b, &to)
		}
	}
	if to.date.IsZero() && to.clock == nil && to.party == 0 && to.shift == 0 {
		return put(clean(b.summary, 200) + "\n" + a.v["newTime"])
	}
	maps.Copy(values, to.arguments(b))
	return nil
}

// chosenSlot takes a choice of the times that were offered instead.
func (a *agent) chosenSlot(t told, to *terms) bool {
	lines := alternativeLine.FindAllStringSubmatch(t.shown, maxSlots)
	n := pickOf(newLine(westernDigits(t.text)))
	if n == 0 {
		n = lone(t.text)
	}
	if n == 0 && len(lines) == 1 && onlyHeard("consent", newLine(t.text).whole) {
		n = 1
	}
	i, ok := index(n, len(lines))
	if !ok {
		return false
	}
	w := a.timesIn(lines[i][1])
	to.when, to.end, to.shift = w, w.end, 0
	return true
}

var (
	// oldValue is what a booking was, next to what it shall be.
	oldValue = regexp.MustCompile(`(?i)(?:^|[\s,])(?:instead of|rather than|not|αντί για|вместо|במקום|بدلا من|بدل|statt|en vez de|en lugar de|au lieu de)\s+(?:the\s+)?(?:\d{1,2}(?::\d{2})?|[\p{L}'’]+)(?:\s*(?:people|persons|άτομα|человек|אנשים|أشخاص|personen|personas|personnes))?|[\p{L}\d:]+\s+(?:kişi\s+)?yerine|\bfrom\s+[\p{L}\d: ]{1,20}?\s+(to\s)`)
	// toHour is an hour that something is moved to.
	toHour = regexp.MustCompile(`(^| )(?:to|на|για τις|εις|إلى|الى|auf|para las|ל-?)\s?(\d{1,2}(?::\d{2})?)( |$)`)
	// toHourEnding is the same in Turkish, "8'e".
	toHourEnding = regexp.MustCompile(`(^| )(\d{1,2}(?::\d{2})?)'y?[aeiu]( |$)`)
	// toDay is a day behind a preposition that is written with it.
	toDay = regexp.MustCompile(`(^|\s)(?:ל|لل)-?(יום|מחר|שבת|היום|غد)`)
)

// readTerms hears what one message changes.
func (c *conversation) readTerms(t told, b booking, to *terms) {
	text := toDay.ReplaceAllString(oldValue.ReplaceAllString(westernDigits(t.text), " $1"), "$1$2")
	if n := shiftOf(newLine(text).whole); n != 0 {
		to.shift = n
		return
	}
	folded := newLine(text).whole
	if n, rest := peopleIn(folded); n > 0 {
		to.party, folded = n, rest
	} else {
		folded = toHourEnding.ReplaceAllString(toHour.ReplaceAllString(folded, "${1}at $2$3"), "${1}saat $2$3")
	}
	l := newLine(inEnglish(folded))
	if n := takeParty(l); n > 0 {
		to.party = n
	}
	w := c.calendar.read(l, false)
	if g, _ := l.take(forSome); g != nil && to.party == 0 {
		to.party = number(g[1])
	}
	if n := lone(t.text); n > 0 && n < 24 && t.asked == asksNewTime && w.clock == nil {
		w.clock = &clock{hour: n, exact: n > 12}
	}
	to.take(w, b)
}

// take adds what was heard of time; a span of days of something that is no stay is from
// what it was to what it shall be.
func (to *terms) take(w when, b booking) {
	if !w.date.IsZero() {
		to.date, to.end = w.date, w.end
		if b.slot.end == "" && !w.end.IsZero() {
			to.date, to.end = w.end, time.Time{}
		}
	}
	if w.clock != nil {
		to.clock, to.part = w.clock, w.part
	}
}

// arguments are a booking's own with what is different.
func (to *terms) arguments(b booking) map[string]any {
	args := map[string]any{"transactionId": b.id, "date": b.slot.date}
	day, err := time.Parse(time.DateOnly, b.slot.date)
	if err != nil {
		return map[string]any{"transactionId": b.id}
	}
	if end, err := time.Parse(time.DateOnly, b.slot.end); err == nil {
		nights := end.Sub(day)
		if !to.date.IsZero() {
			day = to.date
		}
		if end = day.Add(nights); to.end.After(day) {
			end = to.end
		}
		args["date"], args["endDate"] = day.Format(time.DateOnly), end.Format(time.DateOnly)
	} else {
		args["date"], args["time"] = to.start(day, b.slot.clock)
	}
	if to.party > 0 {
		args["partySize"] = min(to.party, maxParty)
	}
	return args
}

// start is when it shall begin that began on a day at a time.
func (to *terms) start(day time.Time, was string) (date, at string) {
	if !to.date.IsZero() {
		day = to.date
	}
	at = was
	if to.clock != nil {
		at = to.clock.at(to.part, false)
		if to.part == anyTime && !to.clock.exact && to.clock.hour < 12 { // morning or evening as it was
			if old, err := time.Parse("15:04", was); err == nil && old.Hour() >= 12 {
				at = fmt.Sprintf("%02d:%02d", to.clock.hour+12, to.clock.minute)
			}
		}
	}
	if t, err := time.Parse(time.DateOnly+"15:04", day.Format(time.DateOnly)+at); err == nil && to.shift != 0 {
		t = t.Add(time.Duration(to.shift) * time.Hour)
		return t.Format(time.DateOnly), t.Format("15:04")
	}
	return day.Format(time.DateOnly), at
}

// shiftOf is by how many hours something is to be later, or earlier if less than none.
func shiftOf(folded string) int {
	n := hoursIn(folded)
	switch {
	case n == 0:
		return 0
	case heard("later on", folded):
		return n
	case heard("earlier", folded):
		return -n
	}
	return 0
}

// hoursIn is the length of time that a folded text names, in whole hours; 0 for none.
func hoursIn(folded string) int {
	if heard("half", folded) {
		return 1
	}
	for _, unit := range []struct {
		cue  string
		each int
	}{{"hour words", 1}, {"day words", 24}, {"week words", 168}} {
		m := cueOf(unit.cue).FindStringIndex(folded)
		if m == nil {
			continue
		}
		words := strings.Fields(folded[:m[0]])
		if len(words) > 0 {
			if n := count(words[len(words)-1]); n > 0 {
				return n * unit.each
			}
		}
		switch strings.TrimSpace(folded[m[0]:m[1]]) {
		case "שעתיים", "ساعتين", "يومين", "יומיים":
			return 2 * unit.each
		}
		return unit.each
	}
	return 0
}

// peopleIn is the number of people that a folded text names, 0 for none, and the text without it.
func peopleIn(folded string) (n int, rest string) {
	m := cueOf("people").FindStringIndex(folded)
	if m == nil {
		return 0, folded
	}
	words := strings.Fields(folded[:m[0]])
	if len(words) == 0 {
		return 0, folded
	}
	last := words[len(words)-1]
	n = count(last)
	for _, prefix := range []string{"ל-", "ל", "ل"} {
		n = max(n, count(strings.TrimPrefix(last, prefix)))
	}
	if n == 0 {
		return 0, folded
	}
	return n, strings.Join(words[:len(words)-1], " ") + " # " + folded[m[1]:]
}
