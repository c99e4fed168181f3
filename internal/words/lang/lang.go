// Package lang has all words of the languages that Merve speaks: a folder for each language, and in it a file for
// each use. A speaker of a language can add or correct it in one place.
//
//	language.json   its English name, its place in lists, and whether it runs from right to left
//	texts.json      our texts by key, as package wording knows them
//	standing.json   the words of the line that says what stands
//	answers.txt     what is a YES, a NO, a STOP and what may stand with one (see answers.md)
//	asking.txt      phrases that ask without a question mark, with commas between them. A phrase counts anywhere in a sentence,
//	                so only those stand here that are hardly ever part of anything else
//	plain.txt       phrases in which a word of a YES or NO is neither, such as "there is no parking". A verb of being or having
//	                belongs to each: behind none of them may an order to answer hide
//	calls.txt       words of calling people, and words of a no. One of each in a sentence refuses calls. An asterisk stands for
//	                the rest of a word. It errs toward a refusal: a mistake costs a question, and what is missed rings
//	numbers.txt     numbers and days in words, by what they mean. Words that mostly mean something else are left out
//	claims.txt      what a sentence that claims something looks like (see claims.md)
//	questions.txt   questions whose YES is such a claim
//	smalltalk.txt   greetings, thanks and similar phrases, with commas between them
//	detect.txt      frequent words that identify the language: common ones, which others may have, and its own. A language
//	                with a script of its own needs none
//	digits.txt      the words for 0 to 9, those of one digit joined by |
//	weather.txt     what a question about the weather is made of, apart from the name of the place
//	money.txt       short words around an amount of money (see money.md)
//	page.json       the words of the report page
//	chat.json       the words of the chat page, which offers the languages that have them
//	widget.json     the words of Sara's widget
//
// A file that a language has no use for may be missing, but for language.json, texts.json, standing.json and
// page.json.
package lang

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Language is what language.json says.
type Language struct {
	Tag         string `json:"-"`
	Name        string `json:"name"`
	RightToLeft bool   `json:"rightToLeft"`
	Script      string `json:"script"` // a script that no other language here has, by its name in Unicode; "" for Latin letters
	Place       int    `json:"place"`  // in lists that people see

	SemicolonAsks bool `json:"semicolonAsks"` // its question mark is a semicolon
}

// Each use of words has files of its own in the binary, so that a program carries only those that it reads.
var (
	//go:embed */language.json
	languageFiles embed.FS
	//go:embed */texts.json
	textFiles embed.FS
	//go:embed */standing.json
	standingFiles embed.FS
	//go:embed */answers.txt
	answerFiles embed.FS
	//go:embed */asking.txt
	askingFiles embed.FS
	//go:embed */plain.txt
	plainFiles embed.FS
	//go:embed */calls.txt
	callFiles embed.FS
	//go:embed */numbers.txt
	numberFiles embed.FS
	//go:embed */claims.txt
	claimFiles embed.FS
	//go:embed */questions.txt
	questionFiles embed.FS
	//go:embed */smalltalk.txt
	smallTalkFiles embed.FS
	//go:embed */detect.txt
	detectFiles embed.FS
	//go:embed */digits.txt
	digitFiles embed.FS
	//go:embed */weather.txt
	weatherFiles embed.FS
	//go:embed */money.txt
	moneyFiles embed.FS
	//go:embed */page.json
	pageFiles embed.FS
	//go:embed */chat.json
	chatFiles embed.FS
	//go:embed */widget.json
	widgetFiles embed.FS
)

// more are languages added to our own, see [Add].
var more fs.FS

// Add has the languages in the folders of files spoken too. It is for tests, and has to come before any word is read.
func Add(files fs.FS) { more = files }

// Words are the words of all languages for one use.
type Words struct {
	file string
	ours embed.FS
}

// The uses.
func Texts() Words     { return Words{"texts.json", textFiles} }
func Standing() Words  { return Words{"standing.json", standingFiles} }
func Answers() Words   { return Words{"answers.txt", answerFiles} }
func Asking() Words    { return Words{"asking.txt", askingFiles} }
func Plain() Words     { return Words{"plain.txt", plainFiles} }
func Calls() Words     { return Words{"calls.txt", callFiles} }
func Numbers() Words   { return Words{"numbers.txt", numberFiles} }
func Claims() Words    { return Words{"claims.txt", claimFiles} }
func Questions() Words { return Words{"questions.txt", questionFiles} }
func SmallTalk() Words { return Words{"smalltalk.txt", smallTalkFiles} }
func Detect() Words    { return Words{"detect.txt", detectFiles} }
func Digits() Words    { return Words{"digits.txt", digitFiles} }
func Weather() Words   { return Words{"weather.txt", weatherFiles} }
func Money() Words     { return Words{"money.txt", moneyFiles} }
func Page() Words      { return Words{"page.json", pageFiles} }
func Chat() Words      { return Words{"chat.json", chatFiles} }
func Widget() Words    { return Words{"widget.json", widgetFiles} }

// In returns a language's file; "" when it has none.
func (w Words) In(tag string) string {
	name := tag + "/" + w.file
	if text, err := w.ours.ReadFile(name); err == nil {
		return string(text)
	}
	if more == nil {
		return ""
	}
	text, err := fs.ReadFile(more, name)
	if err != nil {
		return ""
	}
	return string(text)
}

// All returns the files of all languages, by tag, in the order of [Languages]. Languages without one are left out.
func (w Words) All() func(yield func(tag, text string) bool) {
	return func(yield func(tag, text string) bool) {
		for _, l := range Languages() {
			if text := w.In(l.Tag); text != "" && !yield(l.Tag, text) {
				return
			}
		}
	}
}

// Name is the name of a language's file, for error messages.
func (w Words) Name(tag string) string { return tag + "/" + w.file }

// Languages are the languages that Merve speaks, in the order in which people see them.
var Languages = sync.OnceValue(func() []Language {
	all, err := read(languageFiles)
	if more != nil && err == nil {
		var added []Language
		added, err = read(more)
		all = append(all, added...)
	}
	if err != nil {
		panic(err) // embedded: a test reads every one of them
	}
	slices.SortFunc(all, func(a, b Language) int { return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Tag, b.Tag)) })
	return all
})

func read(files fs.FS) ([]Language, error) {
	names, err := fs.Glob(files, "*/language.json")
	if err != nil {
		return nil, err
	}
	var all []Language
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		l := Language{Tag: strings.TrimSuffix(name, "/language.json")}
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// Sections parts a text into what stands under each of its headings, such as "[call]". Empty lines and those that begin
// with # are left out.
func Sections(text string) map[string][]string {
	all, heading := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			heading = line
		default:
			all[heading] = append(all[heading], line)
		}
	}
	return all
}
