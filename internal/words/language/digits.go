package language

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Digit returns a digit of any script as 0 to 9, and any other character unchanged.
func Digit(r rune) rune {
	if r <= '9' || !unicode.Is(unicode.Nd, r) {
		return r
	}
	zero := r
	for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) { // each script's digits stand in a row that begins with zero
		zero--
	}
	return '0' + r - zero
}

// Digits writes the digits of any script as 0 to 9.
func Digits(s string) string { return strings.Map(Digit, s) }

// IsNumber reports whether s has digits alone, of any script.
func IsNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// Numbers are the numbers that a text has in digits. What groups or parts them, such as a point, ends one. A number that is too
// long is [math.MaxInt].
func Numbers(s string) []int {
	var all []int
	for _, digits := range strings.FieldsFunc(Digits(Fold(s)), func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(digits)
		if err != nil {
			n = math.MaxInt
		}
		all = append(all, n)
	}
	return all
}
