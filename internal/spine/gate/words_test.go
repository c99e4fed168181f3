package gate

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"merve/internal/words/language"
)

// fileEntries returns what a word file lists.
func fileEntries(t *testing.T, name string) []entry {
	t.Helper()
	entries, err := readFile(name+".txt", answerFiles()[name+".txt"])
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// allEntries returns what all files list, but for the "word *" entries.
func allEntries(t *testing.T) []entry {
	t.Helper()
	var all []entry
	for _, name := range append(language.Supported(), "signs") {
		for _, e := range fileEntries(t, name) {
			if !strings.HasSuffix(e.phrase, " *") {
				all = append(all, e)
			}
		}
	}
	return all
}

func listedPhrases(t *testing.T, kinds kind) []string {
	t.Helper()
	var phrases []string
	for _, e := range allEntries(t) {
		if e.kind.has(kinds) {
			phrases = append(phrases, e.phrase)
		}
	}
	return phrases
}

// unlistedWord draws words that stand in no phrase of any file: some that turn
// a yes round, and any others.
func unlistedWord(t *testing.T) *rapid.Generator[string] {
	t.Helper()
	listed := make(map[string]bool)
	for _, e := range allEntries(t) {
		for _, token := range strings.Fields(e.phrase) {
			listed[token] = true
		}
	}
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"but", "if", "8pm", "8", "tomorrow", "ama", "yarın", "αλλά", "αν", "αύριο", "но", "если", "завтра", "אבל",
			"מחר", "لكن", "غدا", "aber", "wenn", "pero", "mañana", "mais", "demain", "lakini", "kesho", "?", "\"", "#", "x",
		}),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Letter, unicode.Nd), 1, 8, -1),
	).Filter(func(word string) bool {
		for _, token := range tokenize(word) {
			if listed[token] {
				return false
			}
		}
		return len(tokenize(word)) > 0
	})
}

// TestEveryPhraseAlone reads each listed phrase as a whole message.
func TestEveryPhraseAlone(t *testing.T) {
	t.Parallel()
	for _, e := range allEntries(t) {
		answer, keyword := Unclear, None
		switch e.kind {
		case yes, yes | booking:
			answer = Yes
		case no, cancel, cancel | booking, cancelAlone:
			answer = No
		case stop:
			keyword = Stop
		case start:
			keyword = Start
		}
		if got := readAs(e.phrase, Books); e.kind.has(answers) && got != answer {
			t.Errorf("%v: to an offer of a booking %v, want %v", e, got, answer)
		}
		if e.kind.has(booking) && answer == Yes {
			answer = Unclear
		}
		if got := Read(e.phrase); e.kind.has(answers) && got != answer {
			t.Errorf("%v: Read = %v, want %v", e, got, answer)
		}
		if got := OptOut(e.phrase); e.kind.has(keywords) && got != keyword {
			t.Errorf("%v: OptOut = %v, want %v", e, got, keyword)
		}
	}
}

func TestEveryLanguageHasItsWords(t *testing.T) {
	t.Parallel()
	for _, name := range language.Supported() {
		count := make(map[kind]int)
		for _, e := range fileEntries(t, name) {
			count[e.kind]++
		}
		for heading, k := range headings {
			if count[k] == 0 && !k.has(booking|cancelAlone) { // not every language has an answer that names one, or such a word
				t.Errorf("words/%s.txt has nothing under %s", name, heading)
			}
		}
	}
}

func TestWordFileMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"unknown heading", map[string]string{"en": "# English\n[yess]\nyes"}, "en.txt:2: no such heading: [yess]"},
		{"no heading", map[string]string{"en": "\nyes"}, `en.txt:2: "yes" is under no heading`},
		{"two answers in a file", map[string]string{"en": "[yes]\nOk\n[no]\nok"}, `two answers for one phrase: en.txt:2: "ok" and en.txt:4: "ok"`},
		{"two answers in two files", map[string]string{"el": "[yes]\nne", "tr": "[unclear]\nNE"}, `two answers for one phrase: el.txt:2: "ne" and tr.txt:2: "ne"`},
		{"differs only by accents", map[string]string{"el": "[no]\nποτέ", "en": "[unclear]\nπότε"}, `two answers for one phrase: el.txt:2: "ποτε" and en.txt:2: "ποτε"`},
		{"answer and keyword", map[string]string{"en": "[cancel]\nstop\n[stop]\nstop"}, ""},
		{"shared by languages", map[string]string{"de": "[yes]\nok", "en": "[yes]\nOK"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for name, text := range tt.files {
				files[name+".txt"] = text
			}
			_, err := readWords(files)
			if got := errorText(err); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "read words: ")
}

func BenchmarkReadWords(b *testing.B) {
	for b.Loop() {
		if _, err := readWords(answerFiles()); err != nil {
			b.Fatal(err)
		}
	}
}
