package claim

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"merve/internal/words/language"
)

// A claim stays one whatever is done to how it looks: white space put beside white space,
// signs that show nothing put between letters, other case, marks of bold around it.
func FuzzDisguise(f *testing.F) {
	for _, name := range language.Supported() {
		for i, r := range rows(f, name) {
			if i%8 == 0 && len(r.text) < 200 { // the tests of Find read them all
				f.Add(r.text, uint8(i), uint16(i*7))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, how uint8, where uint16) {
		if len(text) > 2000 || !utf8.ValidString(text) || strings.ContainsAny(text, "<>&") {
			return // HTML has a test of its own
		}
		found := Find(text)
		if len(found) == 0 {
			return
		}
		changed := disguised(text, int(how), int(where))
		for _, c := range found {
			if !has(Find(changed), c.Kind) {
				t.Errorf("%q claims %s, and %q does not", text, c.Kind, changed)
			}
		}
	})
}

// hidden are signs that show nothing and part no words: zero width space, soft hyphen, word
// joiner, byte order mark, invisible separator, marks of direction.
var hidden = []string{"\u200b", "\u00ad", "\u2060", "\ufeff", "\u2063", "\u200e", "\u202a"}

func disguised(text string, how, where int) string {
	switch how % 4 {
	case 0: // wider
		return strings.ReplaceAll(text, " ", strings.Repeat(" ", 1+where%3)+[]string{"", "\t", "\u00a0", "\u2009", "\u3000"}[where%5])
	case 1: // with a hidden sign between two letters
		runes := []rune(text)
		var places []int
		for i := 1; i < len(runes); i++ {
			if unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i]) {
				places = append(places, i)
			}
		}
		if len(places) == 0 {
			return text
		}
		at := places[where%len(places)]
		return string(slices.Concat(runes[:at], []rune(hidden[where%len(hidden)]), runes[at:]))
	case 2: // bold
		return "**" + strings.TrimSpace(text) + "**"
	}
	return " \n\n" + text + "\n\n "
}
