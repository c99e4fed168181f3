package wording

import (
	"strings"
	"unicode"
)

// Quote is how the backend repeats words that it did not write: those of a customer, a business or a model, and
// profile names. The result is one line between the quotation marks of lang. Quote replaces or drops quotation marks,
// control characters and direction overrides in the words, so that no quoted text can pass for our own line. Empty
// words give "".
func Quote(lang, words string) string {
	words = strings.Join(strings.Fields(strings.Map(quotable, words)), " ")
	if words == "" {
		return ""
	}
	return Say(lang, keyQuoted, Vars{"words": words})
}

// quotable returns the character that replaces r in a quotation, or -1 to drop r.
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
