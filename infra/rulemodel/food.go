package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// kitchen is where an agent orders food.
type kitchen struct {
	*agent
	menu menu
	cart []wish // what is wanted so far
}

// order leads an order of food: from which listing, what, with which options, brought or
// picked up, then the proposal.
func (a *agent) order() reply {
	next := a.eatery()
	if next != nil {
		return *next
	}
	m, next := a.menuOf(a.at.id)
	if next != nil {
		return *next
	}
	k := kitchen{agent: a, menu: m.of("menuItems")}
	switch {
	case len(k.menu.dishes) > 0:
	case a.near != nil && a.near.id == a.at.id && len(a.shops) == 0: // it was meant for another
		a.near, a.shown = nil, nil
		return a.order()
	default:
		return say(a.v["noMenu"])
	}
	if next := k.choose(); next != nil {
		return *next
	}
	return k.bring()
}

// eatery is the listing to order from.
func (a *agent) eatery() *reply {
	first := a.first().text
	query := shopName(first)
	if query == "" {
		query = strings.Join(gist(withoutAddress(first), "ordering", "menu", "delivering", "picking up", "here", "also"), " ")
	}
	if query != "" || a.near != nil || len(a.shops) > 0 {
		return a.shopFor(query, "order_food", map[string]any{})
	}
	if len(a.shown) < 2 {
		return a.ask("what food")
	}
	var next *reply
	a.shops = a.shown
	a.at, next = a.among(a.v["found"], "…")
	return next
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

// hear gathers what is wanted. It tells what was wanted last and is sold out, and whether the last answer named anything.
func (k *kitchen) hear() (gone []string, understood bool) {
	var cart []wish
	for _, t := range k.said {
		h := newLine(t.text).whole
		switch {
		case t.asked == asksOption:
			k.menu.choose(cart, t.text)
			continue
		case !slices.Contains([]question{asksItems, asksNothing, asksOtherwise, asksWhat}, t.asked) && (!heard("also", h) || t.asked.place()):
			continue
		}
		wishes := k.wishes(t)
		gone, understood = nil, len(wishes) > 0 || onlyHeard("refusal", h) || heard("picking up", h) || phoneNumber.MatchString(t.text)
		for _, w := range wishes {
			if d := k.menu.dishes[w.dish]; d.soldOut {
				gone = append(gone, d.name)
				continue
			}
			cart = append(cart, w)
		}
	}
	for _, w := range cart { // what is the same goes together
		i := slices.IndexFunc(k.cart, func(o wish) bool { return o.dish == w.dish && slices.Equal(o.options, w.options) })
		if i < 0 {
			k.cart = append(k.cart, w)
			continue
		}
		k.cart[i].quantity += w.quantity
	}
	return gone, understood
}

// wishes reads one message for what is on the menu.
func (k *kitchen) wishes(t told) []wish {
	if t.asked == asksItems {
		if picked := k.menu.numbered(t.text); picked != nil {
			return picked
		}
	}
	return k.menu.wishes(k.wishText(t))
}

// wishText is what a message may name of the menu: without addresses and names of houses.
func (k *kitchen) wishText(t told) string {
	text := strings.Replace(withoutAddress(t.text), shopName(t.text), " ", 1)
	for _, l := range slices.Concat(k.shops, k.shown) {
		if l.name != "" {
			text = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(l.name)).ReplaceAllString(text, " ")
		}
	}
	return text
}

// shows puts the menu to the customer, behind what is to be said first.
func (k *kitchen) shows(head string) *reply {
	return put(head + "\n" + k.menu.show(k.v) + "\n" + k.v["items"])
}

// choose asks for what is still to be chosen; nil when nothing is.
func (k *kitchen) choose() *reply {
	gone, understood := k.hear()
	last := k.last()
	begun := last.asked == asksItems || last.asked == asksNothing
	switch {
	case last.asked == asksItems && !understood:
		return k.shows(k.v["noSuch"])
	case len(k.cart) > 0 && begun && k.menu.vague(k.wishText(last), k.cart):
		var taken []string // part of what was wanted may be several things; what was understood stays
		for _, w := range k.cart {
			taken = append(taken, fmt.Sprintf("%d × %s", w.quantity, clean(k.menu.dishes[w.dish].name, maxName)))
		}
		return k.shows(strings.Join(taken, ", ") + " +")
	case len(gone) > 0 && (begun || last.asked == asksWhich):
		return k.shows(fmt.Sprintf(k.v["soldOut"], clean(strings.Join(gone, ", "), 120)))
	case len(k.cart) == 0:
		return put(k.menu.show(k.v) + "\n" + k.v["items"])
	}
	return k.chooseOption()
}

// chooseOption asks for a choice that is open. The tool is asked first: what it says is to be chosen the customer gets as
// buttons.
func (k *kitchen) chooseOption() *reply {
	w, g := k.menu.open(k.cart)
	if g == nil {
		return nil
	}
	dish, options := clean(k.menu.dishes[k.cart[w].dish].name, maxName), g.left()
	if len(options) == 0 {
		return k.shows(fmt.Sprintf(k.v["soldOut"], dish))
	}
	if _, asked := k.done("orderFood"); !asked {
		if next := k.call("orderFood", k.foodOrder(false, where{})); next != nil {
			return next
		}
	}
	return put(enumerate(fmt.Sprintf(k.v["options"], dish, clean(g.name, maxName)), len(options), func(i int) string {
		if extra := options[i].extra.String(); extra != "" {
			return clean(options[i].name, maxName) + " · +" + extra
		}
		return clean(options[i].name, maxName)
	}, k.v["option"]))
}

// wantsDelivery tells whether the order is to be brought, if that was said.
func (k *kitchen) wantsDelivery() (brought, said bool) {
	for _, t := range k.said {
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
func (k *kitchen) bring() reply {
	if r, done := k.done("orderFood"); done {
		return k.ordered(r)
	}
	brought, said := k.wantsDelivery()
	at := k.place(asksAddress)
	m := k.menu
	switch {
	case m.deliversOnly && said && !brought:
		return say(k.v.sentences("onlyDelivery address"))
	case !m.delivers && brought && k.last().asked == asksPickupOnly:
		return say(k.v["dropped"])
	case !m.delivers && brought:
		return say(k.v["pickupOnly"])
	case m.delivers && !m.deliversOnly && !said:
		return say(k.v["delivery"])
	}
	brought = brought || m.deliversOnly
	switch {
	case brought && !at.known():
		return say(k.v["address"])
	case k.dayOnly(k.said):
		return say(k.v["moment"])
	}
	return k.must("orderFood", k.foodOrder(brought, at))
}

// foodOrder is what to order, as arguments of orderFood.
func (k *kitchen) foodOrder(brought bool, at where) map[string]any {
	var items []any
	for _, w := range k.cart {
		options := append([]string{}, w.options...)
		items = append(items, map[string]any{"itemId": k.menu.dishes[w.dish].id, "quantity": w.quantity, "options": options, "note": nil})
	}
	args := map[string]any{"listingId": k.at.id, "items": items, "delivery": brought}
	when, _ := k.moment(k.said)
	if !brought || at.here {
		at.text = ""
	}
	for name, said := range map[string]string{"address": at.text, "when": when, "phone": k.phone(), "note": k.note()} {
		if said != "" {
			args[name] = said
		}
	}
	return args
}

// ordered answers a proposal that was made, or asks for what the tool wants.
func (k *kitchen) ordered(r result) reply {
	f := r.failed
	if f == nil {
		return say(k.v["proposed"])
	}
	names := map[string]string{"phone": "phone", "address": "address", "delivery": "pickupOnly"}[f.field]
	switch {
	case f.field == "address" && strings.Contains(f.message, "km"):
		names = "tooFar address"
	case f.field == "delivery" && k.menu.deliversOnly:
		names = "onlyDelivery address"
	case f.field == "when":
		return k.shut(f)
	case f.field == "items" && k.menu.minimum.String() != "":
		return *k.shows(fmt.Sprintf(k.v["minimum"], k.menu.minimum))
	case strings.HasPrefix(f.field, "items"):
		return *k.shows(k.v["noSuch"])
	}
	if names == "" {
		return k.wrong(f)
	}
	return say(k.v.sentences(names))
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
