package language

import (
	"slices"
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                       nil,
		"One":                    {"One"},
		"One. Two! Three? Four…": {"One. ", "Two! ", "Three? ", "Four…"},
		"At 19.30 in No.7":       {"At 19.30 in No.7"},
		"a\nb\n\nc":              {"a\n", "b\n", "\n", "c"},
		"席があります。予約しますか？はい":                   {"席があります。", "予約しますか？", "はい"},
		"هل تريد؟ نعم":                       {"هل تريد؟ ", "نعم"},
		"Θέλετε\u037e Ναι":                   {"Θέλετε\u037e ", "Ναι"},
		"See https://a.example/?q=1 for it.": {"See https://a.example/?q=1 for it."},
	} {
		got := Sentences(text)
		if !slices.Equal(got, want) {
			t.Errorf("Sentences(%q) = %q, want %q", text, got, want)
		}
		if strings.Join(got, "") != text {
			t.Errorf("%q is not whole", got)
		}
	}
}

// A text ends with a sentence in any script, also where a quote or bracket closes behind it.
func TestEndsSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, " ": false, "One": false, "One,": false, "At 19.30": false, "One.": true, "(One?) ": true, "“One!”": true, "1. \"One.\"": true,
		"席があります。": true, "هل تريد؟": true, "Θέλετε\u037e": true, "जी हाँ।": true,
	} {
		if EndsSentence(text) != want {
			t.Errorf("EndsSentence(%q) is not %v", text, want)
		}
	}
}
