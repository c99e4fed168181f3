package gate

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/base/pattern"
	"merve/internal/spine/thread"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// Differs reports whether messages name a number, a time or a day that the offer does not have, such as "yes
// but at eight" to seven o'clock. Their writer may then say YES to what they named. now is in
// the customer's time zone.
//
// It knows numbers but not the units they count: it would rather ask once too often.
func Differs(p thread.Pending, msgs []thread.Message, now time.Time) bool {
	offered := language.Numbers(notNamed.Regexp().ReplaceAllString(p.Question(), ""))
	for _, m := range msgs {
		if len(m.Text) > 16*maxMessage { // as long as this it is no change of an offer
			continue
		}
		for _, readings := range figuresOf(m.Text, now) {
			if !slices.ContainsFunc(readings, func(n int) bool { return has(offered, n) }) {
				return true
			}
		}
	}
	return false
}

// notNamed are the parts of an offer that nobody names who means it: the end of "19:00–20:30", where a
// later time may be wanted, and an amount of money, which may be an hour too.
var notNamed = pattern.New(`[–—-]\d{1,2}:\d{2}|\d+(?:[.,\x{a0}\x{202f}]\d{3})*[.,]\d{2}\b`)

// has reports whether a number is among those of an offer; afternoon hours match in both clock notations.
func has(offered []int, n int) bool {
	return slices.Contains(offered, n) || n < 12 && slices.Contains(offered, n+12) || n == 12 && slices.Contains(offered, 0)
}

// figuresOf returns the numbers and days that a text names, each with its possible meanings: a day of the week
// means the next two of them, as days of the month.
func figuresOf(text string, now time.Time) [][]int {
	var all [][]int
	for _, n := range language.Numbers(text) {
		all = append(all, []int{n})
	}
	words := figureWords()
	for _, word := range tokenize(text) {
		var readings []int
		for _, meaning := range words[word] {
			readings = append(readings, resolve(meaning, now)...)
		}
		if len(readings) > 0 {
			all = append(all, readings)
		}
	}
	return all
}

func resolve(meaning string, now time.Time) []int {
	if n, err := strconv.Atoi(meaning); err == nil {
		return []int{n}
	}
	switch meaning {
	case "today":
		return []int{now.Day()}
	case "tomorrow":
		return []int{now.AddDate(0, 0, 1).Day()}
	}
	for ahead := range 7 {
		if day := now.AddDate(0, 0, ahead); strings.EqualFold(day.Weekday().String(), meaning) {
			return []int{day.Day(), day.AddDate(0, 0, 7).Day()}
		}
	}
	return nil
}

// figureWords are the meanings of words that are figures, read when first asked for.
var figureWords = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for tag, text := range lang.Numbers().All() {
		if readFigures(tag, text, all) != nil {
			return nil // a test keeps the files readable
		}
	}
	return all
})

// readFigures adds lines of a meaning, a colon, and words to the meanings of all words.
func readFigures(tag, file string, all map[string][]string) error {
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		meaning, words, ok := strings.Cut(line, ":")
		if !ok || len(resolve(meaning, time.Time{})) == 0 {
			return fmt.Errorf("%s:%d: %q means nothing", lang.Numbers().Name(tag), i+1, line)
		}
		for _, word := range strings.Fields(words) {
			if word = language.Fold(word); !slices.Contains(all[word], meaning) {
				all[word] = append(all[word], meaning)
			}
		}
	}
	return nil
}
