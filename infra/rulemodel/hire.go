package rulemodel

import (
	"fmt"
	"strings"
)

// hire leads a request for a service: who, what is to be done, where and when, then the
// proposal.
func (a *agent) hire() reply {
	query := a.work()
	if query == "" {
		return say(a.v["what service"])
	}
	l, next := a.shop(query, "book_service")
	if next != nil {
		return *next
	}
	if r, done := a.done("bookService"); done {
		return a.requested(r)
	}
	services := menu{}
	if a.offered["getMenu"] != nil {
		m, next := a.menuOf(l.id)
		if next != nil {
			return *next
		}
		services = m.of("services")
	}
	description, id := a.job(services)
	if description == "" {
		return say(a.askJob(l, services))
	}
	return a.askFor(l, description, id)
}

// work is what to search for, in the catalogue's words.
func (a *agent) work() string {
	first := a.first().text
	h := newLine(first).whole
	kind := serviceKind(h)
	if kind == "" && a.first().asked == asksWhat {
		kind = strings.Join(gist(first), " ")
	}
	if name := shopName(first); name != "" && kind == "" {
		kind = name
	}
	if town := townOf(h); town != "" && kind != "" {
		return kind + " " + town
	}
	return kind
}

// job is what is to be done, and the service of the list that it is, if it is one.
func (a *agent) job(services menu) (description, id string) {
	first := a.first().text
	if a.tells(first) {
		description = clean(first, 400)
	}
	if t, ok := a.answer(asksProblem); ok {
		picked := services.numbered(t.text)
		if len(picked) == 1 {
			return services.dishes[picked[0].dish].name, services.dishes[picked[0].dish].id
		}
		description = clean(t.text, 400)
	}
	if named := services.wishes(description); len(named) == 1 && !services.dishes[named[0].dish].soldOut {
		id = services.dishes[named[0].dish].id
	}
	return description, id
}

// tells reports whether a text says more than who is needed, where and when.
func (a *agent) tells(text string) bool {
	h := newLine(withoutAddress(text)).whole
	for _, patterns := range [][]named{lexica().heard["service"], lexica().heard["town"], lexica().heard["time"]} {
		for _, p := range patterns {
			h = p.re.ReplaceAllString(h+" ", " ")
		}
	}
	l := newLine(h)
	a.calendar.read(l, false)
	left := ""
	for _, i := range l.left() {
		left += l.words[i] + " "
	}
	return len(gist(left, "helper", "here", "reserving", "ordering", "anytime", "now")) > 0
}

func (a *agent) askJob(l *listing, services menu) string {
	if len(services.dishes) == 0 {
		return a.v["problem"]
	}
	name := services.listing
	if name == "" {
		name = l.name
	}
	return enumerate(fmt.Sprintf(a.v["services"], clean(name, maxName)), min(len(services.dishes), 2*shownListings),
		func(i int) string { return a.v.dish(services.dishes[i]) }, a.v["problem"])
}

// askFor asks where and when, then proposes.
func (a *agent) askFor(l *listing, description, id string) reply {
	at := a.place(asksWorkplace)
	t, answered := a.answer(asksWorkplace)
	comes := answered && (heard("coming", newLine(t.text).whole) || onlyHeard("refusal", newLine(t.text).whole))
	when, anytime := a.moment(a.said)
	switch {
	case !at.known() && !comes:
		return say(a.v["workplace"])
	case when == "" && !anytime:
		return say(a.v["moment"])
	}
	args := map[string]any{"listingId": l.id, "description": description}
	if id != "" {
		args["serviceId"] = id
	}
	if !comes && !at.here {
		args["address"] = at.text
	}
	if when != "" {
		args["when"] = when
	}
	if phone := a.phone(); phone != "" {
		args["phone"] = phone
	}
	return a.must("bookService", args)
}

// requested answers the proposal of a service or viewing, or asks for what the tool wants.
func (a *agent) requested(r result) reply {
	f := r.failed
	if f == nil {
		return say(a.v["proposed"])
	}
	switch f.field {
	case "phone":
		return say(a.v["phone"])
	case "address":
		return say(a.v["workplace"])
	case "when":
		return a.shut(f)
	case "description", "serviceId", "items[0].itemId":
		return say(a.v["problem"])
	}
	return a.wrong(f)
}
