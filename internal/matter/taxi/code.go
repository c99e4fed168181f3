package taxi

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"merve/internal/base/ident"
)

const (
	codeDigits = "3479"
	maxCodes   = 24 // tries to find one that is free
)

// codesOf lists the codes that a ride may have, in the order of trying; the same ride tries the same codes. Each has a digit,
// unlike the words around it, and a letter, unlike a price or a time.
func codesOf(id string) []string {
	var codes []string
	for n := 0; len(codes) < maxCodes; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "code\x00%s\x00%d", id, n))
		if code := ident.Ride.Of(sum[:]); strings.ContainsAny(code, codeDigits) && strings.Trim(code, codeDigits) != "" {
			codes = append(codes, code)
		}
	}
	return codes
}

// isCode reports whether s, in capitals, can be a code. Some codes of earlier rides have only digits.
func isCode(s string) bool { return ident.Ride.Is(s) && strings.ContainsAny(s, codeDigits) }

// latin maps the capitals of other alphabets that look like letters of a code, as drivers with a Russian or Greek keyboard
// type those.
var latin = strings.NewReplacer(
	"С", "C", "Н", "H", "К", "K", "М", "M", "Р", "P", "Т", "T", "Х", "X", "У", "Y",
	"Η", "H", "Κ", "K", "Μ", "M", "Ν", "N", "Ρ", "P", "Τ", "T", "Χ", "X", "Υ", "Y",
)
