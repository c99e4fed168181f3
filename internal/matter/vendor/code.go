package vendor

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"merve/internal/base/ident"
)

// Codes have seven characters, more than those of rides, orders, talks and bookings. The last is a digit, so
// that a code is no word, and one before is a letter, so that it is no number.
var (
	codeFront = ident.Code{Alphabet: ident.Readable, Length: codeLength - 1, Letter: true}
	codeEnd   = ident.Code{Alphabet: "23456789", Length: 1}
)

const codeLength = 7

// NewCode is the code of a request or an outreach.
func NewCode(id string) string {
	sum := sha256.Sum256([]byte(id))
	return codeFront.Of(sum[:]) + codeEnd.Of(sum[codeLength:])
}

// Coded reports whether a text names an outreach: it is a vendor's answer, whatever else its number is used for.
func Coded(text string) bool { return len(codesIn(text)) > 0 }

// codesIn are the words of a text that have the form of a code, each once.
func codesIn(text string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if up := strings.ToUpper(w); IsCode(up) && !slices.Contains(all, up) {
			all = append(all, up)
		}
	}
	return all
}

func IsCode(w string) bool {
	return len(w) == codeLength && codeFront.Is(w[:codeLength-1]) && codeEnd.Is(w[codeLength-1:]) && strings.Trim(w, "23456789") != ""
}

// Without takes a code from the beginning or the end of a text.
func Without(said, code string) string {
	const around = " \t\n:,.;-–—#()[]"
	s := strings.Trim(said, around)
	if len(s) >= len(code) && strings.EqualFold(s[:len(code)], code) {
		return strings.TrimLeft(s[len(code):], around)
	}
	if len(s) >= len(code) && strings.EqualFold(s[len(s)-len(code):], code) {
		return strings.TrimRight(s[:len(s)-len(code)], around)
	}
	return said
}
