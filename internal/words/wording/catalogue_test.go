package wording

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// sentences reads a catalogue as a translator sees it.
func sentences(t *testing.T, tag string) map[Key]string {
	t.Helper()
	var m map[Key]string
	if err := json.Unmarshal([]byte(lang.Texts().In(tag)), &m); err != nil {
		t.Fatalf("%s: %v", tag, err)
	}
	return m
}

// declaredKeys returns the values of the package's Key constants.
func declaredKeys(t *testing.T) []Key {
	t.Helper()
	var keys []Key
	eachKey(t, func(_ string, key Key) { keys = append(keys, key) })
	slices.Sort(keys)
	return keys
}

// eachKey passes on the package's Key constants, in whichever file they stand.
func eachKey(t *testing.T, f func(name string, key Key)) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Key" {
				return true
			}
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			f(spec.Names[0].Name, Key(value))
			return true
		})
	}
}

func TestEveryLanguageHasEveryKey(t *testing.T) {
	t.Parallel()
	want := declaredKeys(t)
	for _, lang := range language.Supported() {
		got := slices.Sorted(maps.Keys(sentences(t, lang)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s/texts.json against the constants (-constants +catalogue):\n%s", lang, diff)
		}
	}
}

func TestEveryLanguageHasTheSameVariables(t *testing.T) {
	t.Parallel()
	english := in("en")
	for _, lang := range language.Supported() {
		c, err := readCatalogue(lang)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range c.texts {
			if strings.HasPrefix(string(key), "nights_") {
				continue // "one night" may go without the number
			}
			want := slices.Sorted(slices.Values(english.texts[key].variables()))
			got := slices.Sorted(slices.Values(text.variables()))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: variables (-en +%s):\n%s", lang, key, lang, diff)
			}
		}
	}
}

// loanwords are the texts that may be the same in English and another language.
var loanwords = []Key{NoWord, NoButton}

func TestNoEnglishInOtherLanguages(t *testing.T) {
	t.Parallel()
	english := sentences(t, "en")
	common := []string{"the", "you", "your", "is", "please", "booking", "nothing", "will", "this", "for", "and", "with"}
	for _, lang := range language.Supported()[1:] {
		for key, s := range sentences(t, lang) {
			said := outsideVariables(s)
			for _, word := range strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) }) {
				if slices.Contains(common, word) {
					t.Errorf("%s: %s has the English word %q: %s", lang, key, word, s)
				}
			}
			prose := strings.Contains(strings.TrimSpace(said), " ")
			if s == english[key] && prose && !slices.Contains(loanwords, key) && strings.ContainsFunc(said, unicode.IsLetter) {
				t.Errorf("%s: %s is still the English text: %s", lang, key, s)
			}
			if (lang == "he" || lang == "ar") && strings.ContainsFunc(withoutCommands(said), func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
				t.Errorf("%s: %s has Latin letters: %s", lang, key, s)
			}
		}
	}
}

// outsideVariables drops the {names} of s.
func outsideVariables(s string) string {
	var b strings.Builder
	inside := false
	for _, r := range s {
		switch {
		case r == '{':
			inside = true
		case r == '}':
			inside = false
		case !inside:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// withoutCommands drops the words that messaging providers fix in English.
func withoutCommands(s string) string {
	return strings.NewReplacer("START", "", "STOP", "").Replace(s)
}

func TestWordsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		c := in(lang)
		yes, no := c.plain(YesWord), c.plain(NoWord)
		if yes == no || yes != strings.ToUpper(yes) || no != strings.ToUpper(no) {
			t.Errorf("%s: yes %q and no %q: want two words in capitals", lang, yes, no)
		}
		for _, word := range []string{yes, no, c.plain(YesButton), c.plain(NoButton)} {
			// WhatsApp allows 20 characters on a button.
			if n := utf8.RuneCountInString(word); n == 0 || n > 12 || strings.ContainsAny(word, " \t.!") {
				t.Errorf("%s: %q: want one short word", lang, word)
			}
		}
		for _, key := range []Key{ConfirmPrompt, CancelPrompt, ActionPrompt, AnswerNotAwaited} {
			said := Say(lang, key, nil)
			if !strings.Contains(said, yes) || !strings.Contains(said, no) {
				t.Errorf("%s: %s does not tell the words %q and %q: %s", lang, key, yes, no, said)
			}
		}
	}
}

func TestTextsAreShort(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		for key, s := range sentences(t, lang) {
			if n := utf8.RuneCountInString(s); n > 260 {
				t.Errorf("%s: %s has %d characters, want at most 260 on a phone", lang, key, n)
			}
			if s != strings.TrimSpace(s) && key != keyMoneyGroup || strings.Contains(s, "  ") {
				t.Errorf("%s: %s has stray spaces: %q", lang, key, s)
			}
		}
	}
}
