package ocr

import (
	"encoding/json"
	"math/big"
	"strings"

	"merve/internal/base/pattern"
	"merve/internal/words/language"
)

// value is a number in one way of reading it.
type value struct {
	text string // as a decimal with a point
	rat  *big.Rat
}

func (v value) json() json.Number { return json.Number(v.text) }

// The forms of numbers. A separator with three digits behind it may be either, so such a number has two values.
var (
	whole    = pattern.New(`^[0-9]{1,12}$`)
	decimals = pattern.New(`^[0-9]{1,12}[.,][0-9]{1,4}$`)
	grouped  = pattern.New(`^[0-9]{1,3}(?:(?:\.[0-9]{3})+(?:,[0-9]{1,4})?|(?:,[0-9]{3})+(?:\.[0-9]{1,4})?|(?:['’ ][0-9]{3})+(?:[.,][0-9]{1,4})?)$`)
	opening  = pattern.New(`^[0-9]{1,3}(?: [0-9]{3})*$`)
	group    = pattern.New(`^[0-9]{3}(?:[.,][0-9]{1,4})?$`)
)

// valuesOf are the values that a word can have as a number; none for a word that is no number, a percentage or a date.
func valuesOf(word string) []value {
	s := bare(word)
	if strings.Contains(word, "%") || strings.Contains(word, "٪") {
		return nil
	}
	var all []value
	add := func(text string) {
		if r, ok := new(big.Rat).SetString(text); ok {
			all = append(all, value{text, r})
		}
	}
	if whole.MatchString(s) {
		add(s)
		return all
	}
	if grouped.MatchString(s) {
		add(ungrouped(s))
	}
	if decimals.MatchString(s) {
		if text := strings.Replace(s, ",", ".", 1); len(all) == 0 || text != all[0].text {
			add(text)
		}
	}
	return all
}

// ungrouped takes the separators of thousands out of a number, and makes that of decimals a point.
func ungrouped(s string) string {
	i := strings.LastIndexAny(s, ".,")
	if i < 0 || strings.Trim(s[:i], "0123456789"+s[i:i+1]) == "" { // the only kind of separator
		return separators.Replace(s)
	}
	return separators.Replace(s[:i]) + "." + s[i+1:]
}

var separators = strings.NewReplacer(".", "", ",", "", "'", "", "’", "", " ", "")

func opensGroup(word string) bool { return opening.MatchString(bare(word)) }
func isGroup(word string) bool    { return group.MatchString(bare(word)) }

// bare is a word without currency and frame, with digits and separators that all scripts are read by.
func bare(word string) string {
	s := arabic.Replace(language.Digits(word))
	s = money.Regexp().ReplaceAllString(s, "")
	return strings.Trim(s, " |:;()[]=_")
}

var arabic = strings.NewReplacer("٫", ".", "٬", ",", "\u00a0", " ", "\u202f", " ")

var money = pattern.New(`(?i)[€$£₺₪₽]|\b(?:EUR|USD|GBP|TRY|TL|ILS|NIS|RUB|AED|KES)\b|(?:EUR|USD|GBP|TRY|TL|ILS)$`)

// signs are the currencies by what pages call them.
var signs = map[string]string{
	"€": "EUR", "EUR": "EUR", "$": "USD", "USD": "USD", "£": "GBP", "GBP": "GBP", "₺": "TRY", "TL": "TRY", "TRY": "TRY",
	"₪": "ILS", "ILS": "ILS", "NIS": "ILS", "₽": "RUB", "RUB": "RUB", "AED": "AED", "KES": "KES",
}

// currenciesOf are the currencies that a text names, each once.
func currenciesOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, sign := range money.Regexp().FindAllString(text, -1) {
		if code := signs[strings.ToUpper(sign)]; code != "" {
			all[code] = true
		}
	}
	return all
}
