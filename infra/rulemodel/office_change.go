package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// premises is a listing of the business, as a result tells of it.
type premises struct {
	id, name string
	items    []ware
}

type ware struct {
	listing, id, name, at string
	soldOut               bool
}

// mine gets the business's listings.
func (o *office) mine() ([]premises, *reply) {
	r, next := o.once("getMyListings", nil)
	if next != nil {
		return nil, next
	}
	var out []premises
	for _, v := range list(r.data, "listings", maxListings) {
		p := premises{id: str(v, "listingId"), name: str(v, "name")}
		for _, i := range list(v, "items", 200) {
			w := ware{listing: p.id, id: str(i, "itemId"), name: str(i, "name"), at: p.name}
			w.soldOut, _ = i["soldOut"].(bool)
			p.items = append(p.items, w)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		none := say(o.v["noListings"])
		return nil, &none
	}
	return out, nil
}

// where is the listing that is meant: the one they name, or the only one; else they are asked.
func (o *office) where(all []premises) (*premises, *reply) {
	if p := o.namedListing(all); p != nil {
		return p, nil
	}
	if len(all) == 1 {
		return &all[0], nil
	}
	next := say(enumerate("", min(len(all), 2*shownListings), func(i int) string { return clean(all[i].name, maxName) }, o.v["listing"]))
	next.text = strings.TrimSpace(next.text)
	return nil, &next
}

func (o *office) namedListing(all []premises) *premises {
	for _, t := range slices.Backward(o.said) {
		if i, ok := index(lone(t.text), len(all)); ok && t.asked == officeAsksListing {
			return &all[i]
		}
		for i, p := range all {
			name := newLine(p.name).whole
			if len(name) > 3 && strings.Contains(" "+t.folded+" ", " "+name+" ") {
				return &all[i]
			}
		}
		if i := partlyNamed(t, all); i >= 0 && t.asked == officeAsksListing {
			return &all[i]
		}
	}
	return nil
}

// partlyNamed is the one listing that has a word of its name in a message, -1 for none or several.
func partlyNamed(t officeTold, all []premises) int {
	found := -1
	for i, p := range all {
		if slices.ContainsFunc(newLine(p.name).plain, func(n string) bool {
			return len([]rune(n)) > 2 && slices.ContainsFunc(newLine(t.text).plain, func(s string) bool { return alike(s, n) })
		}) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// aNumber is a number of things.
var aNumber = regexp.MustCompile(`\d{1,6}`)

func hasNumber(text string) bool { return aNumber.MatchString(westernDigits(text)) }

// left is how many they said there are: with the wish, whatever they answered later.
func (o *office) left() int { return atoi(aNumber.FindString(westernDigits(o.said[0].text))) }

// stock says that an item is sold out, to be had again, or that so many are left.
func (o *office) stock() reply {
	all, next := o.mine()
	if next != nil {
		return *next
	}
	found := o.wares(all)
	switch {
	case len(found) == 0 && len(o.wanted()) == 0:
		return say(o.v["item"])
	case len(found) == 0:
		return say(o.v["noItem"] + " " + o.v["item"])
	case len(found) > 1:
		return say(enumerate("", min(len(found), 2*shownListings), func(i int) string {
			return clean(found[i].name, maxName) + " · " + clean(found[i].at, maxName)
		}, o.v["item"])[1:])
	}
	refused := map[string]string{"itemId": o.v["noItem"] + " " + o.v["item"]}
	if o.wish == wishLeft {
		return o.propose("setStock", map[string]any{"listingId": found[0].listing, "itemId": found[0].id, "left": o.left()}, refused)
	}
	return o.propose("setSoldOut", map[string]any{"listingId": found[0].listing, "itemId": found[0].id, "soldOut": o.wish == wishSoldOut}, refused)
}

// wanted are the words that name an item.
func (o *office) wanted() []string {
	for _, t := range slices.Backward(o.said) {
		if t.asked != asksNothing && t.asked != officeAsksItem || t.asked == officeAsksItem && lone(t.text) > 0 {
			continue
		}
		return gist(aNumber.ReplaceAllString(westernDigits(t.text), " "), "sold out", "back", "left", "now", "open")
	}
	return nil
}

// wares are the items that are meant: those whose names share most words with what was said.
func (o *office) wares(all []premises) []ware {
	said := newLine(strings.Join(o.wanted(), " ")).plain
	only := o.namedListing(all)
	best := 0
	var found []ware
	for _, p := range all {
		if only != nil && only.id != p.id {
			continue
		}
		for _, w := range p.items {
			hits := 0
			for _, n := range newLine(w.name).plain {
				if slices.ContainsFunc(said, func(s string) bool { return alike(s, n) }) {
					hits++
				}
			}
			switch {
			case hits == 0 || hits < best:
			case hits > best:
				best, found = hits, []ware{w}
			default:
				found = append(found, w)
			}
		}
	}
	if last := o.said[len(o.said)-1]; last.asked == officeAsksItem {
		if i, ok := index(lone(last.text), len(found)); ok {
			return found[i : i+1]
		}
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(w ware) bool { return len(newLine(w.name).plain) != best }); len(exact) == 1 {
		return exact
	}
	return found
}

// closed says that a listing is closed on a day, or open after all.
func (o *office) closed() reply {
	date := o.date()
	if date.IsZero() {
		return say(o.v["day"])
	}
	all, next := o.mine()
	if next != nil {
		return *next
	}
	p, next := o.where(all)
	if next != nil {
		return *next
	}
	return o.propose("setClosed", map[string]any{"listingId": p.id, "date": date.Format(time.DateOnly), "closed": o.wish == wishClosed},
		map[string]string{"date": o.v["past"] + " " + o.v["day"]})
}

// hours sets the opening hours of a weekday.
func (o *office) hours() reply {
	day, spans, shut := "", []map[string]any(nil), false
	for _, t := range slices.Backward(o.said) {
		if name, ok := weekdayIn(t.folded); ok && day == "" {
			day = name
		}
		if found := spansIn(t.text); len(found) > 0 && spans == nil {
			spans = found
		}
		shut = shut || heard("closed", t.folded) && len(spansIn(t.text)) == 0
	}
	if day == "" || spans == nil && !shut {
		return say(o.v["hours"])
	}
	all, next := o.mine()
	if next != nil {
		return *next
	}
	p, next := o.where(all)
	if next != nil {
		return *next
	}
	if spans == nil {
		spans = []map[string]any{}
	}
	return o.propose("setOpeningHours", map[string]any{"listingId": p.id, "weekday": day, "spans": spans},
		map[string]string{"conflict": o.v["noHours"], "invalid": o.v["hours"]})
}

// weekdayIn is the day of the week that a folded text names.
func weekdayIn(folded string) (string, bool) {
	name, _ := kindOf("weekday", folded)
	return name, name != ""
}

// openFrom are two times of day, from one to the other.
var openFrom = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?\s*(?:-|–|—|to|till|until|έως|ως|μέχρι|με|до|עד|إلى|الى|حتى|bis|hasta|à|hadi)\s*(?:τις\s+|las\s+)?(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?`),
	regexp.MustCompile(`(?i)(\d{1,2})(?:[:.](\d{2}))?['’]?(?:[dt][ae]n)()\s+(\d{1,2})(?:[:.](\d{2}))?()['’]?(?:y?[ae])`),
}

// spansIn are the spans of time that a text names, in order.
func spansIn(text string) []map[string]any {
	for _, re := range openFrom {
		var out []map[string]any
		for _, m := range re.FindAllStringSubmatch(westernDigits(text), 3) {
			from, to := atoi(m[1]), atoi(m[4])
			if m[3] != "" {
				from = twelve(from, 0, strings.ToLower(m[3])).hour
			}
			if m[6] != "" {
				to = twelve(to, 0, strings.ToLower(m[6])).hour
			} else if to <= from && from < 12 && to < 12 {
				to += 12 // "10 to 6"
			}
			if from > 23 || to > 23 || atoi(m[2]) > 59 || atoi(m[5]) > 59 {
				continue
			}
			out = append(out, map[string]any{"from": fmt.Sprintf("%02d:%02d", from, atoi(m[2])), "to": fmt.Sprintf("%02d:%02d", to, atoi(m[5]))})
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
