package rulemodel

import "fmt"

// listOffer asks, after a time that is taken, whether the customer wants to wait for it.
func (b booker) listOffer(r result) string {
	if b.offered["joinWaitlist"] == nil || r.failed.reason != "taken" {
		return ""
	}
	return b.v["waiting"]
}

// wait puts the customer on the waiting list for the booking that was refused.
func (a *agent) wait() reply {
	b := a.booker()
	m := a.remember(nil)
	if m.lost() {
		f, next := b.find(m.asked)
		if next != nil {
			return *next
		}
		m = a.remember(f.listings)
	}
	if m.chosen != nil && !m.date.IsZero() && m.chosen.brief && len(a.called("getListing")) == 0 {
		if next := a.call("getListing", map[string]any{"listingId": m.chosen.id}); next != nil {
			return *next // whether it is a stay is not remembered
		}
	}
	if m.chosen == nil || m.date.IsZero() || m.stays() != m.until().After(m.date) || !m.stays() && m.clock == nil {
		return say(a.v["waitFirst"])
	}
	r, done := a.done("joinWaitlist")
	switch {
	case !done:
		return a.must("joinWaitlist", m.proposal())
	case r.failed != nil:
		return a.notWaiting(r.failed, m)
	}
	slot := ""
	if s, ok := parseSlot(r.data); ok {
		slot = a.v.slot(s)
	}
	said := clean(str(r.data, "listing"), maxName)
	if said != "" && slot != "" {
		said += ", "
	}
	return say(fmt.Sprintf(a.v["waits"], said+slot))
}

// notWaiting books what turned out to be free, or says why nobody can wait for it.
func (a *agent) notWaiting(f *failure, m *memory) reply {
	b, booked := a.done("initiateBooking")
	switch {
	case booked && b.failed == nil:
		return say(a.v["proposed"])
	case f.kind == "conflict" && f.reason == "" && !booked:
		return a.must("initiateBooking", m.proposal())
	case f.reason != "":
		return say(a.v["badTime"])
	}
	return a.wrong(f)
}
