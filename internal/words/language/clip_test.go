package language

import "testing"

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ s, clip, brief string }{
		{"", "", ""},
		{"σήμε", "σήμε", "σήμε"},
		{"σήμερα", "σήμε", "σήμ…"},
		{"today", "toda", "tod…"},
		{"🍣🍣🍣🍣🍣", "🍣🍣🍣🍣", "🍣🍣🍣…"},
		{"to day", "to d", "to…"},
	} {
		if clip, brief := Clip(c.s, 4), Brief(c.s, 4); clip != c.clip || brief != c.brief {
			t.Errorf("%q: %q and %q, want %q and %q", c.s, clip, brief, c.clip, c.brief)
		}
	}
}
