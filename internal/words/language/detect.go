package language

import (
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
)

// detectWindow bounds the bytes [Detect] looks at: a language shows early.
const detectWindow = 4096

// decisive is the score from which a Latin text counts as written in a language:
// two common words, or one that no other of the languages has.
const decisive = 2

// Detect returns the supported language text is probably written in. Languages with a
// script of their own are known by it, the others by common words. Short or undecidable text gives the fallback, unchanged.
func Detect(text, fallback string) string {
	if len(text) > detectWindow {
		text = text[:detectWindow]
	}
	script, latin := countLetters(text)
	for _, tag := range Supported() { // a fixed order, so that a tie is always broken alike
		n := script[tag]
		// Foreign names and brands are written in Latin letters inside any script.
		if n >= 2 && n >= latin/3 && n == largest(script) {
			return tag
		}
	}
	if tag, ok := byWords(Fold(text)); ok {
		return tag
	}
	return fallback
}

// countLetters counts the letters of each language with a script of its own, and the Latin ones.
func countLetters(text string) (script map[string]int, latin int) {
	script = make(map[string]int)
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for tag, letters := range scripts() {
			if unicode.Is(letters, r) {
				script[tag]++
			}
		}
	}
	return script, latin
}

// scripts are the letters of each language that has a script of its own.
var scripts = sync.OnceValue(func() map[string]*unicode.RangeTable {
	all := map[string]*unicode.RangeTable{}
	for _, l := range lang.Languages() {
		if l.Script != "" {
			all[l.Tag] = unicode.Scripts[l.Script]
		}
	}
	return all
})

func largest(counts map[string]int) int {
	top := 0
	for _, n := range counts {
		top = max(top, n)
	}
	return top
}

// byWords scores folded Latin text by the words it shares with each language.
// The best score must be decisive and alone at the top.
func byWords(folded string) (tag string, ok bool) {
	scores := make(map[string]int)
	// A word includes its digits, so a code such as AB12 matches no language.
	for _, word := range strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		for lang, weight := range latinWords()[word] {
			scores[lang] += weight
		}
	}
	best, tied := 0, false
	for _, lang := range Supported() {
		switch n := scores[lang]; {
		case n > best:
			tag, best, tied = lang, n, false
		case n == best:
			tied = true
		}
	}
	return tag, best >= decisive && !tied
}

// latinWords maps a folded word to the languages that use it and what it weighs there: a word of one language alone settles
// the question.
var latinWords = sync.OnceValue(func() map[string]map[string]int {
	weights := make(map[string]map[string]int)
	for tag, text := range lang.Detect().All() {
		sections := lang.Sections(text)
		for heading, weight := range map[string]int{"[common]": 1, "[own]": decisive} {
			for _, word := range strings.Fields(Fold(strings.Join(sections[heading], " "))) {
				if weights[word] == nil {
					weights[word] = make(map[string]int)
				}
				weights[word][tag] = max(weights[word][tag], weight)
			}
		}
	}
	return weights
})
