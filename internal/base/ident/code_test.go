package ident_test

import (
	"crypto/sha256"
	"testing"

	"merve/internal/base/ident"
)

func TestCode(t *testing.T) {
	t.Parallel()
	plain := ident.Code{Alphabet: "23AB", Length: 3}
	lettered := ident.Code{Alphabet: "23AB", Length: 3, Letter: true}
	behind := ident.Code{Alphabet: "AB23", Length: 3, Letter: true}
	tests := []struct {
		form ident.Code
		hash []byte
		want string
	}{
		{plain, []byte{0, 1, 2, 3}, "23A"},
		{plain, []byte{4, 5, 255}, "23B"}, // past the end it begins anew
		{plain, []byte{0, 1, 1}, "233"},
		{lettered, []byte{0, 1, 1}, "A33"},
		{lettered, []byte{5, 1, 1}, "B33"},
		{lettered, []byte{0, 1, 2}, "23A"},
		{behind, []byte{3, 2, 2}, "B22"},
	}
	for _, tt := range tests {
		if got := tt.form.Of(tt.hash); got != tt.want {
			t.Errorf("%v of %v is %q, want %q", tt.form, tt.hash, got, tt.want)
		}
	}
	for s, want := range map[string]bool{"23A": true, "222": true, "": false, "23": false, "23AB": false, "2xA": false, "23a": false, "2 A": false, "2\nA": false, "é3": false} {
		if got := plain.Is(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// Codes that were given out stay what they are: the same thing has the same code in every release.
func TestCodesStay(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("code"))
	for want, form := range map[string]ident.Code{
		"33ZR": ident.Order, "T39K": ident.Ride, "33ZR5": ident.Talk, "7HQ5Q4": ident.Booking, "33ZRSY4": ident.Request, "PMGAEKZA": ident.Link,
	} {
		if got := form.Of(sum[:]); got != want || !form.Is(got) || form.Is(got+"2") || form.Is("") {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for code, want := range map[string]bool{"ABCD2": true, "ABCDE": false, "23456": false, "ABCD1": false} {
		if ident.Talk.Is(code) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
}
