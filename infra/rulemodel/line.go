package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"merve/internal/words/language"
)

// line is what a customer wrote, in the form in which words of both languages are
// compared. What was understood is blotted out, so that nothing counts twice.
type line struct {
	words []string // as written, without the punctuation around them
	plain []string // the same, folded
	at    []int    // where each folded word begins in text
	text  []byte   // folded words with spaces between; blots where something was taken
	whole string   // text before anything was taken
}

const (
	maxText  = 2000 // characters of one message that are read
	maxWords = 300
	blot     = '#'
)

func newLine(s string) *line {
	if r := []rune(s); len(r) > maxText {
		s = string(r[:maxText])
	}
	l := new(line)
	for _, word := range strings.Fields(strings.ToValidUTF8(s, " ")) {
		word = strings.TrimFunc(word, func(r rune) bool {
			return unicode.IsPunct(r) || r == '~' || r == '`' || r == '^' || r == '|' || r == '<' || r == '>'
		})
		plain := strings.ReplaceAll(language.Fold(word), string(blot), " ")
		if plain == "" || len(l.words) == maxWords {
			continue
		}
		if len(l.text) > 0 {
			l.text = append(l.text, ' ')
		}
		l.words, l.plain, l.at = append(l.words, word), append(l.plain, plain), append(l.at, len(l.text))
		l.text = append(l.text, plain...)
	}
	l.whole = string(l.text)
	return l
}

// take finds the first match of re in the remaining text and blots it out. It returns the
// submatches, nil without a match, and where the match began.
func (l *line) take(re *regexp.Regexp) (groups []string, from int) {
	m := re.FindSubmatchIndex(l.text)
	if m == nil {
		return nil, 0
	}
	for i := 0; i < len(m); i += 2 {
		group := ""
		if m[i] >= 0 {
			group = string(l.text[m[i]:m[i+1]])
		}
		groups = append(groups, group)
	}
	for i := m[0]; i < m[1]; i++ {
		if l.text[i] != ' ' {
			l.text[i] = blot
		}
	}
	return groups, m[0]
}

// says reports whether what was written, taken or not, matches re.
func (l *line) says(re *regexp.Regexp) bool { return re.MatchString(l.whole) }

// left returns the indexes of the words that nothing was taken from.
func (l *line) left() []int {
	var out []int
	for i, at := range l.at {
		if !slices.Contains(l.text[at:at+len(l.plain[i])], blot) {
			out = append(out, i)
		}
	}
	return out
}

// suffix is a Turkish case ending after an apostrophe, as on "Girne'de".
var suffix = regexp.MustCompile(`'(?:n?[dt][ae]n?|n?d[ae]ki|y?[aeiu]|n?[iu]n|l[ae]r?|yl[ae])$`)

// stem returns word i as written and folded, without a Turkish case ending.
func (l *line) stem(i int) (word, plain string) {
	word, plain = l.words[i], l.plain[i]
	ending := suffix.FindString(plain)
	if ending == "" {
		return word, plain
	}
	r := []rune(word)
	if cut := len(r) - len([]rune(ending)); cut > 0 {
		word = string(r[:cut])
	}
	return word, strings.TrimSuffix(plain, ending)
}
