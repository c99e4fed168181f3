package rulemodel

import "strings"

// question is what somebody was asked for. Sentences of words/ whose names begin with it ask for it: "date" and "date arrive".
type question string

const asksNothing question = ""

// of the one who books
const (
	askWhich    question = "choose" // of the listings
	askOffering question = "offering"
	askSlot     question = "slot" // one of the alternatives
	askDate     question = "date"
	askTime     question = "time"
	askNights   question = "nights"
	askParty    question = "party"
)

// on an errand
const (
	asksWhich       question = "which" // of the listings
	asksWhat        question = "what"  // is looked for
	asksItems       question = "items"
	asksOption      question = "option"
	asksDelivery    question = "delivery"
	asksPickupOnly  question = "pickupOnly"
	asksAddress     question = "address"
	asksPhone       question = "phone"
	asksWhen        question = "moment"
	asksProblem     question = "problem"   // what is to be done
	asksWorkplace   question = "workplace" // where
	asksCancelWhich question = "cancelWhich"
	asksNear        question = "near" // from where
	asksWhatPlace   question = "place"
	asksPickup      question = "pickup"
	asksDropoff     question = "dropoff"
	asksMoveWhich   question = "moveWhich"
	asksNewTime     question = "newTime"
	asksNewSlot     question = "newSlot"
	asksWaiting     question = "waiting"
	asksRemindWhich question = "remindWhich"
	asksHoursBefore question = "hoursBefore"
	asksWhom        question = "whom"
	asksMessage     question = "message"
	asksOtherwise   question = "otherwise" // nothing: what was offered shall be different
)

// of a business
const (
	officeAsksListing question = "listing"
	officeAsksItem    question = "item"
	officeAsksDay     question = "day"
	officeAsksHours   question = "hours"
	officeAsksOrder   question = "order"
)

// at the damage desk
const (
	deskAsksWhere   question = "where"   // the damage of a report in the making is
	deskAsksAddress question = "address" // instead of the present one
	deskAsksPlace   question = "place"   // of those that an address may mean
	deskAsksPhotos  question = "photos"
	deskAsksWhat    question = "what"
	deskAsksWhen    question = "when"
	deskAsksWhich   question = "which" // report is meant
)

// place reports whether the answer on an errand is a place.
func (q question) place() bool {
	return q == asksAddress || q == asksWorkplace || q == asksNear || q == asksPickup || q == asksDropoff
}

// free reports whether the answer on an errand may be any words.
func (q question) free() bool {
	return q.place() || q == asksProblem || q == asksItems || q == asksWhat || q == asksWhatPlace || q == asksMessage || q == asksWhom
}

// askedFor is what our text asked for in a section, in whatever language.
func askedFor(section, said string) question {
	for _, v := range voices(speaker(section)) {
		if q, _ := v.asks(section, said); q != asksNothing {
			return q
		}
	}
	return asksNothing
}

// asks is what our text asked for, and the words that ask it. On an errand and in an office a question ends a text; elsewhere it
// may stand anywhere.
func (v voice) asks(section, said string) (question, string) {
	said = strings.TrimSpace(said)
	for _, name := range lexica().asks[section] {
		phrase := v[string(name)]
		if strings.Contains(phrase, "%s") {
			phrase = longer(before(phrase), after(phrase))
		}
		found := strings.Contains(said, phrase)
		if section == "errand" || section == "office" {
			found = strings.HasSuffix(said, phrase)
		}
		if found && phrase != "" {
			first, _, _ := strings.Cut(string(name), " ")
			return question(first), phrase
		}
	}
	return asksNothing, ""
}
