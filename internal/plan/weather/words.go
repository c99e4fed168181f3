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
	part int // of the file
}

// vocabulary is every phrase, folded.
type vocabulary map[string]phrase

// maxPhrase is how many words a phrase may have.
const maxPhrase = 3

var words = sync.OnceValues(func() (vocabulary, error) { return readWords(lang.Weather().All()) })

// headings are the parts of a word file, in their order.
var headings = map[string]phrase{
	"[ask]": {role: asks, part: 1}, "[article]": {role: isArticle, part: 2}, "[in]": {role: isBefore, part: 3},
	"[today]": {isDay, day{}, 4}, "[tomorrow]": {isDay, day{ahead: 1}, 5}, "[day after tomorrow]": {isDay, day{ahead: 2}, 6},
	"[yesterday]": {isDay, day{ahead: -1}, 7},
	"[monday]":    {isDay, day{weekday: "monday"}, 8}, "[tuesday]": {isDay, day{weekday: "tuesday"}, 9},
	"[wednesday]": {isDay, day{weekday: "wednesday"}, 10}, "[thursday]": {isDay, day{weekday: "thursday"}, 11},
	"[friday]": {isDay, day{weekday: "friday"}, 12}, "[saturday]": {isDay, day{weekday: "saturday"}, 13},
	"[sunday]": {isDay, day{weekday: "sunday"}, 14},
}

// readWords reads the word files of all languages: phrases with commas between them, under the headings. A phrase that
// several parts have, in different languages, is what the later part says: days are the last, since a day that is missed is
// answered wrongly.
func readWords(files iter.Seq2[string, string]) (vocabulary, error) {
	v := vocabulary{}
	for tag, text := range files {
		for heading, lines := range lang.Sections(text) {
			under, known := headings[heading]
			if !known {
				return nil, fmt.Errorf("%s: no such heading: %s", lang.Weather().Name(tag), heading)
			}
			for words := range strings.SplitSeq(strings.Join(lines, ", "), ",") {
				folded := language.Fold(words)
				if n := len(strings.Fields(folded)); n == 0 || n > maxPhrase {
					return nil, fmt.Errorf("%s: %q has %d words, want 1 to %d", lang.Weather().Name(tag), words, n, maxPhrase)
				}
				if known, taken := v[folded]; !taken || known.part < under.part {
					v[folded] = under
				}
			}
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
		return phrase{role: isDay, day: day{date: folded}}, true
	}
	p, known := v[folded]
	return p, known
}

func (v vocabulary) is(word string, r role) bool { return v[language.Fold(word)].role == r }
