package discovery

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/base/pattern"
	"merve/internal/words/contact"
	"merve/internal/words/language"
)

// Private is what is known of a client. None of it leaves.
type Private struct {
	Names []string // what they are called
	Words []string // their numbers, codes and ids
}

// Clean is a text without what tells who has written it: what is known of them, and whatever has the form of a
// telephone number, a link, a mail address, a street address, an id, a code or a name that somebody gives as theirs.
// It takes out too much rather than too little: a search finds without a word more.
func (p Private) Clean(text string) string {
	text = readable(text)
	for _, word := range p.Words {
		if word = readable(word); word != "" {
			text = without(text, word)
		}
	}
	text = tokens.Regexp().ReplaceAllStringFunc(text, func(token string) string {
		if identifies(token) {
			return " "
		}
		return token
	})
	text = new(contact.Known).Clean(text)
	for _, form := range private {
		text = form.Regexp().ReplaceAllString(text, "${1} ")
	}
	text = tokens.Regexp().ReplaceAllStringFunc(text, func(token string) string {
		if p.called(token) {
			return " "
		}
		return token
	})
	text = strings.ReplaceAll(text, contact.Gap, " ")
	return strings.Trim(strings.Join(strings.Fields(text), " "), " ,;:-–—")
}

// readable is a text as one reads it, in one line: without what shows nothing, with plain digits.
func readable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || language.Blank(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, language.Digits(norm.NFKC.String(text)))
	return strings.Join(strings.Fields(text), " ")
}

// without takes a word out wherever it stands, in whatever case.
func without(text, word string) string {
	lower, part := strings.ToLower(text), strings.ToLower(word)
	if len(lower) != len(text) { // a letter that is longer in small: it is compared as it stands
		return strings.ReplaceAll(text, word, " ")
	}
	var b strings.Builder
	for {
		at := strings.Index(lower, part)
		if at < 0 {
			return b.String() + text
		}
		b.WriteString(text[:at] + " ")
		text, lower = text[at+len(part):], lower[at+len(part):]
	}
}

// tokens are words, numbers, and ids of both.
var tokens = pattern.New(`[\pL\pM\pN_]+(?:['’.-][\pL\pM\pN_]+)*`)

var (
	anID   = pattern.New(`^(?:[a-z]{2,4}_[A-Za-z0-9]{8,}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$`)
	digits = pattern.New(`\d`)
)

// longest is how long a word may be that has letters and digits, such as the name of a model.
const longest = 12

// identifies reports whether a token has the form of an id or a code.
func identifies(token string) bool {
	plain := strings.ReplaceAll(token, "-", "")
	count, letters := len(digits.Regexp().FindAllString(plain, -1)), strings.ContainsFunc(plain, unicode.IsLetter)
	switch {
	case anID.MatchString(token):
		return true
	case letters && count >= 3 && utf8.RuneCountInString(plain) > longest:
		return true
	}
	return letters && len(plain) >= 4 && len(plain) <= longest && changes(plain) >= 2 && !strings.ContainsFunc(plain, notOfCode)
}

func notOfCode(r rune) bool { return !strings.ContainsRune(ident.Readable+"01IOL", r) }

// changes counts how often letters and digits take turns: once in "60KVA" or "RTX4090", and more often in a code.
func changes(token string) (n int) {
	for i := 1; i < len(token); i++ {
		if unicode.IsDigit(rune(token[i])) != unicode.IsDigit(rune(token[i-1])) {
			n++
		}
	}
	return n
}

// called reports whether a token is a name of the client's, in one of the forms that languages give it.
func (p Private) called(token string) bool {
	word := base(token)
	for _, name := range p.Names {
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			if bends(word, base(part)) {
				return true
			}
		}
	}
	return false
}

// base is what a word is compared by, without what stands behind an apostrophe.
func base(word string) string {
	word, _, _ = strings.Cut(language.Fold(strings.ReplaceAll(word, "’", "'")), "'")
	return language.Skeleton(word)
}

const (
	shortestName = 2
	bending      = 5 // letters from which on a name is recognised without its last one
	ending       = 3 // letters by which a form may be longer
)

// bends reports whether a word is a name: as it is, with another ending, or behind the particles that Hebrew and
// Arabic write together with it.
func bends(word, name string) bool {
	w, n := []rune(word), []rune(name)
	if len(n) < shortestName {
		return false
	}
	if word == name {
		return true
	}
	if unicode.In(n[0], unicode.Hebrew, unicode.Arabic) {
		for cut := 1; cut <= 2 && len(w)-cut >= shortestName; cut++ {
			if string(w[cut:]) == name {
				return true
			}
		}
		return false
	}
	if len(n) < bending {
		return false
	}
	stem := n[:len(n)-1]
	return len(w) <= len(n)+ending && strings.HasPrefix(word, string(stem))
}

// The parts of street addresses.
const (
	begin  = `(^|[^\pL\pN])`
	number = `\s*,?\s*(?:(?:no|nr|numara|número|nº|№|αρ|д|дом|מס|رقم|namba)\s*[.:]?\s*)?\d+\s?\pL?(?:\s?[/-]\s?\d+\pL?)?(?:$|[^\pL\pN])`
	named  = `(?:(?-i:\p{Lu})[\pL\pM'’.-]*\s+){1,3}`
	words  = `(?:[\pL\pM'’.-]+\s+){0,4}?[\pL\pM'’.-]+`
)

// private are the forms of what tells who or where somebody is. What stands before is the first group.
var private = []pattern.Pattern{
	// 12 Main Street; 12 main street
	pattern.New(`(?i)` + begin + `\d+\pL?(?:[/-]\d+)?,?\s+(?:` + named + `(?:street|str|st|road|rd|avenue|ave|lane|ln|boulevard|blvd|drive|court|close|way)|[\pL'’-]+\s+(?:street|avenue|road|lane))\b\.?`),
	// Main Street 12
	pattern.New(`(?i)` + begin + named + `(?:street|str|road|rd|avenue|ave|lane|boulevard|blvd)\b\.?(?:` + number + `)?`),
	// Atatürk Caddesi No: 12
	pattern.New(`(?i)` + begin + `(?:` + named + `|[\pL\pM]+\s+)(?:sokak|sokağı|sokagi|sok\.|sk\.|caddesi|cadde|cad\.|cd\.|bulvarı|bulvari|bulv\.|mahallesi|mah\.|sitesi|apartmanı)(?:` + number + `)?`),
	// Hauptstraße 12, Berliner Platz 3
	pattern.New(`(?i)` + begin + `(?:` + named + `)?[\pL-]*(?:straße|strasse|str\.|gasse|allee|platz|weg)` + number),
	// rue de la Paix 12, calle Mayor 3, οδός Ερμού 5, улица Ленина 7, רחוב הרצל 5, شارع الحمراء 12
	pattern.New(`(?i)` + begin + `(?:calle|c/|avenida|avda\.?|av\.|paseo|plaza|camino|rue|avenue|boulevard|bd\.?|chemin|allée|impasse|οδός|οδος|οδού|λεωφόρος|λεωφόρου|λεωφ\.|πλατεία|` +
		`улица|улице|ул\.|проспект|пр-т|пр\.|переулок|пер\.|шоссе|רחוב|ברחוב|רח'|שדרות|בשדרות|שד'|شارع|بشارع|طريق|زقاق|barabara ya|mtaa wa)\s*` + words + number),
	// 12 rue de la Paix
	pattern.New(`(?i)` + begin + `\d+\s?(?:bis|ter)?,?\s+(?:rue|avenue|boulevard|chemin|allée|impasse|quai)\s+(?:(?:de|du|des|la|le|les|l'|d')\s*)*[\pL\pM'’-]+(?:\s+(?-i:\p{Lu})[\pL\pM'’-]*)?`),
	// what has no number
	pattern.New(`(?i)` + begin + `(?:calle|οδός|οδος|οδού|λεωφόρος|улица|улице|ул\.|проспект|переулок|רחוב|ברחוב|שדרות|شارع|بشارع|زقاق)\s*[\pL\pM'’.-]+`),
	// flat 5
	pattern.New(`(?i)` + begin + `(?:flat|apartment|apt\.?|daire|kat|кв\.|квартира|дом|д\.|דירה|شقة|wohnung|διαμέρισμα|appartement|piso|nyumba)\s*(?:no|nr|numara|namba)?\s*[.:]?\s*\d+\pL?`),
	// my name is Maria Papadopoulou
	pattern.New(`(?i)` + begin + `(?:my name is|my name's|i am called|adım|ismim|benim adım|με λένε|με λενε|ονομάζομαι|το όνομά μου είναι|меня зовут|моё имя|мое имя|ich heiße|ich heisse|mein name ist|` +
		`me llamo|mi nombre es|je m['’]appelle|mon nom est|jina langu ni|naitwa)\s+[\pL\pM'’-]+(?:\s+(?-i:\p{Lu})[\pL\pM'’-]*){0,2}`),
	pattern.New(begin + `(?:קוראים לי|שמי|השם שלי הוא|השם שלי|اسمي هو|اسمي|إسمي)\s+[\pL\pM'’-]+(?:\s+[\pL\pM'’-]+)?`),
	// I am Maria, Mrs Smith, Ayşe Hanım
	pattern.New(begin + `(?:[Ii] am|[Ii]['’]m|[Ss]oy|[Jj]e suis|[Ii]ch bin|[Εε]ίμαι (?:ο|η)|[Mm]r|[Mm]rs|[Mm]s|[Mm]iss|[Hh]err|[Ff]rau|[Ss]eñora?|[Mm]adame|[Mm]onsieur|[Κκ]ύριος|[Κκ]υρία)\.?\s+\p{Lu}[\pL\pM'’-]*(?:\s+\p{Lu}[\pL\pM'’-]*)?`),
	pattern.New(begin + `\p{Lu}[\pL\pM]+\s+(?:[Hh]anım|[Bb]ey|[Aa]bla|[Aa]bi)(?:$|[^\pL])`),
}

// What remains of where somebody is.
const (
	placeParts = 2
	placeWords = 3
)

// Place is the city of a place, such as "Kyrenia" of "flat 5, Main Street 12, Kyrenia"; "" where none can be told.
// City finds the one that is named in a text, among those that are known.
func (p Private) Place(text string, city func(string) string) string {
	if known := city(p.Clean(text)); known != "" {
		return known
	}
	var parts []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;،\n|", r) }) {
		clean := p.Clean(part)
		whole := strings.Trim(readable(part), " ,;:-–—.")
		if clean == "" || strings.Trim(clean, ".") != whole || digits.MatchString(clean) || len(strings.Fields(clean)) > placeWords {
			continue // something was taken out of it, or it is a description
		}
		parts = append(parts, clean)
	}
	parts = slices.Compact(parts)
	return language.Clip(strings.Join(parts[max(0, len(parts)-placeParts):], ", "), MaxPlace)
}

// Rough is a point that tells a city, and not a street.
func Rough(at geo.Location) geo.Location {
	round := func(degrees float64) float64 { return math.Round(degrees*10) / 10 }
	return geo.Location{Lat: round(at.Lat), Lng: round(at.Lng)}
}
