package rulemodel

import (
	"fmt"
	"regexp"
	"strings"
)

// between stands between two wishes of one message.
var between = regexp.MustCompile(`(?i)\s*(?:[,;.]\s*)?(?:\s|^)(?:and then|and also|and|then|also|plus|ve|sonra|ayrıca|και|и|а также|وأيضا|ثم|וגם)\s+`)

// someBooking is a wish that is no errand.
const someBooking topic = -1

// wishIn tells what a part of a message asks for; more makes a search of it, too.
func wishIn(text string, more bool) (t topic, what string) {
	h := newLine(text).whole
	switch t := topicOf(h); {
	case t == toHire:
		return t, serviceKind(h)
	case t != noErrand:
		return t, ""
	case ofMine.MatchString(h), toBook.MatchString(h), heard("table", h), more && marketThing(h):
		return someBooking, ""
	}
	return noErrand, ""
}

// firstWish parts a message that asks for two things from each other. The rest is "" where it
// asks for one.
func firstWish(text string) (first, rest string) {
	if _, letter := letterIn(text); letter || len(text) > maxText {
		return text, ""
	}
	for _, m := range between.FindAllStringIndex(text, 8) {
		left, right := text[:m[0]], text[m[1]:]
		one, what := wishIn(left, true)
		two, other := wishIn(right, false)
		if one != noErrand && two != noErrand && (one != two || what != other) {
			return left, strings.TrimSpace(right)
		}
	}
	return text, ""
}

// oneByOne keeps of each message the first thing that it asks for, and what comes next of the
// last one. What is dictated stays whole.
func (c *conversation) oneByOne() {
	asked := asksNothing
	for i, e := range c.past {
		switch {
		case strings.TrimSpace(e.said) != "":
			asked = askedFor("errand", e.said)
		case e.result == nil && !asked.free():
			c.past[i].user, _ = firstWish(e.user)
		}
	}
	if !asked.free() {
		c.text, c.rest = firstWish(c.text)
	}
}

// andThen announces what comes next, ahead of the answer to the first.
func (c *conversation) andThen(r reply) reply {
	if c.rest == "" || r.tool != "" || c.plain {
		return r
	}
	v := voices("market")[c.errandTongue()]
	return say(fmt.Sprintf(v["next"], clean(strings.TrimRight(c.rest, " .!?"), 80)) + "\n" + r.text)
}
