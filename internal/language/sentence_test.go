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
