package gate

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// maxMessage bounds the bytes of a message that can be an answer or a keyword.
// Nobody needs more for a yes; longer messages are not read.
const maxMessage = 256

// kind says what a phrase does to the message it stands in. The phrases of a
// message together give the union of their kinds.
type kind uint16

const (
	yes         kind = 1 << iota // YES by itself
	no                           // NO by itself
	cancel                       // NO by itself; after a no, or to a cancellation, it may mean the opposite
	cancelAlone                  // the same, but alone it is a NO to a cancellation too
	besideYes                    // fits with a yes
	besideNo                     // fits with a no
	booking                      // names what is booked: with yes and besideYes to what makes a booking only, with cancel not to what keeps one
	polite                       // fits with both
	unclear                      // settles nothing, and nothing in the same message can
	stop                         // opts out
	start                        // opts in again
	unsays                       // directly after a NO and a pause, makes it no refusal
	pause                        // a comma, a full stop
	unknown                      // anything that is not in the word files

	cancels  = cancel | cancelAlone
	answers  = yes | no | cancels | besideYes | besideNo | booking | polite | unclear
	keywords = stop | start
	neutral  = polite | pause
)

// headings are the headings of the word files.
var headings = map[string]kind{
	"[yes]": yes, "[no]": no, "[cancel]": cancel, "[cancel booking]": cancel | booking, "[cancel alone]": cancelAlone,
	"[yes booking]": yes | booking, "[beside yes booking]": besideYes | booking,
	"[beside yes]": besideYes, "[beside no]": besideNo, "[polite]": polite, "[unclear]": unclear,
	"[unsays no]": unsays,
	"[stop]":      stop, "[start]": start,
}

// only reports whether k holds nothing but the kinds in allowed.
func (k kind) only(allowed kind) bool { return k&^allowed == 0 }

// has reports whether k holds one of the kinds in any.
func (k kind) has(any kind) bool { return k&any != 0 }

// vocabulary is the content of the word files, all languages together.
type vocabulary struct {
	kinds   map[string]kind // by phrase: its tokens, joined by spaces
	longest int             // tokens in the longest phrase
}

// read returns the union of the kinds of the phrases that text consists of. It looks for
// the given kinds only; everything else is unknown.
func (v vocabulary) read(text string, looked kind) kind {
	if len(text) > maxMessage {
		return unknown
	}
	return v.readTokens(tokenize(text), looked)
}

func (v vocabulary) readTokens(tokens []string, looked kind) kind {
	var all kind
	for before := pause; len(tokens) > 0; {
		k, length := v.longestPhrase(tokens, looked)
		// "no cancelar", "iptal istemiyorum": do not cancel.
		turned := k.has(cancels) && before.has(no) || k.has(no) && before.has(cancels)
		if turned || v.warned(tokens, length) {
			all |= unclear
		}
		all |= k
		before, tokens = k, tokens[length:]
	}
	return all
}

// longestPhrase returns the kind and the number of tokens of the longest phrase
// at the start of tokens.
func (v vocabulary) longestPhrase(tokens []string, looked kind) (kind, int) {
	for n := min(v.longest, len(tokens)); n > 0; n-- {
		if k := v.kinds[phrase(tokens[:n])] & (looked | pause); k != 0 {
			return k, n
		}
	}
	return unknown, 1
}

// warned reports whether an unclear phrase begins within the first length tokens
// and ends behind them: "claro que si sawa" must not be read as "claro que si" and "sawa".
func (v vocabulary) warned(tokens []string, length int) bool {
	for from := 1; from < length; from++ {
		for to := length + 1; to <= min(from+v.longest, len(tokens)); to++ {
			if v.kinds[phrase(tokens[from:to])].has(unclear) {
				return true
			}
		}
	}
	return false
}

// tokenize cuts text into folded words, pauses (",") and single signs. White space
// parts words, and so does a hyphen inside one ("opt-out"); any other hyphen is a sign.
func tokenize(text string) []string {
	var tokens []string
	runes := []rune(language.Fold(text))
	for i := 0; i < len(runes); {
		end := i + 1
		for inWord(runes[i]) && end < len(runes) && inWord(runes[end]) {
			end++
		}
		switch r := runes[i]; {
		case r == ' ':
		case r == '-' && i > 0 && end < len(runes) && inWord(runes[i-1]) && inWord(runes[end]):
		case !strings.ContainsRune(".,!¡،", r):
			tokens = append(tokens, string(runes[i:end]))
		case len(tokens) == 0 || tokens[len(tokens)-1] != ",":
			tokens = append(tokens, ",")
		}
		i = end
	}
	return tokens
}

// inWord reports whether r is part of a word. An apostrophe is, so that a
// quoted 'yes' is another word than yes.
func inWord(r rune) bool {
	return r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// phrase is the form in which tokens are looked up.
func phrase(tokens []string) string { return strings.Join(tokens, " ") }

// signsFile are answers in no language, such as a thumb.
//
//go:embed signs.txt
var signsFile string

// words is the vocabulary of all word files, read when first asked for.
var words = sync.OnceValues(func() (vocabulary, error) { return readWords(answerFiles()) })

// answerFiles are the word files by their names.
func answerFiles() map[string]string {
	files := map[string]string{"signs.txt": signsFile}
	for tag, text := range lang.Answers().All() {
		files[tag+".txt"] = text
	}
	return files
}

// entry is one phrase of a word file.
type entry struct {
	file   string
	line   int
	kind   kind
	phrase string
}

func (e entry) String() string { return fmt.Sprintf("%s:%d: %q", e.file, e.line, e.phrase) }

// readWords reads word files, whose form package lang describes in answers.md.
func readWords(files map[string]string) (vocabulary, error) {
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		inFile, err := readFile(name, files[name])
		if err != nil {
			return vocabulary{}, fmt.Errorf("read words: %w", err)
		}
		entries = append(entries, inFile...)
	}
	return newVocabulary(entries)
}

func readFile(name, text string) ([]entry, error) {
	var entries []entry
	var heading kind
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			if heading = headings[line]; heading == 0 {
				return nil, fmt.Errorf("%s:%d: no such heading: %s", name, n, line)
			}
		case heading == 0:
			return nil, fmt.Errorf("%s:%d: %q is under no heading", name, n, line)
		default:
			entries = append(entries, entry{name, n, heading, phrase(tokenize(line))})
		}
	}
	return entries, lines.Err()
}

// newVocabulary joins the entries of all files. A phrase may be listed again,
// as other languages share it, but never as another answer.
func newVocabulary(entries []entry) (vocabulary, error) {
	v := vocabulary{kinds: map[string]kind{",": pause}}
	first := make(map[string]entry, len(entries))
	for _, e := range append(entries, foreign(entries)...) {
		if e.kind.has(answers) {
			if f, ok := first[e.phrase]; ok && f.kind != e.kind {
				return vocabulary{}, fmt.Errorf("two answers for one phrase: %v and %v", f, e)
			}
			first[e.phrase] = e
		}
		v.kinds[e.phrase] |= e.kind
		v.longest = max(v.longest, 1+strings.Count(e.phrase, " "))
	}
	return v, nil
}

// foreign spells out the entries "word *": the word directly before each
// phrase that only other languages have.
func foreign(entries []entry) []entry {
	var out []entry
	for _, e := range entries {
		word, ok := strings.CutSuffix(e.phrase, " *")
		if !ok {
			continue
		}
		own := make(map[string]bool)
		for _, o := range entries {
			own[o.phrase] = own[o.phrase] || o.file == e.file
		}
		for other, isOwn := range own {
			if !isOwn && inWord([]rune(other)[0]) {
				out = append(out, entry{e.file, e.line, e.kind, word + " " + other})
			}
		}
	}
	return out
}
