package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// remind leads to a reminder of a booking: which, and how long before.
func (a *agent) remind() reply {
	if r, done := a.done("setReminder"); done {
		return a.reminded(r)
	}
	b, next := a.ownBooking(a.v["remindWhich"])
	if next != nil {
		return *next
	}
	args := map[string]any{"transactionId": b.id}
	if hours, said := a.before(*b); said {
		args["hoursBefore"] = hours
	}
	return a.must("setReminder", args)
}

// maxHoursBefore is the longest time before a booking that a reminder may come.
const maxHoursBefore = 168

// before is how many hours before a booking the customer wants to be reminded; 0 is not at all.
func (a *agent) before(b booking) (hours int, said bool) {
	for _, t := range slices.Backward(a.said) {
		h := newLine(westernDigits(t.text)).whole
		n := hoursIn(h)
		if t.asked == asksHoursBefore && n == 0 {
			n = lone(t.text)
		}
		switch {
		case n > 0:
			return min(n, maxHoursBefore), true
		case t.asked == asksRemindWhich:
			continue
		case heard("no reminder", h):
			return 0, true
		}
		if n = a.until(t, b); n > 0 {
			return min(n, maxHoursBefore), true
		}
	}
	return 0, false
}

// until is how many hours before a booking the moment is that a message names; 0 if it names none.
func (a *agent) until(t told, b booking) int {
	w, starts := a.timesIn(t.text), a.hour(b.slot)
	if w.clock == nil || starts.IsZero() {
		return 0
	}
	day := w.date
	if day.IsZero() {
		day, _ = time.Parse(time.DateOnly, b.slot.date)
	}
	s, ok := parseSlot(day.Format(time.DateOnly) + " " + w.clock.at(w.part, false))
	if !ok {
		return 0
	}
	return int(starts.Sub(a.hour(s)).Round(time.Hour) / time.Hour)
}

func (a *agent) reminded(r result) reply {
	v := a.v
	switch f := r.failed; {
	case f != nil && f.field == "hoursBefore":
		return say(v["passed"] + " " + v["hoursBefore"])
	case f != nil:
		return a.wrong(f)
	}
	code := clean(str(r.data, "code"), 40)
	if at := a.v.stamp(str(r.data, "reminder")); at != "" {
		return say(fmt.Sprintf(v["reminds"], at, code))
	}
	return say(strings.TrimSpace(fmt.Sprintf(v["noReminder"], code)))
}

// hour is a moment of a booking, zero if it is not known.
func (c *conversation) hour(s slot) time.Time {
	at := s.clock
	if at == "" {
		at = "12:00"
	}
	t, err := time.ParseInLocation(time.DateOnly+"15:04", s.date+at, c.now.Location())
	if err != nil {
		return time.Time{}
	}
	return t
}
