package gate

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// RefusesCalls reports whether a text says that its writer is not to be called, in any language that we speak: a word of calling and
// one of a no or an end stand in one of its sentences, or the whole of it is a STOP. It errs toward a refusal, and whatever rests on it
// may only take leave to call back.
func RefusesCalls(text string) bool {
	if OptOut(text) == Stop {
		return true
	}
	lists := callWords()
	return slices.ContainsFunc(language.Sentences(text), func(sentence string) bool {
		words := strings.FieldsFunc(strings.ReplaceAll(language.Fold(sentence), "n't", " not"), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
		})
		return lists["[call]"].in(words) && lists["[not]"].in(words)
	})
}

// stems are words that may be the beginning, the end or the middle of others.
type stems struct {
	whole                   map[string]bool
	begins, ends, somewhere []string
}

// in reports whether one of the stems is in one of some words.
func (s stems) in(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		is := func(some []string, how func(string, string) bool) bool {
			return slices.ContainsFunc(some, func(stem string) bool { return how(w, stem) })
		}
		return s.whole[w] || is(s.begins, strings.HasPrefix) || is(s.ends, strings.HasSuffix) || is(s.somewhere, strings.Contains)
	})
}

// callWords are the two lists, of all languages.
var callWords = sync.OnceValue(func() map[string]stems {
	lists := map[string]stems{}
	for _, text := range lang.Calls().All() {
		for heading, lines := range lang.Sections(text) {
			s, known := lists[heading]
			if !known {
				s.whole = map[string]bool{}
			}
			for _, line := range lines {
				s.add(line)
			}
			lists[heading] = s
		}
	}
	return lists
})

// add adds words, which have an asterisk where they may continue.
func (s *stems) add(words string) {
	for w := range strings.FieldsSeq(words) {
		stem := language.Fold(strings.Trim(w, "*"))
		switch {
		case strings.HasPrefix(w, "*") && strings.HasSuffix(w, "*"):
			s.somewhere = append(s.somewhere, stem)
		case strings.HasPrefix(w, "*"):
			s.ends = append(s.ends, stem)
		case strings.HasSuffix(w, "*"):
			s.begins = append(s.begins, stem)
		default:
			s.whole[stem] = true
		}
	}
}
