package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// before is what a phrase says before what is put into it, after what it says behind.
func before(phrase string) string { s, _, _ := strings.Cut(phrase, "%s"); return s }
func after(phrase string) string  { _, s, _ := strings.Cut(phrase, "%s"); return s }

func longer(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// showed reports whether our text showed listings to choose from or go on with.
func (v voice) showed(said string) bool {
	return strings.Contains(said, v["choose"]) || strings.Contains(said, before(v["foundOne"]))
}

// missed reports whether our text says that nothing came up.
func (v voice) missed(said string) bool {
	return slices.ContainsFunc([]string{v["noneFound"], v["similar"]}, func(phrase string) bool {
		return strings.Contains(said, before(phrase)) && strings.Contains(said, after(phrase))
	}) || strings.Contains(said, v["noneOpen"]) || strings.Contains(said, v["noneSoCheap"])
}

// slot puts a free time into words that the rules can read again.
func (v voice) slot(s slot) string {
	d, err := time.Parse(time.DateOnly, s.date)
	if err != nil {
		return strings.TrimSpace(s.date + " " + s.clock)
	}
	if end, err := time.Parse(time.DateOnly, s.end); err == nil {
		return v.date(d) + " – " + v.date(end)
	}
	return strings.TrimSpace(v.date(d) + " " + s.clock)
}

// date is a day as one reads it.
func (v voice) date(t time.Time) string {
	months, days := strings.Fields(v["dateMonths"]), strings.Fields(v["dateDays"])
	if len(months) < 12 || len(days) < 7 {
		return t.Format("02.01.2006")
	}
	return strings.NewReplacer("WEEKDAY", days[t.Weekday()], "DAY", fmt.Sprint(t.Day()), "MONTH", months[t.Month()-1]).Replace(v["dateForm"])
}

// moment is a day and a time of it.
func (v voice) moment(t time.Time) string {
	if v["dateForm"] == "" {
		return t.Format("02.01. 15:04")
	}
	return v.date(t) + " " + t.Format("15:04")
}

// stamp writes a time of a result as one reads it.
func (v voice) stamp(s string) string {
	t, err := time.Parse("2006-01-02T15:04", s)
	if err != nil {
		return ""
	}
	return v.moment(t)
}

// money puts an amount into words: "€25", "12.50 SEK".
func (m money) String() string {
	if m.currency == "" || m.minor == 0 {
		return ""
	}
	amount := fmt.Sprint(m.minor / 100)
	if cents := m.minor % 100; cents != 0 {
		amount += fmt.Sprintf(".%02d", cents)
	}
	switch m.currency {
	case "EUR":
		return "€" + amount
	case "GBP":
		return "£" + amount
	case "USD":
		return "$" + amount
	case "TRY":
		return "₺" + amount
	}
	return amount + " " + m.currency
}

// most that is shown of each
const (
	shownListings = 5
	shownSlots    = 4
	maxName       = 80
)

// listing is one line about l.
func (v voice) listing(l listing) string {
	parts := []string{clean(l.name, maxName)}
	if l.place != "" {
		parts = append(parts, clean(l.place, maxName))
	}
	if price := l.from.String(); price != "" {
		parts = append(parts, fmt.Sprintf(v["from"], price))
	}
	return strings.Join(parts, " · ")
}

func (v voice) offering(o offering) string {
	parts := []string{clean(o.name, maxName)}
	if price := o.price.String(); price != "" {
		parts = append(parts, price)
	}
	if len(parts) > 1 && v["per "+o.per] != "" {
		parts[1] += " " + v["per "+o.per]
	}
	if open := v.week(o.hours); open != "" {
		parts = append(parts, open)
	}
	return strings.Join(parts, " · ")
}

// enumerate lists n things, one a line, with the question that follows them.
func enumerate(head string, n int, line func(i int) string, tail string) string {
	lines := []string{head}
	for i := range n {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, line(i)))
	}
	return strings.Join(append(lines, tail), "\n")
}

func (v voice) listings(head string, ls []listing) string {
	return enumerate(head, min(len(ls), shownListings), func(i int) string { return v.listing(ls[i]) }, v["choose"])
}

func (v voice) offerings(l listing) string {
	return enumerate(fmt.Sprintf(v["whichOffering"], clean(l.name, maxName)), min(len(l.offerings), 2*shownListings),
		func(i int) string { return v.offering(l.offerings[i]) }, v["offering"])
}

func (v voice) slots(head string, slots []slot) string {
	return enumerate(head+" "+v["freeInstead"], min(len(slots), shownListings),
		func(i int) string { return v.slot(slots[i]) }, v["slot"])
}
