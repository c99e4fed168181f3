package ident

import "strings"

// Code is the form of the short codes of one kind of thing, which people read out and type.
// What is hashed to make one is up to the kind.
type Code struct {
	Alphabet string // ASCII letters and digits
	Length   int    // in characters
	Letter   bool   // every code has a letter, so that it is told from a number
	Digit    bool   // every code ends with a digit, so that it is told from a word
}

// Readable are the letters and digits that nobody mistakes for one another.
const Readable = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

// The codes of what people may name in one conversation. Where a business, a driver or a vendor may mean several kinds, it is
// the length that tells those apart.
var (
	Order   = Code{Alphabet: Readable, Length: 4}                                    // of 900,000 codes a business needs a few open at a time
	Ride    = Code{Alphabet: "CDFHJKMNPRTVWXY3479", Length: 4}                       // no vowels, neither 0 1 2 5 6 8 nor letters that look like them
	Talk    = Code{Alphabet: Readable, Length: 5, Letter: true, Digit: true}         // between a customer and a business
	Booking = Code{Alphabet: "23456789BCDFGHJKMNPQRSTVWXZ", Length: 6, Letter: true} // no vowels, so that it is no word
	Request = Code{Alphabet: Readable, Length: 7, Letter: true, Digit: true}         // to vendors, and each of its letters to one
	Link    = Code{Alphabet: "0123456789ABCDEFGHJKMNPQRSTVWXYZ", Length: 8}          // between two channels of a person: 40 bits, in Crockford's alphabet
)

const digits = "0123456789"

// Of spells a hash: a character for each of its first bytes. A digit at the end takes the byte after those.
func (c Code) Of(hash []byte) string {
	code := make([]byte, c.Length)
	for i := range code {
		code[i] = c.Alphabet[int(hash[i])%len(c.Alphabet)]
	}
	front := code
	if c.Digit {
		ends := c.digits()
		front, code[c.Length-1] = code[:c.Length-1], ends[int(hash[c.Length])%len(ends)]
	}
	if c.Letter && strings.Trim(string(front), digits) == "" {
		letters := strings.Trim(c.Alphabet, digits)
		code[0] = letters[int(hash[0])%len(letters)]
	}
	return string(code)
}

// Is reports whether s has the form of a code. One without a letter has it too, unless every code ends with a digit: codes of
// former releases have digits alone.
func (c Code) Is(s string) bool {
	if len(s) != c.Length || strings.Trim(s, c.Alphabet) != "" {
		return false
	}
	return !c.Digit || strings.Contains(c.digits(), s[c.Length-1:]) && (!c.Letter || strings.Trim(s, digits) != "")
}

// digits are those of the alphabet.
func (c Code) digits() string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(digits, r) {
			return r
		}
		return -1
	}, c.Alphabet)
}
