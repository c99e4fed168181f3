package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// day tells what is on today, or on the day that they named.
func (o *office) day() reply {
	var args map[string]any
	date := o.date()
	if !date.IsZero() && date != o.calendar.today {
		args = map[string]any{"date": date.Format(time.DateOnly)}
	}
	r, next := o.once("getBusinessDay", args)
	if next != nil {
		return *next
	}
	if date.IsZero() {
		date = o.calendar.today
	}
	bookings, orders := list(r.data, "bookings", maxListings), list(r.data, "orders", maxListings)
	head := fmt.Sprintf(o.v["today"], o.v.date(date))
	if len(bookings)+len(orders) == 0 {
		return say(head + " " + o.v["nothing"])
	}
	lines := []string{head}
	if len(bookings) > 0 {
		lines = append(lines, o.v["bookings"])
		for _, b := range bookings {
			lines = append(lines, "• "+o.line(b, "code", "when", "offering", "party", "customer", "note"))
		}
	}
	if len(orders) > 0 {
		lines = append(lines, o.v["orders"])
		for _, one := range orders {
			lines = append(lines, "• "+o.order(one))
		}
	}
	return say(strings.Join(lines, "\n"))
}

// line puts fields of a result beside each other. What customers wrote is left out of a reply
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
	parts := []string{o.line(m, "code")}
	if s := o.v["order "+str(m, "status")]; s != "" && str(m, "status") != "placed" {
		parts = append(parts, s)
	}
	if s := o.line(m, "lines", "when", "customer", "note"); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, " · ")
}

// answer answers an order: the one whose code they name, or the only one that fits.
func (o *office) answer() reply {
	r, next := o.once("getBusinessDay", nil)
	if next != nil {
		return *next
	}
	orders := list(r.data, "orders", maxListings)
	one := o.meant(orders)
	if one == nil {
		waiting := o.fitting(orders)
		if len(waiting) == 0 {
			return say(o.v["noneWaiting"])
		}
		return say(enumerate(o.v["orders"], min(len(waiting), 2*shownListings), func(i int) string { return o.order(waiting[i]) }, o.v["order"]))
	}
	args := map[string]any{"code": str(one, "code"), "answer": map[officeWish]string{wishAccept: "accept", wishRefuse: "refuse", wishDone: "done"}[o.wish]}
	for _, t := range o.said {
		if n := minutesIn(t.folded); n > 0 && n <= 24*60 && o.wish == wishAccept {
			args["minutes"] = n
		}
		if reason := becauseOf(t.text); reason != "" && o.wish == wishRefuse && t.asked == asksNothing {
			args["reason"] = reason
		}
	}
	return o.propose("answerOrder", args, map[string]string{"code": o.v["noneWaiting"], "conflict": o.v["noneWaiting"]})
}

// fitting are the orders that an answer may be to: those that wait for one, or of which one
// may say that they are done.
func (o *office) fitting(orders []map[string]any) []map[string]any {
	want := "placed"
	if o.wish == wishDone {
		want = "accepted"
	}
	return slices.DeleteFunc(slices.Clone(orders), func(m map[string]any) bool { return str(m, "status") != want })
}

func (o *office) meant(orders []map[string]any) map[string]any {
	return o.pick(orders, o.fitting(orders))
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

// bookingCode is the code of a booking, of which one may not be shown: it can be of another day.
var bookingCode = regexp.MustCompile(`\b[A-Z]*\d[A-Z\d]*\b`)

// absent notes that nobody came to a booking, or that somebody did after all.
func (o *office) absent() reply {
	code := ""
	for _, t := range slices.Backward(o.said) {
		for _, c := range bookingCode.FindAllString(strings.ToUpper(t.text), -1) {
			if len(c) == 6 && code == "" {
				code = c
			}
		}
	}
	if code == "" {
		var args map[string]any
		if date := o.date(); !date.IsZero() && date != o.calendar.today {
			args = map[string]any{"date": date.Format(time.DateOnly)}
		}
		r, next := o.once("getBusinessDay", args)
		if next != nil {
			return *next
		}
		bookings := list(r.data, "bookings", maxListings)
		one := o.pick(bookings, bookings)
		switch {
		case len(bookings) == 0:
			return say(o.v["bookings"] + " " + o.v["nothing"])
		case one == nil:
			return say(enumerate(o.v["bookings"], min(len(bookings), 2*shownListings), func(i int) string {
				return o.line(bookings[i], "code", "when", "offering", "party", "customer")
			}, o.v["order"]))
		}
		code = str(one, "code")
	}
	return o.propose("markNoShow", map[string]any{"code": code, "noShow": o.wish == wishAbsent}, map[string]string{"code": o.v["gone"], "conflict": o.v["cannot"]})
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
	for _, mark := range []string{" because ", " çünkü ", " γιατί ", " επειδή ", " потому что ", " כי ", " لأن ", " weil ", " porque ", " parce que ", ":", " - ", " – ", ",", "،", "."} {
		if _, reason, found := strings.Cut(text, mark); found {
			if reason = clean(strings.Trim(reason, " .,!،"), 200); reason != "" {
				return reason
			}
		}
	}
	return ""
}
