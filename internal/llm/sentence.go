package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	enders    = ".!?…。！？؟۔।॥\u037e։" // the last but one is the question mark of Greek
	closers   = "\"'”’»」』)]*_~`"
	spaceless = "。！？" // end a sentence without white space behind them
)

// wholeSentences shortens a text that was cut off to its whole sentences, or to its whole
// words and an ellipsis where there is none. It keeps the first said bytes in any case.
func wholeSentences(text string, said int) string {
	if end := lastEnd(text); end > 0 && end >= said {
		return text[:end]
	}
	end := strings.LastIndexFunc(text, unicode.IsSpace)
	if end < max(said, 1) {
		end = len(text)
	}
	if shorter := strings.TrimRightFunc(text[:end], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-–—(", r) }); len(shorter) >= said {
		return shorter + "…"
	}
	return text[:end] + "…"
}

// lastEnd is where the last whole sentence or line ends, 0 if none does.
func lastEnd(text string) int {
	last := 0
	line := 0 // where it begins
	for i, r := range text {
		switch {
		case r == '\n':
			if whole := strings.TrimRightFunc(text[line:i], unicode.IsSpace); whole != "" && !strings.ContainsAny(whole[len(whole)-1:], ":,") {
				last = line + len(whole)
			}
			line = i + 1
		case strings.ContainsRune(enders, r):
			if end := i + utf8.RuneLen(r); !isNumber(text[line:i]) {
				end += len(text[end:]) - len(strings.TrimLeft(text[end:], closers))
				if next, _ := utf8.DecodeRuneInString(text[end:]); end == len(text) || unicode.IsSpace(next) || strings.ContainsRune(spaceless, r) {
					last = end
				}
			}
		}
	}
	return last
}

// isNumber reports whether s is the number of a list's item.
func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.TrimLeft(s, "0123456789") == ""
}

// join puts the rest of a text behind its beginning. A rest that begins with the last words
// again, or with the last word of which only a part was there, does not repeat them.
func join(text, space, rest string) string {
	for i := range text {
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
			continue
		}
		if strings.HasPrefix(rest, text[i:]) {
			return text[:i] + rest
		}
	}
	return text + space + rest
}
