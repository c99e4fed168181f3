package language

import (
	"slices"
	"strings"
	"testing"
)

// What is detected is a language of ours or the fallback as given, and stays that when
// white space is put around the text.
func FuzzDetect(f *testing.F) {
	for _, text := range []string{
		"", "hello, is there a table for two?", "merhaba, iki kişilik masa var mı?", "γεια σας", "здравствуйте", "שלום", "مرحبا", "guten Tag, ich möchte", "hola, quiero una mesa",
		"bonjour, je voudrais", "habari, nataka meza", "sushi شات", "\xff\xfe", "ok ok ok", "İstanbul'da", strings.Repeat("ç", 3000), "👍", "a\u0301", "1234 5678",
	} {
		f.Add(text, "en")
	}
	f.Fuzz(func(t *testing.T, text, fallback string) {
		got := Detect(text, fallback)
		if got != fallback && !slices.Contains(Supported(), got) {
			t.Errorf("Detect(%q, %q) = %q", text, fallback, got)
		}
		if spaced := Detect(" \n"+text+" ", fallback); spaced != got && len(text) < detectWindow-2 {
			t.Errorf("Detect(%q) = %q, with white space around it %q", text, got, spaced)
		}
		if tag, ok := Normalize(text); ok && (!slices.Contains(Supported(), tag) || Name(text) == "") {
			t.Errorf("Normalize(%q) = %q", text, tag)
		}
	})
}
