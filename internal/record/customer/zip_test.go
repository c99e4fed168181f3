package customer

import (
	"testing"

	"merve/internal/base/fault"
	"merve/internal/base/fieldtest"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// A ZIP code is read however it is written or said.
func TestParseZIP(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"94107": "94107", " 94107 ": "94107", "94107-1234": "94107", "941071234": "94107", "9 4 1 0 7": "94107", "941 07": "94107", "9-4-1-0-7.": "94107",
		"It's 94107, thanks": "94107", "zip:94107": "94107",
		"９４１０７": "94107", "٩٤١٠٧": "94107", "۹۴۱۰۷": "94107", "९४१०७": "94107",
		"nine oh two one oh": "90210", "Nine zero two, one zero": "90210", "nine O two one O": "90210", "double nine five oh one": "99501", "triple zero one two": "00012",
		"nine four 1 0 seven, one two three four": "94107",
		"dokuz dört bir sıfır yedi":               "94107", "DOKUZ DÖRT BİR SIFIR YEDİ": "94107", "εννιά τέσσερα ένα μηδέν επτά": "94107",
		"девять четыре один ноль семь": "94107", "תשע ארבע אחת אפס שבע": "94107", "تسعة أربعة واحد صفر سبعة": "94107",
		"neun vier eins null sieben": "94107", "nueve cuatro uno cero siete": "94107", "neuf quatre un zéro sept": "94107", "tisa nne moja sifuri saba": "94107",
	} {
		if got, err := ParseZIP(said); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %s", said, got, err, want)
		}
	}
	for _, said := range []string{"", "9410", "941070", "94107-12", "nine four one", "my house", "double", "-94107-94107", "941o7"} {
		if got, err := ParseZIP(said); !fault.Is(err, fault.Invalid) || got != "" {
			t.Errorf("%q: %q, %v", said, got, err)
		}
	}
}

// Each language has ten digits, and no word is a digit in one and another digit in the next.
func TestSpokenDigits(t *testing.T) {
	t.Parallel()
	digits := map[string]int{}
	for _, tag := range language.Supported() {
		words := lang.Digits().In(tag)
		if words == "" {
			t.Errorf("%s has no words for digits", tag)
		}
		n := 0
		for digit, word := range each(words) {
			n = max(n, digit+1)
			if other, known := digits[word]; known && other != digit {
				t.Errorf("%s: %s is %d, and %d elsewhere", tag, word, digit, other)
			}
			digits[word] = digit
		}
		if n != 10 {
			t.Errorf("%s has %d digits", tag, n)
		}
	}
}

func TestPhoneOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"+14155550100": "14155550100", "+1 (415) 555-0100": "14155550100", "4155550100": "14155550100", "001 415 555 0100": "14155550100", "＋１４１５５５５０１００": "14155550100",
		"+905331112233": "905331112233", "": "", "12345": "", "call me": "", "+12345678901234567": "",
	} {
		if got := phoneOf(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, customerKey, callerKey, callersKey, knownBy, accountKey, failedPhoneKey, failedAddressKey, failedPairKey, failedThreadKey)
}

func FuzzParseZIP(f *testing.F) {
	f.Fuzz(func(t *testing.T, said string) {
		zip, err := ParseZIP(said)
		if err != nil {
			return
		}
		if again, err := ParseZIP(zip); again != zip || err != nil || len(zip) != 5 {
			t.Errorf("%q is %q, which is %q, %v", said, zip, again, err)
		}
	})
}
