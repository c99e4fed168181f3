package rulemodel

import (
	"slices"
	"strings"
)

// view leads a request to see a property: which, when, then the proposal.
func (a *agent) view() reply {
	l, next := a.shop(a.home(), "schedule_viewing")
	if next != nil {
		return *next
	}
	if r, done := a.done("scheduleViewing"); done {
		return a.requested(r)
	}
	when, anytime := a.moment(a.said)
	if when == "" && !anytime {
		return say(a.v.brief(*l) + "\n" + a.v["moment"])
	}
	args := map[string]any{"listingId": l.id}
	if when != "" {
		args["when"] = when
	}
	if phone := a.phone(); phone != "" {
		args["phone"] = phone
	}
	if note := a.note(); note != "" {
		args["note"] = note
	}
	return a.must("scheduleViewing", args)
}

// home is what property to search for.
func (a *agent) home() string {
	h := newLine(a.first().text).whole
	for _, p := range slices.Concat(lexica().heard["time"], lexica().heard["town"]) {
		h = strings.TrimSpace(p.re.ReplaceAllString(h+" ", " "))
	}
	l := newLine(h)
	a.calendar.read(l, false)
	left := ""
	for _, i := range l.left() {
		left += l.words[i] + " "
	}
	query := gist(left, "viewing", "arranging", "nearest", "anytime")
	if town := townOf(newLine(a.first().text).whole); town != "" {
		query = append(query, town)
	}
	if len(query) == 0 {
		return "property"
	}
	return strings.Join(query, " ")
}
