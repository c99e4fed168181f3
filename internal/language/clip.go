package language

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

// Brief shortens s to at most max characters, and shows that it did.
func Brief(s string, max int) string {
	if short := Clip(s, max); short != s {
		return short + "…"
	}
	return s
}
