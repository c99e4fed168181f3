package rulemodel

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// isFiller reports whether a folded word says nothing by itself. Evening and noon are
// filler unless a meal follows.
func isFiller(plain, next string) bool {
	if (plain == "aksam" || plain == "ogle" || plain == "sabah") && strings.HasPrefix(next, "yeme") {
		return false
	}
	if plain == "ogle" || plain == "ogleden" {
		return true
	}
	return len(plain) == 1 && plain[0] >= 'a' && plain[0] <= 'z' || isWord(plain, "fillers")
}

// isThing reports whether a folded word names something to look for.
func isThing(plain string) bool {
	_, is := thing(plain)
	return is
}

// domainOf is the domain of the thing that a folded word names, "" for none.
func domainOf(plain string) string {
	domain, _ := thing(plain)
	return strings.TrimPrefix(domain, "any")
}

// thing is the domain of what a folded word names, "any" where it may be of several.
func thing(plain string) (domain string, is bool) {
	for _, t := range lexica().pairs["thing"] {
		if slices.ContainsFunc(lexica().words["thing "+t[0]], func(stem string) bool { return hasStem(plain, stem) }) {
			return t[0], true
		}
	}
	return "", false
}

// endings that a short stem may carry: English plural, Turkish possessive and plural.
var endings = []string{"", "s", "i", "u", "si", "su", "lar", "ler", "lari", "leri"}

// hasStem reports whether a folded word is stem with an ending. A longer stem may carry any.
func hasStem(plain, stem string) bool {
	rest, ok := strings.CutPrefix(plain, stem)
	return ok && (len(stem) > 4 || slices.Contains(endings, rest))
}

// translated returns words with those replaced that have another word.
func translated(words, plain []string) string {
	var out []string
	for i, word := range words {
		for _, pair := range lexica().pairs["catalogue"] {
			if hasStem(plain[i], pair[0]) {
				word = pair[1]
				break
			}
		}
		if word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

func serviceKind(folded string) string {
	name, _ := kindOf("service", folded)
	return name
}

// placeKind is the kind of place that a folded text names.
func placeKind(folded string) (name string, known bool) {
	name, _ = kindOf("map", folded)
	return name, name != ""
}

func townOf(folded string) string {
	name, _ := kindOf("town", folded)
	return name
}

// gist are the folded words of a text that say what is wanted: no fillers, no cues.
func gist(text string, cues ...string) []string {
	folded := " " + newLine(text).whole + " "
	for _, c := range cues {
		for range 4 {
			m := cueOf(c).FindStringIndex(folded)
			if m == nil {
				break
			}
			folded = folded[:m[0]] + " " + folded[m[1]:]
		}
	}
	l := newLine(folded)
	var out []string
	for i := range l.words {
		word, plain := l.stem(i)
		if !isFiller(plain, "") && !isWord(plain, "order fillers") && !loneNumber.MatchString(plain) && count(plain) == 0 {
			out = append(out, word)
		}
	}
	return out
}

// count is the number that a folded word is, 0 for none.
func count(plain string) int {
	if n := number(strings.TrimRight(plain, "x×х")); n > 0 {
		return min(n, 99)
	}
	for n := range 6 {
		if isWord(plain, "count "+strconv.Itoa(n+1)) {
			return n + 1
		}
	}
	return 0
}

// westernDigits writes digits of any script as 0 to 9.
func westernDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '٠' && r <= '٩':
			return '0' + r - '٠'
		case r >= '۰' && r <= '۹':
			return '0' + r - '۰'
		case unicode.Is(unicode.Nd, r) && r >= '०' && r <= '९':
			return '0' + r - '०'
		}
		return r
	}, s)
}

var (
	// forFew is a number of people behind a preposition.
	forFew = regexp.MustCompile(`(^| )(?:για|на|ל-?|ل) ?(\d{1,2})( |$)`)
	// nightsOf is the length of a stay.
	nightsOf = regexp.MustCompile(`(^| )(?:(?:για|на|ל-?|ل) ?)?(\d{1,2}) (?:νύχτες|νυχτες|βραδια|ночи|ночеи|ночей|לילות|ليال|ليالي)( |$)`)
)

// isForeign reports whether a text is written in letters that English and Turkish do not have.
func isForeign(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) && unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
	})
}

// forMarket folds a text and puts into English what the booking rules read.
func forMarket(text string) string {
	folded := inEnglish(text)
	folded = nightsOf.ReplaceAllString(folded, "$1 for $2 nights$3")
	if n, rest := peopleIn(folded); n > 0 {
		folded = rest + " for " + strconv.Itoa(n) + " people"
	}
	for _, p := range marketWords() {
		folded = strings.TrimSpace(p.re.ReplaceAllString(folded+" ", " "+p.name+" "))
	}
	return forFew.ReplaceAllString(folded, "$1 for $2$3")
}

// emptyAbroad reports whether a folded word of such letters says nothing of what is looked for.
func emptyAbroad(plain string) bool {
	return isForeign(plain) && (len([]rune(plain)) == 1 || isWord(plain, "order fillers") || isWord(plain, "small talk"))
}

// marketWords say in English what customers say of bookings in languages that the booking rules do not read.
func marketWords() []named {
	all := slices.Clone(lexica().heard["booking"])
	for _, w := range [][2]string{{"hello", "greeting"}, {"thanks", "gratitude"}, {"help", "assistance"}, {"who are you", "who are you"}} {
		all = append(all, named{w[0], cueOf(w[1])})
	}
	return append(all, lexica().heard["town"]...)
}
