package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// office leads a conversation with the people of a business.
type office struct {
	*conversation
	v    voice
	said []officeTold // since the wish began
	wish officeWish
}

// officeTold is a message of theirs, and what it may be the answer to.
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
	o := &office{conversation: c, v: voiceIn("office", c.tongue, c.fallback)}
	o.replay()
	switch o.wish {
	case wishPerson:
		return o.handOver()
	case wishDay:
		return o.day()
	case wishSoldOut, wishBack, wishLeft:
		return o.stock()
	case wishClosed, wishOpen:
		return o.closed()
	case wishHours:
		return o.hours()
	case wishAccept, wishRefuse, wishDone:
		return o.answer()
	case wishAbsent, wishCame:
		return o.absent()
	}
	return o.tell()
}

// fewWords are too few to be meant for somebody else.
const fewWords = 3

// tell proposes to pass on what is no wish of theirs, nor about their own house, to the customer
// of the only open order.
func (o *office) tell() reply {
	ours := slices.ContainsFunc([]string{"closed", "open", "our hours", "sold out"}, func(c string) bool { return heard(c, newLine(o.text).whole) })
	if ours || len(strings.Fields(o.text)) < fewWords || o.offered["writeToCustomer"] == nil {
		return say(o.v["help"])
	}
	r, next := o.once("getBusinessDay", nil)
	if next != nil {
		return *next
	}
	orders := list(r.data, "orders", maxListings)
	if len(orders) != 1 {
		return say(o.v["help"])
	}
	return o.propose("writeToCustomer", map[string]any{"code": str(orders[0], "code"), "text": o.text}, map[string]string{"conflict": o.v["noneWaiting"]})
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
	_, days := weekdayIn(h)
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

// must asks for a tool, or says that it cannot be had.
func (o *office) must(tool string, values map[string]any) reply {
	if next := o.call(tool, values); next != nil {
		return *next
	}
	return say(o.v["noPerson"])
}

// once returns what a tool gave in this turn, or the reply that gets it or says why not.
func (o *office) once(tool string, values map[string]any) (result, *reply) {
	for _, r := range slices.Backward(o.called(tool)) {
		if r.failed != nil {
			next := o.wrong(r.failed)
			return r, &next
		}
		return r, nil
	}
	next := o.must(tool, values)
	return result{}, &next
}

func (o *office) wrong(f *failure) reply {
	switch f.kind {
	case "unavailable", "internal":
		return say(o.v["away"])
	case "not_found":
		return say(o.v["gone"])
	}
	return say(o.v["cannot"])
}

// propose puts a change to them, or says why it cannot be.
func (o *office) propose(tool string, values map[string]any, refused map[string]string) reply {
	all := o.called(tool)
	if len(all) == 0 {
		return o.must(tool, values)
	}
	f := all[len(all)-1].failed
	switch {
	case f == nil:
		return say(o.v["proposed"])
	case refused[f.field] != "":
		return say(refused[f.field])
	case refused[f.kind] != "":
		return say(refused[f.kind])
	}
	return o.wrong(f)
}

func (o *office) handOver() reply {
	if _, next := o.once("askForPerson", map[string]any{"reason": reasonOf(o.text)}); next != nil {
		return *next
	}
	return say(o.v["handed"])
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
