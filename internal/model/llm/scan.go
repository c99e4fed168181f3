package llm

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/pattern"
)

// scanner tells what a model says from the machinery around it, while the text comes in pieces: thoughts, calls
// written as text, and the tokens of its template.
//
// What counts is the form. A tag is a name in brackets: <name>, </name>, [NAME], ◁name▷, <|name|>. A thought is what
// stands
//   - between the tags of an element whose name says so ("inner_thoughts", "THINK"),
//   - after such a tag that never closes, and before one that never opened,
//   - in a channel that is not the final one,
//   - in an element of any name at the very beginning, unless HTML has that element or
//     no text follows it.
//
// A call is an element or token whose name says so, a channel with a recipient, JSON in the form of a call, or a
// tool's name with arguments at the beginning. Tags in code or right behind a quotation mark are only spoken of, and
// stay.
type scanner struct {
	tools []string // names that a call may have

	hold    string   // came in and is not decided yet
	retry   int      // JSON at the beginning of hold is not read again before hold is so long
	open    *element // the machinery that stands open
	wrapped bool     // a tag such as <answer> was left out, and so will be its end
	fenced  bool     // the fence that closes was opened around a call

	text  []byte // what the model says
	space string // white space behind it, that is said with what follows
	gap   bool   // machinery stood here: white space around it counts once
	given int    // bytes of text that are out
	lead  string // white space before the text
	began bool   // something came in
	code  codeState

	mentioned map[string]int // opening tags that were only spoken of, by name
	aside     *element       // the element at the very beginning
	calls     []string       // calls as they were written
	takenBack bool           // what was out proved to be a thought
}

// element is machinery that stands open.
type element struct {
	kind  kind
	head  string // what opened it
	name  string
	ends  *regexp.Regexp // group 1, where it takes part, is empty for one more that opens; nil is the end of the text
	keeps bool           // what ends it is not part of it
	depth int
	body  strings.Builder
}

var (
	thoughtEnd = pattern.New(`(?i)<[|｜](?:/[^|｜<>\s]{1,40}|(?:end|stop|close)[^|｜<>\s]{0,40}|[^|｜<>\s]{0,40}(?:end|stop|close))[|｜]>`)
	channelEnd = pattern.New(`<\|(?:end|return|call|start|channel)\|>`)
	asideEnd   = pattern.New(`<channel\|>`)
	fenceStart = pattern.New("^```[\\w-]{0,20}\\s{0,20}")
	arguments  = pattern.New(`^\s*(?:\{|\(\s*(?:\{|\)|\w+\s*=))`)
)

const (
	maxEnd    = 512 // bytes of a tag that closes, more than any of the expressions takes
	maxHeader = 400 // bytes of a channel's header
	maxLook   = 60  // bytes behind a tool's name that tell whether it is called

	quotes     = "\"'`“”„«»‘’‚‹›「」『』" // all of them
	openQuotes = "“„«‘‚‹「『"           // those that only open
)

// write adds a piece.
func (s *scanner) write(piece string) {
	s.hold += piece
	s.began = true
	s.advance(false)
}

// end decides about the text that is still undecided.
func (s *scanner) end() {
	s.advance(true)
	if e := s.open; e != nil && e.kind == plainTag { // never closed, so no element
		s.open, s.aside = nil, e
		s.say(e.head)
		s.again(e)
	} else if len(s.text) == 0 && len(s.calls) == 0 && s.aside != nil { // nothing followed it: it was the answer
		s.again(s.aside)
	}
	if e := s.open; e != nil && e.kind == call {
		s.calls = append(s.calls, e.head+e.body.String())
	}
}

// again decides about what stood in the element at the beginning.
func (s *scanner) again(e *element) {
	s.hold = e.body.String()
	s.advance(true)
}

// fresh is what has been said since it was last asked for.
func (s *scanner) fresh() string {
	text := string(s.text[s.given:])
	s.given = len(s.text)
	return text
}

func (s *scanner) advance(last bool) {
	for s.hold != "" {
		if s.open != nil {
			if !s.inside(last) {
				return
			}
			continue
		}
		if len(s.text) == 0 {
			if n, wait := s.named(last); wait {
				return
			} else if n > 0 {
				s.enter(&element{kind: call}, n)
				continue
			}
		}
		i := strings.IndexAny(s.hold, "<&[{◁`")
		if i < 0 {
			i = len(s.hold)
			if !last {
				i = wholeRunes(s.hold)
			}
			s.say(s.hold[:i])
			s.hold = s.hold[i:]
			return
		}
		s.say(s.hold[:i])
		s.hold = s.hold[i:]
		if !s.mark(last) {
			return
		}
	}
}

// wholeRunes is the length of s without a character that is cut off at its end.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}

// named finds a tool's name with arguments at the beginning of all that is said.
func (s *scanner) named(last bool) (n int, wait bool) {
	text := strings.TrimLeftFunc(s.hold, unicode.IsSpace)
	for _, tool := range s.tools {
		rest, whole := strings.CutPrefix(text, tool)
		switch {
		case !whole:
			wait = wait || strings.HasPrefix(tool, text)
		case arguments.MatchString(rest[:min(len(rest), maxLook)]):
			return len(s.hold) - len(text) + len(tool), false
		default:
			wait = wait || len(rest) < maxLook && strings.TrimLeft(rest, "( \t\n_=0123456789abcdefghijklmnopqrstuvwxyz") == ""
		}
	}
	return 0, wait && !last
}

// mark decides about the mark at the beginning of hold. It reports false where more has to
// come in first.
func (s *scanner) mark(last bool) bool {
	switch s.hold[0] {
	case '`':
		return s.fence(last)
	case '{':
		return s.object(0, last)
	case '[':
		if next, known := s.nextIn(1, last); !known {
			return false
		} else if next == '{' {
			return s.object(0, last)
		}
	}
	t, ok, wait := readTag(s.hold, last)
	switch {
	case wait:
		return false
	case !ok:
		_, n := utf8.DecodeRuneInString(s.hold)
		s.literal(n)
		return true
	}
	return s.tag(t, last)
}

// tag decides about a tag at the beginning of hold.
func (s *scanner) tag(t tag, last bool) bool {
	name := strings.ToLower(t.name)
	switch k := t.kind(); {
	case t.token && k == plainTag, t.token && k == answer:
		return s.token(t, last)
	case k == thought && t.closes:
		return s.closed(t, last)
	case (k == thought || k == call) && s.code.spokenOf():
		if s.mentioned == nil {
			s.mentioned = map[string]int{}
		}
		s.mentioned[name]++
		s.literal(len(t.text))
	case k == thought && !t.empty:
		s.enter(&element{kind: thought, name: name, ends: t.ends()}, len(t.text))
	case k == call && t.closes && s.mentioned[name] > 0:
		s.mentioned[name]--
		s.literal(len(t.text))
	case k == call && !t.closes && !t.empty:
		s.enter(&element{kind: call, head: t.text, name: name, ends: t.ends()}, len(t.text))
	case k == thought, k == call:
		s.drop(len(t.text))
	case k == answer && (len(s.text) == 0 && !t.closes || s.wrapped && t.closes):
		s.wrapped = !t.closes
		s.drop(len(t.text))
	case len(s.text) == 0 && s.aside == nil && !t.closes && !t.empty && !htmlName.MatchString(t.name):
		s.enter(&element{kind: plainTag, head: t.text, name: name, ends: t.ends()}, len(t.text))
	default:
		s.literal(len(t.text))
	}
	return true
}

// closed decides about a tag that ends a thought which never began: then all that stands
// before it was one.
func (s *scanner) closed(t tag, last bool) bool {
	name := strings.ToLower(t.name)
	next, known := s.after(len(t.text), last)
	switch {
	case !known:
		return false
	case s.mentioned[name] > 0:
		s.mentioned[name]--
		s.literal(len(t.text))
	case s.code.quoted() && strings.ContainsRune(quotes, next):
		s.literal(len(t.text))
	default:
		s.takeBack()
		s.drop(len(t.text))
	}
	return true
}

// after is the character at n in hold, 0 at the end of the text.
func (s *scanner) after(n int, last bool) (r rune, known bool) {
	if rest := s.hold[n:]; utf8.FullRuneInString(rest) {
		r, _ = utf8.DecodeRuneInString(rest)
		return r, true
	}
	return 0, last
}

// takeBack makes all that was said so far a thought.
func (s *scanner) takeBack() {
	if s.given > 0 {
		s.takenBack = true
		return
	}
	s.text, s.space, s.lead, s.calls, s.aside, s.code = nil, "", "", nil, nil, codeState{}
}

// token decides about a token of the template's, such as <|channel|>, whose header names
// the channel that follows.
func (s *scanner) token(t tag, last bool) bool {
	name := strings.ToLower(t.name)
	switch {
	case name == "channel" && t.text == "<|channel>": // Gemma's: the name, the thought, <channel|>
		s.enter(&element{kind: thought, ends: asideEnd.Regexp()}, len(t.text))
		return true
	case name == "channel" && t.text == "<channel|>":
		s.takeBack()
		fallthrough
	case name != "channel" && name != "start":
		s.drop(len(t.text))
		return true
	}
	rest := s.hold[len(t.text):]
	window := rest[:min(len(rest), maxHeader)]
	header, _, found := strings.Cut(window, "<|message|>")
	if !found && len(rest) < maxHeader && !last {
		return false
	}
	n := len(t.text)
	if found {
		n += len(header) + len("<|message|>")
	}
	_, channel, named := strings.Cut(header, "<|channel|>")
	if !named {
		channel = header
	}
	switch {
	case found && strings.Contains(header, "to="):
		s.enter(&element{kind: call, head: header + " ", ends: channelEnd.Regexp(), keeps: true}, n)
	case found && strings.HasPrefix(strings.TrimSpace(channel), "final"):
		s.takeBack()
		s.drop(n)
	case name == "start" && !named:
		s.drop(n)
	default:
		s.enter(&element{kind: thought, ends: channelEnd.Regexp(), keeps: true}, n)
	}
	return true
}

// enter opens an element whose opening is the first n bytes of hold.
func (s *scanner) enter(e *element, n int) {
	if e.head == "" && e.kind == call {
		e.head = s.hold[:n]
	}
	s.hold = s.hold[n:]
	s.open, s.gap = e, true
}

// inside looks for the end of the element that stands open. It reports false where more
// has to come in first.
func (s *scanner) inside(last bool) bool {
	e := s.open
	if e.ends == nil {
		e.body.WriteString(s.hold)
		s.hold = ""
		return false
	}
	from := 0
	for _, m := range e.ends.FindAllStringSubmatchIndex(s.hold, -1) {
		next, known := s.after(m[1], last)
		if !known {
			break
		}
		prev, _ := utf8.DecodeLastRuneInString(s.hold[:m[0]])
		switch opens := len(m) > 2 && m[2] == m[3]; {
		case strings.ContainsRune(quotes, prev) && strings.ContainsRune(quotes, next): // only spoken of
			from = m[1]
			continue
		case opens:
			e.depth++
			from = m[1]
			continue
		case e.depth > 0:
			e.depth--
			from = m[1]
			continue
		}
		e.body.WriteString(s.hold[:m[0]])
		n := m[1]
		if e.keeps {
			n = m[0]
		}
		s.hold = s.hold[n:]
		s.leave()
		return true
	}
	keep := 0
	if !last {
		keep = min(len(s.hold)-from, maxEnd)
	}
	e.body.WriteString(s.hold[:len(s.hold)-keep])
	s.hold = s.hold[len(s.hold)-keep:]
	return false
}

func (s *scanner) leave() {
	e := s.open
	s.open = nil
	switch e.kind {
	case call:
		s.calls = append(s.calls, e.head+e.body.String())
	case plainTag:
		s.aside = e
	}
}

// fence decides about a code block at the beginning of hold: around a call it belongs to it.
func (s *scanner) fence(last bool) bool {
	n := len(fenceStart.Regexp().FindString(s.hold))
	switch {
	case s.fenced && strings.HasPrefix(s.hold, "```"):
		s.fenced = false
		s.drop(3)
	case n == 0 && !last && strings.HasPrefix("```", s.hold), n == len(s.hold) && !last:
		return false
	case n > 0 && n < len(s.hold) && !s.code.fence && (s.hold[n] == '{' || s.hold[n] == '['):
		return s.object(n, last)
	case n > 0 && n < len(s.hold) && !s.code.fence && s.hold[n] == '<':
		t, ok, wait := readTag(s.hold[n:], last)
		if wait {
			return false
		}
		if s.fenced = ok && t.kind() == call && !t.closes; s.fenced {
			s.drop(n)
			return true
		}
		s.literal(3)
	default:
		s.literal(1)
	}
	return true
}

// object decides about JSON at n in hold: a call is put aside, together with the n bytes
// before it, and anything else is said.
func (s *scanner) object(n int, last bool) bool {
	next, known := s.nextIn(n+1, last)
	switch {
	case !known, len(s.hold) < s.retry && !last:
		return false
	case s.hold[n] == '{' && next != '"', s.hold[n] == '[' && next != '{':
		s.literal(n + 1)
		return true
	}
	s.retry = 0
	d := json.NewDecoder(strings.NewReader(s.hold[n:]))
	var raw json.RawMessage
	err := d.Decode(&raw)
	size := n + int(d.InputOffset())
	switch {
	case err == nil && looksLikeCall(raw, s.tools):
		s.calls = append(s.calls, string(raw))
		s.fenced = n > 0
		s.drop(size)
	case err == nil:
		s.literal(size)
	case !isUnfinished(err):
		s.literal(n + 1)
	case !last:
		s.retry = 2 * len(s.hold) // so that reading it again and again stays cheap
		return false
	default: // half an object is nothing to say
		s.calls = append(s.calls, s.hold[n:])
		s.drop(len(s.hold))
	}
	return true
}

// isUnfinished reports whether JSON only lacks its end.
func isUnfinished(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// nextIn is the first character from n on in hold that is no white space, 0 at the end of the text.
func (s *scanner) nextIn(n int, last bool) (next byte, known bool) {
	rest := strings.TrimLeft(s.hold[n:], " \t\r\n")
	if rest == "" {
		return 0, last
	}
	return rest[0], true
}

// drop leaves the first n bytes of hold out.
func (s *scanner) drop(n int) {
	s.hold = s.hold[n:]
	s.gap = true
}

// literal says the first n bytes of hold as they are.
func (s *scanner) literal(n int) {
	s.say(s.hold[:n])
	s.hold = s.hold[n:]
}

// say adds to the text, without white space at its ends.
func (s *scanner) say(text string) {
	if text == "" {
		return
	}
	s.code.pass(text)
	if trimmed := strings.TrimLeftFunc(text, unicode.IsSpace); len(s.text) == 0 || s.gap && s.space != "" {
		if len(s.text) == 0 {
			s.lead += text[:len(text)-len(trimmed)]
		}
		text = trimmed
	}
	body := strings.TrimRightFunc(text, unicode.IsSpace)
	if body == "" {
		s.space += text
		return
	}
	s.text = append(append(s.text, s.space...), body...)
	s.space, s.gap, s.fenced = text[len(body):], false, false
}

// codeState tracks Markdown's code in the text said so far.
type codeState struct {
	last, before rune // the last two characters
	ticks        int  // in a row
	inline       bool
	fence        bool
}

func (c *codeState) pass(text string) {
	for _, r := range text {
		c.before, c.last = c.last, r
		switch {
		case r == '`':
			if c.ticks++; c.ticks == 3 {
				c.fence, c.inline = !c.fence, false
			} else if !c.fence {
				c.inline = !c.inline
			}
			continue
		case r == '\n':
			c.inline = false
		}
		c.ticks = 0
	}
}

// quoted reports whether the last character is a quotation mark.
func (c *codeState) quoted() bool { return c.last != 0 && strings.ContainsRune(quotes, c.last) }

// spokenOf reports whether a tag that stands here is only spoken of.
func (c *codeState) spokenOf() bool {
	opens := strings.ContainsRune(openQuotes, c.last) || c.quoted() && (c.before == 0 || c.before == '(' || unicode.IsSpace(c.before))
	return c.fence || c.inline || c.last != 0 && opens
}
