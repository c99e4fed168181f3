package wording

import (
	"strings"
	"unicode"
)

// The characters that keep two directions apart (UAX #9).
const (
	firstStrongIsolate = '\u2068'
	popIsolate         = '\u2069'
	rightToLeftMark    = '\u200f'
)

// clean drops from a value what would disturb the text around it: control
// characters, direction overrides, and isolates that are not closed in the value.
func clean(s string) string {
	var b strings.Builder
	open := 0
	for _, r := range s {
		switch {
		case opensIsolate(r):
			open++
		case r == popIsolate && open == 0:
			continue
		case r == popIsolate:
			open--
		case '\u202a' <= r && r <= '\u202e':
			continue
		case unicode.IsControl(r) && r != '\n':
			r = ' '
		}
		b.WriteRune(r)
	}
	for range open {
		b.WriteRune(popIsolate)
	}
	return b.String()
}

// oneLine is clean, with line breaks turned into single spaces: a name cannot
// pretend to be a line of the message.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(clean(s), func(r rune) bool { return r == '\n' || r == '\u2028' || r == '\u2029' }), " ")
}

// quotes begins a line that is quoted: chats show it as such at the front of a line only.
const quotes = "> "

// isolateLines isolates each line of s: an isolate ends with its paragraph.
func isolateLines(s string, rtl bool) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		words, quoted := strings.CutPrefix(line, quotes)
		lines[i] = isolate(words, rtl)
		if quoted {
			lines[i] = quotes + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// isolate sets s in isolates when it is to stand in text of the given direction and
// has a run, not isolated yet, that runs or may be reordered the other way.
func isolate(s string, rtl bool) string {
	if !needsIsolation(s, rtl) {
		return s
	}
	return string(firstStrongIsolate) + s + string(popIsolate)
}

func needsIsolation(s string, rtl bool) bool {
	open, own, digits, other := 0, false, false, false
	for _, r := range s {
		switch {
		case opensIsolate(r):
			open++
		case r == popIsolate:
			open--
		case open > 0:
		case isRightToLeft(r):
			if !rtl {
				return true
			}
			own = true
		case unicode.IsLetter(r):
			if rtl {
				return true
			}
		case unicode.IsDigit(r):
			digits = true
		default:
			other = true
		}
	}
	// A bare number keeps its place by itself, and so do numbers among words of the
	// text's own direction; "19:00–20:30" or "45.00 €" alone does not.
	return rtl && digits && other && !own
}

func opensIsolate(r rune) bool { return '\u2066' <= r && r <= '\u2068' }

// startRight marks each line of right-to-left text that begins with an isolate, so
// that readers which look at the first letter only get its direction right.
func startRight(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, string(firstStrongIsolate)) {
			lines[i] = string(rightToLeftMark) + line
		}
	}
	return strings.Join(lines, "\n")
}

// startsRight reports whether the first letter of s is a right-to-left one.
func startsRight(s string) bool {
	for _, r := range s {
		if isRightToLeft(r) {
			return true
		}
		if unicode.IsLetter(r) {
			return false
		}
	}
	return false
}

// isRightToLeft reports whether r belongs to the blocks of right-to-left scripts.
func isRightToLeft(r rune) bool {
	switch {
	case r < 0x0590:
		return false
	case r <= 0x08FF, 0xFB1D <= r && r <= 0xFDFF, 0xFE70 <= r && r <= 0xFEFF:
		return unicode.IsLetter(r)
	case 0x10800 <= r && r <= 0x10FFF, 0x1E800 <= r && r <= 0x1EFFF:
		return true
	}
	return false
}
