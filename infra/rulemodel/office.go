package rulemodel

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// office leads a conversation with the people of a business.
type office struct {
	turn
	said []officeTold // since the wish began
	wish officeWish
}

// officeTold is a message of the business, and the question that it may answer.
type officeTold struct {
	text, folded string
	asked        question
}

// officeWish is what they want.
type officeWish int

const (
	noWish officeWish = iota
	wishPerson
	wishDay
	wishSoldOut
	wishBack
	wishLeft
	wishClosed
	wishOpen
	wishHours
	wishAccept
	wishRefuse
	wishDone
	wishAbsent // nobody came to a booking
	wishCame   // somebody did, after all
)

// atOffice reports whether who writes is a business.
func (c *conversation) atOffice() bool { return c.offered["getBusinessDay"] != nil }

// serve comes to the next step of a turn with a business: a call, or words.
func (c *conversation) serve() reply {
	o := &office{turn: turn{conversation: c, v: voiceIn("office", c.tongue, c.fallback), absent: "noPerson"}}
	o.wrong = o.failed
	o.replay()
	if o.wish == noWish && !o.isForCustomer() {
		return say(o.v["help"])
	}
	return perform(o, o.turn, officeTasks[o.wish], officeFillers)
}

// failed says why a call failed that no question can mend.
func (o *office) failed(f *failure) reply {
	name := map[string]string{"unavailable": "away", "internal": "away", "not_found": "gone"}[f.kind]
	return say(o.v[cmp.Or(name, "cannot")])
}

// fewWords are too few to be meant for somebody else.
const fewWords = 3

// isForCustomer reports whether a message that asks for nothing, and is not about their own house, may be passed on to a customer.
func (o *office) isForCustomer() bool {
	ours := slices.ContainsFunc([]string{"closed", "open", "our hours", "sold out"}, func(c string) bool { return heard(c, newLine(o.text).whole) })
	return !ours && len(strings.Fields(o.text)) >= fewWords && o.offered["writeToCustomer"] != nil
}

// replay hears the conversation from its beginning and keeps what belongs to the last wish.
func (o *office) replay() {
	q := asksNothing
	for _, e := range o.past {
		switch {
		case strings.TrimSpace(e.said) != "":
			q = askedFor("office", e.said)
		case e.result == nil:
			o.hear(e.user, q)
			q = asksNothing
		}
	}
	o.hear(o.text, q)
}

func (o *office) hear(text string, asked question) {
	t := officeTold{text, newLine(westernDigits(text)).whole, asked}
	next := wishOf(t)
	if asked == asksNothing || next != noWish && next != o.wish && !answers(asked, next) {
		o.said, o.wish, t.asked = nil, next, asksNothing
	}
	o.said = append(o.said, t)
}

// answers reports whether what sounds like a wish may as well answer the question: a day
// that is asked for is no question about it.
func answers(asked question, next officeWish) bool {
	switch asked {
	case officeAsksDay:
		return next == wishDay || next == wishHours
	case officeAsksHours:
		return next == wishHours || next == wishDay || next == wishOpen || next == wishClosed
	case officeAsksOrder:
		return next == wishAccept || next == wishDay
	}
	return next == wishAccept
}

// partOfDay tells that it is closed for less than a day, which no tool sets.
var partOfDay = regexp.MustCompile(`\b(?:early|earlier|late|later|(?:at|from|until|till|after|before) \d|erken|gec|\d{1,2}(?::\d{2})?'?(?:d[ae]n?|t[ae]n?)|yarim gun)\b|(?:^| )(?:νωρις|νωριτερα|раньше|пораньше|с \d+|до \d+|מוקדם|مبكرا|باكرا)(?: |$)`)

// wishOf tells what a message of a business asks for.
func wishOf(t officeTold) officeWish {
	h := t.folded
	days := weekdayIn(h) != ""
	spans := len(spansIn(t.text)) > 0
	question := strings.ContainsAny(t.text, "?;؟")
	closing := heard("closed", h)
	switch {
	case isForPerson(h):
		return wishPerson
	case heard("came", h):
		return wishCame
	case heard("absent", h):
		return wishAbsent
	case heard("refusing", h):
		return wishRefuse
	case spans && days, heard("our hours", h), closing && days && heard("weekly", h):
		return wishHours
	case heard("sold out", h):
		return wishSoldOut
	case heard("left", h) && hasNumber(t.text) && !question:
		return wishLeft
	case question && (closing || heard("open", h)), closing && partOfDay.MatchString(h):
		return noWish
	case closing:
		return wishClosed
	case heard("open", h) && !spans:
		return wishOpen
	case heard("back", h):
		return wishBack
	case minutesIn(h) > 0, onlyHeard("accepting", h):
		return wishAccept
	case heard("done", h):
		return wishDone
	case heard("day", h):
		return wishDay
	case heard("accepting", h):
		return wishAccept
	case days && len(strings.Fields(h)) <= 3:
		return wishDay
	}
	return noWish
}

// date is the day that they named, zero for none.
func (o *office) date() time.Time {
	for _, t := range slices.Backward(o.said) {
		if w := o.timesIn(t.text); !w.date.IsZero() {
			return w.date
		}
	}
	return time.Time{}
}
