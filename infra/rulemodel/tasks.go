package rulemodel

import (
	"cmp"
	"fmt"
	"strings"
)

// tasks are the errands that one tool does, by topic.
var tasks = map[topic]task[*agent]{
	toHire: {tool: "bookService", asks: []string{"listingId", "description", "address", "when"}, refused: by{
		"phone": "phone", "address": "workplace", "description": "problem", "serviceId": "problem", "items[0].itemId": "problem"},
		refuse: refuseTime},
	toView: {tool: "scheduleViewing", asks: []string{"listingId", "when"}, refused: by{"phone": "phone"}, refuse: refuseTime},
	toRide: {tool: "requestTaxi", asks: []string{"pickup", "dropoff", "when"}, refused: by{
		"pickup": "pickup", "usePickupLocation": "pickup", "dropoff": "dropoff", "when": "badTime moment", "phone": "phone"}},
	toOrder: {tool: "orderFood"}, toWait: {tool: "joinWaitlist"}, // which have more to it
	toFind:       {tool: "getNearbyPlaces", refused: by{"near": "near"}, tells: tellPlaces},
	toPharmacy:   {tool: "findPharmacy", refused: by{"near": "near"}, tells: tellPlaces},
	rideStatus:   {tool: "getTaxiStatus", refused: by{"not_found": "noRide"}, tells: tellRide},
	toRevokeRide: {tool: "cancelTaxi", asks: []string{"rideId"}, refused: by{"not_found": "noRide", "conflict": "tooLate"}, done: "cancelAsked"},
	toRevoke:     {tool: "cancelOrder", asks: []string{"orderId"}, refused: by{"conflict": "tooLate"}, done: "cancelAsked"},
	myOrders:     {tool: "getMyOrders", tells: tellOrders},
	toHandOver:   {tool: "askForPerson", asks: []string{"reason"}, done: "handed"},
	toMove: {tool: "rescheduleBooking", asks: []string{"transactionId", "date"}, refused: by{
		"date": "badTime newTime", "time": "badTime newTime", "endDate": "badTime newTime", "conflict": "cannotMove",
		"forbidden": "cannotMove"}, refuse: refuseMove},
	toRemind: {tool: "setReminder", asks: []string{"transactionId"}, refused: by{"hoursBefore": "passed hoursBefore"}, tells: tellReminder},
	toWrite: {tool: "sendWhatsAppMessage", asks: []string{"listingId", "text"}, refused: by{
		"conflict": "noWriting toPerson", "text": "message"}},
	toPay:     {tool: "createPaymentIntent", refused: by{"not_found": "nothingToPay", "conflict": "nothingToPay"}, tells: tellLink},
	payStatus: {tool: "getPaymentStatus", refused: by{"not_found": "nothingToPay"}, tells: tellPayment},
}

// errandFillers are those of the parameters that the rules can fill, by tool where that matters.
var errandFillers = map[string]filler[*agent]{
	"phone": take("phone", func(a *agent) string { return a.phone() }), "scheduleViewing note": take("note", (*agent).note),
	"reason": take("reason", func(a *agent) string { return reasonOf(a.last().text) }),

	"limit": func(_ *agent, values map[string]any) *reply { values["limit"] = shownListings; return nil },
	"near":  take("near", func(a *agent) string { return a.around() }), "category": soughtKind, "query": soughtWords, "findPharmacy when": duty,
	"bookService listingId": hired, "bookService description": job, "bookService address": workplace, "bookService when": whenToCome,
	"scheduleViewing listingId": home, "scheduleViewing when": whenToCome,
	"requestTaxi pickup": pickup, "requestTaxi dropoff": dropoff, "requestTaxi when": whenIfDay, "requestTaxi passengers": passengers,
	"requestTaxi phone":               take("phone", func(a *agent) string { return a.phoneAbroad() }),
	"cancelTaxi rideId":               ownRide,
	"cancelOrder orderId":             ownOrder,
	"rescheduleBooking transactionId": ownBooking, "rescheduleBooking date": newTerms,
	"setReminder transactionId": ownBooking, "setReminder hoursBefore": hoursBefore,
	"sendWhatsAppMessage listingId": addressee, "sendWhatsAppMessage text": letterText,
}

// take is the filler of what a customer has said or not.
func take(name string, said func(a *agent) string) filler[*agent] {
	return func(a *agent, values map[string]any) *reply {
		if s := said(a); s != "" {
			values[name] = s
		}
		return nil
	}
}

// refuseMove answers that a booking cannot be moved to a time.
func refuseMove(a *agent, f *failure) *reply {
	switch {
	case len(f.alternatives) > 0:
		return put(enumerate(a.v["instead"], min(len(f.alternatives), shownListings),
			func(i int) string { return a.v.slot(f.alternatives[i]) }, a.v["newSlot"]))
	case f.reason != "":
		return put(a.v.sentences("badTime newTime"))
	}
	return nil
}

// refuseTime answers that something cannot be had at a time.
func refuseTime(a *agent, f *failure) *reply {
	if f.field != "when" {
		return nil
	}
	next := a.shut(f)
	return &next
}

// whenToCome is when somebody comes, which is asked for unless any time will do.
func whenToCome(a *agent, values map[string]any) *reply {
	when, anytime := a.moment(a.said)
	if when != "" {
		values["when"] = when
	}
	if when != "" || anytime {
		return nil
	}
	next := say(a.v["moment"])
	if a.topic == toView {
		next = say(a.v.brief(*a.at) + "\n" + a.v["moment"])
	}
	return &next
}

// whenIfDay is when something is wanted that is wanted now where nothing is said of time.
func whenIfDay(a *agent, values map[string]any) *reply {
	when, anytime := a.moment(a.said)
	if when != "" {
		values["when"] = when
	} else if !anytime && a.dayOnly(a.said) {
		return a.ask("moment")
	}
	return nil
}

// tellLink gives the link of a payment, else what the backend asks about it follows.
func tellLink(a *agent, r result) reply {
	if link := str(r.data, "link"); link != "" {
		return say(fmt.Sprintf(a.v["pay"], link))
	}
	return say(a.v["proposed"])
}

// tellPayment tells how the customer's latest payment stands.
func tellPayment(a *agent, r result) reply {
	link := str(r.data, "link")
	if link != "" {
		link = fmt.Sprintf(a.v["payLink"], link)
	}
	amount := money{num(r.data, "amountMinor"), str(r.data, "currency")}
	return say(fmt.Sprintf(a.v["payment"], beside(clean(str(r.data, "code"), 40), amount.String(), a.v["payment "+str(r.data, "status")], link)))
}

// tellReminder tells when the customer is reminded.
func tellReminder(a *agent, r result) reply {
	code := clean(str(r.data, "code"), 40)
	if at := a.v.stamp(str(r.data, "reminder")); at != "" {
		return say(fmt.Sprintf(a.v["reminds"], at, code))
	}
	return say(strings.TrimSpace(fmt.Sprintf(a.v["noReminder"], code)))
}

// isForPerson reports whether a folded message asks for a human, rather than whether this is one.
func isForPerson(h string) bool {
	return (toPerson.MatchString(h) || heard("asking person", h)) && !whoAre.MatchString(h) && !heard("who are you", h)
}

// reasonOf is what a person is needed for, in the words of who asks.
func reasonOf(text string) string { return cmp.Or(clean(text, 300), "asks for a person") }
