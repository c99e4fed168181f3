package rulemodel

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"merve/internal/words/language"
)

//go:embed words/*.txt
var wordFiles embed.FS

// tongues are the languages of words/, in the order in which their words are looked for.
var tongues = strings.Fields("en tr el ru he ar de es fr sw")

// voice holds the sentences of one language, by the names that words/ gives it.
type voice map[string]string

// named is something that is listened for, under its name in words/.
type named struct {
	name string
	re   *regexp.Regexp // for folded text
}

// lexicon is all that stands in words/.
type lexicon struct {
	said  map[string]map[string]voice          // by section and language
	asks  map[string][]question                // the names of questions, by section
	heard map[string][]named                   // by section, in all languages at once
	cues  map[string]*regexp.Regexp            // those of the section without a name
	desk  map[string]map[string]*regexp.Regexp // of the damage desk, by language and name
	words map[string][]string                  // folded, by section and name
	pairs map[string][][2]string               // words of a section, with what stands behind them
	lists map[string][][]string                // words in their order, by name, one list a language
}

var lexica = sync.OnceValue(func() *lexicon {
	x := &lexicon{said: map[string]map[string]voice{}, asks: map[string][]question{}, heard: map[string][]named{}, cues: map[string]*regexp.Regexp{},
		desk: map[string]map[string]*regexp.Regexp{}, words: map[string][]string{}, pairs: map[string][][2]string{}, lists: map[string][][]string{}}
	lists := map[string][]wordLine{} // by section, each name once
	for _, tag := range tongues {
		x.desk[tag] = map[string]*regexp.Regexp{}
		for _, l := range linesOf(tag) {
			kind, section, _ := strings.Cut(l.section, " ")
			switch {
			case kind == "say":
				x.say(section, tag, l)
			case kind == "list":
				x.lists[l.name] = append(x.lists[l.name], strings.Split(l.text, ", "))
			case kind == "words":
				if l.name == "telling" { // what language it is
					l.name += " " + tag
				}
				name := strings.TrimSpace(section + " " + l.name)
				x.words[name] = append(x.words[name], newLine(l.text).plain...)
				x.pairs[section] = append(x.pairs[section], [2]string{l.name, l.text})
			case section == "desk":
				x.desk[tag][l.name] = regexp.MustCompile(cuePattern(l.name, l.text))
			default:
				i := slices.IndexFunc(lists[section], func(o wordLine) bool { return o.name == l.name })
				if i < 0 {
					lists[section] = append(lists[section], l)
					continue
				}
				lists[section][i].text += "," + l.text
			}
		}
	}
	for section, all := range lists {
		for _, l := range all {
			re := regexp.MustCompile(cuePattern("", l.text))
			x.heard[section] = append(x.heard[section], named{l.name, re})
			if section == "" {
				x.cues[l.name] = re
			}
		}
	}
	return x
})

// say puts a sentence into the voices that say it.
func (x *lexicon) say(section, tag string, l wordLine) {
	name, isQuestion := strings.CutSuffix(l.name, "?")
	if q := question(name); isQuestion && !slices.Contains(x.asks[section], q) {
		x.asks[section] = append(x.asks[section], q)
	}
	into := []string{section}
	if speaker(section) == "market" {
		into = []string{"market", "office"} // whose own sentences take precedence
	}
	for _, s := range into {
		if x.said[s] == nil {
			x.said[s] = map[string]voice{}
		}
		if x.said[s][tag] == nil {
			x.said[s][tag] = voice{"tag": tag}
		}
		x.said[s][tag][name] = strings.ReplaceAll(l.text, `\n`, "\n")
	}
}

// speaker is whose voice says the sentences of a section.
func speaker(section string) string {
	if section == "booking" || section == "errand" {
		return "market"
	}
	return section
}

// wordLine is one line of words/.
type wordLine struct{ section, name, text string }

// linesOf reads the words of a language.
func linesOf(tag string) []wordLine {
	data, err := wordFiles.ReadFile("words/" + tag + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	var out []wordLine
	section := ""
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		switch {
		case text == "", text[0] == '#':
		case line[0] == ' ':
			out[len(out)-1].text += " " + text
		case text[0] == '[':
			section = strings.Trim(text, "[]")
		default:
			name, rest, _ := strings.Cut(text, ":")
			out = append(out, wordLine{section, name, strings.TrimSpace(rest)})
		}
	}
	return out
}

// voices are the voices of a section, by language: "market", "office", "desk", "call", "trade" or "plan".
func voices(section string) map[string]voice { return lexica().said[section] }

// voiceIn is the voice of a section in the first of some languages that it speaks, else in English.
func voiceIn(section string, tags ...string) voice {
	for _, tag := range tags {
		if v := voices(section)[tag]; v != nil {
			return v
		}
	}
	return voices(section)["en"]
}

// inAnyVoice reports whether something holds in one of the languages of the market.
func inAnyVoice(holds func(v voice) bool) bool {
	for _, v := range voices("market") {
		if holds(v) {
			return true
		}
	}
	return false
}

// heard reports whether a folded text holds a cue.
func heard(cue, folded string) bool { return cueOf(cue).MatchString(folded) }

// onlyHeard reports whether a folded text says a cue and hardly anything else.
func onlyHeard(cue, folded string) bool {
	m := cueOf(cue).FindString(folded)
	return m != "" && len(strings.Fields(folded))-len(strings.Fields(m)) <= 2
}

func cueOf(cue string) *regexp.Regexp { return lexica().cues[cue] }

// kindOf is the first thing of a section that a folded text names, and in what words; "" for none.
func kindOf(section, folded string) (name, words string) {
	for _, k := range lexica().heard[section] {
		if m := k.re.FindString(folded); m != "" {
			return k.name, strings.TrimSpace(m)
		}
	}
	return "", ""
}

// isWord reports whether a folded word is on one of some lists.
func isWord(plain string, lists ...string) bool {
	return slices.ContainsFunc(lists, func(list string) bool { return slices.Contains(lexica().words[list], plain) })
}

// placeIn is the place of a word in a list, 0 for other words.
func placeIn(list, word string) int {
	for _, words := range lexica().lists[list] {
		if i := slices.Index(words, word); i >= 0 {
			return i + 1
		}
	}
	return 0
}

// placeBeginning is the place of a word in a list, also by its first three letters.
func placeBeginning(list, word string) int {
	n := placeIn(list, word)
	for _, words := range lexica().lists[list] {
		if i := slices.IndexFunc(words, func(w string) bool { return len(word) >= 3 && strings.HasPrefix(w, word[:3]) }); i >= 0 && n == 0 {
			n = i + 1
		}
	}
	return n
}

// cuePattern matches the phrases of a list in folded text. Before hours, days and weeks it takes their number, too.
func cuePattern(name, list string) string {
	var phrases []string
	for phrase := range strings.SplitSeq(list, ",") {
		var words []string
		for word := range strings.FieldsSeq(phrase) {
			parts := strings.Split(word, "*")
			for i, part := range parts {
				parts[i] = regexp.QuoteMeta(language.Fold(part))
			}
			words = append(words, strings.Join(parts, `[^ ]*`))
		}
		phrases = append(phrases, strings.Join(words, " "))
	}
	pattern := `(?:` + strings.Join(phrases, "|") + `)(?: |$)`
	if name == "hours" || name == "days" || name == "weeks" {
		return `(?:^| )(\d{1,4}|` + numbers + `|an?) ?` + pattern
	}
	return `(?:^| )` + pattern
}
