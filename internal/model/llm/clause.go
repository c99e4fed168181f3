package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clauses cuts a text that comes in pieces where a speaker would pause: behind a sentence, a line, or a
// comma once enough was said. The clauses joined are the text.
type Clauses struct{ held string }

const (
	pauses    = ",;:،؛、，；：–—"
	shortest  = 24    // characters of a clause that ends with less than a sentence
	longest   = 240   // of one that ends between two words
	opens     = "{<[" // what opens here is one word until it closes
	closes    = "}>]"
	maxOpened = 120 // characters; what stays open longer was never going to close
)

// Add takes the next piece, and gives the clauses that are whole now. White space behind a clause begins
// the next one.
func (c *Clauses) Add(piece string) (whole []string) {
	c.held += piece
	for {
		end := clauseEnd(c.held)
		if end == 0 {
			return whole
		}
		whole = append(whole, c.held[:end])
		c.held = c.held[end:]
	}
}

// Rest returns what the text has left after its last whole clause.
func (c *Clauses) Rest() string {
	rest := c.held
	c.held = ""
	return rest
}

// clauseEnd is where the first whole clause of a text ends, 0 where none does. What ends it is known only by
// what follows: the point of "3.5" ends nothing.
func clauseEnd(text string) int {
	said, opened := 0, 0 // characters; where something opened, counted from 1
	for i, r := range text {
		said++
		switch {
		case strings.ContainsRune(opens, r):
			opened = said
		case strings.ContainsRune(closes, r):
			opened = 0
		}
		if opened > 0 && said-opened < maxOpened || strings.TrimSpace(text[:i]) == "" {
			continue
		}
		end := i + utf8.RuneLen(r)
		rest := strings.TrimLeft(text[end:], closers)
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\n':
			return i
		case rest == "":
			return 0 // more of it may come
		case unicode.Is(unicode.M, next):
			continue // it belongs to the sign before
		case strings.ContainsRune(enders, r) && (unicode.IsSpace(next) || strings.ContainsRune(spaceless, r)) && !isNumber(text[:i]):
			return len(text) - len(rest)
		case strings.ContainsRune(pauses, r) && unicode.IsSpace(next) && said >= shortest:
			return end
		case unicode.IsSpace(r) && said > longest:
			return i
		}
	}
	return 0
}
