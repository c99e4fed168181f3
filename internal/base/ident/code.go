package ident

import "strings"

// Code is the form of the short codes of one kind of thing, which people read out and type.
// What is hashed to make one is up to the kind.
type Code struct {
	Alphabet string // ASCII letters and digits
	Length   int    // in characters
	Letter   bool   // every code has a letter, so that it is told from a number
}

// Readable are the letters and digits that nobody mistakes for one another.
const Readable = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

const digits = "0123456789"

// Of spells a hash: a character for each of its first bytes.
func (c Code) Of(hash []byte) string {
	code := make([]byte, c.Length)
	for i := range code {
		code[i] = c.Alphabet[int(hash[i])%len(c.Alphabet)]
	}
	if c.Letter && strings.Trim(string(code), digits) == "" {
		letters := strings.Trim(c.Alphabet, digits)
		code[0] = letters[int(hash[0])%len(letters)]
	}
	return string(code)
}

// Is reports whether s has the length of a code and no character of another alphabet.
func (c Code) Is(s string) bool {
	return len(s) == c.Length && strings.Trim(s, c.Alphabet) == ""
}
