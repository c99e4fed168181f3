package llm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A text is cut where a speaker would pause, and nowhere within a number, a reference or a list's number.
func TestClauses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Hello. How are you?":                            {"Hello.", " How are you?"},
		"It is 3.5 km, so you may well walk there, too.": {"It is 3.5 km, so you may well walk there,", " too."},
		"Yes, of course.":                                {"Yes, of course."},
		"“Go on!” she said":                              {"“Go on!”", " she said"},
		"We have:\n1. Sakura\n2. Meze":                   {"We have:", "\n1. Sakura", "\n2. Meze"},
		"Your table {{booking: V3. GM}} stands. Bye":     {"Your table {{booking: V3. GM}} stands.", " Bye"},
		"好！\ufe0f再见。走":                                   {"好！\ufe0f再见。", "走"},
		"好的。明天见！再见":                                      {"好的。", "明天见！", "再见"},
		"   ":                                            {"   "},
		strings.Repeat("word ", 60):                      {strings.TrimSpace(strings.Repeat("word ", 49)), strings.Repeat(" word", 11) + " "},
		"":                                               nil,
	} {
		for _, size := range []int{1, 3, 1000} {
			var c Clauses
			var got []string
			for rest := []rune(text); len(rest) > 0; {
				n := min(size, len(rest))
				got = append(got, c.Add(string(rest[:n]))...)
				rest = rest[n:]
			}
			if rest := c.Rest(); rest != "" {
				got = append(got, rest)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q in pieces of %d (-want +got):\n%s", text, size, diff)
			}
		}
	}
}
