package llm

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/pattern"
)

// kind is what a tag marks, as its name says.
type kind int

const (
	plainTag kind = iota
	thought
	call
	answer
)

var (
	thoughtName = pattern.New(`(?i)think|thought|reasoning|reflection|scratch_?pad|monolog|rationale|analysis|deliberat|^cot$`)
	callName    = pattern.New(`(?i)tool|function|invoke`)
	answerName  = pattern.New(`(?i)^(?:final|answer|response|reply|output|message)(?:[_-]\w+)?$`)
	callToken   = pattern.New(`(?i)tool|function|python|plugin|action`)
	endToken    = pattern.New(`(?i)^(?:end|stop|close)|(?:end|stop|close)$`)
	htmlName    = pattern.New(`(?i)^(?:a|abbr|b|blockquote|body|br|center|code|data|del|details|div|em|font|h[1-6]|head|hr|html|` +
		`i|img|ins|kbd|li|mark|ol|p|pre|q|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)$`)

	angleTag  = pattern.New(`^(?:<|&lt;)\s*(/?)\s*(\pL[\pL\pN_.:▁-]*)(?:=[^\s<>]*)?(?:\s[^<>]*?)?(/?)\s*(?:>|&gt;)$`)
	tokenTag  = pattern.New(`^<[|｜]?(/?)([^|｜<>\s]+)[|｜]?>$`)
	squareTag = pattern.New(`^\[(/?)([A-Z][A-Z_]+)\]$`)
	kimiTag   = pattern.New(`^◁(/?)(\pL+)▷$`)
)

// maxTag is the most bytes of a tag that opens.
const maxTag = 120

// tag is a name in brackets.
type tag struct {
	text          string
	name          string
	closes, empty bool
	token         bool
	square        bool
}

// readTag reads the tag at the beginning of text.
func readTag(text string, last bool) (t tag, ok, wait bool) {
	end := map[byte]string{'<': ">", '&': "&gt;", '[': "]"}[text[0]]
	if end == "" {
		end = "▷"
	}
	if text[0] == '&' && !strings.HasPrefix(text, "&lt;") {
		return t, false, !last && strings.HasPrefix("&lt;", text)
	}
	if inner := strings.TrimLeft(text[1:], " "); text[0] == '<' && inner != "" && !mayBegin(inner) {
		return t, false, false
	}
	window := text[:min(len(text), maxTag)]
	n := strings.Index(window, end)
	if broken := strings.IndexAny(window[1:], "<\n"); n < 0 || broken >= 0 && broken+1 < n {
		return t, false, n < 0 && broken < 0 && len(text) < maxTag && !last
	}
	t.text = text[:n+len(end)]
	if m := angleTag.Regexp().FindStringSubmatch(t.text); m != nil {
		t.closes, t.name, t.empty = m[1] != "", m[2], m[3] != ""
		return t, true, false
	}
	if m := tokenTag.Regexp().FindStringSubmatch(t.text); m != nil && strings.ContainsAny(t.text, "|｜") {
		t.closes, t.name, t.token = m[1] != "" || endToken.MatchString(m[2]), m[2], true
		return t, true, false
	}
	if m := squareTag.Regexp().FindStringSubmatch(t.text); m != nil {
		t.closes, t.name, t.square = m[1] != "", m[2], true
		return t, thoughtName.MatchString(t.name) || callName.MatchString(t.name), false
	}
	if m := kimiTag.Regexp().FindStringSubmatch(t.text); m != nil {
		t.closes, t.name = m[1] != "", m[2]
		return t, thoughtName.MatchString(t.name), false
	}
	return t, false, false
}

// mayBegin reports whether a tag's name, or the beginning of one, may stand here.
func mayBegin(inner string) bool {
	r, _ := utf8.DecodeRuneInString(inner)
	return r == '/' || r == '|' || r == '｜' || unicode.IsLetter(r) || !utf8.FullRuneInString(inner)
}

func (t tag) kind() kind {
	switch {
	case thoughtName.MatchString(t.name):
		return thought
	case t.token && callToken.MatchString(t.name), callName.MatchString(t.name):
		return call
	case answerName.MatchString(t.name):
		return answer
	}
	return plainTag
}

// ends matches the tags that close what t opens, and those that open one more of it.
func (t tag) ends() *regexp.Regexp {
	name := regexp.QuoteMeta(t.name)
	switch {
	case t.token && t.kind() == call, t.square && t.kind() == call:
		return nil // calls come last
	case t.token:
		return thoughtEnd.Regexp()
	case t.square:
		return regexp.MustCompile(`\[(/?)` + name + `\]`)
	case strings.HasPrefix(t.text, "◁"):
		return regexp.MustCompile(`◁(/?)` + name + `▷`)
	}
	return regexp.MustCompile(`(?i)(?:<|&lt;)\s{0,3}(/?)\s{0,3}` + name + `(?:[\s=][^<>]{0,60})?(?:>|&gt;)`)
}
