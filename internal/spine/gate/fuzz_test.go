package gate

import (
	"strings"
	"testing"
)

// Two answers in one message: a yes beside a no settles nothing, and no message turns into
// its opposite by what stands beside it.
func FuzzTwoAnswers(f *testing.F) {
	for _, pair := range [][2]string{
		{"yes", "no"}, {"evet", "hayır"}, {"да", "нет"}, {"ναι", "όχι"}, {"כן", "לא"}, {"نعم", "لا"}, {"ja", "nein"}, {"sí", "no"}, {"oui", "non"}, {"ndiyo", "hapana"},
		{"YES", "cancel"}, {"👍", "👎"}, {"ok thanks", "iptal"}, {"yes", "not"}, {"yes please", "yes"}, {"no", "problem"}, {"ye\u200bs", "no\u00ad"}, {"", "yes"}, {"book it", "no"}, {"confirm my booking", "yes"}, {"yes", "\xff"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, read := range []func(string) Answer{Read, readOffer} {
			first, second := read(a), read(b)
			for _, between := range []string{" ", ", ", "\n", ". ", "! "} {
				both := a + between + b
				got := read(both)
				switch {
				case first != Unclear && second != Unclear && first != second && got != Unclear:
					t.Errorf("Read(%q) = %v, of a %v and a %v", both, got, first, second)
				case first == second && got != first && got != Unclear:
					if first != Unclear {
						t.Errorf("Read(%q) = %v, of two times %v", both, got, first)
					}
				case strings.TrimSpace(b) == "" && len(both) <= maxMessage && between != ". " && between != "! " && got != first:
					t.Errorf("Read(%q) = %v, but %v without what is blank", both, got, first)
				}
			}
		}
	})
}
