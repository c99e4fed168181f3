package contact

import (
	"strings"
	"unicode/utf8"

	"merve/internal/pattern"
)

// fewest are the digits of the shortest telephone number.
const fewest = 7

// number is a telephone number, or what has to be taken for one.
type number struct {
	digits     string
	abroad     bool // it begins with a country's code
	start, end int  // in the text
}

var (
	// runs are digits with what people put between those of a number.
	runs = pattern.New(`(?:\+\s?)?(?:\(\+?\d{1,5}\)|\d)(?:[ ./·_*~-]{0,3}(?:\(\d{1,4}\)|\d))+`)

	// item is a date, a time, a part of opening hours or a small number. Of these whole runs may consist that
	// have a date, a time or hours among them.
	day   = `(?:0?[1-9]|[12]\d|3[01])`
	month = `(?:0?[1-9]|1[0-2])`
	date  = `(?:(?:19|20)\d\d[-./]` + month + `[-./]` + day + `|` + day + `[-./ ]` + month + `[-./ ](?:(?:19|20)\d\d)|` + day + `[./]` + month + `[./]\d\d)`
	dates = `(?:` + day + `(?:[./]` + month + `)?\.?\s?-\s?|` + date + `\s?-\s?)?` + date // "24.-26.11.2026"
	hour  = `(?:[01]?\d|2[0-4])(?:\.[0-5]\d)?`
	hours = hour + `\s?-\s?` + hour
	when  = pattern.New(`^(?:` + dates + `(?:[ ]+(?:-[ ])?(?:` + hours + `|` + hour + `))?|` + hours + `(?:[ ]?[/ ][ ]?` + hours + `){0,3}|(?:` +
		hours + `|` + hour + `)[ ]+` + dates + `|(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d)$`)

	// round is an amount in thousands, or one with cents; an amount that is named as one may have more digits.
	round  = pattern.New(`^\d{1,3}(?:\.\d{3})*\.000$|^[1-9]\d*\.\d{2}$`)
	amount = pattern.New(`^[1-9]\d{0,2}(?:[ .]?\d{3})*(?:\.\d{2})?$`)
	before = pattern.New(`(?i)(?:\p{Sc}|\b(?:TRY|TL|EUR|USD|GBP|ILS|RUB|AED|SAR|KES|TZS|euro?s?|dollars?))\s?$`)
	behind = pattern.New(`(?i)^\s?(?:\p{Sc}|(?:TRY|TL|EUR|USD|GBP|ILS|RUB|AED|SAR|KES|TZS|euro?s?|dollars?|lira|ευρώ|евро|руб\pL*|шекел\pL*|שקל\pL*|ليرة|يورو|درهم|shilingi)(?:[^\pL]|$))`)
)

// mostDigits are those of the longest amount.
const mostDigits = 9

// numbersOf are the telephone numbers of a text.
func numbersOf(text string) []number {
	s := shadowOf(text)
	var all []number
	for _, at := range runs.Regexp().FindAllStringIndex(s.text, -1) {
		run := s.text[at[0]:at[1]]
		digits := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, run)
		if len(digits) < fewest || honest(run, digits, s.text[:at[0]], s.text[at[1]:]) {
			continue
		}
		n := number{digits: digits, abroad: strings.Contains(run, "+")}
		if !n.abroad && strings.HasPrefix(digits, "00") {
			n.digits, n.abroad = digits[2:], true
		}
		n.start, n.end = s.original(at[0], at[1])
		all = append(all, n)
	}
	return all
}

// honest reports whether a run of digits is no telephone number: it says when, how much, or is part of a code.
func honest(run, digits, text, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text, "-"))
	next, _ := utf8.DecodeRuneInString(rest)
	money := len(digits) <= mostDigits && amount.MatchString(run) && (before.MatchString(text) || behind.MatchString(rest))
	code := len(digits) <= mostDigits && !strings.ContainsAny(run, " +(") && (inCode(last) || inCode(next))
	return when.MatchString(run) || money || len(digits) <= mostDigits && round.MatchString(run) || code
}

// inCode reports whether what stands beside digits makes them a part of a code, such as "MRV-20261124".
func inCode(r rune) bool { return 'A' <= r && r <= 'Z' || r == '#' }

func replaceNumbers(text string, out func(number) bool) string {
	var b strings.Builder
	done := 0
	for _, n := range numbersOf(text) {
		if out(n) {
			b.WriteString(text[done:n.start])
			b.WriteString(Gap)
			done = n.end
		}
	}
	return b.String() + text[done:]
}
