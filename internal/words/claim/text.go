package claim

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/words/language"
)

// pause is what parts a word from the one before it, the longer the greater.
type pause uint8

const (
	noPause  pause = iota
	clause         // a comma, dash, colon, bracket, emoji
	line           // a new line
	sentence       // a full stop or a similar sign
)

// asked is whether a sentence is a question, by the sign at its end.
type asked uint8

const (
	said        asked = iota
	bySemicolon       // a semicolon: a question to who reads Greek
	certainly         // a question mark
)

// A word of a text, in the form in which words are compared.
type word struct {
	text   string
	pause  pause // before it
	number bool  // has a digit in it
	part   int   // the sentence it is in
	asked  asked // whether that is a question
}

// text is a text cut to sentences and words. No sentence goes over a line's end.
type text struct {
	parts []part
	words []word
}

// part is one sentence, or as much of it as stands on a line.
type part struct {
	written string // as it was written
	asked   asked
	pause   pause // behind it
}

// read cuts written to sentences and words.
func read(written string) text {
	t := text{parts: cut(plain(written))}
	before := sentence
	for i, p := range t.parts {
		for _, w := range cutWords(p.written) {
			w.pause, w.part, w.asked = max(before, w.pause), i, p.asked
			t.words = append(t.words, w)
			before = noPause
		}
		before = max(before, p.pause)
	}
	return t
}

// plain resolves character references and drops the tags of HTML.
func plain(written string) string {
	written = html.UnescapeString(written)
	var b strings.Builder
	for {
		before, after, found := strings.Cut(written, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch end := strings.IndexByte(after[:min(len(after), 60)], '>'); {
		case end < 1 || after[0] != '/' && !unicode.IsLetter(rune(after[0])):
			b.WriteByte('<')
			written = after
		case inLine(after[:end]):
			written = after[end+1:]
		default:
			b.WriteByte('\n')
			written = after[end+1:]
		}
	}
}

// inLine reports whether an HTML tag leaves the words around it on one line.
func inLine(tag string) bool {
	name, _, _ := strings.Cut(strings.ToLower(strings.Trim(tag, "/")), " ")
	switch name {
	case "b", "i", "u", "s", "em", "strong", "span", "a", "font", "code", "small", "sup", "sub", "del", "ins", "mark":
		return true
	}
	return false
}

// cut parts text at its sentences' and lines' ends.
func cut(s string) []part {
	var parts []part
	start, i := 0, 0
	for i < len(s) {
		p, asks, size := ending(s, start, i)
		if p == noPause {
			i += size
			continue
		}
		parts = append(parts, part{s[start:i], asks, p})
		i += size
		start = i
	}
	return append(parts, part{written: s[start:], pause: sentence})
}

const (
	questionMarks = "?؟？‽⁇❓❔⁉"
	fullStops     = ".!…。！．۔؛;\u037e" + questionMarks
	lineEnds      = "\n\r\u2028\u2029\v\f\u0085"
)

// isSpace reports whether r is white space within a line.
func isSpace(r rune) bool { return unicode.IsSpace(r) && !strings.ContainsRune(lineEnds, r) }

// ending tells which pause begins at i of s, in a sentence that begins at start, whether
// that makes the sentence a question, and its size. Without a pause, size is that of one rune.
func ending(s string, start, i int) (p pause, asks asked, size int) {
	r, width := utf8.DecodeRuneInString(s[i:])
	switch {
	case strings.ContainsRune(lineEnds, r):
		rest := strings.TrimLeftFunc(s[i:], unicode.IsSpace)
		size = len(s[i:]) - len(rest)
		if blank := strings.Count(s[i:i+size], "\n") + strings.Count(s[i:i+size], "\u2029"); blank > 1 {
			return sentence, said, size
		}
		return line, said, size
	case !strings.ContainsRune(fullStops, r):
		return noPause, said, width
	}
	for size < len(s)-i {
		r, width := utf8.DecodeRuneInString(s[i+size:])
		if !strings.ContainsRune(fullStops+"\ufe0f", r) {
			break
		}
		switch {
		case strings.ContainsRune(questionMarks, r):
			asks = certainly
		case r == ';', r == '\u037e':
			asks = max(asks, bySemicolon)
		}
		size += width
	}
	if s[i:i+size] == "." && !endsSentence(s[start:i], s[i+1:]) {
		return noPause, said, 1
	}
	return sentence, asks, size
}

// endsSentence reports whether a full stop between before and after is more than that of
// a number ("19.30", "1. Rotana"), of letters set apart ("c.o.n.f") or of an abbreviation.
func endsSentence(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	if inWord(next) || next == '_' {
		return false
	}
	inLast := func(r rune) bool { return !isSpace(r) && !strings.ContainsRune("(*_", r) }
	last := before[len(strings.TrimRightFunc(before, inLast)):]
	if strings.TrimSpace(before) == strings.TrimLeft(last, "#-*_ ") && language.IsNumber(last) {
		return false
	}
	following, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, isSpace))
	return !unicode.IsLower(following) || utf8.RuneCountInString(last) > 3
}

// cutWords cuts one sentence to its words.
func cutWords(s string) []word {
	var c cutter
	runes := []rune(language.Fold(s))
	for i, r := range runes {
		inside := i > 0 && i+1 < len(runes) && inWord(runes[i-1]) && inWord(runes[i+1])
		switch {
		case inNumber(runes, i), isEmphasis(r):
		case inWord(r), r == '\'', inside && (r == '@' || r == '$'):
			c.current.WriteRune(r)
		case r == ' ', r == '_', inside && strings.ContainsRune("-‐‑.·/+", r):
			c.finish()
			c.hyphen = r == '-'
		default:
			c.finish()
			c.before = clause
		}
	}
	c.finish()
	return c.words
}

// cutter collects the words of one sentence.
type cutter struct {
	words   []word
	current strings.Builder
	before  pause
	hyphen  bool // before the current word
}

// finish ends the current word.
func (c *cutter) finish() {
	folded := strings.Trim(c.current.String(), "'")
	c.current.Reset()
	if folded == "" {
		return
	}
	w := word{text: language.Skeleton(folded), pause: c.before, number: strings.ContainsFunc(folded, unicode.IsDigit)}
	if c.hyphen && w.number {
		c.words[len(c.words)-1].number = true // "MRV-7Q2K"
	}
	c.words = append(c.words, w)
	c.before, c.hyphen = noPause, false
}

// inNumber reports whether the sign at i stands between digits: "19:00", "1,250.00".
func inNumber(runes []rune, i int) bool {
	return i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]) &&
		strings.ContainsRune(":.,'", runes[i])
}

// claims turns the matches to claims, in the order of the text.
func (t text) claims(found []match) []Claim {
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.from.part, b.from.part), cmp.Compare(a.kind, b.kind))
	})
	var claims []Claim
	for _, m := range found {
		c := Claim{m.kind, t.written(m.from.part, m.to.part)}
		if !slices.Contains(claims, c) {
			claims = append(claims, c)
		}
	}
	return claims
}

// written is what stands in the parts from first to last.
func (t text) written(first, last int) string {
	var lines []string
	for _, p := range t.parts[first : last+1] {
		lines = append(lines, strings.TrimSpace(p.written))
	}
	return strings.Join(lines, " ")
}
