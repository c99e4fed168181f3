package claim

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// stated is where a pattern file states a pattern.
type stated struct {
	line    string // file and number
	pattern string // language, heading and text
}

// statedPatterns reads the pattern files, and says of each pattern, known by its first element, where
// it stands.
func statedPatterns(t *testing.T) ([]*dialect, map[*element]stated) {
	t.Helper()
	var all []*dialect
	where := map[*element]stated{}
	for _, tag := range language.Supported() {
		p := parser{named: map[string]string{}, dialect: newDialect(tag)}
		heading := ""
		lines := bufio.NewScanner(strings.NewReader(lang.Claims().In(tag)))
		for n := 1; lines.Scan(); n++ {
			s := language.Fold(lines.Text())
			if strings.HasPrefix(s, "#") {
				continue
			}
			if err := p.line(s); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(s, "[") {
				heading = s
			}
			for _, some := range p.byFirst {
				if first := &some[len(some)-1].elements[0]; where[first] == (stated{}) {
					where[first] = stated{fmt.Sprintf("%s:%d", lang.Claims().Name(tag), n), tag + " " + heading + " " + s}
				}
			}
		}
		all = append(all, p.dialect)
	}
	return all, where
}

// without is a dialect without one of its patterns.
func (d *dialect) without(first *element) *dialect {
	left := &dialect{vocabulary: d.vocabulary, byFirst: map[int][]pattern{}, asked: d.asked}
	for class, some := range d.byFirst {
		left.byFirst[class] = slices.DeleteFunc(slices.Clone(some), func(p pattern) bool { return &p.elements[0] == first })
	}
	return left
}

// standing are the patterns that stand somewhere in a text.
func (d *dialect) standing(t text) []*element {
	r := reading{dialect: d, words: d.spell(t.words)}
	for _, w := range r.words {
		r.classes = append(r.classes, d.classesOf(w))
	}
	r.cues = make([]cue, len(r.words))
	r.find()
	var found []*element
	r.eachMatch(func(p pattern, _, _ int) { found = append(found, &p.elements[0]) })
	slices.SortFunc(found, func(a, b *element) int { return strings.Compare(fmt.Sprintf("%p", a), fmt.Sprintf("%p", b)) })
	return slices.Compact(found)
}

// judged are all lines: those that people wrote, and those of testdata/patterns, of which each is there
// for one pattern.
func judged(t *testing.T) []row {
	t.Helper()
	all := rows(t, "disguise")
	for _, tag := range language.Supported() {
		all = append(append(all, rows(t, tag)...), rows(t, "../patterns/"+tag)...)
	}
	return all
}

// right reports whether a line claims what it is said to.
func (r row) right(claims []Claim) bool {
	return r.kind == "" && len(claims) == 0 || r.kind != "" && has(claims, r.kind)
}

func TestLinesOfPatterns(t *testing.T) {
	t.Parallel()
	for _, r := range judged(t) {
		if got := Find(r.text); !r.right(got) {
			t.Errorf("%q: found %v, want %q", r.text, got, r.kind)
		}
	}
}

// Each pattern is needed by some line, which is misread without it, but for those that
// testdata/patterns/unneeded.txt lists.
func TestEveryPatternIsNeeded(t *testing.T) {
	t.Parallel()
	all, where := statedPatterns(t)
	needed := map[*element]bool{}
	for _, r := range judged(t) {
		said := read(r.text)
		found := make([][]match, len(all))
		for i, d := range all {
			found[i] = d.claims(said)
		}
		for i, d := range all {
			whole := found[i]
			for _, first := range d.standing(said) {
				if !needed[first] {
					found[i] = d.without(first).claims(said)
					needed[first] = !r.right(said.claims(slices.Concat(found...)))
				}
			}
			found[i] = whole
		}
	}
	listed := unneeded(t)
	for first, at := range where {
		if needed[first] == listed[at.pattern] {
			t.Errorf("%s, needed by a line: %v, listed as unneeded: %v: %s", at.line, needed[first], listed[at.pattern], at.pattern)
		}
		delete(listed, at.pattern)
	}
	for pattern := range listed {
		t.Errorf("unneeded.txt: no such pattern: %s", pattern)
	}
}

func unneeded(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/patterns/unneeded.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			listed[strings.TrimSuffix(line, "\n")] = true
		}
	}
	return listed
}
