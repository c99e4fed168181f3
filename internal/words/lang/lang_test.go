package lang_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"

	"merve/internal/words/lang"
)

// uses are all of them, with those that every language needs.
var uses = map[string]struct {
	words  func() lang.Words
	needed bool
}{
	"texts.json": {lang.Texts, true}, "standing.json": {lang.Standing, true}, "page.json": {lang.Page, true},
	"chat.json": {lang.Chat, false}, "widget.json": {lang.Widget, true},
	"answers.txt": {lang.Answers, true}, "asking.txt": {lang.Asking, true}, "calls.txt": {lang.Calls, true}, "numbers.txt": {lang.Numbers, true},
	"claims.txt": {lang.Claims, true}, "questions.txt": {lang.Questions, true}, "smalltalk.txt": {lang.SmallTalk, true}, "digits.txt": {lang.Digits, true},
	"weather.txt": {lang.Weather, true}, "money.txt": {lang.Money, true}, "plain.txt": {lang.Plain, false}, "detect.txt": {lang.Detect, false},
}

// Each file of a folder is read by somebody, and a language has all that every language needs.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, l := range lang.Languages() {
		if l.Name == "" || l.Place == 0 {
			t.Errorf("%s: %+v", l.Tag, l)
		}
		for file, use := range uses {
			if use.needed && use.words().In(l.Tag) == "" {
				t.Errorf("%s has no %s", l.Tag, file)
			}
		}
		if l.Script == "" && lang.Detect().In(l.Tag) == "" {
			t.Errorf("%s is known neither by its script nor by words", l.Tag)
		}
	}
	files, err := fs.Glob(os.DirFS("."), "*/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if _, known := uses[path.Base(name)]; !known && path.Base(name) != "language.json" {
			t.Errorf("%s: nobody reads it", name)
		}
	}
	places := map[int]string{}
	for _, l := range lang.Languages() {
		if other := places[l.Place]; other != "" {
			t.Errorf("%s and %s have the same place", other, l.Tag)
		}
		places[l.Place] = l.Tag
	}
	if tags := lang.Languages(); tags[0].Tag != "en" || !slices.ContainsFunc(tags, func(l lang.Language) bool { return l.RightToLeft }) {
		t.Errorf("languages: %+v", tags)
	}
}

// Words stand under headings, in lines; comments and empty lines count for nothing.
func TestSections(t *testing.T) {
	t.Parallel()
	got := lang.Sections("none\n\n# a comment\n[a]\none two\n three \n[b]\n")
	if len(got) != 2 || !slices.Equal(got[""], []string{"none"}) || !slices.Equal(got["[a]"], []string{"one two", "three"}) {
		t.Errorf("%q", got)
	}
}
