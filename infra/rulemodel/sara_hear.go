package rulemodel

import (
	"regexp"
	"strings"
	"unicode"

	"merve/internal/words/language"
)

// aim is what a customer of the damage desk wants of this turn.
type aim int

const (
	aimUnclear aim = iota
	aimGreet
	aimExplain
	aimAssist
	aimBow
	aimPerson
	aimLater
	aimTell // of damage: words, photos, that there is no photo
	aimMove // to another address
	aimList
	aimShare
	aimMend
	aimRemove
	aimCode // to link chats
	aimJoin // by a code
	aimPart
	aimErase // all that is kept of me
)

// section is a piece of the story, under the heading where it belongs.
type section struct{ name, content string }

// saying is what one message to the desk says, as well as rules can tell.
type saying struct {
	aim      aim
	text     string   // without marks
	folded   string   // the same, as cues are looked for
	photos   []string // that came with it
	lost     string   // why one could not be taken
	place    string   // the address that it names
	sections []section
	noPhotos bool
	damage   bool
	danger   bool
	fresh    bool // about none of the reports that there are
	no, yes  bool // and nothing else
	pick     int  // "number 2": from 1; -1 is the last; 0 none
	hours    int
	code     string
}

var (
	photoMark = regexp.MustCompile(`\[(photo:[0-9a-f/]{1,100})\]`)
	photoLost = regexp.MustCompile(`\[a photo that could not be taken: ([^\]\n]{0,200})\]`)
	linkCode  = regexp.MustCompile(`(?i)(?:^|\s)([0-9a-z]{4}-?[0-9a-z]{4})(?:$|[\s.,!?])`)
	sentences = regexp.MustCompile(`(?m)[^\n]+?(?:[.!?;؟]+(?:\s+|$)|$)`)
	clockTime = regexp.MustCompile(`\b\d{1,2}:\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b`)
)

// listen reads a message. asked is what was asked last: it tells what words without a cue are.
func (e ear) listen(text string, asked question) saying {
	s := saying{}
	for _, m := range photoMark.FindAllStringSubmatch(text, maxStrings) {
		s.photos = append(s.photos, m[1])
	}
	if m := photoLost.FindStringSubmatch(text); m != nil {
		s.lost = m[1]
	}
	s.text = strings.TrimSpace(photoLost.ReplaceAllString(photoMark.ReplaceAllString(text, ""), ""))
	s.text = language.Clip(s.text, maxContent)
	l := newLine(s.text)
	s.folded = l.whole
	s.yes, s.no = e.only("yes", s.folded), e.only("no", s.folded) && !e.hears("photo", s.folded)
	s.noPhotos = e.hears("no photo", s.folded) && e.hears("photo", s.folded)
	s.damage, s.danger = e.hears("damage", s.folded), e.hears("danger", s.folded)
	s.fresh = e.hears("new", s.folded) && (asked == deskAsksWhich || e.hears("report", s.folded) || e.only("new", s.folded) && len(s.photos) == 0)
	s.pick = pickOf(l)
	s.hours = e.hours(s.folded)
	if m := linkCode.FindStringSubmatch(s.text); m != nil && strings.ContainsAny(m[1], digits) {
		s.code = m[1]
	}
	s.place = e.place(s.text)
	s.sections = e.sections(s.text)
	s.aim = e.aim(s, asked)
	if listed := asked == deskAsksWhich || asked == deskAsksPlace; !listed && (s.aim == aimTell || s.aim == aimMove) {
		s.pick = 0 // "last night"
	}
	return s
}

// pickOf reads a choice from a list.
func pickOf(l *line) int {
	var h hearing
	if h.takePick(l); h.pick == 0 && loneNumber.MatchString(l.whole) {
		h.pick = number(l.whole)
	}
	return h.pick
}

// hours is for how long something is wanted; 0 where it is not said.
func (e ear) hours(folded string) int {
	for c, each := range map[string]int{"hours": 1, "days": 24, "weeks": 168} {
		if n, from, _ := e.finds(c, folded); from >= 0 {
			return max(number(n), 1) * each
		}
	}
	return 0
}

// aim tells what a message is for. Commands come first, then what answers the question,
// then what comes unasked.
func (e ear) aim(s saying, asked question) aim {
	if a := e.command(s, asked); a != aimUnclear {
		return a
	}
	if a := answering(s, asked); a != aimUnclear {
		return a
	}
	switch {
	case e.hears("address", s.folded) && !s.damage:
		return aimMove
	case len(s.photos) > 0, s.lost != "", s.noPhotos, s.damage, s.fresh, len(s.sections) > 0:
		return aimTell
	case e.hears("thanks", s.folded):
		return aimBow
	case e.hears("help", s.folded):
		return aimAssist
	case e.hears("hello", s.folded), s.folded == "":
		return aimGreet
	case s.no, e.hears("later", s.folded):
		return aimLater
	}
	return aimUnclear
}

// command tells what is asked for, in answer to whatever question. Where a customer tells
// something in their own words, commands have to name the report.
func (e ear) command(s saying, asked question) aim {
	names := e.hears("report", s.folded) || e.hears("it", s.folded)
	telling := asked == deskAsksWhat || asked == deskAsksWhen || asked == deskAsksWhere || asked == deskAsksAddress
	free := !telling || names
	brief := len(strings.Fields(s.folded)) <= 4
	switch {
	case e.hears("who", s.folded):
		return aimExplain
	case e.hears("remove", s.folded) && e.hears("my data", s.folded):
		return aimErase
	case e.hears("person", s.folded) && !s.damage && len(s.sections) == 0:
		return aimPerson
	case e.hears("part", s.folded):
		return aimPart
	case s.code != "" && (brief && !telling || e.hears("join", s.folded)):
		return aimJoin
	case e.hears("join", s.folded):
		return aimCode
	case free && e.hears("remove", s.folded) && (names || brief) && !e.hears("photo", s.folded):
		return aimRemove
	case free && e.hears("share", s.folded):
		return aimShare
	case free && e.hears("mended", s.folded) && !e.hears("not", s.folded) && !strings.ContainsAny(s.text, "?؟;"):
		return aimMend
	case free && !s.damage && !s.noPhotos && len(s.photos) == 0 && e.hears("status", s.folded):
		return aimList
	case brief && e.hears("later", s.folded):
		return aimLater
	}
	return aimUnclear
}

// answering tells what words without a cue are, by what was asked.
func answering(s saying, asked question) aim {
	content := s.folded != "" && !s.yes && !s.no
	switch {
	case asked == deskAsksPhotos && s.no, content && (asked == deskAsksWhat || asked == deskAsksWhen):
		return aimTell
	case asked == deskAsksWhere && content:
		return aimTell
	case content && (asked == deskAsksAddress || asked == deskAsksPlace):
		return aimMove
	}
	return aimUnclear
}

// sections sorts the story under the headings, sentence by sentence. Where there is
// anything of the damage in it, what fits none goes to the description.
func (e ear) sections(text string) []section {
	var out []section
	plain := ""
	for _, sentence := range sentences.FindAllString(text, maxStrings) {
		sentence = strings.TrimSpace(sentence)
		headings := e.headings(sentence)
		if len(headings) == 0 && sentence != "" {
			plain = strings.TrimSpace(plain + "\n" + sentence)
		}
		for _, name := range headings {
			out = file(out, section{name, sentence})
		}
	}
	if len(out) > 0 && plain != "" && e.hears("damage", newLine(text).whole) {
		out = file(out, section{"description", plain})
	}
	return out
}

// headings are where a sentence belongs.
func (e ear) headings(sentence string) []string {
	folded := newLine(sentence).whole
	var out []string
	for _, h := range []struct {
		cue  string
		name string
	}{{"damage", "description"}, {"cause", "cause"}, {"time", "occurredAt"}, {"danger", "safety"}, {"injury", "injuries"},
		{"insurer", "insurance"}, {"contact", "contact"}} {
		if e.hears(h.cue, folded) || h.cue == "time" && clockTime.MatchString(sentence) {
			out = append(out, h.name)
		}
	}
	return out
}

// file adds a section to those that there are, or what it says to the one of its name.
func file(all []section, s section) []section {
	for i, have := range all {
		if have.name == s.name {
			all[i].content = joined(have.content, s.content)
			return all
		}
	}
	return append(all, s)
}

// joined adds to what was told what it does not say yet.
func joined(have, more string) string {
	if strings.Contains(have, more) {
		return have
	}
	return language.Clip(strings.TrimSpace(have+"\n"+more), maxContent)
}

// place finds the address in a message: a street with a number, behind a word such as "at".
func (e ear) place(text string) string {
	for _, sentence := range sentences.FindAllString(text, maxStrings) {
		words := strings.Fields(strings.Trim(sentence, " .!?;؟"))
		for k := range words {
			if !e.hears("street", newLine(words[k]).whole) {
				continue
			}
			if from := e.after("at", words[:k+1]); from >= 0 {
				if found := strings.Join(words[from:endOf(words, k)], " "); strings.ContainsAny(language.Fold(found), digits) {
					return strings.TrimRight(found, ",")
				}
			}
		}
	}
	return ""
}

// newPlace finds the address to which a report is to be moved.
func (e ear) newPlace(s saying) string {
	words := strings.Fields(s.text)
	from := e.after("address", words)
	if s.place != "" || from < 0 {
		return s.place
	}
	if rest := strings.Join(words[from:], " "); strings.ContainsAny(language.Fold(rest), digits) {
		return rest
	}
	return ""
}

// after returns the index of the word behind the last one that has the cue, -1 for none.
func (e ear) after(c string, words []string) int {
	for i := len(words) - 1; i > 0; i-- {
		if e.is(c, words[i-1:i]) || i > 1 && e.is(c, words[i-2:i]) {
			return i
		}
	}
	return -1
}

// is reports whether words are the cue and nothing else.
func (e ear) is(c string, words []string) bool {
	folded := newLine(strings.Join(words, " ")).whole
	_, from, to := e.finds(c, folded)
	return from == 0 && to == len(folded)
}

// endOf returns where the address ends that has its street at words[k]: it goes on with
// numbers, names, and what a comma joins.
func endOf(words []string, k int) int {
	end := k + 1
	for end < len(words) {
		first := []rune(words[end])[0]
		if !unicode.IsDigit(first) && !unicode.IsUpper(first) && !strings.HasSuffix(words[end-1], ",") {
			break
		}
		end++
	}
	return end
}

// ear hears the cues of some languages.
type ear []map[string]*regexp.Regexp

// earFor hears a language, and English, whose words are everywhere.
func earFor(tag string) ear {
	all := lexica().desk
	if tag == "en" || all[tag] == nil {
		return ear{all["en"]}
	}
	return ear{all[tag], all["en"]}
}

// hears reports whether a folded text holds the cue.
func (e ear) hears(c string, folded string) bool {
	for _, patterns := range e {
		if patterns[c].MatchString(folded) {
			return true
		}
	}
	return false
}

// finds returns the first match of the cue in a folded text, with what goes before it: the
// number of a time, and where it begins and ends.
func (e ear) finds(c string, folded string) (number string, from, to int) {
	for _, patterns := range e {
		if m := patterns[c].FindStringSubmatchIndex(folded); m != nil {
			if len(m) > 2 && m[2] >= 0 {
				number = folded[m[2]:m[3]]
			}
			return number, m[0], m[1]
		}
	}
	return "", -1, -1
}

// only reports whether a folded text says this cue and hardly anything else.
func (e ear) only(c string, folded string) bool {
	_, from, to := e.finds(c, folded)
	return from >= 0 && len(strings.Fields(folded))-len(strings.Fields(folded[from:to])) <= 2
}
