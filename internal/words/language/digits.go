package language

import (
	"strings"
	"unicode"
)

// Digits writes the digits of any script as 0 to 9.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Nd, r) && r > '9' {
			zero := r
			for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) { // each script's digits stand in a row that begins with zero
				zero--
			}
			return '0' + r - zero
		}
		return r
	}, s)
}
