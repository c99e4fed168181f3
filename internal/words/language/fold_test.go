package language

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
)

// TestFold gives groups of spellings that must fold to the first of them.
func TestFold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		want      string
		spellings []string
	}{
		{"case", "yes", []string{"YES", "Yes", "yEs"}},
		{"full width", "yes", []string{"ＹＥＳ"}},
		{"Turkish i", "iptal hayir", []string{"İPTAL HAYIR", "IPTAL HAYIR", "iptal hayır", "ıptal hayir", "I\u0307PTAL HAYIR"}},
		{"Turkish letters", "tesekkurler cok guzel", []string{"Teşekkürler çok güzel", "TEŞEKKÜRLER ÇOK GÜZEL"}},
		{"German", "bestatigt strasse", []string{"Bestätigt Straße", "BESTÄTIGT STRASSE", "bestätigt STRAẞE"}},
		{"final sigma and tonos", "συμφωνοσ ναι", []string{"Σύμφωνος ναι", "ΣΎΜΦΩΝΟΣ ΝΑΊ", "σύμφωνοσ ναί"}},
		{"Russian ё", "подтвержденнои", []string{"подтверждённой", "ПОДТВЕРЖДЁННОЙ", "подтвержденной"}},
		{"Spanish", "si manana", []string{"Sí mañana", "SÍ MAÑANA", "si\u0301 man\u0303ana"}},
		{"French", "d'accord coeur", []string{"D’accord cœur", "d´accord CŒUR", "d`accord cœur", "dʼaccord cœur", "d＇accord cœur"}},
		{"Hebrew", "כן", []string{"כֵּן", "כ\u05b5ן"}},
		{"Hebrew geresh", "צ'ק", []string{"צ׳ק", "צ’ק"}},
		{"Arabic alef and hamza", "الغاء اويد", []string{"إلغاء أؤيد", "الغاء أويد"}},
		{"Arabic marks and tatweel", "نعم", []string{"نَعَم", "نـــعم", "ﻧﻌﻢ"}},
		{"Arabic yeh and teh", "ايوه علي", []string{"أيوة على", "ايوه علی"}},
		{"digits", "2026 18:30", []string{"٢٠٢٦ ١٨:٣٠", "۲۰۲۶ ۱۸:۳۰", "２０２６ １８：３０"}},
		{"white space", "go ahead", []string{"  go\n\t ahead ", "go\u00a0ahead", "go\u2003ahead", "go\u2028ahead"}},
		{"invisible", "evet", []string{"\u200bev\u200det\ufeff", "\u202eevet\u202c", "e\u00advet", "\u2068evet\u2069"}},
		{"emoji", "👍 ❤", []string{"👍🏽 ❤️", "👍🏿 ❤︎"}},
		{"struck out", "y\u0336e\u0336s\u0336", []string{"y\u0336e\u0336s\u0336", "Y\u0336E\u0336S\u0336"}},
		{"empty", "", []string{"", " ", "\u200b", "\u0301"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range append(tt.spellings, tt.want) {
				if got := Fold(s); got != tt.want {
					t.Errorf("Fold(%q) = %q, want %q", s, got, tt.want)
				}
			}
		})
	}
}

func TestFoldKeepsWordsApart(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{{"yes", "yet"}, {"נכון", "נכונ"}, {"да", "дай"}, {"ok", "οκ"}, {"نعم", "نعمل"}, {"yes", "y\u0336e\u0336s\u0336"}, {"a b", "ab"}}
	for _, p := range pairs {
		if Fold(p[0]) == Fold(p[1]) {
			t.Errorf("%q and %q fold alike", p[0], p[1])
		}
	}
}

func TestFoldIsStable(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) { checkFold(t, rapid.String().Draw(t, "text")) })
}

func FuzzFold(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) { checkFold(t, s) })
}

// checkFold holds what Fold promises for any input.
func checkFold(t rapid.TB, s string) {
	t.Helper()
	folded := Fold(s)
	if again := Fold(folded); again != folded {
		t.Fatalf("Fold(%q) = %q, and folded again %q", s, folded, again)
	}
	if other := Fold(norm.NFD.String(s)); other != folded {
		t.Fatalf("Fold(%q) = %q, decomposed %q", s, folded, other)
	}
	if strings.TrimSpace(folded) != folded || strings.Contains(folded, "  ") {
		t.Fatalf("Fold(%q) = %q: white space left", s, folded)
	}
}
