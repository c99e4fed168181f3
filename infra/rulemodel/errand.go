package rulemodel

import (
	"regexp"
	"slices"
	"strings"
)

// topic is what an errand is about: whatever is no booking.
type topic int

const (
	noErrand     topic = iota
	toOrder            // food, or to see the menu
	toHire             // a service
	toView             // a property
	myOrders           // how far they are
	toRevoke           // one of them
	toFind             // a place
	toPharmacy         // on duty or open
	toRide             // by taxi
	rideStatus         // how far it is
	toRevokeRide       // cancel it
	toHandOver         // to a person
	toMove             // a booking
	toWait             // for a time that is taken
	toRemind           // of a booking
	toWrite            // to a business
	toPay
	payStatus
	toLetGo // what we were at
)

// told is a message of the customer in an errand.
type told struct {
	text  string
	asked question // what it may be the answer to
	pin   bool     // a location was shared with it
	shown string   // what was said before it
}

// errand is what the rules know of an errand in the making. It is rebuilt for each
// request, by hearing the conversation from its beginning.
type errand struct {
	topic topic
	said  []told    // since it began
	shops []listing // found for it, to choose from
	asked question

	// What was shown before it, by a search or one by one.
	shown  []listing
	near   *listing // looked at last
	pinned bool     // a location is known
	stage  stage    // of the booking that was spoken of last
	before string   // what the assistant said last
	aside  *told    // what the customer asks now of a listing, the errand goes on after it
	offer  *errand  // what was proposed last, as long as the customer may want it otherwise
}

// agent runs an errand for a customer.
type agent struct {
	turn
	*errand
	at      *listing // where it is done, once it is known
	booking *booking // that it is about
}

// errands reports whether a turn is about an errand, and what to do next.
func (c *conversation) errands() (reply, bool) {
	if !slices.ContainsFunc(errandNames(), func(tool string) bool { return c.offered[tool] != nil }) {
		return reply{}, false
	}
	e := c.recallErrand()
	mine := c.takes(e, told{c.text, e.asked, c.pin, e.before})
	a := &agent{turn: turn{conversation: c, v: voiceIn("market", c.errandTongue()), absent: "cannot"}, errand: e}
	a.wrong = a.failed
	switch {
	case !mine && c.pin && c.text == "" && c.offered["getNearbyPlaces"] != nil:
		return say(a.v["place"]), true
	case !mine:
		return reply{}, false
	}
	return a.unquoted(a.run()), true
}

// unquoted leaves out what others wrote where a reply was sent back for it.
func (a *agent) unquoted(r reply) reply {
	if !a.plain || r.tool != "" || r.text == a.v["proposed"] {
		return r
	}
	if q, phrase := a.v.asks("errand", r.text); q != asksNothing {
		return say(phrase)
	}
	return say(a.v["cannot"])
}

func errandNames() []string {
	all := []string{"searchLocalPlaces", "getMenu"}
	for _, t := range tasks {
		all = append(all, t.tool)
	}
	return all
}

// run comes to the next step of an errand: a call, or words.
func (a *agent) run() reply {
	if a.aside != nil {
		return a.fact()
	}
	switch a.topic {
	case toOrder:
		return a.order()
	case toFind:
		return a.places()
	case toWait:
		return a.wait()
	case toLetGo:
		return say(a.v["dropped"])
	}
	return perform(a, a.turn, tasks[a.topic], errandFillers)
}

// recallErrand replays the past, and marks what of it was part of errands.
func (c *conversation) recallErrand() *errand {
	e := &errand{pinned: c.located}
	taken := false
	for i, past := range c.past {
		switch {
		case past.result != nil:
			e.learn(*past.result)
		case past.said != "":
			if strings.TrimSpace(past.said) != "" { // else it held only data
				e.overhear(past.said)
			}
		default:
			taken = c.takes(e, told{past.user, e.asked, past.pin, e.before})
			e.settle(newLine(past.user).whole)
		}
		c.past[i].errand = taken
	}
	return e
}

// learn reads the result of a call.
func (e *errand) learn(r result) {
	switch {
	case r.failed != nil:
	case r.tool == "searchMarketplace":
		e.shown, e.near = r.listings, nil
		if len(r.listings) == 1 {
			e.near = &r.listings[0]
		}
		if e.topic != noErrand {
			e.shops = r.listings
		}
	case r.tool == "getListing":
		e.near = &r.listings[0]
	case r.tool == "getMenu" && str(r.data, "listingId") != "":
		e.near = e.known(str(r.data, "listingId"))
	}
}

// known is a listing with all that was shown of it.
func (e *errand) known(id string) *listing {
	for _, l := range slices.Concat(e.shops, e.shown) {
		if l.id == id {
			return &l
		}
	}
	if e.near != nil && e.near.id == id {
		return e.near
	}
	return &listing{id: id, brief: true}
}

// overhear reads what the assistant itself said: what it asked, or that the errand is done.
func (e *errand) overhear(said string) {
	e.follow(said)
	e.asked, e.before = askedFor("errand", said), said
	if slices.Contains([]topic{toOrder, toHire, toView, toRide}, e.topic) && isProposal(said) {
		e.offer = &errand{topic: e.topic, said: e.said, shops: e.shops}
	}
	if e.asked == asksNothing {
		e.end()
	}
}

// isProposal reports whether our text puts an offer to the customer.
func isProposal(said string) bool {
	for _, v := range voices("market") {
		if strings.Contains(said, v["proposed"]) {
			return true
		}
	}
	return false
}

// otherwise reports whether a message, after NO to what was offered, says what shall be
// different about it; the errand then goes on from there.
func (c *conversation) otherwise(e *errand, t *told, h string) bool {
	offer := e.offer
	if onlyHeard("refusal", h) && noOnly.MatchString(h) || onlyHeard("refusal", h) && t.asked == asksNothing && len(strings.Fields(h)) == 1 {
		return false
	}
	e.offer = nil
	if offer == nil || e.topic != noErrand || t.asked != asksNothing || onlyHeard("consent", h) || marketThing(h) || aBooking.MatchString(h) {
		return false
	}
	w, people := c.timesIn(t.text), takeParty(newLine(westernDigits(t.text)))
	if people == 0 && w.clock == nil && w.date.IsZero() && !heard("changing", h) {
		return false
	}
	e.topic, e.said, e.shops = offer.topic, slices.Clone(offer.said), offer.shops
	t.asked = asksOtherwise
	return true
}

func (e *errand) end() { e.topic, e.said, e.shops, e.asked = noErrand, nil, nil, asksNothing }

// takes hears a message and reports whether it is part of an errand that can be run here.
func (c *conversation) takes(e *errand, t told) bool {
	e.pinned = e.pinned || t.pin
	h := newLine(t.text).whole
	e.aside = nil
	next := e.heard(h, t)
	if next == noErrand && c.otherwise(e, &t, h) {
		e.asked, e.said = asksNothing, append(e.said, t)
		return true
	}
	if next == e.topic && next != noErrand && t.asked != asksNothing && !t.asked.free() && asksFact(h) && e.spokenOf(&t) != nil && c.offered["getListing"] != nil {
		e.aside = &t
		return true
	}
	if tool := tasks[next].tool; tool != "" && c.offered[tool] == nil && !(next == toFind && c.offered["searchLocalPlaces"] != nil) &&
		!(next == toOrder && heard("menu", h) && c.offered["getMenu"] != nil) {
		next = noErrand
	}
	if next == noErrand {
		e.end()
		return false
	}
	if next != e.topic || t.asked == asksNothing {
		e.end()
		e.topic, t.asked = next, asksNothing
	}
	if t.asked == asksWhich && len(e.shops) > 0 && e.pick(t) == nil && e.another(t, c.timeless(t.text)) {
		e.said, e.shops, t.asked = nil, nil, asksWhat // something else is looked for
	}
	e.asked = asksNothing
	e.said = append(e.said, t)
	return true
}

// heard tells what a folded message is about: an errand that it asks for, or the one that
// it goes on with.
func (e *errand) heard(h string, t told) topic {
	on := e.topic != noErrand && t.asked != asksNothing
	if !on && tapped(t.shown, t.text) {
		return noErrand // whatever else the label would ask for
	}
	next := e.sharpen(topicOf(h), h, t)
	if l, ok := letterIn(t.text); ok && next != toHandOver && (l.whom != "" || e.near != nil) {
		next = toWrite
	}
	switch {
	case next == toHandOver:
		return next
	case e.topic == noErrand && t.asked == asksWhatPlace && next == noErrand:
		return toFind
	case !on:
		if next == toLetGo {
			return noErrand
		}
		return next
	case ofMine.MatchString(h), toCancel.MatchString(h) && aBooking.MatchString(h):
		return noErrand
	case next == toRevokeRide && e.topic != toRide, next == toRevoke && e.topic != toOrder && e.topic != toHire && e.topic != toView:
		return next
	case heard("dropping", h) && len(strings.Fields(h)) <= 4,
		(t.asked == asksAddress || t.asked == asksPickup || t.asked == asksPhone) && bareAnswer(h) && heard("refusal", h):
		return toLetGo
	case onlyHeard("gratitude", h):
		return noErrand
	case next != noErrand && next != e.topic && t.asked != asksMessage && asksFor.MatchString(h):
		return next // whatever was asked, this begins something else
	case t.asked.place() && t.asked != asksNear || t.asked == asksProblem || t.asked == asksMessage:
		if next == myOrders || next == toRevoke || next == toRevokeRide {
			return next
		}
		return e.topic
	case e.topic.ofOwn() && (next == noErrand || next == e.topic) && !toCancel.MatchString(h):
		return e.topic
	case heard("table", h) && heard("reserving", h), next == noErrand && e.looksElsewhere(h, t),
		toBook.MatchString(h) && marketThing(h) && serviceKind(h) == "":
		return noErrand
	case next == myOrders, next == toRevoke, next == toRevokeRide, next == toPharmacy, next == payStatus, next == toPay, next == toWait:
		return next
	case next != noErrand && (!t.asked.free() || t.asked == asksNear) && (next == toRide || !strings.ContainsAny(h, digits)):
		return next
	}
	return e.topic
}

// topicOf is the errand that a folded message asks for.
func topicOf(h string) topic {
	near, where := heard("nearest", h), heard("whereabouts", h)
	_, kind := placeKind(h)
	switch {
	case isForPerson(h):
		return toHandOver
	case heard("waitlist", h):
		return toWait
	case heard("reminding", h):
		return toRemind
	case heard("paid", h):
		return payStatus
	case heard("paying", h):
		return toPay
	case heard("revoking", h) && heard("taxi", h):
		return toRevokeRide
	case heard("revoking", h) && heard("orders", h) && !aBooking.MatchString(h):
		return toRevoke
	case heard("taxi", h) && (where || heard("progress", h)):
		return rideStatus
	case heard("taxi", h) && !near:
		return toRide
	case heard("rescheduling", h), heard("changing", h) && heard("bookings", h) && !heard("reserving", withoutBookings(h)):
		return toMove
	case heard("pharmacy", h):
		return toPharmacy
	case heard("my orders", h), heardBack.MatchString(h), heard("progress", h) && heard("orders", h) && !aBooking.MatchString(h):
		return myOrders
	case kind && (near || where || (townOf(h) != "" || nearCue.MatchString(h)) && !marketThing(h) || len(strings.Fields(h)) <= 2 && !marketThing(h)), near && !marketThing(h) && !aboutTimes.MatchString(h):
		return toFind
	case heard("table", h), heard("reserving", h) && marketThing(h) && serviceKind(h) == "":
	case heard("menu", h):
		return toOrder
	case serviceKind(h) != "" && !ofMine.MatchString(h), heard("helper", h):
		return toHire
	case heard("viewing", h) && !kind && heard("home", h), heard("viewing itself", h), heard("home", h) && heard("lease", h):
		return toView
	case heard("ordering", h) && !ofMine.MatchString(h):
		return toOrder
	}
	return noErrand
}

// heardBack asks whether a business has answered a request.
var heardBack = regexp.MustCompile(`\b(?:has|have|did) (?:the [\w' ]{2,30}|they|anybody|anyone) (?:already )?(?:confirm|accept|answer|repl)\w*`)

// withoutBookings leaves out of a folded text what names a booking.
func withoutBookings(h string) string {
	return cueOf("bookings").ReplaceAllString(h+" ", " ")
}

// asksFor tells that a folded message asks for something, rather than answers.
var asksFor = regexp.MustCompile(`\b(?:i|we) (?:also |now |just )?(?:need|want|would like)\b|\b(?:i|we)'d (?:also )?like\b|\b(?:can|could|may|shall) (?:you|i|we)\b|\blet me (?:see|order|book)\b|` +
	`^(?:please |and |also |ok |actually |now |then )*(?:order|book|reserve|call|get|cancel|find|show|list|send|where is|where's|where are|nearest|move|reschedule|remind|a taxi|taxi|a cab|cab|what's on the menu|menu of)\b|` +
	`\b(?:lazim|istiyor\w*|isterim|cagir\w*|siparis (?:et|ver)\w*|iptal et\w*|goster\w*|rezervasyon yap\w*|en yakin)\b|(?:^| )(?:θελω|χρειαζομαι|χρειαζομαστε|παραγγειλε|ακυρωσε|нужен|нужна|нужно|хочу|закажи|закажите|отмени|отмените|вызови|покажи|צריך|צריכה|צריכים|רוצה|תזמין|תזמיני|בטל|אריד|اريد|أريد|أحتاج|احتاج|اطلب|ألغ)(?: |$)`)

// looksElsewhere reports whether an answer names something of the marketplace other than
// what was asked.
func (e *errand) looksElsewhere(h string, t told) bool {
	if !marketThing(h) || serviceKind(h) != "" || e.pick(t) != nil {
		return false
	}
	if e.topic == toOrder {
		return t.asked == asksItems && townOf(h) != ""
	}
	return !t.asked.free()
}

// ofOwn reports whether a topic is about a booking that the customer has.
func (t topic) ofOwn() bool { return t == toMove || t == toRemind }

// aboutTimes tells that the nearest time is meant, not a place.
var aboutTimes = regexp.MustCompile(`\b(?:times?|slots?|dates?|days?|hours?|saat\w*|gun\w*|tarih\w*|musait\w*|bos)\b`)

// marketThing reports whether a folded message names something of the marketplace.
func marketThing(h string) bool { return slices.ContainsFunc(strings.Fields(h), isThing) }

// first is what the errand began with; the answer to what it is about goes before it.
func (e *errand) first() told {
	for _, t := range slices.Backward(e.said) {
		if t.asked == asksWhat {
			return t
		}
	}
	return e.said[0]
}

// last is what the customer says now.
func (e *errand) last() told { return e.said[len(e.said)-1] }

// answer is what was last said to a question.
func (e *errand) answer(q question) (told, bool) {
	for _, t := range slices.Backward(e.said) {
		if t.asked == q {
			return t, true
		}
	}
	return told{}, false
}

// errandTongue tells the customer's language on an errand.
func (c *conversation) errandTongue() string {
	return c.tongueIn("errand", question.place, func(text string) string {
		if l, ok := letterIn(text); ok {
			text = strings.ReplaceAll(text, l.whom, "") // a name tells nothing
		}
		return detect(phoneNumber.ReplaceAllString(text, ""))
	})
}

// failed says why a call failed that no question can mend.
func (a *agent) failed(f *failure) reply {
	name := map[string]string{"unavailable": "away", "internal": "away", "not_found": "gone", "limited": "tooMany", "conflict": "notThere", "forbidden": "notThere"}[f.kind]
	if name != "" {
		return say(a.v[name])
	}
	if f.message == "" || a.plain {
		return say(a.v["cannot"])
	}
	return say(strings.TrimSpace(a.v["cannot"] + " “" + clean(f.message, 200) + "”"))
}

var phoneNumber = regexp.MustCompile(`\+?\d[\d ()./-]{5,17}\d`)

// phone is the number that the customer gave, "" for none. Digits elsewhere may be of a house.
func (e *errand) phone() string {
	for _, t := range slices.Backward(e.said) {
		number := phoneNumber.FindString(westernDigits(t.text))
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, number)
		if len(digits) < 6 || len(digits) > 15 {
			continue
		}
		if t.asked == asksPhone || number[0] == '+' || heard("phone number", newLine(t.text).whole) || digits[0] == '0' && len(digits) >= 10 {
			if number[0] == '+' {
				return "+" + digits
			}
			return digits
		}
	}
	return ""
}

// phoneAbroad is that number where it can be called from anywhere.
func (e *errand) phoneAbroad() string {
	if number := e.phone(); strings.HasPrefix(number, "+") {
		return number
	}
	return ""
}
