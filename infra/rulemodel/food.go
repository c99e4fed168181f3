package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// order leads an order of food: from which listing, what, with which options, brought or
// picked up, then the proposal.
func (a *agent) order() reply {
	l, next := a.kitchen()
	if next != nil {
		return *next
	}
	m, next := a.menuOf(l.id)
	if next != nil {
		return *next
	}
	food := m.of("menuItems")
	if len(food.dishes) == 0 {
		if a.near != nil && a.near.id == l.id && len(a.shops) == 0 { // it was meant for another
			a.near, a.shown = nil, nil
			return a.order()
		}
		return say(a.v["noMenu"])
	}
	cart, gone, understood := a.cart(food)
	if next := a.fillCart(l, food, cart, gone, understood); next != nil {
		return *next
	}
	return a.bring(l, food, cart)
}

// kitchen is the listing to order from.
func (a *agent) kitchen() (*listing, *reply) {
	first := a.first().text
	query := shopName(first)
	if query == "" {
		query = strings.Join(gist(withoutAddress(first), "ordering", "menu", "delivering", "picking up", "here", "also"), " ")
	}
	if query == "" && a.near == nil && len(a.shops) == 0 {
		if len(a.shown) > 1 {
			a.shops = a.shown
			return a.among(a.v["found"], "…")
		}
		return nil, a.ask("what food")
	}
	return a.shop(query, "order_food")
}

// menuOf is the menu of a listing, as a tool told it in this turn.
func (a *agent) menuOf(id string) (menu, *reply) {
	for _, r := range a.called("getMenu") {
		switch {
		case r.args["listingId"] != id:
		case r.failed != nil:
			next := a.wrong(r.failed)
			return menu{}, &next
		default:
			return parseMenu(r.data), nil
		}
	}
	next := a.must("getMenu", map[string]any{"listingId": id})
	return menu{}, &next
}

// cart is what is wanted so far, what was wanted last and is sold out, and whether the last
// answer named anything.
func (a *agent) cart(m menu) (cart []wish, gone []string, understood bool) {
	for _, t := range a.said {
		switch {
		case t.asked == asksOption:
			m.choose(cart, t.text)
			continue
		case t.asked == asksItems, t.asked == asksNothing, t.asked == asksOtherwise, t.asked == asksWhat, heard("also", newLine(t.text).whole) && !t.asked.place():
		default:
			continue
		}
		wishes := a.wishes(m, t)
		h := newLine(t.text).whole
		gone, understood = nil, len(wishes) > 0 || onlyHeard("refusal", h) || heard("picking up", h) || phoneNumber.MatchString(t.text)
		for _, w := range wishes {
			if m.dishes[w.dish].soldOut {
				gone = append(gone, m.dishes[w.dish].name)
				continue
			}
			cart = append(cart, w)
		}
	}
	return merged(cart), gone, understood
}

// wishes reads one message for what is on the menu. The name of the house is none of it.
func (a *agent) wishes(m menu, t told) []wish {
	if t.asked == asksItems {
		if picked := m.numbered(t.text); picked != nil {
			return picked
		}
	}
	return m.wishes(a.wishText(t))
}

// wishText is what a message may name of the menu: without addresses and names of houses.
func (a *agent) wishText(t told) string {
	text := withoutAddress(t.text)
	if name := shopName(t.text); name != "" {
		text = strings.Replace(text, name, " ", 1)
	}
	for _, l := range slices.Concat(a.shops, a.shown) {
		text = replaceFold(text, l.name)
	}
	return text
}

// replaceFold takes a name out of a text, whatever its case.
func replaceFold(text, name string) string {
	if name == "" {
		return text
	}
	return regexp.MustCompile(`(?i)`+regexp.QuoteMeta(name)).ReplaceAllString(text, " ")
}

// merged adds up positions that are the same.
func merged(cart []wish) []wish {
	var out []wish
	for _, w := range cart {
		i := slices.IndexFunc(out, func(o wish) bool { return o.dish == w.dish && slices.Equal(o.options, w.options) })
		if i < 0 {
			out = append(out, w)
			continue
		}
		out[i].quantity += w.quantity
	}
	return out
}

// choose takes the answer to the choice that was open: numbers as it was listed, or names.
func (m menu) choose(cart []wish, text string) {
	w, g := m.open(cart)
	if g == nil {
		return
	}
	left := g.left()
	if n := lone(text); n >= 1 && n <= len(left) {
		cart[w].options = append(cart[w].options, left[n-1].id)
		return
	}
	said := newLine(text).plain
	for i := range said {
		if id, _ := (dish{groups: []optionGroup{*g}}).option(said[i:]); id != "" && !slices.Contains(cart[w].options, id) && chosen(*g, cart[w].options) < g.high {
			cart[w].options = append(cart[w].options, id)
		}
	}
}

// left are the options that can be had.
func (g optionGroup) left() []option {
	return slices.DeleteFunc(slices.Clone(g.options), func(o option) bool { return o.soldOut })
}

// fillCart asks for what is still to be chosen; nil when nothing is.
func (a *agent) fillCart(l *listing, m menu, cart []wish, gone []string, understood bool) *reply {
	last := a.last()
	head := ""
	if len(gone) > 0 && (last.asked == asksItems || last.asked == asksNothing || last.asked == asksWhich) {
		head = fmt.Sprintf(a.v["soldOut"], clean(strings.Join(gone, ", "), 120)) + "\n"
	}
	switch {
	case last.asked == asksItems && !understood:
		head = a.v["noSuch"] + "\n"
	case len(cart) > 0 && (last.asked == asksItems || last.asked == asksNothing) && m.vague(a.wishText(last), cart):
		return a.whichOf(m, cart)
	case len(cart) == 0, head != "":
	default:
		return a.chooseOption(l, m, cart)
	}
	next := say(head + m.show(a.v) + "\n" + a.v["items"])
	return &next
}

// whichOf shows the menu where part of what was wanted may be several things of it; what was
// understood stays.
func (a *agent) whichOf(m menu, cart []wish) *reply {
	var taken []string
	for _, w := range cart {
		taken = append(taken, fmt.Sprintf("%d × %s", w.quantity, clean(m.dishes[w.dish].name, maxName)))
	}
	next := say(strings.Join(taken, ", ") + " +\n" + m.show(a.v) + "\n" + a.v["items"])
	return &next
}

// chooseOption asks for a choice that is open. The tool is asked first: what it says is to be chosen the customer gets as
// buttons.
func (a *agent) chooseOption(l *listing, m menu, cart []wish) *reply {
	w, g := m.open(cart)
	if g == nil {
		return nil
	}
	options := g.left()
	if len(options) == 0 {
		next := say(fmt.Sprintf(a.v["soldOut"], clean(m.dishes[cart[w].dish].name, maxName)) + "\n" + m.show(a.v) + "\n" + a.v["items"])
		return &next
	}
	if _, asked := a.done("orderFood"); !asked {
		if next := a.call("orderFood", a.foodOrder(l, m, cart, false, where{})); next != nil {
			return next
		}
	}
	next := say(enumerate(fmt.Sprintf(a.v["options"], clean(m.dishes[cart[w].dish].name, maxName), clean(g.name, maxName)), len(options), func(i int) string {
		if extra := options[i].extra.String(); extra != "" {
			return clean(options[i].name, maxName) + " · +" + extra
		}
		return clean(options[i].name, maxName)
	}, a.v["option"]))
	return &next
}

// wantsDelivery tells whether the order is to be brought, if that was said.
func (a *agent) wantsDelivery() (brought, said bool) {
	for _, t := range a.said {
		h := newLine(t.text).whole
		switch {
		case t.asked == asksDelivery && lone(t.text) == 1:
			brought, said = true, true
		case t.asked == asksDelivery && lone(t.text) == 2, heard("picking up", h) && !t.asked.place(), onlyHeard("picking up", h):
			brought, said = false, true
		case t.asked == asksPickupOnly && onlyHeard("consent", h):
			brought, said = false, true
		case t.asked == asksDelivery && (heard("here", h) || looksPlace(h)), heard("delivering", h), addressIn(t.text) != "", t.asked == asksAddress && (h != "" || t.pin):
			brought, said = true, true
		}
	}
	return brought, said
}

// bring settles how the food gets to the customer, then proposes.
func (a *agent) bring(l *listing, m menu, cart []wish) reply {
	if r, done := a.done("orderFood"); done {
		return a.ordered(m, r)
	}
	brought, said := a.wantsDelivery()
	at := a.place(asksAddress)
	switch {
	case m.deliversOnly && said && !brought:
		return say(a.v["onlyDelivery"] + " " + a.v["address"])
	case m.deliversOnly:
		brought = true
	case !m.delivers && brought && a.last().asked == asksPickupOnly:
		return say(a.v["dropped"])
	case !m.delivers && brought:
		return say(a.v["pickupOnly"])
	case !m.delivers:
	case !said:
		return say(a.v["delivery"])
	}
	switch {
	case brought && !at.known():
		return say(a.v["address"])
	case a.dayOnly(a.said):
		return say(a.v["moment"])
	}
	return a.must("orderFood", a.foodOrder(l, m, cart, brought, at))
}

// foodOrder is what to order, as arguments of orderFood.
func (a *agent) foodOrder(l *listing, m menu, cart []wish, brought bool, at where) map[string]any {
	var items []any
	for _, w := range cart {
		options := append([]string{}, w.options...)
		items = append(items, map[string]any{"itemId": m.dishes[w.dish].id, "quantity": w.quantity, "options": options, "note": nil})
	}
	args := map[string]any{"listingId": l.id, "items": items, "delivery": brought}
	if brought && !at.here {
		args["address"] = at.text
	}
	if when, _ := a.moment(a.said); when != "" {
		args["when"] = when
	}
	if phone := a.phone(); phone != "" {
		args["phone"] = phone
	}
	if note := a.note(); note != "" {
		args["note"] = note
	}
	return args
}

// note is a special wish.
func (a *agent) note() string {
	for _, t := range a.said {
		if newLine(t.text).says(special) && !t.asked.place() {
			return clean(t.text, 200)
		}
	}
	return ""
}

// ordered answers a proposal that was made, or asks for what the tool wants.
func (a *agent) ordered(m menu, r result) reply {
	f := r.failed
	if f == nil {
		return say(a.v["proposed"])
	}
	switch {
	case f.field == "phone":
		return say(a.v["phone"])
	case f.field == "address" && strings.Contains(f.message, "km"):
		return say(a.v["tooFar"] + " " + a.v["address"])
	case f.field == "address":
		return say(a.v["address"])
	case f.field == "delivery" && m.deliversOnly:
		return say(a.v["onlyDelivery"] + " " + a.v["address"])
	case f.field == "delivery":
		return say(a.v["pickupOnly"])
	case f.field == "when":
		return a.shut(f)
	case f.field == "items" && m.minimum.String() != "":
		return say(fmt.Sprintf(a.v["minimum"], m.minimum) + "\n" + m.show(a.v) + "\n" + a.v["items"])
	case strings.HasPrefix(f.field, "items"):
		return say(a.v["noSuch"] + "\n" + m.show(a.v) + "\n" + a.v["items"])
	}
	return a.wrong(f)
}

var opensNext = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}`)

// shut says that it is closed at the time, and when it opens if the tool said so.
func (a *agent) shut(f *failure) reply {
	head := a.v["badTime"]
	if strings.Contains(f.message, "closed") {
		head = a.v["closed"]
	}
	if t, err := time.Parse("2006-01-02T15:04", opensNext.FindString(f.message)); err == nil && head == a.v["closed"] {
		head += " " + fmt.Sprintf(a.v["opens"], a.v.moment(t))
	}
	return say(head + " " + a.v["moment"])
}
