package ident_test

import (
	"strings"
	"testing"

	"merve/internal/base/ident"
)

func TestNew(t *testing.T) {
	t.Parallel()
	id := ident.New("rp_", "report", "user:anna", "k1")
	if id != ident.New("rp_", "report", "user:anna", "k1") || !ident.Is("rp_", id) {
		t.Errorf("%q", id)
	}
	for _, other := range []string{
		ident.New("rp_", "order", "user:anna", "k1"), ident.New("rp_", "report", "user:ben", "k1"), ident.New("rp_", "report", "user:anna", "k2"),
		ident.New("rp_", "report", "user:annak", "1"), // the same letters, of another owner
	} {
		if other == id {
			t.Errorf("%q twice", id)
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	id := ident.New("rp_", "report", "user:anna", "k1")
	for _, s := range []string{
		"", "rp_", "or_" + id[3:], id[3:], id[:len(id)-1], id + "a", strings.ToUpper(id), id[:5] + "#" + id[6:], id[:5] + "\n" + id[5:], id + "\n", id[:5] + "1" + id[6:],
	} {
		if ident.Is("rp_", s) {
			t.Errorf("%q", s)
		}
	}
}

// Hashes are stored: what they were, they stay.
func TestHash(t *testing.T) {
	t.Parallel()
	const want = "d1654e23c468e928430fa8067d2dc235"
	if got := ident.Hash("wait", "user:anna", int64(7)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, other := range []string{ident.Hash("wait", "user:anna", int64(8)), ident.Hash("wait", "user:anna"), ident.Hash("waituser:anna", int64(7))} {
		if other == want {
			t.Error("two payloads have one hash")
		}
	}
}
