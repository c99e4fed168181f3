package language

import (
	"strings"
	"sync"
	"unicode"
)

// detectWindow bounds the bytes [Detect] looks at: a language shows early.
const detectWindow = 4096

// decisive is the score from which a Latin text counts as written in a language:
// two common words, or one that no other of the languages has.
const decisive = 2

// Detect returns the supported language text is probably written in. Greek,
// Russian, Hebrew and Arabic are known by their script, the others by common
// words. Short or undecidable text gives the fallback, unchanged.
func Detect(text, fallback string) string {
	if len(text) > detectWindow {
		text = text[:detectWindow]
	}
	script, latin := countLetters(text)
	for _, tag := range Supported() { // a fixed order, so that a tie is always broken alike
		n := script[tag]
		// Foreign names and brands are written in Latin letters inside any script.
		if n >= 2 && n >= latin/3 && n == largest(script) {
			return tag
		}
	}
	if tag, ok := byWords(Fold(text)); ok {
		return tag
	}
	return fallback
}

// countLetters counts the letters of each language with a script of its own, and the Latin ones.
func countLetters(text string) (script map[string]int, latin int) {
	script = make(map[string]int)
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.Is(unicode.Greek, r):
			script["el"]++
		case unicode.Is(unicode.Cyrillic, r):
			script["ru"]++
		case unicode.Is(unicode.Hebrew, r):
			script["he"]++
		case unicode.Is(unicode.Arabic, r):
			script["ar"]++
		}
	}
	return script, latin
}

func largest(counts map[string]int) int {
	top := 0
	for _, n := range counts {
		top = max(top, n)
	}
	return top
}

// byWords scores folded Latin text by the words it shares with each language.
// The best score must be decisive and alone at the top.
func byWords(folded string) (tag string, ok bool) {
	scores := make(map[string]int)
	// Digits are part of a word, which then is none of any language: codes have no words in them.
	for _, word := range strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		for lang, weight := range latinWords()[word] {
			scores[lang] += weight
		}
	}
	best, tied := 0, false
	for _, lang := range Supported() {
		switch n := scores[lang]; {
		case n > best:
			tag, best, tied = lang, n, false
		case n == best:
			tied = true
		}
	}
	return tag, best >= decisive && !tied
}

// latinWords maps a folded word to the languages that use it and what it weighs there.
var latinWords = sync.OnceValue(func() map[string]map[string]int {
	weights := make(map[string]map[string]int)
	add := func(lang, words string, weight int) {
		for _, word := range strings.Fields(Fold(words)) {
			if weights[word] == nil {
				weights[word] = make(map[string]int)
			}
			weights[word][lang] = weight
		}
	}
	for _, l := range latinLanguages {
		add(l.tag, l.common, 1)
		add(l.tag, l.own, decisive)
	}
	return weights
})

// latinLanguages lists, for each language in Latin letters, common words that others
// may have too, and words of its own that settle the question alone.
var latinLanguages = []struct{ tag, common, own string }{
	{"en",
		`a an and any are at be booking can comment do for from have hello hey hi i in is it me my near no of on or
		 please room so some son table taxi that the there this to two want was we will with would you your`,
		`thanks thank i'd i'll i'm don't what's where when what which who how need tomorrow today tonight looking could
		 should yes`},
	{"tr",
		`a ama bana ben bir bu da daha de en hem ile iyi ki kadar mi mı mu mü ne o olan on saat sen siz son şu taksi tane
		 ve veya ya`,
		`merhaba selam lütfen teşekkürler teşekkür evet hayır tamam istiyorum istiyoruz nasıl nerede nasılsın kişilik
		 kişi yarın bugün akşam için çok değil var yok rezervasyon misiniz mısınız mıyım miyim günaydın iptal lazım
		 musunuz müsünüz gerek gibi`},
	{"de",
		`am an auf aus bei da das dem den der die du ein es hallo hat hi ich im in ist ja man mit morgen nach oder
		 sie so um und von was wir wo zu zum zur`,
		`guten danke bitte nein nicht möchte brauche für haben habe eine einen können kann heute abend tisch zimmer
		 personen wann warum wie gibt mein meine uhr suche gerne`},
	{"es",
		`a al buenos con da de del el en es ja la las leo lo los me mesa mi no o para por que se si son su un una y ya`,
		`hola gracias buenas quiero quisiera necesito puedo puede mañana hoy noche habitación cuándo cuánto dónde cómo
		 está estoy hay usted tengo personas reservar también`},
	{"fr",
		`a au aux avec ce comment de des du elle en est et il la le les ma me mon ne nous on ou par pas que qui sa se
		 si son sur table un une vous y`,
		`bonjour bonsoir salut merci oui je j'ai j'aimerais voudrais veux besoin pouvez demain aujourd'hui soir chambre
		 quand c'est s'il combien pour personnes réserver cherche d'accord`},
	{"sw",
		`cha hii kama karibu kwa la leo mambo mimi na ni no si sasa teksi wa ya za`,
		`habari jambo hujambo asante tafadhali ndiyo ndio hapana sawa nataka ninataka nahitaji ninahitaji naomba kesho
		 usiku watu chumba meza wapi lini vipi gani shilingi wewe yangu kuhusu pamoja nzuri sana natafuta`},
}
