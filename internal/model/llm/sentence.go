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

// wholeSentences shortens a text that was cut off to its whole sentences. If it has no whole sentence, it is
// shortened to whole words and an ellipsis. The first said bytes always stay.
func wholeSentences(text string, said int) string {
	if end := lastEnd(text); end > 0 && end >= said {
		return text[:end]
	}
	end := strings.LastIndexFunc(text, unicode.IsSpace)
	if end < max(said, 1) {
		end = len(text)
	}
	if shorter := strings.TrimRightFunc(text[:end], joins); len(shorter) >= said {
		return shorter + "…"
	}
	return text[:end] + "…"
}

// joins reports whether r leads on to what comes after it.
func joins(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-–—(", r) }

// lastEnd is where the last whole sentence or line ends, 0 if none does.
func lastEnd(text string) int {
	last, line := 0, 0 // line is where the present one begins
	for i, r := range text {
		if r == '\n' {
			if whole := strings.TrimRightFunc(text[line:i], unicode.IsSpace); whole != "" && !strings.ContainsAny(whole[len(whole)-1:], ":,") {
				last = line + len(whole)
			}
			line = i + 1
		}
		if !strings.ContainsRune(enders, r) || isNumber(text[line:i]) {
			continue
		}
		rest := strings.TrimLeft(text[i+utf8.RuneLen(r):], closers)
		next, _ := utf8.DecodeRuneInString(rest)
		if rest == "" || unicode.IsSpace(next) || strings.ContainsRune(spaceless, r) {
			last = len(text) - len(rest)
		}
	}
	return last
}

// isNumber reports whether s is the number of a list's item.
func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.TrimLeft(s, "0123456789") == ""
}

// join puts the rest of a text behind its beginning. A rest may repeat the last words of the beginning, or a last
// word that was cut off; join writes those once.
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
