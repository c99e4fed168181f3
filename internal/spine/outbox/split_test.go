package outbox_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
	"merve/internal/spine/outbox"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		size int
		want []string
	}{
		{"fits", "hello", 10, []string{"hello"}},
		{"exactly", "0123456789", 10, []string{"0123456789"}},
		{"empty", " \n ", 10, nil},
		{"at a paragraph", "one two\n\nthree", 12, []string{"one two", "three"}},
		{"at a line rather than a word", "one two\nthree four", 13, []string{"one two", "three four"}},
		{"at a word", "one two three", 10, []string{"one two", "three"}},
		{"within a word", "onetwothree", 4, []string{"onet", "woth", "ree"}},
		{"a break too early is not taken", "a bcdefghijkl", 10, []string{"a bcdefghi", "jkl"}},
		{"any length", " one two three\n", 0, []string{"one two three"}},
		{"letters, not bytes", "şşşşş ğğğğğ", 6, []string{"şşşşş", "ğğğğğ"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, outbox.Split(tt.text, tt.size)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSplitLosesNothing(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aé字👋 \n"))).Draw(t, "text")
		size := rapid.IntRange(1, 20).Draw(t, "size")
		if problem := lost(text, size); problem != "" {
			t.Fatal(problem)
		}
	})
}

// FuzzSplit does so with any text.
func FuzzSplit(f *testing.F) {
	f.Add("one two\n\nthree", 8)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 || size > 5000 || !utf8.ValidString(text) {
			return
		}
		if problem := lost(text, size); problem != "" {
			t.Fatal(problem)
		}
	})
}

// lost says what is wrong with the pieces of a text: too long, or not all of it.
func lost(text string, size int) string {
	pieces := outbox.Split(text, size)
	for _, p := range pieces {
		if n := utf8.RuneCountInString(p); n == 0 || n > size || p != strings.TrimSpace(p) {
			return fmt.Sprintf("piece %q of %d characters, at most %d", p, n, size)
		}
	}
	if got, want := bare(strings.Join(pieces, "")), bare(text); got != want {
		return fmt.Sprintf("%q, want %q", got, want)
	}
	return ""
}

// bare is text without its white space.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
