package taxi

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// A code has four characters that nobody takes for others: no vowels, so that it is never a
// word; none of 0 1 2 5 6 8 and the letters that look like them; at least one digit, so that
// it is told from the words around it, and one letter, so that it is told from a price or a time.
const (
	codeAlphabet = "CDFHJKMNPRTVWXY3479"
	codeDigits   = "3479"
	codeLength   = 4

	maxCodes = 24 // tries to find one that is free
)

// codesOf are the codes that a ride may have, in the order in which they are tried: the same
// ride tries the same codes.
func codesOf(id string) []string {
	var codes []string
	for n := 0; len(codes) < maxCodes; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "code\x00%s\x00%d", id, n))
		var b strings.Builder
		for _, c := range sum[:codeLength] {
			b.WriteByte(codeAlphabet[int(c)%len(codeAlphabet)])
		}
		if code := b.String(); strings.ContainsAny(code, codeDigits) && strings.Trim(code, codeDigits) != "" {
			codes = append(codes, code)
		}
	}
	return codes
}

// isCode reports whether s, in capitals, can be a code. Rides of earlier have some of digits alone.
func isCode(s string) bool {
	outside := func(r rune) bool { return !strings.ContainsRune(codeAlphabet, r) }
	return len(s) == codeLength && strings.ContainsAny(s, codeDigits) && !strings.ContainsFunc(s, outside)
}

// latin are the capitals of other alphabets that look like letters of a code: a driver whose
// keyboard is Russian or Greek types those.
var latin = strings.NewReplacer(
	"С", "C", "Н", "H", "К", "K", "М", "M", "Р", "P", "Т", "T", "Х", "X", "У", "Y",
	"Η", "H", "Κ", "K", "Μ", "M", "Ν", "N", "Ρ", "P", "Τ", "T", "Χ", "X", "Υ", "Y",
)
