// Package price reads the price in what somebody wrote.
//
// A price is a figure directly next to the word, sign or code of a currency, and in that currency. A bare figure is one only
// where nothing but a yes, thanks or a greeting stands with it; it is then in the currency in which prices were asked for.
// Everything else that has a figure or a currency in it is [Unclear]: a range, several different amounts, a figure or a
// currency that can be read in two ways. A price of zero needs a word for free.
//
// It errs toward unclear: what is missing from its lists of words makes a price unclear, and never another price.
//
// A sign or a short word may mean several currencies, such as "$" or "dollars". It means the one in which prices were asked for if
// that is among them, else the best known: of a sign the one that CLDR's English writes with the bare sign, of a word the first
// of its line in money.txt of a language. Where no currency is the best known ("francs"), it is unclear.
//
// Signs and codes are those of golang.org/x/text/currency. names.txt has what currencies are called in full, from CLDR;
// money.txt in the folder of each language has what they are called for short, by hand.
package price

import (
	"slices"

	"merve/internal/spine/gate"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Status is what a text says of a price.
type Status string

const (
	None    Status = "none"    // nothing: it has no figure and no currency
	Clear   Status = "clear"   // it names a price and its currency
	Assumed Status = "assumed" // it is a price without a currency
	Unclear Status = "unclear" // it may name one, and nobody knows which
)

// Price is what a text says of a price.
type Price struct {
	Status   Status
	Minor    int64  // in minor units, if it is clear or assumed
	Currency string // ISO 4217, if the price is clear or assumed
}

// Read reads the price in a text whose writer was asked for one in a currency.
func Read(text, asked string) Price {
	tokens := tokenize(text)
	marks := currencies(tokens)
	if len(marks) == 0 && !slices.ContainsFunc(tokens, token.counts) {
		if onlyFree(tokens) {
			return Price{Assumed, 0, asked}
		}
		return Price{Status: None}
	}
	if p, ok := bare(tokens, marks, asked); ok {
		return p
	}
	found, ok := priced(tokens, marks, asked)
	if !ok || len(found) == 0 {
		return Price{Status: Unclear}
	}
	for _, f := range found {
		if f.Price != found[0].Price || ranges(tokens, marks, f) || f.Minor == 0 && !hasFree(tokens) {
			return Price{Status: Unclear}
		}
	}
	return found[0].Price
}

// Named reports whether a text names a currency, by a sign, a code or a word.
func Named(text string) bool { return len(currencies(tokenize(text))) > 0 }

// bare reads a figure with which nothing stands but courtesy.
func bare(tokens []token, marks []mark, asked string) (Price, bool) {
	at := -1
	for i, t := range tokens {
		switch {
		case t.counts() && (at >= 0 || !t.clean()):
			return Price{}, false
		case t.counts():
			at = i
		}
	}
	if len(marks) > 0 || at < 0 || !courteous(tokens[:at], tokens[at+1:]) {
		return Price{}, false
	}
	minor, ok := tokens[at].reading(asked)
	if !ok || !tokens[at].certain(tokens[:at]) || minor == 0 && !hasFree(tokens) {
		return Price{}, false
	}
	return Price{Assumed, minor, asked}, true
}

// amount is a figure with its currency.
type amount struct {
	Price
	from, to int // its place among the tokens, with the currency
	figure   int
}

// priced are the figures that stand next to a currency. ok is false where one of those, or what a currency stands next to, has no
// certain reading.
func priced(tokens []token, marks []mark, asked string) (all []amount, ok bool) {
	used := make([]bool, len(marks))
	for i, t := range tokens {
		if t.kind != number {
			continue
		}
		a := amount{from: i, to: i + 1, figure: i}
		var beside []mark
		for n, m := range marks {
			switch {
			case m.to == i || m.to == i-1 && tokens[i-1].text == ":":
				a.from = m.from
			case m.from == i+1:
				a.to = m.to
			default:
				continue
			}
			beside, used[n] = append(beside, m), true
		}
		if len(beside) == 0 {
			continue
		}
		currency := meant(beside, asked)
		minor, read := t.reading(currency)
		if currency == "" || !read || !t.clean() || !t.certain(tokens[:a.from]) || foreign(tokens, beside, a.to) || multiplied(tokens, a) {
			return nil, false
		}
		a.Price = Price{Clear, minor, currency}
		all = append(all, a)
	}
	return all, !slices.Contains(used, false)
}

// meant is the currency of all marks of a figure; "" is not known.
func meant(marks []mark, asked string) string {
	may := marks[0].may
	for _, m := range marks[1:] {
		may = slices.DeleteFunc(slices.Clone(may), func(c string) bool { return !slices.Contains(m.may, c) })
	}
	switch {
	case len(may) == 0:
		return ""
	case slices.Contains(may, asked):
		return asked
	case may[0] == nobody:
		return ""
	}
	return may[0]
}

// reading is the amount of a figure in minor units of a currency, if it can be read in one way only.
func (t token) reading(currency string) (int64, bool) {
	all := readings(t.text, wording.Decimals(currency))
	if len(all) != 1 || !schedule.IsPrice(all[0]) {
		return 0, false
	}
	return all[0], true
}

// certain reports whether a figure begins where it seems to: in "model 350 280" nobody knows. before is what stands before it.
func (t token) certain(before []token) bool {
	if !t.spaced || len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last.kind == sign || last.kind == word && gate.Courtesy(last.text)
}

// multiplied reports whether a word for thousands stands next to an amount.
func multiplied(tokens []token, a amount) bool {
	is := func(i int) bool { return i >= 0 && i < len(tokens) && lists().thousands[tokens[i].text] }
	return is(a.figure+1) || is(a.to) || is(a.from-1)
}

// near is how many times the lower end of a range its upper end may be, where nothing says that they are one.
const near = 3

// ranges reports whether an amount is an end of a range, or one of several figures: another figure stands next to it, with
// nothing between them but what makes a range, or with so little and so like it that it may be one.
func ranges(tokens []token, marks []mark, a amount) bool {
	if a.from > 0 && lists().from[tokens[a.from-1].text] {
		return true
	}
	for i, t := range tokens {
		if t.kind != number || i == a.figure || t.percent {
			continue
		}
		between := tokens[min(a.to, i+1):max(a.from, i)]
		words, joined, paused := 0, len(between) > 0, false
		for n, b := range between {
			at := min(a.to, i+1) + n
			switch {
			case slices.ContainsFunc(marks, func(m mark) bool { return m.from <= at && at < m.to }):
			case b.kind == number:
				words = math
			case lists().between[b.text]:
				words++
			case b.kind == word:
				words, joined = words+1, false
			case b.pause():
				paused, joined = true, false
			default: // a dash, a slash
			}
		}
		switch {
		case joined && words <= 3, words == 0 && alike(t, tokens[a.figure]), !paused && words <= 2 && alike(t, tokens[a.figure]):
			return true
		}
	}
	return false
}

// math is more words than any range has between its ends.
const math = 1 << 20

// alike reports whether two figures may be the ends of a range.
func alike(a, b token) bool {
	x, y := a.size(), b.size()
	return max(x, y) <= near*min(x, y)
}
