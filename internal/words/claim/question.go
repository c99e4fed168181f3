package claim

import (
	"bufio"
	"slices"
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// questionnaire is what one file of questions says; package lang has them.
type questionnaire struct {
	asked   map[Kind][][]string // questions, in elements
	yes     [][]string
	no      [][]string
	ability [][]string
}

// questionnaires are all files, read when first asked for.
var questionnaires = sync.OnceValue(func() []questionnaire {
	var all []questionnaire
	for _, text := range lang.Questions().All() {
		all = append(all, readQuestions(text))
	}
	return all
})

func readQuestions(text string) questionnaire {
	q := questionnaire{asked: map[Kind][][]string{}}
	heading := ""
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		elements := strings.Fields(language.Fold(lines.Text()))
		switch {
		case len(elements) == 0:
		case strings.HasPrefix(elements[0], "["):
			heading = strings.Trim(elements[0], "[]")
		case heading == "yes":
			q.yes = append(q.yes, elements)
		case heading == "no":
			q.no = append(q.no, elements)
		case heading == "ability":
			q.ability = append(q.ability, elements)
		default:
			q.asked[Kind(heading)] = append(q.asked[Kind(heading)], elements)
		}
	}
	return q
}

// Affirmed returns what an answer claims by affirming a question: "Did you book it?" and "Yes, I did." claim that
// it is booked, though no sentence of the answer says so. The sentence of such a claim is both together.
func Affirmed(question, answer string) []Claim {
	if len(question) > maxText || len(answer) > maxText {
		return unread()
	}
	opening, words := affirmation(answer)
	var found []Claim
	for _, asked := range clauses(question) {
		for _, q := range questionnaires() {
			if !affirms(words) || opensWith(q.ability, asked.words) {
				continue
			}
			for _, kind := range kinds() {
				if q.asks(kind, asked) && !slices.ContainsFunc(found, func(c Claim) bool { return c.Kind == kind }) {
					found = append(found, Claim{kind, asked.text + " " + opening})
				}
			}
		}
	}
	return found
}

// asks reports whether a clause asks whether something of a kind was done.
func (q questionnaire) asks(kind Kind, c clauseOf) bool {
	return slices.ContainsFunc(q.asked[kind], func(elements []string) bool {
		if len(elements) == 1 && !c.question {
			return false
		}
		for i := range c.words {
			if standsAt(elements, c.words[i:]) {
				return true
			}
		}
		return false
	})
}

// affirmation is the first sentence of an answer, and its words; the signs that stand for a yes are words.
func affirmation(answer string) (string, []string) {
	for _, c := range clauses(answer) {
		return c.text, c.words
	}
	return "", nil
}

// affirms reports whether a sentence begins with a yes in any language, and takes it back in none.
func affirms(words []string) bool {
	if len(words) == 0 {
		return false
	}
	if strings.ContainsAny(words[0], "✅👍👌🆗☑✔") {
		return true
	}
	return slices.ContainsFunc(questionnaires(), func(q questionnaire) bool {
		if !opensWith(q.yes, words) {
			return false
		}
		for i := range words {
			if opensWith(q.no, words[i:]) {
				return false
			}
		}
		return true
	})
}

// clauseOf is a sentence in folded words.
type clauseOf struct {
	text     string
	words    []string
	question bool
}

// clauses are the sentences of a text.
func clauses(text string) []clauseOf {
	var all []clauseOf
	from := 0
	end := func(to int, question bool) {
		words := strings.FieldsFunc(language.Fold(text[from:to]), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && !strings.ContainsRune("✅👍👌🆗☑✔", r)
		})
		if len(words) > 0 {
			all = append(all, clauseOf{strings.TrimSpace(text[from:to]), words, question})
		}
		from = to
	}
	for i, r := range text {
		if strings.ContainsRune(".!?;؟\u037e\n…。？", r) {
			end(i+len(string(r)), strings.ContainsRune("?؟\u037e;？", r))
		}
	}
	end(len(text), false)
	return all
}

func opensWith(phrases [][]string, words []string) bool {
	return slices.ContainsFunc(phrases, func(p []string) bool { return standsAt(p, words) })
}

// maxWords bounds the words that ".." of a question stands for.
const maxWords = 5

// standsAt reports whether elements stand at the beginning of words.
func standsAt(elements, words []string) bool {
	switch {
	case len(elements) == 0:
		return true
	case elements[0] == "..":
		for n := 0; n <= maxWords && n <= len(words); n++ {
			if standsAt(elements[1:], words[n:]) {
				return true
			}
		}
		return false
	case len(words) == 0:
		return false
	}
	for form := range strings.SplitSeq(elements[0], "|") {
		stem, open := strings.CutSuffix(form, "*")
		ending, openBefore := strings.CutPrefix(form, "*")
		if words[0] == form || open && strings.HasPrefix(words[0], stem) || openBefore && strings.HasSuffix(words[0], ending) {
			return standsAt(elements[1:], words[1:])
		}
	}
	return false
}
