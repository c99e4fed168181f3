package web

import (
	"bytes"
	"strings"

	"merve/internal/pattern"
)

var (
	sheetComment = pattern.New(`(?s)/\*.*?\*/`)
	indentation  = pattern.New(`\n\s+`)
	plainValue   = pattern.New(`="([A-Za-z0-9_-]+)"([\s>])`)
	sheetSpace   = pattern.New(`\s*([{};,>])\s*|(:) `)
)

// upright are properties by their shorter names, which mean the same where lines run across
// the page, as they do in every language of ours.
var upright = strings.NewReplacer(
	"inline-size", "width", "block-size", "height", "inset-block-start", "top", "inset-block-end", "bottom",
	"margin-block-start", "margin-top", "margin-block-end", "margin-bottom", "padding-block-start", "padding-top", "padding-block-end", "padding-bottom",
)

// leanSheet takes comments and the spaces that mean nothing out of a style sheet.
func leanSheet(source []byte) []byte {
	sheet := bytes.TrimSpace(sheetComment.Regexp().ReplaceAll(source, nil))
	sheet = bytes.ReplaceAll(sheetSpace.Regexp().ReplaceAll(sheet, []byte("$1$2")), []byte(";}"), []byte("}"))
	return []byte(upright.Replace(string(sheet)))
}

// leanPage takes the indentation out of a page, and the quotes from values that need none (HTML, unquoted
// attribute values).
func leanPage(source []byte) []byte {
	page := indentation.Regexp().ReplaceAll(source, []byte("\n"))
	return plainValue.Regexp().ReplaceAll(page, []byte("=$1$2"))
}

// leanScript takes comments and the spaces and last commas that mean nothing out of a script (ECMA-262 §12), and
// makes const, which guards against its writers only, let, and one of several in a row. It asks of the script that every
// statement ends with a semicolon or a brace, and none is empty.
func leanScript(source []byte) []byte {
	s := scanner{in: source, declared: map[int]bool{}}
	for len(s.in) > 0 {
		s.next()
	}
	return s.out
}

// A scanner has the rest of a script, and what it made of what came before.
type scanner struct {
	in, out  []byte
	depth    int          // of brackets
	declared map[int]bool // by depth: whether the statement there declares variables
}

// next takes one token, which goes to out as it is, or what stands between two.
func (s *scanner) next() {
	switch c := s.in[0]; {
	case bytes.HasPrefix(s.in, []byte("//")):
		s.skip(until(s.in, "\n"))
	case bytes.HasPrefix(s.in, []byte("/*")):
		s.skip(until(s.in, "*/") + 2)
	case c == ' ' || c == '\n' || c == '\t':
		s.space()
	case s.declares("const "), s.declares("let "):
		s.declare()
	default:
		if bytes.HasSuffix(s.out, []byte(";")) {
			s.declared[s.depth] = false // another statement begins
		}
		s.token(c)
	}
}

func (s *scanner) token(c byte) {
	switch {
	case c == '\'' || c == '"':
		s.keep(quoted(s.in, c))
	case c == '`':
		s.keep(template(s.in))
	case c == '/' && s.operand():
		s.keep(expression(s.in))
	default:
		switch {
		case c == '}' && bytes.HasSuffix(s.out, []byte(";")),
			(c == '}' || c == ']') && bytes.HasSuffix(s.out, []byte(",")) &&
				!bytes.HasSuffix(s.out, []byte("[,")) && !bytes.HasSuffix(s.out, []byte(",,")): // which are holes of an array
			s.out = s.out[:len(s.out)-1]
		}
		s.bracket(c)
		s.keep(1)
	}
}

func (s *scanner) declares(keyword string) bool {
	return bytes.HasPrefix(s.in, []byte(keyword)) && (len(s.out) == 0 || !word(s.out[len(s.out)-1]))
}

// declare begins a declaration, or goes on with the one that the statement before it is.
func (s *scanner) declare() {
	s.skip(bytes.IndexByte(s.in, ' '))
	before := bytes.TrimRight(s.out, "\n")
	begins := len(before) == 0 || strings.ContainsRune(";{}", rune(before[len(before)-1]))
	if begins && s.declared[s.depth] && bytes.HasSuffix(s.out, []byte(";")) {
		s.out[len(s.out)-1] = ','
		s.in = bytes.TrimLeft(s.in, " \n\t")
		return
	}
	s.out = append(s.out, "let"...)
	s.declared[s.depth] = begins
}

// bracket notes how deep what follows it stands.
func (s *scanner) bracket(c byte) {
	switch {
	case strings.IndexByte("([{", c) >= 0:
		s.depth++
		s.declared[s.depth] = false
	case strings.IndexByte(")]}", c) >= 0:
		s.depth--
	}
}

func (s *scanner) keep(n int) {
	s.out = append(s.out, s.in[:n]...)
	s.in = s.in[n:]
}

func (s *scanner) skip(n int) { s.in = s.in[min(n, len(s.in)):] }

// space leaves one space between words, and a line's end where the line could end a statement.
func (s *scanner) space() {
	rest := bytes.TrimLeft(s.in, " \n\t")
	line := bytes.IndexByte(s.in[:len(s.in)-len(rest)], '\n') >= 0
	s.in = rest
	if len(rest) == 0 || len(s.out) == 0 {
		return
	}
	before, after := s.out[len(s.out)-1], rest[0]
	switch {
	case line:
		if before != '\n' && !strings.ContainsRune(",([{};=&|?:", rune(before)) && !strings.ContainsRune(")]}.&|?:", rune(after)) {
			s.out = append(s.out, '\n')
		}
	case word(before) && word(after), before == after && (after == '+' || after == '-'):
		s.out = append(s.out, ' ')
	}
}

// operand reports whether a value may begin here, so that a slash begins a pattern.
func (s *scanner) operand() bool {
	before := bytes.TrimRight(s.out, " \n")
	return len(before) == 0 || bytes.HasSuffix(before, []byte("return")) || strings.ContainsRune("(,=:[!&|?{};>", rune(before[len(before)-1]))
}

func word(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// until is where end begins in in; without one, in's length.
func until(in []byte, end string) int {
	if i := bytes.Index(in, []byte(end)); i >= 0 {
		return i
	}
	return len(in)
}

// quoted is the length of the text that begins in.
func quoted(in []byte, quote byte) int {
	for i := 1; i < len(in); i++ {
		switch in[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(in)
}

// template is the length of the template that begins in, with all that is in its places.
func template(in []byte) int {
	for i := 1; i < len(in); i++ {
		switch {
		case in[i] == '\\':
			i++
		case in[i] == '`':
			return i + 1
		case bytes.HasPrefix(in[i:], []byte("${")):
			i += filled(in[i+2:]) + 1
		}
	}
	return len(in)
}

// filled is the length of the expression that begins in, up to the brace that ends it.
func filled(in []byte) int {
	for i, depth := 0, 0; i < len(in); i++ {
		switch c := in[i]; {
		case c == '\'' || c == '"':
			i += quoted(in[i:], c) - 1
		case c == '`':
			i += template(in[i:]) - 1
		case c == '{':
			depth++
		case c == '}':
			if depth == 0 {
				return i + 1
			}
			depth--
		}
	}
	return len(in)
}

// expression is the length of the regular expression that begins in, without its flags.
func expression(in []byte) int {
	for i, class := 1, false; i < len(in); i++ {
		switch c := in[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	return len(in)
}
