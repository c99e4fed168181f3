package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/words/language"
)

// reports are all of the customer's, newest first, or the reply that gets them.
func (d *desk) reports() ([]report, *reply) {
	if d.profiled {
		return d.profile, nil
	}
	if _, done := d.done("list_user_reports"); done || d.offered["list_user_reports"] != nil {
		r, next := d.got("list_user_reports", nil)
		return r.reports, next
	}
	if d.i.report != "" {
		return []report{{id: d.i.report}}, nil
	}
	return nil, nil
}

// about finds the report that something is told of: nil for a new one, or the question
// which it is.
func (d *desk) about() (*report, *reply) {
	all, next := d.reports()
	if next != nil || d.s.fresh {
		return nil, next
	}
	open := slices.DeleteFunc(slices.Clone(all), func(r report) bool { return r.status == "resolved" })
	if r := d.same(open); r != nil && d.s.pick == 0 {
		return r, nil
	}
	if d.s.damage && d.s.place != "" && d.s.pick == 0 {
		return nil, nil // some other place
	}
	if r := reportOf(open, d.i.report); r != nil && d.s.pick == 0 {
		return r, nil
	}
	choices := open
	if d.s.damage { // what is complete has its damage
		choices = slices.DeleteFunc(slices.Clone(open), func(r report) bool { return r.status != "pending" })
	}
	n, picked := index(d.s.pick, len(choices))
	switch {
	case picked:
		return &choices[n], nil
	case len(choices) == 0:
		return nil, nil
	case len(choices) == 1 && !d.s.damage:
		return &choices[0], nil
	}
	return nil, d.askWhich(choices, d.v["which"]+" "+d.v["orNew"])
}

func reportOf(rs []report, id string) *report {
	if i := slices.IndexFunc(rs, func(r report) bool { return r.id == id }); i >= 0 {
		return &rs[i]
	}
	return nil
}

func (d *desk) askWhich(choices []report, tail string) *reply {
	return put(d.reportsIn(strings.TrimSpace(d.alarm(true)+d.v["mine"]), choices, tail))
}

// reportsIn lists reports, without their addresses in a reply that was sent back.
func (d *desk) reportsIn(head string, rs []report, tail string) string {
	rs = slices.Clone(rs)
	for i := range rs {
		if d.plain {
			rs[i].address = "…"
		}
	}
	return d.v.reports(head, rs, tail)
}

// same finds the report of the place that is named. Words that tell of damage name none by
// chance: they have to give its number, too.
func (d *desk) same(rs []report) *report {
	if !d.s.damage || d.asked == deskAsksWhich {
		return addressed(rs, d.s.folded, false)
	}
	if d.s.place == "" {
		return nil
	}
	return addressed(rs, newLine(d.s.place).whole, true)
}

// addressed finds the one report whose address a text has most of, numbers and all where that
// is wanted.
func addressed(rs []report, folded string, exact bool) *report {
	said := strings.Fields(folded)
	best, most, tied := -1, 0, false
	for i, r := range rs {
		words, numbers := 0, 0
		for _, w := range strings.Fields(newLine(r.address).whole) {
			switch {
			case strings.ContainsAny(language.Fold(w), digits) && slices.Contains(said, w):
				numbers++
			case utf8.RuneCountInString(w) > 3 && slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, w) }):
				words++
			}
		}
		n := words + numbers
		switch {
		case exact && (words == 0 || numbers == 0):
		case n > most:
			best, most, tied = i, n, false
		case n == most:
			tied = true
		}
	}
	if best < 0 || tied {
		return nil
	}
	return &rs[best]
}

// which finds the report that a command is for, among those that may be meant: the only
// one, the one named or picked. Else it returns the question, or says that no report fits.
func (d *desk) which(may func(r report) bool) (*report, *reply) {
	all, next := d.reports()
	if next != nil {
		return nil, next
	}
	choices := slices.DeleteFunc(slices.Clone(all), func(r report) bool { return !may(r) })
	n, picked := index(d.s.pick, len(choices))
	if picked {
		return &choices[n], nil
	}
	if r := addressed(choices, d.s.folded, false); r != nil {
		return r, nil
	}
	switch {
	case len(choices) == 1:
		return &choices[0], nil
	case len(choices) > 1:
		return nil, d.askWhich(choices, d.v["which"])
	case len(all) > 0:
		return nil, put(d.v["closed"])
	}
	return nil, put(d.v["none"] + " " + d.v["canDo"])
}

// move puts a report at another address.
func (d *desk) move() reply {
	if r, done := d.done("update_report_address"); done {
		return d.moved(r)
	}
	all, next := d.reports()
	if next != nil {
		return *next
	}
	open := func(r report) bool { return r.status != "resolved" }
	r := reportOf(all, d.i.report)
	switch {
	case len(all) == 0:
		return say(d.v["where"])
	case r == nil || !open(*r) || d.s.pick != 0 && !asksPlace(d.asked):
		d.s.folded = "" // the words are those of the new address
		if r, next = d.which(open); next != nil {
			return *next
		}
	}
	if d.s.place == "" {
		return say(d.v["address"])
	}
	return d.must("update_report_address", map[string]any{"reportId": r.id, "address": d.s.place})
}

func (d *desk) moved(r result) reply {
	if r.failed != nil && r.failed.field == "address" {
		return say(d.wrongly(r) + " " + d.v["address"])
	}
	return d.conclude()
}

// list shows the customer's reports; of a single one that is open, also what it lacks.
func (d *desk) list() reply {
	r, next := d.got("list_user_reports", nil)
	switch {
	case next != nil:
		return *next
	case len(r.reports) == 0:
		return say(d.v.sentences("none canDo"))
	}
	rs, lacks := r.reports, ""
	if len(rs) == 1 && rs[0].status == "pending" {
		if read, done := d.done("get_report_details"); done && read.failed == nil {
			lacks = d.ask(read.report)
		} else if next := d.call("get_report_details", map[string]any{"reportId": rs[0].id}); next != nil && !done {
			return *next
		}
	}
	return say(d.reportsIn(d.v["mine"], rs, lacks))
}

// report is a report in a list.
func (v voice) report(r report) string {
	where := clean(r.address, maxAddress)
	if where == "" {
		where = v["noAddress"]
	}
	if status := v["status "+r.status]; status != "" {
		return where + " · " + status
	}
	return where
}

func (v voice) reports(head string, rs []report, tail string) string {
	return strings.TrimSpace(enumerate(head, min(len(rs), shownReports), func(i int) string { return v.report(rs[i]) }, tail))
}

// inFigures writes a time of a result in figures, as the customer's clock shows it.
func inFigures(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return clean(stamp, 40)
	}
	return t.Format("2006-01-02 15:04")
}

func (v voice) hasLink(until, url string) string {
	return fmt.Sprintf(v["link"], inFigures(until)) + "\n" + url
}
