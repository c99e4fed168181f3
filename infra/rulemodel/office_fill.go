package rulemodel

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// officeTasks are what a business can have done, by wish.
var officeTasks = map[officeWish]task[*office]{
	noWish:      {tool: "writeToCustomer", asks: []string{"code"}, refused: by{"conflict": "noneWaiting"}},
	wishPerson:  {tool: "askForPerson", done: "handed"},
	wishDay:     {tool: "getBusinessDay", tells: tellDay},
	wishSoldOut: setSoldOut, wishBack: setSoldOut,
	wishLeft:   {tool: "setStock", asks: []string{"itemId"}, refused: by{"itemId": "noItem item"}},
	wishClosed: setClosed, wishOpen: setClosed,
	wishHours:  {tool: "setOpeningHours", asks: []string{"weekday"}, refused: by{"conflict": "noHours", "invalid": "hours"}},
	wishAccept: answerOrder, wishRefuse: answerOrder, wishDone: answerOrder,
	wishAbsent: markNoShow, wishCame: markNoShow,
}

var (
	setSoldOut  = task[*office]{tool: "setSoldOut", asks: []string{"itemId"}, refused: by{"itemId": "noItem item"}}
	setClosed   = task[*office]{tool: "setClosed", asks: []string{"date"}, refused: by{"date": "past day"}}
	answerOrder = task[*office]{tool: "answerOrder", asks: []string{"code"}, refused: by{"code": "noneWaiting", "conflict": "noneWaiting"}}
	markNoShow  = task[*office]{tool: "markNoShow", asks: []string{"code"}, refused: by{"code": "gone", "conflict": "cannot"}}
)

// officeFillers are those of the parameters that the rules can fill for a business.
var officeFillers = map[string]filler[*office]{
	"askForPerson reason": given("reason", func(o *office) any { return reasonOf(o.text) }),
	"getBusinessDay date": dayBut,
	"itemId":              ware, "soldOut": given("soldOut", func(o *office) any { return o.wish == wishSoldOut }),
	"left": given("left", func(o *office) any {
		return atoi(aNumber.FindString(westernDigits(o.said[0].text))) // whatever they answered later
	}),
	"setClosed date": closingDay, "closed": given("closed", func(o *office) any { return o.wish == wishClosed }),
	"setClosed listingId": premises, "setOpeningHours listingId": premises, "weekday": openingHours,
	"answerOrder code": waitingOrder, "answerOrder answer": orderAnswer, "markNoShow code": bookingOf,
	"noShow":               given("noShow", func(o *office) any { return o.wish == wishAbsent }),
	"writeToCustomer code": onlyOrder, "writeToCustomer text": given("text", func(o *office) any { return o.text }),
}

// given is the filler of what needs no question.
func given(name string, value func(o *office) any) filler[*office] {
	return func(o *office, values map[string]any) *reply {
		values[name] = value(o)
		return nil
	}
}

// dayBut is the day that they named, unless it is today.
func dayBut(o *office, values map[string]any) *reply {
	if date := o.date(); !date.IsZero() && date != o.calendar.today {
		values["date"] = date.Format(time.DateOnly)
	}
	return nil
}

// ofListing is a listing of the business or one of its items, as a result tells of it.
type ofListing struct{ listing, id, name, at string }

// mine are the business's listings, and all that they have.
func (o *office) mine() (listings, items []ofListing, next *reply) {
	r, next := o.got("getMyListings", nil)
	if next != nil {
		return nil, nil, next
	}
	for _, v := range list(r.data, "listings", maxListings) {
		l := ofListing{id: str(v, "listingId"), name: str(v, "name")}
		listings = append(listings, l)
		for _, i := range list(v, "items", 200) {
			items = append(items, ofListing{l.id, str(i, "itemId"), str(i, "name"), l.name})
		}
	}
	if len(listings) == 0 {
		return nil, nil, o.ask("noListings")
	}
	return listings, items, nil
}

// premises is the listing that is meant: the one they name, or the only one.
func premises(o *office, values map[string]any) *reply {
	all, _, next := o.mine()
	if next != nil {
		return next
	}
	p := o.namedListing(all)
	if p == nil && len(all) > 1 {
		return put(strings.TrimSpace(enumerate("", min(len(all), 2*shownListings),
			func(i int) string { return clean(all[i].name, maxName) }, o.v["listing"])))
	}
	values["listingId"] = all[0].id
	if p != nil {
		values["listingId"] = p.id
	}
	return nil
}

func (o *office) namedListing(all []ofListing) *ofListing {
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
func partlyNamed(t officeTold, all []ofListing) int {
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

// ware is the item that is meant.
func ware(o *office, values map[string]any) *reply {
	listings, items, next := o.mine()
	if next != nil {
		return next
	}
	found := o.wares(listings, items)
	switch {
	case len(found) == 1:
		values["listingId"], values["itemId"] = found[0].listing, found[0].id
		return nil
	case len(found) == 0 && len(o.wanted()) == 0:
		return o.ask("item")
	case len(found) == 0:
		return put(o.v.sentences("noItem item"))
	}
	return put(enumerate("", min(len(found), 2*shownListings), func(i int) string {
		return clean(found[i].name, maxName) + " · " + clean(found[i].at, maxName)
	}, o.v["item"])[1:])
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
func (o *office) wares(listings, items []ofListing) []ofListing {
	said := newLine(strings.Join(o.wanted(), " ")).plain
	only := o.namedListing(listings)
	best := 0
	var found []ofListing
	for _, w := range items {
		if only != nil && only.id != w.listing {
			continue
		}
		hits := 0
		for _, n := range newLine(w.name).plain {
			if slices.ContainsFunc(said, func(s string) bool { return alike(s, n) }) {
				hits++
			}
		}
		if hits > best {
			best, found = hits, nil
		}
		if hits > 0 && hits == best {
			found = append(found, w)
		}
	}
	if last := o.said[len(o.said)-1]; last.asked == officeAsksItem {
		if i, ok := index(lone(last.text), len(found)); ok {
			return found[i : i+1]
		}
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(w ofListing) bool { return len(newLine(w.name).plain) != best }); len(exact) == 1 {
		return exact
	}
	return found
}

// closingDay is the day on which it is closed, or open after all.
func closingDay(o *office, values map[string]any) *reply {
	date := o.date()
	if date.IsZero() {
		return o.ask("day")
	}
	values["date"] = date.Format(time.DateOnly)
	return nil
}

// openingHours are those of a weekday, none where it is closed.
func openingHours(o *office, values map[string]any) *reply {
	day, spans, shut := "", []map[string]any(nil), false
	for _, t := range slices.Backward(o.said) {
		found := spansIn(t.text)
		day = cmp.Or(day, weekdayIn(t.folded))
		if len(found) > 0 && spans == nil {
			spans = found
		}
		shut = shut || heard("closed", t.folded) && len(found) == 0
	}
	if day == "" || spans == nil && !shut {
		return o.ask("hours")
	}
	values["weekday"], values["spans"] = day, append([]map[string]any{}, spans...)
	return nil
}

// weekdayIn is the day of the week that a folded text names, "" for none.
func weekdayIn(folded string) string {
	name, _ := kindOf("weekday", folded)
	return name
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

// tellDay tells what is on today, or on the day that they named.
func tellDay(o *office, r result) reply {
	date := o.date()
	if date.IsZero() {
		date = o.calendar.today
	}
	lines := []string{fmt.Sprintf(o.v["today"], o.v.date(date))}
	bookings, orders := list(r.data, "bookings", maxListings), list(r.data, "orders", maxListings)
	if len(bookings)+len(orders) == 0 {
		return say(lines[0] + " " + o.v["nothing"])
	}
	for i, b := range bookings {
		if i == 0 {
			lines = append(lines, o.v["bookings"])
		}
		lines = append(lines, "• "+o.line(b, "code", "when", "offering", "party", "customer", "note"))
	}
	for i, one := range orders {
		if i == 0 {
			lines = append(lines, o.v["orders"])
		}
		lines = append(lines, "• "+o.order(one))
	}
	return say(strings.Join(lines, "\n"))
}

// line joins fields of a result. What customers wrote is left out of a reply
// that was sent back.
func (o *office) line(m map[string]any, fields ...string) string {
	var parts []string
	for _, field := range fields {
		s := clean(str(m, field), 120)
		if n := num(m, field); s == "" && n > 0 {
			s = fmt.Sprint(n)
		}
		if s == "" || o.plain && (field == "customer" || field == "note") {
			continue
		}
		if field == "note" {
			s = "“" + s + "”"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " · ")
}

func (o *office) order(m map[string]any) string {
	status := o.v["order "+str(m, "status")]
	if str(m, "status") == "placed" {
		status = ""
	}
	return strings.TrimSuffix(o.line(m, "code")+" · "+beside(status, o.line(m, "lines", "when", "customer", "note")), " · ")
}

// waitingOrder is the order that they answer: the one whose code they name, or the only one that fits.
func waitingOrder(o *office, values map[string]any) *reply {
	r, next := o.got("getBusinessDay", nil)
	if next != nil {
		return next
	}
	want := "placed"
	if o.wish == wishDone { // only an accepted order can be done
		want = "accepted"
	}
	orders := list(r.data, "orders", maxListings)
	waiting := slices.DeleteFunc(slices.Clone(orders), func(m map[string]any) bool { return str(m, "status") != want })
	switch one := o.pick(orders, waiting); {
	case one != nil:
		values["code"] = str(one, "code")
		return nil
	case len(waiting) == 0:
		return o.ask("noneWaiting")
	}
	return put(enumerate(o.v["orders"], min(len(waiting), 2*shownListings), func(i int) string { return o.order(waiting[i]) }, o.v["order"]))
}

// orderAnswer is what they answer, with what they say about it.
func orderAnswer(o *office, values map[string]any) *reply {
	values["answer"] = map[officeWish]string{wishAccept: "accept", wishRefuse: "refuse", wishDone: "done"}[o.wish]
	for _, t := range o.said {
		if n := minutesIn(t.folded); n > 0 && n <= 24*60 && o.wish == wishAccept {
			values["minutes"] = n
		}
		if reason := becauseOf(t.text); reason != "" && o.wish == wishRefuse && t.asked == asksNothing {
			values["reason"] = reason
		}
	}
	return nil
}

// onlyOrder is the order whose customer they write to.
func onlyOrder(o *office, values map[string]any) *reply {
	r, next := o.got("getBusinessDay", nil)
	if next != nil {
		return next
	}
	orders := list(r.data, "orders", maxListings)
	if len(orders) != 1 {
		return o.ask("help")
	}
	values["code"] = str(orders[0], "code")
	return nil
}

// pick is the one whose code they name, or the number that it was shown by, or the only one that
// fits.
func (o *office) pick(orders, waiting []map[string]any) map[string]any {
	for _, t := range slices.Backward(o.said) {
		plain := newLine(t.text).plain
		for _, m := range orders {
			if code := newLine(str(m, "code")).whole; code != "" && slices.Contains(plain, code) {
				return m
			}
		}
		if i, ok := index(lone(t.text), len(waiting)); ok && t.asked == officeAsksOrder {
			return waiting[i]
		}
	}
	if len(waiting) == 1 {
		return waiting[0]
	}
	return nil
}

// bookingCode is the code of a booking. The booking can be of another day than the one shown.
var bookingCode = regexp.MustCompile(`\b[A-Z]*\d[A-Z\d]*\b`)

// bookingOf is the code of the booking to which nobody came, or somebody did after all.
func bookingOf(o *office, values map[string]any) *reply {
	for _, t := range slices.Backward(o.said) {
		for _, c := range bookingCode.FindAllString(strings.ToUpper(t.text), -1) {
			if len(c) == 6 {
				values["code"] = c
				return nil
			}
		}
	}
	day := map[string]any{}
	dayBut(o, day)
	r, next := o.got("getBusinessDay", day)
	if next != nil {
		return next
	}
	bookings := list(r.data, "bookings", maxListings)
	switch one := o.pick(bookings, bookings); {
	case one != nil:
		values["code"] = str(one, "code")
		return nil
	case len(bookings) == 0:
		return put(o.v.sentences("bookings nothing"))
	}
	return put(enumerate(o.v["bookings"], min(len(bookings), 2*shownListings), func(i int) string {
		return o.line(bookings[i], "code", "when", "offering", "party", "customer")
	}, o.v["order"]))
}

// minutesIn is the length of time that a folded text names, in minutes; 0 for none.
func minutesIn(folded string) int {
	if heard("half", folded) {
		return 30
	}
	if m := cueOf("minute words").FindStringIndex(folded); m != nil {
		if words := strings.Fields(folded[:m[0]]); len(words) > 0 {
			return minutesOf(words[len(words)-1])
		}
		return 0
	}
	m := cueOf("hour words").FindStringIndex(folded)
	if m == nil {
		return 0
	}
	if words := strings.Fields(folded[:m[0]]); len(words) > 0 {
		return 60 * count(words[len(words)-1])
	}
	return 0
}

func minutesOf(word string) int {
	if n := atoi(word); n > 0 && n <= 24*60 {
		return n
	}
	return count(word)
}

// becauseOf is the reason that a refusal gives, "" for none.
func becauseOf(text string) string {
	var marks []string
	for _, words := range lexica().lists["because"] {
		for _, w := range words {
			marks = append(marks, " "+w+" ")
		}
	}
	for _, mark := range append(marks, ":", " - ", " – ", ",", "،", ".") {
		if _, reason, found := strings.Cut(text, mark); found {
			if reason = clean(strings.Trim(reason, " .,!،"), 200); reason != "" {
				return reason
			}
		}
	}
	return ""
}
