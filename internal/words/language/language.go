// Package language knows the languages that Merve speaks: their tags and
// names, which of them run from right to left, the form in which their words
// are compared ([Fold]), and which of them a text is probably written in ([Detect]).
//
// All of it is pure and deterministic, and safe on any input.
package language

import (
	"strings"

	"merve/internal/words/lang"
)

// Supported returns the tags of the supported languages, in the order shown to people, English first.
// The slice is the caller's own.
func Supported() []string {
	var tags []string
	for _, l := range lang.Languages() {
		tags = append(tags, l.Tag)
	}
	return tags
}

// Normalize returns the supported tag for a locale such as "tr-TR", "en_US.UTF-8" or "EL", and false if the language
// is not supported.
func Normalize(tag string) (string, bool) {
	base := strings.ToLower(strings.TrimSpace(tag))
	if i := strings.IndexAny(base, "-_.@"); i >= 0 {
		base = base[:i]
	}
	if base == "iw" { // the code of Hebrew until 1989, still sent by Java and Android
		base = "he"
	}
	for _, l := range lang.Languages() {
		if l.Tag == base {
			return base, true
		}
	}
	return "", false
}

// RTL reports whether the language is written from right to left.
func RTL(tag string) bool {
	base, _ := Normalize(tag)
	for _, l := range lang.Languages() {
		if l.Tag == base {
			return l.RightToLeft
		}
	}
	return false
}

// Name returns the English name of the language, as a prompt uses it, and "" if the language is not supported.
func Name(tag string) string {
	base, _ := Normalize(tag)
	for _, l := range lang.Languages() {
		if l.Tag == base {
			return l.Name
		}
	}
	return ""
}
