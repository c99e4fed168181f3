package contact

import (
	"strings"

	"merve/internal/base/pattern"
)

// A model tells the numbers of tools in the form of its language: of "2026-11-29T18:30" it makes "29.11. 18.30" or
// "11/29, 18 30". Figures are the digits of all such forms. A number that consists of them is no way out, whatever it
// looks like.

var (
	figure = pattern.New(`\d{3,}`)
	dayOf  = pattern.New(`\b((?:19|20)\d\d)-(\d\d)-(\d\d)`)
	timeOf = pattern.New(`\b(\d{1,2}):(\d\d)`)
)

// learnFigures makes the figures of a text known. It leaves out the numbers that the request, except, already has.
func (k *Known) learnFigures(text, except string) {
	if k.figures == nil {
		k.figures = map[string]bool{}
	}
	text, except = shadowed(text), shadowed(except)
	said := map[string]bool{}
	each(except, func(digits string) { said[digits] = true })
	each(text, func(digits string) {
		if !said[digits] {
			k.figures[digits] = true
		}
	})
	for _, m := range dayOf.Regexp().FindAllStringSubmatch(text, -1) {
		y, mm, d := m[1], m[2], m[3]
		for _, form := range []string{d + mm, mm + d, y + mm + d, d + mm + y, mm + d + y, d + mm + y[2:], mm + d + y[2:]} {
			k.figures[form] = true
		}
	}
	for _, m := range timeOf.Regexp().FindAllStringSubmatch(text, -1) {
		k.figures[two(m[1])+m[2]] = true
	}
}

// each tells the figures of a text, and those that a whole run makes: "1.250.000" is 1250000, too.
func each(text string, tell func(digits string)) {
	for _, digits := range figure.Regexp().FindAllString(text, -1) {
		tell(digits)
	}
	for _, at := range runs.Regexp().FindAllStringIndex(text, -1) {
		if n := numberOf(text, groupsOf(text, at[0], at[1])); len(n.digits) >= fewest {
			tell(n.digits)
		}
	}
}

// two are at least two digits of a part of a date or time.
func two(digits string) string {
	if len(digits) == 1 {
		return "0" + digits
	}
	return digits
}

// mostFigures are the groups of digits that a figure is told in.
const mostFigures = 6

// tells reports whether digits consist of known figures, each perhaps in several groups, behind numbers of a list.
func (k *Known) tells(groups []group) bool {
	if len(k.figures) == 0 {
		return false
	}
	told := make([]bool, len(groups)+1) // the groups before a place are told
	told[0] = true
	for i := range groups {
		if !told[i] {
			continue
		}
		if i+1 < len(groups) && len(groups[i].digits) <= 2 && strings.HasPrefix(groups[i+1].between, ". ") {
			told[i+1] = true
		}
		plain, padded := "", ""
		for n, g := range groups[i:min(len(groups), i+mostFigures)] {
			plain, padded = plain+g.digits, padded+two(g.digits)
			if k.figures[plain] || k.figures[padded] {
				told[i+n+1] = true
			}
		}
	}
	return told[len(groups)]
}
