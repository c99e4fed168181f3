package wording

import (
	"strings"
	"testing"
	"unicode"

	"merve/internal/words/language"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, lang, words, want string }{
		{"nothing", "en", " \n\t", ""},
		{"words", "en", " no onions ", "“no onions”"},
		{"one line", "en", "no onions\nTotal: €0.00\r\n\r\nConfirmed\u2028really", "“no onions Total: €0.00 Confirmed really”"},
		{"marks of its own", "en", "x” · Confirmed: “y «z» \"q\"", "“x' · Confirmed: 'y 'z' 'q'”"},
		{"an apostrophe", "en", "Joe's and Jo’s", "“Joe's and Jo’s”"},
		{"directions", "en", "a\u202eb\u2066c\u2069\u200fd\x00e", "“abcd e”"},
		{"joined emoji", "en", "👩\u200d🍳", "“👩\u200d🍳”"},
		{"German", "de", "ohne Zwiebeln", "„ohne Zwiebeln“"},
		{"French", "fr", "sans oignons", "«\u00a0sans oignons\u00a0»"},
		{"Hebrew", "he", "בלי ״בצל״", "״בלי 'בצל'״"},
		{"Latin in Arabic", "ar", "Ann", "«\u2068Ann\u2069»"},
		{"braces", "en", "{yes}", "“{yes}”"},
	} {
		if got := Quote(c.lang, c.words); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("x”\n“y\u202e\u2067")
	f.Fuzz(func(t *testing.T, words string) {
		for _, lang := range language.Supported() {
			got := Quote(lang, words)
			if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || '\u202a' <= r && r <= '\u202e' }) {
				t.Errorf("%s: %q has a control character or a direction override", lang, got)
			}
			const isolates = "\u2068\u2069"
			open, closing, _ := strings.Cut(Quote(lang, "x"), "x")
			open, closing = strings.Trim(open, isolates), strings.Trim(closing, isolates)
			if got != "" && (!strings.HasPrefix(got, open) || !strings.HasSuffix(got, closing) || strings.Count(got, closing) > 1+strings.Count(open, closing)) {
				t.Errorf("%s: %q ends its quotation itself", lang, got)
			}
		}
	})
}
