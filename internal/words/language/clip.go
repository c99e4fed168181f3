package language

import (
	"strings"
	"unicode"
)

// Clip shortens s to at most max characters.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	if r := []rune(s); len(r) > max {
		return string(r[:max])
	}
	return s
}

// Brief shortens s to at most max characters. The last one is an ellipsis if anything was cut.
func Brief(s string, max int) string {
	if Clip(s, max) == s {
		return s
	}
	return strings.TrimRightFunc(Clip(s, max-1), unicode.IsSpace) + "…"
}
