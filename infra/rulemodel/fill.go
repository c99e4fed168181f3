package rulemodel

import (
	"cmp"
	"fmt"
	"strings"
)

// task is what the rules know of an errand's tool that its schema does not say.
type task struct {
	tool    string
	asks    []string                       // parameters that are asked for, in this order; the others take what was said
	refused map[string]string              // the sentences that are said where the tool refuses a field, or for a reason of that kind
	done    string                         // the sentence that is said of what it did, where that is not to be checked by the customer
	tells   func(a *agent, r result) reply // of what it found
}

// tasks are the errands that one tool does, by topic.
var tasks = map[topic]task{
	toHire: {tool: "bookService", asks: []string{"listingId", "description", "address", "when"}, refused: map[string]string{
		"phone": "phone", "address": "workplace", "when": "shut", "description": "problem", "serviceId": "problem", "items[0].itemId": "problem"}},
	toView: {tool: "scheduleViewing", asks: []string{"listingId", "when"}, refused: map[string]string{"phone": "phone", "when": "shut"}},
	toRide: {tool: "requestTaxi", asks: []string{"pickup", "dropoff", "when"}, refused: map[string]string{
		"pickup": "pickup", "usePickupLocation": "pickup", "dropoff": "dropoff", "when": "badTime moment", "phone": "phone"}},
	toOrder: {tool: "orderFood"}, toFind: {tool: "getNearbyPlaces"}, toPharmacy: {tool: "findPharmacy"}, toWait: {tool: "joinWaitlist"}, // which have more to it
	rideStatus:   {tool: "getTaxiStatus", refused: map[string]string{"not_found": "noRide"}, tells: tellRide},
	toRevokeRide: {tool: "cancelTaxi", asks: []string{"rideId"}, refused: map[string]string{"not_found": "noRide", "conflict": "tooLate"}, done: "cancelAsked"},
	toRevoke:     {tool: "cancelOrder", asks: []string{"orderId"}, refused: map[string]string{"conflict": "tooLate"}, done: "cancelAsked"},
	myOrders:     {tool: "getMyOrders", tells: tellOrders},
	toHandOver:   {tool: "askForPerson", asks: []string{"reason"}, done: "handed"},
	toMove: {tool: "rescheduleBooking", asks: []string{"transactionId", "date"}, refused: map[string]string{
		"date": "badTime newTime", "time": "badTime newTime", "endDate": "badTime newTime", "conflict": "cannotMove", "forbidden": "cannotMove"}},
	toRemind: {tool: "setReminder", asks: []string{"transactionId"}, refused: map[string]string{"hoursBefore": "passed hoursBefore"}, tells: tellReminder},
	toWrite: {tool: "sendWhatsAppMessage", asks: []string{"listingId", "text"}, refused: map[string]string{
		"conflict": "noWriting toPerson", "text": "message"}},
	toPay:     {tool: "createPaymentIntent", refused: map[string]string{"not_found": "nothingToPay", "conflict": "nothingToPay"}, tells: tellLink},
	payStatus: {tool: "getPaymentStatus", refused: map[string]string{"not_found": "nothingToPay"}, tells: tellPayment},
}

// filler puts the value of a parameter among others, or comes to the reply that finds it or asks for it.
type filler func(a *agent, values map[string]any) *reply

// fillers are those of the parameters that the rules can fill, by tool where that matters.
var fillers = map[string]filler{
	"phone": take("phone", func(a *agent) string { return a.phone() }), "scheduleViewing note": take("note", (*agent).note),
	"reason": take("reason", func(a *agent) string { return reasonOf(a.last().text) }),

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
func take(name string, said func(a *agent) string) filler {
	return func(a *agent, values map[string]any) *reply {
		if s := said(a); s != "" {
			values[name] = s
		}
		return nil
	}
}

// perform comes to the next step of a task: a call of its tool as soon as what it takes is known, and then what it gave.
func (a *agent) perform(t task) reply {
	r, done := a.done(t.tool)
	switch {
	case !done:
		return a.fill(t)
	case r.failed != nil:
		return a.refused(t, r.failed)
	case t.tells != nil:
		return t.tells(a, r)
	}
	return say(a.v[cmp.Or(t.done, "proposed")])
}

// fill gathers what the tool's schema takes, and calls it.
func (a *agent) fill(t task) reply {
	values := map[string]any{}
	s := parseSchema(a.offered[t.tool])
	if s == nil {
		return say(a.v["cannot"])
	}
	for _, name := range s.names(t.asks) {
		of := fillers[t.tool+" "+name]
		if of == nil {
			of = fillers[name]
		}
		if of == nil {
			continue
		}
		if next := of(a, values); next != nil {
			return *next
		}
	}
	return a.must(t.tool, values)
}

// refused asks for what a tool wants otherwise, or says why it is not done.
func (a *agent) refused(t task, f *failure) reply {
	if len(f.alternatives) > 0 && t.tool == "rescheduleBooking" {
		return say(enumerate(a.v["instead"], min(len(f.alternatives), shownListings), func(i int) string { return a.v.slot(f.alternatives[i]) }, a.v["newSlot"]))
	}
	names := cmp.Or(t.refused[f.field], t.refused[f.kind])
	switch {
	case f.reason != "" && t.tool == "rescheduleBooking":
		names = t.refused["time"]
	case names == "shut":
		return a.shut(f)
	case names == "":
		return a.wrong(f)
	}
	return say(a.v.sentences(names))
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
		next := say(a.v["moment"])
		return &next
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
