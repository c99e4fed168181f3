package weather

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

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

// phrase is one entry of words.txt.
type phrase struct {
	role role
	day  day // of isDay; today is the zero day as well
}

// vocabulary is every phrase, folded.
type vocabulary map[string]phrase

// maxPhrase is how many words a phrase may have.
const maxPhrase = 3

//go:embed words.txt
var wordFile string

var words = sync.OnceValues(func() (vocabulary, error) { return readWords(wordFile) })

// headings are the parts of words.txt.
var headings = map[string]phrase{
	"[ask]": {role: asks}, "[article]": {role: isArticle}, "[in]": {role: isBefore},
	"[today]": {role: isDay}, "[tomorrow]": {isDay, day{ahead: 1}}, "[day after tomorrow]": {isDay, day{ahead: 2}},
	"[yesterday]": {isDay, day{ahead: -1}},
	"[monday]":    {isDay, day{weekday: "monday"}}, "[tuesday]": {isDay, day{weekday: "tuesday"}}, "[wednesday]": {isDay,
		day{weekday: "wednesday"}},
	"[thursday]": {isDay, day{weekday: "thursday"}}, "[friday]": {isDay, day{weekday: "friday"}}, "[saturday]": {isDay,
		day{weekday: "saturday"}},
	"[sunday]": {isDay, day{weekday: "sunday"}},
}

// readWords reads the word file. A phrase that several parts have, in different languages, is what the later
// part says: days are the last, since a day that is missed is answered wrongly.
func readWords(file string) (vocabulary, error) {
	v := vocabulary{}
	var under phrase
	for i, line := range strings.Split(file, "\n") {
		line = strings.TrimSpace(line)
		lang, list, isList := strings.Cut(line, ":")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			known := false
			if under, known = headings[line]; !known {
				return nil, fmt.Errorf("words.txt:%d: no such heading: %s", i+1, line)
			}
		case !isList || under.role == 0 || len(lang) != 2:
			return nil, fmt.Errorf("words.txt:%d: want a language and its words under a heading", i+1)
		default:
			for _, words := range strings.Split(list, ",") {
				folded := language.Fold(words)
				if n := len(strings.Fields(folded)); n == 0 || n > maxPhrase {
					return nil, fmt.Errorf("words.txt:%d: %q has %d words, want 1 to %d", i+1, words, n, maxPhrase)
				}
				v[folded] = under
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
		return phrase{isDay, day{date: folded}}, true
	}
	p, known := v[folded]
	return p, known
}

func (v vocabulary) is(word string, r role) bool { return v[language.Fold(word)].role == r }
