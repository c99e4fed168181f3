package calc

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is: one of these, or the operator itself.
type kind rune

const (
	end    kind = -iota - 1
	number      // has a value
	name        // has a text: a function, of or mod
)

type token struct {
	kind kind
	at   int
	text string
	rat  *big.Rat
}

// signs are other spellings of operators.
var signs = map[rune]rune{
	'×': '*', '·': '*', '⋅': '*', '∗': '*', '✕': '*', '＊': '*', '÷': '/', '∕': '/', '⁄': '/', '／': '/', ':': '/',
	'−': '-', '–': '-', '﹣': '-', '－': '-', '＋': '+', '٪': '%', '％': '%', '（': '(', '）': ')', '[': '(', ']': ')', '；': ';',
}

// superscripts are exponents as people type them: 5² is 5^2.
var superscripts = map[rune]string{'²': "2", '³': "3"}

// scan takes an expression apart.
func scan(s string) ([]token, error) {
	var tokens []token
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size <= 1 {
			return nil, &Error{i, "not a text in UTF-8"}
		}
		if sign, ok := signs[r]; ok {
			r = sign
		}
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r): // direction marks come along when text is copied
			i += size
		case isDigit(r) || isPoint(r) && isDigit(runeAt(s, i+size)):
			rat, n, err := scanNumber(s, i)
			if err != nil {
				return nil, err
			}
			tokens, i = append(tokens, token{kind: number, at: i, rat: rat}), i+n
		case superscripts[r] != "":
			rat, _ := new(big.Rat).SetString(superscripts[r])
			tokens, i = append(tokens, token{kind: '^', at: i}, token{kind: number, at: i, rat: rat}), i+size
		case strings.HasPrefix(s[i:], "**"):
			tokens, i = append(tokens, token{kind: '^', at: i}), i+2
		case strings.ContainsRune("+-*/^%();,", r):
			tokens, i = append(tokens, token{kind: kind(r), at: i}), i+size
		case r == '√':
			tokens, i = append(tokens, token{kind: name, at: i, text: "sqrt"}), i+size
		case unicode.IsLetter(r):
			n := strings.IndexFunc(s[i:], func(r rune) bool { return !unicode.IsLetter(r) })
			if n < 0 {
				n = len(s) - i
			}
			tokens, i = append(tokens, token{kind: name, at: i, text: strings.ToLower(s[i : i+n])}), i+n
		default:
			return nil, &Error{i, fmt.Sprintf("%q means nothing here", r)}
		}
	}
	return append(tokens, token{kind: end, at: len(s)}), nil
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[min(i, len(s)):])
	return r
}

func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) }

func isPoint(r rune) bool { return r == '.' || r == ',' || r == '٫' }
