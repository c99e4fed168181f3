package claim

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"merve/internal/words/language"
)

// minStem is how many letters a "stem*" needs at least. A shorter one would match half the language.
const minStem = 2

// vocabulary knows the words of one language's patterns.
type vocabulary struct {
	classes  map[string]int      // classes by their alternatives, as written
	exact    map[string]*big.Int // the classes of a word, by their bits
	prefixes map[string]*big.Int // of "stem*"
	suffixes map[string]*big.Int // of "*stem"
	infixes  map[string]*big.Int // of "*stem*"
}

func newVocabulary() vocabulary {
	return vocabulary{map[string]int{}, map[string]*big.Int{}, map[string]*big.Int{}, map[string]*big.Int{}, map[string]*big.Int{}}
}

// class returns the class of the alternatives "word|stem*|*ending|*part*".
func (v vocabulary) class(alternatives string) (int, error) {
	if class, ok := v.classes[alternatives]; ok {
		return class, nil
	}
	class := len(v.classes)
	v.classes[alternatives] = class
	for word := range strings.SplitSeq(alternatives, "|") {
		if err := v.add(word, class); err != nil {
			return 0, err
		}
	}
	return class, nil
}

// number stands in a pattern for a word with a digit.
const number = "<number>"

// add adds a folded word or stem.
func (v vocabulary) add(written string, class int) error {
	if written == number {
		set(v.exact, number, class)
		return nil
	}
	stem, open := strings.CutSuffix(written, "*")
	stem, openBefore := strings.CutPrefix(stem, "*")
	stem = language.Skeleton(stem)
	if strings.ContainsFunc(stem, func(r rune) bool { return !inWord(r) && r != '\'' }) || stem == "" {
		return fmt.Errorf("%q is no word", written)
	}
	if (open || openBefore) && utf8.RuneCountInString(stem) < minStem {
		return fmt.Errorf("%q is too short a stem", written)
	}
	in := v.exact
	switch {
	case open && openBefore:
		in = v.infixes
	case open:
		in = v.prefixes
	case openBefore:
		in = v.suffixes
	}
	set(in, stem, class)
	return nil
}

func set(classes map[string]*big.Int, word string, class int) {
	if classes[word] == nil {
		classes[word] = new(big.Int)
	}
	classes[word].SetBit(classes[word], class, 1)
}

// classesOf returns the classes that w is of; nil when it is unknown. An
// apostrophe in a word that has none in the patterns is taken for noise.
func (v vocabulary) classesOf(w word) *big.Int {
	found := v.lookUp(w.text)
	if found == nil && strings.Contains(w.text, "'") {
		found = v.lookUp(strings.ReplaceAll(w.text, "'", ""))
	}
	if found == nil && w.number { // "c0nf1rmed" is known, and no number
		return v.exact[number]
	}
	return found
}

// maxWord bounds the bytes of a word that can be known.
const maxWord = 80

func (v vocabulary) lookUp(word string) *big.Int {
	if len(word) > maxWord {
		return nil
	}
	var found *big.Int
	add := func(classes *big.Int) {
		if classes == nil {
			return
		}
		if found == nil {
			found = new(big.Int)
		}
		found.Or(found, classes)
	}
	add(v.exact[word])
	for i := range word {
		add(v.prefixes[word[:i]])
		add(v.suffixes[word[i:]])
	}
	add(v.prefixes[word])
	for stem, classes := range v.infixes {
		if strings.Contains(word, stem) {
			add(classes)
		}
	}
	return found
}

// knows reports whether word is of any class.
func (v vocabulary) knows(word string) bool { return v.lookUp(word) != nil }

// spells reports whether pieces spell a word when they are put together: a word of the patterns, or one with a stem
// of the patterns. first is the length of the first piece in bytes.
func (v vocabulary) spells(word string, first int) bool {
	if len(word) > maxWord {
		return false
	}
	if v.exact[word] != nil || v.prefixes[word] != nil {
		return true
	}
	for i := range word {
		if i > first && i >= minSpelt && v.prefixes[word[:i]] != nil || i < first && v.suffixes[word[i:]] != nil {
			return true
		}
	}
	return false
}

// minSpelt is the bytes that a stem needs to be put together from pieces.
const minSpelt = 5
