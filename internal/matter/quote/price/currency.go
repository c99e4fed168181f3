package price

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
	tongue "golang.org/x/text/language"
	"golang.org/x/text/message"

	"merve/internal/spine/gate"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

//go:embed names.txt
var namesFile string

// nobody comes first in a list of currencies when no single one of them is the obvious meaning.
const nobody = "-"

// phrases are words joined by spaces.
type phrases map[string]bool

// lexicon is what the folders of languages, CLDR's names and its signs say.
type lexicon struct {
	names   map[string][]string // the currencies that a phrase or sign may mean, the best known first
	longest int                 // words in the longest phrase
	tells   map[string]phrases  // by currency: how the words begin that tell it from others

	thousands, between, from, courtesy, free, freeWithZero phrases
}

// lists are the words and signs of money.
var lists = sync.OnceValue(func() lexicon {
	l := lexicon{names: map[string][]string{}, tells: map[string]phrases{}, longest: 1}
	sections := map[string][]string{}
	for _, text := range lang.Money().All() {
		heading := ""
		for line := range strings.Lines(text) {
			switch line = strings.TrimSpace(line); {
			case line == "":
			case strings.HasPrefix(line, "["):
				heading = line
			default:
				sections[heading] = append(sections[heading], line)
			}
		}
	}
	short := phrases{}
	for _, line := range sections["[currencies]"] {
		may, words, _ := strings.Cut(line, ":")
		for w := range strings.FieldsSeq(words) {
			w = folded(w)
			short[w], l.names[w] = true, strings.Fields(may)
		}
	}
	for line := range strings.Lines(namesFile) {
		code, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			l.name(folded(name), code, short)
		}
	}
	l.signs()
	set := func(heading string) phrases {
		all := phrases{}
		for _, line := range sections[heading] {
			for _, p := range parts(line) {
				all[folded(p)] = true
			}
		}
		return all
	}
	l.thousands, l.between, l.from, l.courtesy = set("[thousands]"), set("[between]"), set("[from]"), set("[courtesy]")
	l.free, l.freeWithZero = set("[free]"), set("[free with zero]")
	return l
})

// parts are the phrases of a line, which commas part where one has several words.
func parts(line string) []string {
	if strings.Contains(line, ",") {
		return strings.Split(line, ", ")
	}
	return strings.Fields(line)
}

// name adds the full name of a currency.
func (l *lexicon) name(name, code string, short phrases) {
	words := strings.Fields(name)
	if len(words) == 1 && short[name] {
		return
	}
	if !slices.Contains(l.names[name], code) {
		l.names[name] = append(l.names[name], code)
	}
	l.longest = max(l.longest, len(words))
	for _, w := range words {
		if begin := beginning(w); begin != "" && !short[w] {
			if l.tells[code] == nil {
				l.tells[code] = phrases{}
			}
			l.tells[code][begin] = true
		}
	}
}

// beginning is how a word begins, whatever its ending; "" is a short one's.
func beginning(word string) string {
	const letters = 4
	if r := []rune(word); len(r) >= letters {
		return string(r[:letters])
	}
	return ""
}

// signs adds the signs of currencies. A sign may mean any currency that CLDR writes with it; the first is the one that English
// writes with the sign alone.
func (l *lexicon) signs() {
	english := message.NewPrinter(tongue.English)
	for it := currency.Query(); it.Next(); {
		unit := it.Unit()
		for _, s := range []string{english.Sprint(currency.Symbol(unit)), english.Sprint(currency.NarrowSymbol(unit))} {
			if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) {
				l.sign(s, unit.String(), s == english.Sprint(currency.Symbol(unit)))
			}
		}
	}
	l.names["us$"] = []string{"USD"}
}

func (l *lexicon) sign(s, code string, first bool) {
	s = strings.ToLower(s)
	if slices.Contains(l.names[s], code) {
		return
	}
	if first {
		l.names[s] = append([]string{code}, slices.DeleteFunc(l.names[s], func(c string) bool { return c == nobody })...)
		return
	}
	if l.names[s] == nil {
		l.names[s] = []string{nobody}
	}
	l.names[s] = append(l.names[s], code)
}

// folded is the form of a phrase in which it is looked up.
func folded(phrase string) string {
	return language.Fold(strings.NewReplacer("-", " ", "״", "", "\"", "").Replace(phrase))
}

// mark is where a text names a currency.
type mark struct {
	from, to int
	may      []string
}

// currencies finds where a text names currencies. The longest name at a place wins.
func currencies(tokens []token) []mark {
	var all []mark
	shouts := shouting(tokens)
	for i := 0; i < len(tokens); {
		m := markAt(tokens, i, shouts)
		if m.to == 0 {
			i++
			continue
		}
		all, i = append(all, m), m.to
	}
	return all
}

func markAt(tokens []token, i int, shouts bool) mark {
	t := tokens[i]
	switch {
	case t.kind == number:
		return mark{}
	case t.kind == sign:
		if r, _ := utf8.DecodeRuneInString(t.text); !unicode.Is(unicode.Sc, r) {
			return mark{}
		}
		may := lists().names[t.text]
		if may == nil {
			may = []string{nobody}
		}
		return mark{i, i + 1, may}
	}
	if i+1 < len(tokens) && tokens[i+1].glued && tokens[i+1].kind == sign { // "CA$"
		if r, _ := utf8.DecodeRuneInString(tokens[i+1].text); unicode.Is(unicode.Sc, r) {
			may := lists().names[strings.ToLower(t.raw)+tokens[i+1].text]
			if may == nil {
				may = []string{nobody}
			}
			return mark{i, i + 2, may}
		}
	}
	for n := min(lists().longest, len(tokens)-i); n > 0; n-- {
		var words []string
		for _, w := range tokens[i:min(i+2*n, len(tokens))] {
			if len(words) == n {
				break
			}
			if w.kind != word && w.text != "-" {
				break
			}
			if w.kind == word {
				words = append(words, w.text)
			}
		}
		if len(words) < n {
			continue
		}
		if may := lists().names[strings.Join(words, " ")]; may != nil {
			return mark{i, end(tokens, i, n), may}
		}
	}
	if may := codeOrName(t); may != nil && (lists().names[t.text] != nil || !isCode(t.raw) || !shouts) {
		return mark{i, i + 1, may}
	}
	return mark{}
}

// end is where n words end that begin at i.
func end(tokens []token, i, n int) int {
	for ; n > 0; i++ {
		if tokens[i].kind == word {
			n--
		}
	}
	return i
}

// codeOrName are the currencies that a word may mean by itself: as a code in capitals, or as what they are called, also with an ending
// behind an apostrophe ("TL'ye").
func codeOrName(t token) []string {
	if isCode(t.raw) {
		return []string{t.raw}
	}
	if may := lists().names[t.text]; may != nil {
		return may
	}
	if stem, _, cut := strings.Cut(t.text, "'"); cut {
		return lists().names[stem]
	}
	return nil
}

// isCode reports whether a word is a code of ISO 4217, in capitals.
func isCode(word string) bool {
	if len(word) != 3 || strings.ToUpper(word) != word {
		return false
	}
	unit, err := currency.ParseISO(word)
	return err == nil && unit.String() == word && word != "XXX" && word != "XTS"
}

// shouting reports whether a text has words in capitals only, among which one may look like a code: "280 ALL INCLUDED".
func shouting(tokens []token) bool {
	others := false
	for _, t := range tokens {
		switch {
		case t.kind != word || isCode(t.raw) || gate.Courtesy(t.text):
		case strings.ToUpper(t.raw) != t.raw:
			return false
		default:
			others = true
		}
	}
	return others
}

// foreign reports whether, behind a short word that several currencies share, a word follows that may tell which: "dollars canadiens".
func foreign(tokens []token, marks []mark, next int) bool {
	if next >= len(tokens) || tokens[next].kind != word {
		return false
	}
	begin := beginning(tokens[next].text)
	return begin != "" && slices.ContainsFunc(marks, func(m mark) bool {
		return m.to == next && len(m.may) > 1 && slices.ContainsFunc(m.may, func(c string) bool { return lists().tells[c][begin] })
	})
}

// courteous reports whether some tokens say nothing but yes, thanks, a greeting and what a price is called.
func courteous(some ...[]token) bool {
	for _, tokens := range some {
		if !gate.Courtesy(without(tokens, lists().courtesy)) {
			return false
		}
	}
	return true
}

// without is what tokens say besides the longest of some phrases.
func without(tokens []token, some phrases) string {
	var left []string
	for i := 0; i < len(tokens); {
		n := phraseAt(tokens, i, some)
		if n == 0 {
			t := tokens[i].text
			if tokens[i].kind == sign && strings.Contains(".,;:!()-–—\n", t) {
				t = ","
			}
			left, n = append(left, t), 1
		}
		i += n
	}
	return strings.Join(left, " ")
}

// phraseAt is how many tokens the longest of some phrases has that begins at a place.
func phraseAt(tokens []token, i int, some phrases) int {
	const longest = 3
	for n := min(longest, len(tokens)-i); n > 0; n-- {
		var words []string
		for _, t := range tokens[i : i+n] {
			words = append(words, t.text)
		}
		if some[strings.Join(words, " ")] {
			return n
		}
	}
	return 0
}

// hasFree reports whether a word for free stands in a text that names zero.
func hasFree(tokens []token) bool {
	for i := range tokens {
		if phraseAt(tokens, i, lists().free) > 0 || lists().freeWithZero[tokens[i].text] {
			return true
		}
	}
	return false
}

// onlyFree reports whether a text says that something is free of charge, and nothing else but courtesy.
func onlyFree(tokens []token) bool {
	for i := range tokens {
		if n := phraseAt(tokens, i, lists().free); n > 0 {
			return courteous(tokens[:i], tokens[i+n:])
		}
	}
	return false
}
