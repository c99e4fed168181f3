package claim

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"sync"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// maxGap bounds the words that ".." stands for.
const maxGap = 8

// element is one element of a pattern: a word of a class, or one of the signs below.
type element struct {
	class    int // an index of vocabulary.classes, or one of the negative ones below
	optional bool
}

const (
	gap    = -1 - iota // "..", up to maxGap words of one clause
	begins             // "^", a clause begins here
	ends               // "$", a clause ends here
)

// pattern is a line of a pattern file.
type pattern struct {
	elements []element
	sure     bool // a claim whatever [maybe] and [others] say
	kind     Kind // of a claim; "" for a cue
	cue      cue
}

// cue is what a heading other than a kind says of the words under it.
type cue uint16

const (
	not     cue = 1 << iota // denies what comes after it
	notYet                  // denies what comes before it
	maybe                   // makes an offer, a plan or a wish of what comes after it
	given                   // makes a condition: "if"
	asks                    // opens a question
	others                  // makes it a house rule, or someone else's affair
	yours                   // but not in a claim with one of these
	opens                   // opens a new clause: "and"
	ignore                  // says none of these, though a word of it might
	changes                 // what is booked is changed, by a claim with one of these
)

func cues() map[string]cue {
	return map[string]cue{
		"not": not, "not after": notYet, "maybe": maybe, "if": given, "asks": asks,
		"others": others, "yours": yours, "and": opens, "ignore": ignore, "change": changes,
	}
}

// dialect is what one pattern file says.
type dialect struct {
	vocabulary
	byFirst map[int][]pattern // patterns by the class of an element they may begin with
	asked   asked             // what makes a question in it, at least
}

// dialects are the pattern files, read when first asked for.
var dialects = sync.OnceValues(func() ([]*dialect, error) { return readDialects() })

func readDialects() ([]*dialect, error) {
	var all []*dialect
	for _, tag := range language.Supported() {
		d, err := readDialect(tag, lang.Claims().In(tag))
		if err != nil {
			return nil, fmt.Errorf("read claim patterns: %w", err)
		}
		all = append(all, d)
	}
	return all, nil
}

func newDialect(tag string) *dialect {
	d := &dialect{vocabulary: newVocabulary(), byFirst: map[int][]pattern{}, asked: certainly}
	if slices.ContainsFunc(lang.Languages(), func(l lang.Language) bool { return l.Tag == tag && l.SemicolonAsks }) {
		d.asked = bySemicolon
	}
	return d
}

// readDialect reads a language's file, in the form that package lang describes in claims.md.
func readDialect(tag, text string) (*dialect, error) {
	p := parser{named: map[string]string{}, dialect: newDialect(tag)}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		s := language.Fold(lines.Text())
		if strings.HasPrefix(s, "#") {
			continue
		}
		if err := p.line(s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", lang.Claims().Name(tag), n, err)
		}
	}
	return p.dialect, lines.Err()
}

// parser reads the lines of one file in turn.
type parser struct {
	*dialect
	named map[string]string // the alternatives of each @name
	kind  Kind              // the heading, either a kind
	cue   cue               // or a cue
}

func (p *parser) line(s string) error {
	if heading, ok := strings.CutPrefix(s, "["); ok {
		return p.heading(strings.TrimSuffix(heading, "]"))
	}
	if name, words, ok := strings.Cut(s, " = "); ok && strings.HasPrefix(s, "@") {
		return p.name(name, words)
	}
	switch {
	case s == "":
		return nil
	case p.kind == "" && p.cue == 0:
		return fmt.Errorf("%q is under no heading", s)
	}
	return p.pattern(s)
}

func (p *parser) heading(s string) error {
	p.kind, p.cue = "", cues()[s]
	if slices.Contains(kinds(), Kind(s)) {
		p.kind = Kind(s)
	}
	if p.kind == "" && p.cue == 0 {
		return fmt.Errorf("no such heading: [%s]", s)
	}
	return nil
}

func (p *parser) name(name, words string) error {
	all, err := p.expand(strings.Join(strings.Fields(words), "|"))
	p.named[strings.TrimSpace(name)] = all
	return err
}

// expand puts the alternatives in the places of the @names in s.
func (p *parser) expand(s string) (string, error) {
	parts := strings.Split(s, "|")
	for i, part := range parts {
		if !strings.HasPrefix(part, "@") {
			continue
		}
		words, ok := p.named[part]
		if !ok {
			return "", fmt.Errorf("%s is not defined above", part)
		}
		parts[i] = words
	}
	return strings.Join(parts, "|"), nil
}

func (p *parser) pattern(s string) error {
	s, sure := strings.CutPrefix(s, "!")
	pat := pattern{sure: sure, kind: p.kind, cue: p.cue}
	for _, field := range strings.Fields(s) {
		e, err := p.element(field)
		if err != nil {
			return err
		}
		pat.elements = append(pat.elements, e)
	}
	firsts, ok := pat.firsts()
	if !ok {
		return fmt.Errorf("%q begins with nothing but optional words, .. or $", s)
	}
	for _, class := range firsts {
		p.byFirst[class] = append(p.byFirst[class], pat)
	}
	return nil
}

func (p *parser) element(field string) (element, error) {
	switch field {
	case "..":
		return element{class: gap}, nil
	case "^":
		return element{class: begins}, nil
	case "$":
		return element{class: ends}, nil
	}
	field, optional := strings.CutPrefix(field, "?")
	words, err := p.expand(field)
	if err != nil {
		return element{}, err
	}
	class, err := p.vocabulary.class(words)
	return element{class, optional}, err
}

// firsts returns the classes that the first word of the pattern may be of.
func (p pattern) firsts() (classes []int, ok bool) {
	for _, e := range p.elements {
		switch {
		case e.class == begins:
			continue
		case e.class == gap, e.class == ends:
			return nil, false
		}
		classes = append(classes, e.class)
		if !e.optional {
			return classes, true
		}
	}
	return nil, false
}
