package customer

import (
	"iter"
	"strings"
	"sync"
	"unicode"

	"merve/internal/base/fault"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// errNoZIP is the answer to words that are no ZIP code.
var errNoZIP = fault.Field("zip", "want a ZIP code of five digits: ask the caller to say it digit by digit")

// ParseZIP reads a ZIP code as people write and say it: in the digits of any script, with spaces, with the four digits of
// ZIP+4, or as words for digits in the product's languages ("nine oh two one oh"). Other words are passed over.
func ParseZIP(s string) (string, error) {
	var digits strings.Builder
	times := 1
	for _, word := range wordsOf(s) {
		if n := multiples[word]; n > 0 {
			times = n
			continue
		}
		said := word
		if d, ok := digitWords()[word]; ok {
			said = string(rune('0' + d))
		} else if !language.IsNumber(word) {
			continue
		}
		digits.WriteString(strings.Repeat(said, times))
		times = 1
	}
	if n := digits.Len(); n != 5 && n != 9 {
		return "", errNoZIP
	}
	return digits.String()[:5], nil
}

// wordsOf are the words and numbers of a text, as the dictionary has them.
func wordsOf(s string) []string {
	return strings.FieldsFunc(language.Fold(language.Digits(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// multiples are words that repeat the digit after them.
var multiples = map[string]int{"double": 2, "triple": 3}

// digitWords gives the digit that a word stands for. No word stands for two in different languages.
var digitWords = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, words := range lang.Digits().All() {
		for digit, word := range each(words) {
			all[word] = digit
		}
	}
	return all
})

// each gives the words of a language, as they are compared, with their digits.
func each(words string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for digit, alike := range strings.Fields(words) {
			for word := range strings.SplitSeq(alike, "|") {
				if !yield(digit, language.Fold(word)) {
					return
				}
			}
		}
	}
}
