package rulemodel

import (
	"fmt"
	"strings"
)

// listOffer asks, after a time that is taken, whether the customer wants to wait for it.
func (c *conversation) listOffer(v voice, r result) string {
	if c.offered["joinWaitlist"] == nil || r.failed.reason != "taken" {
		return ""
	}
	return v["waiting"]
}

// wait puts the customer on the waiting list for the booking that was refused.
func (a *agent) wait() reply {
	v := a.voice()
	m := a.remember(nil)
	if m.lost() {
		f, next := a.find(v, m.asked)
		if next != nil {
			return *next
		}
		m = a.remember(f.listings)
	}
	if m.chosen == nil || m.date.IsZero() {
		return say(a.v["waitFirst"])
	}
	if m.chosen.brief && len(a.called("getListing")) == 0 {
		if next := a.call("getListing", map[string]any{"listingId": m.chosen.id}); next != nil {
			return *next // whether it is a stay is not remembered
		}
	}
	if m.stays() != m.until().After(m.date) || !m.stays() && m.clock == nil {
		return say(a.v["waitFirst"])
	}
	r, done := a.done("joinWaitlist")
	if !done {
		return a.must("joinWaitlist", m.proposal())
	}
	return a.waits(r, m)
}

// waits tells what the customer waits for, or books what turned out to be free.
func (a *agent) waits(r result, m *memory) reply {
	if f := r.failed; f != nil {
		if b, done := a.done("initiateBooking"); done && b.failed == nil {
			return say(a.v["proposed"])
		} else if f.kind == "conflict" && f.reason == "" && !done {
			return a.must("initiateBooking", m.proposal())
		}
		if f.reason != "" {
			return say(a.v["badTime"])
		}
		return a.wrong(f)
	}
	parts := []string{clean(str(r.data, "listing"), maxName)}
	if s, ok := parseSlot(r.data); ok {
		parts = append(parts, a.v.slot(s))
	}
	return say(fmt.Sprintf(a.v["waits"], strings.TrimLeft(strings.Join(parts, ", "), ", ")))
}
