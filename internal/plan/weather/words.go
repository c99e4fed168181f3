package weather

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// role is what a phrase does in a question.
type role int

const (
	asks role = iota + 1
	isArticle
	isBefore // before a place
	isDay
)

// phrase is one entry of a word file.
type phrase struct {
	role role
	day  day // of isDay; today is the zero day as well
}

// vocabulary is every phrase, folded.
type vocabulary map[string]phrase

// maxPhrase is how many words a phrase may have.
const maxPhrase = 3

var words = sync.OnceValues(func() (vocabulary, error) { return readWords(lang.Weather().All()) })

// headings are the parts of a word file, in their order.
var headings = []struct {
	name string
	phrase
}{
	{"[ask]", phrase{role: asks}}, {"[article]", phrase{role: isArticle}}, {"[in]", phrase{role: isBefore}},
	{"[today]", phrase{role: isDay}}, {"[tomorrow]", phrase{isDay, day{ahead: 1}}}, {"[day after tomorrow]", phrase{isDay, day{ahead: 2}}},
	{"[yesterday]", phrase{isDay, day{ahead: -1}}},
	{"[monday]", phrase{isDay, day{weekday: "monday"}}}, {"[tuesday]", phrase{isDay, day{weekday: "tuesday"}}},
	{"[wednesday]", phrase{isDay, day{weekday: "wednesday"}}}, {"[thursday]", phrase{isDay, day{weekday: "thursday"}}},
	{"[friday]", phrase{isDay, day{weekday: "friday"}}}, {"[saturday]", phrase{isDay, day{weekday: "saturday"}}},
	{"[sunday]", phrase{isDay, day{weekday: "sunday"}}},
}

// readWords reads the word files of all languages: phrases with commas between them, under the headings. Languages may have
// the same phrase under different headings. The later heading wins: days come last, because a day that is missed gets a wrong
// answer.
func readWords(files iter.Seq2[string, string]) (vocabulary, error) {
	under := map[string][]string{} // the phrases of all languages, by heading
	for _, h := range headings {
		under[h.name] = nil
	}
	for tag, text := range files {
		for heading, lines := range lang.Sections(text) {
			if _, known := under[heading]; !known {
				return nil, fmt.Errorf("%s: no such heading: %s", lang.Weather().Name(tag), heading)
			}
			for words := range strings.SplitSeq(strings.Join(lines, ", "), ",") {
				folded := language.Fold(words)
				if n := len(strings.Fields(folded)); n == 0 || n > maxPhrase {
					return nil, fmt.Errorf("%s: %q has %d words, want 1 to %d", lang.Weather().Name(tag), words, n, maxPhrase)
				}
				under[heading] = append(under[heading], folded)
			}
		}
	}
	v := vocabulary{}
	for _, h := range headings {
		for _, folded := range under[h.name] {
			v[folded] = h.phrase
		}
	}
	return v, nil
}

// first returns the longest phrase with which the words begin, and how many it takes: 0 if none.
func (v vocabulary) first(ws []string) (phrase, int) {
	return v.longest(len(ws), func(n int) []string { return ws[:n] })
}

// last returns the longest phrase with which the words end.
func (v vocabulary) last(ws []string) (phrase, int) {
	return v.longest(len(ws), func(n int) []string { return ws[len(ws)-n:] })
}

func (v vocabulary) longest(most int, part func(n int) []string) (phrase, int) {
	for n := min(maxPhrase, most); n > 0; n-- {
		if p, known := v.look(part(n)); known {
			return p, n
		}
	}
	return phrase{}, 0
}

func (v vocabulary) look(ws []string) (phrase, bool) {
	folded := language.Fold(strings.Join(ws, " "))
	if _, err := time.Parse(time.DateOnly, folded); err == nil {
		return phrase{isDay, day{date: folded}}, true
	}
	p, known := v[folded]
	return p, known
}

func (v vocabulary) is(word string, r role) bool { return v[language.Fold(word)].role == r }
