package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuestionMarks are the question marks of all scripts, but the semicolon that Greek has for one: in other
// languages it asks nothing.
const QuestionMarks = "?؟？﹖︖¿⸮‽⁇⁈⁉❓❔՞፧⳺⳻꘏꛷𑅃᥅\u037e"

const (
	spaceless = "。！？．｡"     // end a sentence without white space behind them
	fullStops = ".!;…।॥۔։።" // do with it
)

// Sentences cuts a text into sentences, each with the white space that follows it, so that joined they are
// the text again. Lines end sentences.
func Sentences(text string) []string {
	var all []string
	runes, from := []rune(text), 0
	for i, r := range runes {
		end := i+1 == len(runes) || unicode.IsSpace(runes[i+1])
		switch {
		case r == '\n', strings.ContainsRune(spaceless, r), strings.ContainsRune(fullStops+QuestionMarks, r) && end:
			to := i + 1
			for r != '\n' && to < len(runes) && runes[to] == ' ' {
				to++
			}
			if to > from {
				all = append(all, string(runes[from:to]))
				from = to
			}
		}
	}
	if from < len(runes) {
		all = append(all, string(runes[from:]))
	}
	return all
}

// EndsSentence reports whether a text ends with a sentence. Quotes and brackets may close behind it.
func EndsSentence(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Pe, unicode.Pf) || r == '"' })
	last, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && strings.ContainsRune(spaceless+fullStops+QuestionMarks, last)
}
