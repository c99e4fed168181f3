package gate

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// Beside returns how much of a model's text may be shown together with the backend's own question. A YES or NO is
// meant for that question alone, so the text must not ask for another one.
//
// With a new question (fresh), a text that asks something, or names an answer, is dropped as a whole: nobody waits for
// it. With a question that already waits, the text answers what the customer has asked, so only the sentences that ask
// are dropped. If the rest names an answer, a bare YES or NO may be meant for the text rather than the question: doubt
// is true.
//
// A text names an answer if it has, anywhere and however decorated, a phrase that [Decide] takes for a YES or NO in any
// language. So no text that [Read] takes for an answer is shown there unnoticed.
func Beside(text string, fresh bool) (said string, doubt bool) {
	sentences := language.Sentences(text)
	left := slices.DeleteFunc(slices.Clone(sentences), asks)
	switch {
	case fresh && (len(left) < len(sentences) || names(text)):
		return "", false
	case len(left) < len(sentences):
		text = strings.TrimSpace(strings.Join(left, ""))
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) && !names(text) {
		return "", false // signs that stood around a question
	}
	return text, names(text)
}

// asks reports whether a sentence is a question, by a question mark anywhere in it or by words that ask.
func asks(sentence string) bool {
	for field := range strings.FieldsSeq(sentence) {
		if strings.HasPrefix(field, "https://") || strings.HasPrefix(field, "http://") {
			field = field[strings.LastIndexFunc(field, unicode.IsLetter):] // a link may have one inside
		}
		if strings.ContainsAny(field, language.QuestionMarks) || greekQuestion(field) {
			return true
		}
	}
	return contains(wordsOf(sentence), asking())
}

// greekQuestion reports whether a semicolon stands behind a Greek word, where it is a question mark.
func greekQuestion(field string) bool {
	before, _, found := strings.Cut(field, ";")
	return found && strings.ContainsFunc(before, func(r rune) bool { return unicode.Is(unicode.Greek, r) })
}

// names reports whether a phrase of a YES or NO stands anywhere in a text, but in one that is plain.
func names(text string) bool {
	return contains(wordsOf(plain().Replace(" "+language.Fold(text)+" ")), answering())
}

// plain takes out the phrases in which a word of a YES or NO is neither.
var plain = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for text := range listed(lang.Plain()) {
		pairs = append(pairs, " "+language.Fold(text)+" ", " x ")
	}
	return strings.NewReplacer(pairs...)
})

// listed are the phrases of all languages for one use.
func listed(words lang.Words) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range words.All() {
			for phrase := range strings.SplitSeq(strings.TrimSpace(text), ",") {
				if !yield(phrase) {
					return
				}
			}
		}
	}
}

// phrases are phrases in the form of [wordsOf], joined by spaces.
type phrases struct {
	known   map[string]bool
	longest int // words in the longest
}

func (p *phrases) add(text string) {
	if words := wordsOf(text); len(words) > 0 {
		p.known[phrase(words)] = true
		p.longest = max(p.longest, len(words))
	}
}

// contains reports whether one of the phrases stands among words. Single letters in a row are read as a word, too.
func contains(words []string, p phrases) bool {
	for i := range words {
		for n := 1; n <= min(p.longest, len(words)-i); n++ {
			if here := phrase(words[i : i+n]); p.known[here] || p.known[unprefixed(here)] {
				return true
			}
		}
		for n := 2; n <= min(maxSpelt, len(words)-i) && utf8.RuneCountInString(words[i+n-1]) == 1; n++ {
			if utf8.RuneCountInString(words[i]) == 1 && p.known[strings.Join(words[i:i+n], "")] {
				return true
			}
		}
	}
	return false
}

// maxSpelt bounds the letters of a word that is spelt out.
const maxSpelt = 16

// unprefixed returns a phrase in Arabic or Hebrew without the "with", "and", "to" or "the" that is written as a part of
// its first word; "" if it has no such prefix.
func unprefixed(phrase string) string {
	first, size := utf8.DecodeRuneInString(phrase)
	if strings.ContainsRune("بولفكבולהשכמ", first) && utf8.RuneCountInString(phrase) >= 3 {
		return phrase[size:]
	}
	return ""
}

// answering are the phrases that say YES or NO, and those that opt out, which lets go of an offer too.
var answering = sync.OnceValue(func() phrases {
	p := phrases{known: map[string]bool{}}
	v, err := words()
	if err != nil {
		return p // a test keeps the files readable
	}
	for text, k := range v.kinds {
		if k.has(yes | no | cancels | stop) {
			p.add(text)
		}
	}
	return p
})

// asking are the phrases that ask without a question mark.
var asking = sync.OnceValue(func() phrases {
	p := phrases{known: map[string]bool{}}
	for text := range listed(lang.Asking()) {
		p.add(text)
	}
	return p
})

// wordsOf returns the words of a text in the form that they share with all that look like them, and each of its symbols,
// such as emoji. Quotation marks and markup signs such as those for bold count as part of a word; other punctuation
// separates words.
func wordsOf(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, language.Skeleton(word.String()))
			word.Reset()
		}
	}
	for _, r := range language.Fold(text) {
		switch {
		case language.Blank(r), strings.ContainsRune("*~\"“”„‟«»‹›״", r):
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), '🄰' <= r && r <= '🆉', '🇦' <= r && r <= '🇿':
			word.WriteRune(r)
		case unicode.IsSpace(r), unicode.IsPunct(r), unicode.Is(unicode.Sm, r), unicode.Is(unicode.Sc, r), unicode.Is(unicode.Sk, r):
			end()
		default:
			end()
			all = append(all, string(r))
		}
	}
	end()
	return all
}
