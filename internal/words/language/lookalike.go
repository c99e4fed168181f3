package language

import (
	"strings"
	"unicode"
)

// Skeleton returns the form that a folded word shares with all that look like it:
// "bооked" with two Cyrillic letters, "B00KED", "cancelIed", "ʙᴏᴏᴋᴇᴅ", "🅱🅾🅾🅺🅴🅳".
// It is for comparing skeletons only, and no word of any language.
func Skeleton(folded string) string {
	if !strings.ContainsFunc(folded, func(r rune) bool { return !unicode.IsDigit(r) }) {
		return folded
	}
	return strings.Map(lookalike, folded)
}

// lookalike returns the Latin letter that r is taken for, or r.
func lookalike(r rune) rune {
	switch {
	case unicode.IsMark(r):
		return -1
	case '🅐' <= r && r <= '🅩':
		return like('a' + r - '🅐')
	case '🅰' <= r && r <= '🆉':
		return like('a' + r - '🅰')
	case '🇦' <= r && r <= '🇿':
		return like('a' + r - '🇦')
	}
	return like(r)
}

// like is lookalike for single letters and digits.
func like(r rune) rune {
	switch r {
	case '4', '@', 'а', 'α', 'ɑ', 'ᴀ':
		return 'a'
	case '8', 'в', 'β', 'ʙ':
		return 'b'
	case 'с', 'ϲ', 'ᴄ':
		return 'c'
	case 'ԁ', 'đ', 'ᴅ', 'ɗ':
		return 'd'
	case '3', 'е', 'ε', 'є', 'ᴇ':
		return 'e'
	case 'ꜰ', 'ƒ':
		return 'f'
	case 'ɡ', 'ɢ':
		return 'g'
	case 'н', 'һ', 'հ', 'ʜ', 'ħ':
		return 'h'
	case '1', 'l', 'і', 'ι', 'ɪ', 'ł', 'ʟ':
		return 'i'
	case 'ј', 'ᴊ':
		return 'j'
	case 'к', 'κ', 'ᴋ':
		return 'k'
	case 'м', 'μ', 'ᴍ':
		return 'm'
	case 'ո', 'ɴ', 'η', 'ŋ':
		return 'n'
	case '0', 'о', 'ο', 'օ', 'ᴏ', 'ø':
		return 'o'
	case 'р', 'ρ', 'ᴘ':
		return 'p'
	case 'ԛ':
		return 'q'
	case 'ʀ':
		return 'r'
	case '5', '$', 'ѕ', 'ꜱ':
		return 's'
	case '7', 'т', 'τ', 'ᴛ', 'ŧ':
		return 't'
	case 'ս', 'υ', 'ᴜ':
		return 'u'
	case 'ν', 'ᴠ':
		return 'v'
	case 'ԝ', 'ω', 'ᴡ':
		return 'w'
	case 'х', 'χ':
		return 'x'
	case 'у', 'γ', 'ʏ':
		return 'y'
	case 'ζ', 'ᴢ':
		return 'z'
	}
	return r
}

// Blank reports whether r counts as a letter or symbol and shows as nothing.
func Blank(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return true
	}
	return false
}

// Undirected is a text without the overrides of directions, which show characters in another order than they stand in.
func Undirected(s string) string {
	return strings.Map(func(r rune) rune {
		if '\u202a' <= r && r <= '\u202e' {
			return -1
		}
		return r
	}, s)
}
