package rulemodel

import (
	"regexp"
	"slices"
	"time"
)

// question is what is missing, the most important first.
func (m *memory) question() question {
	switch o := m.offering(); {
	case m.chosen == nil || m.proposed:
		if len(m.list) > 0 || m.asked != nil {
			return askWhich
		}
	case len(m.alternatives) > 0:
		return askSlot
	case o == nil && len(m.chosen.offerings) > 1:
		return askOffering
	case m.date.IsZero():
		return askDate
	case m.stays() && !m.until().After(m.date):
		return askNights
	case !m.stays() && m.clock == nil:
		return askTime
	case m.party == 0 && m.forPeople():
		return askParty
	}
	return asksNothing
}

// offering is the chosen one, the only one, or the one that was spoken of: who wants a table
// is not asked whether it shall be one.
func (m *memory) offering() *offering {
	if m.chosen == nil {
		return nil
	}
	var spoken *offering
	said := newLine(m.said).plain
	for i, o := range m.chosen.offerings {
		name := newLine(o.name).plain
		switch {
		case o.id == m.want && o.id != "" || len(m.chosen.offerings) == 1:
			return &m.chosen.offerings[i]
		case len(name) == 0 || slices.ContainsFunc(name, func(n string) bool {
			return !slices.ContainsFunc(said, func(w string) bool { return w == n || meansTable(w) && n == "table" })
		}):
		case spoken != nil:
			return nil
		default:
			spoken = &m.chosen.offerings[i]
		}
	}
	if m.want != "" {
		return nil
	}
	return spoken
}

// meansTable reports whether a folded word is another language's for a table.
func meansTable(w string) bool { return w != "menu" && heard("table", w) }

// stays reports whether what is booked is taken by the night or day.
func (m *memory) stays() bool {
	o := m.offering()
	return o != nil && o.stay()
}

// until is the last day of a stay, zero if it is not known.
func (m *memory) until() time.Time {
	if m.nights > 0 && !m.date.IsZero() {
		return m.date.AddDate(0, 0, m.nights)
	}
	return m.end
}

var (
	sharedKinds = regexp.MustCompile(`restaurant|dining|food|eat|bar\b|cafe|brunch|tour|boat|cruise|trip|activit|experience|event|class|hotel|stay|accommodation|villa|restoran|yemek|tekne|tur\b|turu|gezi|otel|konaklama`)
	sharedUnits = regexp.MustCompile(`person|people|guest|seat|table|ticket|head|kisi|masa|night`)
	mealKinds   = regexp.MustCompile(`restaurant|dining|food|eat|bar\b|cafe|meyhane|restoran|yemek`)
)

// kind is what the chosen listing says it is, folded.
func (m *memory) kind() string {
	return newLine(m.chosen.domain + " " + m.chosen.category).whole
}

// forPeople reports whether it matters how many come.
func (m *memory) forPeople() bool {
	o := m.offering()
	if o != nil && o.most > 0 {
		return o.most > 1
	}
	return sharedKinds.MatchString(m.kind()) || o != nil && sharedUnits.MatchString(newLine(o.unit+" "+o.per).whole)
}

// proposal is what to book, as arguments of initiateBooking.
func (m *memory) proposal() map[string]any {
	args := map[string]any{"listingId": m.chosen.id, "date": m.date.Format(time.DateOnly)}
	if o := m.offering(); o != nil && o.id != "" {
		args["offeringId"] = o.id
	}
	if m.stays() {
		args["endDate"] = m.until().Format(time.DateOnly)
	} else if m.clock != nil {
		args["time"] = m.clock.at(m.part, mealKinds.MatchString(m.kind()))
	}
	if m.party > 0 {
		args["partySize"] = m.party
	}
	if m.note != "" {
		args["note"] = m.note
	}
	return args
}
