package calc

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"merve/internal/words/language"
)

// literal is a number as it is written: runs of digits with one mark between each and the next. The
// first run is empty in ".5".
type literal struct {
	runs  []string
	marks []rune
}

// scanNumber reads the number that begins at byte i of s, and says how many bytes it has.
func scanNumber(s string, i int) (*big.Rat, int, error) {
	lit, n := readLiteral(s[i:])
	whole, fraction, ok := lit.parts()
	if !ok {
		return nil, 0, &Error{i, strconv.Quote(s[i:i+n]) + " cannot be read as a number: write 1000.5, or 1,000.5"}
	}
	text := whole
	if fraction != "" {
		text += "." + fraction
	}
	exponent, m, err := scanExponent(s, i+n)
	if err != nil {
		return nil, 0, err
	}
	rat, ok := new(big.Rat).SetString(text + exponent)
	if !ok {
		return nil, 0, &Error{i, strconv.Quote(s[i:i+n]) + " cannot be read as a number"}
	}
	return rat, n + m, nil
}

// readLiteral reads up to the end of a number. A mark belongs to the number if a digit follows, a space if exactly
// three do.
func readLiteral(s string) (lit literal, n int) {
	run := func() (digits string) {
		for n < len(s) {
			r, size := utf8.DecodeRuneInString(s[n:])
			if !isDigit(r) {
				break
			}
			digits, n = digits+string(language.Digit(r)), n+size
		}
		return digits
	}
	lit.runs = append(lit.runs, run())
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !isPoint(r) && !isGrouping(r) || !isDigit(runeAt(s, n+size)) || isSpace(r) && !threeDigits(s[n+size:]) {
			break
		}
		n += size
		lit.marks, lit.runs = append(lit.marks, r), append(lit.runs, run())
	}
	return lit, n
}

// isGrouping reports whether a mark between digits only ever groups them.
func isGrouping(r rune) bool { return isSpace(r) || strings.ContainsRune("'’٬_", r) }

// isSpace reports whether r is one of the spaces that group digits, the narrow ones included.
func isSpace(r rune) bool { return strings.ContainsRune(" \u00a0\u202f\u2009", r) }

// threeDigits reports whether s begins with three digits and no fourth.
func threeDigits(s string) bool {
	n := 0
	for _, r := range s {
		if !isDigit(r) {
			break
		}
		n++
	}
	return n == 3
}

// parts are the digits before and behind the decimal mark. ok is false where groups are not groups.
func (l literal) parts() (whole, fraction string, ok bool) {
	at := l.decimalMark()
	groups := l.runs
	if at >= 0 {
		if at != len(l.marks)-1 {
			return "", "", false // nothing groups behind the decimal mark
		}
		groups, fraction = l.runs[:at+1], l.runs[at+1]
	}
	if !grouped(groups) {
		return "", "", false
	}
	if whole = strings.Join(groups, ""); whole == "" {
		whole = "0"
	}
	return whole, fraction, true
}

// decimalMark is the place of the decimal mark among the marks, or -1. The package doc says how it is
// told from one that groups.
func (l literal) decimalMark() int {
	var points []rune
	for _, m := range l.marks {
		if isPoint(m) {
			points = append(points, m)
		}
	}
	last := len(l.marks) - 1
	switch {
	case len(points) == 0:
		return -1
	case slices.Contains(points, '٫'):
		return slices.Index(l.marks, '٫')
	case points[0] != points[len(points)-1]:
		return last
	case len(points) > 1:
		return -1
	}
	at := slices.Index(l.marks, points[0])
	if points[0] == ',' && len(l.marks) == 1 && len(l.runs[1]) == 3 && len(l.runs[0]) <= 3 && l.runs[0] != "" && l.runs[0][0] != '0' {
		return -1
	}
	return at
}

// grouped reports whether runs of digits are groups: of three, or in India's way of two before the last.
func grouped(runs []string) bool {
	for i, run := range runs[1:] {
		final := i == len(runs)-2
		if len(run) != 3 && (final || len(run) != 2) {
			return false
		}
	}
	return len(runs) == 1 || len(runs[0]) >= 1 && len(runs[0]) <= 3
}

// scanExponent reads the exponent of a number in scientific notation: e6, E-3.
func scanExponent(s string, i int) (text string, n int, err error) {
	rest := s[i:]
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return "", 0, nil
	}
	n = 1
	if n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
		n++
	}
	from := n
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if n == from {
		return "", 0, nil // a letter that begins something else
	}
	if e, err := strconv.Atoi(rest[1:n]); err != nil || e > maxExponent || e < -maxExponent {
		return "", 0, &Error{i, "the exponent is out of bounds: at most 1000"}
	}
	return rest[:n], n, nil
}
