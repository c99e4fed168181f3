package standing

import (
	_ "embed"
	"encoding/json"
	"sync"

	"merve/internal/words/lang"
)

// Word names one of the sentences.
type Word string

// The sentences: three about a conversation, the others about an item.
const (
	Empty   Word = "nothing"
	Awaited Word = "waiting"
	More    Word = "more" // after a number of things

	Booked    Word = "booked"
	Unpaid    Word = "unpaid"
	Ordered   Word = "ordered"
	Requested Word = "requested"
	Reported  Word = "reported" // a report that nobody has resolved yet
	Accepted  Word = "accepted"
	Refused   Word = "refused"
	Cancelled Word = "cancelled"
	Expired   Word = "expired"
	Completed Word = "done"
)

// fallback is the language of the line where another is not known.
const fallback = "en"

//go:embed sentences.json
var sentenceFile []byte

// sentences are all sentences by language: the languages of package lang, and others that we use for nothing else. A
// test keeps the files readable.
var sentences = sync.OnceValue(func() map[string]map[Word]string {
	var all map[string]map[Word]string
	if json.Unmarshal(sentenceFile, &all) != nil {
		return nil
	}
	for tag, text := range lang.Standing().All() {
		var own map[Word]string
		if json.Unmarshal([]byte(text), &own) != nil {
			return nil
		}
		all[tag] = own
	}
	return all
})

// Say is a sentence in a language, in English where the language is not one of the thirty.
func Say(language string, w Word) string {
	if s := sentences()[language][w]; s != "" {
		return s
	}
	return sentences()[fallback][w]
}

// Described is an item in words: what it is, what has become of it, and its code.
func Described(language, summary string, w Word, code string) string {
	text := Say(language, w)
	if code != "" {
		text += ": " + isolated(language, code)
	}
	return summary + " · " + text
}

// rightToLeft reports whether a language is written from right to left.
func rightToLeft(language string) bool {
	return language == "he" || language == "ar" || language == "fa"
}

// isolated keeps Latin letters and digits together within a right-to-left text.
func isolated(language, s string) string {
	if !rightToLeft(language) {
		return s
	}
	return "\u2068" + s + "\u2069"
}
