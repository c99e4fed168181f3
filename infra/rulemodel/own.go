package rulemodel

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// parseOwn reads one of the customer's bookings.
func parseOwn(m map[string]any) booking {
	b := booking{id: str(m, "transactionId"), code: str(m, "code"), summary: str(m, "summary"), listing: str(m, "listing"), party: int(num(m, "partySize")),
		status: cmp.Or(str(m, "state"), str(m, "status"))}
	if s, ok := parseSlot(m); ok {
		b.slot = s
	}
	return b
}

// standing reports whether a booking is confirmed and not over.
func (b booking) standing(today time.Time) bool {
	last := max(b.slot.date, b.slot.end)
	return b.id != "" && b.status == "confirmed" && (last == "" || last >= today.Format(time.DateOnly))
}

// ownBooking is the booking that the customer means.
func ownBooking(a *agent, values map[string]any) *reply {
	r, next := a.got("getMyBookings", nil)
	if next != nil {
		return next
	}
	ahead := slices.DeleteFunc(slices.Clone(r.bookings), func(b booking) bool { return !b.standing(a.calendar.today) })
	if a.booking = a.meantBooking(ahead); a.booking != nil {
		values["transactionId"] = a.booking.id
		return nil
	}
	ask := say(a.v["noBookings"])
	if len(ahead) > 0 {
		ask = say(a.v.bookings(a.v["mine"], unstated(ahead), a.v[map[topic]string{toMove: "moveWhich", toRemind: "remindWhich"}[a.topic]]))
	}
	return &ask
}

// unstated leaves out of bookings that they are confirmed: so are all that are shown.
func unstated(bs []booking) []booking {
	out := slices.Clone(bs)
	for i := range out {
		out[i].status = ""
	}
	return out
}

// meantBooking is the booking that the customer names by code, number or business, the one
// that was made just now, or the only one.
func (a *agent) meantBooking(ahead []booking) *booking {
	for _, t := range slices.Backward(a.said) {
		if t.asked != asksNothing && t.asked != asksMoveWhich && t.asked != asksRemindWhich {
			continue
		}
		said := newLine(westernDigits(t.text))
		for i, b := range ahead {
			if code := newLine(b.code).whole; code != "" && slices.Contains(said.plain, code) || mentions(said, b.listing) {
				return &ahead[i]
			}
		}
		if t.asked == asksNothing {
			continue // numbers of the first message are of something else
		}
		n := pickOf(said)
		if n == 0 {
			n = lone(t.text)
		}
		if i, ok := index(n, len(ahead)); ok {
			return &ahead[i]
		}
	}
	if len(ahead) == 1 && !a.elsewhere() || len(ahead) > 0 && a.stage == booked && !a.elsewhere() {
		return &ahead[0]
	}
	return nil
}

// elsewhere reports whether the customer speaks of something that is no booking, such as
// milk to be reminded of.
func (a *agent) elsewhere() bool {
	if a.topic != toRemind {
		return false
	}
	h := newLine(a.said[0].text).whole
	if heard("bookings", h) || marketThing(h) {
		return false
	}
	left := gist(a.timeless(a.said[0].text), "reminding", "no reminder", "hour words", "day words", "week words", "half", "earlier", "later on")
	return len(left) > 1
}

// mentions reports whether a business is called by its name, or by a word of it that is no
// kind of business.
func mentions(l *line, name string) bool {
	whole := newLine(name)
	if len(whole.whole) > 3 && strings.Contains(" "+l.whole+" ", " "+whole.whole+" ") {
		return true
	}
	return slices.ContainsFunc(whole.plain, func(n string) bool {
		return len([]rune(n)) > 2 && !isThing(n) && !isFiller(n, "") && slices.ContainsFunc(l.plain, func(w string) bool { return alike(w, n) })
	})
}

// timeless is what a text says besides of time, folded.
func (c *conversation) timeless(text string) string {
	l := newLine(inEnglish(text))
	c.calendar.read(l, false)
	var left []string
	for _, i := range l.left() {
		left = append(left, l.plain[i])
	}
	return strings.Join(left, " ")
}

// stage is how far the booking has come that was spoken of last.
type stage int

const (
	noBooking stage = iota
	making
	proposing
	booked
)

// follow reads how far the booking has come from what the assistant said.
func (e *errand) follow(said string) {
	asking := askedFor("booking", said) != asksNothing || inAnyVoice(func(v voice) bool { return v.showed(said) })
	for _, v := range voices("market") {
		switch {
		case strings.Contains(said, v["proposed"]) && e.topic == toMove:
			e.stage = booked // it stands, whatever comes of it
			return
		case strings.Contains(said, v["proposed"]) && (e.topic == noErrand || e.topic == toWait):
			e.stage = proposing
			return
		case strings.Contains(said, v["proposed"]), strings.Contains(said, v["cancelAsked"]):
			e.stage = noBooking
			return
		}
	}
	if e.topic == noErrand && asking {
		e.stage = making
	}
}

// settle reads how far it has come from the customer's YES or NO.
func (e *errand) settle(folded string) {
	switch {
	case e.stage != proposing:
	case onlyHeard("refusal", folded):
		e.stage = making
	case onlyHeard("consent", folded):
		e.stage = booked
	}
}

// sharpen tells what a message is about that may mean a booking that stands.
func (e *errand) sharpen(next topic, folded string, t told) topic {
	inMaking := e.stage == making || e.stage == proposing
	switch {
	case next == toMove && inMaking && !heard("bookings", folded):
		return noErrand
	case next == noErrand && e.stage == booked && (heard("changing", folded) || shiftOf(folded) != 0) && !marketThing(folded) && !toCancel.MatchString(folded):
		return toMove
	case next == noErrand && t.asked == asksWaiting && pickOf(newLine(folded)) == 0 && !strings.ContainsAny(folded, digits) &&
		(onlyHeard("consent", folded) || heard("the list", folded)):
		return toWait
	case next == toWait && !inMaking && marketThing(folded):
		return noErrand // what it is for has to be looked for first
	}
	return next
}

// maxHoursBefore is the longest time before a booking that a reminder may come.
const maxHoursBefore = 168

// hoursBefore is how many hours before a booking the customer wants to be reminded; 0 is not at all.
func hoursBefore(a *agent, values map[string]any) *reply {
	for _, t := range slices.Backward(a.said) {
		h := newLine(westernDigits(t.text)).whole
		n := hoursIn(h)
		if t.asked == asksHoursBefore && n == 0 {
			n = lone(t.text)
		}
		none := n == 0 && t.asked != asksRemindWhich && heard("no reminder", h)
		if n == 0 && !none && t.asked != asksRemindWhich {
			n = a.until(t, *a.booking)
		}
		if n > 0 || none {
			values["hoursBefore"] = min(n, maxHoursBefore)
			return nil
		}
	}
	return nil
}

// until is how many hours before a booking the moment is that a message names; 0 if it names none.
func (a *agent) until(t told, b booking) int {
	w, starts := a.timesIn(t.text), b.slot.hour(a.now.Location())
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
	return int(starts.Sub(s.hour(a.now.Location())).Round(time.Hour) / time.Hour)
}

// hour is a moment of a booking, zero if it is not known.
func (s slot) hour(zone *time.Location) time.Time {
	at := s.clock
	if at == "" {
		at = "12:00"
	}
	t, err := time.ParseInLocation(time.DateOnly+"15:04", s.date+at, zone)
	if err != nil {
		return time.Time{}
	}
	return t
}
