package standing

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/pattern"
	"merve/internal/words/language"
)

// maxWorded is how many references a text may have; what is more vanishes.
const maxWorded = 3

// Draft is a model's text, taken apart into its own words and the places where the backend words
// something of the customer's.
type Draft struct {
	parts   []part
	changed bool // something has vanished, or was replaced
}

// part is a run of the model's words, or an item.
type part struct {
	words string
	item  *Item
	whole bool // the item takes the place of a sentence
}

// Read takes a text apart. Its references and codes may name only known, the customer's own things. A reference to
// anything else vanishes. A sentence that gives one of their codes is replaced by what is stored about the thing,
// whatever the sentence says. A question may give a code. Lines that imitate the standing line are cut.
func Read(text string, known []Item) Draft {
	r := reader{known: known}
	r.changed = strings.ContainsAny(text, circles)
	for _, sentence := range language.Sentences(unsigned(text)) {
		r.sentence(sentence)
	}
	return r.Draft
}

// Own returns the model's own words, for judging. Each reference is reduced to its code.
func (d Draft) Own() string {
	return d.join(func(i Item, whole bool) string {
		if whole {
			return ""
		}
		return i.Code
	})
}

// Text is the whole text, with each reference in the backend's words.
func (d Draft) Text() string { return d.join(func(i Item, _ bool) string { return i.Summary }) }

// With is the draft with other words of the model's, which are given as they stand next to each other.
func (d Draft) With(change func(words string) string) Draft {
	changed := Draft{changed: d.changed}
	for _, p := range d.parts {
		last := len(changed.parts) - 1
		if p.item == nil && last >= 0 && changed.parts[last].item == nil { // something has vanished between them
			changed.parts[last].words += p.words
		} else {
			changed.parts = append(changed.parts, p)
		}
	}
	for i, p := range changed.parts {
		if p.item == nil {
			changed.parts[i].words = change(p.words)
		}
	}
	return changed
}

func (d Draft) join(say func(i Item, whole bool) string) string {
	var b strings.Builder
	for _, p := range d.parts {
		if p.item == nil {
			b.WriteString(p.words)
		} else {
			b.WriteString(say(*p.item, p.whole))
		}
	}
	if !d.changed {
		return strings.TrimSpace(b.String())
	}
	return tidy(b.String())
}

// reader takes a text apart.
type reader struct {
	Draft
	known  []Item
	worded int
	whole  []Item // that have taken the place of a sentence
}

// referred is the form of a reference, also of one that is misspelt: none is ever shown.
var referred = pattern.New(`\{\{\s*([^{}]*?)\s*\}\}`)

func (r *reader) sentence(s string) {
	if codes := r.codesIn(s); len(codes) > 0 && !asks(s) {
		r.instead(codes)
		return
	}
	for {
		at := referred.Regexp().FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		r.changed = true
		r.words(s[:at[0]])
		if i, ok := r.named(s[at[2]:at[3]]); ok {
			r.item(i, false)
		}
		s = s[at[1]:]
	}
	r.words(s)
}

// instead replaces a sentence with items, each on a line of its own and at most once in a text.
func (r *reader) instead(items []Item) {
	r.changed = true
	r.words("\n")
	for _, i := range items {
		if !slices.ContainsFunc(r.whole, i.Same) {
			r.whole = append(r.whole, i)
			r.item(i, true)
			r.words("\n")
		}
	}
}

func (r *reader) words(s string) {
	if s != "" {
		r.parts = append(r.parts, part{words: s})
	}
}

func (r *reader) item(i Item, whole bool) {
	if r.worded++; r.worded <= maxWorded {
		r.parts = append(r.parts, part{item: &i, whole: whole})
	}
}

// named is what a reference names, such as "booking:V3GM2D" or "ride": without a code it is the first of
// its kind.
func (r *reader) named(ref string) (Item, bool) {
	kind, code, _ := strings.Cut(ref, ":")
	kind, code = strings.ToLower(strings.TrimSpace(kind)), strings.ToUpper(strings.TrimSpace(code))
	n := slices.IndexFunc(r.known, func(i Item) bool { return i.Kind == kind && (code == "" || i.Code == code) })
	if n < 0 {
		return Item{}, false
	}
	return r.known[n], true
}

// codesIn are the known things whose codes a sentence gives, but in references.
func (r *reader) codesIn(s string) []Item {
	var found []Item
	for _, word := range wordsWithCase(referred.Regexp().ReplaceAllString(s, " ")) {
		for _, i := range r.known {
			if i.Code != "" && means(word, i.Code) && !slices.ContainsFunc(found, i.Same) {
				found = append(found, i)
			}
		}
	}
	return found
}

// means reports whether a word is a code, also in small letters where it cannot be a word of a language.
func means(word, code string) bool {
	return word == code || strings.EqualFold(word, code) && strings.ContainsFunc(code, unicode.IsDigit)
}

// Codes are the words of a text that may be codes: letters and digits, both, in capitals. References give
// theirs too.
func Codes(text string) []string {
	var all []string
	for _, w := range wordsWithCase(text) {
		digit := strings.ContainsFunc(w, unicode.IsDigit)
		letter := strings.ContainsFunc(w, func(r rune) bool { return 'A' <= r && r <= 'Z' })
		plain := !strings.ContainsFunc(w, func(r rune) bool { return !('A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
		if plain && digit && letter && len(w) >= minCode && len(w) <= maxCode && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// The length of codes.
const (
	minCode = 4
	maxCode = 8
)

func wordsWithCase(s string) []string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // shows nothing, and parts no word
			return -1
		}
		return r
	}, s)
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// asks reports whether a sentence is a question.
func asks(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'”’»*_)`, r) })
	last, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && strings.ContainsRune(language.QuestionMarks, last)
}

// unsigned is a text without the lines that begin as a standing line does.
func unsigned(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !signed(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// circles are the signs, and those that are taken for them.
const circles = "○◐●◯⭘◌⚪⚬◑◒◓⬤⚫◉◎⭕❍"

// signed reports whether the first sign of a line that shows is a circle, whatever marks stand before it.
func signed(line string) bool {
	for _, r := range line {
		switch {
		case strings.ContainsRune(circles, r):
			return true
		case unicode.IsSpace(r), !unicode.IsPrint(r), unicode.IsMark(r), strings.ContainsRune("*_>#-–~`|([", r):
		default:
			return false
		}
	}
	return false
}

var (
	manySpaces = pattern.New(`[ \t]{2,}`)
	beforeStop = pattern.New(`[ \t]+([.,!?;:\n])`)
	manyLines  = pattern.New(`\n{3,}`)
)

// tidy closes the gaps that are left where something vanished.
func tidy(s string) string {
	s = manySpaces.Regexp().ReplaceAllString(s, " ")
	s = beforeStop.Regexp().ReplaceAllString(s, "$1")
	return strings.TrimSpace(manyLines.Regexp().ReplaceAllString(s, "\n\n"))
}
