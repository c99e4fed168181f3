package language

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which words of any of the ten languages are
// compared. Two spellings that people use for one word fold alike:
//
//   - width, ligature and presentation forms (NFKC), upper and lower case;
//   - Turkish İ I ı i, whatever the keyboard; German ß and ss; Greek final sigma;
//   - with and without diacritics, tonos, niqqud or harakat;
//   - Arabic letter variants (أ إ آ ٱ, ى ی, ة, ک), with or without tatweel;
//   - every apostrophe; Arabic and ASCII digits;
//   - any white space, zero-width and bidi controls, emoji skin tones.
//
// Marks drawn through a letter stay: a word struck out is not that word.
// Fold(Fold(s)) == Fold(s).
func Fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.Map(apostropheAccent, norm.NFD.String(s))) {
		if !dropped(r) {
			writeFolded(&b, unicode.ToLower(r))
		}
	}
	return norm.NFC.String(strings.Join(strings.Fields(b.String()), " "))
}

// apostropheAccent keeps the spacing accents that people type as an apostrophe
// ("d´accord"): NFKD would make a space of them. It takes canonically decomposed
// runes, which are fewer.
func apostropheAccent(r rune) rune {
	switch r {
	case '\u00b4', '\u0384', '\u1fbd', '\u1fbf': // acute, tonos, koronis, psili
		return '\''
	}
	return r
}

// dropped reports whether r, part of a decomposed text, says nothing about which word it is.
func dropped(r rune) bool {
	switch {
	case r == 'ـ': // tatweel
		return true
	case '\U0001F3FB' <= r && r <= '\U0001F3FF': // skin tones
		return true
	case unicode.Is(unicode.Mn, r):
		return !overlay(r)
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r) // Arabic number signs, which one sees
	}
	return false
}

// overlay reports whether mark r is drawn through its letter (combining class 1).
func overlay(r rune) bool {
	return norm.NFC.PropertiesString(string(r)).CCC() == 1
}

// writeFolded writes lower-case r in the form its spellings share.
func writeFolded(b *strings.Builder, r rune) {
	switch {
	case r == 'ß':
		b.WriteString("ss")
		return
	case r == 'œ':
		b.WriteString("oe")
		return
	case '٠' <= r && r <= '٩': // Arabic digits
		r = '0' + r - '٠'
	case '۰' <= r && r <= '۹': // their eastern forms
		r = '0' + r - '۰'
	}
	switch r {
	case 'ı':
		r = 'i'
	case 'ς':
		r = 'σ'
	case 'ٱ':
		r = 'ا'
	case 'ى', 'ی':
		r = 'ي'
	case 'ة':
		r = 'ه'
	case 'ک':
		r = 'ك'
	case '’', '‘', '‛', 'ʼ', 'ʻ', '`', '′', '׳':
		r = '\''
	}
	b.WriteRune(r)
}
