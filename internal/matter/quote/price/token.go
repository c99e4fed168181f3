package price

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/words/language"
)

// kind is what a token is.
type kind int

const (
	word   kind = iota // folded
	number             // as it stands, with its separators
	sign               // anything else but a space
)

// token is a piece of a text.
type token struct {
	kind    kind
	text    string
	raw     string // of a word, before it was folded
	mixed   bool   // a word with a figure in it, or a figure that is part of something else: a time, a model, a range
	spaced  bool   // a figure with ordinary spaces between its digits
	percent bool   // a figure before a percent sign
	glued   bool   // nothing stands between this and the token before
}

// counts reports whether a token has a figure in it.
func (t token) counts() bool { return t.kind == number || t.mixed }

// clean reports whether a figure stands by itself.
func (t token) clean() bool { return t.kind == number && !t.mixed && !t.percent }

// pause reports whether a sign parts what stands on either side of it.
func (t token) pause() bool {
	return t.kind == sign && strings.ContainsAny(t.text, ".,;:!?()¡¿،؛؟\n")
}

// size is about how much a figure is.
func (t token) size() float64 {
	all := readings(t.text, 2)
	if len(all) == 0 {
		n, _ := strconv.ParseFloat(strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, t.text), 64)
		return n
	}
	return float64(all[0]) / 100
}

// tokenize cuts a text into words, figures and signs. Letters and digits without a space between them are tokens of their own where
// the letters are a currency's ("280tl", "US$280"), else one word.
func tokenize(text string) []token {
	var all []token
	runes := []rune(language.Digits(text))
	gap := true
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r == '\n':
			all, gap, i = append(all, token{kind: sign, text: "\n"}), true, i+1
		case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == '*' && !between(runes, i) || r == '_':
			gap, i = gap || unicode.IsSpace(r), i+1 // an asterisk makes a word bold
		case '0' <= r && r <= '9':
			t, end := figureAt(runes, i)
			t.glued = !gap
			all, gap, i = append(all, t), false, end
		case unicode.IsLetter(r) || unicode.IsMark(r):
			end := i + 1
			for end < len(runes) && (inWord(runes[end]) || quoteInside(runes, end)) {
				end++
			}
			raw := strings.TrimRight(string(runes[i:end]), "'’")
			end = i + utf8.RuneCountInString(raw)
			folded := language.Fold(strings.NewReplacer("״", "", "\"", "").Replace(raw))
			all, gap, i = append(all, token{kind: word, text: folded, raw: raw, glued: !gap}), false, end
		default:
			all, gap, i = append(all, token{kind: sign, text: string(r), mixed: unicode.IsNumber(r), glued: !gap}), false, i+1
		}
	}
	return unmixed(all)
}

// inWord reports whether a rune is part of a word. A digit is not.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || r == '\'' || r == '’' }

// quoteInside reports whether a quotation mark stands inside a Hebrew word, where it shortens it.
func quoteInside(runes []rune, i int) bool {
	if runes[i] != '"' && runes[i] != '״' || i+1 == len(runes) {
		return false
	}
	return unicode.Is(unicode.Hebrew, runes[i-1]) && unicode.Is(unicode.Hebrew, runes[i+1])
}

// between reports whether a sign stands between two digits.
func between(runes []rune, i int) bool {
	return i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
}

// figureAt is the figure that begins at a place, with its separators, and where it ends. A space is a separator only before three
// digits.
func figureAt(runes []rune, i int) (token, int) {
	t := token{kind: number}
	digits := func(from int) int {
		end := from
		for end < len(runes) && '0' <= runes[end] && runes[end] <= '9' {
			end++
		}
		return end
	}
	end := digits(i)
	for first, decimals := end-i, false; end+1 < len(runes); {
		sep, next := runes[end], digits(end+1)
		space := unicode.Is(unicode.Zs, sep)
		if next == end+1 || !space && !strings.ContainsRune(separators, sep) || space && (next-end-1 != 3 || first > 3 || decimals) {
			break
		}
		decimals = decimals || sep == '.' || sep == ','
		t.spaced = t.spaced || sep == ' '
		end = next
	}
	t.text = string(runes[i:end])
	if end+1 < len(runes) && strings.ContainsRune(",.", runes[end]) && strings.ContainsRune("-–—", runes[end+1]) && digits(end+2) == end+2 {
		end += 2 // "280,-"
	}
	return t, end
}

const separators = ".,'’٫٬"

// unmixed sees to what is glued to figures: a currency is a token of its own, and what else makes the figure a part of something.
func unmixed(all []token) []token {
	for i := range all {
		if all[i].kind != number {
			continue
		}
		for _, n := range []int{i - 1, i + 1} {
			if n < 0 || n >= len(all) || !all[max(i, n)].glued {
				continue
			}
			by := all[n]
			time := by.text == ":" && n > 0 && n+1 < len(all) && all[n-1].kind == number && all[n].glued && all[n+1].kind == number && all[n+1].glued
			if by.kind == word && len(codeOrName(by)) == 0 || by.kind == sign && (strings.Contains("-–—/+*~°@×=#'", by.text) || time) {
				all[i].mixed = true
			}
		}
		all[i].percent = i+1 < len(all) && (all[i+1].text == "%" || all[i+1].text == "٪")
	}
	return all
}

// readings are the amounts that a figure may be in minor units of a currency with so many decimals, each once.
func readings(figure string, decimals int) []int64 {
	var all []int64
	add := func(whole, part string) {
		digits := whole + part + strings.Repeat("0", decimals-len(part))
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && (len(all) == 0 || all[0] != n) {
			all = append(all, n)
		}
	}
	if whole, ok := grouped(figure); ok {
		add(whole, "")
	}
	if at := strings.LastIndexAny(figure, ".,٫"); at >= 0 {
		sep, size := utf8.DecodeRuneInString(figure[at:])
		part := figure[at+size:]
		if whole, ok := grouped(figure[:at]); ok && len(part) <= decimals && !strings.ContainsRune(figure[:at], sep) {
			add(whole, part)
		}
	}
	return all
}

// grouped are the digits of a whole number, whose thousands are parted by one kind of separator or by none: groups of three, or
// with commas India's, of two before the last three.
func grouped(figure string) (string, bool) {
	var groups []string
	var sep rune
	start := 0
	for i, r := range figure {
		if '0' <= r && r <= '9' {
			continue
		}
		if unicode.Is(unicode.Zs, r) {
			r = ' '
		}
		if r == '٫' || sep != 0 && sep != r {
			return "", false
		}
		groups, sep = append(groups, figure[start:i]), r
		_, size := utf8.DecodeRuneInString(figure[i:])
		start = i + size
	}
	groups = append(groups, figure[start:])
	if len(groups[0]) > 1 && groups[0][0] == '0' || len(groups) > 1 && (groups[0] == "" || len(groups[0]) > 3 || groups[0] == "0") {
		return "", false
	}
	for i, g := range groups[1:] {
		india := sep == ',' && len(groups[0]) <= 2 && len(groups) > 2 && len(groups[1]) == 2
		if want := map[bool]int{true: 2, false: 3}[india && i+2 < len(groups)]; len(g) != want {
			return "", false
		}
	}
	return strings.Join(groups, ""), groups[0] != ""
}
