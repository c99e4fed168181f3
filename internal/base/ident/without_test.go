package ident_test

import (
	"testing"

	"merve/internal/base/ident"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"K7P2: the courier is there": "the courier is there", "the courier is there (k7p2)": "the courier is there", "K7P2": "", "about K7P2, sorry": "about K7P2, sorry",
		"K7P29 is another": "K7P29 is another", "no code": "no code", "Is K7P2?": "Is K7P2?", "K7P2 ok!": "ok!", "(ok)": "(ok)",
	} {
		if got := ident.Without(text, "K7P2"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
