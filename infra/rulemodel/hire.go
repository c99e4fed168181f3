package rulemodel

import (
	"fmt"
	"slices"
	"strings"
)

// hired is the listing of who does what is needed.
func hired(a *agent, values map[string]any) *reply {
	first := a.first()
	h := newLine(first.text).whole
	kind := serviceKind(h)
	if kind == "" && first.asked == asksWhat {
		kind = strings.Join(gist(first.text), " ")
	}
	if kind == "" {
		kind = shopName(first.text)
	}
	if kind == "" {
		return a.ask("what service")
	}
	return a.shopFor(strings.TrimSpace(kind+" "+townOf(h)), "book_service", values)
}

// home is the property that is to be seen.
func home(a *agent, values map[string]any) *reply {
	text := a.first().text
	town := townOf(newLine(text).whole)
	query := append(gist(a.without(text, "time", "town"), "viewing", "arranging", "nearest", "anytime"), strings.Fields(town)...)
	if len(query) == 0 {
		query = []string{"property"}
	}
	return a.shopFor(strings.Join(query, " "), "schedule_viewing", values)
}

// without is a folded text without things of some sections and what it says of time.
func (c *conversation) without(text string, sections ...string) string {
	h := newLine(text).whole
	for _, section := range sections {
		for _, thing := range lexica().heard[section] {
			h = strings.TrimSpace(thing.re.ReplaceAllString(h+" ", " "))
		}
	}
	l := newLine(h)
	c.calendar.read(l, false)
	var left []string
	for _, i := range l.left() {
		left = append(left, l.words[i])
	}
	return strings.Join(left, " ")
}

// shopFor puts the listing that is meant among the values.
func (a *agent) shopFor(query, action string, values map[string]any) *reply {
	l, next := a.shop(query, action)
	if next == nil {
		a.at, values["listingId"] = l, l.id
	}
	return next
}

// job is what is to be done, and the service of the list that it is, if it is one.
func job(a *agent, values map[string]any) *reply {
	services := menu{}
	if a.offered["getMenu"] != nil {
		m, next := a.menuOf(a.at.id)
		if next != nil {
			return next
		}
		services = m.of("services")
	}
	description := ""
	if first := a.first().text; a.tells(first) {
		description = clean(first, 400)
	}
	if t, ok := a.answer(asksProblem); ok {
		description = clean(t.text, 400)
		if picked := services.numbered(t.text); len(picked) == 1 {
			d := services.dishes[picked[0].dish]
			values["description"], values["serviceId"] = d.name, d.id
			return nil
		}
	}
	if description == "" {
		return put(a.askJob(services))
	}
	values["description"] = description
	if called := services.wishes(description); len(called) == 1 && !services.dishes[called[0].dish].soldOut {
		values["serviceId"] = services.dishes[called[0].dish].id
	}
	return nil
}

// tells reports whether a text says more than the kind of help, where and when.
func (a *agent) tells(text string) bool {
	return len(gist(a.without(withoutAddress(text), "service", "town", "time"), "helper", "here", "reserving", "ordering", "anytime", "now")) > 0
}

func (a *agent) askJob(services menu) string {
	if len(services.dishes) == 0 {
		return a.v["problem"]
	}
	name := services.listing
	if name == "" {
		name = a.at.name
	}
	return enumerate(fmt.Sprintf(a.v["services"], clean(name, maxName)), min(len(services.dishes), 2*shownListings),
		func(i int) string { return a.v.dish(services.dishes[i]) }, a.v["problem"])
}

// workplace is where it is to be done: at an address, where the customer is, or at theirs.
func workplace(a *agent, values map[string]any) *reply {
	at := a.place(asksWorkplace)
	t, answered := a.answer(asksWorkplace)
	h := newLine(t.text).whole
	comes := answered && (heard("coming", h) || onlyHeard("refusal", h))
	switch {
	case !at.known() && !comes:
		return a.ask("workplace")
	case !comes && !at.here:
		values["address"] = at.text
	}
	return nil
}

// placed is an order, a request or a viewing of the customer's.
type placed struct {
	id, code, kind, listing, status string
	line                            string // it in words
}

// orders are the customer's, as a tool told them in this turn, or the reply that gets them.
func (a *agent) orders() ([]placed, *reply) {
	r, next := a.got("getMyOrders", nil)
	if next != nil {
		return nil, next
	}
	var out []placed
	for _, m := range list(r.data, "orders", maxListings) {
		p := placed{id: str(m, "orderId"), code: str(m, "code"), kind: str(m, "kind"), listing: str(m, "listing"), status: str(m, "status")}
		expected := a.v.stamp(str(m, "expectedAt"))
		if expected != "" {
			expected = fmt.Sprintf(a.v["expected"], expected)
		}
		p.line = clean(p.listing, maxName) + " · " +
			beside(clean(p.code, 40), a.v["order "+p.status], moneyIn(m, "total").String(), a.v.stamp(str(m, "when")), expected)
		out = append(out, p)
	}
	return out, nil
}

func (a *agent) listed(all []placed, tail string) reply {
	return say(strings.TrimSpace(enumerate(a.v["orders"], min(len(all), 2*shownListings), func(i int) string { return all[i].line }, tail)))
}

// tellOrders shows the customer's own. The word may mean bookings, too.
func tellOrders(a *agent, _ result) reply {
	all, next := a.orders()
	switch {
	case next != nil:
		return *next
	case len(all) == 0 && heard("bookings", newLine(a.last().text).whole):
		return a.booker().bookings()
	case len(all) == 0:
		return say(a.v["noOrders"])
	}
	return a.listed(all, "")
}

// ownOrder is the order to cancel, of those that may be; the tool has the last word.
func ownOrder(a *agent, values map[string]any) *reply {
	all, next := a.orders()
	if next != nil {
		return next
	}
	open := slices.DeleteFunc(slices.Clone(all), func(p placed) bool { return p.status != "placed" && (p.status != "accepted" || p.kind == "food") })
	var ask reply
	switch chosen := a.meantOrder(open); {
	case chosen != nil:
		values["orderId"] = chosen.id
		return nil
	case len(open) > 0:
		ask = a.listed(open, a.v["cancelWhich"])
	case len(all) > 0:
		ask = say(a.v["tooLate"])
	default:
		ask = say(a.v["noOrders"])
	}
	return &ask
}

// meantOrder is the one that the customer names by code, number or listing, or the only one.
func (a *agent) meantOrder(open []placed) *placed {
	said := newLine(a.last().text)
	for i, p := range open {
		code := newLine(p.code).whole
		if code != "" && slices.Contains(said.plain, code) || strings.Contains(" "+said.whole+" ", " "+newLine(p.listing).whole+" ") {
			return &open[i]
		}
	}
	n := pickOf(newLine(westernDigits(a.last().text)))
	if n == 0 && a.last().asked == asksCancelWhich {
		n = lone(a.last().text)
	}
	if i, ok := index(n, len(open)); ok {
		return &open[i]
	}
	if len(open) == 1 {
		return &open[0]
	}
	return nil
}
