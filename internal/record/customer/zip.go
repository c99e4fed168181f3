package customer

import (
	"iter"
	"strings"
	"sync"
	"unicode"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// errNoZIP is the answer to what is no ZIP code.
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
		} else if !isNumber(word) {
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

func isNumber(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// multiples are words that repeat the digit after them.
var multiples = map[string]int{"double": 2, "triple": 3}

// spokenDigits are the words for 0 to 9 in each language, those for one digit joined by |.
var spokenDigits = map[string]string{
	"en": "zero|oh|o|nought one two three four five six seven eight nine|niner",
	"tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz",
	"el": "μηδέν ένα|ένας|μία|μια δύο|δυο τρία|τρεις τέσσερα|τέσσερις πέντε έξι επτά|εφτά οκτώ|οχτώ εννέα|εννιά",
	"ru": "ноль|нуль один|одна|раз два|две три четыре пять шесть семь восемь девять",
	"he": "אפס אחת|אחד שתיים|שתים|שניים|שנים שלוש|שלושה ארבע|ארבעה חמש|חמישה שש|שישה שבע|שבעה שמונה תשע|תשעה",
	"ar": "صفر واحد|واحدة اثنان|اثنين|إثنان|إثنين ثلاثة|ثلاث أربعة|أربع خمسة|خمس ستة|ست سبعة|سبع ثمانية|ثماني|ثمان تسعة|تسع",
	"de": "null eins|ein|eine zwei|zwo drei vier fünf|fuenf sechs sieben acht neun",
	"es": "cero uno|una|un dos tres cuatro cinco seis siete ocho nueve",
	"fr": "zéro un|une deux trois quatre cinq six sept huit neuf",
	"sw": "sifuri moja mbili tatu nne tano sita saba nane tisa",
}

// digitWords gives the digit that a word stands for. No word stands for two in different languages.
var digitWords = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, words := range spokenDigits {
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
