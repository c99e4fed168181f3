package claim

import (
	"strings"
	"unicode"

	"merve/internal/words/language"
)

// inWord reports whether r, of a folded text, is part of a word.
func inWord(r rune) bool {
	return unicode.IsLetter(r) && !language.Blank(r) || unicode.IsDigit(r) || unicode.IsMark(r) || '🄰' <= r && r <= '🆉' || '🇦' <= r && r <= '🇿'
}

// isEmphasis reports whether r stands inside words without parting them: the marks
// of bold, code and struck-out text, quotation marks, letters that show nothing.
func isEmphasis(r rune) bool {
	return strings.ContainsRune("*~\\\"“”„‟«»‹›״", r) || language.Blank(r)
}
