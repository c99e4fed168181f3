package minilm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Special tokens of BERT. Where a text holds their names, they are words like others.
const (
	unknown = "[UNK]"
	begins  = "[CLS]"
	ends    = "[SEP]"
)

// maxWord is how many characters a word may have that is cut into pieces.
const maxWord = 100

// vocabulary is the pieces that words are made of. Those that do not begin a word start with ##.
type vocabulary struct {
	ids                   map[string]int
	unknown, begins, ends int
	longest               int // bytes of the longest piece
}

// readVocabulary reads one piece a line, whose id is the number of the line.
func readVocabulary(text string) (vocabulary, error) {
	v := vocabulary{ids: map[string]int{}}
	for i, piece := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		piece = strings.TrimSuffix(piece, "\r")
		if _, twice := v.ids[piece]; twice {
			return vocabulary{}, fmt.Errorf("line %d: %q stands there twice", i+1, piece)
		}
		v.ids[piece] = i
		v.longest = max(v.longest, len(piece))
	}
	for name, id := range map[string]*int{unknown: &v.unknown, begins: &v.begins, ends: &v.ends} {
		var known bool
		if *id, known = v.ids[name]; !known {
			return vocabulary{}, fmt.Errorf("there is no %s", name)
		}
	}
	return v, nil
}

// tokens are the ids of a text, at most so many.
func (v vocabulary) tokens(text string, most int) []int {
	ids := []int{v.begins}
	for _, word := range words(text) {
		ids = v.pieces(ids, word)
		if len(ids) >= most-1 {
			ids = ids[:most-1]
			break
		}
	}
	return append(ids, v.ends)
}

// pieces appends a word's ids: each time the longest piece that fits. A word that cannot be put together is
// unknown as a whole.
func (v vocabulary) pieces(ids []int, word string) []int {
	if utf8.RuneCountInString(word) > maxWord {
		return append(ids, v.unknown)
	}
	before, prefix := len(ids), ""
	for word != "" {
		id, size := v.longestPiece(prefix, word)
		if size == 0 {
			return append(ids[:before], v.unknown)
		}
		ids, word, prefix = append(ids, id), word[size:], "##"
	}
	return ids
}

// longestPiece is the longest piece with which the word begins, and how many of its bytes it takes: 0 if none.
func (v vocabulary) longestPiece(prefix, word string) (id, size int) {
	for size := min(len(word), v.longest); size > 0; size-- {
		if size < len(word) && !utf8.RuneStart(word[size]) {
			continue
		}
		if id, known := v.ids[prefix+word[:size]]; known {
			return id, size
		}
	}
	return 0, 0
}

// words splits a text as BERT's uncased tokenizers do: in small letters, without accents, at spaces, with
// punctuation and Chinese characters as words of their own.
func words(text string) []string {
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case r == utf8.RuneError, r != '\t' && r != '\n' && r != '\r' && unicode.Is(unicode.C, r), unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case isPunctuation(r), isChinese(r):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
			b.WriteByte(' ')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return strings.Fields(b.String())
}

// isPunctuation counts all of ASCII that is neither letter nor digit, "$" and "+" too.
func isPunctuation(r rune) bool {
	return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~' || unicode.IsPunct(r)
}

func isChinese(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF || 0x20000 <= r && r <= 0x2A6DF || 0x2A700 <= r && r <= 0x2B73F ||
		0x2B740 <= r && r <= 0x2B81F || 0x2B820 <= r && r <= 0x2CEAF || 0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
}
