// Package rank finds texts by words. It scores how well a thing's texts, each with a weight, match what somebody asks
// for. The caller decides what makes two words alike.
package rank

import (
	"slices"
	"strings"
	"unicode"

	"merve/internal/words/language"
)

// MaxWords is how many words of a question count.
const MaxWords = 32

// Field is a thing's text of one kind: what it weighs, and its words.
type Field struct {
	Weight float64
	Words  []string
}

// Words are the words of a text, folded, sorted, each once.
func Words(texts ...string) []string {
	ws := strings.FieldsFunc(language.Fold(strings.Join(texts, " ")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(ws)
	return slices.Compact(ws)
}

// Asked are the words of a question.
func Asked(question string) []string {
	ws := Words(question)
	return ws[:min(len(ws), MaxWords)]
}

// Score adds up how well the words asked for are found, each in the field where it counts
// most, and says which share of them was found at all. Without words, everything is as good.
// alike is from 0 to 1.
func Score(fields []Field, asked []string, alike func(asked, word string) float64) (score, share float64) {
	if len(asked) == 0 {
		return 1, 1
	}
	found := 0
	for _, a := range asked {
		best := 0.0
		for _, f := range fields {
			for _, w := range f.Words {
				best = max(best, f.Weight*alike(a, w))
			}
		}
		if best > 0 {
			found++
		}
		score += best
	}
	share = float64(found) / float64(len(asked))
	return score * share, share
}
