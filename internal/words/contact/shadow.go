package contact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"merve/internal/base/pattern"
	"merve/internal/words/language"
)

// shadow is a text as a reader sees it, for matching patterns: without invisible characters, and with the digits and
// letters of plain text. It knows where everything stands in the original.
type shadow struct {
	text string
	at   []int // for each byte where its rune begins in the original, and where that ends
}

func shadowOf(text string) shadow {
	var b strings.Builder
	var at []int
	for i, r := range text {
		for _, seen := range shown(r) {
			b.WriteRune(seen)
			for range utf8.RuneLen(seen) {
				at = append(at, i)
			}
		}
	}
	return shadow{b.String(), append(at, len(text))}
}

// shown is what a reader takes a rune for; "" is nothing.
func shown(r rune) string {
	switch {
	case r < utf8.RuneSelf && r != utf8.RuneError:
		return string(r)
	case unicode.Is(unicode.Cf, r), language.Blank(r), unicode.Is(unicode.Variation_Selector, r), r == '\u20e3', r == '\u034f':
		return ""
	case strings.ContainsRune("。．｡․﹒", r): // browsers open it as a dot
		return "."
	case strings.ContainsRune("‐‑‒–—―−﹣－", r):
		return "-"
	case unicode.IsSpace(r):
		return " "
	}
	plain := language.Digits(norm.NFKC.String(string(r)))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, plain)
}

func shadowed(text string) string { return shadowOf(text).text }

// original is what stands from one place of the shadow to another.
func (s shadow) original(from, to int) (start, end int) { return s.at[from], s.at[to] }

// replace replaces what a pattern finds with the text that by returns, unless by returns false. by also gets the
// groups.
func replace(text string, p pattern.Pattern, by func(groups []string) (instead string, ok bool)) string {
	s := shadowOf(text)
	var b strings.Builder
	done := 0
	for _, at := range p.Regexp().FindAllStringSubmatchIndex(s.text, -1) {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = s.text[at[2*i]:at[2*i+1]]
			}
		}
		kept := len(groups[0]) - len(strings.TrimRight(groups[0], ".,;:!?)]}*_~`|… "))
		if kept == len(groups[0]) || strings.HasSuffix(groups[0], ")") && strings.HasPrefix(strings.TrimPrefix(groups[0], "!"), "[") {
			kept = 0
		}
		if instead, ok := by(groups); ok {
			start, end := s.original(at[0], at[1]-kept)
			b.WriteString(text[done:start])
			b.WriteString(instead)
			done = end
		}
	}
	return b.String() + text[done:]
}
