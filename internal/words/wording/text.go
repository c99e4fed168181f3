package wording

import (
	"fmt"
	"slices"
	"strings"
)

// A piece is a run of plain text or, when name is set, a variable.
type piece struct{ plain, name string }

// A text is a parsed catalogue entry: lines, made of segments between " · ".
type text [][]segment

type segment []piece

const separator = " · "

func parseText(s string) (text, error) {
	var t text
	for line := range strings.SplitSeq(s, "\n") {
		var segments []segment
		for part := range strings.SplitSeq(line, separator) {
			pieces, err := parsePieces(part)
			if err != nil {
				return nil, err
			}
			segments = append(segments, pieces)
		}
		t = append(t, segments)
	}
	return t, nil
}

// render writes t with the values of its variables, leaving out the parts that
// have variables and nothing to show.
func (t text) render(value func(string) string) string {
	var lines []string
	for i, segments := range t {
		var shown []string
		for _, s := range segments {
			if len(segments) == 1 && i == 0 || !s.empty(value) {
				shown = append(shown, s.render(value))
			}
		}
		if len(shown) > 0 {
			lines = append(lines, strings.Join(shown, separator))
		}
	}
	return strings.Join(lines, "\n")
}

// naming are the parts of t that show one of the values in some.
func (t text) naming(some Vars) text {
	var parts text
	for _, segments := range t {
		segments = slices.DeleteFunc(slices.Clone(segments), func(s segment) bool {
			return !slices.ContainsFunc(s, func(p piece) bool { return some[p.name] != "" })
		})
		if len(segments) > 0 {
			parts = append(parts, segments)
		}
	}
	return parts
}

// empty reports whether s has variables and all of them are empty.
func (s segment) empty(value func(string) string) bool {
	vars := 0
	for _, p := range s {
		if p.name == "" {
			continue
		}
		if value(p.name) != "" {
			return false
		}
		vars++
	}
	return vars > 0
}

func (s segment) render(value func(string) string) string {
	var b strings.Builder
	for _, p := range s {
		if p.name != "" {
			b.WriteString(value(p.name))
		} else {
			b.WriteString(p.plain)
		}
	}
	return b.String()
}

// variables returns the names of t's variables, each once, in order.
func (t text) variables() []string {
	var names []string
	seen := make(map[string]bool)
	for _, line := range t {
		for _, s := range line {
			for _, p := range s {
				if p.name != "" && !seen[p.name] {
					seen[p.name] = true
					names = append(names, p.name)
				}
			}
		}
	}
	return names
}

// parsePieces splits s at its variables. When a brace is out of place it returns an
// error that shows where, and pieces in which that brace stands for itself.
func parsePieces(s string) (pieces []piece, err error) {
	var plain strings.Builder
	misplaced := func(at int) {
		if err == nil {
			err = fmt.Errorf("brace out of place at %q: write {name} for a variable, {{ or }} for a brace", excerpt(s[at:]))
		}
		plain.WriteByte(s[at])
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '{' && s[i] != '}':
			plain.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == s[i]:
			plain.WriteByte(s[i])
			i++
		case s[i] == '}':
			misplaced(i)
		default:
			name, ok := variableName(s[i+1:])
			if !ok {
				misplaced(i)
				continue
			}
			if plain.Len() > 0 {
				pieces = append(pieces, piece{plain: plain.String()})
				plain.Reset()
			}
			pieces = append(pieces, piece{name: name})
			i += len(name) + 1
		}
	}
	if plain.Len() > 0 {
		pieces = append(pieces, piece{plain: plain.String()})
	}
	return pieces, err
}

// variableName returns the name that s begins with, up to its closing brace.
func variableName(s string) (string, bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '}':
			return s[:i], i > 0
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return "", false
		}
	}
	return "", false
}

// excerpt is enough of s to find the place, for an error message.
func excerpt(s string) string {
	const most = 20
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}
