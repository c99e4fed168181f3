package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// menu is what a result says of what a listing has. Everything in it is data.
type menu struct {
	listing, currency string
	dishes            []dish
	delivers          bool
	deliversOnly      bool
	minimum           money
}

// dish is something on a menu, or one of the services of a listing.
type dish struct {
	id, name, kind, section string
	price                   money
	soldOut                 bool
	groups                  []optionGroup
}

// optionGroup is a choice that a dish leaves.
type optionGroup struct {
	name      string
	low, high int
	options   []option
}

type option struct {
	id, name string
	extra    money
	soldOut  bool
}

// bounds on what is taken from a menu and shown of it
const (
	maxDishes   = 60
	shownDishes = 25
	maxShown    = 900 // characters: what is longer is not remembered whole
	maxOptions  = 20
)

func parseMenu(data map[string]any) menu {
	m := menu{listing: str(data, "listing"), currency: str(data, "currency")}
	if d, ok := data["delivery"].(map[string]any); ok {
		m.delivers = true
		m.deliversOnly, _ = d["noPickup"].(bool)
		m.minimum = money{num(d, "minimumMinor"), m.currency}
	}
	for _, v := range list(data, "items", maxDishes) {
		d := dish{id: str(v, "id"), name: str(v, "name"), kind: str(v, "kind"), section: str(v, "section")}
		d.soldOut, _ = v["soldOut"].(bool)
		d.price = moneyIn(v, "price")
		for _, g := range list(v, "options", maxOptions) {
			d.groups = append(d.groups, parseGroup(g, m.currency))
		}
		if d.id != "" && d.name != "" {
			m.dishes = append(m.dishes, d)
		}
	}
	return m
}

func parseGroup(v map[string]any, currency string) optionGroup {
	g := optionGroup{name: str(v, "name"), low: int(num(v, "min")), high: int(num(v, "max"))}
	for _, c := range list(v, "choices", maxOptions) {
		o := option{id: str(c, "id"), name: str(c, "name"), extra: money{num(c, "priceMinor"), currency}}
		o.soldOut, _ = c["soldOut"].(bool)
		g.options = append(g.options, o)
	}
	return g
}

// of are the things of a kind on the menu.
func (m menu) of(kind string) menu {
	m.dishes = slices.DeleteFunc(slices.Clone(m.dishes), func(d dish) bool { return d.kind != kind })
	return m
}

// wish is one position that a customer wants.
type wish struct {
	dish, quantity int
	options        []string
	from, to       int // the words that named it
}

// smallWords of names do not tell one from another, folded.
var smallWords = strings.Fields(`and with of the a for in two one ve ile iki bir και με и с ו و kisilik`)

func nameWords(name string) []string {
	return slices.DeleteFunc(newLine(name).plain, func(w string) bool { return slices.Contains(smallWords, w) || len([]rune(w)) < 2 })
}

// wishes reads what a text wants of the menu: by name, the longest names first, then by a
// word that only one thing has in its name.
func (m menu) wishes(text string) []wish {
	said := newLine(westernDigits(text)).plain
	taken := make([]bool, len(said))
	var out []wish
	mark := func(d, from, to int) {
		out = append(out, wish{dish: d, from: from, to: to})
		for i := from; i < to; i++ {
			taken[i] = true
		}
	}
	order := make([]int, len(m.dishes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(nameWords(m.dishes[b].name)) - len(nameWords(m.dishes[a].name)) })
	for _, d := range order {
		if from, to := window(said, taken, nameWords(m.dishes[d].name)); from < to {
			mark(d, from, to)
		}
	}
	options := m.optionWords(said)
	for i, w := range said {
		if taken[i] || options[i] || len([]rune(w)) < 3 || isFiller(w, "") || count(w) > 0 {
			continue
		}
		if d := m.only(w); d >= 0 {
			to := i + 1
			for to < len(said) && !taken[to] && !options[to] && slices.ContainsFunc(nameWords(m.dishes[d].name), func(n string) bool { return alike(said[to], n) }) {
				to++
			}
			mark(d, i, to)
		}
	}
	slices.SortFunc(out, func(a, b wish) int { return a.from - b.from })
	behind := 0
	for i, w := range out {
		out[i].quantity = quantity(said, behind, w.from, w.to)
		behind = w.to
	}
	m.addOptions(said, out)
	return out
}

// window finds the words of a name in what was said, one behind the other.
func window(said []string, taken []bool, name []string) (from, to int) {
	for i := range said {
		if begins(said[i:], name) && !slices.Contains(taken[i:i+len(name)], true) {
			return i, i + len(name)
		}
	}
	return 0, 0
}

// only is the one thing that has a word in its name, -1 for none or several.
func (m menu) only(word string) int {
	found := -1
	for i, d := range m.dishes {
		if !slices.ContainsFunc(nameWords(d.name), func(n string) bool { return alike(word, n) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// vague reports whether a text names, besides what it was understood to want, something that
// may be several things of the menu: "a pizza and a cola".
func (m menu) vague(text string, cart []wish) bool {
	for _, w := range newLine(text).plain {
		if len([]rune(w)) < 3 || isFiller(w, "") || count(w) > 0 || isWord(w, "order fillers") {
			continue
		}
		named := func(d dish) bool {
			return slices.ContainsFunc(nameWords(d.name), func(n string) bool { return alike(w, n) })
		}
		several := 0
		for _, d := range m.dishes {
			if _, width := d.option([]string{w}); width > 0 {
				several = -len(m.dishes)
			}
			if named(d) {
				several++
			}
		}
		if several > 1 && !slices.ContainsFunc(cart, func(c wish) bool { return named(m.dishes[c.dish]) }) {
			return true
		}
	}
	return false
}

// optionWords marks the words that name options, such as those of "extra cheese".
func (m menu) optionWords(said []string) []bool {
	marked := make([]bool, len(said))
	for i := range said {
		for _, d := range m.dishes {
			_, width := d.option(said[i:])
			for k := range width {
				marked[i+k] = true
			}
		}
	}
	return marked
}

var timesBehind = regexp.MustCompile(`^[x×х](\d{1,2})$`)

// quantity is how many of something are wanted whose name stands at words from to to; the
// number goes before it, but not before what was named before, which ends at behind.
func quantity(said []string, behind, from, to int) int {
	if to < len(said) {
		if m := timesBehind.FindStringSubmatch(said[to]); m != nil {
			return max(atoi(m[1]), 1)
		}
		if (said[to] == "x" || said[to] == "×" || said[to] == "х") && to+1 < len(said) && count(said[to+1]) > 0 {
			return count(said[to+1])
		}
	}
	for i := from - 1; i >= max(behind, from-3); i-- {
		switch n := count(said[i]); {
		case n > 0:
			return n
		case said[i] == "and" || said[i] == "ve" || said[i] == "και" || said[i] == "и":
			return 1
		}
	}
	return 1
}

// addOptions gives each option that was named to the nearest thing that has it.
func (m menu) addOptions(said []string, wishes []wish) {
	for i := range said {
		best, far, id := -1, 0, ""
		for w, wish := range wishes {
			if i >= wish.from && i < wish.to {
				continue
			}
			o, width := m.dishes[wish.dish].option(said[i:])
			distance := min(abs(i+width-wish.from), abs(i-wish.to))
			if o != "" && (best < 0 || distance < far) {
				best, far, id = w, distance, o
			}
		}
		if best >= 0 && !slices.Contains(wishes[best].options, id) {
			wishes[best].options = append(wishes[best].options, id)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// option is the id of the option that words begin with, and how many words it takes.
func (d dish) option(said []string) (id string, width int) {
	for _, g := range d.groups {
		for _, o := range g.options {
			name := newLine(o.name).plain
			if len(name) > width && !o.soldOut && begins(said, name) {
				id, width = o.id, len(name)
			}
		}
	}
	return id, width
}

// begins reports whether words begin with those of a name.
func begins(said, name []string) bool {
	if len(name) == 0 || len(name) > len(said) {
		return false
	}
	for k, n := range name {
		if !alike(said[k], n) {
			return false
		}
	}
	return true
}

// open is the first choice that is still to be made, in the order of what is wanted.
func (m menu) open(cart []wish) (w int, g *optionGroup) {
	for i, wish := range cart {
		d := m.dishes[wish.dish]
		for k := range d.groups {
			if chosen(d.groups[k], wish.options) < d.groups[k].low {
				return i, &d.groups[k]
			}
		}
	}
	return 0, nil
}

func chosen(g optionGroup, options []string) int {
	n := 0
	for _, o := range g.options {
		if slices.Contains(options, o.id) {
			n++
		}
	}
	return n
}

var numberedDish = regexp.MustCompile(`^(?:(\d{1,2}) ?[x×х*] ?)?#?(\d{1,2})$`)

// numbered reads numbers of the menu as it was shown: "3", "2 and 5", "2 x 3".
func (m menu) numbered(text string) []wish {
	folded := strings.NewReplacer(" x ", "x", " × ", "x", " х ", "x").Replace(newLine(westernDigits(strings.NewReplacer(",", " ", "+", " ", "&", " ").Replace(text))).whole)
	var out []wish
	for word := range strings.FieldsSeq(folded) {
		n := numberedDish.FindStringSubmatch(word)
		switch {
		case n != nil && atoi(n[2]) >= 1 && atoi(n[2]) <= len(m.dishes):
			out = append(out, wish{dish: atoi(n[2]) - 1, quantity: max(atoi(n[1]), 1)})
		case n == nil && (isWord(word, "order fillers") || isFiller(word, "")):
		default:
			return nil
		}
	}
	return out
}

// show lists the menu, numbered.
func (m menu) show(v voice) string {
	lines, section, size := []string{fmt.Sprintf(v["menu"], clean(m.listing, maxName))}, "", 0
	for i, d := range m.dishes[:min(len(m.dishes), shownDishes)] {
		if size += len([]rune(d.name)) + 20; size > maxShown {
			return strings.Join(append(lines, "…"), "\n")
		}
		if d.section != section {
			if section = d.section; section != "" {
				lines = append(lines, "— "+clean(section, 40))
			}
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, v.dish(d)))
	}
	return strings.Join(lines, "\n")
}

func (v voice) dish(d dish) string {
	parts := []string{clean(d.name, maxName)}
	if price := d.price.String(); price != "" {
		parts = append(parts, price)
	}
	if d.soldOut {
		parts = append(parts, v["soldOutMark"])
	}
	return strings.Join(parts, " · ")
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
