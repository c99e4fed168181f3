package contact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/pattern"
)

// fewest are the digits of the shortest telephone number.
const fewest = 7

// number is a telephone number, or what has to be taken for one.
type number struct {
	groups []group
	digits string
	abroad bool // it begins with a country's code
	split  bool // words stand between its groups
}

// group are digits without anything between them.
type group struct {
	between    string // what stands before them in their run
	digits     string
	start, end int // in the text as it is seen, with brackets around them
}

var (
	// runs are digits with what people put between those of a number, of a date and of a time.
	runs = pattern.New(`(?:\+\s?)?(?:\(\+?\d{1,5}\)|\d)(?:[ ./·_*~:-]{0,3}(?:\(\d{1,4}\)|\d))*`)
	// parts are the groups of a run, with what stands before each.
	parts = pattern.New(`([^\d()]*)(\(?\+?\d+\)?)`)

	// item is a date, a time, a part of opening hours or a small number. Of these whole runs may consist that
	// have a date, a time or hours among them.
	day   = `(?:0?[1-9]|[12]\d|3[01])`
	month = `(?:0?[1-9]|1[0-2])`
	date  = `(?:(?:19|20)\d\d[-./]` + month + `[-./]` + day + `|` + day + `[-./ ]` + month + `[-./ ](?:(?:19|20)\d\d)|` + day + `[./]` + month + `[./]\d\d)`
	dates = `(?:` + day + `(?:[./]` + month + `)?\.?\s?-\s?|` + date + `\s?-\s?)?` + date // "24.-26.11.2026"
	hour  = `(?:[01]?\d|2[0-4])(?:\.[0-5]\d)?`
	clock = `(?:[01]?\d|2[0-4])\.[0-5]\d`
	hours = hour + `\s?-\s?` + hour
	when  = pattern.New(`^(?:` + dates + `(?:[ ]+(?:-[ ])?(?:` + hours + `|` + hour + `))?|` +
		`(?:\d{1,2}\. )?` + day + `[./]` + month + `\.?[ ]+` + clock + `(?:\s?-\s?` + clock + `)?|` + hours + `(?:[ ]?[/ ][ ]?` + hours + `){0,3}|(?:` +
		hours + `|` + hour + `)[ ]+` + dates + `|(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d)$`)

	// round is an amount in thousands, or one with cents; an amount that is named as one may have more digits.
	round  = pattern.New(`^\d{1,3}(?:\.\d{3})*\.000$|^[1-9]\d*\.\d{2}$`)
	amount = pattern.New(`^[1-9]\d{0,2}(?:[ .]?\d{3})*(?:\.\d{2})?$`)
	before = pattern.New(`(?i)(?:\p{Sc}|\b(?:TRY|TL|EUR|USD|GBP|ILS|RUB|AED|SAR|KES|TZS|euro?s?|dollars?))\s?$`)
	behind = pattern.New(`(?i)^\s?(?:\p{Sc}|(?:TRY|TL|EUR|USD|GBP|ILS|RUB|AED|SAR|KES|TZS|euro?s?|dollars?|lira|ευρώ|евро|руб\pL*|шекел\pL*|שקל\pL*|ليرة|يورو|درهم|shilingi)(?:[^\pL]|$))`)
	// fraction is what a calculation gives.
	fraction = pattern.New(`^\d\.\d{6,}$`)

	// unique is an id of its own form.
	unique = pattern.New(`(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`)
	// thousands is what the zeros of an amount stand behind.
	thousands = pattern.New(`\d,$`)
	// joint is what may stand between the parts of a number that is told in a sentence: a word at most.
	joint = pattern.New(`^[^\pL\pN.!?+]{0,4}(?:(\pL+)[^\pL\pN.!?+]{0,4})?$`)
)

const (
	mostDigits = 9 // of the longest amount, and of a number that is part of a code
	fewestAll  = 9 // the digits of a number with the code of its network; with that of its country there are more
	mostAll    = 15
)

// numbersOf are the telephone numbers of a text, in its order.
func numbersOf(s shadow, places ...[]int) []number {
	var all, short []number
	for _, run := range runsOf(s.text, places) {
		for _, piece := range pieces(s.text, run) {
			n := numberOf(s.text, piece)
			switch {
			case len(n.digits) < fewest:
				short = append(short, n)
			case !honest(s.text[piece[0].start:end(piece)], n.digits, s.text[:piece[0].start], s.text[end(piece):]):
				all = append(all, n)
			}
		}
	}
	all = append(all, chains(s.text, short)...)
	slices.SortFunc(all, func(a, b number) int { return a.groups[0].start - b.groups[0].start })
	return all
}

func numberOf(text string, groups []group) number {
	n := number{groups: groups, abroad: strings.Contains(text[groups[0].start:end(groups)], "+")}
	for _, g := range groups {
		n.digits += g.digits
	}
	if !n.abroad && strings.HasPrefix(n.digits, "00") {
		n.digits, n.abroad = n.digits[2:], true
	}
	return n
}

func end(groups []group) int { return groups[len(groups)-1].end }

// runsOf returns the runs of a text by their groups, except those in places. Digits that touch a letter are part of a
// word, and those in an id are part of the id. Writing without capitals sets its particles right before a number:
// "ב0501234567".
func runsOf(text string, places [][]int) [][]group {
	ids := slices.Concat(places, unique.Regexp().FindAllStringIndex(text, -1))
	var all [][]group
	for _, at := range runs.Regexp().FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(ids, func(id []int) bool { return at[0] < id[1] && id[0] < at[1] }) {
			continue
		}
		groups := groupsOf(text, at[0], at[1])
		if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:at[0]], "_")); groups[0].start == at[0] && cased(r) {
			groups = groups[1:]
		}
		if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[at[1]:], "_")); len(groups) > 0 && cased(r) {
			groups = groups[:len(groups)-1]
		}
		if len(groups) > 0 {
			all = append(all, groups)
		}
	}
	return all
}

func cased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

// groupsOf returns the groups of the run at a place. The sign before a number belongs to its first group.
func groupsOf(text string, from, to int) []group {
	var all []group
	for _, at := range parts.Regexp().FindAllStringSubmatchIndex(text[from:to], -1) {
		g := group{between: text[from+at[2] : from+at[3]], start: from + at[4], end: from + at[5]}
		if strings.HasPrefix(g.between, "+") {
			g.start = from + at[2]
		}
		g.digits = strings.Trim(text[g.start:g.end], "()+ ")
		all = append(all, g)
	}
	return all
}

// pieces are the parts of a run between what are times and dates without any doubt, behind the number that a line of
// a list begins with.
func pieces(text string, run []group) [][]group {
	var all [][]group
	if len(run) > 1 && len(run[0].digits) <= 2 && run[1].between == ". " && lineBegins(text[:run[0].start]) {
		all, run = append(all, run[:1]), run[1:]
	}
	from := 0
	cut := func(at, next int) {
		if at > from {
			all = append(all, run[from:at])
		}
		from = next
	}
	for i := 0; i < len(run); {
		switch n := sure(run, i, from); {
		case n > 0:
			cut(i, i+n)
			i += n
		case i > from && strings.Contains(run[i].between, ":"):
			cut(i, i)
			i++
		default:
			i++
		}
	}
	cut(len(run), len(run))
	return all
}

func lineBegins(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Trim(line, " *-") == ""
}

// sure is how many groups from one on are a time with a colon, or a date with its year. From is where the last one ended.
func sure(run []group, i, from int) int {
	in := func(k, least, most int) bool {
		if k >= len(run) || len(run[k].digits) > 2 || len(run[k].digits) != run[k].end-run[k].start {
			return false
		}
		n := int(run[k].digits[0] - '0')
		if len(run[k].digits) == 2 {
			n = n*10 + int(run[k].digits[1]-'0')
		}
		return least <= n && n <= most
	}
	colon := func(k int) bool { return k < len(run) && run[k].between == ":" }
	minutes := func(k int) bool { return colon(k) && len(run[k].digits) == 2 && in(k, 0, 59) }
	if in(i, 0, 24) && (i == 0 || !colon(i)) && minutes(i+1) {
		switch {
		case !colon(i + 2):
			return 2
		case minutes(i+2) && !colon(i+3):
			return 3
		}
	}
	year := func(k int) bool {
		d := run[k].digits
		return len(d) == 4 && (d[:2] == "19" || d[:2] == "20") && run[k].end-run[k].start == 4
	}
	apart := func(k int) bool { return k >= len(run) || strings.Contains(run[k].between, " ") }
	if i+2 >= len(run) || !apart(i+3) && sure(run, i+3, i+3) == 0 || i > 0 && i > from && !apart(i) {
		return 0
	}
	between := run[i+1].between
	switch known := between == run[i+2].between && len(between) == 1; {
	case !known || !strings.Contains("-./ ", between):
		return 0
	case year(i) && in(i+1, 1, 12) && in(i+2, 1, 31), year(i+2) && in(i, 1, 31) && in(i+1, 1, 12), year(i+2) && in(i, 1, 12) && in(i+1, 1, 31):
		return 3
	}
	return 0
}

// honest reports whether digits are no telephone number: they say when, how much, or are part of a code.
func honest(piece, digits, text, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text, "-"))
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, "-"))
	inside := cased(last) && cased(next)
	money := len(digits) <= mostDigits && amount.MatchString(piece) && (before.MatchString(text) || behind.MatchString(rest))
	code := len(digits) <= mostDigits && !strings.ContainsAny(piece, " +(") && (inCode(last) || inside)
	return when.MatchString(piece) || money || len(digits) <= mostDigits && round.MatchString(piece) || fraction.MatchString(piece) || code
}

// inCode reports whether what stands before digits makes them a part of a code, such as "MRV-20261124".
func inCode(r rune) bool { return 'A' <= r && r <= 'Z' || r == '#' }

// chains are numbers that are told in parts, "0533, then 111, then 22 33": what begins as the code of a network does,
// and short numbers behind it, with one and the same word between at most.
func chains(text string, short []number) []number {
	var all []number
	for i := 0; i < len(short); i++ {
		whole, word := short[i], ""
		if !heads(text, whole) {
			continue
		}
		whole.split = true
		for k := i + 1; k < len(short); k++ {
			next := short[k]
			m := joint.Regexp().FindStringSubmatch(text[end(whole.groups):next.groups[0].start])
			if m == nil || word != "" && m[1] != "" && m[1] != word || len(whole.digits)+len(next.digits) > mostAll {
				break
			}
			if m[1] != "" {
				word = m[1]
			}
			whole.digits += next.digits
			whole.groups = append(slices.Clip(whole.groups), next.groups...)
			i = k
		}
		if len(whole.groups) > 1 && (len(whole.digits) > fewestAll || len(whole.digits) == fewestAll && !whole.abroad) {
			all = append(all, whole)
		}
	}
	return all
}

// heads reports whether a number that is told in parts may begin so: with the code of a network or of a country.
func heads(text string, n number) bool {
	first, text := n.groups[0].digits, text[:n.groups[0].start]
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text, "-"))
	return (n.abroad || len(first) >= 3 && first[0] == '0') && !inCode(last) && !thousands.MatchString(text)
}

// replaceNumbers replaces the telephone numbers that out selects with gaps, except for those in the places.
func replaceNumbers(text string, places func(shadow) [][]int, out func(number) bool) string {
	s := shadowOf(text)
	var b strings.Builder
	done := 0
	gap := func(groups []group) {
		start, end := s.original(groups[0].start, end(groups))
		b.WriteString(text[done:start])
		b.WriteString(Gap)
		done = end
	}
	for _, n := range numbersOf(s, places(s)...) {
		switch {
		case !out(n):
		case !n.split:
			gap(n.groups)
		default:
			for _, g := range n.groups {
				gap([]group{g})
			}
		}
	}
	return b.String() + text[done:]
}
