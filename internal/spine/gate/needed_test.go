package gate

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"merve/internal/words/language"
)

// outcome is what a message is taken for.
type outcome struct {
	books, other Answer
	keyword      Keyword
	opens        bool // with a NO, and goes on
}

func outcomeOf(text string) outcome {
	return outcome{readOffer(text), Read(text), OptOut(text), opensWithNo(text, Books)}
}

// keywordsHeard reads testdata/keywords.txt: messages, one a line, under the keyword that they are.
func keywordsHeard(t *testing.T) map[string]Keyword {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "keywords.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	heard := map[string]Keyword{}
	var under Keyword
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == "[stop]":
			under = Stop
		case line == "[start]":
			under = Start
		default:
			heard[line] = under
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return heard
}

func TestKeywordsHeard(t *testing.T) {
	t.Parallel()
	for text, want := range keywordsHeard(t) {
		if got := OptOut(text); got != want {
			t.Errorf("OptOut(%q) = %v, want %v", text, got, want)
		}
	}
}

// Each phrase of the word files is needed by some message of testdata, which is taken for something
// else without it, but for an unclear one that would settle nothing anyway: that is there for who
// edits the files.
func TestEveryPhraseIsNeeded(t *testing.T) { // not parallel: it changes the vocabulary
	var entries []entry
	for _, name := range append(language.Supported(), "signs") {
		entries = append(entries, fileEntries(t, name)...)
	}
	var texts []string
	for _, name := range append(language.Supported(), "mixed") {
		for _, m := range messages(t, name) {
			texts = append(texts, m.text)
		}
	}
	for _, name := range language.Supported() {
		texts = slices.AppendSeq(texts, maps.Keys(openings(t, name)))
	}
	for text := range keywordsHeard(t) {
		texts = append(texts, text)
	}
	tokens, before := map[string]string{}, map[string]outcome{}
	for _, text := range texts {
		tokens[text], before[text] = " "+phrase(tokenize(text))+" ", outcomeOf(text)
	}
	whole := words
	defer func() { words = whole }()
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.phrase] {
			continue
		}
		seen[e.phrase] = true // in all languages that have it
		without, err := newVocabulary(slices.DeleteFunc(slices.Clone(entries), func(o entry) bool { return o.phrase == e.phrase }))
		if err != nil {
			t.Fatal(err)
		}
		words = func() (vocabulary, error) { return without, nil }
		needs := func(text string) bool {
			return strings.Contains(tokens[text], " "+strings.TrimSuffix(e.phrase, "*")) && outcomeOf(text) != before[text]
		}
		if !slices.ContainsFunc(texts, needs) && !(e.kind == unclear && settlesNothing(e.phrase)) {
			t.Errorf("%v: no message of testdata needs it", e)
		}
	}
}

// settlesNothing reports whether a phrase is no part of an answer.
func settlesNothing(phrase string) bool {
	return readOffer(phrase) == Unclear && readOffer("yes, "+phrase) == Unclear && readOffer("no, "+phrase) == Unclear
}
