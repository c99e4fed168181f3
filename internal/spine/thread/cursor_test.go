package thread

import (
	"testing"

	"merve/internal/base/fault"
)

// A cursor that a client sends is a place in a thread, or an error that names it; a place
// is written in one way.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", "1.0", "12.3", "99999999.0", "100000000.0", "-1.0", "+1.0", "1.-1", "1", "1.", ".1", "01.0", "1.0.0", "1e3.0", "١.٠", "1.99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		turn, skip, err := parseCursor(s)
		switch _, field := fault.Public(err); {
		case err != nil && (!fault.Is(err, fault.Invalid) || field != "after"):
			t.Errorf("%q: %v", s, err)
		case err != nil || s == "":
		case cursor(turn, skip) != s:
			t.Errorf("%q is read as %s", s, cursor(turn, skip))
		case turnSK(turn) < "turn#" || turnSK(turn) >= headSK || len(turnSK(turn)) != len("turn#00000000"):
			t.Errorf("%q begins at %s", s, turnSK(turn))
		}
	})
}
