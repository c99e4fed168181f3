package ident

import (
	"strings"
	"unicode"
)

// Without takes a code from the beginning or the end of a text.
func Without(text, code string) string {
	const around = " \t\n:,.;-–—#()[]"
	trimmed := strings.Trim(text, around)
	for len(trimmed) >= len(code) && strings.EqualFold(trimmed[:len(code)], code) && !wordGoesOn(trimmed[len(code):], true) {
		trimmed = strings.TrimLeft(trimmed[len(code):], around)
		text = trimmed
	}
	if n := len(trimmed) - len(code); n >= 0 && strings.EqualFold(trimmed[n:], code) && !wordGoesOn(trimmed[:n], false) {
		text = strings.TrimRight(trimmed[:n], " \t\n:,;-–—#([")
	}
	return strings.TrimSpace(text)
}

// wordGoesOn reports whether s begins, or ends, in the middle of a word.
func wordGoesOn(s string, begins bool) bool {
	r := []rune(s)
	if len(r) == 0 {
		return false
	}
	at := r[len(r)-1]
	if begins {
		at = r[0]
	}
	return unicode.IsLetter(at) || unicode.IsDigit(at)
}
