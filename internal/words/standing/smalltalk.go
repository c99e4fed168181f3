package standing

import (
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// smallTalk are all words of the lists, and how many words the longest phrase has.
var smallTalk = sync.OnceValue(func() phrases {
	p := phrases{known: map[string]bool{}}
	for _, text := range lang.SmallTalk().All() {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			for phrase := range strings.SplitSeq(line, ",") {
				if words := wordsOf(phrase); len(words) > 0 {
					p.known[strings.Join(words, " ")] = true
					p.longest = max(p.longest, len(words))
				}
			}
		}
	}
	return p
})

// phrases are folded words and phrases of several.
type phrases struct {
	known   map[string]bool
	longest int
}

// maxSmallTalk bounds the bytes of a text that is nothing but small talk.
const maxSmallTalk = 256

// SmallTalk reports whether a text consists of nothing but greetings, thanks and similar phrases, in any of the ten
// languages. Anything that is not on the lists, even a sign, makes it false, so that no claim can hide in small talk.
func SmallTalk(text string) bool {
	if len(text) > maxSmallTalk {
		return false
	}
	p := smallTalk()
	for words := wordsOf(text); len(words) > 0; {
		n := min(p.longest, len(words))
		for n > 0 && !p.known[strings.Join(words[:n], " ")] {
			n--
		}
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return true
}

// wordsOf are the folded words of a text, and each of its signs that is no pause.
func wordsOf(text string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range language.Fold(text) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '\'':
			word.WriteRune(r)
		case unicode.IsSpace(r), strings.ContainsRune(".,!?;…¡¿؟،-–", r):
			end()
		default:
			end()
			words = append(words, string(r))
		}
	}
	end()
	return words
}
