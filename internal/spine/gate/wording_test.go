package gate

import (
	"strings"
	"testing"

	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// The words that a question asks for, and the labels of its buttons, are what they stand for: to
// every question, in any case, and beside a full stop.
func TestWordsAskedForAreTheAnswers(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		for key, want := range map[wording.Key]Answer{
			wording.YesWord: Yes, wording.YesButton: Yes, wording.NoWord: No, wording.NoButton: No,
		} {
			word := wording.Say(lang, key, nil)
			for _, said := range []string{word, strings.ToLower(word), word + "."} {
				for _, does := range []Deed{Other, Books, Keeps, Cancels} {
					if got := readAs(said, does); got != want {
						t.Errorf("%s: %s is %q, which is %v to deed %d; want %v", lang, key, said, got, does, want)
					}
				}
			}
		}
	}
}
