package relay

import (
	"slices"
	"strings"
	"testing"

	"merve/internal/spine/thread"
)

// A quotation has no line that is not marked as one, whatever breaks lines.
func TestNoLineLeadsOutOfAQuotation(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a\nb", "a\r\nb", "a\rb", "a\vb", "a\fb", "a\u0085b", "a\u2028b", "a\u2029b", "a\n\n\nb", "\n a \n\xff b\n", strings.Repeat("line\n", 300),
	} {
		said := quoted(tidy(text))
		for line := range strings.SplitSeq(breaks.Replace(said), "\n") {
			if !strings.HasPrefix(line, "> ") || line == "> " {
				t.Errorf("%q: the line %q of %q is not marked, or empty", text, line, said)
			}
		}
		if n := strings.Count(said, "\n"); n >= maxLines {
			t.Errorf("%q: %d lines", text, n)
		}
	}
}

func TestCodesIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]code{
		"K7P2 is ready":              {{"K7P2", true}},
		"is k7p2 ready?":             {{"K7P2", false}},
		"MK7P2: yes":                 {{"MK7P2", true}},
		"we have no table outside":   nil,
		"in 20 min or 2025, at 1930": nil,
		"HAVE a look":                {{"HAVE", false}},
		"B7K9X4, K7P2, K7P2":         {{"B7K9X4", true}, {"K7P2", true}},
		"K7P2X9Z2 and K7":            nil,
		"mk7p2 yes, we do. MK7P2":    {{"MK7P2", true}},
		"MK7P2 yes, we do. mk7p2":    {{"MK7P2", true}},
	} {
		if got := codesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestCoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"MK7P2 yes": true, " MK7P2: yes": true, "MK7P2": true, "MK7P2\nyes": true, "#MK7P2 yes": true, "(MK7P2)": true, "MK7P2,yes": true,
		"!?": false, "mk7p2 yes": false, "TABLE for two": false, "K7P2 yes": false, "yes MK7P2": false, "": false,
	} {
		if Coded(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// A customer is named to a business without anything to call them by.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Ann": "Ann", "+90 533 123 45 67": "", "Ann 05331234567": "", "Ann 2": "Ann 2", "٠٥٣٣١٢٣٤": ""} {
		if got := nameOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// The same customer has the same code with a business, and another one if that is taken.
func TestCodeOf(t *testing.T) {
	t.Parallel()
	talk := Talk{Thread: thread.ID("m", "general", "", "session:a"), Business: "b"}
	seen := map[string]bool{}
	for n := range 20 {
		c := codeOf(talk, n)
		if again := codeOf(talk, n); again != c {
			t.Errorf("%s, then %s", c, again)
		}
		if got, ok := asCode(c); !ok || !got.sure || !IsTalk(c) {
			t.Errorf("%s is not read as a code", c)
		}
		seen[c] = true
	}
	if len(seen) < 15 {
		t.Errorf("%d codes", len(seen))
	}
	for n := range 2000 {
		if c := codeOf(talk, n); strings.Trim(c, digits) == "" {
			t.Errorf("%s is a number", c)
		}
	}
}
