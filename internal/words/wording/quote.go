package wording

import (
	"strings"
	"unicode"
)

// Quote is how the backend repeats words that are not its own: what a customer, a business or a model wrote, a
// profile name among them. They stand on one line between the quotation marks of lang and have no mark, control
// character or direction override of their own, so that none of them can pass for a line of ours. Nothing is "".
func Quote(lang, words string) string {
	words = strings.Join(strings.Fields(strings.Map(quotable, words)), " ")
	if words == "" {
		return ""
	}
	return Say(lang, keyQuoted, Vars{"words": words})
}

// quotable returns the character in whose place r is quoted, or -1 where there is none.
func quotable(r rune) rune {
	switch {
	case unicode.Is(unicode.Quotation_Mark, r) && r != '\'' && r != '’':
		return '\''
	case r == '\u05f4': // gershayim, the mark of Hebrew
		return '\''
	case r == '\u200c' || r == '\u200d': // join letters and emoji
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return ' '
	case unicode.Is(unicode.Cf, r): // the marks, overrides and isolates of directions are among them
		return -1
	}
	return r
}
