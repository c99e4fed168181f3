package vendor

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"merve/internal/base/ident"
)

// NewCode is the code of a request or an outreach.
func NewCode(id string) string {
	sum := sha256.Sum256([]byte(id))
	return ident.Request.Of(sum[:])
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

// IsCode reports whether a word has the form of a code.
func IsCode(w string) bool { return ident.Request.Is(w) }
