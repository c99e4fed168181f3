package wording

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"merve/internal/base/fault"
)

// Word words a message by the first of templates that is not empty, else by the product's own text. The text is
// usable even with an error, except for the part that the error names.
func Word(lang string, fallback Key, vars Vars, templates ...string) (string, error) {
	for _, t := range templates {
		if t != "" {
			return Render(t, vars)
		}
	}
	return Say(lang, fallback, vars), nil
}

// Whole is [Word] for messages whose recipient must know everything. If a template leaves out something that the
// product's own text says of vars, Whole adds it at the end in the product's words.
func Whole(lang string, fallback Key, vars Vars, templates ...string) (string, error) {
	text, err := Word(lang, fallback, vars, templates...)
	i := slices.IndexFunc(templates, func(t string) bool { return t != "" })
	if i < 0 {
		return text, err
	}
	pieces, _ := parsePieces(templates[i]) // Render has said what is wrong with it
	var said []string
	for _, p := range pieces {
		said = append(said, p.name)
	}
	if left := Left(lang, fallback, vars, said...); left != "" {
		text += "\n" + left
	}
	return text, err
}

// Left is what the product's own text says of vars, without the parts whose variables were all said before. Names may
// be in snake_case.
func Left(lang string, key Key, vars Vars, said ...string) string {
	left := maps.Clone(vars)
	maps.DeleteFunc(left, func(name, _ string) bool {
		return slices.Contains(said, name) || slices.Contains(said, snakeCase(name))
	})
	return in(lang).about(key, vars, left)
}

// Render fills a message template of a market or a listing: {name} becomes the
// value of name, {{ and }} are braces. A variable called bookingCode may also be
// written {booking_code}. A variable without a value renders as nothing, and values
// are never expanded again.
//
// A brace out of place is an error that says where; the text is returned all the
// same, with that brace as it stands, because a message that is due is better sent
// than lost.
func Render(template string, vars Vars) (string, error) {
	pieces, err := parsePieces(template)
	if err != nil {
		err = fault.Field("template", "%v", err)
	}
	values := withSnakeCase(vars)
	rtl := startsRight(template)
	return segment(pieces).render(func(name string) string {
		return isolateLines(clean(values[name]), rtl)
	}), err
}

// Validate checks a template when it is saved: its braces are in place, and every
// variable is one of known or the snake_case form of one.
func Validate(template string, known []string) error {
	pieces, err := parsePieces(template)
	if err != nil {
		return fault.Field("template", "%v", err)
	}
	for _, p := range pieces {
		if p.name != "" && !isKnown(p.name, known) {
			return fault.Field("template", "unknown variable {%s}; known are {%s}",
				p.name, strings.Join(slices.Sorted(slices.Values(known)), "}, {"))
		}
	}
	return nil
}

func isKnown(name string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return name == k || name == snakeCase(k) })
}

// withSnakeCase adds the snake_case name of each variable, unless vars has one of its own.
func withSnakeCase(vars Vars) Vars {
	out := maps.Clone(vars)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if _, taken := out[snakeCase(name)]; !taken {
			out[snakeCase(name)] = vars[name]
		}
	}
	return out
}

// snakeCase turns bookingCode into booking_code and listingID into listing_id.
func snakeCase(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord reports whether the capital at i begins a word: after a small letter
// or digit, or as the last capital of an abbreviation (the T of IDText).
func startsWord(runes []rune, i int) bool {
	before := runes[i-1]
	if before == '_' {
		return false
	}
	return !unicode.IsUpper(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
