package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// hourJoined is an hour behind a preposition that is written with it, as in Hebrew.
var hourJoined = regexp.MustCompile(`(^| )ב-?(\d{1,2}(?::\d{2})?)`)

// fromNow is a time told from now; the fourth group is there for minutes.
var fromNow = regexp.MustCompile(`(^| )(?:σε|через|בעוד|بعد) (?:([^ ]+) )?((?:ωρα|ωρες|час|часа|часов|שעה|שעות|שעתיים|ساعة|ساعات|ساعتين)|(λεπτα|минут[^ ]*|דקות|دقيقة|دقائق|دقايق))(?: |$)`)

// timesIn reads what a text says of time, in whatever language.
func (c *conversation) timesIn(text string) when {
	return c.calendar.read(newLine(inEnglish(text)), false)
}

// inEnglish folds a text and puts what it says of time into English.
func inEnglish(text string) string {
	folded := hourJoined.ReplaceAllString(newLine(westernDigits(text)).whole, "$1 at $2")
	folded = fromNow.ReplaceAllStringFunc(folded, func(s string) string {
		g := fromNow.FindStringSubmatch(s)
		n, unit := max(count(g[2]), 1), "hours"
		switch {
		case g[3] == "שעתיים", g[3] == "ساعتين":
			n = 2
		case g[4] != "":
			unit = "minutes"
		}
		return fmt.Sprintf("%s in %d %s ", g[1], n, unit)
	})
	for _, p := range lexica().heard["time"] {
		if p.name == "at" {
			folded = atHour(p.re, folded)
			continue
		}
		folded = strings.TrimSpace(p.re.ReplaceAllString(folded+" ", " "+p.name+" "))
	}
	return folded
}

var startsWithHour = regexp.MustCompile(`^\d{1,2}(?:[:.]\d{2})?(?: |$)`)

// atHour puts "at" before hours; elsewhere those words are not about time.
func atHour(re *regexp.Regexp, folded string) string {
	var out strings.Builder
	for folded != "" {
		m := re.FindStringIndex(folded)
		if m == nil {
			break
		}
		if startsWithHour.MatchString(folded[m[1]:]) {
			out.WriteString(folded[:m[0]] + " at ")
		} else {
			out.WriteString(folded[:m[1]])
		}
		folded = folded[m[1]:]
	}
	return strings.TrimSpace(out.String() + folded)
}

// usual hours for a part of the day, when no other was said
var usualHours = map[part]int{inMorning: 9, inAfternoon: 14, inEvening: 18}

// moment is when the customer wants something, as tools take it: "" when that is not known,
// or not all of it. It reports, too, whether any time will do.
func (c *conversation) moment(said []told) (at string, anytime bool) {
	var w when
	for _, t := range said {
		if t.asked.place() || t.asked == asksPhone && phoneNumber.MatchString(t.text) || t.asked == asksWhich && pickOf(newLine(t.text)) != 0 || t.asked == asksOption {
			continue
		}
		h := newLine(t.text).whole
		anytime = anytime || t.asked == asksWhen && (heard("anytime", h) || heard("now", h)) || t.asked == asksNothing && heard("now", h)
		heard := c.timesIn(withoutAddress(t.text))
		if t.asked == asksNothing || t.asked == asksWhat {
			w = when{}
		}
		if !heard.date.IsZero() {
			w.date = heard.date
		}
		if heard.part != anyTime {
			w.part = heard.part
		}
		if heard.clock != nil && (t.asked == asksWhen || t.asked == asksOtherwise || !heard.date.IsZero() || heard.part != anyTime || clockSaid(t.text)) {
			w.clock = heard.clock
			w.clock.exact = w.clock.exact || figureClock.MatchString(westernDigits(t.text))
		}
		if n := lone(t.text); t.asked == asksWhen && heard.clock == nil && !w.date.IsZero() && n > 0 && n < 24 {
			w.clock = &clock{hour: n, exact: n > 12}
		}
	}
	if w.clock == nil && !w.date.IsZero() && w.part != anyTime {
		w.clock = &clock{usualHours[w.part], 0, true}
	}
	if w.clock == nil {
		return "", anytime
	}
	hour := w.clock.at(w.part, false)
	if w.date.IsZero() { // the next time that the clock shows it
		w.date = c.calendar.today
		if hour <= c.now.Format("15:04") {
			w.date = w.date.AddDate(0, 0, 1)
		}
	}
	return w.date.Format(time.DateOnly) + "T" + hour, false
}

// figureClock is a time as clocks show it, which is of a day's 24 hours.
var figureClock = regexp.MustCompile(`\d{1,2}:\d{2}`)

var clockFigures = regexp.MustCompile(`\d{1,2}[:.]\d{2}|\d ?[ap]m\b|[ap]\.m\.`)

// clockSaid reports whether a text says a time of day and no number of something.
func clockSaid(text string) bool {
	return clockFigures.MatchString(strings.ToLower(westernDigits(text)))
}

// dayOnly reports whether a day was said, and no time of it.
func (c *conversation) dayOnly(said []told) bool {
	at, anytime := c.moment(said)
	return at == "" && !anytime && slices.ContainsFunc(said, func(t told) bool {
		return !t.asked.place() && !c.timesIn(withoutAddress(t.text)).date.IsZero()
	})
}

// lone is the number that a text is, 0 for anything else.
func lone(text string) int {
	l := newLine(westernDigits(text))
	if len(l.plain) != 1 {
		return 0
	}
	return count(l.plain[0])
}
