package claim

import (
	"strings"
	"unicode/utf8"

	"merve/internal/words/language"
)

// spell puts words together that were written apart: "b o o k e d", "con-firmed".
func (d *dialect) spell(words []word) []word {
	spelt := make([]word, 0, len(words))
	for i := 0; i < len(words); {
		if n := letters(words[i:]); n >= minLetters {
			spelt = append(spelt, d.segment(words[i:i+n])...)
			i += n
			continue
		}
		w, n := d.join(words[i:])
		spelt = append(spelt, w)
		i += n
	}
	return spelt
}

// minLetters is how many single letters in a row are a word written apart.
const minLetters = 4

// letters counts the words of one letter that words begin with, up to maxWord.
func letters(words []word) int {
	n := 0
	for n < min(len(words), maxWord) && utf8.RuneCountInString(words[n].text) == 1 && (n == 0 || words[n].pause < line) {
		n++
	}
	return n
}

// maxPieces bounds the pieces that a word is put together from.
const maxPieces = 4

// join returns the word that words begin with and how many of them are its pieces.
func (d *dialect) join(words []word) (word, int) {
	joined := words[0].text
	firstKnown := d.knows(joined)
	for n := 1; n < min(maxPieces, len(words)) && words[n].pause < line; n++ {
		next := words[n].text
		joined += next
		if !firstKnown && d.spells(joined, len(words[0].text)) || d.exact[joined] != nil && !d.knows(next) {
			w := words[0]
			w.text = joined
			return w, n + 1
		}
	}
	return words[0], 1
}

// segment cuts letters that were written apart to the words of the language.
func (d *dialect) segment(letters []word) []word {
	var all strings.Builder
	for _, l := range letters {
		all.WriteString(l.text)
	}
	var words []word
	open := false // the last word may go on
	for rest := language.Skeleton(all.String()); rest != ""; {
		n, stem := d.longest(rest)
		known := n > 0
		if !known {
			_, n = utf8.DecodeRuneInString(rest)
		}
		if open && !known {
			words[len(words)-1].text += rest[:n]
		} else {
			w := letters[0]
			w.text, w.pause = rest[:n], noPause
			words = append(words, w)
		}
		open = stem || !known
		rest = rest[n:]
	}
	words[0].pause = letters[0].pause
	return words
}

// longest returns the bytes of the longest word or stem at the start of letters.
func (d *dialect) longest(letters string) (n int, stem bool) {
	for end := minStem; end <= min(len(letters), maxWord); end++ {
		switch word := letters[:end]; {
		case d.prefixes[word] != nil:
			n, stem = end, true
		case d.exact[word] != nil:
			n, stem = end, false
		}
	}
	return n, stem
}
