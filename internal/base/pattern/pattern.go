// Package pattern has regular expressions that are compiled when they are first needed. Those
// with counts take a tenth of a millisecond and more, and of the dozens in the program each
// function uses a few, most of them not in its first answer.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Safe for concurrent use.
type Pattern struct {
	compile func() *regexp.Regexp
}

// New returns the pattern of an expression, which has to be right: a wrong one panics at its
// first use.
func New(expression string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString reports whether s contains a match.
func (p Pattern) MatchString(s string) bool { return p.compile().MatchString(s) }

// Regexp returns the compiled expression, for callers that need methods Pattern does not have.
func (p Pattern) Regexp() *regexp.Regexp { return p.compile() }
