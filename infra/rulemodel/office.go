package rulemodel

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// office leads a conversation with the people of a business.
type office struct {
	*conversation
	v    *officeVoice
	said []officeTold // since the wish began
	wish officeWish
}

// officeTold is a message of theirs, and what it may be the answer to.
type officeTold struct {
	text, folded string
	asked        officeQuestion
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
	o := &office{conversation: c, v: officeVoices()[c.officeTongue()]}
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
	ours := slices.ContainsFunc([]errandCue{ofClosed, ofOpen, ofOurHours, ofSoldOut}, func(c errandCue) bool { return heardAny(c, newLine(o.text).whole) })
	if ours || len(strings.Fields(o.text)) < fewWords || o.offered["writeToCustomer"] == nil {
		return say(o.v.help)
	}
	r, next := o.once("getBusinessDay", nil)
	if next != nil {
		return *next
	}
	orders := list(r.data, "orders", maxListings)
	if len(orders) != 1 {
		return say(o.v.help)
	}
	return o.propose("writeToCustomer", map[string]any{"code": str(orders[0], "code"), "text": o.text}, map[string]string{"conflict": o.v.noneWaiting})
}

// officeTongue tells the language of a business: by what they write that shows it, else by
// what the system says.
func (c *conversation) officeTongue() string {
	if officeVoices()[c.tongue] != nil {
		return c.tongue
	}
	if officeVoices()[c.fallback] != nil {
		return c.fallback
	}
	return "en"
}

// replay hears the conversation from its beginning and keeps what belongs to the last wish.
func (o *office) replay() {
	asked := officeAsksNothing
	for _, e := range o.past {
		switch {
		case strings.TrimSpace(e.said) != "":
			asked = officeAsked(e.said)
		case e.result == nil:
			o.hear(e.user, asked)
			asked = officeAsksNothing
		}
	}
	o.hear(o.text, asked)
}

func (o *office) hear(text string, asked officeQuestion) {
	t := officeTold{text, newLine(westernDigits(text)).whole, asked}
	next := wishOf(t)
	if asked == officeAsksNothing || next != noWish && next != o.wish && !answers(asked, next) {
		o.said, o.wish, t.asked = nil, next, officeAsksNothing
	}
	o.said = append(o.said, t)
}

// answers reports whether what sounds like a wish may as well answer the question: a day
// that is asked for is no question about it.
func answers(asked officeQuestion, next officeWish) bool {
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

func officeAsked(said string) officeQuestion {
	said = strings.TrimSpace(said)
	for phrase, q := range officePhrases() {
		if strings.HasSuffix(said, phrase) {
			return q
		}
	}
	return officeAsksNothing
}

// officePhrases are the questions of all languages.
var officePhrases = sync.OnceValue(func() map[string]officeQuestion {
	all := map[string]officeQuestion{}
	for _, v := range officeVoices() {
		maps.Copy(all, v.questions())
	}
	return all
})

// partOfDay tells that it is closed for less than a day, which no tool sets.
var partOfDay = regexp.MustCompile(`\b(?:early|earlier|late|later|(?:at|from|until|till|after|before) \d|erken|gec|\d{1,2}(?::\d{2})?'?(?:d[ae]n?|t[ae]n?)|yarim gun)\b|(?:^| )(?:νωρις|νωριτερα|раньше|пораньше|с \d+|до \d+|מוקדם|مبكرا|باكرا)(?: |$)`)

// wishOf tells what a message of a business asks for.
func wishOf(t officeTold) officeWish {
	h := t.folded
	_, days := weekdayIn(h)
	spans := len(spansIn(t.text)) > 0
	question := strings.ContainsAny(t.text, "?;؟")
	closing := heardAny(ofClosed, h)
	switch {
	case isForPerson(h):
		return wishPerson
	case heardAny(ofCame, h):
		return wishCame
	case heardAny(ofAbsent, h):
		return wishAbsent
	case heardAny(ofRefusing, h):
		return wishRefuse
	case spans && days, heardAny(ofOurHours, h), closing && days && heardAny(ofWeekly, h):
		return wishHours
	case heardAny(ofSoldOut, h):
		return wishSoldOut
	case heardAny(ofLeft, h) && hasNumber(t.text) && !question:
		return wishLeft
	case question && (closing || heardAny(ofOpen, h)), closing && partOfDay.MatchString(h):
		return noWish
	case closing:
		return wishClosed
	case heardAny(ofOpen, h) && !spans:
		return wishOpen
	case heardAny(ofBack, h):
		return wishBack
	case minutesIn(h) > 0, onlyHeard(ofAccepting, h):
		return wishAccept
	case heardAny(ofDone, h):
		return wishDone
	case heardAny(ofDay, h):
		return wishDay
	case heardAny(ofAccepting, h):
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
	return say(o.v.noPerson)
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
		return say(o.v.errand.away)
	case "not_found":
		return say(o.v.gone)
	}
	return say(o.v.errand.cannot)
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
		return say(o.v.proposed)
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
	return say(o.v.errand.care.handed)
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
